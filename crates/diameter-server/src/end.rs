//! Why a connection ends.

use std::time::Duration;

use diameter::check::Fault;
use diameter::frame::FrameError;

/// How long a new connection has until its capabilities are there.
pub(crate) const MEETS_WITHIN: Duration = Duration::from_secs(10);

/// Why a connection ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum End {
    #[error("the peer closed the connection")]
    Closed,
    #[error("the connection broke: {0}")]
    Broken(String),
    #[error("{0}")]
    Stream(#[from] FrameError),
    #[error("the first message is no Capabilities-Exchange-Request")]
    NoCapabilities,
    #[error("no capabilities came within {} seconds", MEETS_WITHIN.as_secs())]
    Silent,
    #[error("something came between the capabilities and TLS")]
    BeforeTls,
    #[error("it was refused: {0}")]
    Refused(Fault),
    #[error("the peer sent its capabilities twice")]
    CapabilitiesTwice,
    #[error("the peer does not read what it is sent")]
    Deaf,
    #[error("the peer does not answer the watchdog")]
    Dead,
    #[error("the peer disconnected: {0}")]
    Disconnected(&'static str),
    #[error("the peer has connected again")]
    Replaced,
    #[error("it is no peer of this node any more")]
    NoPeer,
    #[error("the charging system stops")]
    Stopped,
}
