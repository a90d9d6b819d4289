//! Tests fetching files from other machines with third-party servers: each file is fetched once, whatever happens.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;
use crate::deliveries::proxy::Proxy;
use crate::servers::{Kind, PASSWORD, Server};

/// Returns the folder that is fetched from, within the served one.
fn within(kind: Kind) -> &'static str {
    if kind == Kind::S3 { "records" } else { "" }
}

/// A server with the files of Boston, and the example that fetches them.
struct Site {
    folder: TempDir,
    kind: Kind,
    server: Server,
}

impl Site {
    /// Creates a site with `files` files, which have `records` records together. `collect` goes into the `collect`
    /// table.
    fn new(files: usize, records: usize, collect: &str) -> Self {
        Self::served(Kind::Asyncssh, files, records, collect)
    }

    fn served(kind: Kind, files: usize, records: usize, collect: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path();
        assert_eq!(tollgate(path, "init .").0, 0);
        fs::remove_dir_all(path.join("in")).unwrap();
        fs::create_dir_all(path.join("in/new-york")).unwrap();
        let simulate = format!(
            "simulate cdr --seed 5 --count {records} --files {files} --centre boston:8 made"
        );
        assert_eq!(tollgate(path, &simulate).0, 0);
        let far = path.join("far").join(within(kind));
        fs::create_dir_all(&far).unwrap();
        for made in fs::read_dir(path.join("made/boston")).unwrap() {
            let made = made.unwrap();
            if made.file_name().to_str().unwrap().ends_with(".ber") {
                fs::rename(made.path(), far.join(made.file_name())).unwrap();
            }
        }
        fs::create_dir(far.join("outside")).unwrap();
        let server = kind.serve(&path.join("far"));
        let settings = kind.settings(&server, &path.join("far"), within(kind));
        let collect = format!("{settings}, every = \"1 second\", {collect}");
        let flow = fs::read_to_string(path.join("flow.toml")).unwrap();
        assert!(flow.contains("dir = \"in/boston\""), "{flow}");
        fs::write(path.join("flow.toml"), flow.replacen("dir = \"in/boston\"", &collect, 1))
            .unwrap();
        Site { folder, kind, server }
    }

    /// Puts a line of the test between the gateway and the server.
    fn proxied(&self) -> Proxy {
        let (server, files) = (self.server.port(), self.server.ports_of_files());
        let proxy = Proxy::to(server, &files);
        let new = format!("127.0.0.2:{}", proxy.port);
        self.change(&format!("127.0.0.1:{server}"), &new);
        proxy
    }

    fn change(&self, from: &str, to: &str) {
        let path = self.path().join("flow.toml");
        let flow = fs::read_to_string(&path).unwrap();
        assert!(flow.contains(from), "{from} is not in {flow}");
        fs::write(path, flow.replacen(from, to, 1)).unwrap();
    }

    /// Adds a file of New York, which is collected on this machine.
    fn lay_beside(&self) -> PathBuf {
        let simulate = "simulate cdr --seed 6 --count 50 --files 1 --centre new-york:7 beside";
        assert_eq!(tollgate(self.path(), simulate).0, 0);
        let laid = self.path().join("in/new-york/new-york-00001.ber");
        fs::rename(self.path().join("beside/new-york/new-york-00001.ber"), &laid).unwrap();
        laid.with_extension("ber.done")
    }

    /// Returns how many records of the fetched files were processed.
    fn records(&self) -> u64 {
        let journal = Connection::open(self.path().join("flow.state/journal.db")).unwrap();
        let sql = "SELECT ifnull(sum(records), 0) FROM file WHERE network_element = 'msc-boston'";
        journal.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn far(&self, name: &str) -> PathBuf {
        self.path().join("far").join(within(self.kind)).join(name)
    }

    /// Returns the files in a folder of the server.
    fn names(&self, folder: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(self.far(folder)).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        files.map(|entry| entry.file_name().into_string().unwrap()).collect()
    }

    /// Returns the files that were processed, each once, and the number of those that were set aside as duplicates.
    fn processed(&self) -> (Vec<String>, usize) {
        let journal = Connection::open(self.path().join("flow.state/journal.db")).unwrap();
        let sql = "SELECT name, duplicate_of IS NOT NULL FROM file WHERE network_element = 'msc-boston' ORDER BY name";
        // The journal is created by the gateway's first run.
        let Ok(mut select) = journal.prepare(sql) else { return (Vec::new(), 0) };
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let rows: Vec<(String, bool)> = rows.map(Result::unwrap).collect();
        let duplicates = rows.iter().filter(|(_, is_duplicate)| *is_duplicate).count();
        (rows.into_iter().map(|(name, _)| name).collect(), duplicates)
    }
}

/// Makes a file old, so that a listing does not show the current time.
fn make_old(path: &Path) {
    let old = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
}

fn what_is_fetched_is_processed_once_and_moved_deleted_or_kept(kind: Kind) {
    for (after, stays, moved) in
        [("keep", true, false), ("delete", false, false), ("move:done/today", false, true)]
    {
        let site = Site::served(kind, 3, 300, &format!("after = \"{after}\""));
        let names: BTreeSet<String> = (1..=3).map(|n| format!("boston-0000{n}.ber")).collect();
        for _ in 0..2 {
            let (_, said) = tollgate(site.path(), "run flow.toml --once");
            assert!(!said.contains("cannot be fetched"), "{after}: {said}");
            assert_eq!(site.processed(), (names.iter().cloned().collect(), 0), "{after}");
        }
        assert_eq!(site.names(""), if stays { names.clone() } else { BTreeSet::new() }, "{after}");
        assert_eq!(
            site.names("done/today"),
            if moved { names } else { BTreeSet::new() },
            "{after}"
        );
        let buffer = site.path().join("flow.state/in/msc-boston");
        assert_eq!(fs::read_dir(buffer).unwrap().count(), 0);
    }
}

macro_rules! of {
    ($name:ident: $kind:ident) => {
        mod $name {
            use crate::servers::Kind;

            #[test]
            fn what_is_fetched_is_processed_once_and_moved_deleted_or_kept() {
                super::what_is_fetched_is_processed_once_and_moved_deleted_or_kept(Kind::$kind);
            }

            #[test]
            fn whoever_is_killed_fetches_and_processes_each_file_once() {
                super::whoever_is_killed_fetches_and_processes_each_file_once(Kind::$kind);
            }

            #[test]
            fn a_line_that_is_cut_anywhere_brings_each_file_once() {
                super::a_line_that_is_cut_anywhere_brings_each_file_once(Kind::$kind);
            }

            #[test]
            fn a_place_that_hangs_or_is_slow_holds_up_nobody() {
                super::a_place_that_hangs_or_is_slow_holds_up_nobody(Kind::$kind);
            }
        }
    };
}

of!(sftp: Asyncssh);

mod sftp_over_several_connections {
    use crate::servers::Kind;

    #[test]
    fn whoever_is_killed_fetches_and_processes_each_file_once() {
        super::whoever_is_killed_is_exact(Kind::Asyncssh, ", at-once = 4");
    }

    #[test]
    fn a_line_that_is_cut_anywhere_brings_each_file_once() {
        super::a_cut_line_is_exact(Kind::Asyncssh, ", at-once = 2");
    }
}

of!(ftp: Ftp);
of!(s3: S3);

#[test]
fn nothing_can_be_fetched_where_nothing_tells_what_is_there() {
    let site = Site::new(1, 10, "after = \"keep\"");
    let flow = fs::read_to_string(site.path().join("flow.toml")).unwrap();
    let collect = flow.lines().find(|line| line.contains("url =")).unwrap();
    let changed = flow.replace(collect, "collect = { url = \"https://b/in\", after = \"keep\" }");
    fs::write(site.path().join("flow.toml"), changed).unwrap();
    let (status, said) = tollgate(site.path(), "check flow.toml");
    assert!(
        status != 0 && said.contains("nothing tells over HTTP which files are there"),
        "{said}"
    );
    assert!(said.contains("accept"), "{said}");
}

#[test]
fn a_file_of_the_same_name_with_other_contents_is_another_file() {
    let site = Site::new(2, 200, "after = \"keep\"");
    let (first, second) = (site.far("boston-00001.ber"), site.far("boston-00002.ber"));
    let other = fs::read(&second).unwrap();
    fs::remove_file(second).unwrap();
    tollgate(site.path(), "run flow.toml --once");
    fs::write(&first, other).unwrap();
    // The receivers have taken their files.
    fs::remove_dir_all(site.path().join("out")).unwrap();
    tollgate(site.path(), "run flow.toml --once");
    assert_eq!(site.processed(), (vec!["boston-00001.ber".into(); 2], 0));
}

#[test]
fn a_file_that_grows_is_left_until_it_is_whole() {
    let site = Site::new(1, 3_000, "after = \"delete\"");
    let far = site.far("boston-00001.ber");
    let octets = fs::read(&far).unwrap();
    let (half, rest) = octets.split_at(octets.len() / 2);
    fs::write(&far, half).unwrap();
    let gateway = Gateway::start(site.path());
    let mut growing = File::options().append(true).open(&far).unwrap();
    // The time between two pieces is shorter than a file has to be at rest.
    for piece in rest.chunks(rest.len() / 20) {
        growing.write_all(piece).unwrap();
        std::thread::sleep(Duration::from_millis(150));
    }
    gateway.says("was fetched");
    wait_for("it to be processed", || site.processed().0.len() == 1);
    let said = gateway.said();
    assert!(said.contains(&format!("was fetched, {} octets", octets.len())), "{said}");
    wait_for("it to be deleted", || site.names("").is_empty());
}

#[test]
fn what_has_a_hostile_name_or_is_a_link_is_not_fetched_and_the_rest_is() {
    let site = Site::new(1, 100, "after = \"delete\", recursive = true");
    let own = fs::read(site.far("boston-00001.ber")).unwrap();
    fs::create_dir(site.far("outside/b")).unwrap();
    // Names from a malicious server.
    fs::write(
        site.path().join("hostile"),
        "../flow.ber\n../../in/new-york/x.ber\n/tmp/y.ber\n..\n",
    )
    .unwrap();
    for name in ["a\nb.ber", "a\\..\\b.ber", "x.duplicate.ber", ".hidden.ber"] {
        fs::write(site.far(name), &own).unwrap();
        make_old(&site.far(name));
    }
    std::os::unix::fs::symlink("/etc/passwd", site.far("link.ber")).unwrap();
    std::os::unix::fs::symlink(site.far(""), site.far("outside/loop")).unwrap();
    let inner = [own.as_slice(), &own].concat();
    fs::write(site.far("outside/b/inner.ber"), inner).unwrap();
    let (_, said) = tollgate(site.path(), "run flow.toml --once");
    // Three of these names in each of three folders, and five more, of which one is a link that may lead to a folder.
    assert!(said.contains("14 files of ") && said.contains("not fetched"), "{said}");
    let fetched = ["boston-00001.ber", "outside~1b~1inner.ber"];
    assert_eq!(site.processed().0, fetched);
    assert_eq!(site.names("").len(), 4, "what is not fetched stays where it is");
    let (status, alarms) = tollgate(site.path(), "alarms flow.toml");
    assert!(status == 1 && alarms.contains("far-files-refused"), "{alarms}");
    assert_eq!(fs::read_dir(site.path().join("in/new-york")).unwrap().count(), 0);
    assert!(!site.path().join("flow.state/flow.ber").exists());
    assert!(!site.path().join("flow.state/in/flow.ber").exists());
}

#[test]
fn a_file_that_cannot_be_deleted_there_keeps_no_other_from_being_fetched() {
    for reason in ["SFTPPermissionDenied", "SFTPFailure"] {
        let alarm = "far-files-refused\tmsc-boston: 1 file of";
        let site = Site::new(3, 90, "after = \"delete\"");
        fs::write(site.path().join("kept"), format!("boston-00001 {reason}")).unwrap();
        let gateway = Gateway::start(site.path());
        wait_for("the alarm", || tollgate(site.path(), "alarms flow.toml").1.contains(alarm));
        wait_for("the files", || site.processed().0.len() == 3);
        assert!(site.names("").contains("boston-00001.ber"));
        let refused =
            || tollgate(site.path(), "files refused flow.toml --code remote-sftp-answer-text").1;
        wait_for("the list", || refused().contains("not-removed\tmsc-boston\tboston-00001.ber\t"));
        fs::remove_file(site.path().join("kept")).unwrap();
        wait_for("all is deleted there", || site.names("").is_empty());
        wait_for("nothing is listed", || refused().is_empty());
        wait_for("its end", || tollgate(site.path(), "alarms flow.toml").1.is_empty());
        drop(gateway);
        assert_eq!((site.processed().0.len(), site.processed().1), (3, 0), "each once");
    }
}

#[test]
fn a_file_that_may_not_be_read_there_keeps_no_other_from_being_fetched() {
    for kind in [Kind::Asyncssh, Kind::Ftp, Kind::S3] {
        let site = Site::served(kind, 3, 90, "after = \"delete\"");
        fs::write(site.path().join("withheld"), "boston-00001").unwrap();
        let alarms = || tollgate(site.path(), "alarms flow.toml").1;
        let gateway = Gateway::start(site.path());
        wait_for("the alarm", || alarms().contains("far-files-refused\tmsc-boston: 1 file of"));
        wait_for("the other files", || site.processed().0.len() == 2);
        wait_for("what is left there", || site.names("").len() == 1);
        assert!(alarms().contains("boston-00001.ber"), "{}", alarms());
        fs::remove_file(site.path().join("withheld")).unwrap();
        wait_for("all is deleted there", || site.names("").is_empty());
        wait_for("its end", || alarms().is_empty());
        wait_for("the last file", || site.processed().0.len() == 3);
        drop(gateway);
        assert_eq!((site.processed().0.len(), site.processed().1), (3, 0), "each once");
    }
}

#[test]
fn what_is_in_a_folder_that_is_not_shown_is_neither_missed_nor_taken_for_gone() {
    for kind in [Kind::Asyncssh, Kind::Ftp] {
        let site = Site::served(kind, 4, 120, "recursive = true, after = \"keep\"");
        fs::create_dir(site.far("lent")).unwrap();
        fs::rename(site.far("boston-00001.ber"), site.far("lent/boston-00001.ber")).unwrap();
        fs::rename(site.far("boston-00004.ber"), site.path().join("later")).unwrap();
        let run = || tollgate(site.path(), "run flow.toml --once").1;
        run();
        assert_eq!(site.processed().0.len(), 3);
        // The file was fetched so long ago that it would be forgotten if it were gone.
        let journal = Connection::open(site.path().join("flow.state/journal.db")).unwrap();
        assert_eq!(journal.execute("UPDATE fetched SET at_ms = 0", []).unwrap(), 3);
        drop(journal);
        fs::rename(site.path().join("later"), site.far("boston-00004.ber")).unwrap();
        fs::write(site.path().join("withheld"), "lent").unwrap();
        let said = run();
        assert!(said.contains("such as \"lent\": what is in it is not shown"), "{said}");
        assert_eq!(site.processed().0.len(), 4, "what lies elsewhere is fetched");
        fs::remove_file(site.path().join("withheld")).unwrap();
        run();
        assert_eq!(tollgate(site.path(), "alarms flow.toml").1, "");
        assert_eq!((site.processed().0.len(), site.processed().1), (4, 0), "each once");
    }
}

#[test]
fn a_newer_file_of_a_name_that_could_not_be_deleted_is_not_deleted_unread() {
    let site = Site::new(3, 900, "after = \"delete\"");
    let [first, second, third] =
        ["1", "2", "3"].map(|number| site.far(&format!("boston-0000{number}.ber")));
    let (later, newer) = (site.path().join("later"), fs::read(&third).unwrap());
    fs::rename(&second, &later).unwrap();
    fs::remove_file(third).unwrap();
    fs::write(site.path().join("kept"), "boston-00001 SFTPFailure").unwrap();
    let proxy = site.proxied();
    let gateway = Gateway::start(site.path());
    gateway.says("1 file of ");
    wait_for("the first to be processed", || site.processed().0.len() == 1);
    // The receivers have taken their files.
    fs::remove_dir_all(site.path().join("out")).unwrap();
    // The next file comes slowly.
    proxy.limit(20_000);
    fs::rename(later, second).unwrap();
    let part = site.path().join("flow.state/in/msc-boston/.boston-00002.ber.part");
    wait_for("the next to come", || part.exists());
    fs::write(first, newer).unwrap();
    fs::remove_file(site.path().join("kept")).unwrap();
    proxy.limit(u64::MAX);
    wait_for("all to be deleted there", || site.names("").is_empty());
    wait_for("all to be processed", || site.processed().0.len() == 3);
    drop(gateway);
    let names = ["boston-00001.ber", "boston-00001.ber", "boston-00002.ber"];
    assert_eq!(site.processed(), (names.map(str::to_owned).into(), 0), "each once");
}

#[test]
fn what_is_listed_and_cannot_be_opened_is_told() {
    for (name, why, code) in [
        (b"caf\xe9.ber".as_slice(), "its name is not UTF-8", "fetch-not-utf8"),
        (b"ghost.ber", "it is listed and cannot be opened", "fetch-not-opened"),
    ] {
        let site = Site::new(1, 30, "after = \"delete\"");
        fs::write(site.path().join("hostile"), [name, b"\n"].concat()).unwrap();
        let (_, said) = tollgate(site.path(), "run flow.toml --once");
        assert!(said.contains("1 file of ") && said.contains(why), "{why}: {said}");
        assert_eq!(site.processed().0, ["boston-00001.ber"]);
        let (_, alarms) = tollgate(site.path(), "alarms flow.toml");
        assert!(alarms.contains("far-files-refused") && alarms.contains(why), "{alarms}");
        let (_, refused) = tollgate(site.path(), "files refused flow.toml");
        assert!(refused.contains("not-fetched\tmsc-boston\t"), "{refused}");
        assert!(refused.contains(why) && refused.contains(code), "{refused}");
    }
}

#[test]
fn a_file_whose_size_is_never_the_one_that_is_listed_is_told_and_not_fetched_all_the_time() {
    let site = Site::new(2, 60, "after = \"delete\"");
    let octets = fs::metadata(site.far("boston-00001.ber")).unwrap().len();
    fs::write(site.path().join("missized"), "boston-00001").unwrap();
    let why = format!("{} octets are listed, {octets} came", octets + 1);
    let (_, said) = tollgate(site.path(), "run flow.toml --once");
    assert!(said.contains(&why), "{said}");
    assert_eq!(site.processed().0, ["boston-00002.ber"]);
    let gateway = Gateway::start(site.path());
    gateway.says(&why);
    let tries = gateway.said().matches("is left for later").count();
    assert!(tries <= 2, "{}", gateway.said());
    fs::remove_file(site.path().join("missized")).unwrap();
    wait_for("its file", || site.processed().0.len() == 2);
    wait_for("its end", || tollgate(site.path(), "alarms flow.toml").1.is_empty());
}

#[test]
fn a_file_is_as_old_as_it_is_at_the_far_place() {
    for kind in [Kind::Asyncssh, Kind::Ftp] {
        let site = Site::served(kind, 2, 60, "after = \"keep\"");
        let day = Duration::from_secs(24 * 60 * 60);
        let now = SystemTime::now();
        for (name, at) in [("boston-00001.ber", now - day), ("boston-00002.ber", now + day)] {
            File::options().write(true).open(site.far(name)).unwrap().set_modified(at).unwrap();
        }
        tollgate(site.path(), "run flow.toml --once");
        assert_eq!(site.processed().0.len(), 2, "{kind:?}: nothing waits for its time");
        let journal = Connection::open(site.path().join("flow.state/journal.db")).unwrap();
        let sql = "SELECT modified_ns FROM file WHERE network_element = 'msc-boston' ORDER BY name";
        let mut select = journal.prepare(sql).unwrap();
        let written = select.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        let ages = written.map(|at| {
            let at = SystemTime::UNIX_EPOCH + Duration::from_nanos(at.unwrap() as u64);
            now.duration_since(at).map_or(-1, |age| age.as_secs() as i64)
        });
        let ages: Vec<i64> = ages.collect();
        assert!((86_400..86_403).contains(&ages[0]), "{kind:?}: {ages:?}");
        assert!(
            (-1..=0).contains(&ages[1]),
            "{kind:?}: none is of a time that is to come: {ages:?}"
        );
    }
}

#[test]
fn files_of_one_name_are_moved_however_many_there_were() {
    let site = Site::new(1, 30, "after = \"move:done\"");
    fs::create_dir(site.far("done")).unwrap();
    for number in 1..=10 {
        let ending = if number == 1 { String::new() } else { format!(".{number}") };
        fs::write(site.far("done").join(format!("boston-00001.ber{ending}")), "").unwrap();
    }
    let octets = fs::read(site.far("boston-00001.ber")).unwrap().len();
    assert_eq!(tollgate(site.path(), "run flow.toml --once").0, 0);
    assert!(site.names("").is_empty());
    let moved: Vec<String> = site.names("done").into_iter().collect();
    assert_eq!(moved.len(), 11);
    let stamped = moved.iter().filter(|name| name.ends_with(&format!("-{octets}")));
    assert_eq!(stamped.count(), 1, "{moved:?}");
}

#[test]
fn a_place_that_cannot_be_reached_is_an_alarm_until_it_can() {
    let site = Site::new(1, 100, "after = \"delete\"");
    let flow = fs::read_to_string(site.path().join("flow.toml")).unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let (before, behind) = flow.split_once("@127.0.0.1:").unwrap();
    let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    let wrong = format!("{before}@127.0.0.1:{port}{behind}");
    fs::write(site.path().join("flow.toml"), wrong).unwrap();
    let gateway = Gateway::start(site.path());
    gateway.says("alarm: msc-boston: files of \"sftp://");
    assert!(!gateway.said().contains(PASSWORD));
    fs::write(site.path().join("flow.toml"), flow).unwrap();
    gateway.says("alarm over: msc-boston: files of \"sftp://");
    wait_for("the file", || site.names("").is_empty());
}

/// The line is cut after more and more octets, outgoing and incoming by turns, so that it breaks at each step.
fn a_line_that_is_cut_anywhere_brings_each_file_once(kind: Kind) {
    a_cut_line_is_exact(kind, "");
}

fn a_cut_line_is_exact(kind: Kind, collect: &str) {
    const CUTS: u64 = 12;
    let site = Site::served(kind, 2, 150, &format!("after = \"move:done\"{collect}"));
    let proxy = site.proxied();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // A client that logs in with keys has sent more before the first step.
            let mut at = if kind == Kind::Asyncssh { 1_000.0 } else { 40.0 };
            let mut seen = None;
            while !over.load(Ordering::Relaxed) && proxy.cuts() < CUTS {
                let cuts = proxy.cuts();
                if seen.replace(cuts) != Some(cuts) {
                    match cuts % 2 {
                        0 => proxy.cut_after(at as i64),
                        _ => proxy.cut_back_after(at as i64),
                    }
                    at *= 1.3;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        for _ in 0..CUTS {
            tollgate(site.path(), "run flow.toml --once");
            if site.names("").is_empty() {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(proxy.cuts() >= 5, "{} cuts", proxy.cuts());
    proxy.cut_after(-1);
    proxy.cut_back_after(-1);
    tollgate(site.path(), "run flow.toml --once");
    let names = ["boston-00001.ber", "boston-00002.ber"];
    assert_eq!(site.processed(), (names.map(str::to_owned).into(), 0));
    assert_eq!(site.records(), 150);
    assert_eq!(site.names(""), BTreeSet::new());
    assert_eq!(site.names("done"), names.map(str::to_owned).into());
    let buffer = site.path().join("flow.state/in/msc-boston");
    assert_eq!(fs::read_dir(buffer).unwrap().count(), 0, "nothing that was begun is left");
    let (_, alarms) = tollgate(site.path(), "alarms flow.toml");
    assert!(!alarms.contains("msc-boston"), "{alarms}");
}

fn a_place_that_hangs_or_is_slow_holds_up_nobody(kind: Kind) {
    let site = Site::served(kind, 2, 300, "after = \"delete\", timeout = \"1 second\"");
    let proxy = site.proxied();
    proxy.hold(true);
    let gateway = Gateway::start(site.path());
    gateway.says("alarm: msc-boston: files of \"");
    assert!(gateway.said().contains("no answer within 1 seconds"), "{}", gateway.said());
    let done = site.lay_beside();
    wait_for("the others' file", || done.exists());
    assert_eq!(site.processed(), (Vec::new(), 0));
    // Each incoming piece is late, and little comes at once.
    site.change("timeout = \"1 second\"", "timeout = \"10 minutes\"");
    assert_eq!(tollgate(site.path(), "reload flow.toml").0, 0);
    proxy.delay(10);
    proxy.limit(20_000);
    proxy.hold(false);
    wait_for("them to be processed", || site.processed().0.len() == 2);
    assert_eq!(site.records(), 300);
    gateway.says("alarm over: msc-boston: files of \"");
    wait_for("them to be deleted", || site.names("").is_empty());
}

fn whoever_is_killed_fetches_and_processes_each_file_once(kind: Kind) {
    whoever_is_killed_is_exact(kind, "");
}

fn whoever_is_killed_is_exact(kind: Kind, collect: &str) {
    let files = 40;
    let site = Site::served(kind, files, 4_000, &format!("after = \"move:done\"{collect}"));
    let kills = std::env::var("KILLS").map_or(8, |kills| kills.parse().unwrap());
    let mut effective = 0;
    for kill in 0..kills {
        let before = (site.names("").len(), site.names("done").len());
        let mut gateway = Gateway::start(site.path());
        // At another moment each time, from the start until some files have been fetched.
        let fetched = kill % 4;
        let end = std::time::Instant::now() + Duration::from_secs(20);
        while gateway.said().matches("was fetched").count() < fetched
            && std::time::Instant::now() < end
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(kill as u64 * 7 % 50));
        gateway.kill();
        effective += usize::from(before != (site.names("").len(), site.names("done").len()));
    }
    let gateway = Gateway::start(site.path());
    wait_for("all files", || site.names("").is_empty());
    wait_for("them to be processed", || site.processed().0.len() >= files);
    drop(gateway);
    let (names, duplicates) = site.processed();
    let expected: Vec<String> = (1..=files).map(|n| format!("boston-{n:05}.ber")).collect();
    assert_eq!(names, expected, "each file is processed once");
    assert_eq!(duplicates, 0, "and none came a second time");
    assert_eq!(site.names("done").len(), files);
    assert!(effective > 0, "no kill met it at work");
    let (_, shown) = tollgate(site.path(), "audit flow.toml");
    assert!(shown.contains("All records are accounted for"), "{shown}");
    println!("{effective} of {kills} kills met it at work");
}

/// The first file is larger than the others together, and each connection is slow, so that the others arrive before it.
#[test]
fn files_that_come_over_several_connections_have_the_order_of_the_listing() {
    let site = Site::new(6, 60, "after = \"move:done\", at-once = 3");
    let first = site.far("boston-00001.ber");
    let contents = fs::read(&first).unwrap();
    fs::write(&first, contents.repeat(60)).unwrap();
    let proxy = site.proxied();
    proxy.limit(100_000);
    let gateway = Gateway::start(site.path());
    wait_for("all files", || site.names("done").len() == 6);
    wait_for("them to be processed", || site.processed().0.len() == 6);
    assert_eq!(proxy.connections(), 3);
    let said = gateway.said();
    let places = (1..=6).map(|n| said.find(&format!("\"boston-0000{n}.ber\" was fetched")));
    let places: Vec<usize> = places.map(Option::unwrap).collect();
    assert!(places.is_sorted(), "{said}");
}

#[test]
fn where_fewer_connections_are_given_than_may_be_that_is_told_once_and_files_come_all_the_same() {
    let site = Site::new(6, 60, "after = \"delete\", at-once = 3");
    let proxy = site.proxied();
    proxy.take_at_most(1);
    let gateway = Gateway::start(site.path());
    let told = "gives fewer connections than \"at-once\" says";
    gateway.says(told);
    wait_for("all files", || site.processed().0.len() == 6);
    assert_eq!(proxy.connections(), 1);
    for name in ["boston-00008.ber", "boston-00009.ber"] {
        fs::write(site.far(name), name).unwrap();
        make_old(&site.far(name));
    }
    wait_for("two more", || site.names("").is_empty());
    assert_eq!(gateway.said().matches(told).count(), 1, "{}", gateway.said());
    // After all connections were possible again, it is reported once more that they are not.
    let come = |connections, numbers: std::ops::Range<u32>| {
        proxy.take_at_most(connections);
        for number in numbers {
            let file = site.far(&format!("boston-000{number}.ber"));
            fs::write(&file, vec![b'a'; 100_000]).unwrap();
            make_old(&file);
        }
        wait_for("those", || site.names("").is_empty());
    };
    proxy.limit(100_000);
    come(100, 10..16);
    come(1, 20..26);
    wait_for("it to be told", || gateway.said().matches(told).count() == 2);
    let (_, alarms) = tollgate(site.path(), "alarms flow.toml");
    assert!(!alarms.contains("far-unreachable"), "{alarms}");
}

#[test]
fn what_is_wrong_with_how_files_are_fetched_is_a_mistake() {
    let site = Site::new(1, 10, "after = \"move:done\"");
    let flow = fs::read_to_string(site.path().join("flow.toml")).unwrap();
    for (from, to, mistake) in [
        ("after = \"move:done\", ", "", "\"msc-boston\" has no \"after\""),
        ("move:done", "remove", "\"remove\" is nothing that becomes of a file"),
        ("move:done", "move:../done", "moved to a folder within"),
        ("every = \"1 second\"", "every = \"often\"", "\"often\" is no length of time"),
        ("every = ", "at-once = 33, every = ", "no more than 32 are under way at once"),
        ("sftp://", "stfp://", "unknown protocol"),
        ("url = ", "dir = \"in\", url = ", "either collected from a folder, or fetched, or pushed"),
    ] {
        assert!(flow.contains(from), "{from}");
        fs::write(site.path().join("flow.toml"), flow.replacen(from, to, 1)).unwrap();
        let (status, said) = tollgate(site.path(), "check flow.toml");
        assert!(status != 0 && said.contains(mistake), "{to}: {said}");
    }
}
