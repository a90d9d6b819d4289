//! Tests that each record counts once: by sums, by earlier records, and by a model of the whole.

use proptest::prelude::*;
use rusqlite::Connection;

use super::flow::Flow;
use super::model::{self, Scene, Step};
use super::{TWO_HOURS, check};

const SECONDS: &str = "audit = { seconds = \"record.seconds\" }";

#[test]
fn records_that_are_to_pass_and_that_nobody_takes_are_warned_of() {
    let flow =
        Flow::new("wait = { record-time = \"2 hours\", arrival = \"1 day\" }\nlate = \"pass\"");
    let (status, said) = flow.command("check flow.toml");
    let warning = "flow.toml:15:9: warning: nothing takes \"calls.late\"";
    assert!(status == 0 && said.contains(warning) && !said.contains("calls.duplicate"), "{said}");
    flow.edit(
        "[post-processing-system.billing]",
        "[post-processing-system.late]\nfrom = \"calls.late\"\nencode = { codec = \"json\" }\n\
         deliver = { dir = \"late\" }\n[post-processing-system.billing]",
    );
    let (status, said) = flow.command("check flow.toml");
    assert!(status == 0 && !said.contains("warning"), "{said}");
}

#[test]
fn a_record_of_a_group_that_was_released_does_not_come_again() {
    let parts = "7 first 1 @0 +60; 7 last 2 @60 +1";
    let (begin, pass) = ("late = \"begin\"", "late = \"begin\"\nduplicate = \"pass\"");
    for (files, table, made, account) in [
        (
            format!("boston: {parts} | boston: {parts}"),
            begin,
            "of 2",
            "4 = 1 delivered, 1 held, 2 suspended",
        ),
        (
            format!("boston: {parts} | chicago: {parts}"),
            pass,
            "of 2",
            "4 = 1 delivered, 2 filtered, 1 held",
        ),
        (format!("boston: {parts}; {parts}"), begin, "of 2", "4 = 1 delivered, 1 held, 2 suspended"),
        // Half of the call waits, and is released in the file in which the part comes again.
        (
            "boston: 7 first 1 @0 +60 | boston: 7 last 2 @60 +1; 7 first 1 @0 +60".into(),
            begin,
            "of 2",
            "3 = 1 delivered, 1 held, 1 suspended",
        ),
        // The record waits, and its time is over.
        (
            "boston: 7 first 1 @0 +61; 8 whole 1 @7201 +1; 7 first 1 @0 +61 | chicago: 9 whole 1 @7201 +1".into(),
            begin,
            "of 1, 8 @7201 +1 of 1, 9 @7201 +1 of 1",
            "4 = 2 delivered, 1 held, 1 suspended",
        ),
        // A different record begins a group.
        (
            format!("boston: {parts} | boston: 7 whole 1 @61 +5"),
            begin,
            "of 2, 7 @61 +5 of 1",
            "3 = 2 delivered, 1 held",
        ),
    ] {
        check(&format!("{TWO_HOURS}\n{table}"), &files, &format!("7 @0 +61 {made}"), account);
    }
}

#[test]
fn what_comes_to_a_node_is_what_goes_on_and_what_waits() {
    let files = "chicago: 8 whole 1 @9000 +1 | boston: 7 first 1 @0 +60; 5 first 1 @9000 +3 | \
                 boston: 5 last 2 @9001 +4; 9 whole 1 @9000 +1; 4 first 1 @9001 +100";
    let after = "8 @9000 +1 of 1, 9 @9000 +1 of 1";
    for (expired, made, seven) in [
        ("emit", format!("5 @9000 +7 of 2, 7 @0 +60 of 1, {after}"), "emitted         68"),
        ("drop", format!("5 @9000 +7 of 2, {after}"), "dropped         60"),
        ("suspend", format!("5 @9000 +7 of 2, {after}"), "aside           60"),
    ] {
        let table = format!("{TWO_HOURS}\nexpired = \"{expired}\"\n{SECONDS}");
        let flow = check(&table, files, &made, "6 = 3 delivered, 3 held");
        let (_, said) = flow.command("audit flow.toml --network-element boston");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = words(&said);
        for line in ["came 168 of 5", "waited 63 of 2", "kept 163 of 3", &words(seven)] {
            assert!(said.contains(line), "{expired}: {line}: {said}");
        }
    }
}

#[test]
fn a_part_that_is_left_out_and_one_that_counts_twice_are_seen_by_the_audit() {
    const LOOP: &str = "place < count(parts); place += 1) { call.seconds += parts[place].seconds";
    for (with, made, went) in [
        (LOOP.to_owned(), "7 @0 +61 of 2", None),
        (LOOP.replace("(parts)", "(parts) - 1"), "7 @0 +60 of 2", Some("60")),
        (LOOP.replace("+= parts", "+= 2 * parts"), "7 @0 +122 of 2", Some("122")),
    ] {
        let flow = Flow::new(&format!("{TWO_HOURS}\n{SECONDS}"));
        let script = std::fs::read_to_string(flow.path().join("calls.dup")).unwrap();
        assert!(script.contains(LOOP), "{script}");
        std::fs::write(flow.path().join("calls.dup"), script.replace(LOOP, &with)).unwrap();
        flow.put("boston", "0.json", "7 first 1 @0 +60");
        flow.run();
        flow.put("boston", "1.json", "7 last 2 @60 +1");
        flow.run();
        assert_eq!(flow.made(), made);
        let difference = |went| {
            format!(
                "boston/1.json: the seconds of what came to calls and waited there is 61, of what went on, waits or \
                 was given up {went}"
            )
        };
        let (status, said) = flow.command("audit flow.toml");
        assert_eq!(status, i32::from(went.is_some()), "{said}");
        assert!(went.is_none_or(|went| said.contains(&difference(went))), "{said}");
    }
    // The name of the field in the output may differ, and a group that began before anything was summed proves nothing.
    let flow = Flow::new(TWO_HOURS);
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    flow.edit(TWO_HOURS, &format!("{TWO_HOURS}\naudit = {{ parts = \"1 = record.parts\" }}"));
    flow.put("boston", "1.json", "7 last 2 @60 +1; 8 first 1 @0 +1");
    flow.run();
    flow.put("boston", "2.json", "8 last 2 @60 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +61 of 2, 8 @0 +2 of 2");
    flow.audit();
    let flow = Flow::new(&format!(
        "{TWO_HOURS}\naudit = {{ seconds = \"record.number = record.price\" }}"
    ));
    let (status, said) = flow.command("check flow.toml");
    assert!(status > 0 && said.contains("flow.toml:15:45: CALLS.Call has no field"), "{said}");
}

#[test]
fn what_waits_is_what_files_left_there_also_when_these_are_forgotten_or_the_sum_is_another() {
    let flow = Flow::new(&format!("{TWO_HOURS}\n{SECONDS}"));
    flow.edit("[asn1]", "[state]\nkeep = \"1 second\"\n[asn1]");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 8 first 1 @0 +5");
    flow.run();
    flow.put("boston", "1.json", "7 last 2 @60 +1; 9 first 1 @0 +7");
    flow.run();
    flow.audit();
    // From now on the sum is computed differently, and then not at all.
    flow.edit("record.seconds\" }", "record.seconds + 1 = record.seconds + record.parts\" }");
    flow.put("boston", "2.json", "8 last 2 @1 +1; 6 first 1 @0 +2");
    flow.run();
    flow.audit();
    flow.edit("audit = {", "# audit = {");
    flow.put("boston", "3.json", "9 last 2 @1 +1");
    flow.run();
    flow.audit();
    // Files without waiting records are forgotten, others stay.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    flow.run();
    let journal = Connection::open(flow.path().join("flow.state/journal.db")).unwrap();
    let files = journal.query_row("SELECT count(*) FROM file", [], |row| row.get::<_, i64>(0));
    assert_eq!(files.unwrap(), 1);
    flow.audit();
}

#[test]
fn a_group_that_grew_while_its_sum_was_another_is_held_against_none() {
    for (written, other) in [
        ("record.seconds\" }", "record.seconds + 1 = record.seconds + record.parts\" }"),
        ("audit = {", "# audit = {"),
    ] {
        let flow = Flow::new(&format!("{TWO_HOURS}\n{SECONDS}"));
        flow.put("boston", "0.json", "7 first 1 @0 +60; 8 first 1 @0 +5");
        flow.run();
        flow.audit();
        flow.edit(written, other);
        flow.put("boston", "1.json", "7 middle 2 @60 +30");
        flow.run();
        flow.audit();
        flow.edit(other, written);
        flow.put("boston", "2.json", "7 last 3 @90 +1; 8 last 2 @1 +1");
        flow.run();
        flow.audit();
        assert_eq!(flow.made(), "7 @0 +91 of 3, 8 @0 +6 of 2");
    }
}

#[test]
fn a_journal_in_which_what_waits_was_changed_does_not_agree() {
    for (change, said) in [
        (
            "UPDATE amount SET low = low + 1 WHERE side = 'kept'",
            "the seconds of what files left in calls and nothing has taken from there is 61 (of 1 records), of the groups \
             that wait there 60 (of 1)",
        ),
        ("UPDATE group_batch SET sums = '[]'", "of the groups that wait there 0 (of 0)"),
        (
            "DELETE FROM amount WHERE side = 'kept'",
            "nothing has taken from there is 0 (of 0 records)",
        ),
        ("UPDATE held_node SET open = 2", "2 groups wait in calls by its own count, 1 are there"),
        ("UPDATE group_batch SET job = 17", "1 records wait in calls that no file has left there"),
        ("DELETE FROM group_state", "1 records wait in calls, 0 are there"),
        ("DELETE FROM group_page", "1 records wait in calls, 0 are there"),
    ] {
        let flow = Flow::new(&format!("{TWO_HOURS}\n{SECONDS}"));
        flow.put("boston", "0.json", "7 first 1 @0 +60");
        flow.run();
        flow.audit();
        let journal = Connection::open(flow.path().join("flow.state/journal.db")).unwrap();
        assert!(journal.execute(change, []).unwrap() > 0);
        let (status, shown) = flow.command("audit flow.toml");
        assert!(status == 1 && shown.contains(said), "{change}: {shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn calls_become_what_a_model_of_them_says(scene in model::scene()) {
        let Scene { steps, made } = scene;
        let flow = Flow::new(model::TABLE);
        for (place, step) in steps.iter().enumerate() {
            match step {
                Step::File { element, lines } => {
                    flow.put(["boston", "chicago"][*element], &format!("{place}.json"), &lines.join("; "));
                }
                Step::Run => drop(flow.run()),
                Step::Kill(milliseconds) => flow.run_for(std::time::Duration::from_millis(*milliseconds)),
            }
        }
        flow.run();
        prop_assert_eq!(flow.made(), made);
        flow.audit();
    }
}
