//! Tests the notification of alarms by webhooks and mail, with third-party servers.

mod lines;

use crate::crash::disk;
use crate::servers;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::python::python_with;
use crate::common::wait::wait_for;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// A process that ends when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Ends the process in order, which notes what the other side has taken.
    fn stop(mut self) {
        self.signal(Signal::SIGTERM);
        self.0.wait().unwrap();
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.0.id().cast_signed()), signal).unwrap();
    }
}

/// The example flow, with the folder of a server that gets notifications.
struct Site {
    folder: TempDir,
    server: Option<Running>,
    port: u16,
}

const SECRET: &str = "hush-hush";

impl Site {
    fn new() -> Self {
        let site = Site { folder: TempDir::new().unwrap(), server: None, port: 0 };
        fs::create_dir(site.path("there")).unwrap();
        fs::create_dir(site.path("flow")).unwrap();
        site.tollgate("init .");
        fs::write(site.path("flow/secret"), format!("{SECRET}\n")).unwrap();
        site
    }

    /// Creates a site with a receiver of webhooks.
    fn with_receiver() -> Self {
        let mut site = Site::new();
        site.answers("up");
        site.start(Path::new("python3"), "receiver.py");
        site
    }

    /// Starts a server.
    fn start(&mut self, python: &Path, script: &str) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notify").join(script);
        let mut server = Command::new(python);
        let server = server.arg(script).arg(self.path("there")).stdout(Stdio::piped());
        let mut server = server.spawn().expect("python starts");
        let mut port = String::new();
        let says = server.stdout.take().expect("it is piped");
        BufReader::new(says).read_line(&mut port).unwrap();
        self.server = Some(Running(server));
        self.port = port.trim().parse().expect("the server says its port");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a table to the flow file.
    fn add(&self, table: &str) {
        let flow = self.path("flow/flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        fs::write(flow, format!("{text}\n{}", table.replace("PORT", &self.port.to_string())))
            .unwrap();
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(self.path("flow")).args(line.split(' '));
        command
    }

    /// Returns the whole output of a command, which must contain no secret.
    fn tollgate(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains(SECRET), "{said}");
        said
    }

    fn gateway(&self) -> Running {
        let said = fs::File::options().create(true).append(true).open(self.path("said")).unwrap();
        let mut command = self.command("run flow.toml");
        Running(command.stderr(said).stdout(Stdio::null()).spawn().unwrap())
    }

    /// Returns the output of the gateways.
    fn said(&self) -> String {
        let said = fs::read_to_string(self.path("said")).unwrap();
        assert!(!said.contains(SECRET), "{said}");
        said
    }

    /// Takes a network element's folder away, which raises an alarm, or gives it back.
    fn take_away(&self) {
        fs::rename(self.path("flow/in/boston"), self.path("away")).unwrap();
    }

    fn give_back(&self) {
        fs::rename(self.path("away"), self.path("flow/in/boston")).unwrap();
    }

    /// Fills the disk of the journal, and the log of the journal. A gateway can note nothing until the reader that is returned
    /// is gone: as long as it reads, the log does not begin at its start again.
    fn fill(&self, disk: &disk::Small, gateway: &Running) -> rusqlite::Connection {
        let open = || {
            let db = rusqlite::Connection::open(self.path("flow/flow.state/journal.db")).unwrap();
            db.busy_timeout(Duration::from_secs(10)).unwrap();
            db.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
            db
        };
        let (reader, writer) = (open(), open());
        // The gateway stops while it writes nothing, and so notes nothing before the log is full.
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        gateway.signal(Signal::SIGSTOP);
        writer.execute_batch("ROLLBACK").unwrap();
        disk.fill();
        reader.execute_batch("BEGIN").unwrap();
        reader.query_row("SELECT count(*) FROM alarm", [], |_| Ok(())).unwrap();
        // SQLite writes nothing for a row that stays the same.
        let changes = ["text || ' '", "rtrim(text)"];
        let full = changes
            .iter()
            .cycle()
            .find_map(|text| writer.execute(&format!("UPDATE alarm SET text = {text}"), []).err());
        let code = full.and_then(|error| error.sqlite_error_code());
        assert_eq!(code, Some(rusqlite::ErrorCode::DiskFull));
        gateway.signal(Signal::SIGCONT);
        reader
    }

    /// Sets how the receiver answers from now on.
    fn answers(&self, mode: &str) {
        let (part, mode_file) = (self.path("there/mode.part"), self.path("there/mode"));
        fs::write(&part, mode).unwrap();
        fs::rename(part, mode_file).unwrap();
    }

    /// Returns the requests that reached the receiver.
    fn requests(&self) -> Vec<Value> {
        let requests = fs::read_to_string(self.path("there/requests")).unwrap_or_default();
        let whole = requests.rfind('\n').map_or("", |end| &requests[..end]);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the notifications that the receiver has accepted: events, kinds and numbers.
    fn taken(&self) -> Vec<[String; 3]> {
        let taken = self.requests().into_iter().filter(|request| request["mode"] == "up");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        taken
            .map(|request| {
                assert_eq!(request["key"], request["body"]["id"]);
                ["event", "kind", "id"].map(|key| text(&request["body"][key]))
            })
            .collect()
    }

    /// Returns the accepted events of a kind.
    fn events(&self, kind: &str) -> Vec<String> {
        let of_kind = self.taken().into_iter().filter(|[_, of, _]| of == kind);
        of_kind.map(|[event, ..]| event).collect()
    }
}

const UNREADABLE: &str = "folder-unreadable";

#[test]
fn a_webhook_is_told_once_of_what_becomes_of_an_alarm_whoever_runs() {
    let site = Site::with_receiver();
    site.add(
        "[notify.operations]\nurl = \"http://127.0.0.1:PORT/hook\"\ntoken-file = \"secret\"\n\
         allow = [\"127.0.0.1\"]\n",
    );
    site.take_away();
    site.tollgate("run flow.toml --once");
    site.tollgate("run flow.toml --once");
    assert_eq!(site.events(UNREADABLE), ["raised"]);
    site.tollgate("alarms acknowledge flow.toml --all --because mine");
    assert_eq!(site.events(UNREADABLE), ["raised"], "nobody tells where no gateway runs");
    let gateway = site.gateway();
    wait_for("the acknowledgement", || site.events(UNREADABLE) == ["raised", "acknowledged"]);
    site.give_back();
    let all = ["raised", "acknowledged", "cleared"];
    wait_for("the end", || site.events(UNREADABLE) == all);
    gateway.stop();
    site.tollgate("run flow.toml --once");
    assert_eq!(site.events(UNREADABLE), all);

    let numbers: BTreeSet<_> = site.taken().into_iter().map(|[_, _, id]| id).collect();
    assert_eq!(numbers.len(), site.taken().len(), "each has a number of its own");
    let requests = site.requests();
    let of_kind: Vec<&Value> =
        requests.iter().filter(|one| one["body"]["kind"] == UNREADABLE).collect();
    for one in &of_kind {
        assert_eq!(one["authorization"], format!("Bearer {SECRET}"));
        assert_eq!(one["path"], "/hook");
        assert_eq!(one["body"]["flow"], "flow");
        assert_eq!(one["body"]["subject"], "msc-boston");
        assert_eq!(one["body"]["raised_severity"], "major");
    }
    let severities: Vec<&Value> = of_kind.iter().map(|one| &one["body"]["severity"]).collect();
    assert_eq!(severities, ["major", "major", "cleared"]);
    assert_eq!(of_kind[1]["body"]["remark"], "mine");
}

#[test]
fn a_channel_that_is_new_is_told_what_is_raised_and_not_what_is_over() {
    let site = Site::with_receiver();
    fs::rename(site.path("flow/in/new-york"), site.path("away-too")).unwrap();
    site.tollgate("run flow.toml --once");
    fs::rename(site.path("away-too"), site.path("flow/in/new-york")).unwrap();
    site.take_away();
    site.tollgate("run flow.toml --once");
    let flow = site.path("flow/flow.toml");
    let before = fs::read_to_string(&flow).unwrap();
    let channel = "[notify.new]\nurl = \"http://127.0.0.1:PORT/\"\nallow = [\"127.0.0.1\"]\n";
    for times in 1..=2 {
        site.add(channel);
        site.tollgate("run flow.toml --once");
        assert_eq!(site.events(UNREADABLE), vec!["raised"; times]);
        let subject = &site.requests()[times - 1]["body"]["subject"];
        assert_eq!(*subject, "msc-boston");
        // After the receiver was removed from the flow, it starts over.
        fs::write(&flow, &before).unwrap();
        site.tollgate("run flow.toml --once");
    }
}

#[test]
fn who_wants_to_know_of_some_alarms_is_told_of_no_others() {
    let site = Site::with_receiver();
    site.add(
        "[notify.a]\nurl = \"http://127.0.0.1:PORT/kinds\"\nallow = [\"127.0.0.0/8\"]\n\
         kinds = [\"disk-low\"]\n\
         [notify.b]\nurl = \"http://127.0.0.1:PORT/severe\"\nallow = [\"127.0.0.1\"]\n\
         severities = [\"critical\", \"minor\"]\n\
         [notify.c]\nurl = \"http://127.0.0.1:PORT/both\"\nallow = [\"127.0.0.1\"]\n\
         kinds = [\"folder-unreadable\"]\nseverities = [\"major\"]\n",
    );
    site.take_away();
    site.tollgate("run flow.toml --once");
    let paths: Vec<String> = site.requests().iter().map(|one| one["path"].to_string()).collect();
    assert_eq!(paths, ["\"/both\""]);
}

#[test]
fn a_receiver_that_is_down_is_an_alarm_that_others_are_told_of_and_hears_all_of_it_later() {
    let site = Site::with_receiver();
    site.answers("down");
    site.add(
        "[notify.operations]\nurl = \"http://127.0.0.1:PORT/\"\nallow = [\"127.0.0.1\"]\n\
         failing-after = \"1 second\"\n",
    );
    site.take_away();
    let _gateway = site.gateway();
    wait_for("the alarm", || site.tollgate("alarms").contains("notify-failing"));
    assert!(site.tollgate("alarms").contains("answers 503"), "{}", site.tollgate("alarms"));
    assert!(site.said().contains("could not be told of alarms"), "{}", site.said());
    wait_for("new york", || site.path("flow/in/new-york/new-york-00003.ber.done").exists());
    site.answers("up");
    wait_for("what was missed", || site.events("notify-failing") == ["raised", "cleared"]);
    assert_eq!(site.events(UNREADABLE), ["raised"]);
    assert!(!site.tollgate("alarms").contains("notify-failing"));
    // A receiver that does not listen at all is treated the same.
    let numbers: BTreeSet<_> = site.taken().into_iter().map(|[_, _, id]| id).collect();
    assert_eq!(numbers.len(), site.taken().len());
}

#[test]
fn an_event_that_a_receiver_refuses_keeps_no_other_from_it_for_long() {
    let site = Site::with_receiver();
    site.answers("picky");
    site.add(
        "[notify.operations]\nurl = \"http://127.0.0.1:PORT/\"\nallow = [\"127.0.0.1\"]\n\
         failing-after = \"1 second\"\n",
    );
    site.take_away();
    let _gateway = site.gateway();
    wait_for("the event that is refused", || !site.requests().is_empty());
    fs::rename(site.path("flow/in/new-york"), site.path("away-too")).unwrap();
    let has_come = |kind: &str, subject: &str| {
        let is_it = |body: &Value| body["kind"] == kind && body["subject"] == subject;
        site.requests().iter().any(|request| is_it(&request["body"]))
    };
    wait_for("the next", || has_come(UNREADABLE, "msc-new-york"));
    wait_for("that it is told", || has_come("notify-refused", "operations"));
}

#[test]
fn who_is_killed_while_a_receiver_is_slow_repeats_that_event_alone() {
    let site = Site::with_receiver();
    site.add("[notify.operations]\nurl = \"http://127.0.0.1:PORT/\"\nallow = [\"127.0.0.1\"]\n");
    site.take_away();
    site.tollgate("run flow.toml --once");
    site.answers("slow");
    let gateway = site.gateway();
    site.give_back();
    wait_for("the request", || site.requests().len() == 2);
    drop(gateway);
    site.answers("up");
    site.tollgate("run flow.toml --once");
    let events: Vec<[String; 2]> = site
        .requests()
        .iter()
        .map(|one| ["event", "id"].map(|key| one["body"][key].as_str().unwrap().to_owned()))
        .collect();
    let names: Vec<&str> = events.iter().map(|[event, _]| event.as_str()).collect();
    assert_eq!(names, ["raised", "cleared", "cleared"]);
    assert_eq!(events[1], events[2], "who has it already can tell");
}

#[test]
fn a_receiver_that_is_slow_holds_nobody_up() {
    let site = Site::with_receiver();
    site.answers("slow");
    site.add(
        "[notify.operations]\nurl = \"http://127.0.0.1:PORT/\"\nallow = [\"127.0.0.1\"]\n\
         timeout = \"1 second\"\n",
    );
    site.take_away();
    let gateway = site.gateway();
    wait_for("the request", || !site.requests().is_empty());
    site.give_back();
    wait_for("boston", || site.path("flow/in/boston/boston-00004.ber.done").exists());
    wait_for("the answer", || site.said().contains("did not answer in time"));
    drop(gateway);
}

/// A full disk lets the gateway note neither which receiver was notified nor that another could not be.
#[test]
fn a_disk_without_room_for_the_journal_is_told_of_at_once_and_all_else_when_there_is_room() {
    let site = Site::with_receiver();
    site.answers("down");
    site.add("[notify.operations]\nurl = \"http://127.0.0.1:PORT/\"\nallow = [\"127.0.0.1\"]\n");
    let disk = match disk::Small::new(&site.path("flow/flow.state"), 24 << 10) {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("LEFT OUT: a full disk under the journal: {reason}"),
    };
    site.take_away();
    let gateway = site.gateway();
    wait_for("a request", || !site.requests().is_empty());
    let reader = site.fill(&disk, &gateway);
    wait_for("what is not noted", || site.said().contains("is not told of alarms"));
    site.answers("up");
    // Notifications of the full disk, with a number that no alarm of the journal has.
    let unnoted = || -> Vec<Value> {
        let bodies = site.requests().into_iter().filter(|one| one["mode"] == "up");
        let bodies = bodies.map(|one| one["body"].clone());
        bodies.filter(|body| body["kind"] == "disk-low" && body["alarm"] == 0).collect()
    };
    wait_for("the full disk", || unnoted().len() == 1);
    let raised = unnoted().remove(0);
    assert_eq!((&raised["event"], &raised["severity"]), (&"raised".into(), &"critical".into()));
    let text = raised["text"].as_str().unwrap();
    assert!(text.starts_with("no room on the disk of") && text.contains("flow.state"), "{text}");
    assert_eq!(site.events(UNREADABLE), Vec::<String>::new(), "that could not be noted");
    drop(reader);
    disk.free();
    wait_for("the end", || unnoted().len() == 2);
    let cleared = unnoted().remove(1);
    assert_eq!((&cleared["event"], &cleared["severity"]), (&"cleared".into(), &"cleared".into()));
    assert_ne!(cleared["id"], raised["id"]);
    wait_for("what waited", || site.events(UNREADABLE) == ["raised"]);
    // The receiver is not notified again soon.
    let reader = site.fill(&disk, &gateway);
    wait_for("what is listed", || site.tollgate("alarms").contains("disk-low"));
    std::thread::sleep(Duration::from_secs(3));
    drop(reader);
    disk.free();
    assert_eq!(unnoted().len(), 2);
    drop(gateway);
    // A gateway that finds no room when it starts sends a notification, too.
    disk.fill();
    let _gateway = site.gateway();
    wait_for("the full disk", || unnoted().len() == 3);
}

#[test]
fn no_address_is_reached_that_the_flow_does_not_allow() {
    let site = Site::with_receiver();
    site.add(
        "[notify.number]\nurl = \"http://127.0.0.1:PORT/?key=hush-hush\"\n\
         [notify.name]\nurl = \"http://localhost:PORT/\"\n\
         [notify.other]\nurl = \"http://localhost:PORT/\"\nallow = [\"10.0.0.0/8\", \"192.0.2.1\"]\n\
         [notify.mapped]\nurl = \"http://[::ffff:127.0.0.1]:PORT/\"\n",
    );
    site.take_away();
    let said = site.tollgate("run flow.toml --once");
    for (name, host) in [("number", "127.0.0.1"), ("name", "localhost"), ("other", "localhost")] {
        let told = format!("\"{name}\" could not be told of alarms: \"{host}\" leads to ");
        assert!(said.contains(&told), "{said}");
    }
    assert!(said.contains("\"mapped\" could not be told of alarms"), "{said}");
    assert!(said.contains("which \"allow\" does not have"), "{said}");
    assert_eq!(site.requests(), Vec::<Value>::new());
}

#[test]
fn a_redirect_is_not_followed() {
    let site = Site::with_receiver();
    site.answers("redirect");
    site.add(
        "[notify.operations]\nurl = \"http://127.0.0.1:PORT/hook\"\nallow = [\"127.0.0.1\"]\n",
    );
    site.take_away();
    let said = site.tollgate("run flow.toml --once");
    assert!(said.contains("answers 307 Temporary Redirect, which is not followed"), "{said}");
    let paths: BTreeSet<String> =
        site.requests().iter().map(|one| one["path"].to_string()).collect();
    assert_eq!(paths, BTreeSet::from(["\"/hook\"".to_owned()]));
}

#[test]
fn a_webhook_over_https_is_told_where_its_certificate_is_believed_and_not_elsewhere() {
    let mut site = Site::new();
    site.answers("up");
    fs::create_dir(site.path("others")).unwrap();
    servers::certificate(&site.path("there"));
    servers::certificate(&site.path("others"));
    site.start(Path::new("python3"), "receiver.py");
    site.take_away();
    let flow = site.path("flow/flow.toml");
    let before = fs::read_to_string(&flow).unwrap();
    let channel = "[notify.operations]\nurl = \"https://localhost:PORT/hook\"\n\
                   token-file = \"secret\"\nallow = [\"127.0.0.1\"]\n";
    let of = |folder: &str| format!("certificate-authority = \"../{folder}/authority.pem\"\n");
    for authority in [String::new(), of("others")] {
        site.add(&format!("{channel}{authority}"));
        let said = site.tollgate("run flow.toml --once");
        assert!(said.contains("\"operations\" could not be told of alarms"), "{said}");
        assert!(said.contains("certificate"), "nobody vouches for it: {said}");
        assert_eq!(site.requests(), Vec::<Value>::new(), "nothing was sent, and no secret");
        fs::write(&flow, &before).unwrap();
    }
    site.add(&format!("{channel}{}", of("there")));
    site.tollgate("run flow.toml --once");
    assert_eq!(site.events(UNREADABLE), ["raised"]);
    assert_eq!(site.requests()[0]["authorization"], format!("Bearer {SECRET}"));
}

#[test]
fn a_mail_goes_out_over_a_connection_that_begins_with_tls() {
    let mut site = Site::new();
    servers::certificate(&site.path("there"));
    fs::copy(site.path("there/server.pem"), site.path("there/certificate.pem")).unwrap();
    fs::write(site.path("there/implicit"), "").unwrap();
    site.start(&python_with(&["aiosmtpd==1.4.6"]), "mailbox.py");
    let mail = |tls: &str| {
        format!(
            "[notify.people]\nsmtp = \"localhost:PORT\"\nfrom = \"gateway@example.com\"\n\
             to = \"anna@example.com\"\nuser = \"gateway\"\npassword-file = \"secret\"\n\
             gather = \"1 second\"\ntimeout = \"5 seconds\"{tls}\n"
        )
    };
    site.take_away();
    let flow = site.path("flow/flow.toml");
    let before = fs::read_to_string(&flow).unwrap();
    let by = "\ncertificate-authority = \"../there/authority.pem\"";
    // No authority is configured that vouches for the server.
    site.add(&mail("\ntls = \"tls\""));
    let said = site.tollgate("run flow.toml --once");
    assert!(said.contains("\"people\" could not be told of alarms"), "{said}");
    assert!(said.contains("certificate") && !site.path("there/mail-1").exists(), "{said}");
    fs::write(&flow, &before).unwrap();
    site.add(&mail(&format!("\ntls = \"tls\"{by}")));
    let said = site.tollgate("run flow.toml --once");
    let mail = fs::read_to_string(site.path("there/mail-1")).unwrap_or(said);
    assert!(mail.contains("major  folder-unreadable msc-boston"), "{mail}");
}

#[test]
fn who_is_refused_a_mail_keeps_it_from_nobody_and_nobody_has_it_twice() {
    let mut site = Site::new();
    servers::certificate(&site.path("there"));
    fs::copy(site.path("there/server.pem"), site.path("there/certificate.pem")).unwrap();
    fs::write(site.path("there/implicit"), "").unwrap();
    let refused = "bo@example.com 550 nobody here\ncarl@example.com 451 not now";
    fs::write(site.path("there/refused"), refused).unwrap();
    site.start(&python_with(&["aiosmtpd==1.4.6"]), "mailbox.py");
    site.add(
        "[notify.people]\nsmtp = \"localhost:PORT\"\nfrom = \"gateway@example.com\"\n\
         to = [\"bo@example.com\", \"anna@example.com\", \"carl@example.com\"]\nuser = \"gateway\"\n\
         password-file = \"secret\"\ngather = \"1 second\"\ntimeout = \"5 seconds\"\ntls = \"tls\"\n\
         certificate-authority = \"../there/authority.pem\"\n",
    );
    site.take_away();
    let gateway = site.gateway();
    let mail = |number: usize| fs::read_to_string(site.path(&format!("there/mail-{number}")));
    let to = |number| mail(number).unwrap().lines().nth(1).map(str::to_owned);
    wait_for("the mail", || mail(1).is_ok());
    assert_eq!(to(1).as_deref(), Some("anna@example.com"));
    fs::write(site.path("there/refused"), "bo@example.com 550 nobody here").unwrap();
    wait_for("the mail that was late", || mail(2).is_ok());
    assert_eq!(to(2).as_deref(), Some("carl@example.com"));
    let has_come =
        |text: &str| (1..).map_while(|number| mail(number).ok()).any(|mail| mail.contains(text));
    wait_for("the others, told of that", || has_come("major  notify-refused people"));
    let alarms = site.tollgate("alarms");
    assert!(alarms.contains("\"people\" does not reach <bo@example.com>"), "{alarms}");
    site.give_back();
    wait_for("the next", || has_come("cleared  folder-unreadable msc-boston"));
    assert!(site.tollgate("alarms").contains("notify-refused"), "that is so still");
    fs::write(site.path("there/refused"), "").unwrap();
    site.take_away();
    wait_for("the end of it", || has_come("cleared  notify-refused people"));
    gateway.stop();
    let said = site.said();
    assert!(said.contains("<bo@example.com>") && said.contains("nobody here"), "{said}");
}

#[test]
fn whose_mailbox_is_full_keeps_no_mail_from_others_for_long() {
    let mut site = Site::new();
    servers::certificate(&site.path("there"));
    fs::copy(site.path("there/server.pem"), site.path("there/certificate.pem")).unwrap();
    fs::write(site.path("there/implicit"), "").unwrap();
    fs::write(site.path("there/refused"), "carl@example.com 452 mailbox full").unwrap();
    site.start(&python_with(&["aiosmtpd==1.4.6"]), "mailbox.py");
    site.add(
        "[notify.people]\nsmtp = \"localhost:PORT\"\nfrom = \"gateway@example.com\"\n\
         to = [\"anna@example.com\", \"carl@example.com\"]\nuser = \"gateway\"\n\
         password-file = \"secret\"\ngather = \"1 second\"\ntimeout = \"5 seconds\"\ntls = \"tls\"\n\
         certificate-authority = \"../there/authority.pem\"\nfailing-after = \"1 second\"\n",
    );
    site.take_away();
    let _gateway = site.gateway();
    let mail = |number: usize| fs::read_to_string(site.path(&format!("there/mail-{number}")));
    let has_come =
        |text: &str| (1..).map_while(|number| mail(number).ok()).any(|mail| mail.contains(text));
    wait_for("the mail", || has_come("raised"));
    site.give_back();
    wait_for("the next", || has_come("cleared  folder-unreadable msc-boston"));
    wait_for("the alarm", || site.tollgate("alarms").contains("not reach <carl@example.com>"));
    assert!(!site.tollgate("alarms").contains("notify-failing"));
    fs::write(site.path("there/refused"), "").unwrap();
    site.take_away();
    wait_for("the end of it", || has_come("cleared  notify-refused people"));
    let to = (1..).map_while(|number| mail(number).ok()).map(|mail| mail.contains("carl@"));
    assert_eq!(to.last(), Some(true));
}

#[test]
fn a_mail_has_what_happens_within_some_seconds_and_comes_once() {
    let mut site = Site::new();
    let mut certificate = Command::new("openssl");
    certificate.current_dir(site.path("there")).args(
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out certificate.pem \
         -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE"
            .split_whitespace(),
    );
    assert!(certificate.output().unwrap().status.success(), "openssl makes a certificate");
    site.start(&python_with(&["aiosmtpd==1.4.6"]), "mailbox.py");
    let mail = "[notify.people]\nsmtp = \"localhost:PORT\"\nfrom = \"gateway@example.com\"\n\
                to = [\"Anna <anna@example.com>\", \"bo@example.com\"]\nuser = \"gateway\"\n\
                password-file = \"secret\"\ngather = \"3 seconds\"\n";
    site.add(mail);
    site.take_away();
    fs::rename(site.path("flow/in/new-york"), site.path("away-too")).unwrap();
    let said = site.tollgate("run flow.toml --once");
    assert!(said.contains("certificate"), "nobody vouches for it: {said}");
    assert!(!site.path("there/mail-1").exists());

    site.add("certificate-authority = \"../there/certificate.pem\"\n");
    let gateway = site.gateway();
    let mail = site.path("there/mail-1");
    wait_for("the mail", || mail.exists());
    let text = fs::read_to_string(&mail).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("gateway@example.com"));
    assert_eq!(lines.next(), Some("anna@example.com,bo@example.com"));
    assert!(text.contains("Subject: [tollgate flow] major: folder-unreadable"), "{text}");
    for element in ["msc-boston", "msc-new-york"] {
        assert!(text.contains(&format!("major  folder-unreadable {element}")), "{text}");
    }
    site.give_back();
    fs::rename(site.path("away-too"), site.path("flow/in/new-york")).unwrap();
    wait_for("the second mail", || site.path("there/mail-2").exists());
    let second = fs::read_to_string(site.path("there/mail-2")).unwrap();
    let id = |text: &str| {
        text.lines().find(|line| line.starts_with("Message-ID:")).map(str::to_owned).unwrap()
    };
    assert!(second.contains("cleared  folder-unreadable"), "{second}");
    assert_ne!(id(&text), id(&second));
    gateway.stop();
    site.tollgate("run flow.toml --once");
    assert!(!site.path("there/mail-3").exists());
    site.said();
}

#[test]
fn mistakes_of_who_is_told_are_said_and_no_secret_with_them() {
    for (table, mistake) in [
        ("kinds = [\"disk-low\"]", "\"operations\" has one of \"url\" and \"smtp\""),
        ("url = \"https://a/\"\nsmtp = \"b\"", "\"operations\" has one of \"url\" and \"smtp\""),
        ("url = \"https://me:hush-hush@a/\"", "has a user in it: name a \"token-file\" instead"),
        (
            "url = \"ftp://a/hush-hush\"",
            "does not begin with \"https://\" or \"http://\" and a host",
        ),
        ("url = \"hush hush\"", "is no address of a place"),
        ("url = \"https://a/\"\nkinds = [\"disk-lo\"]", "did you mean \"disk-low\"?"),
        ("url = \"https://a/\"\nseverities = [\"bad\"]", "known here: critical, major"),
        ("url = \"https://a/\"\nallow = [\"a\"]", "\"a\" is no address"),
        ("url = \"https://a/\"\ntoken = \"b\"", "no key is named \"token\""),
        ("url = \"https://a/\"\ntimeout = \"soon\"", "\"soon\" is no length of time"),
        ("smtp = \"a:b\"\nfrom = \"a@b.se\"\nto = \"a@b.se\"", "\"smtp\" is no server"),
        ("smtp = \"a\"\nto = \"a@b.se\"", "\"operations\" has no \"from\""),
        ("smtp = \"a\"\nfrom = \"a@b.se\"", "\"operations\" has no \"to\""),
        ("smtp = \"a\"\nfrom = \"ab.se\"\nto = \"a@b.se\"", "\"ab.se\" is no address of mail"),
        (
            "smtp = \"a\"\nfrom = \"a@b.se\"\nto = \"a@b.se\"\nuser = \"a\"",
            "\"user\" and \"password-file\" go together",
        ),
        (
            "smtp = \"a\"\nfrom = \"a@b.se\"\nto = \"a@b.se\"\nuser = \"a\"\npassword-file = \"a\"\ntls = \"none\"",
            "a password is not sent without \"tls\"",
        ),
    ] {
        let site = Site::new();
        site.add(&format!("[notify.operations]\n{table}\n"));
        let output = site.command("check flow.toml").output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(2), "{table}: {said}");
        assert!(said.contains(mistake) && !said.contains("hush"), "{table}: {said}");
    }
}
