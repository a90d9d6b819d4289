//! Tests that apply to every server of a receiver.

use std::fs;

use crate::deliveries::site::{FILES, Site, files};
use crate::servers::Kind;

pub(crate) fn files_arrive_as_in_a_folder_of_ones_own(kind: Kind) {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let expected = files(&plain.path("out/roaming"));
    assert_eq!(expected.len(), FILES);

    let site = Site::served(kind, "");
    let (status, said) = site.run();
    assert_eq!(status, 0, "{said}");
    assert_eq!(site.received(), expected);
    assert!(files(&site.path("flow.state/out/roaming-billing")).is_empty(), "nothing stays here");
    assert_eq!(files(&site.path("out/home")), files(&plain.path("out/home")));
    assert_eq!(site.tollgate("audit flow.toml").0, 0);
    assert_eq!(site.tollgate("deliveries list flow.toml"), (0, String::new()));
    let (_, all) = site.tollgate("deliveries list flow.toml --all --json");
    assert_eq!(
        all.lines().filter(|line| line.contains("\"state\":\"delivered\"")).count(),
        expected.len()
    );
    assert_eq!(site.run().0, 0);
    assert_eq!(site.received(), expected, "nothing comes again");
}

pub(crate) fn a_receiver_that_is_down_holds_up_nobody_and_gets_its_files_when_it_is_back(
    kind: Kind,
) {
    let mut site = Site::served(kind, "");
    let said_of_server = site.stop_server();
    let (status, said) = site.run();
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("could not connect to "), "{said}");
    assert!(said.contains("roaming-billing: 4 files wait to be delivered"), "{said}");
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    assert_eq!(
        files(&site.path("out/home")),
        files(&plain.path("out/home")),
        "the others have theirs"
    );
    let (status, alarms) = site.tollgate("alarms flow.toml");
    assert!(status == 1 && alarms.contains("major\tdelivery-failing\troaming-billing"), "{alarms}");
    let (_, waiting) = site.tollgate("deliveries list flow.toml");
    assert_eq!(waiting.matches("\twaiting\t").count(), FILES, "{waiting}");

    site.start_server(&said_of_server);
    let (status, said) = site.run();
    assert_eq!(status, 0, "{said}");
    assert_eq!(site.received(), files(&plain.path("out/roaming")));
    assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()));
}

pub(crate) fn a_file_with_other_contents_is_never_overwritten_and_one_with_the_same_is_taken_for_it(
    kind: Kind,
) {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let expected = files(&plain.path("out/roaming"));
    let site = Site::served(kind, "");
    let names: Vec<&String> = expected.keys().collect();
    let taken = site.received_in().join(names[0]);
    fs::write(&taken, "of another program").unwrap();
    fs::write(site.received_in().join(names[1]), &expected[names[1]]).unwrap();
    let (status, said) = site.run();
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains(&format!("a file \"{}\" with other contents exists", names[0])),
        "{said}"
    );
    assert_eq!(fs::read(&taken).unwrap(), b"of another program");
    assert_eq!(site.received()[names[1]], expected[names[1]]);
    let (status, alarms) = site.tollgate("alarms flow.toml");
    assert!(
        status == 1 && alarms.contains("delivery-given-up\troaming-billing: 1 file was given up"),
        "{alarms}"
    );
    let dead = files(&site.path("flow.state/dead/roaming-billing"));
    assert_eq!(dead.into_values().collect::<Vec<_>>(), [expected[names[0]].clone()]);
    let (status, listed) = site.tollgate("deliveries list flow.toml");
    assert!(status == 1 && listed.contains("given up\troaming-billing/"), "{listed}");

    fs::remove_file(&taken).unwrap();
    assert_eq!(site.tollgate("deliveries retry flow.toml --all"), (0, "1 file put back\n".into()));
    assert_eq!(site.run().0, 0);
    assert_eq!(site.received(), expected);
    assert!(files(&site.path("flow.state/dead/roaming-billing")).is_empty());
    assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()));
}

/// The line is cut after more and more octets, so that it breaks at each step of a delivery.
pub(crate) fn a_line_that_is_cut_anywhere_delivers_each_file_once(kind: Kind) {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let expected = files(&plain.path("out/roaming"));
    let site = Site::served(kind, "checksum = \"sha256\", order = true");
    let proxy = site.proxied();
    // A client that logs in with keys has sent more before the first file.
    let first = if matches!(kind, Kind::Asyncssh | Kind::OpenSsh) { 1_000 } else { 40 };
    let (mut at, mut cuts, mut runs) = (first, 0, 0);
    loop {
        proxy.cut_after(at);
        let (status, said) = site.run();
        runs += 1;
        assert!(runs < 100, "{said}");
        if status == 0 {
            break;
        }
        assert!(proxy.cuts() > cuts, "{said}");
        cuts = proxy.cuts();
        at += 350;
    }
    assert!(cuts >= 5, "{cuts} cuts");
    let mut received = site.received();
    received.retain(|name, _| !name.ends_with(".sha256"));
    assert_eq!(received, expected);
    assert_eq!(site.received().len(), 2 * expected.len());
    let hidden = fs::read_dir(site.received_in()).unwrap();
    assert_eq!(hidden.count(), 2 * expected.len(), "nothing is left under hidden names");
}

pub(crate) fn a_receiver_that_hangs_or_is_late_holds_up_nobody(kind: Kind) {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let site = Site::served(kind, "retry = { shortest = \"1 second\" }");
    let proxy = site.proxied();
    site.change("timeout = \"10 seconds\"", "timeout = \"1 second\"");
    proxy.hold(true);
    let gateway = site.start();
    site.wait_for("alarms flow.toml", |alarms| alarms.contains("no answer within 1 seconds"));
    assert_eq!(files(&site.path("out/home")), files(&plain.path("out/home")));
    // Changing the flow does not wait for it either.
    site.change(
        "name = \"{network-element}-{stem}.csv\"",
        "name = \"{network-element}-{stem}.text\"",
    );
    assert_eq!(site.tollgate("reload flow.toml").0, 0);
    proxy.hold(false);
    proxy.delay(20);
    site.change("timeout = \"1 second\"", "timeout = \"10 seconds\"");
    site.wait_for("deliveries list flow.toml", str::is_empty);
    site.wait_for("alarms flow.toml", str::is_empty);
    drop(gateway);
    assert_eq!(site.received(), files(&plain.path("out/roaming")));
}

/// Two receivers have the same server, and the line to one of them is very slow.
pub(crate) fn a_receiver_with_a_narrow_line_holds_up_no_other(kind: Kind) {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let site = Site::served(kind, "");
    let proxy = site.proxied();
    site.change("timeout = \"10 seconds\"", "timeout = \"10 minutes\"");
    fs::create_dir_all(site.lies("home")).unwrap();
    site.change("dir = \"out/home\"", &site.far("home"));
    proxy.limit(300);
    let gateway = site.start();
    let home = files(&plain.path("out/home"));
    site.wait_for("deliveries list flow.toml --all", |listed| {
        let delivered =
            |line: &&str| line.contains("\tdelivered\t") && line.contains("home-billing/");
        listed.lines().filter(delivered).count() == home.len()
    });
    let (_, waiting) = site.tollgate("deliveries list flow.toml");
    assert!(waiting.contains("\twaiting\t"), "it takes what comes, and is not done: {waiting}");
    assert_eq!(files(&site.lies("home")), home);
    proxy.limit(0);
    site.wait_for("deliveries list flow.toml", str::is_empty);
    assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()), "slow is not wrong");
    drop(gateway);
    assert_eq!(site.received(), files(&plain.path("out/roaming")));
    assert_eq!(files(&site.lies("home")), home, "nothing comes twice");
}

/// Returns the server's message that its disk is full.
fn full(kind: Kind) -> &'static str {
    match kind {
        Kind::Asyncssh | Kind::OpenSsh => "No space left on device",
        Kind::Ftp | Kind::Ftps => "426 ",
        Kind::Put | Kind::Post | Kind::Https => "507 Insufficient Storage",
        Kind::S3 => "507 Insufficient Storage: full",
    }
}

pub(crate) fn a_receiver_that_is_full_gets_its_files_when_it_has_room(kind: Kind) {
    let site = Site::served(kind, "");
    fs::write(site.path("served/full"), "").unwrap();
    let (status, said) = site.run();
    assert!(status == 1 && said.contains(full(kind)), "{said}");
    let (_, alarms) = site.tollgate("alarms flow.toml");
    assert!(alarms.contains("delivery-failing\troaming-billing"), "{alarms}");
    assert!(site.received().is_empty());
    fs::remove_file(site.path("served/full")).unwrap();
    assert_eq!(site.run().0, 0);
    assert_eq!(site.received().len(), FILES);
}

pub(crate) fn a_name_that_is_refused_is_given_up_at_once_and_holds_up_no_other(kind: Kind) {
    let site = Site::served(kind, "order = true");
    fs::write(site.path("served/refused"), "boston").unwrap();
    let (status, said) = site.run();
    assert!(status == 1 && said.contains("was given up: \""), "{said}");
    assert!(said.contains("msc-boston-"), "{said}");
    assert_eq!(site.received().len(), FILES / 2);
    fs::remove_file(site.path("served/refused")).unwrap();
    assert_eq!(site.tollgate("deliveries retry flow.toml --all").0, 0);
    assert_eq!(site.run().0, 0);
    assert_eq!(site.received().len(), FILES);
}

/// If a secret is required, a wrong one is used.
pub(crate) fn a_receiver_that_does_not_let_us_in_gets_its_files_when_it_does(kind: Kind) {
    let site = Site::served(kind, "");
    let password = site.path("served/password");
    let right = fs::read_to_string(&password).unwrap();
    fs::write(&password, "ganzfalsch").unwrap();
    let (status, said) = site.run();
    assert!(status == 1 && said.contains("roaming-billing: 4 files wait"), "{said}");
    assert!(!said.contains("ganzfalsch") && !said.contains(right.trim()), "{said}");
    assert!(site.received().is_empty());
    fs::write(&password, right).unwrap();
    assert_eq!(site.run().0, 0);
    assert_eq!(site.received().len(), FILES);
    assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()));
}
