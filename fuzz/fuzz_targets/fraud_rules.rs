//! A rule file, a table of limits and a list of a fraud node, as text of anyone: reading them never panics, and all mistakes are those
//! of these files.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use record::{Field, Kind, Schema, Type};

const FLOW: &str = "\
[network-element.switch]
collect = { dir = \"in\", pattern = \"*.csv\" }
decode  = { type = \"Events.Event\", codec = \"csv\", columns = [\"time\", \"caller\"] }

[fraud.calls]
from     = \"switch\"
type     = \"Events.Event\"
time     = \"record.time\"
subjects = [\"caller = record.caller\"]
rules    = \"rules\"
lists    = \"lists\"
";

/// What is between the rule, the table `limits.csv` and the list `hot`.
const BETWEEN: &str = "\n====\n";

/// Returns the folder of the flow, which each process has for itself.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("tollgate-fuzz-{}", std::process::id()));
        for part in ["rules", "lists"] {
            fs::create_dir_all(folder.join(part)).expect("a temporary folder");
        }
        folder
    })
}

/// Returns the types of the records: an event with a time, a caller and a number of seconds.
fn types() -> Schema {
    let mut schema = Schema::new();
    let number = schema.add(Type { name: "INTEGER".into(), kind: Kind::Integer { names: vec![] } });
    let fields = ["time", "caller", "seconds"].map(|name| Field {
        name: name.into(),
        ty: number,
        optional: name == "seconds",
        default: None,
    });
    schema.add(Type { name: "Events.Event".into(), kind: Kind::Sequence(fields.into()) });
    schema
}

fuzz_target!(|octets: &[u8]| {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let mut parts = text.split(BETWEEN);
    let here = folder();
    for name in ["rules/rule.toml", "rules/limits.csv", "lists/hot.csv"] {
        fs::write(here.join(name), parts.next().unwrap_or_default()).expect("a temporary file");
    }
    let path = here.join("flow.toml");
    let (file, mistakes) = gateway::parse(&path, FLOW.to_owned(), processing::KINDS);
    assert!(mistakes.is_empty(), "the flow file has none");
    let mut schema = types();
    let built = flow::graph::build(&file, processing::KINDS, &mut schema, flow::graph::Scripts::Built);
    for mistake in built.1 {
        assert!(mistake.to_string().contains("/rules/") || mistake.to_string().contains("/lists/"), "{mistake}");
    }
});
