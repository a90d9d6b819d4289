//! Tests the benchmarks of threads, processes, groups and transports, with very little work: the results cover what was
//! done.
#![cfg(target_os = "linux")]

use std::process::Command;

use serde_json::Value;

fn scaling(more: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args("bench scaling --megabytes 2 --rounds 1".split(' ')).args(more.split_whitespace());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn scaling_measures_threads_processes_and_groups_and_simulates_more_processors() {
    let found: Value = serde_json::from_str(&scaling("--json")).unwrap();
    let measured = names(&found["rows"]);
    for name in
        ["1 thread", "2 threads", "2 processes, 1 thread each", "as it chooses itself", "1 group"]
    {
        assert!(measured.contains(&name), "{measured:?}");
    }
    for row in found["rows"].as_array().unwrap() {
        assert!(row["records_per_second"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["waits"].as_u64().unwrap() > 0, "{row}");
    }
    for ratio in
        ["threads_2_over_1", "processes_2_over_1", "best_over_chosen", "one_file_over_many"]
    {
        assert!(found["ratios"][ratio].as_f64().unwrap() > 0.0, "{ratio}");
    }
    let of_four = |row: &&Value| row["processors"] == 4 && row["name"] != "4 threads";
    let simulated = found["simulated"].as_array().unwrap().iter();
    let simulated = Value::Array(simulated.filter(of_four).cloned().collect());
    let ways =
        ["4 groups, evenly", "4 groups, by load", "3 groups, third and fourth together", "1 group"];
    assert_eq!(names(&simulated), ways);
}

#[test]
fn a_table_says_which_figures_are_simulated() {
    let table = scaling("");
    let (measured, simulated) = table.split_once("\nsimulated ").unwrap();
    assert!(measured.contains("\n2 threads ") && simulated.contains("\n1 group "), "{table}");
}

#[test]
fn transfers_are_measured_beside_folders() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args("bench transport --megabytes 4 --rounds 1 --json".split(' '));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("is delivered"), "what goes well is not told: {said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = names(&found["rows"]);
    for name in ["folders, 1 thread", "SFTP in and out, 1 thread"] {
        assert!(rows.contains(&name), "{rows:?}");
    }
    for ratio in ["trace_over_plain", "sftp_over_local"] {
        assert!(found["ratios"][ratio].as_f64().unwrap() > 0.0, "{ratio}");
    }
}

/// The measurement fails by itself if a call is not paid, or if the sums differ.
#[test]
fn calls_are_charged_with_accounts_that_last_and_in_memory() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let line = "bench charging --accounts 500 --calls 1000 --start-accounts 1000 --overload-seconds 1 --json";
    command.args(line.split(' '));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for ratio in [
        "durable_over_granting",
        "all_in_over_granting",
        "journal_over_append",
        "second_worker",
        "optimised_over_not",
        "answer_wait_over_sync",
        "million_accounts_load_seconds",
        "overload_goodput",
    ] {
        assert!(found["ratios"][ratio].as_f64().unwrap() > 0.0, "{ratio}");
    }
}

#[test]
fn the_start_of_a_gateway_that_has_done_many_files_is_measured() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let folder = tempfile::tempdir().unwrap();
    let line =
        "bench journal --large-files 0 --small-files 0 --journaled-files 20000 --json --folder";
    command.args(line.split(' ')).arg(folder.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for ratio in ["start_seconds_after_clean_end", "start_seconds_after_kill"] {
        assert!(found["ratios"][ratio].as_f64().unwrap() > 0.0, "{ratio}");
    }
    let journal = folder.path().join("tollgate-bench/starting/flow.state/journal.db");
    let journal = rusqlite::Connection::open(journal).unwrap();
    let files = |of: &str| -> i64 {
        let count = format!("SELECT count(DISTINCT file) FROM {of}");
        journal.query_row(&count, [], |row| row.get(0)).unwrap()
    };
    for of in ["output", "passage", "trace"] {
        assert_eq!(files(of), 20_000 + 4, "{of}");
    }
}

/// A folder that is given is emptied if an earlier benchmark made it.
#[test]
fn a_benchmark_works_in_a_folder_that_is_given_and_touches_nothing_there_that_it_did_not_make() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str, within: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(folder.path().join(within)).arg("bench").args(line.split(' '));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let small = [
        "journal --large-files 0 --small-files 4 --journaled-files 0",
        "matching --groups 10",
        "gateway --megabytes 1 --memory-megabytes 0",
        "transport --megabytes 1 --rounds 1",
    ];
    std::fs::create_dir(folder.path().join("given")).unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/letter"), "dear").unwrap();
    for line in small {
        // From within the folder, where another benchmark has worked before.
        let (status, said) = run(&format!("{line} --folder ."), "given");
        assert_eq!(status, Some(0), "{line}: {said}");
        assert!(folder.path().join("given/tollgate-bench").is_dir(), "{line}");
        let (status, said) = run(&format!("{line} --folder mine"), ".");
        let refused = "\"mine\" has \"letter\" in it, which no benchmark made";
        assert!(status == Some(2) && said.contains(refused), "{line}: {said}");
        let letter = std::fs::read_to_string(folder.path().join("mine/letter")).unwrap();
        assert_eq!(letter, "dear", "{line}");
    }
    // A folder with another file beside the benchmark's own is refused, and so is one with a folder of that name that
    // no benchmark made.
    std::fs::write(folder.path().join("given/letter"), "dear").unwrap();
    let (status, said) = run(&format!("{} --folder given", small[1]), ".");
    assert!(status == Some(2) && said.contains("\"letter\""), "{said}");
    std::fs::create_dir_all(folder.path().join("other/tollgate-bench")).unwrap();
    let (status, said) = run(&format!("{} --folder other", small[1]), ".");
    assert!(status == Some(2) && said.contains("\"tollgate-bench\""), "{said}");
}

#[test]
fn people_who_look_are_measured_beside_nobody() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args("bench gateway --viewers 2 --megabytes 200 --rounds 1 --json".split(' '));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = names(&found["rows"]);
    assert!(rows.contains(&"the same, 2 viewers"), "{rows:?}");
    assert!(found["ratios"]["viewed_over_alone"].as_f64().unwrap() > 0.0, "{found}");
}
