//! A language server for scripts: it answers the Language Server Protocol 3.17, for an editor on this machine (`dup lsp`)
//! and for the one in the browser. `dup::analysis` analyses the scripts.

mod answers;
mod documents;
mod hover;
mod naming;
mod positions;
mod project;
mod refusal;
mod requests;
mod server;

pub(crate) use server::Server;
