//! Files of indications of fraud, and the truth of what is in them.

use simulate::TRUTH;
use simulate::fraud::{Options, generate};
use tempfile::TempDir;

#[test]
fn the_truth_has_a_row_for_each_caller_that_rings_many() {
    let folder = TempDir::new().unwrap();
    let options = Options { files: 800, wangiri: 2, ..Options::default() };
    generate(&options, folder.path()).unwrap();
    let truth = std::fs::read_to_string(folder.path().join(TRUTH)).unwrap();
    let expected = "fraud,type,subject,key,from,to\n\
                    1,wangiri,caller,0099000000,1767600200,1767600500\n\
                    2,wangiri,caller,0099000001,1767600400,1767600700\n";
    assert_eq!(truth, expected);
}
