//! Tests that kill the gateway while it delivers files to receivers that take each away as soon as they see it.

use std::fs;

use crate::crash::kills::{by_record, check_as, check_with};
use crate::crash::site::Site;
use crate::servers::{Kind, Server};

/// The delivery options of each receiver.
const RECEIVERS: [(&str, &str); 3] =
    [("home", "at-once = 4"), ("roaming", "order = true"), ("statistics", "")];

#[test]
fn no_kill_loses_a_record_or_sends_one_twice_over_sftp() {
    check_with(Site::with_inputs, usize::MAX, |site| served(site, Kind::Asyncssh));
}

#[test]
fn no_kill_of_a_gateway_with_processes_loses_a_record_or_sends_one_twice_over_sftp() {
    let site = |folder: &std::path::Path, inputs| Site::with_inputs(folder, inputs).in_processes();
    check_with(site, usize::MAX, |site| served(site, Kind::OpenSsh));
}

#[test]
fn no_kill_loses_a_record_or_sends_one_twice_over_ftp() {
    check_with(Site::with_inputs, usize::MAX, |site| served(site, Kind::Ftp));
}

/// The receiver remembers by their keys which files it took, including those that were taken away from it.
#[test]
fn no_kill_loses_a_record_or_sends_one_twice_over_http() {
    check_with(Site::with_inputs, usize::MAX, |site| served(site, Kind::Put));
}

#[test]
fn no_kill_loses_a_record_or_sends_one_twice_between_folders() {
    check_with(Site::with_inputs, usize::MAX, |site| {
        change(site, "out", RECEIVERS, |folder| {
            format!("dir = \"out/{folder}\", retry = {{ shortest = \"1 second\" }}")
        });
    });
}

/// The delivery options of each receiver if outputs are split and merged.
const PACKED: [(&str, &str); 3] = [
    (
        "home",
        "at-once = 3, split = { records-max = 7 }, merge = { within = \"1 hour\", records-max = 50 }",
    ),
    ("roaming", "split = { size-max = \"1 kB\" }"),
    ("statistics", "order = true, merge = { within = \"1 second\", files-max = 20 }"),
];

#[test]
fn no_kill_loses_a_record_or_sends_one_twice_where_outputs_are_split_and_merged() {
    check_as(Site::with_inputs, usize::MAX, |site| packed(site, Kind::Asyncssh), by_record);
}

#[test]
fn no_kill_of_a_gateway_with_processes_loses_a_record_where_outputs_are_split_and_merged() {
    let site = |folder: &std::path::Path, inputs| Site::with_inputs(folder, inputs).in_processes();
    check_as(site, usize::MAX, |site| packed(site, Kind::Ftp), by_record);
}

/// Lets a server receive all outputs of a site, in files of another size. Their names are those that the gateway gives.
fn packed(site: &Site, kind: Kind) -> Server {
    let server = kind.serve(&site.folder);
    change(site, "out", PACKED, |folder| {
        let folder = format!("out/{folder}");
        fs::create_dir_all(site.path(&folder)).unwrap();
        kind.settings(&server, &site.folder, &folder)
    });
    let path = site.path("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let unnamed = flow.replace(", name = \"{network-element}-{stem}.ber\"", "");
    let unnamed = unnamed.replace(", name = \"{network-element}-{stem}.csv\"", "");
    assert_ne!(flow, unnamed);
    fs::write(path, unnamed).unwrap();
    server
}

/// Lets a server receive all outputs of a site in the same folders.
fn served(site: &Site, kind: Kind) -> Server {
    served_from(site, site, kind)
}

/// Does the same with the folders of another site.
pub(crate) fn served_from(site: &Site, far: &Site, kind: Kind) -> Server {
    let server = kind.serve(&far.folder);
    change(site, "out", RECEIVERS, |folder| {
        let folder = format!("out/{folder}");
        fs::create_dir_all(far.path(&folder)).unwrap();
        kind.settings(&server, &far.folder, &folder)
    });
    server
}

/// Replaces the settings of folders of a site in the flow file.
pub(crate) fn change<const FOLDERS: usize>(
    site: &Site,
    within: &str,
    folders: [(&str, &str); FOLDERS],
    to: impl Fn(&str) -> String,
) {
    let path = site.path("flow.toml");
    let mut flow = fs::read_to_string(&path).unwrap();
    for (folder, options) in folders {
        let old = format!("dir = \"{within}/{folder}\"");
        assert!(flow.contains(&old), "{flow}");
        let options = if options.is_empty() { String::new() } else { format!(", {options}") };
        flow = flow.replace(&old, &format!("{}{options}", to(folder)));
    }
    fs::write(path, flow).unwrap();
}
