//! What goes wrong in remote places, over all protocols: the codes and the texts. Whether to try again, and whether the
//! file or the place is to blame, is decided where an answer is read: see [`transport::RemoteError`].

use reason::Coded;

/// Why an operation in a remote place failed. Texts of servers come here as [`shown`](crate::calls::shown) cuts them.
#[derive(Debug, thiserror::Error, Coded)]
#[code("remote")]
pub(crate) enum Fault {
    /// This machine cannot make a connection: it has no threads or handles left.
    #[error("no connection can be made here")]
    NoConnectionHere,
    /// Nothing answers at the address, or the network leads nowhere.
    #[error("could not connect to {place}")]
    Unreachable { place: String },
    /// The name of the machine has no address.
    #[error("could not connect to {place}: it has no address")]
    NoAddress { place: String },
    /// The place does not answer within `timeout`.
    #[error("{subject}: no answer within {seconds} seconds")]
    NoAnswer { subject: String, seconds: f64 },
    /// The other side, or the network, ended the connection during a transfer.
    #[error("\"{file}\": the connection broke")]
    ConnectionBroke { file: String },
    /// The connection was ended, and a new one could not be made.
    #[error("the connection was ended")]
    ConnectionEnded,
    /// The other side stopped in the middle of a file.
    #[error("\"{file}\": the transfer stopped")]
    TransferStopped { file: String },
    /// A file was put, and the place has not all of it.
    #[error("\"{file}\" has {there} octets there of {octets}")]
    Incomplete { file: String, there: u64, octets: u64 },
    /// The place does not accept the user, or the password or key.
    #[error("could not log in to {place}: it does not let \"{user}\" in")]
    NotLetIn { place: String, user: String },
    /// There is no TLS connection: mostly, the certificate of the place is not trusted.
    #[error("{place}: no safe connection: {cause}")]
    NotSafe { place: String, cause: String },
    /// The file of `certificate-authority` cannot be read.
    #[error("{cause}")]
    CertificatesUnread { cause: String },
    /// The file of `certificate-authority` has no certificate.
    #[error("\"{path}\" has no certificate in it")]
    NoCertificate { path: String },
    /// The file of `certificate-authority` has something that is no certificate.
    #[error("\"certificate-authority\" has what is no certificate: {cause}")]
    NotACertificate { cause: String },
    /// This machine cannot use TLS.
    #[error("there is no TLS here: {cause}")]
    NoTls { cause: String },
    /// The place said that it has the file, and then that it has not.
    #[error("\"{file}\" was there, and is not any more")]
    Gone { file: String },
    /// The name of the file has characters that FTP cannot have.
    #[error("{file:?} is no name for FTP")]
    FtpName { file: String },
    /// The FTP server refuses a command; its answer says why.
    #[error("\"{file}\": the server answers \"{reply}\" to {command}")]
    FtpAnswer { file: String, reply: String, command: String },
    /// The FTP server refuses to store a file in the folder.
    #[error(
        "\"{file}\": the server answers \"{reply}\" to STOR: is the folder there, and may \
         it be written to?"
    )]
    FtpNotPut { file: String, reply: String },
    /// The FTP server refuses to rename a file.
    #[error("\"{file}\" could not be renamed to \"{target}\": the server answers \"{reply}\"")]
    FtpNotRenamed { file: String, target: String, reply: String },
    /// The FTP server answers something that FTP does not have.
    #[error("\"{file}\": the answer to {command} is not understood")]
    FtpNotUnderstood { file: String, command: String },
    /// The FTP server lists a folder without an end.
    #[error("\"{folder}\": the list of {command} does not end")]
    FtpEndlessList { folder: String, command: String },
    /// The SFTP server refuses an operation, and says no more.
    #[error("\"{file}\": the server answers {answer} ({operation})")]
    SftpAnswer { file: String, answer: String, operation: String },
    /// The SFTP server refuses an operation; its answer says why.
    #[error("\"{file}\": the server answers {answer}, \"{message}\" ({operation})")]
    SftpAnswerText { file: String, answer: String, message: String, operation: String },
    /// A request is larger than the SFTP server takes.
    #[error("\"{file}\": the server takes no such request ({operation})")]
    SftpLimited { file: String, operation: String },
    /// The SFTP server answers another request than the one it got.
    #[error("\"{file}\": the server answered something else than it was asked ({operation})")]
    SftpOtherAnswer { file: String, operation: String },
    /// The SFTP server ended the connection.
    #[error("\"{file}\": the other side ended the connection ({operation})")]
    SftpEnded { file: String, operation: String },
    /// The SFTP server sends more octets than it was asked for.
    #[error("\"{file}\": the server gives more octets than it is asked for ({operation})")]
    SftpTooMuch { file: String, operation: String },
    /// The SFTP server lists a folder without an end.
    #[error("\"{folder}\": the list does not end: the server repeats the same names")]
    SftpEndlessList { folder: String },
    /// The SSH server ended the connection during the login.
    #[error("{attempt}: the other side ended the connection")]
    SshEnded { attempt: String },
    /// The SSH server has only algorithms that are not safe any more, or not known here.
    #[error("{attempt}: it has no algorithm in common with us; it offers {offered}")]
    SshNoAlgorithm { attempt: String, offered: String },
    /// There is no SSH connection, or no SFTP over it.
    #[error("{attempt}")]
    SshNotConnected { attempt: String },
    /// The server shows another host key than `host-key` or `known-hosts` have: it may be another machine.
    #[error(
        "{place} shows the host key \"{fingerprint}\" ({algorithm}), which is not the one \
         it is known by"
    )]
    SshHostKey { place: String, fingerprint: String, algorithm: String },
    /// The file of `known-hosts` cannot be read.
    #[error("could not read \"{path}\": {cause}")]
    SshKnownHostsUnread { path: String, cause: String },
    /// The file of `known-hosts` has no key of the machine.
    #[error("\"{path}\" has no key of {host}")]
    SshNoKnownHost { path: String, host: String },
    /// The file of `key-file` cannot be read, or needs another passphrase.
    #[error("could not read the key in \"{path}\": {cause}")]
    SshKeyUnread { path: String, cause: String },
    /// The address, the user or a secret has characters that HTTP cannot have.
    #[error("{place}: the address, or a secret, has what HTTP cannot have")]
    HttpAddress { place: String },
    /// The name of the file would lead out of the folder.
    #[error("{file:?} is no name for a file there")]
    HttpName { file: String },
    /// What answers at the address is no HTTP server.
    #[error("{place}: what it answers is no HTTP")]
    HttpNotHttp { place: String },
    /// The request could not be sent.
    #[error("could not reach {place}")]
    HttpUnreached { place: String },
    /// The server refuses a request; the status and the first line of its answer say why.
    #[error("\"{file}\": the answer is {answer}")]
    HttpAnswer { file: String, answer: String },
    /// The server names another address. Write that address into the flow file.
    #[error("\"{file}\": the answer is {answer}, which is not followed")]
    HttpRedirect { file: String, answer: String },
    /// Nothing takes files at the address.
    #[error("\"{file}\": the answer is {answer}: nothing takes files there")]
    HttpTakesNothing { file: String, answer: String },
    /// The receiver has a file of this name, and its contents cannot be compared.
    #[error(
        "\"{file}\": the receiver says that it has a file of this name, and does not show \
         whether it is this one"
    )]
    HttpNotCompared { file: String },
    /// HTTP has no lists of files.
    #[error("nothing is listed over HTTP")]
    HttpNoList,
    /// HTTP renames no files.
    #[error("\"{file}\" cannot be renamed over HTTP")]
    HttpNoRename { file: String },
    /// HTTP makes no folders.
    #[error("no folder is made over HTTP")]
    HttpNoFolder,
    /// Nothing answers for a charging system at the address.
    #[error("\"{file}\": the answer is {answer}: no charging system takes records there")]
    ChargingTakesNothing { file: String, answer: String },
    /// What answers at the address is no charging system, or another version of it.
    #[error("\"{file}\": what is answered is not what a charging system answers about records")]
    ChargingNotUnderstood { file: String },
    /// A line of the file is too long.
    #[error("\"{file}\": line {line} is longer than {octets_max} octets")]
    ChargingLineTooLong { file: String, line: u64, octets_max: u64 },
    /// The charging system refuses some records of the file; the others are debited. Put the delivery back when the reasons
    /// are gone: no record is debited twice.
    #[error("\"{file}\": {refused} of {records} records are not debited: {reasons}")]
    ChargingRefused { file: String, refused: u64, records: u64, reasons: String },
    /// A charging system has no files.
    #[error("\"{file}\": a charging system takes records and has no files")]
    ChargingNoFiles { file: String },
    /// The store has no such bucket.
    #[error("there is no bucket \"{bucket}\"")]
    S3NoBucket { bucket: String },
    /// The object is in an archive.
    #[error(
        "\"{file}\": the answer is {answer}: it is in an archive, and cannot be read \
         until it is restored"
    )]
    S3Archived { file: String, answer: String },
    /// The store has no place for the object.
    #[error("\"{file}\": the store takes nothing there")]
    S3TakesNothing { file: String },
    /// The store has an object of this name, and its contents cannot be compared.
    #[error(
        "\"{file}\": the store has an object of this name, and does not show whether it \
         is this one"
    )]
    S3NotCompared { file: String },
    /// The store could not copy an object, which is how it is renamed.
    #[error("\"{file}\" could not be copied: {answer}")]
    S3NotCopied { file: String, answer: String },
    /// The answer to a copy stopped in the middle.
    #[error("\"{file}\": the answer to its copy stopped")]
    S3CopyStopped { file: String },
    /// The store stopped in the middle of a list.
    #[error("\"{folder}\": the list stopped")]
    S3ListStopped { folder: String },
    /// The store does not know version 2 of lists.
    #[error(
        "\"{folder}\": the store says that the list goes on, and not where \
         (NextContinuationToken); does it know version 2 of lists?"
    )]
    S3ListCut { folder: String },
    /// What the store lists is not understood.
    #[error("\"{folder}\": the list is not understood")]
    S3ListNotUnderstood { folder: String },
    /// The store lists a folder without an end.
    #[error(
        "\"{folder}\": the list does not end: the store repeats the same page, or brings \
         nothing new"
    )]
    S3EndlessList { folder: String },
}
