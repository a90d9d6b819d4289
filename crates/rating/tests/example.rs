//! The example plan.

use std::path::Path;
#[test]
fn the_example_has_no_mistakes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff");
    let read = rating::Plan::read(&folder);
    let told: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(told, Vec::<String>::new());
}
