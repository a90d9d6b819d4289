//! Tests that whatever happens to a flow and whatever users do, each part that came is in one place, once.

use proptest::collection::vec;
use proptest::prelude::*;

use super::TWO_HOURS;
use super::ends::{mend, open, refuse, refusing};
use super::flow::Flow;

/// An event in a flow, or an action of a user.
#[derive(Clone, Debug)]
enum Step {
    /// A file of one network element or the other arrives: calls, kinds, numbers and times.
    File(bool, Vec<(u32, usize, u8, u32)>),
    /// Time passes beyond all that came.
    Past,
    /// The flow refuses a call from now on.
    Refuse(u32),
    /// The flow refuses no call from now on.
    Mend,
    /// A user retries the record of a number that may exist, or all records.
    Retry(Option<u32>),
    Discard(u32),
    /// A user ends a group: how, and which call.
    End(usize, u32),
}

fn step() -> impl Strategy<Value = Step> {
    let part = (1_u32..4, 0_usize..4, 1_u8..4, 0_u32..20_000);
    prop_oneof![
        4 => (any::<bool>(), vec(part, 1..6)).prop_map(|(of, parts)| Step::File(of, parts)),
        1 => Just(Step::Past),
        1 => (1_u32..4).prop_map(Step::Refuse),
        1 => Just(Step::Mend),
        2 => prop::option::of(1_u32..8).prop_map(Step::Retry),
        1 => (1_u32..8).prop_map(Step::Discard),
        2 => (0_usize..3, 1_u32..4).prop_map(|(how, call)| Step::End(how, call)),
    ]
}

/// Does a step; returns how many parts came with it.
fn take(flow: &Flow, place: usize, step: &Step) -> usize {
    let put = |element: &str, parts: &[String]| {
        flow.put(element, &format!("{place}.json"), &parts.join("; "));
    };
    let came = match step {
        Step::File(is_boston, parts) => {
            let part = |(call, kind, number, time): &(u32, usize, u8, u32)| {
                let kind = ["first", "middle", "last", "whole"][*kind];
                format!("{call} {kind} {number} @{time} +1")
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            put(if *is_boston { "boston" } else { "chicago" }, &parts);
            parts.len()
        }
        Step::Past => {
            put("boston", &[format!("{} whole 1 @{} +1", 100 + place, 30_000 + place)]);
            put("chicago", &[format!("{} whole 1 @{} +1", 200 + place, 30_000 + place)]);
            2
        }
        Step::Refuse(call) => {
            refuse(flow, *call);
            0
        }
        Step::Mend => {
            mend(flow);
            0
        }
        Step::Retry(number) => {
            let which = number.map_or("--all".into(), |number| number.to_string());
            flow.command(&format!("suspense retry flow.toml {which}"));
            0
        }
        Step::Discard(number) => {
            flow.command(&format!("suspense discard flow.toml {number} --yes --because wrong"));
            0
        }
        Step::End(how, call) => {
            let how = ["release", "suspend", "drop"][*how];
            flow.command(&format!("matching {how} flow.toml {call} --because lost"));
            0
        }
    };
    flow.run();
    came
}

/// Returns how many of the parts that came are delivered, waiting, in suspense, discarded, and dropped.
fn parts(flow: &Flow) -> [usize; 5] {
    let numbers = |text: String, behind: &str| -> usize {
        let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse();
        text.split(behind).skip(1).map(|text| digits(text).unwrap_or(0_usize)).sum()
    };
    let (_, discarded) = flow.command("suspense list flow.toml --state discarded");
    let waiting = flow.command("matching list flow.toml --json").1;
    let report = flow.command("audit flow.toml --json").1;
    let dropped = report.split("{\"day\"").filter(|count| count.contains("\"node\":null"));
    let dropped = dropped.map(|count| numbers(count.into(), "\"dropped\":")).sum();
    let made = numbers(flow.made(), " of ");
    [made, numbers(waiting, "\"records\":"), open(flow), discarded.lines().count(), dropped]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_refused_retried_and_ended_each_part_is_somewhere_once(steps in vec(step(), 1..14), sets_aside in any::<bool>()) {
        let expired = if sets_aside { "suspend" } else { "emit" };
        let flow = refusing(&format!("{TWO_HOURS}\nexpired = \"{expired}\""), 0);
        flow.put("boston", "a.json", "99 whole 1 @0 +1");
        flow.run();
        let mut came = 1;
        for (place, step) in steps.iter().enumerate() {
            came += take(&flow, place, step);
            let parts = parts(&flow);
            prop_assert_eq!(parts.iter().sum::<usize>(), came, "{:?} after {:?}", parts, step);
        }
        flow.audit();
    }
}
