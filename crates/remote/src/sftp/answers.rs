//! The meaning of an SFTP server's answers (draft-ietf-secsh-filexfer-02, section 7): whether an answer concerns the
//! requested file or the place, and whether to try again.

use std::time::Duration;

use russh_sftp::client::error::Error as SftpError;
use russh_sftp::protocol::{Status, StatusCode};
use transport::RemoteError;

use super::files::Stopped;
use crate::calls::{fell_silent, shown};
use crate::fault::Fault;

/// Converts the error of an operation on a file.
pub(super) fn failed(error: SftpError, deed: &str, name: &str, timeout: Duration) -> RemoteError {
    let (file, operation) = (name.to_owned(), deed.to_owned());
    match error {
        SftpError::Status(status) => refused(&status, deed, name),
        SftpError::Timeout => fell_silent(&format!("\"{name}\""), timeout),
        // The request exceeds the limits that the server announced.
        SftpError::Limited(_) => RemoteError::forbidden(Fault::SftpLimited { file, operation }),
        SftpError::UnexpectedPacket => {
            RemoteError::broken(Fault::SftpOtherAnswer { file, operation })
        }
        // The texts of these say nothing that a user could act on.
        SftpError::IO(_) | SftpError::UnexpectedBehavior(_) => {
            RemoteError::broken(Fault::SftpEnded { file, operation })
        }
    }
}

/// Converts a refusal.
fn refused(status: &Status, deed: &str, name: &str) -> RemoteError {
    let answer = code(status.status_code).to_owned();
    let (file, operation) = (name.to_owned(), deed.to_owned());
    let message = shown(&status.error_message);
    let what = match message.is_empty() {
        true => Fault::SftpAnswer { file, answer, operation },
        false => Fault::SftpAnswerText { file, answer, message, operation },
    };
    match status.status_code {
        StatusCode::NoSuchFile => RemoteError::NotThere(name.into()),
        // About permissions, or about what the server supports; not about the name.
        StatusCode::PermissionDenied | StatusCode::OpUnsupported => RemoteError::forbidden(what),
        // OpenSSH's answer to a name that is too long or contains a forbidden character.
        StatusCode::BadMessage => RemoteError::refused(what),
        StatusCode::NoConnection | StatusCode::ConnectionLost => RemoteError::broken(what),
        // The server gives no reason: a lock, a quota, a full disk.
        StatusCode::Failure | StatusCode::Eof | StatusCode::Ok => RemoteError::unavailable(what),
    }
}

/// Returns the name of a code in the draft.
fn code(code: StatusCode) -> &'static str {
    match code {
        StatusCode::Ok => "SSH_FX_OK",
        StatusCode::Eof => "SSH_FX_EOF",
        StatusCode::NoSuchFile => "SSH_FX_NO_SUCH_FILE",
        StatusCode::PermissionDenied => "SSH_FX_PERMISSION_DENIED",
        StatusCode::Failure => "SSH_FX_FAILURE",
        StatusCode::BadMessage => "SSH_FX_BAD_MESSAGE",
        StatusCode::NoConnection => "SSH_FX_NO_CONNECTION",
        StatusCode::ConnectionLost => "SSH_FX_CONNECTION_LOST",
        StatusCode::OpUnsupported => "SSH_FX_OP_UNSUPPORTED",
    }
}

/// Converts the error of an SSH connection that could not be made.
pub(super) fn not_made(error: russh::Error, context: &str) -> RemoteError {
    use russh::Error;
    let attempt = context.to_owned();
    match error {
        // The library's texts for these describe its internals.
        Error::Disconnect | Error::HUP | Error::SendError | Error::RecvError | Error::Join(_) => {
            RemoteError::passing(Fault::SshEnded { attempt })
        }
        Error::NoCommonAlgo { theirs, .. } => {
            let offered = shown(&theirs.join(", "));
            RemoteError::shut(Fault::SshNoAlgorithm { attempt, offered })
        }
        error => RemoteError::passing_by(Fault::SshNotConnected { attempt }, error),
    }
}

/// Converts the error that stopped a transfer.
pub(super) fn stopped(why: Stopped, deed: &str, name: &str, timeout: Duration) -> RemoteError {
    match why {
        Stopped::There(error) => failed(error, deed, name, timeout),
        Stopped::TooMuch => {
            let (file, operation) = (name.to_owned(), deed.to_owned());
            RemoteError::unavailable(Fault::SftpTooMuch { file, operation })
        }
        Stopped::Here(error) => RemoteError::Here(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::class;

    #[test]
    fn each_answer_is_about_the_file_or_about_the_place() {
        let status = |status_code| {
            let (error_message, language_tag) = ("it\u{1b}[2J is so".into(), "en".into());
            SftpError::Status(Status { id: 1, status_code, error_message, language_tag })
        };
        for (error, meaning) in [
            (status(StatusCode::NoSuchFile), "not there"),
            (status(StatusCode::PermissionDenied), "forbidden"),
            (status(StatusCode::OpUnsupported), "forbidden"),
            (status(StatusCode::BadMessage), "refused"),
            (status(StatusCode::Failure), "unavailable"),
            (status(StatusCode::Eof), "unavailable"),
            (status(StatusCode::Ok), "unavailable"),
            (status(StatusCode::NoConnection), "broken"),
            (status(StatusCode::ConnectionLost), "broken"),
            (SftpError::Timeout, "broken"),
            (SftpError::Limited("packet exceeds server limit".into()), "forbidden"),
            (SftpError::UnexpectedPacket, "broken"),
            (SftpError::IO("Broken pipe".into()), "broken"),
            (SftpError::UnexpectedBehavior("sender dropped".into()), "broken"),
        ] {
            let shown = error.to_string();
            let error = failed(error, "open", "a.csv", Duration::from_secs(1));
            assert_eq!(class(&error), meaning, "{shown}");
            let message = error.with_causes();
            assert!(message.contains("\"a.csv\""), "{message}");
            assert!(!message.contains("dropped") && !message.contains('\u{1b}'), "{message}");
        }
    }
}
