//! `tollgate serve`: the gateway of `run`, with its interface in a browser, and the API behind that.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::serve::{Served, ServedError, Server};
use flow::meters::Meters;

use super::dup::Scripts;
use super::run::{PARTS, Run};
use super::{CommandError, Outcome};

/// Arguments of `tollgate serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    run: Run,
    /// Where to listen; as the flow says, or else 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

impl Serve {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Serve { run, listen } = self;
        let meters = Arc::<Meters>::default();
        let flow = run.flow.clone();
        run.run_with(Arc::clone(&meters), |stop| start(&flow, listen, (meters, stop)))
    }
}

/// Listens, before anything is processed: where that cannot be, nothing is.
fn start(
    flow: &Path,
    listen: Option<String>,
    run: (Arc<Meters>, Arc<AtomicBool>),
) -> Result<Server, CommandError> {
    let serving = flow::serving(flow).map_err(CommandError::Write)?;
    // What is served has a journal of its own beside that of the run.
    flow::wait_for_room(flow, PARTS, &run.1);
    let token = serving.token_file.as_deref().map(token).transpose()?;
    let refused = |error: ServedError| CommandError::Mistakes(crate::chain(&error));
    let served = Served::new(flow.to_path_buf(), (PARTS, &Scripts), run, token).map_err(refused)?;
    let link = served.first_link().map_err(refused)?;
    let server = ::serve::start(&listen.unwrap_or(serving.listen), served)
        .map_err(|error| CommandError::Mistakes(crate::chain(&error)))?;
    tracing::info!("listening on http://{}", server.address);
    if let Some(link) = link {
        // Who reads the log later is not to come in by it.
        eprintln!(
            "\nNobody can log in yet. Open this once, within a day, to become the administrator:\n\n  \
             http://{}/welcome#{link}\n",
            server.address
        );
    }
    Ok(server)
}

fn token(path: &Path) -> Result<String, CommandError> {
    let text = fs::read_to_string(path)
        .map_err(|cause| CommandError::Read { path: path.into(), cause })?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(CommandError::Mistakes(format!("\"{}\" is empty", path.display()))),
        token => Ok(token.to_owned()),
    }
}
