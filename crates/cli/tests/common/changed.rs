//! The example with another flow file.

use std::fs;

use tempfile::TempDir;

use crate::common::tollgate::tollgate;

/// Creates the example with these replacements in its flow file.
pub(crate) fn example(changes: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "init .").0, 0);
    let path = folder.path().join("flow.toml");
    let mut flow = fs::read_to_string(&path).unwrap();
    for (from, to) in changes {
        assert!(flow.contains(from), "{from}: {flow}");
        flow = flow.replacen(from, to, 1);
    }
    fs::write(path, flow).unwrap();
    folder
}
