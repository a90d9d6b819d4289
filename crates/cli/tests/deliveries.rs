//! Tests the delivery of files to receivers by SFTP and into folders: each file arrives once, whatever obstructs it.

pub(crate) mod any;
pub(crate) mod proxy;
pub(crate) mod site;

use std::fs;
use std::io::Read as _;

use crate::servers::Kind;
use site::{FILES, Site, files};

fn sorted(octets: impl Iterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let mut octets: Vec<_> = octets.collect();
    octets.sort();
    octets
}

#[test]
fn files_arrive_by_asyncssh_as_in_a_folder_of_ones_own() {
    any::files_arrive_as_in_a_folder_of_ones_own(Kind::Asyncssh);
}

#[test]
fn files_arrive_by_openssh_as_in_a_folder_of_ones_own() {
    any::files_arrive_as_in_a_folder_of_ones_own(Kind::OpenSsh);
}

#[test]
fn files_arrive_where_processes_make_them() {
    let site = Site::served(Kind::Asyncssh, "");
    let (status, said) = site.tollgate("run flow.toml --once --processes 2");
    assert_eq!(status, 0, "{said}");
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    assert_eq!(site.received(), files(&plain.path("out/roaming")));
}

#[test]
fn a_file_is_compressed_and_has_one_beside_it_that_says_what_it_is() {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    for (how, ending) in [("gzip", ".gz"), ("zstd", ".zst")] {
        let options =
            format!("compress = \"{how}\", checksum = \"sha256\", keep = \"1 day\", at-once = 3");
        let site = Site::served(Kind::Asyncssh, &options);
        let (status, said) = site.run();
        assert_eq!(status, 0, "{said}");
        let received = site.received();
        let expected = files(&plain.path("out/roaming"));
        assert_eq!(received.len(), 2 * expected.len());
        for (name, octets) in &expected {
            let sent = &received[&format!("{name}{ending}")];
            let mut unpacked = Vec::new();
            match how {
                "gzip" => {
                    flate2::read::GzDecoder::new(&**sent).read_to_end(&mut unpacked).unwrap();
                }
                _ => unpacked = zstd::decode_all(&**sent).unwrap(),
            }
            assert!(unpacked == *octets, "{name}");
            let traced = site.tollgate(&format!("trace flow.toml --output {name} --record 1")).1;
            assert!(traced.contains(&format!("(delivered as {name}{ending})")), "{traced}");
        }
        let checked = std::process::Command::new("sha256sum")
            .args(["--check", "--strict", "--quiet"])
            .args(received.keys().filter(|name| name.ends_with(".sha256")))
            .current_dir(site.received_in())
            .output()
            .unwrap();
        assert!(checked.status.success(), "{checked:?}");
        let kept = files(&site.path("flow.state/sent/roaming-billing"));
        assert_eq!(sorted(kept.into_values()), sorted(expected.into_values()), "what is kept");
    }
}

#[test]
fn what_cannot_be_delivered_for_too_long_is_given_up_and_put_back_by_hand() {
    let options =
        "retry = { shortest = \"1 second\", longest = \"1 second\", give-up = \"1 second\" }";
    let mut site = Site::served(Kind::Asyncssh, options);
    let said = site.stop_server();
    let gateway = site.start();
    site.wait_for("deliveries list flow.toml", |listed| {
        listed.matches("\tgiven up\t").count() == FILES
    });
    let (_, alarms) = site.tollgate("alarms flow.toml");
    assert!(
        alarms.contains("delivery-given-up\troaming-billing: 4 files were given up"),
        "{alarms}"
    );
    assert!(!alarms.contains("delivery-failing"), "nothing is tried any more: {alarms}");
    // The code of a file that was given up is that of its last try.
    let by_code =
        |code: &str| site.tollgate(&format!("deliveries list flow.toml --json --code {code}")).1;
    let listed = by_code("remote-unreachable");
    assert_eq!(listed.lines().count(), FILES, "{listed}");
    for line in listed.lines() {
        let delivery: serde_json::Value = serde_json::from_str(line).unwrap();
        let values = delivery["values"].as_array().unwrap();
        let names: Vec<&str> = values.iter().map(|value| value["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["seconds", "place", "cause"], "{line}");
        let problem = delivery["problem"].as_str().unwrap();
        assert!(
            problem.starts_with("it could not be delivered for 1 seconds: could not"),
            "{line}"
        );
        assert!(values.iter().all(|value| problem.contains(value["value"].as_str().unwrap())));
    }
    assert_eq!(by_code("remote-exists"), "");
    site.start_server(&said);
    assert_eq!(site.tollgate("deliveries retry flow.toml --receiver roaming-billing").0, 0);
    assert_eq!(site.tollgate("deliveries retry flow.toml --all").0, 1, "nothing is left");
    let (_, trail) = site.tollgate("trail flow.toml");
    assert_eq!(trail.matches("deliveries retry").count(), 1, "{trail}");
    assert_eq!(trail.matches("roaming-billing/").count(), FILES, "each file is named: {trail}");
    site.wait_for("deliveries list flow.toml", str::is_empty);
    let (_, listed) = site.tollgate("deliveries list flow.toml --all --json");
    assert_eq!(
        listed.matches("\"code\":\"\"").count(),
        FILES,
        "what arrived has no error: {listed}"
    );
    drop(gateway);
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    assert_eq!(site.received(), files(&plain.path("out/roaming")));
}

#[test]
fn a_file_whose_name_was_refused_is_not_taken_for_delivered_when_it_is_gone() {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    for reason in ["SFTPPermissionDenied", "SFTPFailure", "swept"] {
        let site = Site::served(Kind::Asyncssh, "");
        fs::write(site.path("served/unnamed"), reason).unwrap();
        let (status, said) = site.run();
        assert_eq!(status, 1, "{reason}: {said}");
        // The receiver removes files that do not have their final names.
        for left in fs::read_dir(site.received_in()).unwrap() {
            fs::remove_file(left.unwrap().path()).unwrap();
        }
        fs::remove_file(site.path("served/unnamed")).unwrap();
        assert_eq!(site.tollgate("deliveries retry flow.toml --all").0, 1, "none is given up");
        // The gateway delivers the files that it finds missing once more.
        let (_, said) = site.run();
        let (status, again) = site.run();
        assert_eq!(status, 0, "{reason}: {said}{again}");
        assert_eq!(site.received(), files(&plain.path("out/roaming")), "{reason}: {said}{again}");
        assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()), "{reason}");
    }
}

#[test]
fn a_file_is_put_under_the_temporary_name_that_the_receiver_wants() {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let expected = files(&plain.path("out/roaming"));
    for (kind, temporary) in [
        (Kind::Asyncssh, "{name}.tmp"),
        (Kind::Asyncssh, "tmp/work/{name}"),
        (Kind::Ftp, "tmp/{name}.part"),
    ] {
        let site = Site::served(kind, &format!("temporary = \"{temporary}\""));
        let (status, said) = site.run();
        assert_eq!(status, 0, "{kind:?} {temporary}: {said}");
        assert_eq!(site.received(), expected, "{kind:?} {temporary}");
        let left = fs::read_dir(site.received_in().join("tmp")).into_iter().flatten();
        let left = left.filter(|entry| entry.as_ref().unwrap().path().is_file());
        assert_eq!(left.count(), 0, "{kind:?} {temporary}");
    }
    let site = Site::delivering("dir = \"out/roaming\", temporary = \"../{name}\"");
    let (status, said) = site.tollgate("check flow.toml");
    assert!(status != 0 && said.contains("is not a pattern for temporary names"), "{said}");
    let site = Site::delivering("url = \"http://127.0.0.1:1/\", temporary = \"{name}.tmp\"");
    let (status, said) = site.tollgate("check flow.toml");
    assert!(status != 0 && said.contains("files have no temporary name there"), "{said}");
}

#[test]
fn a_right_that_is_missing_is_waited_for_and_no_file_is_given_up() {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let site = Site::served(Kind::Asyncssh, "");
    fs::write(site.path("served/withheld"), ".part").unwrap();
    let (status, said) = site.run();
    assert!(status == 1 && said.contains("SSH_FX_PERMISSION_DENIED"), "{said}");
    let (_, listed) = site.tollgate("deliveries list flow.toml");
    assert_eq!(listed.matches("\twaiting\t").count(), FILES, "{listed}");
    let (_, alarms) = site.tollgate("alarms flow.toml");
    assert!(alarms.contains("delivery-failing") && alarms.contains("it is withheld"), "{alarms}");
    fs::remove_file(site.path("served/withheld")).unwrap();
    let (status, said) = site.run();
    assert_eq!(status, 0, "{said}");
    assert_eq!(site.received(), files(&plain.path("out/roaming")));
}

#[test]
fn files_that_wait_for_a_receiver_that_the_flow_does_not_have_are_an_alarm() {
    let mut site = Site::served(Kind::Asyncssh, "");
    let said = site.stop_server();
    let gateway = site.start();
    site.wait_for("alarms flow.toml", |alarms| alarms.contains("delivery-failing"));
    site.change("[post-processing-system.roaming-billing]", "[post-processing-system.partner]");
    site.wait_for("alarms flow.toml", |alarms| {
        alarms.contains(
            "deliveries-orphaned\troaming-billing: 4 files wait, but the flow no longer delivers",
        ) && !alarms.contains("delivery-failing")
    });
    drop(gateway);
    site.change("[post-processing-system.partner]", "[post-processing-system.roaming-billing]");
    site.start_server(&said);
    let (status, said) = site.run();
    assert_eq!(status, 0, "{said}");
    assert_eq!(site.received().len(), FILES);
    assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()));
}

#[test]
fn what_was_given_up_and_nobody_wants_any_more_is_discarded_for_a_reason() {
    let options =
        "retry = { shortest = \"1 second\", longest = \"1 second\", give-up = \"1 second\" }";
    let mut site = Site::served(Kind::Asyncssh, options);
    site.stop_server();
    let _gateway = site.start();
    site.wait_for("deliveries list flow.toml", |listed| {
        listed.matches("\tgiven up\t").count() == FILES
    });
    let (_, listed) = site.tollgate("deliveries list flow.toml");
    let named = listed.split_once("roaming-billing/").expect("a file").1;
    let name = named.split('\t').next().expect("its name");
    let trace = format!("trace flow.toml --output {name} --record 1");
    assert!(site.tollgate(&trace).1.contains("(given up)"), "{:?}", site.tollgate(&trace));
    for what in ["list flow.toml", "retry flow.toml", "discard flow.toml --because unwanted"] {
        let (status, said) = site.tollgate(&format!("deliveries {what} --receiver roaming"));
        let unknown = "there is no post-processing system \"roaming\"";
        assert!(status == 2 && said.contains(unknown), "{what}: {said}");
    }
    let (status, _) = site.tollgate("deliveries discard flow.toml --because unwanted");
    assert_eq!(status, 2, "nobody says which");
    let discard = "deliveries discard flow.toml --receiver roaming-billing --because unwanted";
    assert_eq!(site.tollgate(discard), (0, format!("{FILES} files discarded\n")));
    assert_eq!(site.tollgate("deliveries list flow.toml"), (0, String::new()));
    assert!(!site.tollgate("alarms flow.toml").1.contains("delivery-given-up"));
    let (_, listed) = site.tollgate("deliveries list flow.toml --all");
    assert_eq!(listed.matches("\tdiscarded\t").count(), FILES, "{listed}");
    assert!(site.tollgate(&trace).1.contains("(discarded)"), "{:?}", site.tollgate(&trace));
    let nothing = (1, "0 files put back\n".into());
    assert_eq!(site.tollgate("deliveries retry flow.toml --all"), nothing);
    assert_eq!(files(&site.path("flow.state/dead/roaming-billing")).len(), FILES, "they stay");
    let (_, trail) = site.tollgate("trail flow.toml");
    assert!(trail.contains("deliveries discard") && trail.contains("unwanted"), "{trail}");
}

#[test]
fn a_receiver_says_that_it_has_a_file_and_where_it_does_not_an_alarm_does() {
    let options = "acknowledgement = \".ack\", within = \"1 second\"";
    let site = Site::served(Kind::Asyncssh, options);
    let gateway = site.start();
    site.wait_for("alarms flow.toml", |alarms| {
        alarms.contains(
            "delivery-unacknowledged\troaming-billing: 4 files were not acknowledged in time",
        )
    });
    assert_eq!(files(&site.path("out/home")).len(), FILES, "the others wait for nothing");
    let received = site.received();
    let kept = files(&site.path("flow.state/out/roaming-billing"));
    assert_eq!(kept, received, "what is not acknowledged is kept");
    for name in received.keys() {
        fs::write(site.received_in().join(format!("{name}.ack")), "").unwrap();
    }
    site.wait_for("deliveries list flow.toml", str::is_empty);
    site.wait_for("alarms flow.toml", str::is_empty);
    drop(gateway);
    assert_eq!(site.received(), received, "the receiver's word is taken away");
    assert!(files(&site.path("flow.state/out/roaming-billing")).is_empty());
}

#[test]
fn what_waits_for_a_word_that_nobody_is_asked_for_any_more_is_delivered() {
    let acknowledged = ", acknowledgement = \".ack\", within = \"1 second\"";
    for site in [Site::new(&format!("order = true{acknowledged}")), Site::new(&acknowledged[2..])] {
        let gateway = site.start();
        site.wait_for("alarms flow.toml", |alarms| alarms.contains("delivery-unacknowledged"));
        drop(gateway);
        let (_, waiting) = site.tollgate("deliveries list flow.toml");
        assert_eq!(waiting.matches("\tunacknowledged\t").count(), FILES, "{waiting}");
        let received = files(&site.path("out/roaming"));
        site.change(acknowledged, "");
        assert_eq!(site.run().0, 0);
        assert_eq!(site.tollgate("deliveries list flow.toml"), (0, String::new()));
        assert_eq!(site.tollgate("alarms flow.toml"), (0, String::new()));
        assert!(files(&site.path("flow.state/out/roaming-billing")).is_empty());
        assert_eq!(files(&site.path("out/roaming")), received, "nothing comes again");
    }
}

/// Returns the files of the requests to a receiver over HTTP, in order.
fn put(site: &Site) -> Vec<String> {
    let asked = fs::read_to_string(site.path("served/asked")).unwrap_or_default();
    let put = asked.lines().filter(|line| line.starts_with("PUT "));
    put.map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn a_checksum_that_is_not_taken_is_tried_again_without_its_file() {
    for more in ["", ", acknowledgement = \".ack\""] {
        let site = Site::served(Kind::Https, &format!("checksum = \"sha256\"{more}"));
        // The first file is accepted, and its checksum file is not.
        fs::write(site.path("served/answers"), "\n503").unwrap();
        let (status, said) = site.run();
        assert!(status == 1 && said.contains("503 Service Unavailable"), "{said}");
        // A receiver that takes files away as they arrive would get it twice.
        let taken = site.received_in().join(put(&site)[0].rsplit('/').next().unwrap());
        fs::remove_file(&taken).unwrap();
        let (status, said) = site.run();
        assert_eq!(status, 0, "{said}");
        let mut files = put(&site);
        files.retain(|name| !name.ends_with(".sha256"));
        files.sort();
        files.dedup();
        assert_eq!(files.len(), FILES);
        assert_eq!(put(&site).len(), 2 * FILES + 1, "only the checksum came again");
        assert!(!taken.exists());
    }
}

#[test]
fn who_asked_to_be_left_alone_is_left_alone_by_a_gateway_that_starts_again() {
    let site =
        Site::served(Kind::Https, "retry.shortest = \"1 second\", retry.longest = \"1 second\"");
    fs::write(site.path("served/answers"), "429|Retry-After: 600").unwrap();
    let gateway = site.start();
    site.wait_for("deliveries list flow.toml", |list| list.contains("429 Too Many Requests"));
    drop(gateway);
    let [asked] = &put(&site)[..] else { panic!("{:?}", put(&site)) };
    let asked = asked.clone();
    let _gateway = site.start();
    site.wait_for("deliveries list flow.toml", |list| list.matches("\twaiting\t").count() == 1);
    assert_eq!(site.received().len(), FILES - 1);
    let again = put(&site).into_iter().filter(|name| *name == asked).count();
    assert_eq!(again, 1, "{:?}", put(&site));
}

#[test]
fn what_an_earlier_file_was_acknowledged_by_does_not_acknowledge_another_of_its_name() {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    for kind in [Kind::Https, Kind::S3] {
        let options = "acknowledgement = \".ack\", within = \"1 second\"";
        let site = Site::served(kind, options);
        for name in files(&plain.path("out/roaming")).keys() {
            fs::write(site.received_in().join(format!("{name}.ack")), "of an earlier one").unwrap();
        }
        let _gateway = site.start();
        site.wait_for("alarms flow.toml", |alarms| {
            alarms.contains("4 files were not acknowledged")
        });
        assert_eq!(site.received(), files(&plain.path("out/roaming")));
        for name in site.received().keys() {
            fs::write(site.received_in().join(format!("{name}.ack")), "").unwrap();
        }
        site.wait_for("deliveries list flow.toml", str::is_empty);
    }
}

#[test]
fn what_is_not_acknowledged_in_time_is_told_also_while_the_receiver_is_down() {
    let options = "acknowledgement = \".ack\", within = \"5 seconds\"";
    let mut site = Site::served(Kind::Asyncssh, options);
    assert_eq!(site.run().0, 0);
    let (_, waiting) = site.tollgate("deliveries list flow.toml");
    assert_eq!(waiting.matches("\tunacknowledged\t").count(), FILES, "{waiting}");
    site.stop_server();
    let _gateway = site.start();
    site.wait_for("alarms flow.toml", |alarms| alarms.contains("4 files were not acknowledged"));
}

#[test]
fn files_that_keep_their_order_wait_for_the_one_that_cannot_be_delivered() {
    let site = Site::served(Kind::Asyncssh, "order = true");
    // No folder can be made where a file is.
    let folder = site.received_in();
    fs::remove_dir(&folder).unwrap();
    let (status, said) = site.run();
    assert!(status == 1 && said.contains("/in is not there"), "{said}");
    let (_, listed) = site.tollgate("deliveries list flow.toml --json");
    let failures: Vec<bool> = listed.lines().map(|line| line.contains("\"failures\":1")).collect();
    assert_eq!(failures, [true, false, false, false], "{listed}");
    fs::create_dir(&folder).unwrap();
    assert_eq!(site.run().0, 0);
    assert_eq!(site.received().len(), FILES);
}

#[test]
fn a_receiver_that_is_down_holds_up_nobody_and_gets_its_files_when_it_is_back() {
    any::a_receiver_that_is_down_holds_up_nobody_and_gets_its_files_when_it_is_back(Kind::Asyncssh);
}

#[test]
fn a_file_with_other_contents_is_never_overwritten_and_one_with_the_same_is_taken_for_it() {
    any::a_file_with_other_contents_is_never_overwritten_and_one_with_the_same_is_taken_for_it(
        Kind::OpenSsh,
    );
}

#[test]
fn a_line_that_is_cut_anywhere_delivers_each_file_once() {
    any::a_line_that_is_cut_anywhere_delivers_each_file_once(Kind::Asyncssh);
}

#[test]
fn a_receiver_that_hangs_or_is_late_holds_up_nobody() {
    any::a_receiver_that_hangs_or_is_late_holds_up_nobody(Kind::Asyncssh);
}

#[test]
fn a_receiver_with_a_narrow_line_holds_up_no_other() {
    any::a_receiver_with_a_narrow_line_holds_up_no_other(Kind::Asyncssh);
}

#[test]
fn a_receiver_that_is_full_gets_its_files_when_it_has_room() {
    any::a_receiver_that_is_full_gets_its_files_when_it_has_room(Kind::Asyncssh);
}

#[test]
fn a_name_that_is_refused_is_given_up_at_once_and_holds_up_no_other() {
    any::a_name_that_is_refused_is_given_up_at_once_and_holds_up_no_other(Kind::Asyncssh);
}

#[test]
fn a_receiver_that_does_not_let_us_in_gets_its_files_when_it_does() {
    any::a_receiver_that_does_not_let_us_in_gets_its_files_when_it_does(Kind::Asyncssh);
}

#[test]
fn a_folder_here_is_a_receiver_like_any_other() {
    let plain = Site::new("");
    assert_eq!(plain.run().0, 0);
    let site = Site::new("checksum = \"sha256\"");
    let (status, said) = site.run();
    assert_eq!(status, 0, "{said}");
    let mut received = files(&site.path("out/roaming"));
    received.retain(|name, _| !name.ends_with(".sha256"));
    assert_eq!(received, files(&plain.path("out/roaming")));
}

#[test]
fn mistakes_in_a_road_are_told_where_they_are_and_no_secret_is_shown() {
    let known = "host-key = \"SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE\"";
    for (deliver, said) in [
        ("dir = \"out\", url = \"sftp://a@b/\"", "\"dir\" and \"url\" exclude each other"),
        ("limit = \"1 GB\"", "\"deliver\" has no \"dir\""),
        ("url = \"stfp://a@b/\"", "known here: sftp"),
        ("url = \"sftp://a:offensichtlich@b/\"", "an address cannot contain a password"),
        (
            &format!("url = \"sftp://a@b/\", password = \"offensichtlich\", {known}"),
            "a password does not stand in a flow file",
        ),
        ("dir = \"out\", at-once = 100", "no more than 32 are under way at once"),
        (
            "dir = \"out\", at-once = 2, order = true",
            "files that keep their order go one after the other",
        ),
        ("dir = \"out\", within = \"1 hour\"", "\"within\" needs \"acknowledgement\""),
        (
            "dir = \"out\", acknowledgement = \"a/b\"",
            "is the ending of a file name, without slashes",
        ),
        ("dir = \"out\", compress = \"zip\"", "did you mean \"gzip\"?"),
        ("dir = \"out\", retry = { shortest = \"1 hour\" }", "it is longer than \"longest\""),
        ("dir = \"out\", retry = { first = \"1 hour\" }", "no key is named \"first\""),
        ("dir = \"out\", retry = \"1 hour\"", "\"retry\" is a table"),
    ] {
        let site = Site::delivering(deliver);
        let (status, found) = site.tollgate("check flow.toml");
        assert!(status != 0 && found.contains(said), "{deliver}: {found}");
        assert!(!found.contains("offensichtlich"), "{found}");
    }
}
