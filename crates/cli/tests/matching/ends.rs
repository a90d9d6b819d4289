//! Groups that do not go out as they should: what is set aside of them, goes back to where it waited, and goes out once.

use super::flow::Flow;
use super::{TWO_HOURS, check};

/// A post-processing system besides, with its records as they are.
fn receiver(name: &str, from: &str) -> String {
    format!(
        "[post-processing-system.{name}]\nfrom = \"{from}\"\nencode = {{ codec = \"json\" }}\n\
         deliver = {{ dir = \"{name}\" }}\n"
    )
}

const BILLING: &str = "[post-processing-system.billing]";

/// The lines of all files that a system was given.
fn given(flow: &Flow, system: &str) -> usize {
    let Ok(files) = std::fs::read_dir(flow.path().join(system)) else { return 0 };
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    texts.map(|text| text.lines().count()).sum()
}

/// The numbers of the records in suspense that are open.
fn open(flow: &Flow) -> usize {
    flow.command("suspense list flow.toml").1.lines().count()
}

#[test]
fn what_went_elsewhere_too_goes_there_once() {
    let flow = Flow::new(&format!("{TWO_HOURS}\nexpired = \"suspend\""));
    flow.edit(BILLING, &format!("{}{BILLING}", receiver("raw", "boston")));
    flow.put("chicago", "0.json", "8 whole 1 @9000 +1");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 middle 2 @60 +5; 9 whole 1 @9000 +1");
    flow.run();
    assert_eq!((open(&flow), given(&flow, "raw")), (2, 3));
    flow.put("chicago", "1.json", "7 last 3 @65 +2");
    flow.run();
    let (status, said) = flow.command("suspense retry flow.toml --all");
    assert_eq!(status, 0, "{said}");
    assert_eq!(flow.made(), "7 @0 +67 of 3, 8 @9000 +1 of 1, 9 @9000 +1 of 1");
    assert_eq!((open(&flow), given(&flow, "raw")), (0, 3));
    flow.audit();
}

/// A node behind the first that joins calls of the same seconds; of which one never comes.
fn joined_twice() -> Flow {
    let flow = Flow::new(TWO_HOURS);
    let sums = "
INTEGER key(call CONST Call) { return call.seconds; }
BOOLEAN complete(calls CONST SEQUENCE OF Call) { return count(calls) == 2; }
NULL combine(calls CONST SEQUENCE OF Call, sum Call)
{
  sum := calls[0];
  sum.parts := calls[0].parts + calls[1].parts;
}
";
    std::fs::write(flow.path().join("sums.dup"), sums).unwrap();
    let table = "[matching.sums]\nfrom = \"calls\"\nscript = \"sums.dup\"\nexpired = \"suspend\"\n\
                 wait = { arrival = \"1 ms\" }\n";
    flow.edit(BILLING, &format!("{table}{BILLING}"));
    flow.edit("from = \"calls\"\nencode", "from = \"sums\"\nencode");
    flow
}

#[test]
fn what_was_joined_and_set_aside_is_whole() {
    let flow = joined_twice();
    // One is complete as its last part comes, the other when its time is over.
    flow.put("chicago", "0.json", "1 whole 1 @9000 +90");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 last 2 @60 +5; 8 first 1 @0 +70");
    flow.put("boston", "1.json", "2 whole 1 @9000 +90");
    flow.run();
    flow.run();
    assert_eq!(open(&flow), 2, "{}", flow.command("suspense list flow.toml").1);
    for (number, call) in [(1, "\"seconds\": 65"), (2, "\"seconds\": 70")] {
        let (_, shown) = flow.command(&format!("suspense show flow.toml {number}"));
        assert!(shown.contains(call) && shown.contains("\"parts\": "), "{shown}");
    }
    // Corrected to the seconds of the other, it is its other half.
    let json = flow.path().join("call.json");
    std::fs::write(&json, "{\"call\":8,\"time\":1700000000,\"seconds\":65,\"parts\":1}").unwrap();
    let (status, said) = flow.command("suspense edit flow.toml 2 --json call.json");
    assert_eq!(status, 0, "{said}");
    let (status, said) = flow.command("suspense retry flow.toml --all");
    assert_eq!(status, 0, "{said}");
    assert!(flow.made().contains("7 @0 +65 of 3"), "{}", flow.made());
    flow.audit();
}

#[test]
fn what_was_set_aside_is_not_read_as_something_else() {
    let files = "chicago: 8 whole 1 @9000 +1 | boston: 7 first 1 @0 +60; 9 whole 1 @9000 +1";
    let others = "8 @9000 +1 of 1, 9 @9000 +1 of 1";
    let flow = check(
        &format!("{TWO_HOURS}\nexpired = \"suspend\""),
        files,
        others,
        "3 = 2 delivered, 1 held",
    );
    let path = flow.path().join("calls.asn1");
    let module = std::fs::read_to_string(&path).unwrap();
    let swapped = "number INTEGER, seconds INTEGER, time INTEGER";
    std::fs::write(&path, module.replace("number INTEGER, time INTEGER, seconds INTEGER", swapped))
        .unwrap();
    let reason = "its type was changed since it waited in \"calls\"";
    for command in ["show flow.toml 1", "retry flow.toml 1", "list flow.toml"] {
        let (_, said) = flow.command(&format!("suspense {command}"));
        assert!(said.contains(reason), "{command}: {said}");
    }
    std::fs::write(&path, module).unwrap();
    assert_eq!(flow.command("suspense retry flow.toml 1").0, 0);
    assert_eq!((open(&flow), flow.made().as_str()), (0, others), "it waits again");
    flow.audit();
}
