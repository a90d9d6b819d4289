//! Changes of a flow's text leave what they are not about as it is.

#[allow(dead_code)]
mod common;

use flow::drawing::{Edit, EditError, edit};
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

# What nobody pays.
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

/// The lines that are gone and those that are new.
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

proptest! {
    #[test]
    fn a_flow_that_was_changed_is_toml_with_its_comments(edits in prop::collection::vec(any_edit(), 0..20)) {
        let mut text = FLOW.to_owned();
        for change in edits {
            // Who may not be added or changed is not: the text stays.
            text = edit(&text, &[change], &common::kinds()).unwrap_or(text);
        }
        prop_assert!(text.parse::<toml_edit::ImDocument<String>>().is_ok(), "{}", text);
        prop_assert!(text.starts_with("# The flow of our town."), "{}", text);
        prop_assert!(text.contains("# one is enough"));
    }
}
