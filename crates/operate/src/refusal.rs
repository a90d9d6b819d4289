//! Why an operation is refused: its kind, from which the status of an answer follows, a code for programs, and a text for
//! people.

use flow::flow_journal::JournalError;

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalKind {
    /// A value in the request is wrong.
    Wrong,
    /// The caller is not logged in: the name, the password or the link is wrong.
    NotLoggedIn,
    /// The role of the caller does not allow it.
    Forbidden,
    /// Nothing has this name or number.
    Unknown,
    /// It was there, and no longer exists.
    Gone,
    /// The state of the gateway or the flow does not allow it.
    Conflict,
    /// There were too many attempts.
    TooMany,
    /// The gateway is not ready yet: the same request may succeed a moment later.
    NotReady,
    /// Something failed that should not fail.
    Internal,
}

/// A refusal that an operation may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleRefusal {
    /// Its kind.
    pub kind: RefusalKind,
    /// Its code and its text, with parameters in braces. `None` if errors of another type may be of this kind.
    pub text: Option<(&'static str, &'static str)>,
}

/// The error of an operation. [`refusals!`](crate::refusals) declares one.
pub trait Refusal: std::error::Error + Send + Sync + 'static {
    /// Returns its kind.
    fn kind(&self) -> RefusalKind;

    /// Returns its code, which stays the same when the text is improved.
    fn code(&self) -> &'static str;

    /// Returns the refusals that the type may be, for the description of an operation.
    fn possible() -> Vec<PossibleRefusal>;
}

/// Declares the error of an operation. A variant has its kind, its code and its text. A wrapped error has its own, and the
/// list says of which kinds it may be.
///
/// ```
/// use flow::flow_journal::JournalError;
/// use operate::refusal::{Refusal, RefusalKind};
///
/// operate::refusals! {
///     /// Why a peer cannot be reset.
///     pub enum ResetError {
///         /// There is no such peer.
///         Peer { /** Its name. */ name: String } => Unknown "peer-unknown" "there is no peer \"{name}\"",
///         /// The journal fails.
///         Journal(JournalError) => [NotReady],
///     }
/// }
/// let error = ResetError::Peer { name: "vienna".into() };
/// assert_eq!((error.code(), error.kind()), ("peer-unknown", RefusalKind::Unknown));
/// assert_eq!(error.to_string(), "there is no peer \"vienna\"");
/// ```
#[macro_export]
macro_rules! refusals {
    ($(#[$meta:meta])* pub enum $name:ident { $($variants:tt)* }) => {
        $crate::refusals!(@split [$(#[$meta])* $name] [] [] $($variants)*);
    };
    (@split $head:tt [$($own:tt)*] [$($wrapped:tt)*]
        $(#[$meta:meta])* $variant:ident $({ $($fields:tt)* })? => $kind:ident $code:literal $text:literal,
        $($rest:tt)*) => {
        $crate::refusals!(@split $head
            [$($own)* [[$(#[$meta])*] $variant [$({ $($fields)* })?] $kind $code $text]] [$($wrapped)*] $($rest)*);
    };
    (@split $head:tt [$($own:tt)*] [$($wrapped:tt)*]
        $(#[$meta:meta])* $variant:ident($inner:ty) => [$($kind:ident),*], $($rest:tt)*) => {
        $crate::refusals!(@split $head
            [$($own)*] [$($wrapped)* [[$(#[$meta])*] $variant $inner [$($kind)*]]] $($rest)*);
    };
    (@split [$(#[$meta:meta])* $name:ident]
        [$([[$(#[$own_meta:meta])*] $own:ident [$($fields:tt)*] $kind:ident $code:literal $text:literal])*]
        [$([[$(#[$wrapped_meta:meta])*] $wrapped:ident $inner:ty [$($inner_kind:ident)*]])*]) => {
        $(#[$meta])*
        #[derive(Debug, thiserror::Error)]
        pub enum $name {
            $($(#[$own_meta])* #[error($text)] $own $($fields)*,)*
            $($(#[$wrapped_meta])* #[error(transparent)] $wrapped(#[from] $inner),)*
        }

        impl $crate::refusal::Refusal for $name {
            fn kind(&self) -> $crate::refusal::RefusalKind {
                match self {
                    $($name::$own { .. } => $crate::refusal::RefusalKind::$kind,)*
                    $($name::$wrapped(error) => $crate::refusal::Refusal::kind(error),)*
                }
            }

            fn code(&self) -> &'static str {
                match self {
                    $($name::$own { .. } => $code,)*
                    $($name::$wrapped(error) => $crate::refusal::Refusal::code(error),)*
                }
            }

            fn possible() -> Vec<$crate::refusal::PossibleRefusal> {
                let own: &[$crate::refusal::PossibleRefusal] = &[
                    $($crate::refusal::PossibleRefusal {
                        kind: $crate::refusal::RefusalKind::$kind,
                        text: Some(($code, $text)),
                    },)*
                ];
                let wrapped: Vec<Vec<$crate::refusal::PossibleRefusal>> = vec![
                    $($crate::refusal::possible_of::<$inner>(
                        &[$($crate::refusal::RefusalKind::$inner_kind),*]
                    ),)*
                ];
                [own.to_vec(), wrapped.concat()].concat()
            }
        }
    };
}

/// Returns the refusals of a type that are of some kinds, for types that wrap it.
pub fn possible_of<E: Refusal>(kinds: &[RefusalKind]) -> Vec<PossibleRefusal> {
    E::possible().into_iter().filter(|refusal| kinds.contains(&refusal.kind)).collect()
}

refusals! {
    /// Why something is not read.
    pub enum ReadError {
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

refusals! {
    /// Why something is not read, where the request may name what is unknown.
    pub enum NamedReadError {
        /// A name in the request is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

refusals! {
    /// Why a reason is refused.
    pub enum ReasonError {
        /// It is empty.
        Missing => Wrong "reason-missing" "give a reason, for the audit trail",
    }
}

/// Returns the reason of a change without the blanks around it.
///
/// # Errors
///
/// The reason is empty.
pub fn reason(text: &str) -> Result<&str, ReasonError> {
    let reason = text.trim();
    if reason.is_empty() { Err(ReasonError::Missing) } else { Ok(reason) }
}

impl Refusal for JournalError {
    fn kind(&self) -> RefusalKind {
        match self {
            JournalError::UnknownElement { .. }
            | JournalError::UnknownName { .. }
            | JournalError::UnknownCode(_)
            | JournalError::Uncounted(_) => RefusalKind::Unknown,
            JournalError::Missing { .. } => RefusalKind::NotReady,
            _ => RefusalKind::Internal,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            JournalError::Flow { .. } => "flow-file-unreadable",
            JournalError::UnknownElement { .. } => "network-element-unknown",
            JournalError::UnknownName { .. } => "name-unknown",
            JournalError::UnknownCode(_) => "code-unknown",
            JournalError::Uncounted(_) => "sequence-unknown",
            JournalError::Missing { .. } => "journal-missing",
            JournalError::InUse { .. } => "journal-in-use",
            JournalError::Folder { .. } => "state-folder-unusable",
            JournalError::Damaged(_) => "journal-damaged",
            JournalError::Refused(_) => "journal-refused",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of = |kind, code, text| PossibleRefusal { kind, text: Some((code, text)) };
        vec![
            of(
                RefusalKind::Unknown,
                "network-element-unknown",
                "no network element \"{name}\" in \"{flow}\"; {known}",
            ),
            of(
                RefusalKind::Unknown,
                "name-unknown",
                "there is no {what} \"{name}\" in \"{flow}\", nor in its journal",
            ),
            of(
                RefusalKind::Unknown,
                "code-unknown",
                "no error has the code \"{code}\"; docs/reference/errors.md lists the codes",
            ),
            of(
                RefusalKind::Unknown,
                "sequence-unknown",
                "no network element of \"{flow}\" has a sequence; give one file-sequence, record-sequence or totals, \
                 see docs/reference/flow.md",
            ),
            of(
                RefusalKind::NotReady,
                "journal-missing",
                "no gateway has run \"{flow}\" yet: there is no \"{database}\"",
            ),
        ]
    }
}
