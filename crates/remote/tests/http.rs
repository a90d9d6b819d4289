//! Files to a receiver over HTTP.

use std::fs;
use std::time::Duration;

use crate::kit::{Octets, place, told};
use crate::servers::{Server, certificate};
use tempfile::TempDir;
use transport::{RemoteConnection, RemoteError};

struct Site {
    folder: TempDir,
    server: Server,
    scheme: &'static str,
}

impl Site {
    fn new(scheme: &'static str) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::write(folder.path().join("token"), "geheim\n").unwrap();
        fs::write(folder.path().join("wrong"), "falsch").unwrap();
        certificate(folder.path());
        let own = folder.path().join("server.pem");
        let arguments = [root.to_str().unwrap(), "geheim", own.to_str().unwrap()];
        let arguments = if scheme == "https" { &arguments[..] } else { &arguments[..2] };
        let server = Server::python("receiver.py", arguments, 1);
        Site { folder, server, scheme }
    }

    fn connect(&self, user: &str, settings: &[(&str, &str)]) -> Box<dyn RemoteConnection> {
        let url = format!("{}://{user}127.0.0.1:{}/in", self.scheme, self.server.port());
        let all = [("url", url.as_str())].into_iter().chain(settings.iter().copied());
        place(self.folder.path(), &all.collect::<Vec<_>>()).unwrap().connect().unwrap()
    }

    /// Sets the next answers of the receiver.
    fn answers(&self, answers: &str) {
        fs::write(self.folder.path().join("answers"), answers).unwrap();
    }

    fn received(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join("root/in").join(name)).unwrap()
    }
}

fn text(text: &str) -> Octets {
    Octets(text.as_bytes().to_vec())
}

fn a_file_is_put_once_fetched_and_removed(
    site: &Site,
    method: &str,
    mut far: Box<dyn RemoteConnection>,
) {
    let octets: Vec<u8> = (0..3_000_001_u32).map(|at| (at / 7) as u8).collect();
    for (name, size) in [("empty", 0), ("a ü#.dat", octets.len())] {
        let octets = &octets[..size];
        assert_eq!(far.put(name, &Octets(octets.to_vec())).unwrap(), size as u64);
        assert!(site.received(name) == octets);
        assert_eq!(far.put(name, &Octets(octets.to_vec())).unwrap(), size as u64, "again");
        let mut fetched = Vec::new();
        far.fetch(name, &mut fetched).unwrap();
        assert!(fetched == octets);
        assert_eq!(far.stat(name).unwrap().octets, Some(size as u64));
    }
    far.remove("a ü#.dat").unwrap();
    assert_eq!(told(far.stat("a ü#.dat")), "\"a ü#.dat\" is not there");
    let asked = fs::read_to_string(site.folder.path().join("asked")).unwrap();
    let keys: Vec<&str> = asked
        .lines()
        .filter(|line| line.starts_with(method))
        .map(|line| line.rsplit(' ').next().unwrap())
        .collect();
    assert!(keys[0] == keys[1] && keys[0].len() == 66, "{keys:?}");
    assert!(keys[2] == keys[3] && keys[1] != keys[2], "{keys:?}");
    for name in ["../elsewhere", "a/../../b", "", "a\r\nX: y"] {
        assert!(told(far.put(name, &text("x"))).starts_with("refused: "), "{name}");
    }
}

#[test]
fn a_file_is_put_and_posted_once() {
    for method in ["PUT", "POST"] {
        let site = Site::new("http");
        let far = site.connect("", &[("token-file", "token"), ("method", method)]);
        a_file_is_put_once_fetched_and_removed(&site, method, far);
    }
}

#[test]
fn a_file_is_put_where_nobody_may_listen_to_a_machine_that_is_known() {
    let site = Site::new("https");
    let known = [("password-file", "token"), ("certificate-authority", "authority.pem")];
    let far = site.connect("cdr@", &known);
    a_file_is_put_once_fetched_and_removed(&site, "PUT", far);
    let mut far = site.connect("", &[("token-file", "token")]);
    let said = told(far.put("a", &text("money")));
    assert!(
        said.starts_with("shut: ") && said.contains("an authority that is not known"),
        "{said}"
    );
}

#[test]
fn what_the_receiver_answers_says_what_to_do_next() {
    let site = Site::new("http");
    let mut far = site.connect("", &[("token-file", "token")]);
    for (answer, said) in [
        ("503", "unavailable: \"a\": the answer is 503 Service Unavailable: as I was told"),
        ("500", "unavailable: \"a\": the answer is 500 Internal Server Error: as I was told"),
        (
            "429|Retry-After: 7",
            "unavailable: \"a\": the answer is 429 Too Many Requests: as I was told",
        ),
        ("400", "refused: \"a\": the answer is 400 Bad Request: as I was told"),
        ("413", "refused: \"a\": the answer is 413 Payload Too Large: as I was told"),
        ("405", "shut: \"a\": the answer is 405 Method Not Allowed: as I was told"),
        (
            "302|Location: http://127.0.0.1:1/",
            "shut: \"a\": the answer is 302 Found: as I was told, which is not followed",
        ),
        ("403", "forbidden: \"a\": the answer is 403 Forbidden: as I was told"),
    ] {
        site.answers(answer);
        assert_eq!(told(far.put("a", &text("money"))), said);
    }
    site.answers("429|Retry-After: 7");
    let Err(RemoteError::Unavailable { after, .. }) = far.put("a", &text("money")) else {
        panic!()
    };
    assert_eq!(after, Some(Duration::from_secs(7)));
    let nowhere = told(far.put("none/a", &text("money")));
    assert!(nowhere.ends_with("404 Not Found: nothing takes files there"), "{nowhere}");

    far.put("a", &text("money")).unwrap();
    let other = told(far.put("a", &text("other")));
    assert!(other.starts_with("a file \"a\" with other contents exists"), "{other}");
    assert_eq!(site.received("a"), b"money");
    site.answers("412");
    let gone = told(far.put("c", &text("other")));
    assert_eq!(gone, "unavailable: \"c\" was there, and is not any more");
    let unshown = site.folder.path().join("unshown");
    fs::write(&unshown, "").unwrap();
    site.answers("412\n409");
    let unseen = told(far.put("c", &text("other")));
    assert!(unseen.starts_with("refused: ") && unseen.contains("does not show"), "{unseen}");
    let in_the_way = told(far.put("c", &text("other")));
    assert_eq!(in_the_way, "unavailable: \"c\": the answer is 409 Conflict: as I was told");
    fs::remove_file(unshown).unwrap();

    site.answers("lost");
    let lost = told(far.put("b", &text("money")));
    assert!(lost.starts_with("broken: "), "{lost}");
    assert_eq!(site.received("b"), b"money", "it was taken");
    assert_eq!(told(far.put("b", &text("money"))), "done", "and is found to have been");

    let mut stranger = site.connect("", &[("token-file", "wrong")]);
    for size in [5, 30_000_000] {
        let said = told(stranger.put("c", &Octets(vec![0; size])));
        assert_eq!(said, "shut: \"c\": the answer is 401 Unauthorized: who are you?", "{size}");
    }
}

#[test]
fn a_receiver_that_repeats_what_is_secret_is_not_quoted() {
    let site = Site::new("https");
    let authority = ("certificate-authority", "authority.pem");
    for (user, secret) in [("", "token-file"), ("cdr@", "password-file")] {
        let mut far = site.connect(user, &[(secret, "token"), authority]);
        site.answers("echo");
        let said = told(far.put("a", &text("money")));
        let scheme = if user.is_empty() { "Bearer" } else { "Basic" };
        assert_eq!(said, format!("refused: \"a\": the answer is 400 Bad Request: {scheme} ***"));
    }
}

#[test]
fn what_cannot_be_meant_is_a_mistake_of_the_flow_file() {
    let here = std::path::Path::new(".");
    let secret = "a secret does not go over a line that anybody may listen to";
    for (settings, said) in [
        (&[("url", "http://billing.example/in"), ("token-file", "t")][..], secret),
        (&[("url", "http://cdr@billing.example/in"), ("password-file", "p")], secret),
        (
            &[("url", "https://billing.example/in"), ("password-file", "p")],
            "who has a password has a name",
        ),
        (&[("url", "https://cdr@billing.example/in")], "who has a password has a name"),
        (
            &[("url", "https://a@b/in"), ("password-file", "p"), ("token-file", "t")],
            "one secret is shown: a password or a token",
        ),
        (
            &[("url", "https://b/in?key=%20")],
            "the name of a file comes behind the address of a folder",
        ),
        (&[("url", "https://b/in"), ("method", "PATCH")], "\"method\" is \"PUT\" or \"POST\""),
    ] {
        assert_eq!(place(here, settings).map(drop), Err(said.to_owned()));
    }
    assert!(place(here, &[("url", "https://billing.example/in"), ("token-file", "t")]).is_ok());
}
