//! Tests that edits of a flow's text leave the rest of it unchanged.

use crate::common;
use flow::{drawing::Edit, drawing::EditError, drawing::edit};
use proptest::prelude::*;

const FLOW: &str = r#"# The flow of our town.
[asn1]
modules = ["town.asn1"] # one is enough

# North of the river.
[network-element.north]
collect = { dir = "in/north", pattern = "*.ber" }   # each hour
decode  = { type = "Test.Call" }

[odd.isOdd]
from = ["north"] # more will come

# Records that are not billed.
[odd.rest]
from   = "isOdd.false"
script = "rest.dup"

[group.all]
network-elements = ["north"]

[post-processing-system.billing]
from    = ["isOdd", "rest.true"]
encode  = { type = "Test.Call" }
deliver = { dir = "out" }
"#;

/// Returns the removed lines and the new lines.
fn changed(edits: &[Edit]) -> (Vec<String>, Vec<String>) {
    let after = edit(FLOW, edits, &common::kinds()).expect("right edits");
    let lines = |of: &str, other: &str| {
        let others: Vec<&str> = other.lines().collect();
        of.lines().filter(|line| !others.contains(line)).map(str::to_owned).collect()
    };
    (lines(FLOW, &after), lines(&after, FLOW))
}

fn name(text: &str) -> String {
    text.to_owned()
}

#[test]
fn connecting_and_disconnecting_change_one_line() {
    let connect = |from: &str, to: &str| Edit::Connect { from: from.into(), to: to.into() };
    let (gone, new) = changed(&[connect("isOdd", "rest")]);
    assert_eq!(gone, ["from   = \"isOdd.false\""]);
    assert_eq!(new, ["from   = [\"isOdd.false\", \"isOdd\"]"]);
    assert_eq!(changed(&[connect("north", "isOdd")]), (vec![], vec![]), "it is so");
    let disconnect = |from: &str, to: &str| Edit::Disconnect { from: from.into(), to: to.into() };
    let (_, new) = changed(&[disconnect("rest.true", "billing")]);
    assert_eq!(new, ["from    = [\"isOdd\"]"]);
    let (gone, new) = changed(&[disconnect("north", "isOdd")]);
    assert_eq!((gone.len(), new), (1, vec!["from = [] # more will come".to_owned()]));
}

#[test]
fn what_is_renamed_is_so_wherever_it_is_named() {
    let rename = |from: &str, to: &str| Edit::Rename { name: from.into(), to: to.into() };
    let (gone, new) = changed(&[rename("isOdd", "odd-ones")]);
    assert_eq!(gone.len(), 3);
    assert_eq!(
        new,
        [
            "[odd.odd-ones]",
            "from   = \"odd-ones.false\"",
            "from    = [\"odd-ones\", \"rest.true\"]"
        ]
    );
    let (_, new) = changed(&[rename("north", "south")]);
    assert_eq!(
        new,
        [
            "[network-element.south]",
            "from = [\"south\"] # more will come",
            "network-elements = [\"south\"]"
        ]
    );
}

#[test]
fn what_is_removed_is_named_nowhere() {
    let (gone, new) = changed(&[Edit::Remove { name: "rest".into() }]);
    assert!(gone.contains(&name("[odd.rest]")), "{gone:?}");
    assert_eq!(new, ["from    = [\"isOdd\"]"]);
    let after = edit(FLOW, &[Edit::Remove { name: "north".into() }], &common::kinds());
    let after = after.expect("a right edit");
    assert!(!after.contains("north") && after.contains("# The flow of our town."), "{after}");
}

/// A flow with many comments, as users write them.
const COMMENTED: &str = r#"# Owner: the mediation team.
# Do not edit by hand.

# of north
[network-element.north]
collect = { dir = "in/north" } # of north too

# ===== Filters =====
# Keep these in order.

# of isOdd
[odd.isOdd]
from = "north" # of isOdd, in one word

# of rest
[odd.rest]
# of rest: streams
from = [ "isOdd.false",   # takes isOdd.false, of rest
  # of rest: not yet
  # of rest: isOdd.maybe
  "isOdd",  # takes isOdd, of rest
  "north" ]
script = "rest.dup"

# ===== Billing =====

[post-processing-system.billing]
from = [
    "isOdd", "north",   # of billing: two
    "rest.true" # takes rest.true, of billing
    # of billing: no more
]
# of billing: the limit

deliver.limit = 5 # octets of billing

# Statistics are drawn elsewhere.

[post-processing-system.other] # of other
from = []

# The end.
"#;

/// Returns the text after an edit between two markers.
fn between(edit_: Edit, start: &str, end: &str) -> String {
    let after = edit(COMMENTED, &[edit_], &common::kinds()).expect("a right edit");
    let from = after.find(start).unwrap_or_else(|| panic!("no {start} in\n{after}"));
    let to = after[from..].find(end).unwrap_or_else(|| panic!("no {end} in\n{after}"));
    after[from..from + to].to_owned()
}

fn connect(from: &str, to: &str) -> Edit {
    Edit::Connect { from: from.into(), to: to.into() }
}

fn disconnect(from: &str, to: &str) -> Edit {
    Edit::Disconnect { from: from.into(), to: to.into() }
}

fn remove(name: &str) -> Edit {
    Edit::Remove { name: name.into() }
}

#[test]
fn a_list_over_many_lines_stays_one_and_keeps_what_is_said_in_it() {
    let rest = |change: Edit| between(change, "from = [", "script");
    let billing = |change: Edit| between(change, "from = [\n", "# of billing: the limit");
    assert_eq!(
        rest(connect("rest.true", "rest")),
        "from = [ \"isOdd.false\",   # takes isOdd.false, of rest\n  # of rest: not yet\n  # of rest: isOdd.maybe\n  \
         \"isOdd\",  # takes isOdd, of rest\n  \"north\",\n  \"rest.true\" ]\n"
    );
    assert_eq!(
        rest(Edit::Rename { name: "isOdd".into(), to: "x".into() }),
        "from = [ \"x.false\",   # takes isOdd.false, of rest\n  # of rest: not yet\n  # of rest: isOdd.maybe\n  \
         \"x\",  # takes isOdd, of rest\n  \"north\" ]\n"
    );
    assert_eq!(
        rest(disconnect("isOdd.false", "rest")),
        "from = [\n  # of rest: not yet\n  # of rest: isOdd.maybe\n  \"isOdd\",  # takes isOdd, of rest\n  \
         \"north\" ]\n"
    );
    assert_eq!(
        rest(disconnect("isOdd", "rest")),
        "from = [ \"isOdd.false\",   # takes isOdd.false, of rest\n  # of rest: not yet\n  # of rest: isOdd.maybe\n  \
         \"north\" ]\n"
    );
    assert_eq!(
        billing(connect("rest.false", "billing")),
        "from = [\n    \"isOdd\", \"north\",   # of billing: two\n    \"rest.true\", # takes rest.true, of billing\n    \"rest.false\"\n    \
         # of billing: no more\n]\n"
    );
    assert_eq!(
        billing(disconnect("north", "billing")),
        "from = [\n    \"isOdd\",   # of billing: two\n    \"rest.true\" # takes rest.true, of billing\n    # of billing: no more\n]\n"
    );
    assert_eq!(
        billing(disconnect("rest.true", "billing")),
        "from = [\n    \"isOdd\", \"north\"   # of billing: two\n    # of billing: no more\n]\n"
    );
}

#[test]
fn a_list_whose_last_word_has_a_comma_goes_on_as_it_is_written() {
    check("[ \"a\", ]", "[ \"a\", \"x\", ]", "[]");
    check("[ \"a\" ]", "[ \"a\", \"x\" ]", "[]");
    check("[\n  \"a\", # one\n]", "[\n  \"a\", # one\n  \"x\",\n]", "[]");
    check("[ \"a\" # one\n]", "[ \"a\", # one\n  \"x\"\n]", "[]");
    check("[ # none\n  \"a\"]", "[ # none\n  \"a\",\n  \"x\"]", "[ # none\n]");
    check("[\"b\",\n\t\"a\"]", "[\"b\",\n\t\"a\",\n\t\"x\"]", "[\"b\"]");
    check("[ # none\n]", "[ # none\n  \"x\"\n]", "[ # none\n]");
}

/// Checks a list with one more word, and without "a".
fn check(list: &str, more: &str, less: &str) {
    let flow = |list: &str| format!("[odd.one]\nfrom = {list} # and so on\n");
    let kinds = common::kinds();
    let after = |change: Edit| edit(&flow(list), &[change], &kinds).expect("a right edit");
    assert_eq!(after(connect("x", "one")), flow(more));
    assert_eq!(after(disconnect("a", "one")), flow(less));
}

#[test]
fn what_stands_before_a_table_that_goes_stays_if_it_is_about_more() {
    assert!(after_all(&[remove("north")]).starts_with(
        "# Owner: the mediation team.\n# Do not edit by hand.\n\n# ===== Filters =====\n"
    ));
    let filters = "# Keep these in order.\n\n";
    assert!(after_all(&[remove("isOdd")]).contains(&format!("{filters}# of rest\n[odd.rest]")));
    let both = after_all(&[remove("isOdd"), remove("rest")]);
    assert!(both.contains(&format!("{filters}# ===== Billing =====\n\n[post")), "{both}");
    let ended = after_all(&[remove("billing"), remove("other")]);
    let end = "# ===== Billing =====\n\n# Statistics are drawn elsewhere.\n\n# The end.\n";
    assert!(ended.replace("\n\n\n", "\n\n").ends_with(end), "{ended}");
    let unset = Edit::Unset { name: "billing".into(), key: "deliver.limit".into() };
    let unset = after_all(&[unset]);
    let kept = "# of billing: the limit\n\n# Statistics are drawn elsewhere.\n";
    assert!(unset.replace("\n\n\n", "\n\n").contains(kept), "{unset}");
}

fn after_all(edits: &[Edit]) -> String {
    edit(COMMENTED, edits, &common::kinds()).expect("right edits")
}

#[test]
fn a_file_whose_lines_end_with_carriage_returns_has_them_still() {
    let with_returns = |text: &str| text.replace('\n', "\r\n");
    let changes = [connect("rest", "other"), remove("north"), disconnect("isOdd", "rest")];
    let after = edit(&with_returns(COMMENTED), &changes, &common::kinds()).expect("right edits");
    assert_eq!(after, with_returns(&after_all(&changes)));
}

#[test]
fn what_is_added_stands_behind_its_kind() {
    let settings = serde_json::json!({
        "encode": {"type": "Test.Call", "codec": "csv", "header": true}, "deliver": {"dir": "out/more"}
    });
    let add = Edit::Add {
        kind: "odd".into(),
        name: "again".into(),
        settings: Default::default(),
        from: vec!["rest".into()],
    };
    let system = Edit::Add {
        kind: "post-processing-system".into(),
        name: "more".into(),
        settings: settings.as_object().expect("an object").clone(),
        from: vec!["again".into(), "again.false".into()],
    };
    let after = edit(FLOW, &[add, system], &common::kinds()).expect("right edits");
    let at = |text: &str| after.find(text).unwrap_or_else(|| panic!("no {text} in\n{after}"));
    assert!(at("[odd.rest]") < at("\n\n[odd.again]\nfrom = \"rest\"\n"), "{after}");
    assert!(at("[odd.again]") < at("[post-processing-system.billing]"), "{after}");
    assert!(
        after.ends_with(
            "\n[post-processing-system.more]\nfrom = [\"again\", \"again.false\"]\n\
             deliver = { dir = \"out/more\" }\n\
             encode = { codec = \"csv\", header = true, type = \"Test.Call\" }\n"
        ),
        "{after}"
    );
    assert_eq!(after.lines().filter(|line| FLOW.contains(line)).count(), FLOW.lines().count() + 2);
}

#[test]
fn a_setting_changes_where_it_stands() {
    let set = |name: &str, key: &str, value: serde_json::Value| Edit::Set {
        name: name.into(),
        key: key.into(),
        value,
    };
    let (_, new) = changed(&[set("north", "collect.dir", "in/n".into())]);
    assert_eq!(new, ["collect = { dir = \"in/n\", pattern = \"*.ber\" }   # each hour"]);
    let (gone, new) = changed(&[set("north", "duplicates.by", "name".into())]);
    assert_eq!((gone.len(), new), (0, vec![name("duplicates = { by = \"name\" }")]));
    let unset = |key: &str| Edit::Unset { name: "rest".into(), key: key.into() };
    assert_eq!(changed(&[unset("script"), unset("none.at.all")]).0, ["script = \"rest.dup\""]);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let refused = |edits: &[Edit]| edit(FLOW, edits, &common::kinds()).expect_err("it cannot be");
    let add = |kind: &str, name: &str| Edit::Add {
        kind: kind.into(),
        name: name.into(),
        settings: Default::default(),
        from: Vec::new(),
    };
    assert_eq!(refused(&[add("odd", "north")]), EditError::Taken(name("north")));
    assert_eq!(refused(&[add("even", "x")]), EditError::Kind(name("even")));
    assert_eq!(refused(&[add("odd", "a b")]), EditError::Name(name("a b")));
    assert_eq!(refused(&[add("odd", "")]), EditError::Name(name("")));
    let connect = Edit::Connect { from: "rest".into(), to: "north".into() };
    assert_eq!(refused(&[connect]), EditError::TakesNothing(name("north")));
    assert_eq!(refused(&[Edit::Remove { name: "x".into() }]), EditError::Unknown(name("x")));
    let null = Edit::Set { name: "rest".into(), key: "script".into(), value: ().into() };
    assert_eq!(refused(&[null]), EditError::Value(name("script")));
    let within = Edit::Set { name: "rest".into(), key: "script.x".into(), value: 1.into() };
    assert_eq!(refused(&[within]), EditError::NoTable(name("script")));
    let no_toml = edit("[odd", &[], &common::kinds());
    assert!(matches!(no_toml, Err(EditError::Text(_))));
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let names = prop::sample::select(vec!["north", "isOdd", "rest", "billing", "new", "other"]);
    let words = prop::sample::select(vec!["north", "isOdd", "isOdd.false", "rest", "new.true"]);
    let kinds = prop::sample::select(vec!["odd", "network-element", "post-processing-system"]);
    prop_oneof![
        (kinds, names.clone()).prop_map(|(kind, name)| Edit::Add {
            kind: kind.into(),
            name: name.into(),
            settings: Default::default(),
            from: Vec::new(),
        }),
        names.clone().prop_map(|name| Edit::Remove { name: name.into() }),
        (names.clone(), names.clone())
            .prop_map(|(name, to)| Edit::Rename { name: name.into(), to: to.into() }),
        (words.clone(), names.clone())
            .prop_map(|(from, to)| Edit::Connect { from: from.into(), to: to.into() }),
        (words, names.clone())
            .prop_map(|(from, to)| Edit::Disconnect { from: from.into(), to: to.into() }),
        (names.clone(), any::<i64>()).prop_map(|(name, number)| Edit::Set {
            name: name.into(),
            key: "deliver.limit".into(),
            value: number.into(),
        }),
        names.prop_map(|name| Edit::Unset { name: name.into(), key: "deliver.limit".into() }),
    ]
}

/// Returns the edit that undoes an edit of the commented flow, and the name in comments that may be lost by it.
fn undone(change: &Edit) -> (Edit, Option<String>) {
    match change.clone() {
        Edit::Add { name, .. } => (remove(&name), None),
        Edit::Remove { name } => {
            let (settings, from) = (Default::default(), Vec::new());
            (Edit::Add { kind: "odd".into(), name: name.clone(), settings, from }, Some(name))
        }
        Edit::Rename { name, to } => (Edit::Rename { name: to, to: name }, None),
        Edit::Connect { from, to } => (disconnect(&from, &to), Some(from)),
        Edit::Disconnect { from, to } => (connect(&from, &to), Some(from)),
        Edit::Set { name, key, .. } => (Edit::Unset { name, key: key.clone() }, Some(key)),
        Edit::Unset { name, key } => {
            (Edit::Set { name, key: key.clone(), value: 5.into() }, Some(key))
        }
    }
}

/// Returns the comments of a text, except those of what is gone.
fn comments(text: &str, gone: Option<&str>) -> Vec<String> {
    let is_of = |comment: &str, gone: &str| match gone {
        "deliver.limit" => comment == "# octets of billing",
        gone => [" of ", " takes "].iter().any(|tag| comment.contains(&format!("{tag}{gone}"))),
    };
    let comments = text.lines().filter_map(|line| Some(format!("#{}", line.split_once('#')?.1)));
    comments.filter(|comment| !gone.is_some_and(|gone| is_of(comment, gone))).collect()
}

proptest! {
    #[test]
    fn what_is_changed_and_undone_has_its_comments_still(change in any_edit(), has_returns: bool) {
        let (undo, gone) = undone(&change);
        let start = if has_returns { COMMENTED.replace('\n', "\r\n") } else { COMMENTED.into() };
        if let Ok(changed) = edit(&start, &[change], &common::kinds()) {
            let after = edit(&changed, &[undo], &common::kinds()).unwrap_or(changed.clone());
            let gone = gone.as_deref();
            prop_assert_eq!(comments(&after, gone), comments(&start, gone), "{}\n{}", changed, after);
        }
    }

    #[test]
    fn a_flow_that_was_changed_is_toml_with_its_comments(edits in prop::collection::vec(any_edit(), 0..20)) {
        let mut text = FLOW.to_owned();
        for change in edits {
            // An edit that fails leaves the text unchanged.
            text = edit(&text, &[change], &common::kinds()).unwrap_or(text);
        }
        prop_assert!(text.parse::<toml_edit::Document<String>>().is_ok(), "{}", text);
        prop_assert!(text.starts_with("# The flow of our town."), "{}", text);
        prop_assert!(text.contains("# one is enough"));
    }
}
