//! FTP servers with unusual behaviour: what their answers mean, and how their lists are read.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;
use transport::{RemoteConnection, RemoteError, RemoteKind};

use crate::kit::{Octets, place, told};
use crate::scripted::{Answer, data, ftp, line};
use crate::servers::{PASSWORD, Server, certificate, self_signed};

fn connect(
    folder: &TempDir,
    url: &str,
    more: &[(&str, &str)],
) -> Result<Box<dyn RemoteConnection>, RemoteError> {
    fs::write(folder.path().join("password"), PASSWORD).unwrap();
    let settings = [&[("url", url), ("password-file", "password")], more].concat();
    place(folder.path(), &settings).unwrap().connect()
}

fn serve(
    answers: impl Fn(&str, usize) -> Answer + Send + Sync + 'static,
) -> (TempDir, Box<dyn RemoteConnection>, String) {
    let folder = TempDir::new().unwrap();
    let url = format!("ftp://cdr@127.0.0.1:{}/in", ftp(answers));
    let far = connect(&folder, &url, &[("timeout", "1 second")]).unwrap();
    (folder, far, url)
}

#[test]
fn a_folder_with_nothing_in_it_is_no_fault_whatever_number_says_so() {
    for list in ["MLSD", "LIST"] {
        for (answer, expected) in [
            (data(""), "done"),
            (data("total 0\r\n"), if list == "LIST" { "done" } else { "not understood" }),
            (line("226 Transfer complete"), "done"),
            (line("450 No files found"), "done"),
            (line("550 No files found"), "done"),
            (line("550 No such file or directory"), "done"),
            (line("550 Permission denied"), "forbidden: "),
            (line("425 Can't open data connection"), "passing: "),
        ] {
            let shown = format!("{list} {answer:?}");
            let (_folder, mut far, url) = serve(move |asked, _| match asked.split(' ').next() {
                Some(asked) if asked == list => answer.clone(),
                _ => Answer::Usual,
            });
            let listed = far.list("");
            if expected == "not understood" {
                assert_eq!(listed.unwrap().unreadable, ["total 0"], "{shown}");
                continue;
            }
            assert!(listed.as_ref().map_or(true, |listing| listing.files.is_empty()), "{shown}");
            let said = told(listed);
            assert!(said.starts_with(expected), "{shown}: {said}");
            assert!(said == "done" || said.contains(&url), "{shown}: {said}");
        }
    }
}

#[test]
fn a_folder_that_is_not_there_is_called_by_its_address() {
    let (_folder, mut far, url) = serve(|asked, _| match asked.split(' ').next() {
        Some("MLSD" | "CWD") => line("550 No such directory"),
        _ => Answer::Usual,
    });
    assert_eq!(told(far.list("")), format!("\"{url}\" is not there"));
}

#[test]
fn an_answer_about_a_file_leaves_the_connection_for_others() {
    for (answer, expected) in [
        ("450 File busy", "unavailable: "),
        ("451 Local error", "unavailable: "),
        ("426 Transfer aborted", "unavailable: "),
        ("550 Permission denied", "forbidden: "),
        ("553 Name not allowed", "refused: "),
        ("501 What a name", "refused: "),
    ] {
        let (_folder, mut far, _) = serve(move |asked, connection| match asked {
            "RETR /in/odd.csv" => line(answer),
            "RETR /in/a.csv" if connection == 1 => data("money"),
            asked if asked.starts_with("MLST") => {
                line("250-it is\r\n type=file;size=5; x\r\n250 so")
            }
            _ => Answer::Usual,
        });
        let said = told(far.fetch("odd.csv", &mut Vec::new()));
        let is_told = said.contains(answer) && said.contains("RETR");
        assert!(said.starts_with(expected) && is_told, "{answer}: {said}");
        let mut fetched = Vec::new();
        assert_eq!(
            told(far.fetch("a.csv", &mut fetched)),
            "done",
            "{answer}: the line is still good"
        );
        assert_eq!(fetched, b"money");
    }
}

#[test]
fn a_server_that_tells_no_size_is_believed_that_it_took_all() {
    const LINE: &str = "-rw-r--r-- 1 cdr cdr 5 Dez 21 14:05 a.csv";
    let (_folder, mut far, _) = serve(|asked, _| match asked.split(' ').next() {
        Some("LIST") => data(LINE),
        _ => Answer::Usual,
    });
    assert_eq!(told(far.put("a.csv", &Octets(b"money".to_vec()))), "done");
    let found = far.stat("a.csv").unwrap();
    assert_eq!((found.kind, found.octets), (RemoteKind::File, Some(5)), "its list tells it");
    assert_eq!(told(far.stat("b.csv")), "\"b.csv\" is not there");
    let (_folder, mut far, _) = serve(|asked, _| match asked.split(' ').next() {
        Some("MLST") => line("250-it is\r\n type=file; a.csv\r\n250 so"),
        _ => Answer::Usual,
    });
    assert_eq!(far.stat("a.csv").unwrap().octets, None);
    assert_eq!(told(far.put("a.csv", &Octets(b"money".to_vec()))), "done");
}

#[test]
fn what_a_list_leaves_out_is_asked_for() {
    let (_folder, mut far, _) = serve(|asked, _| match asked {
        "MLSD /in" => data("type=file; a.csv\r\nmodify=20261121140500; b.csv\r\ntype=dir; sub\r\n"),
        "SIZE /in/a.csv" => line("213 5"),
        "SIZE /in/b.csv" => line("550 not a plain file"),
        _ => Answer::Usual,
    });
    let files = far.list("").unwrap().files;
    let found: Vec<_> = files.iter().map(|file| (file.kind, file.octets)).collect();
    let expected =
        [(RemoteKind::File, Some(5)), (RemoteKind::Unknown, None), (RemoteKind::Folder, None)];
    assert_eq!(found, expected);
}

#[test]
fn a_list_that_does_not_end_has_an_end() {
    for (answer, expected) in [
        (Answer::Endless("type=file;size=5; a.csv\r\n".repeat(1000)), "shut: "),
        (Answer::Open("type=file;size=5; a.csv\r\n".into()), "broken: "),
    ] {
        let (_folder, mut far, _) = serve(move |asked, _| match asked.split(' ').next() {
            Some("MLSD") => answer.clone(),
            _ => Answer::Usual,
        });
        let said = told(far.list(""));
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn a_connection_that_the_server_ended_while_it_lay_idle_is_made_anew() {
    let (_folder, mut far, _) = serve(|asked, connection| match asked {
        "MLSD /in" if connection == 1 => Answer::Last("421 Timeout".into()),
        "MLSD /in" => data("type=file;size=5; a.csv\r\n"),
        asked if asked.starts_with("MLST") => line("250-it is\r\n type=file;size=5; x\r\n250 so"),
        _ => Answer::Usual,
    });
    assert_eq!(told(far.stat("a.csv")), "done");
    // Long enough for the connection to count as idle.
    sleep(Duration::from_millis(1_100));
    assert_eq!(far.list("").unwrap().files.len(), 1);
}

#[test]
fn lines_for_files_go_on_with_the_session_of_the_first_as_often_as_there_are_files() {
    for versions in ["1.2", "1.3"] {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(&root).unwrap();
        certificate(folder.path());
        let server =
            Server::python("sessions.py", &[root.to_str().unwrap(), PASSWORD, versions], 1);
        let url = format!("ftps://cdr@localhost:{}/", server.port());
        let known = [("certificate-authority", "authority.pem")];
        let mut far = connect(&folder, &url, &known).unwrap();
        for number in 0..12 {
            let name = format!("{number}.csv");
            let done = told(far.put(&name, &Octets(b"money".repeat(number * 1000))));
            assert_eq!(done, "done", "TLS {versions}, file {number}");
            assert_eq!(fs::read(root.join(&name)).unwrap(), b"money".repeat(number * 1000));
        }
        for number in 0..12 {
            let name = format!("{number}.csv");
            let mut fetched = Vec::new();
            assert_eq!(told(far.fetch(&name, &mut fetched)), "done", "TLS {versions}, {number}");
            assert_eq!(fetched, b"money".repeat(number * 1000));
        }
        let logins = fs::read_to_string(folder.path().join("logins")).unwrap();
        assert_eq!(logins, "cdr\n", "one login did all of it, TLS {versions}");
    }
}

#[test]
fn a_machine_is_known_by_its_own_certificate_whatever_is_written_in_it() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(&root).unwrap();
    self_signed(folder.path());
    let server = Server::python("ftp.py", &[root.to_str().unwrap(), PASSWORD, "tls"], 2);
    let url = format!("ftps://cdr@localhost:{}/", server.port());
    let known = [("certificate-authority", "own.pem")];
    let mut far = connect(&folder, &url, &known).unwrap();
    assert_eq!(told(far.put("a.csv", &Octets(b"money".to_vec()))), "done");
    // Another certificate with the same name is not trusted.
    let other = TempDir::new().unwrap();
    self_signed(other.path());
    fs::copy(other.path().join("own.pem"), folder.path().join("other.pem")).unwrap();
    let said = told(connect(&folder, &url, &[("certificate-authority", "other.pem")]));
    assert!(said.starts_with("shut: ") && said.contains("certificate"), "{said}");
    assert!(!said.contains("Error") && !said.contains("CaUsed"), "{said}");
}
