//! The notation that is accepted, tolerated with a warning, or reported.

use asn1::{Modules, Resolver};
use diagnostics::{Diagnostic, Once, Severity, Source, has_errors};

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let (modules, mut found) = Modules::read(&[Source::new("m.asn1", text)]);
    let (mut resolver, mut once) = (Resolver::new(&modules), Once::after(&found));
    for name in modules.type_names() {
        let mistakes = resolver.resolve(&name).err().into_iter().flatten();
        mistakes.for_each(|mistake| once.put(mistake, &mut found));
    }
    found
}

/// Returns the diagnostics of a module with these definitions: message and column of each.
fn found(body: &str) -> Vec<(String, usize)> {
    let found = diagnostics(&format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN\n{body}\nEND"));
    let shown = |found: &Diagnostic| (found.message.clone(), found.place().column);
    found.iter().map(shown).collect()
}

fn check(body: &str, message: &str, column: usize) {
    assert_eq!(found(body), [(message.to_owned(), column)], "{body}");
}

#[test]
fn what_the_standard_allows_is_taken_silently() {
    for body in [
        "A ::= SEQUENCE { a INTEGER, ..., [[ b BOOLEAN OPTIONAL, c NULL OPTIONAL ]], ..., d REAL }",
        "A ::= SEQUENCE { a INTEGER, ..., [[ 8: b BOOLEAN OPTIONAL ]] }",
        "A ::= [APPLICATION 443] CHOICE { a [0] NULL, b [1] B } B ::= CHOICE { c NULL, d A }",
        "A ::= SEQUENCE { COMPONENTS OF B, b [9] NULL } B ::= SEQUENCE { a [0] SEQUENCE OF A }",
        "A ::= a < B B ::= CHOICE { a [0] NULL }",
        "A ::= P {INTEGER} P {T} ::= SEQUENCE { t T, u SEQUENCE OF T }",
        "A ::= INTEGER (0..max | 7, ...) max INTEGER ::= 18446744073709551615",
        "C ::= CLASS { &id INTEGER UNIQUE, &Type } WITH SYNTAX { &Type ID &id }
         A ::= SEQUENCE { id C.&id ({S}), value C.&Type ({S}{@id}) } S C ::= { {NULL ID 1}, ... }",
        "A ::= SEQUENCE { e EXTERNAL, p EMBEDDED PDV, c CHARACTER STRING, i INSTANCE OF T }
         T ::= TYPE-IDENTIFIER",
        "A ::= ENUMERATED { a, b(3), ..., c } B ::= BIT STRING { x(0) } (SIZE (8))",
        "C ::= CLASS { &id INTEGER, &Type } S C ::= { ... }
         A ::= SEQUENCE { a C.&id ({S}), b SEQUENCE { c SEQUENCE {
           value C.&Type ({S}{@a,
             -- of the types around
             @...a,
             @.d.e}), d SEQUENCE { e C.&id ({S}) } } } }",
    ] {
        assert_eq!(found(body), [], "{body}");
    }
}

#[test]
fn what_vendors_write_is_forgiven_with_a_warning() {
    check("A ::= SEQUENCE { a INTEGER, }", "a comma before \"}\" is passed over", 29);
    check("A ::= SEQUENCE { a INTEGER b NULL }", "a comma is missing before this", 28);
    check("A ::= SEQUENCE { Ab INTEGER }", "\"Ab\" should begin with a small letter", 18);
}

#[test]
fn a_mistake_is_reported_where_it_is() {
    check("A ::= B", "\"B\" is not defined", 7);
    let choice = "B ::= CHOICE { a [0] NULL, b [1] REAL }";
    check(&format!("A ::= c < B {choice}"), "M.B has no alternative \"c\"", 7);
    check("A ::= a < B B ::= INTEGER", "M.B has no alternative \"a\"", 7);
    check("A ::= [x] NULL", "\"x\" is not defined", 8);
    check("A ::= SEQUENCE { a B, b NULL }", "\"B\" is not defined", 20);
    check("A ::= SEQUENCE OF", "expected a type, found \"END\"", 1);
    let choice = "COMPONENTS OF stands in a SEQUENCE or SET, not in a CHOICE";
    check("A ::= CHOICE { a NULL, COMPONENTS OF B } B ::= SEQUENCE { b REAL }", choice, 24);
    check("A ::= INTEGER ]\nB ::= NULL", "expected an assignment, Name ::= …, found \"]\"", 15);
}

#[test]
fn what_cannot_be_told_apart_is_reported() {
    let same = "\"b\" has the tag [4], as \"a\" has: they cannot be told apart";
    check("A ::= SEQUENCE { a [4] INTEGER DEFAULT 1, b [4] NULL }", same, 49);
    check("A ::= SEQUENCE { a [4] NULL OPTIONAL, c NULL OPTIONAL, b [4] NULL }", same, 62);
    check("A ::= SET { a [4] INTEGER, b [4] NULL }", same, 34);
    check("A ::= CHOICE { a [4] INTEGER, b [4] NULL }", same, 37);
    check("A ::= SEQUENCE { a [0] NULL, a [1] NULL }", "the name \"a\" is there twice", 36);
    check("A ::= ENUMERATED { a, b, ..., c, d(2) }", "\"d\" has the number 2, as \"c\" has", 36);
    check("A ::= ENUMERATED { a(0), b(1), c(1) }", "\"c\" has the number 1, as \"b\" has", 34);
    let same = "\"b\" has the tag [UNIVERSAL 2], as \"a\" has: they cannot be told apart";
    check("A ::= CHOICE { a CHOICE { x INTEGER, y NULL }, b INTEGER }", same, 50);
    check("A ::= SEQUENCE { a INTEGER OPTIONAL, b CHOICE { x INTEGER, y NULL } }", same, 40);
    check(
        "A ::= SEQUENCE { a INTEGER OPTIONAL, COMPONENTS OF B } B ::= SEQUENCE { b INTEGER }",
        same,
        52,
    );
    check("A ::= ENUMERATED { a, b, a }", "the name \"a\" is there twice", 26);
    check("A ::= INTEGER { a(1), b(2), c(1) }", "\"c\" has the number 1, as \"a\" has", 31);
    check("A ::= BIT STRING { a(1), a(2) }", "the name \"a\" is there twice", 26);
    check("A ::= NULL A ::= REAL", "\"A\" is defined before", 12);
    check("A ::= A", "\"A\" is defined by itself", 1);
    let same = "\"b\" has the tag [4], as \"a\" has: they cannot be told apart";
    check("A ::= SEQUENCE { ..., a [4] NULL, ..., b [4] NULL }", same, 46);
    check("A ::= SEQUENCE { a [4] NULL OPTIONAL, ..., b [4] NULL }", same, 50);
    assert_eq!(found("A ::= SEQUENCE { ..., a NULL, b NULL, ..., c REAL }"), []);
    assert_eq!(found("A ::= SEQUENCE { ..., a [1] NULL, ..., c REAL, b [1] NULL }"), []);
    // In a SEQUENCE, mandatory components are told apart by their order.
    assert_eq!(found("A ::= SEQUENCE { a INTEGER, b INTEGER, c NULL OPTIONAL, d INTEGER }"), []);
}

#[test]
fn a_default_is_of_its_type() {
    for (component, fits) in [
        ("INTEGER DEFAULT 5", true),
        ("INTEGER { five(5) } DEFAULT five", true),
        ("INTEGER DEFAULT seven", true),
        ("REAL DEFAULT 0", true),
        ("ENUMERATED { p, q } DEFAULT q", true),
        ("BIT STRING { x(0) } DEFAULT '01'B", true),
        ("IA5String DEFAULT \"a\"", true),
        ("INTEGER DEFAULT TRUE", false),
        ("BOOLEAN DEFAULT 1", false),
        ("BOOLEAN DEFAULT true", false),
        ("IA5String DEFAULT 5", false),
        ("ENUMERATED { p, q } DEFAULT r", false),
        ("OCTET STRING DEFAULT \"a\"", false),
    ] {
        let found = found(&format!("A ::= SEQUENCE {{ c {component} }} seven INTEGER ::= 7"));
        let expected = if fits { 0 } else { 1 };
        assert_eq!(found.len(), expected, "{component}: {found:?}");
    }
}

#[test]
fn a_tag_has_a_number_that_records_can_have() {
    let largest = asn1::limits::TAG_NUMBER_MAX;
    assert_eq!(found(&format!("A ::= [APPLICATION {largest}] NULL B ::= [PRIVATE 0] NULL")), []);
    for number in ["268435456", "300000000", "4294967295", "4294967296", "-1"] {
        let message = format!("the number {number} cannot stand here; expected 0 to {largest}");
        check(&format!("A ::= [{number}] NULL"), &message, 8);
        check(&format!("A ::= [a] NULL a INTEGER ::= {number}"), &message, 8);
        check(
            &format!("A ::= P {{{number}}} P {{INTEGER:a}} ::= [a] NULL"),
            &message,
            31 + number.len(),
        );
    }
}

/// Every way a definition can refer to itself. Resolution terminates and reports where.
#[test]
fn definitions_in_a_circle_are_reported() {
    let by_itself = |name: &str| format!("\"{name}\" is defined by itself");
    let back_to = |name: &str| format!("COMPONENTS OF leads in a circle back to \"{name}\"");
    for (body, expected) in [
        ("A ::= A", by_itself("A")),
        ("A ::= [0] A", by_itself("A")),
        ("A ::= P {NULL} P {T} ::= P {T}", by_itself("P")),
        ("A ::= P {A} P {T} ::= T", by_itself("A")),
        ("A ::= SEQUENCE { COMPONENTS OF A }", back_to("A")),
        ("A ::= SET { COMPONENTS OF A }", back_to("A")),
        ("A ::= SEQUENCE { a NULL, COMPONENTS OF M.A }", back_to("A")),
        ("A ::= SEQUENCE { x SEQUENCE { COMPONENTS OF A } }", back_to("A")),
        ("A ::= SEQUENCE { x SEQUENCE OF SET { COMPONENTS OF A } }", back_to("A")),
        ("A ::= SEQUENCE { COMPONENTS OF SEQUENCE { COMPONENTS OF A } }", back_to("A")),
        ("A ::= SEQUENCE { COMPONENTS OF B } B ::= A", back_to("B")),
        ("A ::= SEQUENCE { COMPONENTS OF B } B ::= SEQUENCE { COMPONENTS OF A }", back_to("B")),
        ("A ::= P {NULL} P {T} ::= SEQUENCE { COMPONENTS OF P {T} }", back_to("P")),
        ("A ::= P {A} P {T} ::= SEQUENCE { COMPONENTS OF T }", back_to("A")),
        ("A ::= SEQUENCE { COMPONENTS OF P {NULL} } P {T} ::= P {T}", back_to("P")),
        ("A ::= SEQUENCE { COMPONENTS OF B } B ::= B", back_to("B")),
    ] {
        let found = found(body);
        assert!(found.iter().any(|(message, _)| *message == expected), "{body}: {found:?}");
        assert!(found.len() < 4, "{body}: {found:?}");
    }
    // Infinite expansion with different parameters each time.
    for body in [
        "A ::= P {NULL} P {T} ::= P {SEQUENCE OF T}",
        "A ::= P {NULL} P {T} ::= SEQUENCE { x P {[0] T} }",
        "A ::= P {NULL} P {T} ::= SEQUENCE { COMPONENTS OF P {SEQUENCE OF T} }",
        "A ::= SEQUENCE { COMPONENTS OF P {NULL} } P {T} ::= P {SET OF T}",
        "A ::= P {NULL} P {T} ::= SEQUENCE { x P {SEQUENCE OF T}, y P {SET OF T} }",
        "A ::= P {NULL} P {T} ::= SEQUENCE { x P {Q {T, T}} } Q {T, U} ::= SEQUENCE { t T, u U }",
    ] {
        let found = found(body);
        let [(message, _)] = &found[..] else { panic!("{body}: {found:?}") };
        assert_eq!(message, "types lie more than 200 deep within each other", "{body}");
    }
}

#[test]
fn a_name_that_nothing_defines_is_reported_once() {
    let body =
        "A ::= SEQUENCE { a Digits, b [1] Digits OPTIONAL } B ::= SEQUENCE OF Digits C ::= Digits";
    check(body, "\"Digits\" is not defined", 20);
    check("A ::= [n] NULL B ::= ENUMERATED { x(n), y(n) }", "\"n\" is not defined", 8);
}

#[test]
fn hints_say_what_was_probably_meant() {
    for (body, hint) in [
        (
            "A ::= BCDString",
            "ASN.1 has no such type; define it, for example BCDString ::= OCTET STRING",
        ),
        ("A ::= OCTETSTRING", "did you mean \"OCTET STRING\"?"),
        ("A ::= Digit Digits ::= NULL", "did you mean \"Digits\"?"),
        ("A ::= SEQUENCE { a NULL OPTINAL }", "did you mean \"OPTIONAL\"?"),
    ] {
        let text = format!("M DEFINITIONS ::= BEGIN {body} END");
        let found = diagnostics(&text);
        assert_eq!(found[0].hint.as_deref(), Some(hint), "{found:?}");
    }
    // The hint must not suggest the word that is already there.
    let found = diagnostics("M DEFINITIONS ::= BEGIN BEGIN A ::= NULL END");
    assert_eq!(found[0].hint, None, "{found:?}");
}

#[test]
fn headers_and_sections_for_other_encodings_are_passed_over_with_a_warning() {
    for (text, warnings) in [
        ("M DEFINITIONS XER INSTRUCTIONS AUTOMATIC TAGS ::= BEGIN A ::= NULL END", 1),
        ("M DEFINITIONS PER INSTRUCTIONS EXTENSIBILITY IMPLIED ::= BEGIN A ::= NULL END", 1),
        ("M DEFINITIONS TAG INSTRUCTIONS IMPLICIT TAGS ::= BEGIN A ::= NULL END", 0),
        ("M DEFINITIONS ::= BEGIN A ::= NULL ENCODING-CONTROL XER GLOBAL-DEFAULTS MODIFIED-ENCODINGS
          [ATTRIBUTE] A ENCODING-CONTROL PER B ::= { END", 2),
        ("M DEFINITIONS ::= BEGIN A ::= [XER:NAME AS \"x\"] [TAG: APPLICATION 3] [XER:UNTAGGED] NULL END", 2),
        ("M DEFINITIONS XER INSTRUCTIONS ::= BEGIN A ::= SEQUENCE { a [ATTRIBUTE] [0] NULL, b [LIST] B }
          B ::= NULL END", 1),
    ] {
        let found = diagnostics(text);
        let passed_over =
            found.iter().filter(|found| found.message.contains("passed over")).count();
        assert_eq!(passed_over, warnings, "{text}: {found:?}");
        assert!(!has_errors(&found), "{text}: {found:?}");
    }
}

#[test]
fn a_header_with_a_mistake_does_not_cost_the_module() {
    for (header, expected) in [
        (
            "M DEFINITIONS AUTOMATC TAGS ::= BEGIN",
            "expected how the module tags, or \"::=\" and \"BEGIN\", found \"AUTOMATC\"",
        ),
        (
            "M DEFINITIONS = BEGIN",
            "expected how the module tags, or \"::=\" and \"BEGIN\", found \"=\"",
        ),
        (
            "-- -- Module Name: CALLS-7\nM {1 2 3} DEFINITIONS ::= BEGIN",
            "expected a module, Name DEFINITIONS ::= BEGIN, found \"Module\"",
        ),
    ] {
        let found = diagnostics(&format!("{header} A ::= NULL END"));
        let [found] = &found[..] else { panic!("{header}: {found:?}") };
        assert_eq!(found.message, expected, "{header}");
    }
    let found = diagnostics("-- -- Module Name: CALLS-7\nM DEFINITIONS ::= BEGIN A ::= NULL END");
    assert_eq!(found[0].hint.as_deref(), Some("the comment before this ends at its second --"));
    for cut in 0..40 {
        let header = "M {1 2} DEFINITIONS XER INSTRUCTIONS ::=";
        diagnostics(&header[..cut]);
        diagnostics(&format!("{} IMPORTS A ::= NULL", &header[..cut]));
    }
}

#[test]
fn a_module_that_does_not_end_does_not_swallow_the_next() {
    let text = "M DEFINITIONS ::= BEGIN A ::= NULL N {1 2} DEFINITIONS ::= BEGIN B ::= A END";
    let (modules, found) = Modules::read(&[Source::new("m.asn1", text)]);
    assert_eq!(modules.type_names(), ["M.A", "N.B"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].message, "module \"M\" has no END");
}

#[test]
fn notation_that_a_rule_hides_is_warned_of() {
    let message = "this is read as a comment; by X.680 the comment before it is over";
    for (line, column) in [
        ("---- b [1] INTEGER,", 6),
        ("---- b INTEGER OPTIONAL", 6),
        ("---- b Digits", 6),
        ("-- once ------ B ::= NULL", 16),
        ("-------- b [1] NULL --", 10),
    ] {
        check(&format!("A ::= SEQUENCE {{\n{line}\n a NULL }}"), message, column);
    }
    for line in [
        "--------------------",
        "---- Part 3 --------",
        "---- The calls",
        "---- END OF CALLS --",
        "-- a ---- b [1] NULL",
        "-- a [1] INTEGER, --",
        "------ IMPORTS -----",
    ] {
        assert_eq!(found(&format!("A ::= SEQUENCE {{\n{line}\n a NULL }}")), [], "{line}");
    }
}

#[test]
fn messages_hold_nothing_that_a_terminal_obeys() {
    for text in ["\u{1b}[2J", "\u{202e}", "A ::= \"\u{1b}[2J\"", "A ::= '\u{1b}[2J'H", "\u{7}"] {
        for (message, _) in found(text) {
            assert!(!message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{message:?}");
        }
    }
    let long = "A".repeat(1_000_000);
    assert!(found(&format!("A ::= SEQUENCE {{ a NULL {long} }}"))[0].0.len() < 200);
}

#[test]
fn a_structure_has_so_many_components() {
    let count = asn1::limits::COMPONENTS_MAX;
    let components = |count: usize| {
        let each: Vec<String> =
            (0..count).map(|number| format!("a{number} [{number}] NULL")).collect();
        format!("A ::= CHOICE {{ {} }}", each.join(", "))
    };
    assert_eq!(found(&components(count)), []);
    let found = found(&components(count + 1));
    assert_eq!(found[0].0, format!("a structure has more than {count} components"));
}

#[test]
fn what_few_lines_ask_for_is_bounded() {
    let mut body = "A40 ::= SEQUENCE {} ".to_owned();
    for level in 0..40 {
        let next = level + 1;
        body +=
            &format!("A{level} ::= SEQUENCE {{ COMPONENTS OF A{next}, COMPONENTS OF A{next} }} ");
    }
    let found = found(&body);
    assert_eq!(found[0].0, "these modules have more than 2000000 components", "{found:?}");
    // Deeply nested optional groups.
    let groups = format!("{}&id{}", "[ ".repeat(100_000), " ]".repeat(100_000));
    diagnostics(&format!(
        "M DEFINITIONS ::= BEGIN C ::= CLASS {{ &id INTEGER }} WITH SYNTAX {{ {groups} }} S C ::= {{ {{ 1 }} }} END"
    ));
    // Long chains of object sets and of modules.
    let mut sets = "R ::= SEQUENCE { id C.&id ({S0}), value C.&Type ({S0}{@id}) }
        C ::= CLASS { &id INTEGER UNIQUE, &Type } "
        .to_owned();
    let mut modules = String::new();
    for number in 0..30_000 {
        let next = number + 1;
        sets += &format!("S{number} C ::= {{ S{next} }} ");
        modules += &format!("M{number} DEFINITIONS ::= BEGIN IMPORTS T FROM M{next}; A ::= T END ");
    }
    diagnostics(&format!("M DEFINITIONS ::= BEGIN {sets} END"));
    let (modules, _) = Modules::read(&[Source::new("m.asn1", modules)]);
    assert!(Resolver::new(&modules).resolve("M0.A").is_err());
}

#[test]
fn constraints_of_every_form_are_read() {
    for constraint in [
        "INTEGER (0 | 2..4 | 6<..<MAX, ..., -5 .. MIN ! 3)",
        "INTEGER (ALL EXCEPT 5)",
        "INTEGER ((1..9) EXCEPT (3 | 4) ^ (2..5) UNION 7 INTERSECTION 7)",
        "INTEGER (1..9)(2..5)",
        "INTEGER (B | INCLUDES B)",
        "IA5String (SIZE (1..20, ...) ^ FROM (\"a\"..\"z\" | \"0\"))",
        "UTF8String (PATTERN \"[a-z]+\")",
        "TIME (SETTINGS \"Basic=Date Date=YMD\")",
        "OCTET STRING (CONTAINING B)",
        "OCTET STRING (CONTAINING B ENCODED BY {1 2 3})",
        "OCTET STRING (CONSTRAINED BY {-- as clause 7 says -- B})",
        "SEQUENCE SIZE (0..max) OF INTEGER (0..9)",
        "SET (SIZE (max)) OF NULL",
        "SEQUENCE OF IA5String (WITH COMPONENT (SIZE (2)))",
        "D (WITH COMPONENTS {..., a (0..5) PRESENT, b ABSENT, c OPTIONAL})",
        "D (WITH COMPONENTS {a, b (1)})",
        "BOOLEAN (TRUE) ",
        "REAL (MINUS-INFINITY | 0 | {mantissa 1, base 10, exponent 2})",
        "E (a : 5 | b : TRUE)",
        "OBJECT IDENTIFIER ({1 2 3} | {iso 4})",
        "INTEGER (1..9 ! INTEGER : 5)",
    ] {
        let body = format!(
            "A ::= {constraint} B ::= INTEGER D ::= SEQUENCE {{ a INTEGER, b INTEGER, c NULL OPTIONAL }}
             E ::= CHOICE {{ a [0] INTEGER, b [1] BOOLEAN }} max INTEGER ::= 5"
        );
        assert_eq!(found(&body), [], "{constraint}");
    }
}

#[test]
fn a_mistake_in_a_constraint_is_reported_where_it_is() {
    check("A ::= INTEGER (1..)", "expected a value, found \")\"", 19);
    check("A ::= INTEGER ()", "expected a value, a range or a type, found \")\"", 16);
    check("A ::= INTEGER (1 2)", "expected \")\", found \"2\"", 18);
    check("A ::= INTEGER (1, 2)", "expected \"...\", found \"2\"", 19);
    check("A ::= IA5String (SIZE 5)", "expected \"(\", found \"5\"", 23);
    check("A ::= OCTET STRING (CONSTRAINED {})", "expected \"BY\", found \"{\"", 33);
    check("A ::= B ({S}{id})", "expected \"@\", found \"id\"", 14);
    check("A ::= INTEGER (ALL 5)", "expected \"EXCEPT\", found \"5\"", 20);
    check("A ::= B (WITH COMPONENTS {a PRESENT b})", "expected \"}\", found \"b\"", 37);
}

#[test]
fn an_import_that_leads_nowhere_matters_only_to_what_uses_it() {
    let text = "M DEFINITIONS ::= BEGIN IMPORTS X FROM Missing; A ::= NULL B ::= X END";
    let (modules, found) = Modules::read(&[Source::new("m.asn1", text)]);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.message.starts_with("module \"Missing\" was not given"), "{found}");
    let mut resolver = Resolver::new(&modules);
    assert!(resolver.resolve("M.A").is_ok());
    let wrong = resolver.resolve("M.B").unwrap_err();
    let message = "\"X\" is imported from module \"Missing\", which was not given";
    assert_eq!(wrong[0].message, message);
}

#[test]
fn latin_1_is_read_with_a_warning_where_it_first_shows() {
    let text = b"M DEFINITIONS ::= BEGIN\n-- Geb\xfchr\nA ::= NULL END";
    let (modules, found) = Modules::read(&[Source::forgiven("m.asn1", text.to_vec()).unwrap()]);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.to_string().starts_with("m.asn1:2:7: warning: this is no UTF-8"), "{found}");
    assert!(Resolver::new(&modules).resolve("A").is_ok());
}

#[test]
fn one_name_in_two_modules_is_two_types() {
    let text = "M DEFINITIONS ::= BEGIN T ::= NULL END N DEFINITIONS ::= BEGIN T ::= BOOLEAN END";
    let (modules, _) = Modules::read(&[Source::new("m.asn1", text)]);
    let mut resolver = Resolver::new(&modules);
    assert_ne!(resolver.resolve("M.T"), resolver.resolve("N.T"));
    assert!(resolver.resolve("T").unwrap_err()[0].message.contains("several modules define"));
}

#[test]
fn lists_without_a_name_are_one_type_where_their_elements_are() {
    let text = "M DEFINITIONS IMPLICIT TAGS ::= BEGIN A ::= SEQUENCE { x [0] SEQUENCE OF E, y SEQUENCE OF E,
        z [2] SET OF E, t [3] SEQUENCE OF [0] E } E ::= SEQUENCE { again [0] SEQUENCE OF E } END";
    let (modules, _) = Modules::read(&[Source::new("m.asn1", text)]);
    let mut resolver = Resolver::new(&modules);
    let a = resolver.resolve("A").expect("it has no mistakes");
    let schema = &resolver.specification().schema;
    let types: Vec<_> = schema.kind(a).fields().iter().map(|field| field.ty).collect();
    let again = schema.kind(schema.find("M.E").expect("it is there")).fields()[0].ty;
    assert_eq!((types[0], types[0]), (types[1], again));
    assert!(types[0] != types[2] && types[0] != types[3]);
    assert_eq!(schema.get(types[0]).name, "SEQUENCE OF M.E");
}

#[test]
fn brackets_that_close_nothing_do_not_stop_the_reading() {
    let _ = found("A ::= B ({ ]] ] ) } C");
    let _ = found("A {B} ::= { [[ ] ] ) )");
}

#[test]
fn every_mistake_of_a_module_is_shown_at_once_with_its_place_and_line() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let (modules, mut found) = Modules::read(&[Source::new("calls.asn1", read("calls.asn1"))]);
    let mut resolver = Resolver::new(&modules);
    for name in modules.type_names() {
        found.extend(resolver.resolve(&name).err().into_iter().flatten());
    }
    let shown: String = found.iter().map(|found| format!("{found}\n\n")).collect();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(folder.join("calls.txt"), &shown).expect("it can be written");
    }
    assert_eq!(shown, read("calls.txt"));
}
