//! Tests the book: every command in it works, every script in it compiles, and every flow file in it is valid.

use crate::servers;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Commands that end with 1 because some records are in suspense, an alarm is raised, or something would change, as the
/// text says.
const FINDS_FAULTS: &[&str] = &[
    "tollgate run flow.toml --once",
    "tollgate run --once",
    "tollgate run flow.toml --once --workers 1",
    "tollgate run trial/flow.toml --once --workers 1",
    "tollgate alarms flow.toml",
    "tollgate deliveries list flow.toml",
    "tollgate asn1 decode -m asn1/msc.asn1 -t MSC.CallDataRecord in/boston/boston-00002.ber.done",
    "tollgate replay flow.toml --with new/home_v8.dup",
    "tollgate replay flow.toml --files \"boston-*\" --network-element msc-boston --with new/home_v8.dup --show 3",
    "tollgate replay flow.toml --with new/home_v8.dup --json > differences.json",
    "tollgate audit flow.toml --file boston-00006.ber",
    "tollgate replay flow.toml --given in/boston/boston-00006.ber.done --network-element msc-boston --with right/home_v8.dup --show 3",
    "tollgate sequence flow.toml --network-element msc-boston",
    "tollgate sequence flow.toml --csv > gaps.csv",
];

/// Commands that end with 2 because the page shows how a mistake is reported.
const FINDS_MISTAKES: &[&str] = &["tollgate check scripts/is_billable.dup"];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Returns the blocks of a page in order, each with its language.
fn all_blocks(page: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(docs().join(page)).unwrap();
    let fenced = text.split("```").skip(1).step_by(2);
    fenced
        .map(|block| block.split_once('\n').unwrap())
        .map(|(language, block)| (language.to_owned(), block.to_owned()))
        .collect()
}

/// Returns the blocks of a page that are in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let all = all_blocks(page).into_iter();
    all.filter(|(of, _)| of == language).map(|(_, block)| block).collect()
}

/// Runs a line as a user would, with the program on the path, and returns its output.
fn shell(folder: &Path, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_tollgate"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .current_dir(folder)
        .env("PATH", path)
        .env("BILLING_PASSWORD", servers::PASSWORD)
        .env("BOSTON_PASSWORD", servers::PASSWORD)
        .env("SEATTLE_PASSWORD", "sesame")
        .env("SEATTLE_TOKEN", "sesame")
        .args(["-c", line])
        .output()
        .unwrap();
    let wrong = String::from_utf8_lossy(&output.stderr);
    let status = output.status.code().unwrap();
    match FINDS_MISTAKES.contains(&line) {
        true => assert_eq!(status, 2, "{line}: {wrong}"),
        false => assert!(status <= i32::from(FINDS_FAULTS.contains(&line)), "{line}: {wrong}"),
    }
    String::from_utf8_lossy(&output.stdout).into_owned() + &wrong
}

/// Returns the standard output of the program.
fn says(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the commands of a page one after the other.
fn commands(page: &str, mut folder: PathBuf) {
    for block in blocks(page, "console") {
        for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            match line.strip_prefix("cd ") {
                Some(next) => folder = folder.join(next),
                None => drop(shell(&folder, line)),
            }
        }
    }
}

/// Does what a page says in the example, as its reader would: adds settings at the end of the flow file, runs commands,
/// and compares what the page shows after commands with the output of the last of them.
fn follow(page: &str) -> TempDir {
    follow_in(page, example(), "flow.toml")
}

/// As [`follow`], in another folder, with settings in a file of this name.
fn follow_in(page: &str, folder: TempDir, definition: &str) -> TempDir {
    let here = folder.path();
    let definition = here.join(definition);
    let mut said = String::new();
    for (language, block) in all_blocks(page) {
        match language.as_str() {
            "toml" => {
                let before = std::fs::read_to_string(&definition).unwrap();
                std::fs::write(&definition, before + "\n" + &block).unwrap();
            }
            // What other programs get.
            "json" => drop(serde_json::from_str::<serde_json::Value>(&block).expect(page)),
            // The settings of other programs, what a system prints that such programs use, and commands that take minutes.
            "conf" | "xml" | "output" | "sh" => {}
            "console" => {
                for line in block.lines() {
                    said = shell(here, line.strip_prefix("$ ").unwrap());
                }
            }
            "text" => {
                let seen: Vec<String> = said.lines().map(|line| timeless(here, line)).collect();
                for line in block.lines() {
                    let shown = timeless(here, line);
                    let is_seen = seen.iter().any(|line| line.contains(&shown));
                    assert!(is_seen, "{page} shows {line:?}, but it is\n{said}");
                }
            }
            language if language.starts_with("rule ") => {
                let name = language.trim_start_matches("rule ");
                std::fs::write(here.join(format!("rules/{name}.toml")), &block).unwrap();
            }
            language => panic!("{page}: nobody can follow a block of {language:?}"),
        }
    }
    folder
}

/// Returns a line with one blank between words, without the time and the folder in which it was printed.
fn timeless(folder: &Path, line: &str) -> String {
    let line = line.replace(&folder.display().to_string(), "/flows");
    let is_time = |word: &str| word.len() == "2026-11-22T14:05:00Z".len() && word.ends_with('Z');
    let words = line.split_whitespace().map(|word| {
        match is_time(word.trim_matches(['(', ',', ':', ';'])) {
            true => "then",
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    shell(folder.path(), "tollgate init .");
    folder
}

#[test]
fn the_tutorial_works() {
    let folder = TempDir::new().unwrap();
    commands("tutorial.md", folder.path().into());
}

#[test]
fn using_the_command_line_works() {
    let folder = example();
    commands("how-to/use-the-command-line.md", folder.path().into());
}

#[test]
fn looking_into_a_file_works() {
    let folder = example();
    commands("how-to/look-into-a-file.md", folder.path().into());
}

#[test]
fn changing_a_script_works() {
    let folder = example();
    commands("how-to/change-a-script.md", folder.path().into());
}

#[test]
fn working_on_suspense_works() {
    let folder = example();
    commands("how-to/work-on-suspense.md", folder.path().into());
}

#[test]
fn finding_fraud_works() {
    follow_in("how-to/find-fraud.md", TempDir::new().unwrap(), "flow.toml");
}

#[test]
fn scoring_rules_works() {
    follow_in("how-to/score-fraud-rules.md", TempDir::new().unwrap(), "flow.toml");
}

#[test]
fn tracing_a_record_works() {
    let folder = example();
    commands("how-to/trace-a-record.md", folder.path().into());
    let line = "trace flow.toml --output msc-boston-boston-00002.csv --record 17";
    assert!(says(folder.path(), line).starts_with("msc-boston/boston-00002.ber  record "));
}

#[test]
fn trying_a_change_works() {
    let folder = example();
    let page = "how-to/try-a-change-on-yesterdays-files.md";
    let flow = folder.path().join("flow.toml");
    let added = blocks(page, "toml").concat();
    std::fs::write(&flow, std::fs::read_to_string(&flow).unwrap() + "\n" + &added).unwrap();
    commands(page, folder.path().into());
    let differences = std::fs::read_to_string(folder.path().join("differences.json")).unwrap();
    let wanted = "{\"after\":\"9\",\"before\":\"8\",\"field\":\"version\"}";
    assert!(differences.contains(wanted), "{differences}");
}

#[test]
fn another_receiver_works() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let added = blocks("how-to/another-receiver.md", "toml").concat();
    std::fs::write(&flow, std::fs::read_to_string(&flow).unwrap() + "\n" + &added).unwrap();
    commands("how-to/another-receiver.md", folder.path().into());
}

/// Replaces the `collect` setting of Boston.
fn collect_boston(folder: &Path, collect: &str) {
    let path = folder.join("flow.toml");
    let flow = std::fs::read_to_string(&path).unwrap();
    let old = flow.lines().find(|line| line.contains("in/boston")).unwrap();
    std::fs::write(&path, flow.replace(old, collect.trim())).unwrap();
}

#[test]
fn letting_network_elements_push_works() {
    let folder = example();
    let page = "how-to/let-network-elements-push.md";
    let [collect, listen] = &blocks(page, "toml")[..] else { panic!("two blocks") };
    collect_boston(folder.path(), collect);
    let flow = folder.path().join("flow.toml");
    std::fs::write(&flow, std::fs::read_to_string(&flow).unwrap() + "\n" + listen).unwrap();
    commands(page, folder.path().into());
}

#[test]
fn collecting_over_sftp_works() {
    let folder = example();
    let page = "how-to/collect-over-sftp.md";
    let far = folder.path().join("far");
    std::fs::rename(folder.path().join("in/boston"), &far).unwrap();
    let server = servers::Kind::Asyncssh.serve(&far);
    let collect = blocks(page, "toml").concat();
    let known = collect.split("host-key = \"").nth(1).unwrap().split('"').next().unwrap();
    let collect = collect
        .replace("boston.example:22", &format!("127.0.0.1:{}", server.port()))
        .replace(known, &server.said[1]);
    collect_boston(folder.path(), &collect);
    commands(page, folder.path().into());
    assert!(far.join("done/boston-00002.ber").exists());
}

#[test]
fn delivering_over_sftp_works() {
    let folder = example();
    let page = "how-to/deliver-over-sftp.md";
    let served = folder.path().join("served");
    std::fs::create_dir_all(served.join("in")).unwrap();
    let server = servers::Kind::Asyncssh.serve(&served);
    let said = blocks(page, "toml").concat();
    let known = said.split("host-key = \"").nth(1).unwrap().split('"').next().unwrap();
    let deliver = said
        .replace("billing.example:22", &format!("127.0.0.1:{}", server.port()))
        .replace(known, &server.said[1]);
    let path = folder.path().join("flow.toml");
    let flow = std::fs::read_to_string(&path).unwrap();
    let old = flow.lines().find(|line| line.contains("out/roaming")).unwrap();
    std::fs::write(&path, flow.replace(old, deliver.trim())).unwrap();
    commands(page, folder.path().into());
    assert_eq!(std::fs::read_dir(served.join("in")).unwrap().count(), 4);
}

#[test]
fn delivering_over_http_s3_and_ftp_works() {
    use crate::servers::Kind;
    let page = "how-to/deliver-over-http-s3-or-ftp.md";
    let kinds = [(Kind::Https, "in"), (Kind::S3, "records/in"), (Kind::Ftps, "in")];
    let said = blocks(page, "toml");
    assert_eq!(said.len(), kinds.len());
    for ((kind, within), said) in kinds.into_iter().zip(said) {
        let folder = example();
        let served = folder.path().join("served");
        std::fs::create_dir_all(served.join(within)).unwrap();
        let server = kind.serve(&served);
        let here = format!("127.0.0.1:{}", server.port());
        let mut deliver = said.clone();
        for there in ["billing.example:21", "billing.example", "https://store.example"] {
            let scheme = if there.contains("://") { "http://" } else { "" };
            deliver = deliver.replace(there, &format!("{scheme}{here}"));
        }
        if kind == Kind::Https {
            // Only this test has signed the certificate of its machine.
            deliver = deliver
                .replace("token-file", "certificate-authority = \"authority.pem\", token-file");
        }
        let path = folder.path().join("flow.toml");
        let flow = std::fs::read_to_string(&path).unwrap();
        let old = flow.lines().find(|line| line.contains("out/roaming")).unwrap();
        std::fs::write(&path, flow.replace(old, deliver.trim())).unwrap();
        commands(page, folder.path().into());
        assert_eq!(std::fs::read_dir(served.join(within)).unwrap().count(), 4, "{kind:?}");
    }
}

#[test]
fn being_told_of_alarms_works() {
    with_more_in_the_flow("how-to/be-told-of-alarms.md");
}

#[test]
fn noticing_drift_works() {
    let folder = with_more_in_the_flow("how-to/notice-drift.md");
    let alarms = says(folder.path(), "alarms flow.toml");
    assert_eq!(alarms.matches("drift-new\t").count(), 3, "{alarms}");
    assert!(alarms.contains("tag [25]"), "{alarms}");
}

#[test]
fn letting_others_reach_the_interface_works() {
    with_more_in_the_flow("how-to/use-the-interface.md");
}

#[test]
fn watching_with_prometheus_works() {
    with_more_in_the_flow("how-to/watch-with-prometheus.md");
}

/// Runs the commands of a page in the example, with the settings of the page at the end of the flow file.
fn with_more_in_the_flow(page: &str) -> TempDir {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let added = blocks(page, "toml").concat();
    std::fs::write(&flow, std::fs::read_to_string(&flow).unwrap() + "\n" + &added).unwrap();
    commands(page, folder.path().into());
    folder
}

#[test]
fn sharing_a_machine_works() {
    with_more_in_the_flow("how-to/share-a-machine.md");
}

#[test]
fn splitting_and_merging_files_works() {
    with_more_in_the_flow("how-to/split-and-merge-files.md");
}

#[test]
fn catching_duplicates_works() {
    follow("how-to/catch-duplicates.md");
}

#[test]
fn proving_that_nothing_was_lost_works() {
    follow("how-to/prove-that-nothing-was-lost.md");
}

#[test]
fn keeping_room_works() {
    let folder = follow("how-to/keep-room.md");
    assert_eq!(says(folder.path(), "alarms flow.toml"), "", "there is room again");
}

#[test]
fn finding_missing_files_works() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let added = blocks("how-to/find-missing-files.md", "toml").concat();
    std::fs::write(&flow, std::fs::read_to_string(&flow).unwrap() + "\n" + &added).unwrap();
    commands("how-to/find-missing-files.md", folder.path().into());
    let raised = |line: &str| says(folder.path(), line);
    assert_eq!(raised("alarms flow.toml"), "", "file 3 came");
    assert!(raised("alarms flow.toml --all").contains("msc-boston files: missing 3 (1 in all)"));
}

#[test]
fn joining_partial_records_works() {
    let folder = TempDir::new().unwrap();
    let page = "how-to/join-partial-records.md";
    for (language, name) in [("asn1", "records.asn1"), ("dup", "parts.dup"), ("toml", "flow.toml")]
    {
        std::fs::write(folder.path().join(name), blocks(page, language).concat()).unwrap();
    }
    commands(page, folder.path().into());
}

#[test]
fn writing_scripts_in_an_editor_works() {
    let folder = TempDir::new().unwrap();
    commands("how-to/write-scripts-in-an-editor.md", folder.path().into());
}

/// Creates a folder with the example's plan in `tariff`.
fn with_tariff() -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_tariff(&folder.path().join("tariff"));
    folder
}

fn copy_tariff(plan: &Path) {
    std::fs::create_dir(plan).unwrap();
    for entry in std::fs::read_dir(docs().join("../examples/tariff")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), plan.join(entry.file_name())).unwrap();
    }
}

#[test]
fn writing_a_tariff_works() {
    let folder = with_tariff();
    commands("how-to/write-a-tariff.md", folder.path().into());
    // The page shows the output of the program.
    let line = "tariff explain tariff --service telephony --from 0701234567 --to 0721234567 --duration 60 --start";
    let output = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(folder.path())
        .args(line.split(' ').chain(["2026-06-01 18:59:30 Europe/Stockholm"]))
        .output()
        .unwrap();
    let shown = &blocks("how-to/write-a-tariff.md", "text")[0];
    assert_eq!(*shown, String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_settings_of_the_tariff_reference_are_right() {
    let folder = with_tariff();
    let settings = blocks("reference/tariffs.md", "toml").concat();
    std::fs::write(folder.path().join("tariff/tariff.toml"), settings).unwrap();
    shell(folder.path(), "tollgate tariff check tariff");
    assert!(says(folder.path(), "tariff check tariff").starts_with("no mistakes"));
}

#[test]
fn the_tariff_reference_names_every_column() {
    let text = std::fs::read_to_string(docs().join("reference/tariffs.md")).unwrap();
    let folder = with_tariff();
    for (path, octets) in contents(&folder.path().join("tariff")) {
        assert!(text.contains(path.file_name().unwrap().to_str().unwrap()), "{}", path.display());
        let table = String::from_utf8(octets).unwrap();
        let header = table.lines().next().unwrap().to_owned();
        for column in header.split(',').filter(|_| path.extension().is_some_and(|e| e == "csv")) {
            assert!(text.contains(&format!("`{column}`")), "{column} of {}", path.display());
        }
    }
}

/// Returns everything below a folder that is not hidden, with its contents.
/// Follows a page in a copy of the example of prepaid accounts.
fn follow_prepaid(page: &str) {
    let folder = TempDir::new().unwrap();
    let example = docs().join("../examples/prepaid");
    shell(folder.path(), &format!("cp -r {}/. .", example.display()));
    follow_in(page, folder, "charging.toml");
}

#[test]
fn charging_prepaid_calls_works() {
    follow_prepaid("how-to/charge-prepaid-calls.md");
}

#[test]
fn finding_out_why_a_customer_was_cut_off_works() {
    follow_prepaid("how-to/find-out-why-a-customer-was-cut-off.md");
}

#[test]
fn charging_clients_of_diameter_works() {
    follow_prepaid("how-to/charge-diameter-clients.md");
}

#[test]
fn selling_vouchers_works() {
    follow_prepaid("how-to/sell-vouchers.md");
}

#[test]
fn telling_subscribers_works() {
    follow_prepaid("how-to/tell-subscribers.md");
}

#[test]
fn closing_the_month_works() {
    follow_prepaid("how-to/close-the-month.md");
}

#[test]
fn charging_on_several_machines_works() {
    let settings = ["shared_buffers=64MB", "fsync=off"];
    let Some(server) = postgres_server::Server::start(&settings).expect("a server") else {
        return eprintln!("LEFT OUT: PostgreSQL is not installed");
    };
    let (folder, page) = (TempDir::new().unwrap(), "how-to/charge-on-several-machines.md");
    let example = docs().join("../examples/prepaid");
    shell(folder.path(), &format!("cp -r {}/. .", example.display()));
    for statement in blocks(page, "sql").concat().replace("ROLE tollgate", "ROLE other").lines() {
        server.sql(statement).expect("it is done");
    }
    let host = format!("{}", server.host().display());
    let shown = blocks(page, "toml").concat();
    let definition = shown.replace(
        "postgresql://tollgate@db1.example.net:5432/charging",
        &format!("host={host} user=tollgate dbname=charging"),
    );
    assert_ne!(definition, shown);
    std::fs::create_dir(folder.path().join("secrets")).unwrap();
    std::fs::write(folder.path().join("secrets/database"), "a long one").unwrap();
    let path = folder.path().join("charging.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, format!("{text}\n{definition}")).unwrap();
    let said: String = blocks(page, "console")
        .iter()
        .flat_map(|block| block.lines())
        .map(|line| shell(folder.path(), line.strip_prefix("$ ").unwrap()))
        .collect();
    for part in [
        &format!("in the database charging at {host}"),
        "1000 accounts are opened",
        "the sum of each unit is zero",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn debiting_rated_records_works() {
    follow_beside_a_charging_system("how-to/debit-rated-records.md", "usage.asn1");
}

#[test]
fn delivering_records_of_prepaid_calls_works() {
    follow_beside_a_charging_system("how-to/deliver-records-of-prepaid-calls.md", "ended.asn1");
}

/// Does what a page says beside the charging system of the example, which starts after its first commands: writes the module
/// and the flow file, runs commands, and compares what the page shows with their output.
fn follow_beside_a_charging_system(page: &str, module: &str) {
    let folder = TempDir::new().unwrap();
    let example = docs().join("../examples/prepaid");
    shell(folder.path(), &format!("cp -r {}/. .", example.display()));
    let path = folder.path().join("charging.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text.replace("127.0.0.1:8090", "127.0.0.1:0")).unwrap();
    let run = |block: &str| -> Vec<String> {
        let lines = block.lines().map(|line| line.strip_prefix("$ ").unwrap());
        lines.map(|line| shell(folder.path(), line)).collect()
    };
    let [before, others @ ..] = &blocks(page, "console")[..] else { panic!("commands") };
    run(before);
    let mut charging = crate::charging::Charging::of(folder.path());
    charging.start();
    let here = |text: &str| text.replace("http://127.0.0.1:8090", &charging.url);
    for (language, name) in [("asn1", module), ("toml", "flow.toml")] {
        let text = here(&blocks(page, language).concat());
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for (block, shown) in others.iter().zip(blocks(page, "text")) {
        let said = run(&here(block));
        let said = timeless(folder.path(), said.last().unwrap());
        assert!(said.contains(shown.trim()), "{page} shows {shown:?}, but it is\n{said}");
    }
}

#[test]
fn the_charging_reference_names_every_setting() {
    let reference = std::fs::read_to_string(docs().join("reference/charging.md")).unwrap();
    let example = docs().join("../examples/prepaid/charging.toml");
    let text =
        std::fs::read_to_string(example).unwrap() + "[clients.msc1]\ntoken-file = \"msc1\"\n";
    let document: toml_edit::Document<String> = text.parse().unwrap();
    for (name, item) in document.iter() {
        match item.as_table() {
            None => assert!(reference.contains(&format!("| `{name}` |")), "{name}"),
            Some(_) if name == "clients" => {
                assert!(reference.contains("`clients.NAME.token-file`"))
            }
            Some(tables) if ["bundles", "thresholds"].contains(&name) => {
                assert!(reference.contains(&format!("| `{name}.NAME` |")), "{name}");
                let keys = tables.iter().filter_map(|(_, table)| table.as_table());
                for (key, _) in keys.flat_map(|table| table.iter()) {
                    let is_named = [format!("`{key}`"), format!("`{name}.NAME.{key}`")];
                    let is_named = is_named.iter().any(|key| reference.contains(key));
                    assert!(is_named, "{name}.NAME.{key}");
                }
            }
            Some(table) => {
                for (key, _) in table.iter() {
                    assert!(reference.contains(&format!("| `{name}.{key}` |")), "{name}.{key}");
                }
            }
        }
    }
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => found.push((path.clone(), std::fs::read(path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn recovering_from_a_damaged_journal_works() {
    let folder = example();
    shell(folder.path(), "tollgate run flow.toml --once");
    let made = contents(&folder.path().join("out"));
    // The file is done and no longer marked; its outputs are still there.
    let input = folder.path().join("in/boston/boston-00002.ber");
    std::fs::rename(input.with_extension("ber.done"), &input).unwrap();
    let journal = folder.path().join("flow.state/journal.db");
    let mut octets = std::fs::read(&journal).unwrap();
    // The header of the second page.
    octets[4096..4104].fill(0xff);
    std::fs::write(&journal, octets).unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(folder.path())
        .args(["run", "flow.toml", "--once"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    commands("how-to/recover-from-a-damaged-journal.md", folder.path().into());
    assert!(!input.exists(), "it is marked");
    assert!(contents(&folder.path().join("out")) == made, "and nothing else came of it");
}

#[test]
fn the_flow_file_of_the_reference_is_right() {
    let folder = example();
    let flow = blocks("reference/flow.md", "toml").concat();
    std::fs::write(folder.path().join("flow.toml"), flow).unwrap();
    let script = blocks("reference/flow.md", "dup").concat();
    std::fs::write(folder.path().join("scripts/long_calls.dup"), script).unwrap();
    shell(folder.path(), "tollgate check flow.toml");
}

#[test]
fn the_scripts_of_the_reference_compile_and_pass_their_tests() {
    let folder = example();
    let script = blocks("reference/dup.md", "dup").join("\n");
    std::fs::write(folder.path().join("book.dup"), script).unwrap();
    let table = blocks("reference/dup.md", "csv").concat();
    std::fs::write(folder.path().join("zones.csv"), table).unwrap();
    copy_tariff(&folder.path().join("tariff"));
    shell(folder.path(), "tollgate dup test book.dup");
    shell(folder.path(), "tollgate check book.dup");
}

#[test]
fn the_reference_names_every_built_in_function() {
    let text = std::fs::read_to_string(docs().join("reference/dup.md")).unwrap();
    for name in dup::built_in_names() {
        assert!(text.contains(&format!("`{name}")), "docs/reference/dup.md does not name {name}");
    }
}
