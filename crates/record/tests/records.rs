//! The crate as its users see it: records created by path, changed and copied, and the arena reused.

use record::{Arena, Field, Kind, Memory, Path, PathError, Record, Schema, Slot, Type, TypeId};

fn field(name: &str, ty: TypeId) -> Field {
    Field { name: name.to_owned(), ty, optional: true, default: None }
}

fn add(schema: &mut Schema, name: &str, kind: Kind) -> TypeId {
    schema.add(Type { name: format!("Test.{name}"), kind })
}

/// `Call ::= SEQUENCE { duration, services SEQUENCE OF Service { code }, location CHOICE { cell, area } }`
fn call() -> (Schema, TypeId) {
    let mut schema = Schema::new();
    let number = add(&mut schema, "Number", Kind::Integer { names: vec![] });
    let service = add(&mut schema, "Service", Kind::Sequence(vec![field("code", number)]));
    let services = add(&mut schema, "Services", Kind::SequenceOf(service));
    let location = add(
        &mut schema,
        "Location",
        Kind::Choice(vec![field("cell", number), field("area", number)]),
    );
    let fields =
        vec![field("duration", number), field("services", services), field("location", location)];
    let call = add(&mut schema, "Call", Kind::Sequence(fields));
    (schema, call)
}

fn read(schema: &Schema, memory: &Memory<'_>, record: Record, path: &str) -> Option<i64> {
    let path = Path::resolve(schema, record.ty, path).expect("the path is right");
    path.find(memory, record).map(|slot| memory.number(slot).expect("a number"))
}

fn write(schema: &Schema, memory: &mut Memory<'_>, record: Record, path: &str, value: i64) {
    let path = Path::resolve(schema, record.ty, path).expect("the path is right");
    let slot = path.make(memory, record);
    memory.set_number(slot, value);
}

#[test]
fn what_is_written_by_path_is_read_by_path() {
    let (schema, ty) = call();
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = memory.create(ty);
    for (path, value) in
        [("duration", 61), ("services[5].code", -7), ("services[0].code", 9), ("location.area", 3)]
    {
        assert_eq!(read(&schema, &memory, record, path), None);
        write(&schema, &mut memory, record, path, value);
        assert_eq!(read(&schema, &memory, record, path), Some(value));
    }
    assert_eq!(read(&schema, &memory, record, "services[3].code"), None);
    assert_eq!(read(&schema, &memory, record, "location.cell"), None);
}

#[test]
fn a_change_of_a_copy_is_not_seen_in_the_original() {
    let (schema, ty) = call();
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = memory.create(ty);
    for path in ["duration", "services[1].code", "location.cell"] {
        write(&schema, &mut memory, record, path, 1);
    }
    let copy = memory.create(ty);
    memory.copy(&schema, ty, record.root, copy.root).unwrap();
    for path in ["duration", "services[1].code", "location.cell", "services[7].code"] {
        write(&schema, &mut memory, copy, path, 2);
    }
    for path in ["duration", "services[1].code", "location.cell"] {
        assert_eq!(read(&schema, &memory, record, path), Some(1), "{path}");
        assert_eq!(read(&schema, &memory, copy, path), Some(2), "{path}");
    }
    assert_eq!(read(&schema, &memory, record, "services[7].code"), None);
}

#[test]
fn a_value_is_read_where_it_lies_in_the_octets_that_came() {
    let (schema, ty) = call();
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[0xAA, 0x01, 0x2C], &mut arena);
    let record = memory.create(ty);
    let slot = Path::resolve(&schema, ty, "duration").unwrap().make(&mut memory, record);
    *memory.arena.slot_mut(slot) = Slot::source(1, 2);
    assert_eq!(read(&schema, &memory, record, "duration"), Some(300));
    assert!(!memory.slot(slot).is_changed());
}

#[test]
fn a_path_that_leads_nowhere_says_what_is_there() {
    let (schema, ty) = call();
    let message = |path| Path::resolve(&schema, ty, path).unwrap_err().to_string();
    assert_eq!(message("durration"), "\"Test.Call\" has no field \"durration\"");
    assert_eq!(message("duration[0]"), "\"Test.Number\" is not a list, so \"[0]\" has no meaning");
    assert_eq!(message("services[x]"), "\"[x]\" is not a path; write field.field[0].field");
    assert!(matches!(Path::resolve(&schema, ty, ""), Err(PathError::Malformed { .. })));
}

#[test]
fn a_number_that_is_read_at_once_is_the_number() {
    let octets: Vec<u8> = (0..24_u8).map(|place| place.wrapping_mul(89) ^ 0x80).collect();
    let mut read = 0;
    for offset in 0..octets.len() {
        for length in 0..=octets.len() - offset {
            let mut arena = Arena::new();
            let root = arena.frame(1);
            let mut memory = Memory::new(&octets, &mut arena);
            let field = memory.make_structure(root, 1);
            *memory.arena.slot_mut(field) = Slot::source(offset as u32, length as u32);
            let source_at = memory.source_at(root, 0);
            if let Some(number) = source_at.and_then(|stretch| memory.number_at(stretch)) {
                assert_eq!(memory.number(field), Ok(number), "{length} octets at {offset}");
                read += 1;
            }
        }
    }
    // Numbers of each length are read wherever eight octets are available.
    assert_eq!(read, 8 * (octets.len() - 7));
}
