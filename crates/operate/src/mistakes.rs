//! Mistakes and warnings of a text, in a response.

use diagnostics::Diagnostic;
use serde::Serialize;
use utoipa::ToSchema;

/// The maximum number of diagnostics in a response. A text may have one per word, and more are of
/// no use before some are corrected.
const MISTAKES_MAX: usize = 200;

/// A mistake or a warning.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Mistake {
    /// Whether it is a mistake or a warning.
    pub severity: MistakeSeverity,
    /// The file in which it is.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The mistake, in words.
    pub message: String,
    /// A hint how to correct it, if there is one.
    pub hint: Option<String>,
    /// The network element, node or system that it concerns. Absent if this is unknown.
    pub node: Option<String>,
    /// The whole message with the line of the file, as the command line shows it.
    pub text: String,
}

/// `error`: the text cannot be used. `warning`: the text can be used, and may not do what was
/// meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MistakeSeverity {
    /// The text cannot be used.
    Error,
    /// The text can be used.
    Warning,
}

impl Mistake {
    /// Returns the mistake without a node.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let place = diagnostic.place();
        Mistake {
            severity: match diagnostic.is_error() {
                true => MistakeSeverity::Error,
                false => MistakeSeverity::Warning,
            },
            file: diagnostic.source.name.clone(),
            line: place.line,
            column: place.column,
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
            node: None,
            text: diagnostic.to_string(),
        }
    }
}

/// The mistakes and warnings of a text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Mistakes {
    /// The mistakes and warnings; 200 at most.
    pub diagnostics: Vec<Mistake>,
    /// The number of those that are left out. Warnings are left out before mistakes.
    pub diagnostics_left_out: usize,
}

impl Mistakes {
    /// Returns the mistakes without nodes.
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        Self::with(diagnostics, Mistake::of)
    }

    /// Returns the mistakes as `describe` makes them.
    pub fn with(diagnostics: &[Diagnostic], describe: impl Fn(&Diagnostic) -> Mistake) -> Self {
        let (shown, left_out) = match diagnostics.len() > MISTAKES_MAX {
            true => diagnostics::first(diagnostics, MISTAKES_MAX),
            false => (diagnostics.iter().collect(), 0),
        };
        let diagnostics = shown.into_iter().map(describe).collect();
        Mistakes { diagnostics, diagnostics_left_out: left_out }
    }

    /// Returns them with paths relative to a folder, which ends with a slash: one in which a draft was laid out means nothing to the
    /// user.
    pub fn beneath(mut self, folder: &str) -> Self {
        for Mistake { file, message, hint, text, .. } in &mut self.diagnostics {
            for text in [file, message, text].into_iter().chain(hint) {
                *text = text.replace(folder, "");
            }
        }
        self
    }
}
