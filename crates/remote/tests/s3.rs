//! Objects of a store that speaks S3, of another project.

use std::fs;

use crate::kit::{Octets, names, place, told};
use crate::servers::Server;
use tempfile::TempDir;
use transport::{RemoteConnection, RemoteError, RemoteKind};

struct Site {
    folder: TempDir,
    server: Server,
}

impl Site {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("secret"), "geheim").unwrap();
        fs::write(folder.path().join("wrong"), "falsch").unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("records")).unwrap();
        let server = Server::python("s3.py", &[root.to_str().unwrap(), "cdr", "geheim"], 1);
        Site { folder, server }
    }

    fn connect(
        &self,
        place_of: &str,
        secret: &str,
    ) -> Result<Box<dyn RemoteConnection>, RemoteError> {
        let url = format!("s3://{place_of}");
        let endpoint = format!("http://127.0.0.1:{}", self.server.port());
        let settings = [
            ("url", url.as_str()),
            ("endpoint", endpoint.as_str()),
            ("access-key", "cdr"),
            ("secret-key-file", secret),
        ];
        place(self.folder.path(), &settings).unwrap().connect()
    }

    fn usual(&self) -> Box<dyn RemoteConnection> {
        self.connect("records/daily", "secret").unwrap()
    }

    /// Sets the next answers of the store.
    fn answers(&self, answers: &str) {
        fs::write(self.folder.path().join("answers"), answers).unwrap();
    }

    fn has(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join("root/records/daily").join(name)).unwrap()
    }
}

fn text(text: &str) -> Octets {
    Octets(text.as_bytes().to_vec())
}

#[test]
fn objects_are_put_once_listed_fetched_renamed_and_removed() {
    let site = Site::new();
    let mut far = site.usual();
    for size in [0, 1, 32_768, 9_000_001] {
        let octets: Vec<u8> = (0..size).map(|at: usize| (at * 7 + at / 251) as u8).collect();
        let name = format!("cdr-{size}.dat");
        assert_eq!(far.put(&name, &Octets(octets.clone())).unwrap(), size as u64);
        assert!(site.has(&name) == octets, "{name}");
        let mut fetched = Vec::new();
        assert_eq!(far.fetch(&name, &mut fetched).unwrap(), size as u64);
        assert!(fetched == octets, "{name}");
        let stat = far.stat(&name).unwrap();
        assert_eq!((stat.kind, stat.octets), (RemoteKind::File, Some(size as u64)));
        let listed =
            far.list("").unwrap().files.into_iter().find(|file| file.name == name).unwrap();
        assert_eq!(listed, stat, "a list tells the same");
        assert!(stat.modified.is_some());
        assert_eq!(far.put(&name, &Octets(octets)).unwrap(), size as u64, "the same again");
        let other = far.put(&name, &text("something else"));
        assert!(told(other).starts_with(&format!("a file \"{name}\" with other contents exists")));
    }
    far.rename("cdr-1.dat", "b ü+&=%.dat").unwrap();
    far.make_folder("sub").unwrap();
    far.rename("cdr-0.dat", "sub/c.dat").unwrap();
    let all = ["b ü+&=%.dat", "cdr-32768.dat", "cdr-9000001.dat", "sub"];
    assert_eq!(names(&mut *far, ""), all);
    assert_eq!(names(&mut *far, "sub"), ["c.dat"]);
    assert_eq!(far.stat("sub/c.dat").unwrap().octets, Some(0));
    assert!(told(far.rename("cdr-32768.dat", "sub/c.dat")).contains("with other contents"));
    // A rename that was interrupted between the copy and the removal goes on there.
    far.put("twin.dat", &text("money")).unwrap();
    far.put("sub/twin.dat", &text("money")).unwrap();
    far.rename("twin.dat", "sub/twin.dat").unwrap();
    assert_eq!(names(&mut *far, "sub"), ["c.dat", "twin.dat"]);
    assert_eq!(names(&mut *far, ""), all);
    for missing in [far.rename("no", "yes"), far.remove("no"), far.stat("no").map(drop)] {
        assert_eq!(told(missing), "\"no\" is not there");
    }
    far.remove("b ü+&=%.dat").unwrap();
    assert_eq!(told(far.stat("b ü+&=%.dat")), "\"b ü+&=%.dat\" is not there");
    for name in ["../elsewhere", "a/../../b", "", "a//b"] {
        assert!(told(far.put(name, &text("x"))).starts_with("refused: "), "{name}");
    }
}

#[test]
fn more_objects_than_a_page_has_are_listed() {
    let site = Site::new();
    let folder = site.folder.path().join("root/records/daily/many");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..1_234 {
        fs::write(folder.join(format!("{number}.dat")), "x").unwrap();
    }
    let mut far = site.usual();
    assert_eq!(far.list("many").unwrap().files.len(), 1_234);
    assert_eq!(names(&mut *far, ""), ["many"]);
}

#[test]
fn what_the_store_answers_says_what_to_do_next() {
    let site = Site::new();
    let mut far = site.usual();
    for (answer, said) in [
        ("400 RequestTimeout", "unavailable: \"a\": the answer is 400 Bad Request: RequestTimeout"),
        ("400 EntityTooLarge", "refused: \"a\": the answer is 400 Bad Request: EntityTooLarge"),
        ("403 AccessDenied", "forbidden: \"a\": the answer is 403 Forbidden: AccessDenied"),
        ("501 NotImplemented", "shut: \"a\": the answer is 501 Not Implemented: NotImplemented"),
        (
            "409 ConditionalRequestConflict",
            "unavailable: \"a\": the answer is 409 Conflict: ConditionalRequestConflict",
        ),
        ("412 PreconditionFailed", "unavailable: \"a\" was there, and is not any more"),
    ] {
        site.answers(answer);
        assert_eq!(told(far.put("a", &text("money"))), said);
    }
    // The client tries a busy store again a few times.
    site.answers(&["503 SlowDown"; 4].join("\n"));
    assert_eq!(told(far.put("busy", &text("money"))), "done");
    site.answers(&["503 SlowDown"; 5].join("\n"));
    let busy = "unavailable: \"a\": the answer is 503 Service Unavailable: SlowDown";
    assert_eq!(told(far.put("a", &text("money"))), busy);
    site.answers("lost");
    let lost = told(far.put("b", &text("money")));
    assert!(lost.starts_with("broken: "), "{lost}");
    assert_eq!(site.has("b"), b"money", "it was taken");
    assert_eq!(told(far.put("b", &text("money"))), "done", "and is found to have been");

    let mut stranger = site.connect("records/daily", "wrong").unwrap();
    let said = told(stranger.list("").map(drop));
    assert_eq!(
        said,
        "shut: \"records/daily/\": the answer is 403 Forbidden: SignatureDoesNotMatch"
    );
    let mut elsewhere = site.connect("none", "secret").unwrap();
    for done in [elsewhere.put("a", &text("x")).map(drop), elsewhere.list("").map(drop)] {
        assert_eq!(told(done), "shut: there is no bucket \"none\"");
    }
}

#[test]
fn what_cannot_be_meant_is_a_mistake_of_the_flow_file() {
    let here = std::path::Path::new(".");
    let whole = [("url", "s3://records/in"), ("access-key", "k"), ("secret-key-file", "s")];
    assert!(place(here, &whole).is_ok());
    for (change, said) in [
        (("url", "s3://cdr@records/in"), "a bucket has no user and no port"),
        (("url", "s3://records/../in"), "the folder has what no name has"),
        (("access-key", ""), "nothing is said by which to be let in"),
        (("endpoint", "s3.example.com"), "\"endpoint\" is where the store is"),
        (("password-file", "p"), "\"password-file\" does not apply to \"s3://\""),
    ] {
        let mut settings: Vec<_> = whole.into_iter().filter(|(key, _)| *key != change.0).collect();
        settings.extend(Some(change).filter(|(_, value)| !value.is_empty()));
        assert_eq!(place(here, &settings).map(drop), Err(said.to_owned()), "{change:?}");
    }
}
