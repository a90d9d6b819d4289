//! The contents of a delivery: a file, or slices of outputs that are put together while they are read.

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
    /// Returns the contents of a delivery. After it was given up or kept, it lies at a path of its own.
    pub(crate) fn of(
        journal: &Journal,
        delivery: i64,
        (path, lies): (&Path, &Path),
    ) -> Result<Self, StoreError> {
        if path == lies {
            let reader = journal.reader()?;
            let pieces = journal.answer(slices::pieces(&reader, &journal.view, delivery))?;
            if !pieces.is_empty() {
                return Ok(Contents::Pieces(pieces));
            }
        }
        Ok(Contents::File(lies.into()))
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
            Contents::File(path) => Ok(Box::new(opened(path)?)),
            Contents::Pieces(pieces) => Ok(Box::new(Together { left: pieces.iter(), open: None })),
        }
    }
}

/// A copy that is written atomically.
pub(crate) struct Writing<'c>(pub &'c Contents);

impl Writing<'_> {
    /// Writes the contents to a path. It replaces what an interrupted run left.
    pub(crate) fn to(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.part"));
        let mut file = File::create(&part)?;
        io::copy(&mut self.0.open()?, &mut file)?;
        file.flush()?;
        file.sync_all()?;
        fs::rename(part, path)?;
        sync_folder(folder)
    }
}

fn opened(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| {
        io::Error::new(error.kind(), format!("could not read \"{}\": {error}", path.display()))
    })
}

/// A reader of pieces, one after the other.
struct Together<'p> {
    left: std::slice::Iter<'p, Piece>,
    /// The current piece and its remaining octets.
    open: Option<(File, &'p Piece, u64)>,
}

impl Read for Together<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.open {
                Some((_, _, 0)) => self.open = None,
                Some((file, piece, left)) => {
                    let most = buffer.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    let read = file.read(&mut buffer[..most])?;
                    if read == 0 && most > 0 {
                        let message =
                            format!("\"{}\" is shorter than it was", piece.path.display());
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                    }
                    *left -= read as u64;
                    return Ok(read);
                }
                None => {
                    let Some(piece) = self.left.next() else { return Ok(0) };
                    let mut file = opened(&piece.path)?;
                    file.seek(SeekFrom::Start(piece.at))?;
                    self.open = Some((file, piece, piece.octets));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_put_together_from_pieces_or_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "h1aaat").unwrap();
        fs::write(path("b"), "h2bbbt").unwrap();
        let piece = |name, at, octets| Piece { path: path(name), at, octets };
        let pieces = vec![piece("a", 0, 5), piece("b", 2, 4)];
        let contents = Contents::Pieces(pieces.clone());
        assert_eq!((contents.octets().unwrap(), contents.missing()), (9, None));
        Writing(&contents).to(&path("made/whole")).unwrap();
        assert_eq!(fs::read_to_string(path("made/whole")).unwrap(), "h1aaabbbt");

        let long = Contents::Pieces([&pieces[..], &[piece("b", 4, 9)]].concat());
        let error = io::copy(&mut long.open().unwrap(), &mut io::sink()).unwrap_err();
        assert!(error.to_string().ends_with("is shorter than it was"), "{error}");
        fs::remove_file(path("b")).unwrap();
        assert_eq!(contents.missing(), Some(&*path("b")));
    }
}
