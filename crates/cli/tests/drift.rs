//! Tests that unusual contents of a network element's files are found in the first file that has them, and that nothing
//! else is reported.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use simulate::cdr::{Centre, Options, generate};
use tempfile::TempDir;

/// Hours after which the usual figures of each hour of the week are known.
const LEARNED: u32 = 4 * 7 * 24;

/// A switching centre with the files of some weeks in its folder, one for each hour.
struct Site {
    folder: TempDir,
    /// When the first file began.
    began: SystemTime,
    files: u32,
}

impl Site {
    /// Creates a site whose first file is `hours` hours old: the hour in which the test runs is not over.
    fn new(settings: &str, hours: u32) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let began = (now / 3600 - u64::from(hours)) * 3600;
        let began = SystemTime::UNIX_EPOCH + Duration::from_secs(began);
        let site = Site { folder: TempDir::new().unwrap(), began, files: 0 };
        assert!(site.tollgate("init .").0 == 0);
        for name in ["boston", "new-york"] {
            fs::remove_dir_all(site.path("in").join(name)).unwrap();
            fs::create_dir(site.path("in").join(name)).unwrap();
        }
        let flow = site.path("flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        fs::write(flow, format!("{text}\n{settings}")).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tollgate(&self, line: &str) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let output =
            command.current_dir(self.folder.path()).args(line.split(' ')).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(said).unwrap())
    }

    /// Adds the file of the next hour.
    fn file(&mut self, options: &Options) {
        let hour = self.files;
        self.files += 1;
        let made = TempDir::new_in(self.folder.path()).unwrap();
        let options = Options { files: 1, seed: hour.into(), ..options.clone() };
        let made = generate(&options, made.path()).unwrap().remove(0).path;
        let there = self.path("in/boston").join(format!("boston-{hour:05}.ber"));
        let written = self.began + Duration::from_secs(u64::from(hour) * 3600 + 1);
        File::options().write(true).open(&made).unwrap().set_modified(written).unwrap();
        fs::rename(made, there).unwrap();
    }

    /// Adds the usual files of `hours` hours.
    fn usual(&mut self, hours: u32) {
        for _ in 0..hours {
            self.file(&usual(self.files));
        }
    }

    /// Returns all alarms that were ever raised, as kind, subject and text.
    fn alarms(&self) -> Vec<[String; 3]> {
        let (_, all) = self.tollgate("alarms flow.toml --all --json");
        let of = |line: &str| {
            let alarm: Value = serde_json::from_str(line).unwrap();
            ["kind", "subject", "text"].map(|key| alarm[key].as_str().unwrap().to_owned())
        };
        all.lines().map(of).collect()
    }
}

/// Returns the usual calls: more by day than by night, fewer on Sundays; some are damaged, and some have an extension.
fn usual(hour: u32) -> Options {
    let by_day = if (8..20).contains(&(hour % 24)) { 60 } else { 20 };
    let count = if hour % 168 >= 144 { by_day / 2 } else { by_day };
    Options {
        // Random variation.
        count: u64::from(count + hour * 7 % 5),
        centres: vec![Centre { name: "boston".into(), version: 7 }],
        flipped: 0.02,
        ..Options::default()
    }
}

const WATCHED: &str = "[network-element.msc-boston.drift]\nlearn = \"7 days\"\n";

/// The settings of numbered files.
const NUMBERED: &str = "[network-element.msc-boston.file-sequence]\nname = \"boston-{number:5}.ber\"\n\
                        first = 0\nlast = 99999\n";

#[test]
fn weeks_that_are_as_they_always_are_raise_nothing() {
    let mut site = Site::new(&format!("{WATCHED}{NUMBERED}"), LEARNED + 7 * 24);
    site.usual(LEARNED + 7 * 24);
    site.tollgate("run flow.toml --once");
    let alarms = site.alarms();
    assert!(alarms.is_empty(), "{alarms:?}");
    let count = fs::read_dir(site.path("in/boston")).unwrap();
    let done = count.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        Path::new(&name).extension().is_some_and(|extension| extension == "done")
    });
    assert_eq!(done.count() as u32, LEARNED + 7 * 24);
}

#[test]
fn each_fault_is_an_alarm_with_the_first_file_that_has_it() {
    let eight = || vec![Centre { name: "boston".into(), version: 8 }];
    let at = LEARNED + 12;
    let usual = usual(at);
    let version = Options { centres: eight(), ..usual.clone() };
    for (what, fault, kind, subject, sample) in [
        (
            "an extension",
            Options { unknown_extensions: 0.1, ..usual.clone() },
            "drift-new",
            "msc-boston tag [25]",
            "came for the first time, with \"boston-00684.ber\", in record ",
        ),
        (
            "another version",
            version,
            "drift-new",
            "msc-boston CallDataRecord.radioTechnology",
            "in record 1 at octet 0; ",
        ),
        (
            "no location",
            Options { without_location: 1.0, ..usual.clone() },
            "drift-vanished",
            "msc-boston CallDataRecord.location",
            "is in none of the ",
        ),
        (
            "many calls",
            Options { count: 600, ..usual.clone() },
            "drift-volume",
            "msc-boston",
            "600 records came from ",
        ),
        (
            "few calls",
            Options { count: 1, flipped: 0.0, ..usual.clone() },
            "drift-volume",
            "msc-boston",
            "1 records came in the hour from ",
        ),
        (
            "damage",
            Options { flipped: 1.0, ..usual.clone() },
            "drift-rejects",
            "msc-boston",
            "records of \"boston-00684.ber\" were set aside",
        ),
    ] {
        // Missing records are only noticed when the hour is over.
        let later = u32::from(what == "few calls") * 2;
        let mut site = Site::new(WATCHED, at + later);
        site.usual(at);
        if later == 0 {
            site.tollgate("run flow.toml --once");
            assert_eq!(site.alarms(), Vec::<[String; 3]>::new(), "{what}: before");
        }
        site.file(&fault);
        site.usual(later / 2);
        site.tollgate("run flow.toml --once");
        let alarms = site.alarms();
        let of = |alarm: &&[String; 3]| alarm[0] == kind && alarm[1] == subject;
        let found = alarms.iter().find(of).unwrap_or_else(|| panic!("{what}: {alarms:?}"));
        assert!(found[2].contains(sample), "{what}: {}", found[2]);
        let kinds: std::collections::BTreeSet<&str> =
            alarms.iter().map(|alarm| alarm[0].as_str()).collect();
        let too_many = (what == "damage").then_some("records-suspended");
        assert_eq!(kinds, [kind].into_iter().chain(too_many).collect(), "{what}: {alarms:?}");
    }
}

#[test]
fn a_file_that_is_missing_or_comes_again_is_an_alarm_and_no_drift() {
    for (what, kind, sample) in
        [("missing", "sequence-gap", "00024"), ("again", "sequence-repeat", "boston-00023.ber")]
    {
        let mut site = Site::new(&format!("{WATCHED}{NUMBERED}"), 26);
        site.usual(24);
        site.tollgate("run flow.toml --once");
        assert_eq!(site.alarms(), Vec::<[String; 3]>::new(), "{what}: before");
        // The receivers have taken their files.
        fs::remove_dir_all(site.path("out")).unwrap();
        match what {
            "missing" => {
                site.files += 1;
                site.usual(1);
            }
            // The same name with other records.
            _ => {
                site.files -= 1;
                let usual = usual(23);
                site.file(&Options { count: usual.count + 1, ..usual });
            }
        }
        site.tollgate("run flow.toml --once");
        let alarms = site.alarms();
        let kinds: Vec<&str> = alarms.iter().map(|alarm| alarm[0].as_str()).collect();
        assert_eq!(kinds, [kind], "{what}: {alarms:?}");
        assert!(alarms[0][2].contains(sample.trim_start_matches('0')), "{what}: {alarms:?}");
    }
}

/// Creates a network element with JSON files, one for each hour.
fn events(module: &str, drift: &str) -> Site {
    events_in("json", module, drift)
}

/// Does the same in another codec; no script of the flow reads the records.
fn events_in(codec: &str, module: &str, drift: &str) -> Site {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("in")).unwrap();
    let module = format!("Events DEFINITIONS AUTOMATIC TAGS ::= BEGIN {module} END");
    fs::write(path("events.asn1"), module).unwrap();
    let flow = format!(
        "[asn1]\nmodules = [\"events.asn1\"]\n[network-element.boston]\n\
         collect = {{ dir = \"in\", pattern = \"*.{codec}\" }}\n\
         decode = {{ type = \"Events.Event\", codec = \"{codec}\" }}\n\
         drift = {{ learn = \"1 hour\"{drift} }}\n\
         [post-processing-system.all]\nfrom = \"boston\"\nencode = {{ codec = \"{codec}\" }}\n\
         deliver = {{ dir = \"out\" }}\n"
    );
    fs::write(path("flow.toml"), flow).unwrap();
    Site { folder, began: SystemTime::now() - Duration::from_secs(26 * 3600), files: 0 }
}

impl Site {
    /// Adds the file of the next hour, with records made from their numbers, which no two files have in common.
    fn event_file(&mut self, record: impl Fn(u32) -> String) {
        let name = self.path(&format!("in/{:02}.json", self.files));
        fs::write(&name, self.event_lines(record)).unwrap();
        self.written(&name);
    }

    /// Adds the same file in BER, by a module.
    fn event_file_of(&mut self, module: &str, record: impl Fn(u32) -> String) {
        fs::write(self.path("event.json"), self.event_lines(record)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        let line = format!("asn1 encode -m {module} -t Events.Event event.json");
        let output = command.current_dir(self.folder.path()).args(line.split(' ')).output();
        let name = self.path(&format!("in/{:02}.ber", self.files));
        fs::write(&name, output.unwrap().stdout).unwrap();
        assert!(name.metadata().unwrap().len() > 0, "it is encoded");
        self.written(&name);
    }

    fn event_lines(&self, record: impl Fn(u32) -> String) -> String {
        (0..40).map(|number| record(self.files * 100 + number) + "\n").collect()
    }

    fn written(&mut self, name: &Path) {
        let hour = self.files;
        self.files += 1;
        let written = self.began + Duration::from_secs(u64::from(hour) * 3600);
        File::options().write(true).open(name).unwrap().set_modified(written).unwrap();
    }
}

#[test]
fn a_type_of_records_that_never_came_is_an_alarm_with_the_first_that_has_it() {
    let module = "Event ::= CHOICE { call Call, message Message }
        Call ::= SEQUENCE { seconds INTEGER }
        Message ::= SEQUENCE { letters INTEGER }";
    let mut site = events(module, "");
    let call = |number: u32| format!("{{\"call\":{{\"seconds\":{number}}}}}");
    (0..24).for_each(|_| site.event_file(call));
    site.tollgate("run flow.toml --once");
    assert_eq!(site.alarms(), Vec::<[String; 3]>::new());
    site.event_file(|number| match number % 100 {
        20 => "{\"message\":{\"letters\":7}}".into(),
        _ => call(number),
    });
    site.tollgate("run flow.toml --once");
    let alarms = site.alarms();
    let new = ["drift-new", "boston type message"];
    let of = |alarm: &&[String; 3]| alarm[..2] == new;
    let text = &alarms.iter().find(of).unwrap_or_else(|| panic!("{alarms:?}"))[2];
    assert!(text.contains("with \"24.json\", in record 21 at octet "), "{text}");
    assert!(alarms.iter().all(|alarm| alarm[0] == "drift-new"), "{alarms:?}");
}

#[test]
fn what_is_new_or_gone_within_components_and_their_lists_is_an_alarm_as_deep_as_is_asked() {
    let module = "Event ::= SEQUENCE { seconds INTEGER, services SEQUENCE OF Service, place Place, lists Lists OPTIONAL }
        Lists ::= SEQUENCE OF Lists
        Service ::= SEQUENCE { code INTEGER, fee INTEGER OPTIONAL }
        Place ::= CHOICE { cell Cell, area INTEGER }
        Cell ::= SEQUENCE { number INTEGER, sector INTEGER OPTIONAL }";
    let event = |number: u32, fee: &str, sector: &str| {
        format!(
            "{{\"seconds\":{number},\"services\":[{{\"code\":1}},{{\"code\":2{fee}}}],\
             \"place\":{{\"cell\":{{\"number\":3{sector}}}}}}}"
        )
    };
    for (codec, drift, deep) in [
        ("json", "", true),
        ("ber", "", true),
        ("ber", ", depth = 3", true),
        ("json", ", depth = 1", false),
        ("ber", ", depth = 1", false),
    ] {
        let mut site = events_in(codec, module, drift);
        let file = |site: &mut Site, event: &dyn Fn(u32) -> String| match codec {
            "ber" => site.event_file_of("events.asn1", event),
            _ => site.event_file(event),
        };
        (0..24).for_each(|_| file(&mut site, &|number| event(number, "", ",\"sector\":1")));
        let (status, said) = site.tollgate("run flow.toml --once");
        assert_eq!(status, 0, "{said}");
        assert_eq!(site.alarms(), Vec::<[String; 3]>::new());
        file(&mut site, &|number| {
            event(number, if number % 100 == 3 { ",\"fee\":5" } else { "" }, "")
        });
        site.tollgate("run flow.toml --once");
        let mut alarms = site.alarms();
        alarms.sort();
        let found: Vec<&[String]> = alarms.iter().map(|alarm| &alarm[..2]).collect();
        if !deep {
            assert!(found.is_empty(), "{found:?}");
            continue;
        }
        let new = ["drift-new", "boston Event.services.fee"];
        assert_eq!(found, [&new[..], &["drift-vanished", "boston Event.place.cell.sector"]]);
        let text = &alarms[0][2];
        let there = format!("with \"24.{codec}\", in record 4 at octet ");
        assert!(text.contains(&there), "{text}");
        assert!(
            text.contains(" of the 34 \"Event.services\" that were looked at have it"),
            "{text}"
        );
        let gone = format!("is in none of the 17 \"Event.place.cell\" of \"24.{codec}\"");
        assert!(alarms[1][2].contains(&gone), "{alarms:?}");
    }
    let flow = events(module, ", depth = 17");
    assert!(flow.tollgate("check flow.toml").1.contains("no deeper than 16 is looked"));
}

/// The first 16 records of each type in a file are looked into, and no more of the 20, though each record is of another
/// type than the one before.
#[test]
fn types_of_records_that_take_turns_are_looked_into_by_their_own_number() {
    let module = "Event ::= CHOICE { call Call, message Call }
        Call ::= SEQUENCE { place Place }
        Place ::= SEQUENCE { cell INTEGER, sector INTEGER OPTIONAL }";
    let mut site = events_in("ber", module, "");
    let event = |number: u32, sector: &str| {
        let kind = if number.is_multiple_of(2) { "call" } else { "message" };
        format!("{{\"{kind}\":{{\"place\":{{\"cell\":{number}{sector}}}}}}}")
    };
    (0..24).for_each(|_| {
        site.event_file_of("events.asn1", |number| event(number, ",\"sector\":1"));
    });
    site.tollgate("run flow.toml --once");
    site.event_file_of("events.asn1", |number| event(number, ""));
    site.tollgate("run flow.toml --once");
    let mut alarms = site.alarms();
    alarms.sort();
    let found: Vec<&[String]> = alarms.iter().map(|alarm| &alarm[..2]).collect();
    let gone = ["call", "message"]
        .map(|of| ["drift-vanished".into(), format!("boston {of}.place.sector")]);
    assert_eq!(found, gone);
    for (alarm, of) in alarms.iter().zip(["call", "message"]) {
        let none = format!("is in none of the 16 \"{of}.place\" of \"24.ber\"");
        assert!(alarm[2].contains(&none), "{alarms:?}");
    }
}

#[test]
fn a_tag_that_the_module_does_not_know_is_found_within_components_that_nobody_else_looks_into() {
    let module = |more: &str| {
        format!(
            "Event ::= SEQUENCE {{ seconds INTEGER, services SEQUENCE OF Service }}
             Service ::= SEQUENCE {{ code INTEGER, fee INTEGER OPTIONAL, ...{more} }}"
        )
    };
    let mut site = events_in("ber", &module(""), "");
    let new = format!(
        "Events DEFINITIONS AUTOMATIC TAGS ::= BEGIN {} END",
        module(", tip INTEGER OPTIONAL")
    );
    fs::write(site.path("new.asn1"), new).unwrap();
    let event = |number: u32, tip: &str| {
        format!("{{\"seconds\":{number},\"services\":[{{\"code\":1}},{{\"code\":2{tip}}}]}}")
    };
    (0..24).for_each(|_| site.event_file_of("new.asn1", |number| event(number, "")));
    site.tollgate("run flow.toml --once");
    assert_eq!(site.alarms(), Vec::<[String; 3]>::new());
    site.event_file_of("new.asn1", |number| {
        event(number, if number % 100 < 2 { "" } else { ",\"tip\":9" })
    });
    let (status, said) = site.tollgate("run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    let alarms = site.alarms();
    let found: Vec<&[String]> = alarms.iter().map(|alarm| &alarm[..2]).collect();
    assert_eq!(found, [["drift-new", "boston tag [2] within"]]);
    assert!(alarms[0][2].contains("with \"24.ber\", in record 3 at octet "), "{alarms:?}");
}

#[test]
fn an_element_that_is_not_watched_any_more_has_no_alarms() {
    let mut site = Site::new(&WATCHED.replace("7 days", "1 hour"), 24);
    site.usual(24);
    site.tollgate("run flow.toml --once");
    site.file(&Options { unknown_extensions: 1.0, ..usual(24) });
    site.tollgate("run flow.toml --once");
    assert!(site.tollgate("alarms").1.contains("tag [25]"), "{:?}", site.alarms());
    let flow = site.path("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    let (before, _) = text.split_once("[network-element.msc-boston.drift]").unwrap();
    fs::write(flow, before).unwrap();
    site.tollgate("run flow.toml --once");
    assert_eq!(site.tollgate("alarms"), (0, String::new()));
}
