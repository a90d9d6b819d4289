//! Files over FTP, with TLS and without, to a server of another project.

use std::fs;

use crate::kit::{
    Octets, files_are_put_and_fetched, files_are_renamed_listed_and_removed, place, told,
};
use crate::servers::{PASSWORD, Server, certificate};
use tempfile::TempDir;
use transport::{RemoteConnection, RemoteError, RemoteKind};

struct Site {
    folder: TempDir,
    server: Server,
    scheme: &'static str,
}

impl Site {
    fn new(how: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("root/in")).unwrap();
        fs::write(folder.path().join("password"), PASSWORD).unwrap();
        fs::write(folder.path().join("wrong"), "falsch").unwrap();
        certificate(folder.path());
        let root = folder.path().join("root");
        let server =
            Server::python("ftp.py", &[&[root.to_str().unwrap(), PASSWORD], how].concat(), 2);
        Site { folder, server, scheme: if how.contains(&"tls") { "ftps" } else { "ftp" } }
    }

    fn connect(&self, settings: &[(&str, &str)]) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        let url = format!("{}://cdr@localhost:{}/in", self.scheme, self.server.port());
        let all = [("url", url.as_str())].into_iter().chain(settings.iter().copied());
        place(self.folder.path(), &all.collect::<Vec<_>>()).unwrap().connect()
    }
}

fn files_go_and_come(how: &[&str], settings: &[(&str, &str)]) {
    let site = Site::new(how);
    let mut far = site.connect(settings).unwrap();
    let served = site.folder.path().join("root/in");
    files_are_put_and_fetched(&mut *far, &served);
    files_are_renamed_listed_and_removed(&mut *far, &served);
    let missing = far.put("no/file", &Octets(Vec::new()));
    let missing = told(missing);
    assert!(
        missing.starts_with("unavailable: \"no/file\": the server answers \"550 "),
        "{missing}"
    );
    let command = far.put("a\r\nDELE cdr-32768.dat", &Octets(Vec::new()));
    assert!(told(command).starts_with("refused: "));
    assert!(served.join("cdr-32768.dat").exists());
}

#[test]
fn files_are_put_listed_fetched_renamed_and_removed() {
    files_go_and_come(&[], &[("password-file", "password")]);
}

#[test]
fn files_go_and_come_where_the_server_knows_no_facts() {
    files_go_and_come(&["mute"], &[("password-file", "password")]);
}

#[test]
fn what_a_server_has_is_listed_whether_it_knows_facts_or_not() {
    for how in [&[][..], &["mute"]] {
        let site = Site::new(how);
        let served = site.folder.path().join("root/in");
        fs::write(served.join("a b.dat"), "money").unwrap();
        fs::create_dir(served.join("sub")).unwrap();
        std::os::unix::fs::symlink("/etc", served.join("link")).unwrap();
        let mut far = site.connect(&[("password-file", "password")]).unwrap();
        let mut listed = far.list("").unwrap().files;
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        let found: Vec<_> = listed.iter().map(|file| (file.name.as_str(), file.kind)).collect();
        assert_eq!(
            (found[0], found[2]),
            (("a b.dat", RemoteKind::File), ("sub", RemoteKind::Folder)),
            "{how:?}"
        );
        assert_eq!(listed[0].octets, Some(5));
        assert_eq!(listed[0].modified.is_some(), how.is_empty());
        // A list gives the same attributes as the file itself.
        let told = far.stat("a b.dat").unwrap();
        assert_eq!((told.octets, told.modified), (Some(5), listed[0].modified));
        far.make_folder("sub").unwrap();
        assert!(far.list("sub").unwrap().files.is_empty());
    }
}

#[test]
fn a_server_that_is_full_or_refuses_a_name_says_what_to_do_next() {
    let site = Site::new(&[]);
    let mut far = site.connect(&[("password-file", "password")]).unwrap();
    fs::write(site.folder.path().join("full"), "").unwrap();
    let said = told(far.put("a.dat", &Octets(vec![1; 1_000_000])));
    assert!(said.starts_with("unavailable: ") && said.contains("426 "), "{said}");
    fs::remove_file(site.folder.path().join("full")).unwrap();
    fs::write(site.folder.path().join("refused"), "odd").unwrap();
    let said = told(far.put("odd.dat", &Octets(vec![1])));
    assert_eq!(said, "refused: \"odd.dat\": the server answers \"553 no such names\" to STOR");
    assert_eq!(told(far.put("a.dat", &Octets(vec![1]))), "done", "the line is still good");
    // An invalid new name is not reported as a missing file.
    let said = told(far.rename("a.dat", "none/a.dat"));
    assert!(
        said.starts_with("unavailable: \"a.dat\" could not be renamed to \"none/a.dat\": "),
        "{said}"
    );
}

#[test]
fn files_go_and_come_where_nobody_may_listen() {
    let known = [("password-file", "password"), ("certificate-authority", "authority.pem")];
    files_go_and_come(&["tls"], &known);
}

#[test]
fn only_who_is_known_is_let_in_and_only_a_machine_that_is_known_is_spoken_to() {
    let site = Site::new(&["tls"]);
    let wrong = [("password-file", "wrong"), ("certificate-authority", "authority.pem")];
    let said = told(site.connect(&wrong));
    assert!(said.starts_with("shut: could not log in to localhost:"), "{said}");
    let said = told(site.connect(&[("password-file", "password")]));
    assert!(
        said.starts_with("shut: ") && said.contains("an authority that is not known"),
        "{said}"
    );
    let known = [("password-file", "password"), ("certificate-authority", "password")];
    let said = told(site.connect(&known));
    assert!(said.starts_with("shut: ") && said.contains("no certificate in it"), "{said}");
}

#[test]
fn what_cannot_be_meant_is_a_mistake_of_the_flow_file() {
    let here = std::path::Path::new(".");
    for (settings, said) in [
        (&[("url", "ftp://b/in"), ("password-file", "p")][..], "no user is named to log in as"),
        (&[("url", "ftp://a@b/in")], "nothing is said by which to log in"),
        (
            &[("url", "ftp://a@b/%0aDELE%20x"), ("password-file", "p")],
            "there is a control character in the address",
        ),
        (
            &[("url", "ftp://a@b/"), ("password-file", "p"), ("certificate-authority", "c")],
            "no certificate is shown over \"ftp://\"",
        ),
        (&[("url", "ftp://a@b/"), ("key-file", "k")], "\"key-file\" does not apply to \"ftp://\""),
    ] {
        assert_eq!(place(here, settings).map(drop), Err(said.to_owned()));
    }
}
