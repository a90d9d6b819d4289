//! Disks whose power can be cut or that can be filled up: file systems of their own, in a file or in memory.
//!
//! A power cut is the shutdown of a file system, which loses what is not on its device yet. No cut here loses what the
//! device itself still has in its memory.

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::wait::wait_for;

/// The size of a disk, of which only what is written takes room. mkfs.xfs accepts 320 MB and more; a database of many power
/// cuts takes more, since it never comes to remove old versions of rows.
const DISK_OCTETS: u64 = 1 << 30;

/// A disk with a file system, mounted.
pub(crate) struct Disk {
    folder: TempDir,
}

impl Disk {
    /// Makes a disk; returns the reason if that cannot be done here.
    pub(crate) fn new(kind: &str) -> Result<Self, String> {
        let disk = Disk { folder: tempfile::tempdir().unwrap() };
        // A database server runs as a user of its own.
        fs::set_permissions(disk.folder.path(), Permissions::from_mode(0o755)).unwrap();
        File::create(disk.image()).unwrap().set_len(DISK_OCTETS).unwrap();
        fs::create_dir(disk.mounted()).unwrap();
        execute(Command::new(format!("mkfs.{kind}")).arg("-q").arg(disk.image()))?;
        execute(Command::new("xfs_io").arg("-V"))?;
        disk.mount()?;
        Ok(disk)
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Returns the folder of the disk's files.
    pub(crate) fn mounted(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    fn mount(&self) -> Result<(), String> {
        execute(Command::new("mount").args(["-o", "loop"]).arg(self.image()).arg(self.mounted()))
    }

    /// Writes all data to the device.
    pub(crate) fn sync(&self) {
        execute(Command::new("sync").arg("-f").arg(self.mounted())).unwrap();
    }

    /// Cuts the power of the disk and restores it. No process may use the disk meanwhile: a sync that ends after the
    /// cut would report data as written that is not on the disk.
    pub(crate) fn cut_power(&self) {
        execute(Command::new("xfs_io").args(["-x", "-c", "shutdown"]).arg(self.mounted())).unwrap();
        // Programs that look at all disks of a machine keep this one busy for a moment.
        wait_for("unmounting", || execute(Command::new("umount").arg(self.mounted())).is_ok());
        self.mount().unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = execute(Command::new("umount").arg("-l").arg(self.mounted()));
    }
}

/// A small disk.
#[derive(Debug)]
pub(crate) struct Small {
    mounted: PathBuf,
}

impl Small {
    /// Makes a small disk at a folder; returns the reason if that cannot be done here.
    pub(crate) fn new(mounted: &Path, kibibytes: u64) -> Result<Self, String> {
        fs::create_dir_all(mounted).unwrap();
        let size = format!("size={kibibytes}k");
        execute(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(mounted))?;
        Ok(Small { mounted: mounted.into() })
    }

    fn ballast(&self) -> PathBuf {
        self.mounted.join(".ballast")
    }

    /// Fills the disk.
    pub(crate) fn fill(&self) {
        let mut ballast = File::create(self.ballast()).unwrap();
        while ballast.write_all(&[0; 4096]).is_ok() {}
    }

    /// Frees the room again.
    pub(crate) fn free(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = execute(Command::new("umount").arg("-l").arg(&self.mounted));
    }
}

fn execute(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(()).ok_or_else(|| format!("{program}: {}", said.trim()))
}
