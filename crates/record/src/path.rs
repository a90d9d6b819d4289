//! Paths such as `services[0].type`. The text is resolved to steps once; the steps find a slot in every record.

use crate::arena::{Memory, Record, SlotIndex};
use crate::schema::{Kind, Schema, TypeId};

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a component of a SEQUENCE or SET of `fields` components.
    Component {
        /// The index of the component.
        place: usize,
        /// The number of the structure's components.
        fields: usize,
    },
    /// To an alternative of a CHOICE.
    Alternative(usize),
    /// To an element of a list, counted from 0.
    Element(usize),
}

/// The path from a record to one of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    steps: Vec<Step>,
    /// The types whose values are read on the way.
    entered: Vec<TypeId>,
    ty: TypeId,
}

/// The reason why a path leads nowhere in a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A structure has no component, or a choice no alternative, with this name.
    #[error("\"{ty}\" has no field \"{name}\"")]
    NoField {
        /// The type of the structure or choice.
        ty: String,
        /// The missing name.
        name: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// `[n]` after a value that is not a list.
    #[error("\"{ty}\" is not a list, so \"[{position}]\" has no meaning")]
    NotAList {
        /// The type of the value.
        ty: String,
        /// The given position.
        position: String,
    },
    /// The text is not a path.
    #[error("\"{text}\" is not a path; write field.field[0].field")]
    Malformed {
        /// The text.
        text: String,
    },
}

impl Path {
    /// Resolves the text of a path, `field.field[0].field`, within a type.
    pub fn resolve(schema: &Schema, ty: TypeId, text: &str) -> Result<Self, PathError> {
        let malformed = || PathError::Malformed { text: text.to_owned() };
        let mut path = Path { steps: Vec::new(), entered: Vec::new(), ty };
        for part in text.split('.') {
            let (name, positions) = part.split_at(part.find('[').unwrap_or(part.len()));
            if name.is_empty() {
                return Err(malformed());
            }
            path.enter_field(schema, name)?;
            for position in positions.split_inclusive(']') {
                let digits = position.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                path.enter_element(schema, digits.ok_or_else(malformed)?)?;
            }
        }
        Ok(path)
    }

    fn enter_field(&mut self, schema: &Schema, name: &str) -> Result<(), PathError> {
        let ty = schema.get(self.ty);
        let Some(place) = ty.kind.field(name) else {
            let known = ty.kind.fields().iter().map(|field| field.name.clone()).collect();
            return Err(PathError::NoField { ty: ty.name.clone(), name: name.to_owned(), known });
        };
        let fields = ty.kind.fields();
        self.steps.push(match ty.kind {
            Kind::Choice(_) => Step::Alternative(place),
            _ => Step::Component { place, fields: fields.len() },
        });
        self.entered.push(self.ty);
        self.ty = fields[place].ty;
        Ok(())
    }

    fn enter_element(&mut self, schema: &Schema, position: &str) -> Result<(), PathError> {
        let ty = schema.get(self.ty);
        match (ty.kind.element(), position.parse()) {
            (Some(element), Ok(index)) => {
                self.steps.push(Step::Element(index));
                self.entered.push(self.ty);
                self.ty = element;
                Ok(())
            }
            (None, Ok(_)) => {
                Err(PathError::NotAList { ty: ty.name.clone(), position: position.to_owned() })
            }
            (_, Err(_)) => Err(PathError::Malformed { text: format!("[{position}]") }),
        }
    }

    /// Returns the type of the value that the path leads to.
    pub fn ty(&self) -> TypeId {
        self.ty
    }

    /// Returns the types whose values are read on the way.
    pub fn entered(&self) -> &[TypeId] {
        &self.entered
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the index of a component of the record itself, if the path leads to one.
    pub fn component(&self) -> Option<usize> {
        match *self.steps {
            [Step::Component { place, .. }] => Some(place),
            _ => None,
        }
    }

    /// Returns the number at the path's end in a record; `None` if there is none, or a value on the way is absent.
    pub fn number(&self, memory: &Memory<'_>, record: Record) -> Option<i64> {
        memory.number(self.find(memory, record)?).ok()
    }

    /// Returns the slot at the path's end in a record; `None` if a value on the way is absent.
    #[inline]
    pub fn find(&self, memory: &Memory<'_>, record: Record) -> Option<SlotIndex> {
        let mut at = record.root;
        for step in &self.steps {
            at = match *step {
                Step::Component { place, .. } => memory.component(at, place)?,
                Step::Alternative(place) => memory
                    .chosen(at)
                    .and_then(|(chosen, value)| (chosen == place).then_some(value))?,
                Step::Element(position) => memory.element(at, position)?,
            };
        }
        memory.slot(at).is_present().then_some(at)
    }

    /// Returns whether a CHOICE on the way has another alternative, which [`make`](Self::make) would replace.
    pub fn is_taken(&self, memory: &Memory<'_>, record: Record) -> bool {
        let mut at = record.root;
        for step in &self.steps {
            let next = match *step {
                Step::Component { place, .. } => memory.component(at, place),
                Step::Alternative(place) => match memory.chosen(at) {
                    Some((chosen, _)) if chosen != place => return true,
                    chosen => chosen.map(|(_, value)| value),
                },
                Step::Element(position) => memory.element(at, position),
            };
            let Some(next) = next else { return false };
            at = next;
        }
        false
    }

    /// Returns the slot at the path's end for writing: creates missing values on the way, and marks them as changed. A
    /// list is filled up with absent elements.
    pub fn make(&self, memory: &mut Memory<'_>, record: Record) -> SlotIndex {
        let mut at = record.root;
        for step in &self.steps {
            at = match *step {
                Step::Component { place, fields } => {
                    SlotIndex(memory.make_structure(at, fields).0 + place as u32)
                }
                Step::Alternative(place) => memory.make_choice(at, place),
                Step::Element(position) => {
                    memory.make_list(at);
                    while memory.count(at) <= position {
                        memory.append(at);
                    }
                    memory.element(at, position).expect("appended above")
                }
            };
        }
        at
    }
}
