//! The meaning of an SFTP server's answers (draft-ietf-secsh-filexfer-02, section 7): whether an answer concerns the
//! requested file or the place, and whether to try again.

use std::time::Duration;

use russh_sftp::client::error::Error as SftpError;
use russh_sftp::protocol::{Status, StatusCode};
use transport::RemoteError;

use super::files::Stopped;
use crate::calls::{fell_silent, shown};

/// Converts the error of an operation on a file.
pub(super) fn failed(error: SftpError, deed: &str, name: &str, timeout: Duration) -> RemoteError {
    match error {
        SftpError::Status(status) => refused(&status, deed, name),
        SftpError::Timeout => fell_silent(&format!("\"{name}\""), timeout),
        // The request exceeds the limits that the server announced.
        SftpError::Limited(_) => {
            RemoteError::Forbidden(format!("\"{name}\": the server takes no such request ({deed})"))
        }
        SftpError::UnexpectedPacket => RemoteError::broken(format!(
            "\"{name}\": the server answered something else than it was asked ({deed})"
        )),
        // The texts of these say nothing that a user could act on.
        SftpError::IO(_) | SftpError::UnexpectedBehavior(_) => {
            RemoteError::broken(format!("\"{name}\": the other side ended the connection ({deed})"))
        }
    }
}

/// Converts a refusal.
fn refused(status: &Status, deed: &str, name: &str) -> RemoteError {
    let code = code(status.status_code);
    let message = shown(&status.error_message);
    let what = match message.is_empty() {
        true => format!("\"{name}\": the server answers {code} ({deed})"),
        false => format!("\"{name}\": the server answers {code}, \"{message}\" ({deed})"),
    };
    match status.status_code {
        StatusCode::NoSuchFile => RemoteError::NotThere(name.into()),
        // About permissions, or about what the server supports; not about the name.
        StatusCode::PermissionDenied | StatusCode::OpUnsupported => RemoteError::Forbidden(what),
        // OpenSSH's answer to a name that is too long or contains a forbidden character.
        StatusCode::BadMessage => RemoteError::Refused(what),
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
    match error {
        // The library's texts for these describe its internals.
        Error::Disconnect | Error::HUP | Error::SendError | Error::RecvError | Error::Join(_) => {
            RemoteError::passing(format!("{context}: the other side ended the connection"))
        }
        Error::NoCommonAlgo { theirs, .. } => {
            let theirs = shown(&theirs.join(", "));
            RemoteError::Shut(format!(
                "{context}: it has no algorithm in common with us; it offers {theirs}"
            ))
        }
        error => RemoteError::passing_by(context.to_owned(), error),
    }
}

/// Converts the error that stopped a transfer.
pub(super) fn stopped(why: Stopped, deed: &str, name: &str, timeout: Duration) -> RemoteError {
    match why {
        Stopped::There(error) => failed(error, deed, name, timeout),
        Stopped::TooMuch => RemoteError::unavailable(format!(
            "\"{name}\": the server gives more octets than it is asked for ({deed})"
        )),
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
