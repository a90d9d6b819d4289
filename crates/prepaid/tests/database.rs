//! All that holds for a charging system holds with its accounts in a database, too: the tests of this program are run again
//! with one.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use postgres_server::Server;
use prepaid::calls::{
    ApproveRequest, Authority, Call as _, CheckBooks, Clerk, ImportSubscribers, NewSubscriber,
    OpenAccount, RejectRequest, ShowAccount, ShowCharging,
};
use prepaid::records::Records;
use prepaid::{PhaseName, Refused};

use crate::set_up::{ANNA, SetUp, ask, call, open, request, seconds, shown};

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
    tests.env(HOST, server.host()).args(["--test-threads", "4"]);
    tests.args(LEFT_OUT.iter().flat_map(|of| ["--skip", of]));
    let done = tests.output().expect("the tests");
    let output = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{output}{}", String::from_utf8_lossy(&done.stderr));
    assert!(output.contains("test requests::"), "tests were run: {output}");
}

#[test]
fn a_process_without_a_folder_leaves_sessions_to_the_one_that_records_them() {
    let set_up = SetUp::defined("[records]\nfolder = \"out\"\n");
    let Some(other) = set_up.another() else { return };
    let (one, two) = (set_up.with("100"), other.system());
    let (mut of_one, mut of_two) = (Records::new(&one), Records::new(&two));
    assert_eq!(of_one.step(one.now_ms()).unwrap(), 0);
    let mut last = request(PhaseName::Final, 1);
    last.legs[0].used = seconds(10);
    ask(&two, vec![request(PhaseName::First, 0), last]);
    let later = one.now_ms() + 3_600_000;
    assert_eq!(of_two.step(later).unwrap(), 0);
    assert_eq!(of_one.step(later).unwrap(), 1, "the session is there");
}

#[test]
fn subscribers_that_two_processes_import_at_once_are_there_once() {
    let set_up = SetUp::new();
    let Some(other) = set_up.another() else { return };
    let systems = [set_up.system(), other.system()];
    for part in 0..10_u64 {
        let numbers = 46_701_000_000 + part * 300..46_701_000_000 + (part + 1) * 300;
        let subscribers: Vec<NewSubscriber> = numbers
            .map(|number| NewSubscriber {
                number: number.to_string(),
                amount: "10".to_owned(),
                subscriber_type: String::new(),
                line: None,
            })
            .collect();
        let import = |system| {
            call(system, ImportSubscribers { subscribers: subscribers.clone(), only_check: false })
        };
        let [one, two] = thread::scope(|scope| {
            let imports = systems.each_ref().map(|system| scope.spawn(move || import(system)));
            imports.map(|import| import.join().unwrap())
        });
        assert_eq!((one.opened + two.opened, one.there + two.there), (300, 300), "{one:?} {two:?}");
    }
    let figures = call(&systems[0], ShowCharging {});
    assert_eq!((figures.accounts, figures.numbers), (3_000, 3_000));
    let checked = call(&systems[0], CheckBooks {});
    assert_eq!(checked.faults, Vec::<String>::new());
    let found = call(&systems[1], ShowAccount { account: "46701000000".to_owned() });
    assert_eq!(found.balances[0].amount, "10.00");
}

#[test]
fn what_one_process_did_is_what_another_one_shows() {
    let set_up = SetUp::defined("[approval]\nabove = \"50\"\n");
    let Some(other) = set_up.another() else { return };
    let (one, two) = (set_up.with("10"), other.system());
    open(&two, "46700000002", "5");
    assert_eq!((shown(&one).balances, shown(&one).account), (shown(&two).balances, 1));
    let person = |system, who| Clerk { system, who, authority: Authority::Person };
    let refill = prepaid::calls::RefillAccount {
        account: ANNA.to_owned(),
        amount: "60".to_owned(),
        reference: "p-2".to_owned(),
        because: String::new(),
    };
    let asked = refill.perform(&person(&one, "anna"));
    let Err(Refused::ApprovalNeeded { request, .. }) = asked else { panic!("{asked:?}") };
    call(&two, RejectRequest { request, because: "no".to_owned() });
    let approve = ApproveRequest { request, because: "yes".to_owned() };
    let gone = approve.perform(&person(&one, "bert")).unwrap_err();
    assert_eq!(gone, Refused::RequestUnknown { request });
    assert_eq!(shown(&two).balances[0].amount, "10.00");
}

#[test]
fn a_number_that_two_processes_give_away_in_one_moment_is_taken() {
    let set_up = SetUp::new();
    let Some(other) = set_up.another() else { return };
    let systems = [set_up.system(), other.system()];
    for round in 0..20 {
        let number = format!("4670{round:07}");
        let opens = |system| {
            let numbers = vec![format!("+{number}")];
            let open = OpenAccount { numbers, standing: None, credit_limit: None };
            open.perform(&Clerk { system, who: "anna", authority: Authority::Person })
        };
        let opened = thread::scope(|scope| {
            let opening = systems.each_ref().map(|system| scope.spawn(|| opens(system)));
            opening.map(|opening| opening.join().unwrap())
        });
        let taken = Err(Refused::NumberTaken { number: number.clone() });
        let refused = opened.iter().filter(|of| of.is_err()).count();
        assert!(refused == 1 && opened.contains(&taken), "{opened:?}");
    }
}
