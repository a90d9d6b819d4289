//! The typed intermediate form as text: one line per instruction, beside the text of the script it was made from.
//!
//! `r3` is a register. For a slot in a register, `r0.10` is component 10 of a structure, `r0:2` alternative 2 of a
//! CHOICE, `r0[r4]` an element of a list. `@7` is the target of a jump.

use std::fmt;

use crate::code::{Function, Instruction as I, Program, Register};
use crate::syntax::{Arithmetic, Comparison};
use crate::tariff::Wanted;

/// An instruction as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The line of the script it was made from.
    pub line: usize,
    /// The instruction.
    pub text: String,
    /// The text of the script it was made from, on one line.
    pub about: String,
}

impl Program {
    /// Returns the instructions of a function in order.
    pub fn listing(&self, function: usize) -> Vec<Listed> {
        let code = &self.codes[function];
        let listed = |(instruction, span): (&I, &diagnostics::Span)| Listed {
            line: self.source.place(span.start).line,
            text: Shown(*instruction, self).to_string(),
            about: self.slice(*span),
        };
        code.instructions.iter().zip(&code.spans).map(listed).collect()
    }
}

/// An instruction of a program, to be formatted.
struct Shown<'p>(I, &'p Program);

impl Shown<'_> {
    fn ty(&self, place: u16) -> &str {
        let Shown(_, program) = self;
        &program.schema.get(program.pool.types[usize::from(place)]).name
    }

    fn called(&self, name: &str, base: Register, count: usize) -> String {
        let arguments = (0..count).map(|place| format!("r{}", usize::from(base) + place));
        format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
    }
}

/// Formats the targets of a switch.
fn switch<K: fmt::Display>(targets: impl Iterator<Item = (K, u16)>, otherwise: u16) -> String {
    let cases: Vec<_> = targets.map(|(label, target)| format!("{label} @{target}")).collect();
    format!("{}, else @{otherwise}", cases.join(", "))
}

fn quoted(octets: &[u8]) -> String {
    format!("\"{}\"", octets.escape_ascii())
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(instruction, program) = self;
        let pool = &program.pool;
        match *instruction {
            I::Number { to, value } => write!(out, "r{to} := {value}"),
            I::Constant { to, constant } => write!(out, "r{to} := constant {constant}"),
            I::Move { to, from } => write!(out, "r{to} := r{from}"),
            I::Arithmetic { operator, to, left, right } => {
                write!(out, "r{to} := r{left} {} r{right}", arithmetic(operator))
            }
            I::Negate { to, from } => write!(out, "r{to} := -r{from}"),
            I::Not { to, from } => write!(out, "r{to} := not r{from}"),
            I::Compare { operator, to, left, right } => {
                write!(out, "r{to} := r{left} {} r{right}", comparison(operator))
            }
            I::CompareOctets { operator, to, left, right } => {
                write!(out, "r{to} := octets r{left} {} r{right}", comparison(operator))
            }
            I::InNumbers { to, value, set } => {
                let ranges = pool.number_sets[usize::from(set)].iter();
                let ranges = ranges.map(|(first, last)| match first == last {
                    true => first.to_string(),
                    false => format!("{first}..{last}"),
                });
                let ranges = ranges.collect::<Vec<_>>().join(", ");
                write!(out, "r{to} := r{value} in {{{ranges}}}")
            }
            I::InOctets { to, value, set } => {
                let members = pool.octet_sets[usize::from(set)].iter();
                let members = members.map(|member| quoted(member)).collect::<Vec<_>>().join(", ");
                write!(out, "r{to} := octets r{value} in {{{members}}}")
            }
            I::Jump { target } => write!(out, "jump @{target}"),
            I::Turn { target } => write!(out, "turn @{target}"),
            I::JumpUnless { value, target } => write!(out, "unless r{value} jump @{target}"),
            I::JumpUnlessCompare { operator, left, right, target } => {
                write!(out, "unless r{left} {} r{right} jump @{target}", comparison(operator))
            }
            I::Switch { value, table } => {
                let table = &pool.switches[usize::from(table)];
                let to = switch(table.targets.iter().copied(), table.otherwise);
                write!(out, "switch r{value}: {to}")
            }
            I::SwitchOctets { value, table } => {
                let table = &pool.octet_switches[usize::from(table)];
                let targets = table.targets.iter().map(|(label, to)| (quoted(label), *to));
                write!(out, "switch octets r{value}: {}", switch(targets, table.otherwise))
            }
            I::Chosen { to, choice } => write!(out, "r{to} := chosen r{choice}"),
            I::Call { function, base, to } => {
                let Function { name, parameters, .. } = &program.functions[usize::from(function)];
                write!(out, "r{to} := {}", self.called(name, base, parameters.len()))
            }
            I::Return { value } => write!(out, "return r{value}"),
            I::CallBuiltIn { function, base, count, to } => {
                let name = pool.built_ins[usize::from(function)].name;
                write!(out, "r{to} := {}", self.called(name, base, count.into()))
            }
            I::New { to } => write!(out, "r{to} := new"),
            I::Component { to, of, place } => write!(out, "r{to} := r{of}.{place}"),
            I::Alternative { to, of, place } => write!(out, "r{to} := r{of}:{place}"),
            I::Element { to, of, position } => write!(out, "r{to} := r{of}[r{position}]"),
            I::TryComponent { to, of, place, target } => {
                write!(out, "r{to} := r{of}.{place}, else @{target}")
            }
            I::TryAlternative { to, of, place, target } => {
                write!(out, "r{to} := r{of}:{place}, else @{target}")
            }
            I::TryElement { to, of, position, target } => {
                write!(out, "r{to} := r{of}[r{position}], else @{target}")
            }
            I::JumpIfAbsent { slot, target } => {
                write!(out, "unless present r{slot} jump @{target}")
            }
            I::JumpIfNoComponent { of, place, target } => {
                write!(out, "unless present r{of}.{place} jump @{target}")
            }
            I::MakeComponent { to, of, place, .. } => write!(out, "r{to} := make r{of}.{place}"),
            I::MakeAlternative { to, of, place } => write!(out, "r{to} := make r{of}:{place}"),
            I::MakeElement { to, of, position } => {
                write!(out, "r{to} := make r{of}[r{position}]")
            }
            I::ReadNumber { to, slot } => write!(out, "r{to} := number r{slot}"),
            I::ReadBoolean { to, slot } => write!(out, "r{to} := boolean r{slot}"),
            I::ReadOctets { to, slot } => write!(out, "r{to} := octets r{slot}"),
            I::ComponentNumber { to, of, place } => write!(out, "r{to} := number r{of}.{place}"),
            I::ComponentOctets { to, of, place } => write!(out, "r{to} := octets r{of}.{place}"),
            I::WriteNumber { slot, from } => write!(out, "write number r{slot} := r{from}"),
            I::WriteOctets { slot, from } => write!(out, "write octets r{slot} := r{from}"),
            I::WriteNull { slot } => write!(out, "write null r{slot}"),
            I::CopyLeaf { to, from } => write!(out, "copy r{to} := r{from}"),
            I::CopyComponent { to, to_place, from, from_place, .. } => {
                write!(out, "copy r{to}.{to_place} := r{from}.{from_place}")
            }
            I::Copy { to, from, ty } => write!(out, "copy {} r{to} := r{from}", self.ty(ty)),
            I::Convert { to, from, pair } => {
                let (source, target) = pool.pairs[usize::from(pair)];
                let name = |ty| &program.schema.get(ty).name;
                write!(out, "convert {} r{to} := {} r{from}", name(target), name(source))
            }
            I::Delete { slot } => write!(out, "delete r{slot}"),
            I::Touch { slot } => write!(out, "changed r{slot}"),
            I::Remove { list, position } => write!(out, "remove r{list}[r{position}]"),
            I::Count { to, slot } => write!(out, "r{to} := count r{slot}"),
            I::Check { value, alphabet } => write!(out, "check {} r{value}", alphabet.name()),
            I::NameOf { to, value, ty } => write!(out, "r{to} := name {} r{value}", self.ty(ty)),
            I::Lookup { to, key, column, target } => {
                let column = pool.columns[usize::from(column)];
                let path = program.tables[column.table].path();
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let how = if column.exact { "lookup" } else { "prefix" };
                let column = column.column;
                write!(out, "r{to} := {how} {file} column {column} of r{key}, else @{target}")
            }
            I::NotFound { key } => write!(out, "fault: no row of r{key}"),
            I::Ask { to, usage, question, target } => {
                let wanted = match pool.questions[usize::from(question)].wanted {
                    Wanted::Class => "tariff class",
                    Wanted::Price { .. } => "rate",
                };
                write!(out, "r{to} := {wanted} of r{usage}, else @{target}")
            }
            I::NoTariff { usage, .. } => write!(out, "fault: no tariff of r{usage}"),
            I::Emit { slot, ty } => write!(out, "emit {} r{slot}", self.ty(ty)),
            I::Reject { reason } => write!(out, "reject r{reason}"),
            I::Assert { value } => write!(out, "assert r{value}"),
        }
    }
}

fn arithmetic(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
        Arithmetic::Or => "|",
    }
}

fn comparison(operator: Comparison) -> &'static str {
    match operator {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::Greater => ">",
        Comparison::LessOrEqual => "<=",
        Comparison::GreaterOrEqual => ">=",
    }
}
