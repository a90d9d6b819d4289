//! Networks in which frauds happen: the same each time, and as their module says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use simulate::TRUTH;
use simulate::population::{Options, TYPES, generate, write_flow};
use tempfile::TempDir;

use crate::codec::{count, load};

fn small() -> Options {
    Options { subscribers: 150, ..Options::default() }
}

/// Returns the files of a population, each with its octets.
fn files(options: &Options) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = TempDir::new().unwrap();
    generate(options, folder.path()).unwrap();
    let mut files = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut files);
    files
}

fn collect(root: &Path, folder: &Path, to: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(root, &path, to),
            false => {
                let name = path.strip_prefix(root).unwrap().to_owned();
                to.insert(name, fs::read(&path).unwrap());
            }
        }
    }
}

/// A row of the truth.
struct Row {
    fraud: u32,
    of: String,
    from: u64,
    to: u64,
}

fn truth(files: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<Row> {
    let text = String::from_utf8(files[Path::new(TRUTH)].clone()).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("fraud,type,subject,key,from,to"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let [fraud, of, _, _, from, to] = cells[..] else { panic!("{line}") };
        let (fraud, of) = (fraud.parse().unwrap(), of.to_owned());
        Row { fraud, of, from: from.parse().unwrap(), to: to.parse().unwrap() }
    };
    lines.map(row).collect()
}

#[test]
fn the_same_options_give_the_same_octets() {
    let one = files(&small());
    assert!(one == files(&small()));
    let other = files(&Options { seed: 2, ..small() });
    assert!(one.keys().any(|name| one.get(name) != other.get(name)));
}

#[test]
fn octets_never_change_between_releases() {
    let files = files(&Options { subscribers: 100, each: 1, ..Options::default() });
    let sum = files.values().flatten().fold(0_u64, |sum, octet| {
        sum.wrapping_mul(0x100_0000_01B3).wrapping_add(u64::from(*octet))
    });
    assert_eq!(
        (files.len(), sum),
        (500, 11_103_812_072_425_442_560),
        "a change of the simulation needs a new sum here"
    );
}

#[test]
fn each_record_is_one_of_the_module() {
    let (plan, ty) = load(&["fraud-population/asn1/population.asn1"], "Population.Event");
    let options = small();
    let folder = TempDir::new().unwrap();
    let generated = generate(&options, folder.path()).unwrap();
    let mut files = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut files);
    let counts = files
        .iter()
        .filter(|(name, _)| name.extension().is_some_and(|extension| extension == "ber"))
        .map(|(_, octets)| count(&plan, ty, octets));
    let (sound, damaged) = counts.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    assert_eq!((sound, damaged), (generated.events, 0));
}

#[test]
fn each_type_happens_so_many_times_in_the_second_half() {
    let options = Options { each: 3, days: 4, ..small() };
    let rows = truth(&files(&options));
    let mut frauds: BTreeMap<u32, &Row> = BTreeMap::new();
    let half = options.start_second + 2 * 86_400;
    for row in &rows {
        assert!(row.from >= half && row.from < row.to && row.to <= half + 2 * 86_400, "{}", row.of);
        let first = frauds.entry(row.fraud).or_insert(row);
        assert_eq!((&first.of, first.from), (&row.of, row.from));
    }
    for of in TYPES {
        assert_eq!(frauds.values().filter(|row| row.of == of).count(), 3, "{of}");
    }
    assert_eq!(frauds.len(), 39);
}

#[test]
fn as_many_frauds_as_there_may_be_find_their_victims() {
    for subscribers in [Options::SUBSCRIBERS_MIN, 1_000] {
        let each = Options::each_max(subscribers);
        let options = Options { subscribers, each, days: 30, ..Options::default() };
        let rows = truth(&files(&options));
        assert_eq!(rows.iter().map(|row| row.fraud).max(), Some(13 * each));
    }
}

#[test]
fn without_frauds_the_truth_is_empty() {
    assert!(truth(&files(&Options { each: 0, ..small() })).is_empty());
}

#[test]
fn each_network_element_has_files_in_the_order_of_time() {
    let files = files(&small());
    let names: Vec<&str> =
        files.keys().filter_map(|name| name.to_str()?.strip_prefix("in/")).collect();
    for element in ["switch", "message-centre", "provisioning", "roaming-partner"] {
        let of = names.iter().filter(|name| name.ends_with(&format!("-{element}.ber")));
        assert!(of.count() > 20, "{element}");
    }
    let number = |name: &&str| name.split('-').next().and_then(|of| of.parse::<u32>().ok());
    assert!(names.iter().map(number).is_sorted_by_key(Option::unwrap), "{names:?}");
}

#[test]
fn the_list_of_the_example_is_that_of_its_population() {
    let folder = TempDir::new().unwrap();
    write_flow(folder.path()).unwrap();
    let list = folder.path().join("lists/call-centres.csv");
    let written = fs::read_to_string(&list).unwrap();
    generate(&Options::default(), folder.path()).unwrap();
    assert_eq!(fs::read_to_string(&list).unwrap(), written);
}
