//! Lowers paths. The steps are the same for reading (an absent slot is an error), testing (it is a jump) and writing
//! (it is created).

use record::{Default, Kind};

use super::Lowering;
use crate::class::Class;
use crate::code::{Instruction as I, Register};
use crate::typed::{Place, Root, Step, StepWhat, Storage};

impl Lowering<'_> {
    /// Returns the register with the slot at the beginning of a path, or with the value of a variable in a register.
    fn root(&mut self, place: &Place) -> Register {
        match &place.root {
            Root::Variable(variable) => *variable as Register,
            Root::Result(result) => self.expression(result),
        }
    }

    /// Returns the slot of a place, for reading.
    pub(super) fn slot(&mut self, place: &Place) -> Register {
        let root = self.root(place);
        self.descend(root, &place.steps)
    }

    fn descend(&mut self, mut of: Register, steps: &[Step]) -> Register {
        for step in steps {
            let to = self.register();
            let instruction = match &step.what {
                StepWhat::Component { place, .. } => I::Component { to, of, place: *place },
                StepWhat::Alternative(place) => I::Alternative { to, of, place: *place },
                StepWhat::Element(position) => {
                    let position = self.expression(position);
                    I::Element { to, of, position }
                }
            };
            self.span = step.span;
            self.emit(instruction);
            of = to;
        }
        of
    }

    /// Returns the slot of a place, for writing.
    pub(super) fn made_slot(&mut self, place: &Place) -> Register {
        let mut of = self.root(place);
        for step in &place.steps {
            let to = self.register();
            let instruction = match &step.what {
                StepWhat::Component { place, fields, .. } => {
                    I::MakeComponent { to, of, place: *place, fields: *fields }
                }
                StepWhat::Alternative(place) => I::MakeAlternative { to, of, place: *place },
                StepWhat::Element(position) => {
                    let position = self.expression(position);
                    I::MakeElement { to, of, position }
                }
            };
            self.span = step.span;
            self.emit(instruction);
            of = to;
        }
        of
    }

    /// Returns the slot of a place. Jumps if a slot on the way is absent. The slot itself may be absent.
    pub(super) fn tried_slot(
        &mut self,
        place: &Place,
        jumps: &mut Vec<usize>,
        touch: bool,
    ) -> Register {
        let mut of = self.root(place);
        for step in &place.steps {
            let to = self.register();
            let target = 0;
            let instruction = match &step.what {
                StepWhat::Component { place, .. } => {
                    I::TryComponent { to, of, place: *place, target }
                }
                StepWhat::Alternative(place) => I::TryAlternative { to, of, place: *place, target },
                StepWhat::Element(position) => {
                    let position = self.expression(position);
                    I::TryElement { to, of, position, target }
                }
            };
            self.span = step.span;
            jumps.push(self.emit(instruction));
            if touch {
                self.emit(I::Touch { slot: of });
            }
            of = to;
        }
        of
    }

    /// Continues if a place is present, otherwise jumps.
    pub(super) fn unless_present(&mut self, place: &Place, jumps: &mut Vec<usize>) {
        let last = place.steps.split_last().map(|(last, before)| (&last.what, before));
        if let Some((StepWhat::Component { place: component, .. }, before)) = last {
            let of = Place { steps: before.to_vec(), ..place.clone() };
            let of = self.tried_slot(&of, jumps, false);
            jumps.push(self.emit(I::JumpIfNoComponent { of, place: *component, target: 0 }));
            return;
        }
        let slot = self.tried_slot(place, jumps, false);
        jumps.push(self.emit(I::JumpIfAbsent { slot, target: 0 }));
    }

    /// Emits a copy from component to component, if both places are such. Returns whether it did.
    pub(super) fn copy_component(&mut self, source: &Place, target: &Place) -> bool {
        let small = |number: u16| u8::try_from(number).ok();
        let (Some((from_last, from_before)), Some((to_last, to_before))) =
            (source.steps.split_last(), target.steps.split_last())
        else {
            return false;
        };
        let (
            StepWhat::Component { place: from_place, default: None, .. },
            StepWhat::Component { place: to_place, fields, .. },
        ) = (&from_last.what, &to_last.what)
        else {
            return false;
        };
        let (Some(from_place), Some(to_place), Some(fields)) =
            (small(*from_place), small(*to_place), small(*fields))
        else {
            return false;
        };
        let root = self.root(source);
        let from = self.descend(root, from_before);
        let to = self.made_slot(&Place { steps: to_before.to_vec(), ..target.clone() });
        self.span = source.span;
        self.emit(I::CopyComponent { to, to_place, fields, from, from_place });
        true
    }

    /// Returns the register with the value of a place, or with the slot of a structure.
    pub(super) fn read(&mut self, place: &Place) -> Register {
        let class = self.class(place.ty);
        if !class.is_scalar() {
            return self.slot(place);
        }
        let root = self.root(place);
        let Some((last, before)) = place.steps.split_last() else {
            return self.read_variable(place, root, class);
        };
        let of = self.descend(root, before);
        let to = self.register();
        self.span = last.span;
        match &last.what {
            StepWhat::Component { place: component, default, .. } => {
                let component = *component;
                match (default, class) {
                    (Some(default), _) => self.read_default(to, of, component, default, class),
                    (None, Class::Octets) => {
                        self.emit(I::ComponentOctets { to, of, place: component });
                    }
                    (None, Class::Boolean) => {
                        self.emit(I::Component { to, of, place: component });
                        self.emit(I::ReadBoolean { to, slot: to });
                    }
                    (None, _) => {
                        self.emit(I::ComponentNumber { to, of, place: component });
                    }
                }
            }
            _ => {
                let slot = self.descend(of, std::slice::from_ref(last));
                self.read_slot(to, slot, class);
            }
        }
        to
    }

    fn read_variable(&mut self, place: &Place, root: Register, class: Class) -> Register {
        let in_slot = match place.root {
            Root::Variable(variable) => self.function.variables[variable].storage == Storage::Slot,
            Root::Result(_) => false,
        };
        if !in_slot {
            return root;
        }
        let to = self.register();
        self.span = place.span;
        self.read_slot(to, root, class);
        to
    }

    fn read_slot(&mut self, to: Register, slot: Register, class: Class) {
        self.emit(match class {
            Class::Octets => I::ReadOctets { to, slot },
            Class::Boolean => I::ReadBoolean { to, slot },
            _ => I::ReadNumber { to, slot },
        });
    }

    /// Reads a component with a DEFAULT: if it is absent, its value is the default.
    fn read_default(
        &mut self,
        to: Register,
        of: Register,
        place: u16,
        default: &Default,
        class: Class,
    ) {
        let slot = self.register();
        self.emit(I::Component { to: slot, of, place });
        let absent = self.emit(I::JumpIfAbsent { slot, target: 0 });
        self.read_slot(to, slot, class);
        let done = self.emit(I::Jump { target: 0 });
        self.land(&[absent]);
        match default {
            Default::Integer(number) => self.number(to, *number),
            Default::Octets(octets) => {
                let constant = self.pool.string(octets);
                self.emit(I::Constant { to, constant });
            }
            // The schema does not hold this value, so reading it reports an absent field.
            Default::EmptyList | Default::Other => self.read_slot(to, slot, class),
        }
        self.land(&[done]);
    }

    /// Copies the value at another place into a slot.
    pub(super) fn copy_slot(
        &mut self,
        to: Register,
        from: Register,
        source: &Place,
        target: &Place,
    ) {
        let class = self.class(source.ty);
        let is_leaf = !class.is_composite();
        if is_leaf {
            self.emit(I::CopyLeaf { to, from });
        } else if source.ty == target.ty {
            let ty = self.pool.ty(source.ty);
            self.emit(I::Copy { to, from, ty });
        } else {
            let pair = self.pool.pair(source.ty, target.ty);
            self.emit(I::Convert { to, from, pair });
        }
    }

    /// Returns whether two types have the same octets for the same value, so that they can be copied without decoding.
    pub(super) fn same_octets(&self, source: &Place, target: &Place) -> bool {
        let has_default = source
            .steps
            .last()
            .is_some_and(|step| matches!(&step.what, StepWhat::Component { default: Some(_), .. }));
        let (from, to) = (self.schema.kind(source.ty), self.schema.kind(target.ty));
        let alike = match (from, to) {
            (Kind::Integer { .. }, Kind::Integer { .. })
            | (Kind::Enumerated { .. }, Kind::Enumerated { .. })
            | (Kind::Boolean, Kind::Boolean) => true,
            _ => crate::class::Class::of(self.schema, source.ty) == Class::Octets,
        };
        alike && !has_default
    }
}
