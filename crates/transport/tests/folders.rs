//! Folders: which files are found, under which names, and how files appear.

use std::fs;
use std::path::Path;

use diagnostics::{Diagnostic, Source, Span};
use settings::{Setting, Settings};
use transport::{Collect, FOLDER_DEPTH_MAX, KnownMarks, Mark, Staged, deliver, file_name};

fn collect(folder: &Path, words: &[(&str, &str)]) -> Collect {
    try_collect(folder, words).expect("the settings are right")
}

fn try_collect(folder: &Path, words: &[(&str, &str)]) -> Result<Collect, Vec<Diagnostic>> {
    let setting = |(key, value): &(&str, &str)| Setting {
        key: (*key).to_owned(),
        value: (*value).to_owned(),
        span: Span::default(),
    };
    let mut values: Vec<Setting> = words.iter().map(setting).collect();
    values.push(setting(&("dir", "in")));
    let source = Source::new("flow.toml", "");
    let settings =
        Settings { name: "x".into(), span: Span::default(), source, folder: folder.into(), values };
    Collect::new(&settings)
}

fn names(collect: &Collect) -> Vec<String> {
    let look = collect.find(&mut KnownMarks::default());
    assert_eq!(look.problems, [""; 0]);
    look.files.into_iter().map(|found| found.name).collect()
}

fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in files {
        let path = folder.path().join("in").join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, file).expect("a file");
    }
    folder
}

#[test]
fn files_that_fit_the_pattern_are_found_in_the_order_of_their_names() {
    let folder = folder(&["b.ber", "a.ber", "c.txt", "d.ber.done", ".e.ber", "sub/f.ber"]);
    assert_eq!(names(&collect(folder.path(), &[("pattern", "*.ber")])), ["a.ber", "b.ber"]);
    assert_eq!(
        names(&collect(folder.path(), &[("pattern", "*.ber"), ("recursive", "true")])),
        ["a.ber", "b.ber", "sub~1f.ber"]
    );
}

#[test]
fn a_file_that_is_done_is_not_found_again() {
    let folder = folder(&["a.ber"]);
    let collect = collect(folder.path(), &[("done", ".ok")]);
    collect
        .mark(&collect.find(&mut KnownMarks::default()).files[0], Mark::Done)
        .expect("it can be renamed");
    assert!(names(&collect).is_empty());
    assert!(folder.path().join("in/a.ber.ok").exists());
    // If a network element uses a name again, neither file is lost.
    fs::write(folder.path().join("in/a.ber"), "another").expect("a file");
    collect
        .mark(&collect.find(&mut KnownMarks::default()).files[0], Mark::Done)
        .expect("it can be renamed");
    assert!(names(&collect).is_empty());
    let read =
        |name: &str| fs::read_to_string(folder.path().join("in").join(name)).expect("a file");
    assert_eq!((read("a.ber.ok"), read("a.ber.ok.2")), ("a.ber".into(), "another".into()));
}

#[test]
fn a_file_that_is_done_can_be_moved_away() {
    let folder = folder(&["a.ber", "sub/a.ber"]);
    let collect = collect(folder.path(), &[("move", "archive/x"), ("recursive", "true")]);
    for found in collect.find(&mut KnownMarks::default()).files {
        collect.mark(&found, Mark::Done).expect("it can be moved");
    }
    assert!(names(&collect).is_empty());
    let archived = |name: &str| folder.path().join("archive/x").join(name).exists();
    assert!(archived("a.ber") && archived("sub~1a.ber"));
    for wrong in [[("move", "in"), ("x", "")], [("move", "in/x"), ("recursive", "true")]] {
        let mistakes = try_collect(folder.path(), &wrong).expect_err("it would be found again");
        assert_eq!(mistakes[0].message, "files moved here would be collected again");
    }
    let both = [("move", "archive"), ("done", ".ok")];
    let mistakes = try_collect(folder.path(), &both).expect_err("one of them");
    assert!(mistakes[0].message.contains("exclude each other"));
}

#[test]
#[cfg(unix)]
fn what_cannot_be_looked_at_does_not_hide_the_rest() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder(&["a.ber", "closed/b.ber", "z.ber"]);
    let odd = std::ffi::OsStr::from_bytes(b"\xFF.ber");
    fs::write(folder.path().join("in").join(odd), "no").expect("a file");
    let closed = folder.path().join("in/closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("it is ours");
    let look = collect(folder.path(), &[("recursive", "true")]).find(&mut KnownMarks::default());
    let may_read = fs::read_dir(&closed).is_ok(); // Root may read it.
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("it is ours");
    assert_eq!(look.files.len(), 2 + usize::from(may_read));
    assert_eq!(look.problems.len(), 1 + usize::from(!may_read), "{:?}", look.problems);
    assert!(look.problems.iter().any(|p| p.contains("the name \"\\xFF.ber\" is not UTF-8")));
}

#[test]
#[cfg(unix)]
fn a_link_does_not_lead_out_of_the_folder() {
    let folder = folder(&["a.ber"]);
    fs::write(folder.path().join("secret.ber"), "no").expect("a file");
    std::os::unix::fs::symlink("../secret.ber", folder.path().join("in/link.ber")).expect("a link");
    std::os::unix::fs::symlink("..", folder.path().join("in/up")).expect("a link");
    let collect = collect(folder.path(), &[("recursive", "true"), ("pattern", "*.ber")]);
    let look = collect.find(&mut KnownMarks::default());
    assert_eq!(look.files.iter().map(|found| &*found.name).collect::<Vec<_>>(), ["a.ber"]);
    assert!(look.problems.is_empty(), "all that is to be read was: {:?}", look.problems);
    // A link to a folder would be searched.
    let told = look.not_followed.unwrap_or_default();
    assert!(told.contains("2 links, such as") && told.contains("link.ber"), "{told}");
}

#[test]
fn folders_within_folders_have_an_end() {
    let deep = format!("{}a.ber", "x/".repeat(FOLDER_DEPTH_MAX + 1));
    let reached = format!("{}b.ber", "x/".repeat(FOLDER_DEPTH_MAX));
    let folder = folder(&[&deep, &reached]);
    let found = names(&collect(folder.path(), &[("recursive", "true")]));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("~1b.ber"));
}

#[test]
fn no_name_leads_out_of_its_folder() {
    for (name, within) in [
        ("../../etc/passwd", "~.~..~etc~passwd"),
        ("/etc/passwd", "~etc~passwd"),
        ("..", "~."),
        ("a\\b", "a~b"),
        ("a\0b", "a~b"),
        ("plain.ber", "plain.ber"),
        (".hidden", "~hidden"),
    ] {
        assert_eq!(file_name(name), within);
    }
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("out/a.ber");
    let mut staged = Staged::default();
    staged.begin(target.clone());
    staged.buffer.extend_from_slice(b"kept");
    staged.commit().expect("it is little");
    staged.buffer.extend_from_slice(b"taken back");
    staged.roll_back();
    assert!(!target.exists());
    let written = staged.end().expect("it can be written");
    written.sync().expect("it can be synced");
    assert!(!target.exists());
    deliver(&written.keep()).expect("it can be renamed");
    assert_eq!(fs::read(&target).expect("it is there"), b"kept");
    assert_eq!(fs::read_dir(folder.path().join("out")).expect("a folder").count(), 1);
    staged.begin(folder.path().join("out/b.ber"));
    staged.buffer.extend_from_slice(b"given up");
    drop(staged.end().expect("it can be written"));
    assert_eq!(fs::read_dir(folder.path().join("out")).expect("a folder").count(), 1);
}

#[test]
fn no_two_files_have_one_name() {
    let folder = folder(&["a/b.ber", "a~b.ber", "a~1b.ber", "a~0b.ber"]);
    let mut found = names(&collect(folder.path(), &[("recursive", "true")]));
    found.dedup();
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn a_file_with_other_contents_is_never_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("a.ber");
    let stage = |text: &str| {
        let mut staged = Staged::default();
        staged.begin(target.clone());
        staged.buffer.extend_from_slice(text.as_bytes());
        let written = staged.end()?;
        written.sync()?;
        deliver(&written.keep())
    };
    stage("first").expect("nothing is there");
    stage("first").expect("the same is there");
    let refused = stage("other").expect_err("something else is there");
    assert_eq!(refused.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&target).expect("it is there"), b"first");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left over");
}

/// Every entry whose name matches is collected or reported; the others are ignored.
#[test]
#[cfg(unix)]
fn nothing_whose_name_fits_is_passed_over_without_a_word() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;
    let deep = "x/".repeat(FOLDER_DEPTH_MAX + 1);
    let folder = folder(&["a.ber", "elsewhere/b.ber", &format!("{deep}c.ber")]);
    let at = |name: &str| folder.path().join("in").join(name);
    fs::rename(at("elsewhere"), folder.path().join("elsewhere")).expect("it can be moved");
    let make = |ends: &str| {
        symlink("a.ber", at(&format!("link{ends}"))).expect("a link");
        symlink("nowhere", at(&format!("dangling{ends}"))).expect("a link");
        let pipe = at(&format!("pipe{ends}"));
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
        std::os::unix::net::UnixListener::bind(at(&format!("socket{ends}"))).expect("a socket");
        let odd = [b"latin-\xE9", ends.as_bytes()].concat();
        fs::write(at("").join(std::ffi::OsStr::from_bytes(&odd)), "no").expect("a file");
    };
    let find = || {
        let settings = [("recursive", "true"), ("pattern", "*.ber")];
        collect(folder.path(), &settings).find(&mut KnownMarks::default())
    };
    make(".txt");
    let said = |look: &transport::FindResult| {
        let told = look.problems.iter().chain(&look.not_followed).chain(&look.ignored);
        told.cloned().collect::<Vec<String>>().join("\n")
    };
    let look = find();
    let expected = format!("1 folder, such as \"{}\"", at(deep.trim_end_matches('/')).display());
    assert!(
        said(&look).starts_with(&expected) && said(&look).lines().count() == 1,
        "{}",
        said(&look)
    );
    make(".ber");
    symlink("../elsewhere", at("today")).expect("a link");
    let look = find();
    let said = said(&look);
    assert_eq!(look.files.iter().map(|found| &*found.name).collect::<Vec<_>>(), ["a.ber"]);
    for expected in [
        "3 links, such as ",
        "2 pipes, sockets or devices, such as ",
        "1 folder, such as ",
        "the name \"latin-\\xE9.ber\" is not UTF-8",
    ] {
        assert!(said.contains(expected), "{expected} is not in {said}");
    }
    let quiet = collect(folder.path(), &[("pattern", "*.csv")]).find(&mut KnownMarks::default());
    assert_eq!((quiet.problems.len(), quiet.not_followed, quiet.ignored), (0, None, None));
}

#[test]
fn names_with_marks_are_found_with_the_names_that_they_had() {
    let folder =
        folder(&["a.ber.done", "s~/a.ber.done.2", "b.ber.duplicate", "c.txt.done", "x.ber"]);
    let look = collect(folder.path(), &[("recursive", "true"), ("pattern", "*.ber")])
        .find(&mut KnownMarks::default());
    let mut names: Vec<String> = look.marked.into_iter().map(|marked| marked.name).collect();
    names.sort();
    assert_eq!(names, ["a.ber", "b.ber", "s~0~1a.ber"]);
}

#[test]
fn a_pattern_that_no_name_fits_is_a_mistake() {
    let wrong = |words: &[(&str, &str)]| {
        try_collect(Path::new("x"), words).err().map(|mistakes| mistakes[0].message.clone())
    };
    let long = "x".repeat(256);
    for (pattern, why) in [
        ("", "an empty pattern"),
        ("sub/*.csv", "recursive = true"),
        ("**/*.csv", "recursive = true"),
        (".*.csv", "hidden"),
        ("*.done", "\".done\" mark processed files"),
        ("*.poison", "\".poison\""),
        ("*.duplicate", "\".duplicate\""),
        (&long, "255 octets"),
    ] {
        let message = wrong(&[("pattern", pattern)]).unwrap_or_default();
        assert!(message.starts_with("no file is ever collected: "), "{pattern}: {message}");
        assert!(message.contains(why), "{pattern}: {message}");
    }
    for fits in ["*", "?", "*.ber", "*.done.ber", "a[1].csv", "*.do?e"] {
        assert_eq!(wrong(&[("pattern", fits)]), None, "{fits}");
    }
    assert_eq!(wrong(&[("pattern", "*.done"), ("done", ".ok")]), None);
    assert_eq!(wrong(&[("pattern", "*.done"), ("move", "away")]), None);
}

#[test]
fn a_folder_that_cannot_be_read_for_a_while_has_its_marked_files_returned_once() {
    let folder = folder(&["a.ber.done"]);
    let (dir, elsewhere) = (folder.path().join("in"), folder.path().join("elsewhere"));
    let collect = collect(folder.path(), &[]);
    let mut known = KnownMarks::default();
    assert_eq!(collect.find(&mut known).marked.len(), 1);
    fs::rename(&dir, &elsewhere).expect("a folder");
    assert_eq!(collect.find(&mut known).problems.len(), 1);
    fs::rename(&elsewhere, &dir).expect("a folder");
    assert_eq!(collect.find(&mut known).marked, []);
    // A file that was missing in between counts as another one.
    let marked = dir.join("a.ber.done");
    fs::remove_file(&marked).expect("a file");
    assert_eq!(collect.find(&mut known).marked, []);
    fs::write(marked, "").expect("a file");
    assert_eq!(collect.find(&mut known).marked.len(), 1);
}
