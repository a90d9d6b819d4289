//! The contents of a delivery: a file, or slices of outputs that are concatenated while they are
//! read.

use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use runtime::durable::{make_folder, sync_folder};
use store::StoreError;

use super::slices::{self, Piece};
use journal::Journal;

/// The source of a delivery's octets.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    File(PathBuf),
    Pieces(Vec<Piece>),
}

impl Contents {
    /// Returns the contents of a delivery. A file that was given up, or that stays after its
    /// delivery, is at another path than its output, and is complete there.
    pub(crate) fn of(
        journal: &Journal,
        delivery: i64,
        (path, location): (&Path, &Path),
    ) -> Result<Self, StoreError> {
        if path == location {
            let reader = journal.reader()?;
            let pieces = journal.answer(slices::pieces(&reader, &journal.view, delivery))?;
            if !pieces.is_empty() {
                return Ok(Contents::Pieces(pieces));
            }
        }
        Ok(Contents::File(location.into()))
    }

    /// Returns the first file that is needed and missing.
    pub(crate) fn missing(&self) -> Option<&Path> {
        match self {
            Contents::File(path) => Some(&**path).filter(|path| !path.exists()),
            Contents::Pieces(pieces) => {
                let mut paths = pieces.iter().map(|piece| &*piece.path);
                paths.find(|path| !path.exists())
            }
        }
    }

    /// Returns whether the contents are put together from slices.
    pub(crate) fn is_in_pieces(&self) -> bool {
        matches!(self, Contents::Pieces(_))
    }

    /// Returns the size in octets.
    pub(crate) fn octets(&self) -> io::Result<u64> {
        match self {
            Contents::File(path) => Ok(fs::metadata(path)?.len()),
            Contents::Pieces(pieces) => Ok(pieces.iter().map(|piece| piece.octets).sum()),
        }
    }

    /// Opens the contents at the first octet.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match self {
            Contents::File(path) => Ok(Box::new(open_file(path)?)),
            Contents::Pieces(pieces) => {
                Ok(Box::new(PieceReader { rest: pieces.iter(), current: None }))
            }
        }
    }

    /// Writes the contents to a path, atomically. Replaces what an interrupted run left.
    pub(crate) fn write_to(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.part"));
        let mut file = File::create(&part)?;
        io::copy(&mut self.open()?, &mut file)?;
        file.flush()?;
        file.sync_all()?;
        fs::rename(part, path)?;
        sync_folder(folder)
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| {
        io::Error::new(error.kind(), format!("could not read \"{}\": {error}", path.display()))
    })
}

/// A reader of pieces, one after the other.
struct PieceReader<'p> {
    rest: std::slice::Iter<'p, Piece>,
    /// The current piece and its remaining octets.
    current: Option<(File, &'p Piece, u64)>,
}

impl Read for PieceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.current {
                Some((_, _, 0)) => self.current = None,
                Some((file, piece, left)) => {
                    let limit = buffer.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    let read = file.read(&mut buffer[..limit])?;
                    if read == 0 && limit > 0 {
                        let message =
                            format!("\"{}\" is shorter than it was", piece.path.display());
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                    }
                    *left -= read as u64;
                    return Ok(read);
                }
                None => {
                    let Some(piece) = self.rest.next() else { return Ok(0) };
                    let mut file = open_file(&piece.path)?;
                    file.seek(SeekFrom::Start(piece.at))?;
                    self.current = Some((file, piece, piece.octets));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_concatenated_from_pieces_unless_one_is_missing_or_short() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "h1aaat").unwrap();
        fs::write(path("b"), "h2bbbt").unwrap();
        let piece = |name, at, octets| Piece { path: path(name), at, octets };
        let pieces = vec![piece("a", 0, 5), piece("b", 2, 4)];
        let contents = Contents::Pieces(pieces.clone());
        assert_eq!((contents.octets().unwrap(), contents.missing()), (9, None));
        contents.write_to(&path("made/whole")).unwrap();
        assert_eq!(fs::read_to_string(path("made/whole")).unwrap(), "h1aaabbbt");

        let long = Contents::Pieces([&pieces[..], &[piece("b", 4, 9)]].concat());
        let error = io::copy(&mut long.open().unwrap(), &mut io::sink()).unwrap_err();
        assert!(error.to_string().ends_with("is shorter than it was"), "{error}");
        fs::remove_file(path("b")).unwrap();
        assert_eq!(contents.missing(), Some(&*path("b")));
    }
}
