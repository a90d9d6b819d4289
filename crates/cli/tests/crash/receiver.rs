//! The system after the gateway, which takes files away and must see each of them once, and the files that it must have
//! in the end.
//!
//! The expected files come from an undisturbed run in a folder of its own. They are compared, octet for octet, with the
//! outputs that `opinion` derives from the inputs, which shares no code with the gateway, and with the simulator's
//! report of what it has put into the inputs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::common::elements::elements;
use crate::common::suspense;
use crate::crash::opinion::{Groups, Opinion, Prices};
use crate::crash::site::Site;

/// The contents of the files of a name, which consists of the folder's name and the file's. Records in suspense are
/// here too, as if each were a file of the name `SUSPENSE`.
type Files = BTreeMap<String, Vec<Vec<u8>>>;

const SUSPENSE: &str = "a record in suspense";

/// A part of the names of files of expired groups. How many of these groups go out together, and under which number,
/// depends on when the gateway looked for them; so each of their records is here as if it were a file.
const EXPIRED: &str = "~expired-";

/// A receiver that takes every file away as soon as it sees the file. Its files are in memory, so that no disk's
/// failure affects them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {
    files: Files,
    count: usize,
}

impl Receiver {
    /// Returns how many files the receiver has.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns how many records of expired groups the receiver has.
    pub(crate) fn expired(&self) -> usize {
        let expired = self.files.iter().filter(|(name, _)| name.ends_with(EXPIRED));
        expired.map(|(_, records)| records.len()).sum()
    }

    /// Takes all files that are there.
    pub(crate) fn take(&mut self, site: &Site) {
        for path in site.outputs() {
            let octets = fs::read(&path).unwrap();
            fs::remove_file(&path).unwrap();
            self.count += 1;
            let name = name(&path);
            match name.split_once(EXPIRED) {
                None => self.files.entry(name).or_default().push(octets),
                Some((of, _)) => {
                    let records = elements(&octets).into_iter().map(|at| octets[at].to_vec());
                    self.files.entry(format!("{of}{EXPIRED}")).or_default().extend(records);
                }
            }
        }
    }

    /// Takes the files that are there in the end, and reads the records in suspense.
    pub(crate) fn take_the_rest(&mut self, site: &Site) {
        self.take(site);
        let suspense = suspense(&site.folder).into_iter().map(String::into_bytes);
        self.files.insert(SUSPENSE.to_owned(), suspense.collect());
    }

    /// Takes all files that are there, so that no power cut brings them back.
    pub(crate) fn take_for_good(&mut self, site: &Site) {
        let before = self.count();
        self.take(site);
        if self.count() > before {
            let folders = site.output_folders().filter_map(|folder| File::open(folder).ok());
            folders.for_each(|folder| folder.sync_all().unwrap());
        }
    }

    /// Returns the same as if each record were a file, in whichever file it came.
    pub(crate) fn by_record(self) -> Self {
        Receiver { files: by_record(self.files), ..self }
    }

    /// Takes files while something else runs.
    pub(crate) fn beside<T: Send>(
        &mut self,
        site: &Site,
        take: fn(&mut Self, &Site),
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let work = scope.spawn(|| {
                let _over = Over(&over);
                work()
            });
            while !over.load(Ordering::Relaxed) {
                take(self, site);
                thread::sleep(Duration::from_millis(1));
            }
            work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// A flag that is set when this value is dropped.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The outputs that a site's inputs must have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted(Files);

impl Wanted {
    /// Determines the outputs of the inputs of a flow that has not run yet.
    pub(crate) fn of(site: &Site) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let other = site.copied(folder.path());
        let ended = other.run("run flow.toml --once --json");
        assert!(matches!(ended.status, Some(0 | 1)), "{}", ended.said);
        if !site.tells_duplicates() {
            agrees_with_the_simulator(&other, &serde_json::from_str(&ended.shown).unwrap());
        }
        let mut made = Receiver::default();
        made.take_the_rest(&other);
        agrees_with_another_opinion(site, &made.files);
        Wanted(made.files)
    }

    /// Returns the same as if each record were a file.
    pub(crate) fn by_record(self) -> Self {
        Wanted(by_record(self.0))
    }

    /// Adds more expected files, under other names or the same.
    pub(crate) fn and(&mut self, other: Wanted) {
        for (name, contents) in other.0 {
            self.0.entry(name).or_default().extend(contents);
        }
    }

    /// Returns the part that belongs to one input.
    pub(crate) fn of_input(&self, input: &Path) -> Self {
        let stem = input.file_stem().unwrap().to_string_lossy();
        let is_of_input = |name: &str, octets: &[u8]| match name {
            SUSPENSE => String::from_utf8_lossy(octets).contains(&*stem),
            name => name.contains(&*stem),
        };
        let mut of_input = self.clone();
        for (name, contents) in &mut of_input.0 {
            contents.retain(|octets| is_of_input(name, octets));
        }
        of_input
    }

    /// Forgets the files that were taken away; records in suspense stay there.
    pub(crate) fn keep_suspense(&mut self) {
        self.0.retain(|name, _| name == SUSPENSE);
    }

    /// Returns the files that a receiver has and should not have, and those that it lacks.
    pub(crate) fn differences(&self, receiver: &Receiver) -> Vec<String> {
        let (mut missing, mut differences) = (self.0.clone(), Vec::new());
        for (name, contents) in &receiver.files {
            let missing = missing.entry(name.clone()).or_default();
            for octets in contents {
                match missing.iter().position(|right| right == octets) {
                    Some(place) => drop(missing.swap_remove(place)),
                    None => differences.push(self.surplus(name, octets)),
                }
            }
        }
        let names = missing.iter().filter(|(_, contents)| !contents.is_empty());
        differences.extend(names.map(|(name, _)| format!("{name} is missing")));
        differences
    }

    fn surplus(&self, name: &str, octets: &Vec<u8>) -> String {
        match self.0.get(name) {
            None => format!("{name} should not be there"),
            Some(right) if right.contains(octets) => format!("{name} was delivered twice"),
            Some(_) => format!("{name} has {} octets that nobody undisturbed makes", octets.len()),
        }
    }

    /// Asserts that a receiver has all of the files, and each once.
    pub(crate) fn check(&self, receiver: &Receiver) {
        let differences = self.differences(receiver);
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

/// Returns the files that a receiver of a site has and should not have, and those that it lacks. Which of the two files
/// of a duplicate record is first is random.
pub(crate) fn differences(site: &Site, wanted: Wanted, receiver: Receiver) -> Vec<String> {
    match site.tells_duplicates() {
        true => wanted.by_record().differences(&receiver.by_record()),
        false => wanted.differences(&receiver),
    }
}

/// Returns files as if each of their records were one, under the name of their folder alone.
fn by_record(files: Files) -> Files {
    let mut by_record = Files::new();
    for (name, contents) in files {
        let Some((folder, _)) = name.split_once('/') else {
            by_record.insert(name, contents.into_iter().map(of_any_file).collect());
            continue;
        };
        let records = by_record.entry(folder.to_owned()).or_default();
        for octets in contents {
            match folder {
                // Each file has a header line before its records.
                "statistics" => {
                    let lines = octets.split_inclusive(|octet| *octet == b'\n');
                    records.extend(lines.skip(1).map(Vec::from));
                }
                _ => records.extend(elements(&octets).into_iter().map(|at| octets[at].to_vec())),
            }
        }
    }
    by_record
}

/// Returns only the record of a duplicate in suspense: in which file it came second is random.
fn of_any_file(suspended: Vec<u8>) -> Vec<u8> {
    let record: Value = serde_json::from_slice(&suspended).unwrap();
    match record["why"] == "duplicate" {
        true => record["octets"].to_string().into_bytes(),
        false => suspended,
    }
}

/// Returns the folder's name and the file's.
fn name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap();
    format!("{}/{}", folder.to_string_lossy(), path.file_name().unwrap().to_string_lossy())
}

/// Compares the outputs of a site's inputs with those that are derived from their octets.
fn agrees_with_another_opinion(site: &Site, files: &Files) {
    let (mut wanted, mut damaged) = (Files::new(), Vec::new());
    let mut groups: BTreeMap<String, Groups> = BTreeMap::new();
    let mut prices: BTreeMap<String, Prices> = BTreeMap::new();
    for input in site.inputs_in_order() {
        let centre = input.parent().and_then(Path::file_name).unwrap().to_string_lossy();
        let name = input.file_name().unwrap().to_string_lossy().into_owned();
        let octets = fs::read(&input).unwrap();
        let opinion = Opinion::of(&octets);
        let bundles =
            site.makes_bundles().then(|| groups.entry(centre.clone().into()).or_default());
        let priced = site.has_prices().then(|| prices.entry(centre.clone().into()).or_default());
        let outputs = [
            ("home", "ber", opinion.home),
            ("roaming", "ber", opinion.roaming),
            ("statistics", "csv", opinion.statistics),
            ("bundles", "ber", bundles.and_then(|groups| groups.take(&octets))),
            ("bundles", "csv", priced.and_then(|prices| prices.take(&octets))),
        ];
        for (folder, ending, octets) in outputs {
            let stem = name.trim_end_matches(".ber");
            let output = format!("{folder}/msc-{centre}-{stem}.{ending}");
            wanted.extend(octets.map(|octets| (output, vec![octets])));
        }
        damaged.extend(opinion.damaged.into_iter().map(|at| (name.clone(), at)));
    }
    for (centre, Groups { expired, .. }) in groups {
        if !expired.is_empty() {
            wanted.insert(format!("bundles/msc-{centre}-{centre}{EXPIRED}"), expired);
        }
    }
    let made = files.iter().filter(|(name, _)| *name != SUSPENSE);
    let mut made: Files = made.map(|(name, contents)| (name.clone(), contents.clone())).collect();
    if site.tells_duplicates() {
        (wanted, made) = (by_record(wanted), by_record(made));
    }
    // Groups expire in any order.
    wanted.values_mut().chain(made.values_mut()).for_each(|contents| contents.sort());
    if site.tells_duplicates() {
        // Each record came in two files.
        let once = |records: &mut Vec<_>| *records = records.iter().step_by(2).cloned().collect();
        wanted.values_mut().for_each(once);
    }
    for name in wanted.keys().chain(made.keys()) {
        assert_eq!(wanted.contains_key(name), made.contains_key(name), "whether there is {name}");
        assert!(wanted[name] == made[name], "{name} has other octets than it should have");
    }
    let suspended = files[SUSPENSE].iter().filter_map(|line| {
        let record: Value = serde_json::from_slice(line).unwrap();
        let place = (record["file"].as_str().unwrap().to_owned(), record["offset"].as_u64()?);
        (record["why"] == "suspended").then_some(place)
    });
    let mut suspended: Vec<_> = suspended.collect();
    suspended.sort();
    damaged.sort();
    assert_eq!(suspended, damaged, "the records in suspense");
}

/// Compares the account with the report of the simulator.
fn agrees_with_the_simulator(site: &Site, report: &Value) {
    let count = |of: &Value, key: &str| of[key].as_u64().unwrap_or_default();
    let files = report["files"].as_array().unwrap();
    assert!(!files.is_empty());
    for file in files {
        let (element, name) = (file["network_element"].as_str().unwrap(), file["file"].as_str());
        let centre = element.trim_start_matches("msc-");
        let expected = site.path(&format!("in/{centre}/{}.expected.json", name.unwrap()));
        let expected: Value = serde_json::from_slice(&fs::read(expected).unwrap()).unwrap();
        let (stem, _) = name.unwrap().rsplit_once('.').unwrap();
        let records_of = |system: &str| -> u64 {
            let of_file = |output: &&Value| {
                let made = output["file"].as_str().unwrap().rsplit_once('.').unwrap().0;
                made == format!("{element}-{stem}") && output["post_processing_system"] == system
            };
            let outputs = report["outputs"].as_array().unwrap().iter().filter(of_file);
            outputs.map(|output| count(output, "records")).sum()
        };
        let found = [
            count(file, "records"),
            count(file, "suspended"),
            records_of("home-billing"),
            records_of("roaming-billing"),
            records_of("statistics"),
        ];
        let wanted = ["records", "damaged", "home", "roaming", "non_billable"];
        assert_eq!(found, wanted.map(|key| count(&expected, key)), "{element}/{}", name.unwrap());
    }
}
