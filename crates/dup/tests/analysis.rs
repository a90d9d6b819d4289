//! The analysis of scripts for an editor. `¦` marks the cursor.

use std::path::{Path, PathBuf};

use crate::common::MODULE;
use asn1::{Modules, Resolver};
use diagnostics::{Source, Span};
use dup::analysis::{Analysis, Origin, Symbol, Use, rename};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");

/// Analyses a script against [`MODULE`].
fn analysis(text: &str) -> Analysis {
    let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    Analysis::of(&Source::new("script.dup", text), Path::new(FOLDER), &mut Resolver::new(&modules))
}

/// Returns a script and the place of its mark.
fn marked(text: &str) -> (Analysis, u32) {
    let (before, after) = text.split_once('¦').expect("a mark");
    (analysis(&format!("{before}{after}")), before.len() as u32)
}

fn symbol(analysis: &Analysis, offset: u32) -> Symbol {
    let found = analysis.at(offset);
    found.unwrap_or_else(|| panic!("no name at {offset} of {}", analysis.source().text)).symbol
}

#[track_caller]
fn check_described(text: &str, wanted: &str) {
    let (analysis, offset) = marked(text);
    let found = analysis.describe(symbol(&analysis, offset));
    assert_eq!(
        format!("{} | {}", found.code, found.text).trim_end_matches(" | "),
        wanted,
        "{text}"
    );
}

#[test]
fn a_name_is_described_as_it_is_declared() {
    for (text, wanted) in [
        (
            "INTEGER f(call CONST Call) { return c¦all.seconds; }",
            "call CONST M.Call | A SET of kind, caller, called, start, seconds, answered, priority, radio, \
             services, party, note, marked, factor, place, tree.",
        ),
        (
            "INTEGER f(call CONST Call) { return call.¦seconds; }",
            "seconds INTEGER | A field of M.Call.",
        ),
        (
            "BOOLEAN f(call CONST Call) { return call.kind¦ == text; }",
            "kind INTEGER | A field of M.Call. An INTEGER with the names voice(0), text(6).",
        ),
        ("BOOLEAN f(call CONST Call) { return call.kind == te¦xt; }", "text | 6 of M.Call.kind."),
        (
            "BOOLEAN f(call CONST Call) { return call.¦answered; }",
            "answered BOOLEAN DEFAULT TRUE | A field of M.Call.",
        ),
        (
            "BOOLEAN f(call CONST Call) { return call.priority¦ > 3; }",
            "priority INTEGER DEFAULT 5 | A field of M.Call.",
        ),
        (
            "INTEGER f(call CONST Call) { return call.services[0].c¦ode; }",
            "code INTEGER | A field of M.Service.",
        ),
        (
            "BOOLEAN f(call CONST Call) { switch (call.party) { case n¦ame: return TRUE; } return FALSE; }",
            "name UTF8String | An alternative of M.Party.",
        ),
        (
            "BOOLEAN f(call CONST Ca¦ll) { return TRUE; }",
            "M.Call | A SET of kind, caller, called, start, seconds, answered, priority, radio, services, \
             party, note, marked, factor, place, tree.",
        ),
        (
            "BOOLEAN f(n CONST M.Ra¦dio) { return TRUE; }",
            "M.Radio | An ENUMERATED with the names gsm(0), umts(1), lte(5).",
        ),
        (
            "OCTET STRING f(call CONST Call) { return call.call¦er; }",
            "caller M.TBCD OPTIONAL | A field of M.Call. Values are OCTET STRING.",
        ),
        (
            "INTEGER f(call CONST Call) { return length(call.ser¦vices); }",
            "services SEQUENCE OF M.Service OPTIONAL | A field of M.Call. A list of M.Service.",
        ),
        ("NULL f(n INTEGER) { declare x INTEGER := 1; n := ¦x; }", "declare x INTEGER"),
        (
            "-- Twice\n-- as much.\nINTEGER  twice(n\n CONST INTEGER)\n{ return 2 * n; }\n\
             INTEGER f(n CONST INTEGER) { return tw¦ice(n); }",
            "INTEGER twice(n CONST INTEGER) | Twice\nas much.",
        ),
        (
            "INTEGER f(n CONST INTEGER) { return ab¦s(n); }",
            "INTEGER abs(number INTEGER) | A number without its sign.",
        ),
        (
            "NULL f(call CONST Call) { ¦emit(call); }",
            "NULL emit(record) | Sends a copy of a record on now.",
        ),
        (
            "BOOLEAN f(call CONST Call) { return pre¦sent(call.note); }",
            "BOOLEAN present(field) | Whether everything on the way to a field is there, or a table has a \
             key: `present(lookup(…))`.",
        ),
        (
            "declare zones TABLE \"zones.csv\"; UTF8String f(s CONST IA5String) { return lookup(z¦ones, s); }",
            "declare zones TABLE \"zones.csv\" | Columns behind the key: zone, price.",
        ),
        (
            "declare fjord TARIFF \"../../../../examples/tariff\";
             UTF8String f(u CONST TariffUsage) { return tariffClass(f¦jord, u); }",
            "declare fjord TARIFF \"../../../../examples/tariff\" | \"Fjord Mobile 2026\" in SEK, 1 version. \
             Tariff classes: on-net, fixed, mobile, mobile-business, nordic, eu, world-1, world-2, premium, \
             satellite, free, roam-eu, roam-world, sms-home, sms-abroad, sms-roaming, data-home, data-eu, \
             data-world.",
        ),
        (
            "UTF8String f(u CONST TariffUsage) { return tariffC¦lass(fjord, u); }",
            "UTF8String tariffClass(tariff, usage) | The tariff class of a usage. One that has none is an error of \
             the record; `present(tariffClass(…))` asks first.",
        ),
        (
            "INTEGER f(u CONST TariffUsage) { return u.¦start; }",
            "start INTEGER | A field of TariffUsage.",
        ),
        (
            "ENUMERATED { small, large(7) } f(n CONST INTEGER) { if (n > 1) { return l¦arge; } return small; }",
            "large | 7 of ENUMERATED { small(0), large(7) }.",
        ),
    ] {
        check_described(text, wanted);
    }
}

#[test]
fn what_could_be_read_of_a_broken_script_is_described() {
    for (text, wanted) in [
        ("INTEGER f(n CONST INTEGER) { x := ; return ¦n; }", "n CONST INTEGER"),
        ("INTEGER f(n CONST INTEGER) { if (¦n > ) { } return n; ", "-"),
        ("INTEGER f(n CONST INTEGER) { if (n > 1) { return ¦n;", "n CONST INTEGER"),
        ("INTEGER f(n CONST INTEGER) { if (n > ) { return ¦n; } return n; }", "n CONST INTEGER"),
        ("INTEGER f( { }\nINTEGER g(n CONST INTEGER) { return ¦n; }", "n CONST INTEGER"),
        ("INTEGER f(n CONST INTEGER) { return ¦n + unknown; }", "n CONST INTEGER"),
        ("INTEGER f(n CONST Nothing) { return ¦n; }", "-"),
    ] {
        let (analysis, offset) = marked(text);
        let found = analysis.at(offset).map(|used| analysis.describe(used.symbol).code);
        assert_eq!(found.as_deref().unwrap_or("-"), wanted, "{text}");
    }
}

#[test]
fn a_name_leads_to_where_it_is_made() {
    for (text, wanted) in [
        ("INTEGER f(n CONST INTEGER) { return ¦n; }", "script: n CONST"),
        (
            "INTEGER f(n CONST INTEGER) { { declare n INTEGER := 1; return n¦; } }",
            "script: n INTEGER",
        ),
        ("INTEGER f(n CONST INTEGER) { return ¦f(n); }", "script: f(n CONS"),
        ("INTEGER f(call CONST Call) { return call.sec¦onds; }", "M.Call field seconds"),
        ("BOOLEAN f(call CONST Call) { return call.radio == lt¦e; }", "M.Radio value lte"),
        ("BOOLEAN f(call CONST Call) { return call.kind == t¦ext; }", "M.Call.kind value text"),
        ("BOOLEAN f(call CONST C¦all) { return TRUE; }", "type M.Call"),
        ("NULL f(call Call, x CONST RecordCont¦ext) { }", "language"),
        ("INTEGER f(n CONST INTEGER) { return ¦abs(n); }", "language"),
        (
            "INTEGER f(n CONST INTEGER) { declare p SEQUENCE { a INTEGER }; p.a := n; return p.¦a; }",
            "script: a INTEGE",
        ),
    ] {
        let (analysis, offset) = marked(text);
        let found = match analysis.origin(symbol(&analysis, offset)) {
            Origin::Script(span) => {
                let rest = &analysis.source().text[span.start as usize..];
                format!("script: {}", rest.get(..8).unwrap_or(rest))
                    .replace("n INTEGE", "n INTEGER")
            }
            Origin::Type(name) => format!("type {name}"),
            Origin::Field { owner, name } => format!("{owner} field {name}"),
            Origin::Value { ty, name } => format!("{ty} value {name}"),
            Origin::Language => "language".to_owned(),
        };
        assert!(found.starts_with(wanted.trim_end()), "{text}: {found}");
    }
}

#[track_caller]
fn check_completed(text: &str, wanted: &[&str]) {
    let (analysis, offset) = marked(text);
    let found = analysis.complete(offset).candidates;
    let names: Vec<&str> = found.iter().map(|candidate| candidate.name.as_str()).collect();
    let first: Vec<&str> = names.iter().copied().take(wanted.len()).collect();
    assert_eq!(first, wanted, "{text}: {names:?}");
    if wanted.is_empty() {
        assert!(names.is_empty(), "{text}: {names:?}");
    }
}

#[test]
fn what_fits_a_place_is_offered_first() {
    for (text, wanted) in [
        ("INTEGER f(call CONST Call) { return call.¦", &["kind", "caller", "called"][..]),
        ("INTEGER f(call CONST Call) { return call.ca¦; }", &["kind", "caller"]),
        (
            "INTEGER f(call CONST Call)\n{ if (call.services[count(call.services) - 1].¦) }",
            &["code", "used"],
        ),
        ("INTEGER f(call CONST Call) { x := call.party.network.¦\n}", &["area", "cell"]),
        (
            "Place g(c CONST Call) { return c.place; }\nNULL f(c Call) { c.place.area := g(c).¦ }",
            &["area", "cell"],
        ),
        ("NULL f(call Call) { call.radio := ¦ }", &["gsm", "umts", "lte", "call", "f"]),
        ("BOOLEAN f(call CONST Call) { return call.kind == ¦; }", &["voice", "text", "call"]),
        ("BOOLEAN f(call CONST Call) { return call.radio IN [gsm, ¦] }", &["gsm", "umts", "lte"]),
        (
            "NULL f(call Call) { switch (call.radio) { case gsm: break; case ¦",
            &["gsm", "umts", "lte"],
        ),
        ("NULL f(call Call) { switch (call.party) { case ¦ } }", &["number", "name", "network"]),
        (
            "BOOLEAN g(n CONST INTEGER, r CONST Radio) { return TRUE; }\nBOOLEAN f(call CONST Call) { return g(abs(1), ¦); }",
            &["gsm"],
        ),
        ("ENUMERATED { yes, no } f(n CONST INTEGER) { return ¦; }", &["yes", "no", "n", "f"]),
        (
            "INTEGER f(n CONST INTEGER) { declare x INTEGER := 1; { declare y INTEGER; } ¦ }",
            &["x", "n", "f", "abs"],
        ),
        (
            "INTEGER f(n CONST INTEGER) { return n + ¦; }\nINTEGER g(m CONST INTEGER) { return m; }",
            &["n", "f", "g", "abs"],
        ),
        (
            "declare fjord TARIFF \"../../../../examples/tariff\";
             INTEGER f(u CONST TariffUsage) { return rate(¦).total; }",
            &["u", "f", "fjord"],
        ),
        ("NULL f(u TariffUsage) { u.¦ }", &["service", "served", "other", "subscriber"]),
        (
            "declare fjord TARIFF \"../../../../examples/tariff\";
             INTEGER f(u CONST TariffUsage) { return rate(fjord, u).¦; }",
            &["class", "currency", "total", "net", "tax", "counted", "free"],
        ),
        ("NULL f(call Call) { declare x ¦ }", &["Call", "Place", "Service"]),
        ("NULL f(call CONST ¦", &["Call", "Place"]),
        ("NULL f(call ¦", &["CONST", "Call"]),
        ("NULL f(call M.¦", &["Call", "Place"]),
        ("¦", &["test", "declare", "Call"]),
        ("NULL f(call Call) { }\n¦", &["test", "declare", "Call"]),
        ("NULL f(call Call) { }\n-- what ¦", &[]),
        ("NULL f(call Call) { call.note := \"a¦b\"; }", &[]),
        ("NULL f(call Call) { declare ¦ }", &[]),
        ("NULL ¦", &[]),
        ("NULL f(¦", &[]),
        ("NULL f(call Call) { call.seconds.¦ }", &[]),
        ("NULL f(call Call) { x := 1¦ }", &[]),
    ] {
        check_completed(text, wanted);
    }
}

#[test]
fn a_completion_says_what_it_is_and_what_it_replaces() {
    let (analysis, offset) = marked("INTEGER f(call CONST Call) { return call.sec¦onds; }");
    let found = analysis.complete(offset);
    assert_eq!(found.replaces, Span::new(41, 44));
    let seconds = found.candidates.iter().find(|candidate| candidate.name == "seconds");
    assert_eq!(seconds.expect("it is a field").described.code, "seconds INTEGER");
}

fn renamed(text: &str, name: &str) -> String {
    let (analysis, offset) = marked(text);
    let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    let folder = Path::new(FOLDER);
    match rename(&analysis, offset, name, folder, &mut Resolver::new(&modules)) {
        Ok(places) => {
            let mut text = analysis.source().text.clone();
            for span in places.iter().rev() {
                text.replace_range(span.start as usize..span.end as usize, name);
            }
            text
        }
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn a_new_name_replaces_every_use_and_nothing_else() {
    for (text, name, wanted) in [
        (
            "INTEGER f(n CONST INTEGER) { return n + g(¦n); }\nINTEGER g(n CONST INTEGER) { return n; }",
            "count",
            "INTEGER f(count CONST INTEGER) { return count + g(count); }\nINTEGER g(n CONST INTEGER) { return n; }",
        ),
        (
            "INTEGER ¦f(n CONST INTEGER) { return n; }\ntest \"f\" { assert f(1) == f(1); }",
            "same",
            "INTEGER same(n CONST INTEGER) { return n; }\ntest \"f\" { assert same(1) == same(1); }",
        ),
        (
            "NULL f(out Call) { out.seconds := ou¦t.seconds + 1; delete out.note; }",
            "call",
            "NULL f(call Call) { call.seconds := call.seconds + 1; delete call.note; }",
        ),
        (
            "INTEGER f(n CONST INTEGER) { { declare n INTEGER := 1; assert ¦n > 0; } return n; }",
            "m",
            "INTEGER f(n CONST INTEGER) { { declare m INTEGER := 1; assert m > 0; } return n; }",
        ),
        (
            "declare zones¦ TABLE \"zones.csv\"; UTF8String f(s CONST IA5String) { return lookup(zones, s); }",
            "areas",
            "declare areas TABLE \"zones.csv\"; UTF8String f(s CONST IA5String) { return lookup(areas, s); }",
        ),
    ] {
        assert_eq!(renamed(text, name), wanted, "{text}");
    }
}

#[test]
fn a_new_name_that_means_something_is_refused() {
    let text = "BOOLEAN f(¦n CONST INTEGER, call CONST Call)
        { declare x INTEGER := n; { declare y INTEGER := 1; assert y > n; assert x > n; } return call.radio == lte; }";
    for (name, wanted) in [
        ("while", "\"while\" is a word of the language"),
        ("IA5String", "\"IA5String\" is a word of the language"),
        ("call", "\"call\" is taken: \"call\" is declared twice here"),
        ("lte", "\"lte\" is taken: M.Radio (ENUMERATED) cannot be compared with INTEGER"),
        ("y", "\"y\" is taken: something else would be meant by it"),
        ("2nd", "\"2nd\" is no name: letters, digits, _ and hyphens within, a letter first"),
        ("a b", "\"a b\" is no name: letters, digits, _ and hyphens within, a letter first"),
        ("", "\"\" is no name: letters, digits, _ and hyphens within, a letter first"),
    ] {
        assert_eq!(renamed(text, name), wanted);
    }
    let of_function =
        |name| renamed("INTEGER ¦f(n CONST INTEGER) { return n; }\nNULL g() { }", name);
    assert_eq!(of_function("abs"), "\"abs\" is taken: \"abs\" is a built-in function");
    assert_eq!(of_function("g"), "\"g\" is taken: a function \"g\" is defined twice");
}

#[test]
fn what_is_not_the_scripts_keeps_its_name() {
    for (text, wanted) in [
        (
            "INTEGER f(call CONST Call) { return call.¦seconds; }",
            "\"seconds\" is not named by this script's variables, functions, tables and tariffs",
        ),
        ("INTEGER f(n CONST INTEGER) { return n  ¦ + 1; }", "no name stands here"),
        (
            "INTEGER f(n CONST INTEGER) { return ¦n + ; }",
            "the script has mistakes; mend them first, or uses of the name may be missed",
        ),
    ] {
        assert_eq!(renamed(text, "other"), wanted, "{text}");
    }
}

#[test]
fn functions_tables_and_tests_are_listed() {
    let text = "declare zones TABLE \"zones.csv\";\nINTEGER f(n CONST INTEGER) { return n; }\ntest \"one\" { assert f(1) == 1; }";
    let analysis = analysis(text);
    let listed: Vec<String> = analysis.outline().into_iter().map(|found| found.name).collect();
    assert_eq!(listed, ["zones", "f", "one"]);
}

/// Returns all scripts of the examples and of this crate's tests, with the modules of the examples.
fn scripts() -> Vec<(PathBuf, Modules)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = |folder: PathBuf, extension: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&folder).expect("the folder is there");
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let wanted = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
        paths.filter(wanted).collect()
    };
    let mut scripts = Vec::new();
    for example in ["examples/msc-billing", "examples/tap"] {
        let modules = files(root.join(example).join("asn1"), "asn1");
        let read = |path: &PathBuf| {
            let octets = std::fs::read(path).expect("a module");
            Source::forgiven(path.display().to_string(), octets).unwrap()
        };
        for script in files(root.join(example).join("scripts"), "dup") {
            let sources: Vec<_> = modules.iter().map(read).collect();
            scripts.push((script, Modules::read(&sources).0));
        }
    }
    assert!(scripts.len() > 5);
    scripts
}

/// Runs all queries at an octet.
fn ask(analysis: &Analysis, offset: u32) {
    for candidate in analysis.complete(offset).candidates {
        assert!(!candidate.name.is_empty());
    }
    let Some(Use { span, symbol, .. }) = analysis.at(offset) else { return };
    assert!(span.start <= offset && offset <= span.end);
    analysis.describe(symbol);
    analysis.origin(symbol);
    assert!(analysis.uses(symbol).any(|used| used.span == span));
}

#[test]
fn everything_can_be_asked_everywhere() {
    for (script, modules) in scripts() {
        let text = std::fs::read_to_string(&script).expect("a script");
        let folder = script.parent().expect("a folder");
        let look = |text: &str| {
            let source = Source::new("script.dup", text);
            Analysis::of(&source, folder, &mut Resolver::new(&modules))
        };
        let analysis = look(&text);
        (0..=text.len() + 1).for_each(|offset| ask(&analysis, offset as u32));
        // An incomplete text may end anywhere.
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(3) {
            let cut = look(&text[..end]);
            ask(&cut, end as u32);
            cut.outline();
        }
    }
}

proptest::proptest! {
    /// A script without a part of it, or with a sign at another place.
    #[test]
    fn a_damaged_script_is_answered_for(
        from in 0_usize..5000,
        gone in 0_usize..40,
        put in "[ -~\\n¦😀]{0,6}",
    ) {
        let mut text = include_str!("scripts/records.dup").to_owned();
        let from = from % text.len();
        let to = (from + gone).min(text.len());
        proptest::prop_assume!(text.is_char_boundary(from) && text.is_char_boundary(to));
        text.replace_range(from..to, &put);
        let analysis = analysis(&text);
        let near = from.saturating_sub(3)..=from + put.len() + 3;
        near.chain((0..text.len()).step_by(41)).for_each(|offset| ask(&analysis, offset as u32));
    }
}
