//! A PostgreSQL server of a test.

use std::ops::{Deref, DerefMut};

use accounts_postgres::{Config, Front};

/// A running server. Dropping it stops it.
pub(crate) struct Server(postgres_server::Server);

impl Deref for Server {
    type Target = postgres_server::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Server {
    /// Starts a server. `None` if PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts a server with settings of its own.
    pub(crate) fn start_with(settings: &[&str]) -> Option<Self> {
        let settings = [&["shared_buffers=64MB"], settings].concat();
        let server = postgres_server::Server::start(&settings).expect("a server");
        if server.is_none() {
            eprintln!("LEFT OUT: PostgreSQL is not installed, so accounts in it are not tested");
        }
        server.map(Server)
    }

    /// Returns the configuration of a connection to a database.
    pub(crate) fn config(&self, database: &str) -> Config {
        let mut config = Config::new();
        config.host_path(self.host()).user(self.user()).dbname(database);
        config
    }

    /// Opens the accounts.
    pub(crate) fn front(&self) -> Front {
        Front::open(self.config("postgres"), "").expect("the server answers")
    }

    /// Runs a statement as another program does.
    pub(crate) fn sql(&self, sql: &str) -> String {
        self.0.sql(sql).expect("a statement")
    }
}
