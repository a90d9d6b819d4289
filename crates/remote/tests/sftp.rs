//! Files over SFTP, to servers of other projects.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::kit::{
    Octets, files_are_put_and_fetched, files_are_renamed_listed_and_removed, place, told,
};
use crate::servers::{Kind, PASSWORD, Server};
use transport::{Place, RemoteConnection, RemoteError, RemoteKind};

/// A served folder, and keys beside it.
struct Site {
    folder: tempfile::TempDir,
    kind: Kind,
    server: Server,
}

impl Site {
    fn new(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("root/in")).unwrap();
        let keygen = |name: &str, passphrase: &str, sort: &str| {
            let mut command = Command::new("ssh-keygen");
            command.args(["-q", "-t", sort, "-N", passphrase, "-f"]).arg(folder.path().join(name));
            assert!(command.status().unwrap().success());
        };
        keygen("key", "", "ed25519");
        keygen("rsa", "", "rsa");
        keygen("locked", "offen", "ed25519");
        keygen("stranger", "", "ed25519");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let authorized = [read("key.pub"), read("rsa.pub"), read("locked.pub")].concat();
        fs::write(folder.path().join("authorized"), authorized).unwrap();
        fs::write(folder.path().join("password"), format!("{PASSWORD}\n")).unwrap();
        fs::write(folder.path().join("wrong"), "falsch").unwrap();
        fs::write(folder.path().join("passphrase"), "offen\n").unwrap();
        let server = kind.serve(&folder.path().join("root"));
        Site { folder, kind, server }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("root")
    }

    /// Returns the place that a flow file with these settings names.
    fn place(&self, settings: &[(&str, &str)]) -> Result<Box<dyn Place>, String> {
        let url = self.kind.url(&self.server, &self.root(), "in");
        let all = [("url", url.as_str())].into_iter().chain(settings.iter().copied());
        place(self.folder.path(), &all.collect::<Vec<_>>())
    }

    fn connect(&self, settings: &[(&str, &str)]) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        self.place(settings).unwrap().connect()
    }

    fn usual(&self) -> Box<dyn RemoteConnection> {
        let host_key = self.server.said[1].as_str();
        self.connect(&[("password-file", "password"), ("host-key", host_key)]).unwrap()
    }
}

fn files_are_put_listed_fetched_renamed_and_removed(kind: Kind) {
    let site = Site::new(kind);
    let mut far = site.usual();
    let served = site.root().join("in");
    files_are_put_and_fetched(&mut *far, &served);
    assert!(far.stat("cdr-1.dat").unwrap().modified.is_some());
    files_are_renamed_listed_and_removed(&mut *far, &served);
    assert_eq!(told(far.put("no/file", &Octets(Vec::new()))), "\"no/file\" is not there");
    std::os::unix::fs::symlink("/etc/passwd", served.join("link")).unwrap();
    assert_eq!(far.stat("link").unwrap().kind, RemoteKind::Other);
    assert_eq!(far.stat("sub").unwrap().kind, RemoteKind::Folder);
}

#[test]
fn files_are_put_listed_fetched_renamed_and_removed_by_asyncssh() {
    files_are_put_listed_fetched_renamed_and_removed(Kind::Asyncssh);
}

#[test]
fn files_are_put_listed_fetched_renamed_and_removed_by_openssh() {
    files_are_put_listed_fetched_renamed_and_removed(Kind::OpenSsh);
}

/// Servers number handles in their own way, and some handles are not valid text.
#[test]
fn many_files_go_over_one_connection() {
    let site = Site::new(Kind::Asyncssh);
    let mut far = site.usual();
    for number in 0..300 {
        far.put(&format!("{number}"), &Octets(b"money".to_vec())).unwrap();
    }
    assert_eq!(far.list("").unwrap().files.len(), 300);
}

#[test]
fn only_who_is_known_is_let_in_and_only_a_machine_that_is_known_is_spoken_to() {
    let site = Site::new(Kind::Asyncssh);
    let host_key = site.server.said[1].as_str();
    let port = site.server.port();
    let known = |host: &str, key: &str| format!("[{host}]:{port} {key}");
    let own = site.server.said[2].as_str();
    let other = fs::read_to_string(site.folder.path().join("stranger.pub")).unwrap();
    fs::write(site.folder.path().join("known"), known("127.0.0.1", own)).unwrap();
    fs::write(site.folder.path().join("changed"), known("127.0.0.1", &other)).unwrap();
    fs::write(site.folder.path().join("others"), known("127.0.0.2", own)).unwrap();
    let not_known = format!(
        "shut: 127.0.0.1:{port} shows the host key \"{host_key}\" (ssh-ed25519), which is not the one it is known by"
    );
    let not_in = format!("shut: could not log in to 127.0.0.1:{port}: it does not let \"cdr\" in");
    let fingerprint = "SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE";
    let missing = site.folder.path().join("none");
    let missing = missing.display();
    for (settings, said) in [
        (vec![("password-file", "password"), ("host-key", host_key)], "done".to_owned()),
        (vec![("password-file", "password"), ("known-hosts", "known")], "done".to_owned()),
        (vec![("key-file", "key"), ("host-key", host_key)], "done".to_owned()),
        (vec![("key-file", "rsa"), ("host-key", host_key)], "done".to_owned()),
        (
            vec![
                ("key-file", "locked"),
                ("key-passphrase-file", "passphrase"),
                ("host-key", host_key),
            ],
            "done".to_owned(),
        ),
        (
            vec![("key-file", "stranger"), ("password-file", "password"), ("host-key", host_key)],
            "done".to_owned(),
        ),
        (vec![("key-file", "stranger"), ("host-key", host_key)], not_in.clone()),
        (vec![("password-file", "wrong"), ("host-key", host_key)], not_in),
        (
            vec![("password-file", "none"), ("host-key", host_key)],
            format!(
                "shut: \"password-file\": could not read \"{missing}\": No such file or directory (os error 2)"
            ),
        ),
        (vec![("password-file", "password"), ("host-key", fingerprint)], not_known.clone()),
        (vec![("password-file", "password"), ("known-hosts", "changed")], not_known),
        (
            vec![("password-file", "password"), ("known-hosts", "others")],
            format!(
                "shut: \"{}\" has no key of 127.0.0.1",
                site.folder.path().join("others").display()
            ),
        ),
    ] {
        assert_eq!(told(site.connect(&settings)), said, "{settings:?}");
    }
}

#[test]
fn what_cannot_be_meant_is_a_mistake_of_the_flow_file() {
    let here = Path::new(".");
    let fingerprint = "SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE";
    let whole = [("url", "sftp://cdr@b/"), ("key-file", "k"), ("host-key", fingerprint)];
    assert!(place(here, &whole).is_ok());
    for (change, said) in [
        (("url", "sftp://b/in"), "no user is named to log in as"),
        (("url", "sftp://a:geheim@b/in"), "an address cannot contain a password"),
        (("url", "stfp://a@b/in"), "unknown protocol \"stfp://\""),
        (("key-file", ""), "nothing is said by which to log in"),
        (("host-key", ""), "one thing says by which key the machine is known"),
        (("host-key", "MD5:00"), "\"host-key\" is written as \"SHA256:…\""),
        (("known-hosts", "k"), "one thing says by which key the machine is known"),
        (("token-file", "t"), "\"token-file\" does not apply to \"sftp://\""),
    ] {
        let mut settings: Vec<_> = whole.into_iter().filter(|(key, _)| *key != change.0).collect();
        settings.extend(Some(change).filter(|(_, value)| !value.is_empty()));
        assert_eq!(place(here, &settings).map(drop), Err(said.to_owned()), "{change:?}");
    }
}

#[test]
fn a_machine_that_is_not_there_or_says_nothing_may_come_back() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("sftp://cdr@127.0.0.1:{port}/");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p"), "x").unwrap();
    let settings = [
        ("url", url.as_str()),
        ("password-file", "p"),
        ("host-key", "SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE"),
        ("timeout", "1 second"),
    ];
    let place = place(folder.path(), &settings).unwrap();
    let silent =
        format!("passing: could not log in to 127.0.0.1:{port}: no answer within 1 seconds");
    assert_eq!(told(place.connect()), silent);
    drop(listener);
    let refused = format!(
        "passing: could not connect to 127.0.0.1:{port}: Connection refused (os error 111)"
    );
    assert_eq!(told(place.connect()), refused);
}
