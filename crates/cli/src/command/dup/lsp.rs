//! `tollgate dup lsp`: the language server for scripts, over standard input and output.
//!
//! One thread answers one message after the other: the analysis of a script takes milliseconds.

use gen_lsp_types::InitializeParams;
use lsp_server::{Connection, ErrorCode, Message, Response};

use crate::modules::ModuleArguments;
use crate::outcome::{CommandError, Outcome};
use crate::scripts::lsp::Server;

/// Arguments of `tollgate dup lsp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Accepted and without effect: some clients ask for standard input and output by it
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (connection, threads) = Connection::stdio();
        let outcome = serve(connection, self.modules);
        let foreign = |error| format!("cannot read what the client says: {error}");
        threads.join().map_err(|error| CommandError::Mistakes(foreign(error)))?;
        Ok(outcome)
    }
}

/// Answers a client until it sends `exit`. A client that disconnects, or never initializes, is a fault.
fn serve(connection: Connection, arguments: ModuleArguments) -> Outcome {
    let Ok((id, params)) = connection.initialize_start() else { return Outcome::Faults };
    let params: InitializeParams = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let code = ErrorCode::InvalidParams as i32;
            send(&connection, Response::new_err(id, code, error.to_string()));
            return Outcome::Faults;
        }
    };
    let mut server = Server::new(&params, arguments);
    send(&connection, Response::new_ok(id, server.introduction()));
    let mut shut_down = false;
    while let Ok(message) = connection.receiver.recv() {
        match message {
            Message::Request(request) if shut_down => {
                let message = "the server was shut down".to_owned();
                let code = ErrorCode::InvalidRequest as i32;
                send(&connection, Response::new_err(request.id, code, message));
            }
            Message::Request(request) if request.method == "shutdown" => {
                shut_down = true;
                send(&connection, Response::new_ok(request.id, ()));
            }
            Message::Request(request) => send(&connection, server.answer(request)),
            Message::Notification(notification) if notification.method == "exit" => {
                return if shut_down { Outcome::Clean } else { Outcome::Faults };
            }
            Message::Notification(notification) => server.take_note(notification),
            // The answer to the server's only request, which asks for notifications of changed files.
            Message::Response(_) => {}
        }
        // While the user types fast, only the last change is analysed.
        if connection.receiver.is_empty() {
            server.look_through();
        }
        server.outgoing().for_each(|message| send(&connection, message));
    }
    Outcome::Faults
}

/// Sends a message. An error is ignored: it means that the client is gone, and the loop ends at its next receive.
fn send(connection: &Connection, message: impl Into<Message>) {
    let _ = connection.sender.send(message.into());
}
