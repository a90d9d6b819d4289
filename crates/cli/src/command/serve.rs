//! `tollgate serve`: the gateway of `run`, and an HTTP server that says how it is.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ::serve::{Served, Server};
use flow::meters::Meters;

use super::run::Run;
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
        run.run_with(Arc::clone(&meters), || start(&flow, listen, meters))
    }
}

/// Listens, before anything is processed: where that cannot be, nothing is.
fn start(flow: &Path, listen: Option<String>, meters: Arc<Meters>) -> Result<Server, CommandError> {
    let serving = flow::serving(flow).map_err(CommandError::Write)?;
    let token = serving.token_file.as_deref().map(token).transpose()?;
    let served = Served::new(flow.to_path_buf(), meters, token);
    let server = ::serve::start(&listen.unwrap_or(serving.listen), served)
        .map_err(|error| CommandError::Mistakes(crate::chain(&error)))?;
    tracing::info!("listening on http://{}", server.address);
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
