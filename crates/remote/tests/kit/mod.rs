//! Shared tests of all kinds of remote places.
#![allow(unreachable_pub)]

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;

use diagnostics::{Source, Span};
use settings::{Setting, Settings};
use transport::{Access, Parcel, Place, RemoteConnection, RemoteError, RemoteKind};

/// Octets in memory.
pub struct Octets(pub Vec<u8>);

impl Parcel for Octets {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(Cursor::new(&self.0)))
    }

    fn octets(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }
}

/// Returns a table of a flow file in `folder`.
pub fn table(folder: &Path, settings: &[(&str, &str)]) -> Settings {
    let values = settings.iter().map(|(key, value)| Setting {
        key: (*key).into(),
        value: (*value).into(),
        span: Span::default(),
    });
    Settings {
        name: "deliver".into(),
        span: Span::default(),
        source: Source::new("flow.toml".to_owned(), ""),
        folder: folder.into(),
        values: values.collect(),
    }
}

/// Returns the place for a flow file in `folder` with these settings.
pub fn place(folder: &Path, settings: &[(&str, &str)]) -> Result<Box<dyn Place>, String> {
    let settings = table(folder, settings);
    Access::place(&settings, remote::SCHEMES).map_err(|mistakes| mistakes[0].message.clone())
}

pub fn names(far: &mut dyn RemoteConnection, folder: &str) -> Vec<String> {
    let mut names: Vec<String> =
        far.list(folder).unwrap().files.into_iter().map(|file| file.name).collect();
    names.sort();
    names
}

/// Returns the result as text, without parts that differ from run to run.
pub fn told<T>(done: Result<T, RemoteError>) -> String {
    match done {
        Ok(_) => "done".into(),
        Err(error @ RemoteError::Passing { .. }) => format!("passing: {}", error.with_causes()),
        Err(error @ RemoteError::Broken { .. }) => format!("broken: {}", error.with_causes()),
        Err(error @ RemoteError::Unavailable { .. }) => {
            format!("unavailable: {}", error.with_causes())
        }
        Err(error @ RemoteError::Shut(_)) => format!("shut: {error}"),
        Err(error @ RemoteError::Forbidden(_)) => format!("forbidden: {error}"),
        Err(error @ RemoteError::Refused(_)) => format!("refused: {error}"),
        Err(error) => error.with_causes(),
    }
}

/// Puts files of many sizes, reads them back, and compares them with the files of the server.
pub fn files_are_put_and_fetched(far: &mut dyn RemoteConnection, served: &Path) {
    for size in [0, 1, 32_768, 3_000_001] {
        let octets: Vec<u8> = (0..size).map(|at: usize| (at * 7 + at / 251) as u8).collect();
        let name = format!("cdr-{size}.dat");
        assert_eq!(far.put(&name, &Octets(octets.clone())).unwrap(), size as u64);
        assert!(fs::read(served.join(&name)).unwrap() == octets, "{name}");
        let mut fetched = Vec::new();
        assert_eq!(far.fetch(&name, &mut fetched).unwrap(), size as u64);
        assert!(fetched == octets, "{name}");
        let stat = far.stat(&name).unwrap();
        assert_eq!((stat.kind, stat.octets), (RemoteKind::File, Some(size as u64)));
    }
}

/// Renames, lists and removes the files of [`files_are_put_and_fetched`].
pub fn files_are_renamed_listed_and_removed(far: &mut dyn RemoteConnection, served: &Path) {
    far.put("cdr-1.dat", &Octets(b"longer".to_vec())).unwrap();
    far.put("cdr-1.dat", &Octets(b"new".to_vec())).unwrap();
    assert_eq!(fs::read(served.join("cdr-1.dat")).unwrap(), b"new", "it is put anew");

    far.rename("cdr-1.dat", "b ü.dat").unwrap();
    far.make_folder("sub").unwrap();
    far.make_folder("sub").unwrap();
    far.rename("cdr-0.dat", "sub/c.dat").unwrap();
    assert_eq!(names(far, ""), ["b ü.dat", "cdr-3000001.dat", "cdr-32768.dat", "sub"]);
    assert_eq!(names(far, "sub"), ["c.dat"]);

    assert_eq!(
        told(far.rename("b ü.dat", "cdr-32768.dat")),
        "a file \"cdr-32768.dat\" with other contents exists; move it away, or find out which program wrote it"
    );
    for missing in [far.rename("no", "yes"), far.remove("no"), far.stat("no").map(drop)] {
        assert_eq!(told(missing), "\"no\" is not there");
    }
    far.remove("b ü.dat").unwrap();
    assert!(!served.join("b ü.dat").exists());
}
