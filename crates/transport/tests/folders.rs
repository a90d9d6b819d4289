//! Folders: which files are found, under which names, and how files appear.

use std::fs;
use std::path::Path;

use diagnostics::{Source, Span};
use node::{Setting, Settings};
use transport::{Collect, FOLDER_DEPTH_MAX, Staged, file_name};

fn collect(folder: &Path, words: &[(&str, &str)]) -> Collect {
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
    Collect::new(&settings).expect("the settings are right")
}

fn names(collect: &Collect) -> Vec<String> {
    collect.find().expect("the folder is there").into_iter().map(|found| found.name).collect()
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
    let found = collect.find().expect("the folder is there");
    collect.mark_done(&found[0]).expect("it can be renamed");
    assert!(names(&collect).is_empty());
    assert!(folder.path().join("in/a.ber.ok").exists());
}

#[test]
#[cfg(unix)]
fn a_link_does_not_lead_out_of_the_folder() {
    let folder = folder(&["a.ber"]);
    fs::write(folder.path().join("secret.ber"), "no").expect("a file");
    std::os::unix::fs::symlink("../secret.ber", folder.path().join("in/link.ber")).expect("a link");
    std::os::unix::fs::symlink("..", folder.path().join("in/up")).expect("a link");
    assert_eq!(names(&collect(folder.path(), &[("recursive", "true")])), ["a.ber"]);
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
    staged.keep().expect("it is little");
    staged.buffer.extend_from_slice(b"taken back");
    staged.take_back();
    assert!(!target.exists());
    staged.sync().expect("it can be written");
    assert!(!target.exists());
    staged.deliver().expect("it can be renamed");
    assert_eq!(fs::read(&target).expect("it is there"), b"kept");
    assert_eq!(fs::read_dir(folder.path().join("out")).expect("a folder").count(), 1);
    staged.begin(folder.path().join("out/b.ber"));
    staged.buffer.extend_from_slice(b"given up");
    staged.sync().expect("it can be written");
    drop(staged);
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
        staged.sync().and_then(|()| staged.deliver())
    };
    stage("first").expect("nothing is there");
    stage("first").expect("the same is there");
    let refused = stage("other").expect_err("something else is there");
    assert_eq!(refused.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&target).expect("it is there"), b"first");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left over");
}
