//! What accounts in PostgreSQL are compared with: a ledger in SQL, tuned by hand, of which each request is a few numbers. It
//! knows no keys, no balances but one, and no answer that comes again.

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Statement};

use crate::error::BenchError;

/// The sessions at a time.
const SESSIONS: u64 = 200_000;

/// A connection to the ledger in SQL.
pub(super) struct Hand {
    runtime: Runtime,
    client: Client,
    many: Statement,
    single: Statement,
    accounts: u64,
    /// The number of the next request.
    next: u64,
}

impl Hand {
    /// Creates the ledger, with accounts.
    pub(super) fn open(config: &Config, accounts: u64) -> Result<Self, BenchError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (client, many, single) = runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(include_str!("hand.sql")).await?;
            let insert = "INSERT INTO hand_account
                          SELECT id, 1000000000000, 0 FROM generate_series(0::bigint, $1::bigint - 1) AS id";
            client.execute(insert, &[&accounts.cast_signed()]).await?;
            client.batch_execute("VACUUM ANALYZE").await?;
            let many = client.prepare("SELECT hand_many($1, $2, $3, $4, $5)").await?;
            let single = client.prepare("SELECT hand_single($1, $2, $3, $4, $5)").await?;
            Ok::<_, BenchError>((client, many, single))
        })?;
        Ok(Hand { runtime, client, many, single, accounts, next: 0 })
    }

    /// Returns the session and the account of the next request: spread as calls are (Knuth, "The Art of Computer
    /// Programming" 6.4).
    fn next(&mut self) -> (i64, i64) {
        self.next += 1;
        let spread = self.next.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((spread % SESSIONS).cast_signed(), (spread % self.accounts).cast_signed())
    }

    /// Does requests, many in a call.
    pub(super) fn many(&mut self, requests: u64, batch: usize) -> Result<(), BenchError> {
        for _ in 0..requests.div_ceil(batch as u64) {
            let mut of: Vec<(i64, i64)> = (0..batch).map(|_| self.next()).collect();
            // A statement cannot change a row twice.
            of.sort_unstable();
            of.dedup_by_key(|of| of.0);
            let (sessions, accounts): (Vec<i64>, Vec<i64>) = of.into_iter().unzip();
            let (used, wanted) = (vec![900_i64; sessions.len()], vec![1_000_i64; sessions.len()]);
            let values: [&(dyn ToSql + Sync); 5] = [&sessions, &accounts, &1_i32, &used, &wanted];
            self.runtime.block_on(self.client.query(&self.many, &values))?;
        }
        Ok(())
    }

    /// Does requests, each in a transaction of its own.
    pub(super) fn single(&mut self, requests: u64) -> Result<(), BenchError> {
        for _ in 0..requests {
            let (session, account) = self.next();
            let number = i32::try_from(self.next % (1 << 30)).expect("it is small");
            let values: [&(dyn ToSql + Sync); 5] =
                [&session, &account, &number, &900_i64, &1_000_i64];
            self.runtime.block_on(self.client.query(&self.single, &values))?;
        }
        Ok(())
    }

    /// Vacuums all tables.
    pub(super) fn vacuum(&self) -> Result<(), BenchError> {
        Ok(self.runtime.block_on(self.client.batch_execute("VACUUM ANALYZE"))?)
    }
}
