//! Tests of files of performance measurements: from files to records, scripts, suspense and what people see.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use simulate::Random;
use simulate::measurements::BaseStation;
use tempfile::TempDir;

use crate::common::tollgate::tollgate;

const FLOW: &str = r#"
[asn1]
modules = ["cell.asn1"]

[network-element.gnb]
collect = { dir = "in", compression = "auto" }
decode  = { codec = "measurements" }

[filter.isSound]
from   = "gnb"
script = "is_sound.dup"

[formatter.cell]
from   = "isSound"
script = "cell.dup"

[post-processing-system.all]
from    = "gnb"
encode  = { type = "Measurements.Measurement", codec = "json" }
deliver = { dir = "out/all", name = "{file}.json" }

[post-processing-system.cells]
from    = "cell"
encode  = { type = "Cells.Cell", codec = "csv" }
deliver = { dir = "out/cells", name = "{file}.csv" }
"#;

const MODULE: &str = "Cells DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Cell ::= SEQUENCE { object UTF8String, end GeneralizedTime OPTIONAL, attempts INTEGER OPTIONAL, busiest INTEGER OPTIONAL }
END";

const IS_SOUND: &str = "BOOLEAN isSound(m CONST Measurement) { return !m.suspect; }";

const CELL: &str = r#"
NULL cell(m CONST Measurement, out Cell)
{
  declare i, j, most INTEGER := 0;
  out.object := m.object;
  if (present(m.end)) { out.end := m.end; }
  for (i := 0; i < count(m.counters); i += 1) {
    if (m.counters[i].name == "attempts" && present(m.counters[i].value.integer)) {
      out.attempts := m.counters[i].value.integer;
    }
    if (m.counters[i].name == "load" && present(m.counters[i].value.list)) {
      most := 0;
      for (j := 0; j < count(m.counters[i].value.list); j += 1) {
        if (present(m.counters[i].value.list[j].integer)) { most := max(most, m.counters[i].value.list[j].integer); }
      }
      out.busiest := most;
    }
  }
}
"#;

const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<measCollecFile xmlns="http://www.3gpp.org/ftp/specs/archive/32_series/32.435#measCollec">
  <fileHeader fileFormatVersion="32.435 V10.0" vendorName="Example" dnPrefix="SubNetwork=North">
    <fileSender localDn="gnb-7" elementType="RadioNode"/>
    <measCollec beginTime="2026-03-01T14:00:00+01:00"/>
  </fileHeader>
  <measData>
    <managedElement localDn="gnb-7" swVersion="R44B17"/>
    <measInfo measInfoId="cells">
      <job jobId="nr_all"/>
      <granPeriod duration="PT900S" endTime="2026-03-01T14:15:00+01:00"/>
      <measType p="1">attempts</measType>
      <measType p="2">load</measType>
      <measValue measObjLdn="NRCellDU=1"><r p="1">345</r><r p="2">1,7, ,3</r></measValue>
      <measValue measObjLdn="NRCellDU=2"><r p="1"> </r><r p="2"> , </r></measValue>
      <measValue measObjLdn="NRCellDU=3"><r p="1">9</r><suspect>true</suspect></measValue>
    </measInfo>
  </measData>
  <fileFooter><measCollec endTime="2026-03-01T14:15:00+01:00"/></fileFooter>
</measCollecFile>
"#;

/// Creates a flow with these files.
fn site(flow: &str, files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let texts = [
        ("flow.toml", flow),
        ("cell.asn1", MODULE),
        ("is_sound.dup", IS_SOUND),
        ("cell.dup", CELL),
    ];
    for (name, text) in texts {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::create_dir(folder.path().join("in")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join("in").join(name), text).unwrap();
    }
    folder
}

fn run(folder: &Path, status: i32) -> String {
    let (found, shown) = tollgate(folder, "run flow.toml --once");
    assert_eq!(found, status, "{shown}");
    shown
}

fn text(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the measured objects of a delivered file.
fn objects(folder: &Path, path: &str) -> Vec<String> {
    let records = text(folder, path);
    let object = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["object"].as_str().unwrap().to_owned()
    };
    records.lines().map(object).collect()
}

#[test]
fn measurements_go_through_scripts_and_encodings_like_call_data_records() {
    let folder = site(FLOW, &[("A20260301.1400+0100-1415+0100_gnb-7.xml", FILE)]);
    let (status, shown) = tollgate(folder.path(), "check flow.toml");
    assert_eq!(status, 0, "{shown}");
    run(folder.path(), 0);
    let name = "A20260301.1400+0100-1415+0100_gnb-7";
    assert_eq!(
        text(folder.path(), &format!("out/cells/{name}.xml.csv")),
        "object,end,attempts,busiest\r\n\
         NRCellDU=1,20260301141500+0100,345,7\r\n\
         NRCellDU=2,20260301141500+0100,,0\r\n"
    );
    let all = text(folder.path(), &format!("out/all/{name}.xml.json"));
    assert_eq!(
        all.lines().next().unwrap(),
        "{\"format\":\"ts32435\",\"vendor\":\"Example\",\"sender\":\"gnb-7\",\"senderType\":\"RadioNode\",\
         \"prefix\":\"SubNetwork=North\",\"element\":\"gnb-7\",\"softwareVersion\":\"R44B17\",\"info\":\"cells\",\
         \"job\":\"nr_all\",\"begin\":\"20260301140000+0100\",\"end\":\"20260301141500+0100\",\"seconds\":900,\
         \"object\":\"NRCellDU=1\",\"suspect\":false,\"counters\":[{\"name\":\"attempts\",\"value\":{\"integer\":345}},\
         {\"name\":\"load\",\"value\":{\"list\":[{\"integer\":1},{\"integer\":7},{\"none\":null},{\"integer\":3}]}}]}"
    );
    let (status, shown) = tollgate(folder.path(), "audit flow.toml");
    assert!(status == 0 && shown.contains("All records are accounted for"), "{shown}");
}

#[test]
fn compressed_files_and_files_with_other_names_are_read_by_their_contents() {
    let folder = site(FLOW, &[("A20200101.0000-0015_other.xml", FILE)]);
    let packed =
        Command::new("gzip").arg(folder.path().join("in/A20200101.0000-0015_other.xml")).status();
    assert!(packed.unwrap().success());
    run(folder.path(), 0);
    let file = fs::read_dir(folder.path().join("out/all")).unwrap().next().unwrap().unwrap().path();
    let records = fs::read_to_string(file).unwrap();
    assert_eq!(records.lines().count(), 3);
    assert!(
        records.lines().all(|line| line.contains("\"end\":\"20260301141500+0100\"")),
        "{records}"
    );
}

/// A running count in the name tells files of one period apart. Both are read; later parts of a flow decide which counts.
#[test]
fn a_period_that_comes_again_with_other_values_is_read_again() {
    let again = FILE.replace(">345<", ">346<");
    let folder = site(
        FLOW,
        &[("A20260301.1400-1415_gnb.xml", FILE), ("A20260301.1400-1415_gnb_-_1.xml", &again)],
    );
    run(folder.path(), 0);
    let attempts =
        |name: &str| text(folder.path(), &format!("out/cells/{name}.csv")).contains("346");
    assert!(
        !attempts("A20260301.1400-1415_gnb.xml") && attempts("A20260301.1400-1415_gnb_-_1.xml")
    );
}

#[test]
fn a_damaged_row_goes_to_suspense_alone_and_is_read_again_without_its_file() {
    let damaged = FILE.replace("<r p=\"1\"> </r>", "<r p=\"3\">5</r>");
    let folder = site(FLOW, &[("a.xml", &damaged)]);
    run(folder.path(), 1);
    assert_eq!(objects(folder.path(), "out/all/a.xml.json"), ["NRCellDU=1", "NRCellDU=3"]);
    let (_, shown) = tollgate(folder.path(), "suspense show flow.toml 1");
    let reason = "a result is of the counter 3, and the info has no counter with this number";
    assert!(shown.contains(reason), "{shown}");
    let (_, shown) = tollgate(folder.path(), "suspense retry flow.toml 1");
    run(folder.path(), 0);
    let (_, again) = tollgate(folder.path(), "suspense show flow.toml 1");
    assert!(again.contains(reason), "{shown}{again}");
}

#[test]
fn a_record_that_a_script_refused_is_retried_without_its_file() {
    let folder = site(FLOW, &[("a.xml", FILE)]);
    let refuses = "BOOLEAN isSound(m CONST Measurement) { assert m.object != \"NRCellDU=2\"; return !m.suspect; }";
    fs::write(folder.path().join("is_sound.dup"), refuses).unwrap();
    run(folder.path(), 1);
    assert_eq!(objects(folder.path(), "out/all/a.xml.json"), ["NRCellDU=1", "NRCellDU=3"]);
    fs::remove_dir_all(folder.path().join("in")).unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("is_sound.dup"), IS_SOUND).unwrap();
    let (status, shown) = tollgate(folder.path(), "suspense retry flow.toml --all");
    assert_eq!(status, 0, "{shown}");
    run(folder.path(), 0);
    let delivered = fs::read_dir(folder.path().join("out/all")).unwrap().flatten();
    let mut all: Vec<String> = delivered
        .flat_map(|file| {
            objects(folder.path(), &format!("out/all/{}", file.file_name().to_string_lossy()))
        })
        .collect();
    all.sort();
    assert_eq!(all, ["NRCellDU=1", "NRCellDU=2", "NRCellDU=3"]);
}

#[test]
fn only_counters_that_are_wanted_are_read() {
    let decode = "decode  = { codec = \"measurements\", counters = [\"att*\"] }";
    let flow = FLOW.replace("decode  = { codec = \"measurements\" }", decode);
    let folder = site(&flow, &[("a.xml", FILE)]);
    run(folder.path(), 0);
    let records = text(folder.path(), "out/all/a.xml.json");
    assert!(records.contains("\"attempts\"") && !records.contains("\"load\""), "{records}");
}

#[test]
fn mistakes_in_the_table_are_reported_at_their_places() {
    let check = |decode: &str, expected: &str| {
        let decode = format!("decode  = {{ codec = \"measurements\"{decode} }}");
        let folder = site(&FLOW.replace("decode  = { codec = \"measurements\" }", &decode), &[]);
        let (status, shown) = tollgate(folder.path(), "check flow.toml");
        assert!(status != 0 && shown.contains(expected), "{shown}");
    };
    check(
        ", counters = [\"a*b\"]",
        "a \"*\" stands at the end of the name of a counter, or nowhere",
    );
    check(", framing = \"records\"", "\"framing\" has no meaning for the codec \"measurements\"");
    let folder = site(&FLOW.replace("codec = \"csv\"", "codec = \"measurements\""), &[]);
    let (_, shown) = tollgate(folder.path(), "check flow.toml");
    assert!(shown.contains("files of measurements are read, and not written"), "{shown}");
    let other = "[asn1]\nmodules = [\"cell.asn1\"]\n[network-element.gnb]\ncollect = { dir = \"in\" }\n\
        decode = { codec = \"measurements\", type = \"Cells.Cell\" }\n[post-processing-system.all]\nfrom = \"gnb\"\n\
        encode = { type = \"Cells.Cell\", codec = \"json\" }\ndeliver = { dir = \"out\" }\n";
    let (_, shown) = tollgate(site(other, &[]).path(), "check flow.toml");
    let expected =
        "the codec \"measurements\" reads records of Measurements.Measurement, not of Cells.Cell";
    assert!(shown.contains(expected), "{shown}");
    let without =
        FLOW.replace("decode  = { codec = \"measurements\" }", "decode  = { codec = \"xml\" }");
    let (_, shown) = tollgate(site(&without, &[]).path(), "check flow.toml");
    assert!(shown.contains("\"decode\" has no \"type\""), "{shown}");
}

/// Reads generated files with the product and with another parser, and compares all values.
#[test]
fn another_parser_finds_the_same_values() {
    let random = &mut Random::new(11, 0);
    let station = BaseStation { infos: 9, counters: 200, objects: 4 };
    let one = station.file(random, "gnb-1", "2026-03-01T14:15:00Z");
    let two = station.file(random, "gnb-2", "2026-03-01T14:30:00Z");
    let folder = site(FLOW, &[("1.xml", &one.text), ("2.xml", &two.text), ("3.xml", FILE)]);
    run(folder.path(), 0);
    let records: String = ["1", "2", "3"]
        .map(|name| text(folder.path(), &format!("out/all/{name}.xml.json")))
        .concat();
    fs::write(folder.path().join("records.json"), records).unwrap();
    let opinion = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/measurements/opinion.py");
    let mut python = Command::new("python3");
    python.current_dir(&folder).arg(opinion).arg("records.json");
    let output = ["1", "2", "3"].iter().fold(&mut python, |python, name| {
        let file = fs::read_dir(folder.path()).map(|_| format!("files/{name}.xml")).unwrap();
        python.arg(file)
    });
    fs::create_dir(folder.path().join("files")).unwrap();
    for (name, text) in [("1", one.text.as_str()), ("2", &two.text), ("3", FILE)] {
        fs::write(folder.path().join(format!("files/{name}.xml")), text).unwrap();
    }
    let output = output.output().unwrap();
    let shown = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let values: u64 = shown.trim().parse().unwrap_or_else(|_| panic!("{shown}"));
    assert!(values >= one.numbers + two.numbers, "{values}");
}
