//! The errors of benchmarks.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use asn1::ber::Reason;
use diagnostics::Diagnostic;
use gateway::RunError;

/// The reason why a benchmark stopped. A retry helps if a file, a port or a process was in the way; any other error is
/// a fault of the benchmark or of the measured program.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file or folder cannot be read.
    #[error("cannot read \"{}\"", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        cause: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write \"{}\"", path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        cause: io::Error,
    },
    /// Results cannot be written, or another I/O error occurred.
    #[error("cannot write the result")]
    Write(#[from] io::Error),
    /// The folder for the work contains something that no benchmark made.
    #[error(
        "\"{}\" has \"{}\" in it, which no benchmark made; name a folder that is empty, or is not there yet",
        folder.display(),
        name.display()
    )]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
        /// The name of what it contains.
        name: OsString,
    },
    /// Accounts could not be stored.
    #[error("the accounts cannot be used")]
    Accounts(#[from] accounts::AccountsError),
    /// Batches of accounts could not be read or stored.
    #[error("the journal of the accounts cannot be used")]
    Batches(#[from] store::StoreError),
    /// The system refuses a thread.
    #[error(transparent)]
    Thread(#[from] runtime::threads::SpawnError),
    /// The journal of the accounts did not open.
    #[error(transparent)]
    OpenAccounts(#[from] journal::OpenError),
    /// A request was not answered as it should be.
    #[error("a call was not charged as it should be: {answer}")]
    Answer {
        /// The answer.
        answer: String,
    },
    /// PostgreSQL does not start.
    #[error("the accounts in PostgreSQL cannot be measured")]
    PostgresServer(#[from] postgres_server::ServerError),
    /// PostgreSQL refuses a statement.
    #[error("PostgreSQL refuses what it is compared by")]
    Postgres(#[from] tokio_postgres::Error),
    /// What subscribers paid is not what the ledger has.
    #[error("subscribers paid {paid} billionths, and the ledger has {found}")]
    Sum {
        /// What they paid.
        paid: i128,
        /// What the ledger has.
        found: i128,
    },
    /// No files could be simulated.
    #[error(transparent)]
    Simulate(#[from] simulate::cdr::Error),
    /// The example flow could not be written.
    #[error(transparent)]
    Example(#[from] simulate::WriteError),
    /// A flow did not run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The gateway could not be opened for viewers.
    #[error(transparent)]
    Served(#[from] serve::ServedError),
    /// A server did not start.
    #[error(transparent)]
    Serve(#[from] serve::ServeError),
    /// Not all records were delivered.
    #[error("{delivered} of {records} records were delivered")]
    Delivered {
        /// The records delivered.
        delivered: u64,
        /// The records expected.
        records: u64,
    },
    /// Not all records were processed.
    #[error("{processed} of {records} records were processed")]
    Processed {
        /// The records processed.
        processed: u64,
        /// The records expected.
        records: u64,
    },
    /// Not all files were delivered in time.
    #[error("{found} of {expected} files came out")]
    Files {
        /// The files delivered.
        found: usize,
        /// The files expected.
        expected: usize,
    },
    /// A simulated file is damaged.
    #[error("a simulated file cannot be read: {0}")]
    Damaged(Reason),
    /// A gateway process ended before its work, or did nothing for too long.
    #[error("the gateway has not begun its work")]
    NotBegun,
    /// The process of the SFTP server has ended.
    #[error("the SFTP server did not start")]
    NoServer,
    /// The run ended before any viewer had looked at it.
    #[error("nothing was measured: the work was too short")]
    TooShort,
    /// The gateway's server did not create a session.
    #[error("no session: {0}")]
    NoSession(String),
    /// Another process did not report its memory; the text is what it printed.
    #[error("could not measure memory: {0}")]
    Memory(String),
    /// The system does not tell how much memory a process had.
    #[error("this system does not tell a process its memory")]
    MemoryUnknown,
    /// The journal could not be prepared.
    #[error("the journal: {0}")]
    Journal(rusqlite::Error),
    /// An error of SQLite, as a peer or as a tool.
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
    /// The modules, scripts or tariffs of a benchmark have mistakes.
    #[error("{}", texts(.0))]
    Mistakes(Vec<Diagnostic>),
    /// Machine code could not be made.
    #[error(transparent)]
    Native(#[from] dup::NativeError),
    /// A record could not be encoded.
    #[error(transparent)]
    Encode(#[from] asn1::ber::EncodeError),
    /// A record is not what its JSON should be.
    #[error(transparent)]
    Json(#[from] asn1::jer::ReadError),
    /// A call has another price in SQLite than in the plan.
    #[error("a call to {digits} costs {ours:?}, in SQLite {theirs:?}")]
    Prices {
        /// The number called.
        digits: String,
        /// Our price, in billionths.
        ours: Option<i128>,
        /// The price in SQLite, in billionths.
        theirs: Option<i128>,
    },
    /// A crate that ours is compared with does not work.
    #[error("{0}")]
    Peer(String),
    /// The measured work gives a wrong result.
    #[error("the benchmark does not hold: {0}")]
    Wrong(&'static str),
}

fn texts(diagnostics: &[Diagnostic]) -> String {
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    texts.join("\n")
}
