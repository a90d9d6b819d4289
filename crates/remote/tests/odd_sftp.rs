//! SFTP servers that omit attributes of files, or report them differently.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use transport::{RemoteConnection, RemoteKind, is_there};

use crate::kit::{Octets, place, told};
use crate::servers::{Kind, Server};

struct Site {
    folder: TempDir,
    _server: Server,
    far: Box<dyn RemoteConnection>,
}

impl Site {
    /// Starts a server with this behaviour.
    fn new(odd: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("a.csv"), "money").unwrap();
        fs::write(root.join("empty.csv"), "").unwrap();
        fs::write(root.join("large.csv"), "money".repeat(50_000)).unwrap();
        std::os::unix::fs::symlink(root.join("a.csv"), root.join("link")).unwrap();
        fs::write(folder.path().join("odd"), odd).unwrap();
        let server = Kind::Asyncssh.serve(&root);
        let url = Kind::Asyncssh.url(&server, &root, "");
        let host_key = server.said[1].clone();
        let settings =
            [("url", url.as_str()), ("password-file", "password"), ("host-key", &host_key)];
        let far = place(folder.path(), &settings).unwrap().connect().unwrap();
        Site { folder, _server: server, far }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }
}

#[test]
fn what_a_list_leaves_out_is_found_out() {
    for (odd, knows_size) in [
        ("typeless", true),
        ("bare-list", true),
        ("bare", false),
        ("sizeless-list", true),
        ("sizeless", false),
    ] {
        let mut site = Site::new(odd);
        let mut files = site.far.list("").unwrap().files;
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let found: Vec<_> = files.iter().map(|file| (file.name.as_str(), file.kind)).collect();
        let expected = [
            ("a.csv", RemoteKind::File),
            ("empty.csv", RemoteKind::File),
            ("large.csv", RemoteKind::File),
            ("link", RemoteKind::Other),
            ("sub", RemoteKind::Folder),
        ];
        assert_eq!(found, expected, "{odd}");
        let sizes: Vec<_> = files[..3].iter().map(|file| file.octets).collect();
        let known = [5, 0, 250_000].map(|octets| knows_size.then_some(octets));
        assert_eq!(sizes, known, "{odd}");
        assert_eq!(site.far.stat("a.csv").unwrap().kind, RemoteKind::File, "{odd}");
        assert_eq!(site.far.stat("sub").unwrap().kind, RemoteKind::Folder, "{odd}");
    }
}

#[test]
fn files_go_and_come_whatever_is_left_out() {
    for odd in ["typeless", "bare-list", "bare", "sizeless-list", "sizeless", "failing-end"] {
        let mut site = Site::new(odd);
        for (name, octets) in [("a.csv", 5), ("empty.csv", 0), ("large.csv", 250_000)] {
            let mut fetched = Vec::new();
            let done = told(site.far.fetch(name, &mut fetched));
            assert_eq!((done.as_str(), fetched.len()), ("done", octets), "{odd} {name}");
        }
        let parcel = Octets(b"more".to_vec());
        assert_eq!(told(site.far.put("b.tmp", &parcel)), "done", "{odd}");
        assert_eq!(told(site.far.rename("b.tmp", "b.csv")), "done", "{odd}");
        assert_eq!(fs::read(site.root().join("b.csv")).unwrap(), b"more", "{odd}");
        assert!(is_there(&mut *site.far, "b.csv", &parcel).unwrap(), "{odd}");
        assert!(!is_there(&mut *site.far, "b.csv", &Octets(b"less".to_vec())).unwrap(), "{odd}");
    }
}

#[test]
fn an_answer_about_a_file_leaves_the_connection_for_others() {
    for (reason, expected) in [
        ("SFTPFailure", "unavailable: "),
        ("SFTPPermissionDenied", "forbidden: "),
        ("SFTPOpUnsupported", "forbidden: "),
        ("SFTPBadMessage", "refused: "),
        ("SFTPNoSuchFile", "\"a.csv\" is not there"),
    ] {
        let mut site = Site::new(&format!("a.csv={reason}"));
        let said = told(site.far.fetch("a.csv", &mut Vec::new()));
        assert!(said.starts_with(expected), "{reason}: {said}");
        assert_eq!(told(site.far.fetch("large.csv", &mut Vec::new())), "done", "{reason}");
        let said = told(site.far.put("a.csv", &Octets(b"x".to_vec())));
        assert!(said.starts_with(expected), "{reason}: {said}");
    }
}

#[test]
fn a_list_that_repeats_itself_has_an_end() {
    let mut site = Site::new("endless-list");
    let said = told(site.far.list(""));
    assert!(said.starts_with("shut: ") && said.contains("the list does not end"), "{said}");
}
