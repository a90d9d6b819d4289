//! Statements that read and write values that may be the same: by another name, through a parameter, in a called
//! function, in an earlier turn of a loop.
//!
//! Each comes with the condition under which it is no fault, so that the statements after it are executed too. `$call`
//! is a call that can be changed, `$number` a number, `$position` the number of an element.

/// Statements about one thing. Some of them are generated in a row where it is present, because what is read before and
/// after a change is only the same fact if no paths join in between.
pub(crate) struct Subject {
    pub(crate) is_there: &'static str,
    pub(crate) statements: &'static [&'static str],
    /// The end of a row, after which it may no longer be present.
    pub(crate) last: &'static [&'static str],
    /// Reads it after that, without a fault.
    pub(crate) seen: &'static str,
}

/// What the statements of a function can name.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    /// The calls that can be changed.
    pub(crate) calls: &'static [&'static str],
    pub(crate) subjects: &'static [&'static [Subject]],
}

/// The scope of a function that makes a Bill of a call. It changes a copy.
pub(crate) const FORMATTER: Scope = Scope { calls: &["c"], subjects: &[CALL, CALLS, BILL] };

/// The scope of a function that changes a call, and a copy of it.
pub(crate) const CHANGER: Scope =
    Scope { calls: &["in", "in", "c"], subjects: &[CALL, CALLS, CALLS] };

/// Functions with random statements. [`CALLS`] pass one value, or parts of one, as several of their parameters.
pub(crate) const CALLED: &[(&str, Scope)] = &[
    ("NULL two(in Call, other Call)", Scope { calls: &["in", "other"], subjects: &[CALL] }),
    (
        "NULL mixed(in Call, other CONST Call)",
        Scope { calls: &["in"], subjects: &[CALL, OTHER, OTHER] },
    ),
    (
        "NULL parts(in Call, place Place, service Service, party Party)",
        Scope { calls: &["in"], subjects: &[CALL, PARTS, PARTS] },
    ),
];

/// The fields of a call.
const CALL: &[Subject] = &[
    Subject {
        is_there: "",
        statements: &[
            "$call.seconds := $number;",
            "a := $call.seconds;",
            "b := $call.seconds;",
            "$call.priority := $number;",
            "b := $call.priority;",
            "delete $call.priority;",
            "$call.answered := !$call.answered;",
            "if ($call.answered) { a |= 1; }",
            "delete $call.answered;",
            "$call.marked := NULL;",
            "$call.radio := gsm;",
            "raise(a);",
            "a := both($call, $call);",
            "holes($number, b);",
        ],
        last: &[],
        seen: "",
    },
    Subject {
        is_there: "present($call.caller) && present($call.called)",
        statements: &[
            "o := $call.caller;",
            "s := hex($call.caller);",
            "o := $call.called;",
            "t := hex($call.called);",
            "$call.caller := o;",
            "$call.caller := mid($call.caller, 1);",
            "$call.called := $call.caller;",
            "$call.caller := $call.called;",
            "for (m := 0; m < 2; m += 1) { o := $call.called; $call.called := $call.caller; }",
        ],
        last: &["delete $call.called;"],
        seen: "if (present($call.called)) { o := $call.called; }",
    },
    Subject {
        is_there: "present($call.place.cell)",
        statements: &[
            "a := $call.place.cell;",
            "b := $call.place.cell;",
            "a := $call.seconds;",
            "o := $call.place.area;",
            "$call.place.cell := $number;",
            "$call.place.area := o;",
            "$call.seconds := $call.place.cell;",
            "$call.place.cell := $call.seconds;",
            "p := $call.place;",
            "p.cell := $number; p.area := o;",
            "$call.place := placeOf($call);",
            "a := placeOf($call).cell;",
            "a := cellOf($call.place);",
            "twice($call);",
            "c := $call;",
        ],
        last: &[
            "delete $call.place.cell;",
            "delete $call.place;",
            "without($call);",
            "reduce($call.place, $number);",
            "if (present(p.area)) { $call.place := p; a := $call.place.cell; }",
        ],
        seen: "if (present($call.place.cell)) { a := $call.place.cell; }",
    },
    Subject {
        is_there: "present($call.party.network) && present($call.place)",
        statements: &[
            "a := $call.party.network.cell;",
            "o := $call.party.network.area;",
            "$call.party.network.cell := $number;",
            "$call.party.network := $call.place;",
            "$call.place := $call.party.network;",
            "a := $call.place.cell;",
            "reduce($call.party.network, $number);",
            "if (present($call.party.network)) { b := 8; }",
        ],
        last: &["$call.party.name := s;", "next($call, $number);"],
        seen: "if (present($call.party.network.cell)) { a := $call.party.network.cell; }",
    },
    Subject {
        is_there: "present($call.party.number) && present($call.caller)",
        statements: &[
            "o := $call.party.number;",
            "s := hex($call.party.number);",
            "o := $call.caller;",
            "$call.party.number := '0A1B'H;",
            "$call.caller := $call.party.number;",
            "$call.party.number := $call.caller;",
        ],
        last: &["$call.party.name := s;", "next($call, $number);"],
        seen: "if (present($call.party.number)) { o := $call.party.number; }",
    },
    Subject {
        is_there: "present($call.party.name)",
        statements: &[
            "s := $call.party.name;",
            "t := concat(t, $call.party.name);",
            "$call.party.name := t;",
            "if (present(lookup(names, $call.party.name))) { t := lookup(names, $call.party.name); }",
        ],
        last: &["$call.party.number := o;", "next($call, $number);"],
        seen: "if (present($call.party.name)) { s := $call.party.name; }",
    },
    Subject {
        is_there: "$position >= 0 && $position + 1 < count($call.services)",
        statements: &[
            "a := $call.services[$position].code;",
            "b := $call.services[$position].code;",
            "if ($call.services[$position].used) { a |= 1; }",
            "$call.services[$position].code := $number;",
            "$call.services[$position].code := $call.seconds;",
            "$call.services[$position] := $call.services[0];",
            "$call.services[0] := $call.services[$position];",
            "$call.services[count($call.services)] := $call.services[$position];",
            "grow($call, $number);",
            "a := sum($call);",
            "b := count($call.services);",
        ],
        last: &[
            "delete $call.services[$position]; a := $call.services[$position].code;",
            "b := $call.services[i].code; delete $call.services[0]; b := $call.services[i].code;",
            "delete $call.services;",
        ],
        seen: "if ($position < count($call.services)) { a := $call.services[$position].code; }",
    },
    Subject {
        is_there: "$position >= 0 && $position < count(list)",
        statements: &[
            "a := list[$position];",
            "b := list[0];",
            "list[$position] := $number;",
            "list[count(list)] := $number;",
        ],
        last: &["delete list[0];"],
        seen: "if (count(list) > 0) { a := list[0]; }",
    },
    Subject {
        is_there: "",
        statements: &[
            "list[count(list)] := a;",
            "$call.tree.n := $number;",
            "$call.tree.child.n := b;",
            "if (present($call.tree.n)) { a := $call.tree.n; }",
            "for (m := 0; m < 3; m += 1) { b += 1; $call.tree.child.child.child.child.n := m; }",
            "for (m := 0; m < 3; m += 1) { $call.seconds := m; $call.tree.child.child.child.n := m; }",
            "if (present($call.tree.n)) { deeper($call.tree); }",
            "delete $call.tree;",
        ],
        last: &[],
        seen: "",
    },
    Subject {
        is_there: "",
        statements: &[
            "if (present(lookup(names, s))) { s := lookup(names, s); }",
            "if (present(lookup(names, s))) { t := lookup(names, s); }",
            "if (present(lookup(names, t))) { t := lookup(names, t); }",
            "if (present(prefix(zones, s))) { s := prefix(zones, s); }",
            "s := \"4\";",
            "s := \"text\";",
        ],
        last: &[],
        seen: "",
    },
];

/// Calls of [`CALLED`].
const CALLS: &[Subject] = &[
    Subject {
        is_there: "",
        statements: &[
            "c := in;",
            "two($call, $call);",
            "two($call, c);",
            "mixed($call, $call);",
            "mixed($call, c);",
            "mixed(c, in);",
            "a := $call.seconds;",
        ],
        last: &[],
        seen: "",
    },
    Subject {
        is_there: "present($call.place) && present($call.party) && count($call.services) > 0",
        statements: &[
            "parts($call, $call.place, $call.services[0], $call.party);",
            "if (present(p.area)) { parts($call, p, $call.services[0], $call.party); }",
            "if (present($call.party.network)) { parts($call, $call.party.network, $call.services[0], $call.party); }",
            "a := $call.services[0].code;",
            "if (present($call.place.cell)) { b := $call.place.cell; }",
        ],
        last: &[],
        seen: "",
    },
];

/// Another parameter, which cannot be changed.
const OTHER: &[Subject] = &[
    Subject {
        is_there: "",
        statements: &["a := other.seconds;", "in.seconds := other.seconds;", "in := other;"],
        last: &[],
        seen: "",
    },
    Subject {
        is_there: "present(other.place.cell) && count(other.services) > 0",
        statements: &[
            "a := other.place.cell;",
            "in.place := other.place;",
            "in.place.cell := $number;",
            "b := other.services[0].code;",
            "in.services := other.services;",
            "in.services[0].code := $number;",
        ],
        last: &["delete in.place;", "delete in.services[0];"],
        seen: "if (present(other.place.cell) && count(other.services) > 0) { a := other.place.cell; b := other.services[0].code; }",
    },
    Subject {
        is_there: "present(other.party.number)",
        statements: &[
            "o := other.party.number;",
            "in.party := other.party;",
            "in.party.number := '0A1B'H;",
        ],
        last: &["in.party.name := s;"],
        seen: "if (present(other.party.number)) { o := other.party.number; }",
    },
];

/// Parts of a call, as parameters of their own.
const PARTS: &[Subject] = &[
    Subject {
        is_there: "present(place.cell) && present(in.place.cell)",
        statements: &[
            "place.cell := $number;",
            "a := place.cell;",
            "b := in.place.cell;",
            "in.place.cell := $number;",
            "in.place := place;",
            "place := in.place;",
        ],
        last: &["delete place.cell;", "delete in.place;"],
        seen: "if (present(place.cell)) { a := place.cell; }",
    },
    Subject {
        is_there: "present(service.code) && count(in.services) > 0",
        statements: &[
            "service.code := $number;",
            "a := service.code;",
            "b := in.services[0].code;",
            "in.services[0].code := $number;",
            "in.services[0] := service;",
            "service := in.services[0];",
            "in.services[count(in.services)] := service;",
        ],
        last: &["delete in.services[0];"],
        seen: "if (count(in.services) > 0) { a := in.services[0].code; }",
    },
    Subject {
        is_there: "present(party.network) && present(place)",
        statements: &[
            "party.network.cell := $number;",
            "a := party.network.cell;",
            "b := place.cell;",
            "in.party := party;",
            "party.network := place;",
            "place := party.network;",
        ],
        last: &["in.party.name := s;"],
        seen: "if (present(party.network.cell)) { a := party.network.cell; }",
    },
    Subject {
        is_there: "present(party.number)",
        statements: &["o := party.number;", "party.number := '0A1B'H;", "in.party := party;"],
        last: &["party.name := s;", "in.party.number := in.start;"],
        seen: "if (present(party.number)) { o := party.number; }",
    },
];

/// The bill that a formatter makes. Its types differ from those of a call, so that some values are converted.
const BILL: &[Subject] = &[
    Subject {
        is_there: "",
        statements: &[
            "out.seconds := $number;",
            "a := out.seconds;",
            "out.caller := o;",
            "out.marked := NULL;",
            "emit(out); out.seconds := b;",
        ],
        last: &[],
        seen: "",
    },
    Subject {
        is_there: "present(c.services) && count(out.services) > 0",
        statements: &[
            "a := out.services[0].code;",
            "b := out.services[0].code;",
            "out.services[0].code := $number;",
            "out.services := c.services;",
        ],
        last: &["delete out.services[0];"],
        seen: "if (count(out.services) > 0) { a := out.services[0].code; }",
    },
    Subject {
        is_there: "present(c.services)",
        statements: &["out.services := c.services;", "b := count(out.services);"],
        last: &[],
        seen: "",
    },
    Subject {
        is_there: "present(c.place) && present(c.party)",
        statements: &[
            "out.place := c.place;",
            "out.party := c.party;",
            "if (present(out.place.cell)) { a := out.place.cell; }",
            "if (present(out.party.number)) { o := out.party.number; }",
            "emit(out); out.seconds := a;",
        ],
        last: &[],
        seen: "",
    },
];

/// The functions that statements call.
pub(crate) const HELPERS: &[&str] = &[
    "INTEGER cellOf(place CONST Place)
{
  if (present(place.cell)) { return place.cell; }
  return length(place.area);
}
",
    "NULL reduce(place Place, n CONST INTEGER)
{
  if (present(place.cell) && place.cell > n) { delete place.cell; } else { place.cell := n; }
}
",
    "NULL twice(call Call)
{
  call.seconds |= 1;
  call.seconds := call.seconds % 1000 * 2;
  call.place.cell := call.seconds;
}
",
    "NULL without(call Call) { delete call.place; delete call.services[0]; }
",
    "NULL grow(call Call, n CONST INTEGER)
{
  declare m INTEGER := count(call.services);
  for (m := m; m < 7; m += 1) { call.services[m].code := n; call.services[m].used := m > 2; }
}
",
    "INTEGER sum(call CONST Call)
{
  declare m, n INTEGER := 0;
  while (m < count(call.services)) { n |= call.services[m].code; m += 1; }
  return n;
}
",
    "Place placeOf(call CONST Call) { return call.place; }
",
    "NULL next(call Call, n CONST INTEGER)
{
  switch (call.party) {
  case number: call.party.name := \"x\"; break;
  case name: call.party.network.cell := n; call.party.network.area := '01'H; break;
  default: call.party.number := '0A'H;
  }
}
",
    "NULL holes(n CONST INTEGER, sum INTEGER)
{
  declare m INTEGER;
  sum := n;
  for (m := 0; m < 100; m += 1) { declare hole Place; sum |= m; }
}
",
];
