//! Tests counters that are without a node, or may belong to other subscribers: they are an alarm, until a request says
//! what becomes of them.

#[cfg(unix)]
use super::site::Gateway;
use super::site::{
    alarms, billed, call_of, change, counters, counting, prices, put, rename, run, tollgate,
};
use crate::common::wait::wait_for;

#[test]
fn counters_of_a_node_that_has_another_name_are_missed_and_moved() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    rename(here, "price", "cost");
    // A subscriber that both names have counted, and one that only the new name has.
    let calls = [call_of(900, "0701234567", "20261006"), call_of(60, "0707654321", "20261006")];
    put(here, "two.csv", &calls.concat());
    run(here, "run flow.toml --once");
    assert!(
        alarms(here)
            .contains("the journal has counters of \"price\", but the flow has no rating node")
    );
    let command = |line: &str| run(here, &format!("tariff counters flow.toml {line}"));
    for (line, said) in [
        (
            "--move prise cost --because renamed",
            "no counters of \"prise\"; there are some of \"cost\", \"price\"",
        ),
        (
            "--move price csot --because renamed",
            "the flow has no node \"csot\" that keeps counters",
        ),
        (
            "--move cost price --because renamed",
            "\"cost\" is a node of the flow, and its counters count",
        ),
        (
            "--forget cost --because mistake",
            "\"cost\" is a node of the flow, and its counters count",
        ),
        ("--accept cost --because equal", "there is nothing to accept"),
        ("--move price cost", "--because"),
        ("46701234567 --move price cost --because renamed", "cannot be used with"),
    ] {
        let (status, told) = command(line);
        assert!(status == 2 && told.contains(said), "{line}: {told}");
    }
    let mut moves = tollgate(here, "tariff counters flow.toml --move price cost --because renamed");
    assert_eq!(
        String::from_utf8_lossy(&moves.output().unwrap().stdout),
        "the counters of 1 subscriber go from \"price\" to \"cost\"; 1 had been counted under both names: that is \
         added up\n"
    );
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("2026-10\t5900\tseconds"));
    let trail = tollgate(here, "trail flow.toml").output().unwrap().stdout;
    let trail = String::from_utf8(trail).unwrap();
    assert!(trail.contains("counters move") && trail.contains("renamed"), "{trail}");
    put(here, "three.csv", &call_of(160, "0701234567", "20261007"));
    run(here, "run flow.toml --once");
    assert_eq!(prices(here, "three"), ["60"], "100 seconds were left");
    // The old name again, and the counters forgotten.
    rename(here, "cost", "price");
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("\"cost\""));
    assert_eq!(command("--forget cost --because test").0, 0);
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("no counters of \"46701234567\" are kept"));
}

#[test]
fn a_node_that_says_otherwise_whose_counters_count_a_record_is_an_alarm() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    let path = here.join("flow.toml");
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let kept = "counters = \"kept\"";
    let account = format!("{kept}\naccount  = 'concat(\"+\", record.served)'");
    change(&path, kept, &account);
    run(here, "run flow.toml --once");
    let told = "\"price\" has counters from before a change of the settings";
    assert!(alarms(here).contains(told), "{}", alarms(here));
    let accept = "tariff counters flow.toml --accept price --because alike";
    let forget = "tariff counters flow.toml --forget price --because other";
    change(&path, &account, kept);
    run(here, "run flow.toml --once");
    assert_eq!(alarms(here), "", "it is as it was");
    assert_eq!(run(here, accept).0, 2, "there is nothing to accept");
    change(&path, kept, &account);
    run(here, "run flow.toml --once");
    assert!(!alarms(here).is_empty());
    assert_eq!(run(here, accept).0, 0);
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("\t5000\tseconds"), "they count on");
    change(&path, &account, kept);
    run(here, "run flow.toml --once");
    assert_eq!(run(here, forget).0, 0);
    assert_eq!(alarms(here), "");
    assert!(counters(here, "46701234567").contains("no counters of"));
}

#[test]
fn what_was_counted_for_one_account_is_told_from_what_was_for_another() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    let path = here.join("flow.toml");
    let account = |of: &str| format!("counters = \"kept\"\naccount  = '{of}'");
    let [served, other, alike] = [
        "counters = \"kept\"".to_owned(),
        account("concat(\"x\", record.served)"),
        account("concat(\"x\", concat(record.served, \"\"))"),
    ];
    let count = |file: &str, calls: &[(u32, &str)]| {
        let calls = calls.iter().map(|(seconds, served)| call_of(*seconds, served, "20261006"));
        put(here, file, &calls.collect::<String>());
        run(here, "run flow.toml --once");
    };
    let forget = || {
        let line = "tariff counters flow.toml --forget price --because other";
        let output = tollgate(here, line).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let used = |whose: &str| {
        let counted = counters(here, whose);
        counted.split_whitespace().nth(4).unwrap_or_default().parse().unwrap_or(0)
    };
    run(here, "run flow.toml --once");
    // Another account for a while: it has a bundle of its own, which must not be overlooked.
    change(&path, &served, &other);
    count("two.csv", &[(1_000, "0701234567"), (1_000, "0707654321")]);
    change(&path, &other, &served);
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("counters-keyed-otherwise"), "{}", alarms(here));
    assert_eq!((used("46701234567"), used("x0701234567")), (5_000, 1_000));
    assert_eq!(forget(), "the counters of 2 subscribers in \"price\" are forgotten\n");
    assert_eq!((used("46701234567"), used("x0701234567")), (5_000, 0));
    assert_eq!(alarms(here), "");
    // Another account for good: what it has counted meanwhile stays.
    change(&path, &served, &other);
    count("three.csv", &[(900, "0701234567")]);
    assert_eq!(forget(), "the counters of 1 subscriber in \"price\" are forgotten\n");
    assert_eq!((used("46701234567"), used("x0701234567")), (0, 900));
    assert_eq!(alarms(here), "");
    // Counters that both accounts have used are not forgotten for one of them.
    change(&path, &other, &alike);
    count("four.csv", &[(100, "0701234567"), (100, "0707654321")]);
    change(&path, &alike, &other);
    run(here, "run flow.toml --once");
    assert!(alarms(here).contains("counters-keyed-otherwise"), "{}", alarms(here));
    assert_eq!(
        forget(),
        "the counters of 1 subscriber in \"price\" are forgotten; those of 1 subscriber stay, which were counted by \
         what the node says now too\n"
    );
    assert_eq!((used("x0701234567"), used("x0707654321")), (1_000, 0));
    assert_eq!(alarms(here), "");
    assert_eq!(run(here, "tariff counters flow.toml --accept price --because alike").0, 2);
}

#[cfg(unix)]
#[test]
fn counters_are_changed_between_two_files_of_a_gateway_that_counts() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    run(here, "run flow.toml --once");
    rename(here, "price", "cost");
    let mut command = tollgate(here, "run flow.toml");
    let quiet = std::process::Stdio::null;
    let gateway = Gateway(command.stdout(quiet()).stderr(quiet()).spawn().unwrap());
    wait_for("the alarm", || !alarms(here).is_empty());
    let (status, said) = run(here, "tariff counters flow.toml --move price cots --because renamed");
    assert!(status == 2 && said.contains("no node \"cots\" that keeps counters"), "{said}");
    let moves = "tariff counters flow.toml --move price cost --because renamed";
    let (status, said) = run(here, moves);
    assert_eq!((status, alarms(here).as_str()), (0, ""), "{said}");
    let (status, said) = run(here, moves);
    assert!(status == 2 && said.contains("no counters of \"price\""), "{said}");
    // The node goes on counting from the value that it was given.
    put(here, "two.csv", &call_of(2_000, "0701234567", "20261006"));
    wait_for("the next file", || !billed(here, "two").is_empty());
    assert_eq!(prices(here, "two"), ["1000"], "1,000 seconds of the bundle were left");
    drop(gateway);
    let trail = tollgate(here, "trail flow.toml").output().unwrap().stdout;
    let trail = String::from_utf8(trail).unwrap();
    assert_eq!(trail.matches("counters move").count(), 1, "{trail}");
}

#[test]
fn requests_for_counters_are_carried_out_once_by_the_next_gateway() {
    let folder = counting(&call_of(60, "0701234567", "20261005"));
    let here = folder.path();
    run(here, "run flow.toml --once");
    rename(here, "price", "cost");
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    let ask = |deed: &str, now_by: &str| {
        let insert = "INSERT INTO kept_asked (who, reason, deed) VALUES ('olaf', 'renamed', ?)";
        let wish = format!("{{\"deed\":{deed},\"now-by\":{now_by}}}");
        journal.execute(insert, [wish]).unwrap();
    };
    // These requests were interrupted before they were done. A request that is refused, or of another version, does not
    // block others. The third was made while the node existed and had a key; it does not decide about the counters now
    // that the node is gone.
    ask("{\"forget\":\"prise\"}", "null");
    ask("{\"halve\":\"price\"}", "null");
    ask("{\"forget\":\"price\"}", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]");
    ask("{\"move\":{\"from\":\"price\",\"to\":\"cost\"}}", "null");
    run(here, "run flow.toml --once");
    assert_eq!(alarms(here), "");
    let answers = "SELECT group_concat(answer, ' ') FROM kept_asked WHERE is_over = 1 ORDER BY id";
    let answers: String = journal.query_row(answers, [], |row| row.get(0)).unwrap();
    assert_eq!((answers.matches("refused").count(), answers.matches("done").count()), (3, 1));
    assert!(counters(here, "46701234567").starts_with("cost\t"));
    // The gateway was killed after the request was done and before that was reported: it is not done again.
    journal.execute("UPDATE kept_asked SET is_over = 0", []).unwrap();
    run(here, "run flow.toml --once");
    let open = "SELECT count(*) FROM kept_asked WHERE is_over = 0";
    assert_eq!(journal.query_row(open, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    let trail = tollgate(here, "trail flow.toml").output().unwrap().stdout;
    let trail = String::from_utf8(trail).unwrap();
    assert_eq!(
        (trail.matches("counters move").count(), trail.contains("olaf")),
        (1, true),
        "{trail}"
    );
}
