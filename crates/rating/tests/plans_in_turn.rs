//! Plans that follow one another: which one prices a usage.

use std::fs;
use std::path::Path;

use rating::{Moment, Plan, Plans};
use tempfile::TempDir;

/// Returns the example's plan with another name.
fn plan(name: &str) -> Plan {
    let folder = TempDir::new().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff");
    for file in fs::read_dir(example).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let path = folder.path().join("tariff.toml");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.starts_with("name = ")).unwrap().to_owned();
    fs::write(&path, text.replace(&line, &format!("name = \"{name}\""))).unwrap();
    Plan::read(folder.path()).plan.expect("a plan")
}

fn plans(of: &[(Moment, &str)]) -> Plans {
    Plans::in_turn(of.iter().map(|(from, name)| (*from, plan(name))).collect())
}

fn names<const N: usize>(plans: &Plans, at: [Moment; N]) -> [&str; N] {
    at.map(|at| plans.at(at).map_or("none", |plan| plan.name()))
}

#[test]
fn plans_that_take_the_place_of_others_price_what_begins_from_then_on() {
    let first = plans(&[(Moment::MIN, "a"), (100, "b"), (300, "c")]);
    let second = plans(&[(Moment::MIN, "d"), (150, "e"), (400, "f")]);
    let then = |others: &Plans, since| first.before(since).then(others.clone(), since);
    let both = then(&second, 200);
    let at = [0, 99, 100, 199, 200, 300, 399, 400, Moment::MAX];
    assert_eq!(names(&both, at), ["a", "a", "b", "b", "e", "e", "e", "f", "f"]);
    // At the moment of another plan, and before all of them.
    assert_eq!(names(&then(&second, 100), [99, 100, 150]), ["a", "d", "e"]);
    assert_eq!(names(&then(&second, Moment::MIN), [0, 150]), ["d", "e"]);
    let late = then(&plans(&[(500, "g")]), 200);
    assert_eq!(names(&late, [199, 200, 499, 500]), ["b", "b", "b", "g"]);
}

#[test]
fn plans_are_forgotten_that_have_ended_or_are_too_many() {
    let all = plans(&[(Moment::MIN, "a"), (100, "b"), (200, "c"), (300, "d")]);
    let left = |until, most| {
        let mut left = all.clone();
        left.forget(until, most);
        let names: Vec<String> = left.all().map(|plan| plan.name().to_owned()).collect();
        assert_eq!(left.at(Moment::MIN).map(|plan| plan.name()), Some(&names[0][..]));
        names.concat()
    };
    let expected = [((99, 9), "abcd"), ((100, 9), "bcd"), ((250, 9), "cd"), ((900, 9), "d")];
    for ((until, most), names) in expected {
        assert_eq!(left(until, most), names);
    }
    assert_eq!((left(0, 2), left(0, 0)), ("cd".to_owned(), "d".to_owned()));
}
