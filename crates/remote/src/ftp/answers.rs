//! The meaning of an FTP server's answers (RFC 959, section 4.2): whether an answer concerns the requested file or the
//! place, and whether to try again. The code decides. Where servers use one code for different things, a word of the
//! text decides.

use std::io;
use std::time::Duration;

use suppaftp::FtpError;
use transport::RemoteError;

use crate::calls::{fell_silent, shown};
use crate::fault::Fault;
use crate::lasting::Spent;
use crate::tls;

/// Converts the error of a command for a file.
pub(super) fn failed(error: FtpError, command: &str, name: &str, timeout: Duration) -> RemoteError {
    match error {
        FtpError::UnexpectedResponse(response) => refused(&response.body, command, name),
        FtpError::ConnectionError(error) => stopped(error, name, timeout),
        FtpError::SecureError(cause) => {
            RemoteError::shut(Fault::NotSafe { place: name.to_owned(), cause })
        }
        error => {
            let (file, command) = (name.to_owned(), command.to_owned());
            RemoteError::broken_by(Fault::FtpNotUnderstood { file, command }, error)
        }
    }
}

/// Converts a refusal.
fn refused(body: &[u8], command: &str, name: &str) -> RemoteError {
    let reply = reply_text(body);
    let is_about_name = is_about_name(&reply);
    let what = answer(name, reply, command);
    match code(body) {
        // Files that do not exist, and files without permission: the caller finds out which.
        550 => RemoteError::NotThere(name.into()),
        // The server closes the connection.
        421 => RemoteError::broken(what),
        // No data connection, or no secure one: another connection may get one (RFC 4217, section
        // 10).
        522 => RemoteError::broken_by(what, Spent(WANTS_SESSION)),
        425 | 434 | 503 => RemoteError::passing(what),
        430 | 530 | 532 | 533 | 534 | 535 | 536 => RemoteError::shut(what),
        // 501 is about the name. 553 is too, but some servers use it for missing permissions.
        501 => RemoteError::refused(what),
        553 if is_about_name => RemoteError::refused(what),
        // A full server may have room later.
        552 => RemoteError::unavailable(what),
        500..=599 => RemoteError::forbidden(what),
        _ => RemoteError::unavailable(what),
    }
}

/// Returns the fault for an answer to a command.
pub(super) fn answer(name: &str, reply: String, command: &str) -> Fault {
    Fault::FtpAnswer { file: name.to_owned(), reply, command: command.to_owned() }
}

const WANTS_SESSION: &str =
    "it wants each line for files to go on with the TLS session of the first";

/// Returns whether the server does not know a command.
pub(super) fn is_unknown(error: &FtpError) -> bool {
    let FtpError::UnexpectedResponse(response) = error else { return false };
    matches!(code(&response.body), 202 | 500 | 502 | 504)
}

/// Returns whether the answer to a list command may mean an empty folder: servers use success and failure codes for it.
pub(super) fn may_be_empty(error: &FtpError) -> bool {
    let FtpError::UnexpectedResponse(response) = error else { return false };
    is_done(error)
        || matches!(code(&response.body), 450 | 451 | 550 | 551 | 553)
            && !is_about_rights(&reply_text(&response.body))
}

/// Returns whether the server reports success without having sent anything.
pub(super) fn is_done(error: &FtpError) -> bool {
    let FtpError::UnexpectedResponse(response) = error else { return false };
    matches!(code(&response.body), 226 | 250)
}

/// Returns the code of an answer, including codes that the library does not know.
fn code(body: &[u8]) -> u16 {
    let digits = body.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Returns the text of an answer, for messages.
pub(super) fn reply_text(body: &[u8]) -> String {
    shown(&String::from_utf8_lossy(body))
}

/// Returns whether a 553 is about the name. vsftpd and Pure-FTPd also answer 553 if write permission is missing ("Could
/// not create file.", "Can't open that file: Permission denied").
fn is_about_name(reply: &str) -> bool {
    reply.to_lowercase().contains("name") && !is_about_rights(reply)
}

fn is_about_rights(reply: &str) -> bool {
    let reply = reply.to_lowercase();
    ["permission", "denied", "access", "privilege", "authori"]
        .iter()
        .any(|word| reply.contains(word))
}

/// Converts the error that stopped a transfer or an answer.
pub(super) fn stopped(error: io::Error, name: &str, timeout: Duration) -> RemoteError {
    use io::ErrorKind::{TimedOut, WouldBlock};
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match (error.kind(), cause) {
        (TimedOut | WouldBlock, _) => fell_silent(&format!("\"{name}\""), timeout),
        (_, Some(cause)) => tls::failed(name, cause),
        _ => RemoteError::broken_by(Fault::ConnectionBroke { file: name.to_owned() }, error),
    }
}

#[cfg(test)]
mod tests {
    use suppaftp::Status;
    use suppaftp::types::Response;

    use super::*;
    use crate::calls::class;

    fn answer(text: &str) -> FtpError {
        FtpError::UnexpectedResponse(Response { status: Status::Unknown, body: text.into() })
    }

    #[test]
    fn each_answer_is_about_the_file_or_about_the_place() {
        for (text, meaning) in [
            ("226 Transfer complete", "unavailable"),
            ("350 Restarting", "unavailable"),
            ("421 Timeout", "broken"),
            ("425 Can't open data connection", "passing"),
            ("426 Transfer aborted", "unavailable"),
            ("430 Who are you?", "shut"),
            ("434 Host unavailable", "passing"),
            ("450 File busy", "unavailable"),
            ("451 Local error", "unavailable"),
            ("452 Disk full", "unavailable"),
            ("500 What?", "forbidden"),
            ("501 Not such an argument", "refused"),
            ("502 Not implemented", "forbidden"),
            ("503 Bad sequence", "passing"),
            ("504 Not with that", "forbidden"),
            ("522 session reuse required", "broken"),
            ("530 Log in", "shut"),
            ("532 Need account", "shut"),
            ("534 Policy requires TLS", "shut"),
            ("550 No such file", "not there"),
            ("551 Page type unknown", "forbidden"),
            ("552 Quota exceeded", "unavailable"),
            ("553 File name not allowed", "refused"),
            ("553 Could not create file.", "forbidden"),
            ("553 Can't open that file: Permission denied", "forbidden"),
            ("599 What else", "forbidden"),
            ("what is no answer", "unavailable"),
        ] {
            let error = failed(answer(text), "RETR", "a.csv", Duration::from_secs(1));
            assert_eq!(class(&error), meaning, "{text}");
            let message = error.with_causes();
            let is_named = message.contains(text) && message.contains("RETR");
            assert!(is_named || meaning == "not there", "{message}");
        }
        let broken = FtpError::ConnectionError(io::ErrorKind::BrokenPipe.into());
        assert_eq!(class(&failed(broken, "RETR", "a", Duration::ZERO)), "broken");
        let silent = FtpError::ConnectionError(io::ErrorKind::WouldBlock.into());
        assert_eq!(class(&failed(silent, "RETR", "a", Duration::ZERO)), "broken");
        assert_eq!(class(&failed(FtpError::BadResponse, "RETR", "a", Duration::ZERO)), "broken");
    }

    #[test]
    fn a_list_without_lines_may_be_a_folder_with_nothing_in_it() {
        for (text, may_be) in [
            ("226 Transfer complete", true),
            ("450 No files found", true),
            ("550 No files found", true),
            ("550 No such file or directory", true),
            ("550 Permission denied", false),
            ("450 Access is denied.", false),
            ("425 Can't open data connection", false),
            ("500 What?", false),
            ("530 Log in", false),
        ] {
            assert_eq!(may_be_empty(&answer(text)), may_be, "{text}");
        }
    }
}
