//! Random scripts that compile, and random records for them.

use std::fmt::Write as _;

use asn1::Plan;
use asn1::ber::Encoder;
use record::{Arena, Kind, Memory, SlotIndex, TypeId, integer_octets};

use crate::common::aliases::{self, Scope};

/// Makes decisions from random octets. When they are used up, all decisions are 0, so that everything ends.
pub(crate) struct Dice<'d>(pub(crate) &'d [u8]);

impl Dice<'_> {
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % sides
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn octets(&mut self) -> Vec<u8> {
        let count = self.below(12).min(self.0.len());
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken.to_vec()
    }

    fn number(&mut self) -> i64 {
        match self.below(24) {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => -1,
            3 => 0,
            4..=15 => self.below(7) as i64,
            _ => {
                let octets = self.octets();
                let octets = &octets[..octets.len().min(8)];
                octets.iter().fold(0, |sum: i64, octet| sum << 8 | i64::from(*octet))
            }
        }
    }
}

/// Returns a script whose first function is a formatter `NULL f(in CONST Call, out Bill)`, or one that changes a Call.
pub(crate) fn script(dice: &mut Dice<'_>) -> String {
    let changes = dice.below(4) == 0;
    let (head, scope) = match changes {
        true => ("NULL f(in Call)", aliases::CHANGER),
        false => ("NULL f(in CONST Call, out Bill)", aliases::FORMATTER),
    };
    let mut text = Writer::new(dice, changes, scope).function(head);
    for (head, scope) in aliases::CALLED {
        if calls(&text, head) {
            text += &Writer::new(dice, true, *scope).function(head);
        }
    }
    for helper in HELPERS.iter().chain(aliases::HELPERS) {
        if calls(&text, helper) {
            text += helper;
        }
    }
    if text.contains("fjord") {
        text += TARIFF;
    }
    text + TABLES
}

/// Returns whether a text calls the function that another text begins with.
fn calls(text: &str, function: &str) -> bool {
    let name = function.split([' ', '(']).nth(1).expect("a type, then a name");
    text.contains(&format!("{name}("))
}

/// Returns a function that is not called, and so long that the program's machine code is made short.
pub(crate) fn padding() -> String {
    let lines = "  x += x % 7; x -= x / 3; x := x + 1;\n".repeat(150);
    format!(
        "INTEGER padded(n CONST INTEGER)\n{{\n  declare x INTEGER := n;\n{lines}  return x;\n}}\n"
    )
}

const TABLES: &str = "
declare zones TABLE \"zones.csv\";
declare names TABLE \"names.csv\";
";

const TARIFF: &str = "declare fjord TARIFF \"../../../../examples/tariff\" WITHOUT COUNTERS;\n";

const HELPERS: &[&str] = &[
    "TariffUsage usageOf(call CONST Call, n CONST INTEGER)
{
  declare usage TariffUsage;
  usage.service := \"telephony\";
  usage.served := \"0701234567\";
  if (present(call.called)) { usage.other := digits(call.called); } else { usage.other := \"0721234567\"; }
  usage.start := 1780315200 + n;
  usage.duration := call.seconds;
  return usage;
}
",
    "INTEGER g(n CONST INTEGER, call CONST Call)
{
  if (n > 3) { return n - count(call.services); }
  return g(n + 1, call) * 2 + call.seconds % 7;
}
",
    "UTF8String name(place CONST Place, other CONST INTEGER)
{
  if (other == 0) { return \"none\"; }
  return concat(hex(place.area), toString(place.cell / other));
}
",
    "NULL raise(n INTEGER) { n += 1; }
",
    "INTEGER both(x CONST Call, y Call)
{
  declare n INTEGER := x.seconds;
  y.seconds := n - 1;
  if (present(x.place)) { delete y.place; y.services[count(x.services)].code := n; }
  if (present(x.place)) { return 1; }
  return x.seconds % 100 + count(x.services);
}
",
    "NULL deeper(x Tree)
{
  if (present(x.child)) { x.child.n := 3; x.children[count(x.children)] := x.child; }
  else { x.n := 2; x.child := x; }
}
",
];

struct Writer<'w, 'd> {
    dice: &'w mut Dice<'d>,
    out: String,
    depth: usize,
    /// Whether the function changes its record, and creates no other.
    changes: bool,
    /// What the function's statements can name.
    scope: Scope,
    loops: usize,
    /// Whether a loop encloses this place, for `break` and `continue`.
    breaks: bool,
    continues: bool,
}

impl<'w, 'd> Writer<'w, 'd> {
    fn new(dice: &'w mut Dice<'d>, changes: bool, scope: Scope) -> Self {
        let (out, depth, loops) = (String::new(), 0, 0);
        Writer { dice, out, depth, changes, scope, loops, breaks: false, continues: false }
    }

    fn function(mut self, head: &str) -> String {
        self.out.push_str(head);
        self.out
            .push_str("\n{\n  declare a, b INTEGER := 1;\n  declare i, j, k, m INTEGER := 0;\n");
        self.out.push_str(
            "  declare s, t UTF8String := \"text\";\n  declare o OCTET STRING := '0102'H;\n",
        );
        self.out.push_str("  declare p Place;\n  declare list SEQUENCE OF INTEGER;\n");
        self.out.push_str("  declare c Call := in;\n");
        if !self.changes {
            self.out.push_str("  out.seconds := 0;\n");
        }
        for _ in 0..4 + self.dice.below(14) {
            self.statement();
        }
        // Make what was read observable.
        self.out.push_str(match self.changes {
            true => "  in.seconds := a; in.priority := b; in.note := s; in.caller := o;\n}\n",
            false => "  out.seconds := a; out.tree.n := b; out.text := s; out.caller := o;\n}\n",
        });
        self.out
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth + 1));
    }

    fn block(&mut self, statements: usize) {
        self.depth += 1;
        for _ in 0..statements {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        match self.dice.below(5) {
            0 => self.other_statement(),
            _ => self.aliases(),
        }
    }

    /// Writes some of [`aliases`] about one thing, nearly always where it is present.
    fn aliases(&mut self) {
        let subjects: Vec<_> = self.scope.subjects.iter().copied().flatten().collect();
        let subject = subjects[self.dice.below(subjects.len())];
        let (call, position) = (self.dice.one_of(self.scope.calls), self.position());
        let about = |text: &str| text.replace("$call", call).replace("$position", &position);
        let guarded = !subject.is_there.is_empty() && self.dice.below(12) != 0;
        if guarded {
            self.line(&format!("if ({}) {{", about(subject.is_there)));
        }
        for _ in 0..1 + self.dice.below(4) {
            let statement = about(self.dice.one_of(subject.statements));
            self.numbered(&statement);
        }
        if !subject.last.is_empty() && self.dice.below(2) == 0 {
            let last = about(self.dice.one_of(subject.last));
            self.numbered(&last);
            self.line(&about(subject.seen));
        }
        if guarded {
            self.line("}");
        }
    }

    fn numbered(&mut self, statement: &str) {
        let number = self.dice.one_of(&["a", "b", "i", "0", "3", "-70000", "in.seconds"]);
        self.line(&statement.replace("$number", number));
    }

    fn other_statement(&mut self) {
        let deep = self.depth >= 3;
        match self.dice.below(if deep { 9 } else { 14 }) {
            0 | 1 => {
                let (target, value) = (self.dice.one_of(&["a", "b"]), self.number(2));
                let operator = self.dice.one_of(&[":=", ":=", "+=", "-=", "|="]);
                self.line(&format!("{target} {operator} {value};"));
            }
            2 => {
                let (target, value) = (self.dice.one_of(&["s", "t"]), self.text(2));
                self.line(&format!("{target} := {value};"));
            }
            3 | 4 => self.write_field(),
            5 => {
                let value = self.octets(2);
                self.line(&format!("o := {value};"));
            }
            6 => {
                let line = match self.dice.below(10) {
                    0 => "raise(a);".to_owned(),
                    1 => format!("assert {};", self.condition(1)),
                    2 if self.breaks => "break;".to_owned(),
                    3 if self.continues => "continue;".to_owned(),
                    4 => format!("list[count(list)] := {};", self.number(1)),
                    5 => format!("p.cell := {};", self.number(1)),
                    6 => "p := in.place;".to_owned(),
                    7 if self.changes => "a := both(in, in);".to_owned(),
                    7 => self.dice.one_of(&[
                        "a := rate(fjord, usageOf(in, b)).total;",
                        "if (present(rate(fjord, usageOf(in, a)))) { t := rate(fjord, usageOf(in, a)).class; }",
                        "b := in.seconds + rate(fjord, usageOf(in, 7), \"0.001\").tax;",
                    ]).to_owned(),
                    8 => "t := prefix(zones, s);".to_owned(),
                    _ => format!("a := g({}, in);", self.number(1)),
                };
                let jumps = line == "break;" || line == "continue;";
                match jumps {
                    // The statements after it would be unreachable.
                    true => {
                        let condition = self.condition(1);
                        self.line(&format!("if ({condition}) {{ {line} }}"));
                    }
                    false => self.line(&line),
                }
            }
            7 | 8 => {
                let line = self.dice.one_of(match self.changes {
                    true => &[
                        "delete in.note;",
                        "delete in.services[0];",
                        "in.services := in.services;",
                        "if (present(p)) { in.place := p; }",
                        "in.seconds := 3; if (present(in.called)) { in.caller := in.called; }",
                        "in.place.cell := 3; if (present(in.place.cell)) { in.seconds := in.place.cell; }",
                        "delete in.place;",
                        "in.tree.n := b;",
                        "if (present(in.tree)) { in.tree.child := in.tree; }",
                        "if (present(in.tree)) { deeper(in.tree); }",
                        "delete in.tree.child;",
                    ],
                    false => &[
                        "out.services := in.services;",
                        "out.place := in.place;",
                        "out.party := in.party;",
                        "out.factor := in.factor;",
                        "out.marked := in.marked;",
                        "out.radio := in.radio;",
                        "if (present(p)) { out.place := p; }",
                        "if (present(in.called)) { out.caller := in.called; }",
                        "if (present(in.place.cell)) { out.seconds := in.place.cell; }",
                        "out.caller := in.start; if (present(in.caller)) { out.caller := in.caller; } \
                         if (present(in.factor)) { out.factor := in.factor; }",
                        "delete out.place;",
                        "delete out.services[0];",
                        "emit(out);",
                        "out.tree.n := b;",
                        "if (present(in.tree)) { out.tree := in.tree; }",
                        "if (present(in.tree)) { out.tree.child := in.tree; }",
                        "out.tree.children[count(out.tree.children)] := out.tree;",
                        "deeper(out.tree);",
                        "delete out.tree.child;",
                    ],
                });
                self.line(line);
            }
            9 | 10 => {
                let condition = self.condition(2);
                self.line(&format!("if ({condition}) {{"));
                let statements = 1 + self.dice.below(3);
                self.block(statements);
                if self.dice.below(2) == 0 {
                    self.line("} else {");
                    self.block(1);
                }
                self.line("}");
            }
            11 if self.loops < 3 => {
                let counter = ["i", "j", "k"][self.loops];
                self.loops += 1;
                let turns = self.dice.below(6);
                let before = (self.breaks, self.continues);
                (self.breaks, self.continues) = (true, true);
                self.line(&format!("for ({counter} := 0; {counter} < {turns}; {counter} += 1) {{"));
                let statements = 1 + self.dice.below(5);
                self.block(statements);
                self.line("}");
                (self.breaks, self.continues) = before;
            }
            12 => {
                let value = self.number(1);
                let before = std::mem::replace(&mut self.breaks, false);
                self.line(&format!("switch ({value}) {{"));
                for label in 0..self.dice.below(4) {
                    let label = i64::from(label as u8) * (1 + self.dice.below(300) as i64);
                    self.line(&format!("case {label}: a += {label};"));
                    self.block(1);
                    self.line("  break;");
                }
                self.line("default:");
                self.block(1);
                self.line("}");
                self.breaks = before;
            }
            _ => {
                let switch = self.dice.one_of(&[
                    "switch (in.party) { case number: a := length(in.party.number); break; case name: s := in.party.name; break; default: b := 9; }",
                    "switch (s) { case \"text\": a := 2; break; case \"\": case \"none\": a := 3; break; default: a := 4; }",
                    "switch (in.radio) { case gsm: a := 5; break; case lte: a := 6; break; default: a := 7; }",
                ]);
                self.line(switch);
            }
        }
    }

    fn write_field(&mut self) {
        let line = match (self.changes, self.dice.below(7)) {
            (true, 0) => format!("in.seconds := {};", self.number(2)),
            (true, 1) => format!("in.services[{}].code := {};", self.dice.below(3), self.number(1)),
            (true, 2) => format!("in.party.name := {};", self.text(1)),
            (true, 3) => format!("in.caller := {};", self.octets(1)),
            (true, 4) => format!("in.place.cell := {};", self.number(1)),
            (true, 5) => "in.radio := umts;".to_owned(),
            (true, _) => format!("in.answered := {};", self.condition(1)),
            (false, 0) => format!("out.seconds := {};", self.number(2)),
            (false, 1) => format!("out.text := {};", self.text(2)),
            (false, 2) => format!("out.caller := {};", self.octets(2)),
            (false, 3) => {
                let place = self.dice.below(3);
                format!(
                    "out.services[{place}].code := {}; out.services[{place}].used := {};",
                    self.number(1),
                    self.condition(1)
                )
            }
            (false, 4) => format!("out.party.network.area := {};", self.octets(1)),
            (false, 5) => format!("out.digits := digits({});", self.octets(1)),
            (false, _) => format!(
                "out.place.area := {}; out.place.cell := {};",
                self.octets(1),
                self.number(1)
            ),
        };
        self.line(&line);
    }

    fn number(&mut self, depth: usize) -> String {
        let sides = if depth == 0 { 10 } else { 18 };
        match self.dice.below(sides) {
            0 => "a".into(),
            1 => "b".into(),
            2 => match self.dice.number() {
                // The parser reads it without its sign, which does not fit.
                i64::MIN => "-9223372036854775807".into(),
                number => number.to_string(),
            },
            3 => "in.seconds".into(),
            4 => "in.kind".into(),
            5 => "in.priority".into(),
            6 => self.dice.one_of(&["in.place.cell", "a", "7", "i"]).into(),
            7 if self.dice.below(3) == 0 => format!("in.services[{}].code", self.position()),
            7 => "length(o)".into(),
            8 => "count(in.services)".into(),
            9 => "length(s)".into(),
            10..=13 => {
                let operator = self.dice.one_of(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.number(depth - 1), self.number(depth - 1))
            }
            14 => format!("-({})", self.number(depth - 1)),
            15 => {
                let function = self.dice.one_of(&["min", "max", "bitAnd", "bitOr"]);
                format!("{function}({}, {})", self.number(depth - 1), self.number(depth - 1))
            }
            16 => format!("find({}, {})", self.text(depth - 1), self.text(depth - 1)),
            17 if self.dice.below(3) == 0 => format!("list[{}]", self.position()),
            _ => "count(list)".into(),
        }
    }

    fn position(&mut self) -> String {
        self.dice.one_of(&["0", "1", "i", "j", "a"]).to_owned()
    }

    fn octets(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 6 } else { 9 }) {
            0 => "o".into(),
            1 => "in.caller".into(),
            2 => "in.called".into(),
            3 => "in.start".into(),
            4 => "'0A1B'H".into(),
            5 => "in.place.area".into(),
            6 => format!("left({}, {})", self.octets(depth - 1), self.dice.below(5)),
            7 => format!("mid({}, {})", self.octets(depth - 1), self.number(0)),
            _ => format!("tbcd(\"{}\")", self.dice.below(250)),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 5 } else { 14 }) {
            0 => "s".into(),
            1 => "t".into(),
            2 => "\"x\"".into(),
            3 => "\"\"".into(),
            4 => self.dice.one_of(&["in.party.name", "s", "\"4\"", "\"text\""]).into(),
            5 => format!("concat({}, {})", self.text(depth - 1), self.text(depth - 1)),
            6 => format!("toString({})", self.number(depth - 1)),
            7 => format!("upper({})", self.text(depth - 1)),
            8 => format!("hex({})", self.octets(depth - 1)),
            9 => "name(in.place, b)".into(),
            10 => "lookup(names, s)".into(),
            11 => "prefix(zones, t)".into(),
            12 => "tariffClass(fjord, usageOf(in, b))".into(),
            _ => "toString(in.radio)".into(),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 6 } else { 10 }) {
            0 => "in.answered".into(),
            1 => {
                let path = self.dice.one_of(&[
                    "in.caller",
                    "in.party.number",
                    "in.place.cell",
                    "in.services[1].used",
                    "in.radio",
                    "in.note",
                    "lookup(names, s)",
                    "prefix(zones, t)",
                    "tariffClass(fjord, usageOf(in, a))",
                    "in.tree.child",
                ]);
                format!("present({path})")
            }
            2 => {
                let operator = self.dice.one_of(&["==", "!=", "<", ">", "<=", ">="]);
                format!("{} {operator} {}", self.number(depth.min(1)), self.number(0))
            }
            3 => {
                let operator = self.dice.one_of(&["==", "!=", "<", ">="]);
                format!("{} {operator} {}", self.octets(0), self.octets(depth.min(1)))
            }
            4 => format!("{} IN [1, -4, 10..200, 5000]", self.number(0)),
            5 => format!(
                "s IN [\"text\", \"x\", {}]",
                if self.dice.below(2) == 0 { "\"\"" } else { "\"yz\"" }
            ),
            6 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            7 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            8 => format!("!({})", self.condition(depth - 1)),
            _ => format!("startsWith({}, {})", self.octets(0), self.octets(0)),
        }
    }
}

/// Fills a value, and leaves out optional parts at random.
fn fill(plan: &Plan, memory: &mut Memory<'_>, ty: TypeId, at: SlotIndex, dice: &mut Dice<'_>) {
    match plan.schema().kind(ty).clone() {
        Kind::Sequence(fields) | Kind::Set(fields) => {
            let frame = memory.make_structure(at, fields.len());
            for (place, field) in fields.iter().enumerate() {
                // When the decisions are used up, it is present, unless that would be endless.
                let absent = if plan.schema().is_recursive(field.ty) { 0..10 } else { 11..12 };
                if field.is_required() || !absent.contains(&dice.below(12)) {
                    fill(plan, memory, field.ty, SlotIndex(frame.0 + place as u32), dice);
                }
            }
        }
        Kind::Choice(fields) => {
            let place = dice.below(fields.len());
            let value = memory.make_choice(at, place);
            fill(plan, memory, fields[place].ty, value, dice);
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            memory.make_list(at);
            for _ in 0..[3, 2, 1, 0, 4, 5, 6, 20][dice.below(8)] {
                let slot = memory.append(at);
                fill(plan, memory, element, slot, dice);
            }
        }
        Kind::Boolean => memory.set_octets(at, &[dice.below(2) as u8 * 0xFF]),
        Kind::Enumerated { .. } => memory.set_octets(at, &[dice.below(7) as u8]),
        Kind::Integer { .. } => {
            let number = dice.number();
            memory.set_octets(at, integer_octets(number).as_slice());
        }
        Kind::Real | Kind::Null => memory.set_octets(at, &[]),
        Kind::Text(_) => {
            let text: Vec<u8> = dice.octets().iter().map(|octet| b' ' + octet % 94).collect();
            memory.set_octets(at, &text);
        }
        _ => memory.set_octets(at, &dice.octets()),
    }
}

/// Returns the octets of a random record.
pub(crate) fn some_record(plan: &Plan, ty: TypeId, dice: &mut Dice<'_>) -> Vec<u8> {
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = memory.create(ty);
    fill(plan, &mut memory, ty, record.root, dice);
    let mut octets = Vec::new();
    Encoder::new(plan, ty).encode(&memory, record, &mut octets).expect("a whole record");
    octets
}

/// Replaces an octet of a record.
pub(crate) fn damage(octets: &mut [u8], dice: &mut Dice<'_>) {
    let (place, octet) = (dice.below(256) % octets.len(), dice.below(256));
    octets[place] = octet as u8;
}
