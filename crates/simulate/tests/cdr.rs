//! Walks every generated file TLV by TLV and counts its records by the rules of the example's scripts.

use std::fs;

use simulate::cdr::{self, Damaged, Expected, Options};

#[test]
fn the_same_seed_gives_the_same_octets() {
    let options = faulty();
    assert_eq!(octets(&options, 1), octets(&options, 1));
    assert_ne!(octets(&options, 1), octets(&options, 0));
    assert_ne!(octets(&options, 1), octets(&Options { seed: 2, ..faulty() }, 1));
}

#[test]
fn records_have_the_size_the_paper_gives() {
    let options = Options::default();
    let mut sizes = Vec::new();
    for number in 0..options.files {
        let octets = octets(&options, number);
        let mut at = 0;
        while at < octets.len() {
            sizes.push(3 + usize::from(octets[at + 2]));
            at += 3 + usize::from(octets[at + 2]);
        }
    }
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(*least >= 175 && *most <= 225, "{least} to {most} octets, mean {mean}");
    assert!((190..=210).contains(&mean), "mean {mean}");
}

#[test]
fn shares_are_those_asked_for() {
    let options = Options { count: 50_000, files: 2, ..faulty() };
    let all: Vec<Expected> = (0..2).map(|number| file(&options, number).1).collect();
    let share = |what: fn(&Expected) -> u64| all.iter().map(what).sum::<u64>() as f64 / 50_000.0;
    let near = |found: f64, asked: f64| {
        assert!((found - asked).abs() < 0.01, "{found}, asked for {asked}")
    };
    assert_eq!(share(|file| file.records), 1.0);
    near(share(|file| file.non_billable), 0.2 * 0.96);
    near(share(|file| file.roaming), 0.8 * 0.1 * 0.96);
    near(share(|file| file.unknown_extensions), 0.1 * 0.96);
    near(share(|file| file.damaged.overrun), 0.02);
    near(share(|file| file.damaged.flipped), 0.02);
}

#[test]
fn what_is_expected_of_a_file_is_in_it() {
    for seed in 0..20 {
        let options = Options { seed, ..faulty() };
        for number in 0..options.files {
            let (octets, expected) = file(&options, number);
            let counted = count(&octets, &expected);
            assert_eq!(counted, expected, "seed {seed}, file {number}");
            assert_eq!(expected.damaged.truncated, 1);
        }
    }
}

#[test]
fn files_lie_beside_what_is_expected_of_them() {
    let folder = std::env::temp_dir().join(format!("tollgate-simulate-{}", std::process::id()));
    let options = Options { count: 1000, files: 3, ..faulty() };
    let files = cdr::generate(&options, &folder).unwrap();
    let mut records = 0;
    for (number, file) in files.iter().enumerate() {
        assert_eq!(fs::read(&file.path).unwrap(), octets(&options, number as u32));
        let beside = format!("{}.expected.json", file.path.display());
        assert_eq!(fs::read_to_string(beside).unwrap(), file.expected.to_json());
        records += file.expected.records;
    }
    assert_eq!(records, 1000);
    assert!(files[1].path.ends_with("boston/boston-00002.ber"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_size_in_octets_is_reached_and_barely_passed() {
    let options = Options { bytes: Some(3_000_000), files: 1, ..Options::default() };
    let size = octets(&options, 0).len();
    assert!((3_000_000..3_000_300).contains(&size), "{size}");
}

#[test]
fn wrong_options_are_refused_in_words() {
    let message = |options: Options| octets_of(&options).unwrap_err().to_string();
    assert_eq!(
        message(Options { roaming: 1.5, ..Options::default() }),
        "the share \"roaming\" is 1.5; it lies between 0 and 1"
    );
    let mut options = Options::default();
    options.centres[0].version = 9;
    assert_eq!(message(options), "the centre \"new-york\" has version 9; there are 7 and 8");
}

fn faulty() -> Options {
    Options {
        count: 4000,
        overrun: 0.02,
        flipped: 0.02,
        truncated: 1.0,
        unknown_extensions: 0.1,
        ..Options::default()
    }
}

fn octets_of(options: &Options) -> Result<Vec<u8>, cdr::Error> {
    let mut octets = Vec::new();
    cdr::generate_in_memory(options, 0, &mut octets).map(|_| octets)
}

fn file(options: &Options, number: u32) -> (Vec<u8>, Expected) {
    let mut octets = Vec::new();
    let expected = cdr::generate_in_memory(options, number, &mut octets).unwrap();
    (octets, expected)
}

fn octets(options: &Options, number: u32) -> Vec<u8> {
    file(options, number).0
}

/// Counts a file as a gateway would, with nothing but X.690.
fn count(octets: &[u8], name: &Expected) -> Expected {
    let mut found = Expected {
        network_element: name.network_element.clone(),
        version: name.version,
        bytes: octets.len() as u64,
        ..Expected::default()
    };
    let mut at = 0;
    let mut damaged_before = true;
    while at < octets.len() {
        found.records += 1;
        let end = octets.get(at + 2).map(|length| at + 3 + usize::from(*length));
        let damage = match end.and_then(|end| octets.get(at + 3..end)) {
            None => Some(&mut found.damaged.truncated),
            Some(_) if octets[at] != 0x6A => Some(&mut found.damaged.flipped),
            Some(content) if !nested(content, true) => Some(&mut found.damaged.overrun),
            Some(content) => {
                count_sound(content, &mut found);
                None
            }
        };
        let end = end.unwrap_or(octets.len()).min(octets.len());
        if let Some(damage) = damage {
            *damage += 1;
            assert!(!damaged_before, "no two stand side by side, and none comes first");
            assert!(
                !octets[at + 1..end].contains(&0x6A),
                "none could be taken for another's start"
            );
            damaged_before = true;
        } else {
            damaged_before = false;
        }
        at = end;
    }
    assert!(found.damaged != Damaged::default());
    found
}

fn count_sound(content: &[u8], found: &mut Expected) {
    let number = |tag| {
        value(content, tag).unwrap().iter().fold(0, |sum, octet| sum << 8 | u64::from(*octet))
    };
    let seconds = number(0x8A);
    assert_eq!(number(0x81), u64::from(found.version));
    assert_eq!(value(content, 0x91).is_some(), found.version == 8);
    found.unknown_extensions += u64::from(value(content, 0xB9).is_some());
    let short_message = number(0x80) == 6;
    if !([0, 4].contains(&number(0x8B)) && (seconds > 0 || short_message)) {
        found.non_billable += 1;
        found.duration_seconds.non_billable += seconds;
        return;
    }
    found.billable += 1;
    let (records, sum) = match number(0x80) {
        2 => (&mut found.roaming, &mut found.duration_seconds.roaming),
        _ => (&mut found.home, &mut found.duration_seconds.home),
    };
    *records += 1;
    *sum += seconds;
}

/// Returns the content of the first element with this tag.
fn value(content: &[u8], tag: u8) -> Option<&[u8]> {
    let mut at = 0;
    while at < content.len() {
        let end = at + 2 + usize::from(content[at + 1]);
        if content[at] == tag {
            return Some(&content[at + 2..end]);
        }
        at = end;
    }
    None
}

/// Returns whether elements of one-octet tags and lengths fill the content exactly, at every level.
fn nested(content: &[u8], constructed: bool) -> bool {
    let mut at = 0;
    while constructed && at < content.len() {
        let Some(length) = content.get(at + 1) else { return false };
        let end = at + 2 + usize::from(*length);
        match content.get(at + 2..end) {
            Some(inner) if nested(inner, content[at] & 0x20 != 0) => at = end,
            _ => return false,
        }
    }
    true
}
