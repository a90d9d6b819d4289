//! Shows a module.

use ::versions::VersionError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Returns the text of an ASN.1 module.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ShowModule {
    /// The module's file, as the flow file names it.
    pub file: String,
}

/// The text of a module.
#[derive(Debug, Serialize, ToSchema)]
pub struct Module {
    /// The module's file, as the flow file names it.
    pub file: String,
    /// The text.
    pub text: String,
}

refusals! {
    /// Why a module is not shown.
    pub enum ModuleError {
        /// The flow has no such module, or its file is not read.
        Unknown {
            /// Its file.
            file: String
        } => Unknown "module-unknown" "the flow has no module \"{file}\"",
        /// The files of the flow or the versions cannot be read.
        Versions(VersionError) => [Wrong],
    }
}

impl Operation for ShowModule {
    type Response = Module;
    type Error = ModuleError;

    const NAME: &'static str = "modules show";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Module, ModuleError> {
        let text = context.shared.versions()?.module(&self.file)?;
        let file = self.file;
        match text {
            Some(text) => Ok(Module { file, text }),
            None => Err(ModuleError::Unknown { file }),
        }
    }
}
