//! All that holds for a charging system holds with its accounts in a database, too: the tests of this program are run again
//! with one.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres_server::Server;

/// The variable with the folder of the server's socket, for tests with a database.
const HOST: &str = "TOLLGATE_TEST_POSTGRES_HOST";

/// What is about files of the state, which a database has not.
const LEFT_OUT: [&str; 2] = ["million::", "definition::"];

/// Creates a database for a test, if this test is run with one. Returns its address.
pub(crate) fn new_database() -> Option<String> {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let host = std::env::var(HOST).ok()?;
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let name = format!("test_{}_{number}", std::process::id());
    let created = Command::new("createdb").args(["-U", "tollgate", "-h", &host, &name]).status();
    assert!(created.is_ok_and(|created| created.success()), "a database");
    Some(format!("host={host} user=tollgate dbname={name}"))
}

#[test]
fn all_of_this_holds_with_accounts_in_a_database() {
    if std::env::var(HOST).is_ok() {
        return;
    }
    let settings = ["shared_buffers=64MB", "max_connections=400", "fsync=off"];
    let Some(server) = Server::start(&settings).expect("a server") else {
        eprintln!("LEFT OUT: PostgreSQL is not installed, so accounts in it are not tested");
        return;
    };
    let mut tests = Command::new(std::env::current_exe().expect("this program"));
    tests.env(HOST, server.host()).args(["--test-threads", "4", "--skip", module_path!()]);
    tests.args(LEFT_OUT.iter().flat_map(|of| ["--skip", of]));
    let done = tests.output().expect("the tests");
    let output = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{output}{}", String::from_utf8_lossy(&done.stderr));
    assert!(output.contains("test requests::"), "tests were run: {output}");
}
