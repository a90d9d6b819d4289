//! What `tollgate alarms` says where nothing is wrong, and where no gateway has run.

use assert_cmd::Command;
use tempfile::TempDir;

fn tollgate(folder: &TempDir, line: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    let output = command.current_dir(folder.path()).args(line.split(' ')).output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_flow_that_never_ran_has_no_list_and_one_where_nothing_is_wrong_an_empty_one() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let (status, _, said) = tollgate(&folder, "alarms flow.toml");
    assert!(status == 2 && said.contains("no gateway has run \"flow.toml\" yet"), "{said}");
    tollgate(&folder, "run flow.toml --once");
    assert_eq!(tollgate(&folder, "alarms --all"), (0, String::new(), String::new()));
}

#[test]
fn a_file_that_cannot_be_processed_is_an_alarm_until_it_is() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let taken = folder.path().join("out/home/msc-boston-boston-00002.ber");
    std::fs::create_dir_all(taken.parent().unwrap()).unwrap();
    std::fs::write(&taken, "another file of this name").unwrap();
    let (_, _, said) = tollgate(&folder, "run flow.toml --once");
    assert!(said.contains("alarm: files could not be processed"), "{said}");
    let (status, shown, _) = tollgate(&folder, "alarms");
    assert!(status == 1 && shown.contains("boston-00002.ber"), "{shown}");
    std::fs::remove_file(&taken).unwrap();
    tollgate(&folder, "run flow.toml --once");
    assert_eq!(tollgate(&folder, "alarms"), (0, String::new(), String::new()));
    assert!(taken.exists());
}

#[test]
fn a_folder_that_cannot_be_read_is_an_alarm_until_it_can() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let (boston, away) = (folder.path().join("in/boston"), folder.path().join("away"));
    std::fs::rename(&boston, &away).unwrap();
    tollgate(&folder, "run flow.toml --once");
    let (status, shown, _) = tollgate(&folder, "alarms");
    let told = "folder-unreadable: msc-boston: could not read the folder \"in/boston\"";
    assert!(status == 1 && shown.contains(told), "{shown}");
    std::fs::rename(&away, &boston).unwrap();
    tollgate(&folder, "run flow.toml --once");
    assert_eq!(tollgate(&folder, "alarms"), (0, String::new(), String::new()));
}

#[test]
fn a_gateway_whose_journal_is_removed_ends_and_says_so() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    let mut gateway = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let gateway = gateway.current_dir(folder.path()).args(["run", "flow.toml"]);
    let mut gateway = gateway.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let done = folder.path().join("in/boston/boston-00002.ber.done");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !done.exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::fs::remove_dir_all(folder.path().join("flow.state")).unwrap();
    while gateway.try_wait().unwrap().is_none() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let ended = gateway.try_wait().unwrap();
    let _ = gateway.kill();
    let said = String::from_utf8(gateway.wait_with_output().unwrap().stderr).unwrap();
    assert!(ended.is_some_and(|status| !status.success()), "{said}");
    assert!(said.contains("the journal is gone"), "{said}");
}

#[test]
fn a_reader_that_has_read_enough_ends_a_command_quietly() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(&folder, "init .").0, 0);
    tollgate(&folder, "run flow.toml --once");
    for line in
        ["simulate cdr --count 10 more", "suspense list", "suspense list --json", "audit --csv"]
    {
        // Nobody reads: the other end is closed before the command has begun.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let command = command.current_dir(folder.path()).args(line.split(' ')).stdout(writer);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{line}");
    }
}
