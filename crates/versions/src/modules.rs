//! The ASN.1 modules of the flow, as a user reads them.

use flow::drawing;

use super::found::{FileError, FileRole, sorts};
use super::withheld::readable;
use super::{VersionError, VersionStore};

impl VersionStore {
    /// Returns the text of a module of the flow on the disk; `None` if the flow names no such file, or it does not exist.
    /// `name` is the name in the flow file; variables in that may be filled in.
    ///
    /// # Errors
    ///
    /// The file is withheld, or cannot be read.
    pub fn module(&self, name: &str) -> Result<Option<String>, VersionError> {
        let flow = self.flow_text()?;
        let sorts = sorts(&flow);
        let is_it = |(file, role): &(&String, &FileRole)| {
            **role == FileRole::Module && (*file == name || drawing::filled_in(file) == name)
        };
        let Some((file, _)) = sorts.iter().find(is_it) else { return Ok(None) };
        let path = self.leads(file);
        let text = match self.guard(&flow).why(&path) {
            Some(why) => Err(FileError::from(why)),
            None => readable(&path),
        };
        text.map_err(|why| VersionError::Unseen { name: name.to_owned(), why: why.to_string() })
    }
}
