//! Tests records that are rated a second time: by a replay, and by a flow of delivered records.

use std::fs;
use std::path::Path;

use super::site::{billed, blocks, change, flow, page, run, tollgate};

#[test]
fn a_replay_shows_what_another_price_would_change() {
    let folder = flow(
        "telephony,0701234567,0721234567,,20260601120000Z,60,\n\
         telephony,0701234567,0721234567,,20260601230000Z,60,\n\
         telephony,0701234567,0721234567,,20260601120100Z,120,\n",
    );
    let here = folder.path();
    change(&here.join("flow.toml"), "[asn1]", "[archive]\n\n[asn1]");
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let before = billed(here, "calls");
    fs::create_dir(here.join("new")).unwrap();
    fs::copy(here.join("tariff/prices.csv"), here.join("new/prices.csv")).unwrap();
    let replay = "replay flow.toml --json --with new/prices.csv";
    assert_eq!(run(here, replay).0, 0, "it is the same");
    let peak = "mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min";
    change(&here.join("new/prices.csv"), peak, &peak.replace("0.60", "0.90"));
    let output = tollgate(here, replay).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let totals: Vec<(u64, String, String)> = lines
        .filter_map(|line| Some(line.get("record")?.clone()))
        .map(|record| {
            let fields = record["receivers"][0]["fields"].as_array().unwrap().iter();
            let total = fields.clone().find(|field| field["field"] == "charge.total").unwrap();
            let text = |of: &str| total[of].as_str().unwrap().replace('"', "");
            (record["record"].as_u64().unwrap(), text("before"), text("after"))
        })
        .collect();
    // The second call is at night.
    let totals: Vec<(u64, &str, &str)> =
        totals.iter().map(|(record, before, after)| (*record, &**before, &**after)).collect();
    assert_eq!(totals, [(1, "109", "139"), (3, "169", "229")]);
    assert_eq!(billed(here, "calls"), before, "nothing is delivered");
    // A complete plan.
    let plans = [here.join("tariff"), here.join("other")];
    fs::create_dir(&plans[1]).unwrap();
    for entry in fs::read_dir(&plans[0]).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), plans[1].join(entry.file_name())).unwrap();
    }
    fs::write(plans[1].join("notes.txt"), "not read by the flow").unwrap();
    let names = |plan: &Path| {
        let names = fs::read_dir(plan).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let had = plans.each_ref().map(|plan| names(plan));
    assert_eq!(run(here, "replay flow.toml --with tariff=other").0, 0);
    fs::copy(here.join("new/prices.csv"), plans[1].join("prices.csv")).unwrap();
    assert_eq!(run(here, "replay flow.toml --with tariff=other").0, 1);
    let (status, said) = run(here, "replay flow.toml --with tariff=other new/prices.csv");
    assert!(status == 2 && said.contains("whose place something else takes"), "{said}");
    assert_eq!(plans.each_ref().map(|plan| names(plan)), had, "nothing is put into either");
}

#[test]
fn delivered_records_are_rated_again_and_the_differences_are_records() {
    let folder = flow("");
    let (here, page) = (folder.path(), page("rate-again.md"));
    let files = ["again.asn1", "again.toml", "is_changed.dup", "difference.dup"];
    let texts = ["asn1", "toml", "dup"].map(|language| blocks(&page, language)).concat();
    for (file, text) in files.iter().zip(&texts) {
        fs::write(here.join(file), text).unwrap();
    }
    fs::create_dir(here.join("billed")).unwrap();
    fs::write(
        here.join("billed/may.csv"),
        "service,served,other,start,duration,octets,class,total\n\
         telephony,0701234567,0721234567,20260601120000Z,60,,mobile,109\n\
         telephony,0701234567,0721234567,20260601120000Z,60,,mobile,99\n\
         data,0701234567,,20260601120000Z,,250000000,data-abroad,2250\n\
         telephony,0701234567,000999,20260601120000Z,60,,special,500\n",
    )
    .unwrap();
    let (status, said) = run(here, "run again.toml --once");
    assert_eq!(status, 1, "one has no tariff: {said}");
    assert_eq!(
        fs::read_to_string(here.join("differences/may.csv")).unwrap(),
        "served,start,classBefore,class,before,after,difference\r\n\
         0701234567,20260601120000Z,mobile,mobile,99,109,10\r\n\
         0701234567,20260601120000Z,data-abroad,data-home,2250,2250,0\r\n"
    );
    let output = tollgate(here, "audit again.toml").output().unwrap();
    let audit = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{audit}");
    for line in
        ["delivered                    2349 of 2 records", "filtered                      109 of 1"]
    {
        assert!(audit.contains(line), "{line} is not in {audit}");
    }
}
