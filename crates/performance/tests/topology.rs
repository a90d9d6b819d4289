//! Topologies: what belongs to what, what is wrong with a table, and objects that only files know.

use std::collections::HashMap;

use diagnostics::{Diagnostic, Source};
use performance::topology::{KINDS_MAX, ObjectId, Topology, TopologyFull};
use proptest::prelude::*;

const NETWORK: &str = "\
object,parent,kind
# Cells come first here; the order of rows does not matter.
NRCellDU=1,Stockholm-1,cell
NRCellDU=2,Stockholm-1,cell
NRCellDU=3,Lund-1,cell
Stockholm-1,north,site
Lund-1,south,site
north,all,region
south,all,region
all,,network
";

fn read(text: &str) -> Result<Topology, Vec<Diagnostic>> {
    Topology::read(&Source::new("topology.csv", text))
}

fn mistakes(text: &str) -> Vec<String> {
    let mistakes = read(text).expect_err(text);
    let line = |mistake: &Diagnostic| {
        let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}{hint}", mistake.line().trim_start_matches("topology.csv:"))
    };
    mistakes.iter().map(line).collect()
}

fn names(topology: &Topology, objects: impl Iterator<Item = ObjectId>) -> Vec<&str> {
    objects.map(|object| topology.name(object)).collect()
}

#[test]
fn objects_have_parents_children_and_kinds() {
    let topology = read(NETWORK).unwrap();
    let object = |name: &str| topology.find(name).unwrap();
    let cell = object("NRCellDU=3");
    assert_eq!(names(&topology, topology.path(cell)), ["NRCellDU=3", "Lund-1", "south", "all"]);
    assert_eq!(names(&topology, topology.children(object("all"))), ["north", "south"]);
    let children = topology.children(object("Stockholm-1"));
    assert_eq!(names(&topology, children), ["NRCellDU=1", "NRCellDU=2"]);
    assert_eq!(topology.children(cell).count(), 0);
    assert_eq!(topology.kind_name(topology.kind(cell)), "cell");
    let sites = topology.find_kind("site").unwrap();
    assert_eq!(names(&topology, topology.of_kind(sites)), ["Stockholm-1", "Lund-1"]);
    let region = topology.find_kind("region").unwrap();
    assert_eq!(topology.within(cell, region), Some(object("south")));
    assert_eq!(topology.within(object("all"), region), None);
    assert_eq!(topology.parent(object("all")), None);
    assert_eq!(
        (topology.len(), topology.find("Malmö"), topology.find_kind("row")),
        (8, None, None)
    );
}

#[test]
fn all_mistakes_have_their_places() {
    for (text, expected) in [
        ("", &["1:1: this table is empty (its first line is object,parent,kind)"][..]),
        ("object,kind\na,b\n", &["1:1: this table has no column \"parent\""]),
        (
            "object,parent,kind\n,a,cell\na,,\n",
            &["2:1: an object has a name", "3:4: an object has a kind"],
        ),
        (
            "object,parent,kind\na,,site\nb,a,cell\na,,site\n",
            &["4:1: \"a\" stands there twice (it is on line 2 too)"],
        ),
        (
            "object,parent,kind\nsite-1,,site\na,site-l,cell\nb,Malmö,cell\n",
            &[
                "3:3: no row is about the parent \"site-l\" (did you mean \"site-1\"?)",
                "4:3: no row is about the parent \"Malmö\" (add a row for it, with no parent if it has none)",
            ],
        ),
        (
            "object,parent,kind\na,s,cell\nb,r,cell\ns,r,site\nr,,region\nc,,cell\n",
            &["3:3: \"r\" is a region, and the parent of a cell is a site (as on line 2)"],
        ),
        (
            "object,parent,kind\nx,a,n\na,b,n\nb,c,n\nc,a,n\nd,d,n\n",
            &[
                "3:3: these are each other's parents: a → b → c → a (leave the parent of the topmost one empty)",
                "6:3: \"d\" is its own parent (leave the parent of the topmost one empty)",
            ],
        ),
    ] {
        let found = mistakes(text);
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn an_object_that_only_a_file_knows_is_below_its_managed_element() {
    let mut topology =
        read("object,parent,kind\n\"SubNetwork=A,ManagedElement=1\",north,gnb\nnorth,,region\n")
            .unwrap();
    let cell = topology.add("SubNetwork=A,ManagedElement=1,GNBDUFunction=1,NRCellDU=3").unwrap();
    let path = names(&topology, topology.path(cell)).join(" < ");
    assert_eq!(
        path,
        "SubNetwork=A,ManagedElement=1,GNBDUFunction=1,NRCellDU=3 < SubNetwork=A,ManagedElement=1 < north"
    );
    assert_eq!(topology.kind_name(topology.kind(cell)), "NRCellDU");
    assert_eq!(topology.add(topology.name(cell).to_owned().as_str()), Ok(cell));
    let other = topology.add("ManagedElement=2,NRCellDU=3").unwrap();
    let element = topology.parent(other).unwrap();
    assert_eq!(topology.name(element), "ManagedElement=2");
    assert_eq!(topology.kind_name(topology.kind(element)), "ManagedElement");
    assert_eq!(topology.parent(element), None);
    let second = topology.add("ManagedElement=2,NRCellDU=4").unwrap();
    assert_eq!(topology.children(element).collect::<Vec<_>>(), [other, second]);
    let plain = topology.add("somewhere").unwrap();
    assert_eq!((topology.kind_name(topology.kind(plain)), topology.parent(plain)), ("", None));
    assert_eq!(topology.len(), 7);
}

#[test]
fn kinds_have_an_end() {
    let mut topology = Topology::default();
    for kind in 0..KINDS_MAX {
        topology.add(&format!("Class{kind}=1")).unwrap();
    }
    assert_eq!(topology.add("Other=1"), Err(TopologyFull::Kinds));
    assert_eq!(topology.len(), KINDS_MAX, "nothing of it is there");
    assert!(topology.add("Class7=2").is_ok());
}

#[test]
fn deep_chains_and_long_circles_do_not_recurse() {
    let count = 200_000;
    let chain: String = (1..count).map(|at| format!("o{at},o{},n\n", at - 1)).collect();
    let topology = read(&format!("object,parent,kind\n{chain}o0,,n\n")).unwrap();
    let last = topology.find(&format!("o{}", count - 1)).unwrap();
    assert_eq!(topology.path(last).count(), count);
    let circle = mistakes(&format!("object,parent,kind\n{chain}o0,o{},n\n", count - 1));
    assert_eq!(circle.len(), 1);
    assert!(
        circle[0].starts_with("2:4: these are each other's parents: o1 → o0 → o199999 → "),
        "{circle:?}"
    );
    assert!(circle[0].contains("→ o199994 → … → o1 ("), "{circle:?}");
    let unknown: String = (0..20_000).map(|at| format!("o{at},p{at},n\n")).collect();
    assert_eq!(mistakes(&format!("object,parent,kind\n{unknown}")).len(), 20_000);
}

proptest! {
    /// Each object has a number, and its parent is any of the numbers before it or none.
    #[test]
    fn a_tree_is_what_its_rows_say(parents in prop::collection::vec(any::<Option<prop::sample::Index>>(), 1..60), seed: u64) {
        let parent = |at: usize| parents[at].filter(|_| at > 0).map(|index| index.index(at));
        let mut rows: Vec<usize> = (0..parents.len()).collect();
        // Rows in any order.
        rows.sort_by_key(|row| (*row as u64 ^ 0x5bd1).wrapping_mul(seed | 1) >> 7);
        let line = |at: &usize| {
            format!("o{at},{},n\n", parent(*at).map(|parent| format!("o{parent}")).unwrap_or_default())
        };
        let text: String = rows.iter().map(line).collect();
        let topology = read(&format!("object,parent,kind\n{text}")).unwrap();
        let id = |at: usize| topology.find(&format!("o{at}")).unwrap();
        let mut children: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for at in rows {
            prop_assert_eq!(topology.parent(id(at)), parent(at).map(id));
            if let Some(parent) = parent(at) {
                children.entry(id(parent)).or_default().push(id(at));
            }
        }
        for object in topology.objects() {
            let expected = children.remove(&object).unwrap_or_default();
            prop_assert_eq!(topology.children(object).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn any_table_is_read_or_has_mistakes(rows in prop::collection::vec(("[a-d]?", "[a-e]?", "[kl]?"), 0..12)) {
        let text: String = rows.iter().map(|(object, parent, kind)| format!("{object},{parent},{kind}\n")).collect();
        match read(&format!("object,parent,kind\n{text}")) {
            Ok(topology) => {
                for object in topology.objects() {
                    prop_assert!(topology.path(object).count() <= topology.len());
                }
            }
            Err(mistakes) => prop_assert!(!mistakes.is_empty()),
        }
    }
}
