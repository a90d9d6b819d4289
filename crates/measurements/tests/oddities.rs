//! What real files do against the standards, or at their edge.

use crate::bench::{head, rows, rows_of};

/// Returns a file with an info whose head and rows are these.
pub(crate) fn file(head: &str, rows: &str) -> String {
    format!(
        "<measCollecFile><fileHeader vendorName=\"V\"><fileSender localDn=\"S\"/></fileHeader>\
         <measData><managedElement localDn=\"N\"/><measInfo measInfoId=\"I\">{head}{rows}</measInfo></measData>\
         </measCollecFile>"
    )
}

const TWO: &str = "<measType p=\"1\">a</measType><measType p=\"2\">b</measType>";

fn of_two(results: &str) -> Vec<String> {
    rows(&file(TWO, &format!("<measValue measObjLdn=\"O\">{results}</measValue>")))
}

#[test]
fn one_a_style_sheet_may_stand_before_the_declaration() {
    let text = file(TWO, "<measValue measObjLdn=\"O\"><r p=\"1\">1</r></measValue>");
    let text = format!("<?xml-stylesheet href=\"a\"?>\n<?xml version=\"1.0\"?>\n{text}");
    assert_eq!(rows(&text), ["O: a=1 b=-"]);
}

#[test]
fn two_an_end_need_not_be_at_a_whole_minute_and_offsets_have_many_forms() {
    let period = |end: &str| {
        let period = format!("<granPeriod duration=\"PT60S\" endTime=\"{end}\"/>{TWO}");
        let head = head(&file(&period, "<measValue measObjLdn=\"O\"/>"));
        head.split_once("|I|- ").map(|(_, period)| period.to_owned()).unwrap_or(head)
    };
    assert_eq!(period("2024-12-11T09:34:23+00:00"), "20241211093323+0000 20241211093423+0000 60");
    assert_eq!(
        period("2024-12-11T00:00:23-05:00:00"),
        "20241210235923-0500 20241211000023-0500 60"
    );
    assert_eq!(period("2024-12-11T09:34:00"), "20241211093300 20241211093400 60");
    assert_eq!(period("2024-12-11T09:34:00_0100"), "20241211093300+0100 20241211093400+0100 60");
}

#[test]
fn three_a_result_may_be_a_list() {
    assert_eq!(of_two("<r p=\"1\">1,0,3</r><r p=\"2\">5</r>"), ["O: a=[1,0,3] b=5"]);
}

#[test]
fn four_what_is_blank_was_not_measured_and_is_not_zero() {
    assert_eq!(of_two("<r p=\"1\"> </r><r p=\"2\"> , , </r>"), ["O: a=- b=[-,-,-]"]);
    assert_eq!(of_two("<r p=\"1\">NIL</r><r p=\"2\"/>"), ["O: a=- b=-"]);
    assert_eq!(of_two("<r p=\"1\"></r>"), ["O: a=- b=-"]);
}

#[test]
fn five_decimals_stay_as_they_are_written() {
    assert_eq!(of_two("<r p=\"1\">0.000000</r><r p=\"2\">1.50E3</r>"), ["O: a=0.000000 b=1.50E3"]);
}

#[test]
fn six_the_form_of_lists_and_numbers_with_gaps() {
    let lists = file(
        "<measTypes>a b</measTypes>",
        "<measValue measObjLdn=\"O\"><measResults>1 2</measResults></measValue>",
    );
    assert_eq!(rows(&lists), ["O: a=1 b=2"]);
    let gaps = file(
        "<measType p=\"7\">a</measType><measType p=\"2\">b</measType><measType p=\"70000\">c</measType>",
        "<measValue measObjLdn=\"O\"><r p=\"2\">2</r><r p=\"70000\">3</r><r p=\"7\">1</r></measValue>",
    );
    assert_eq!(rows(&gaps), ["O: a=1 b=2 c=3"]);
}

#[test]
fn seven_single_objects_are_suspect() {
    let row = |object, suspect| {
        format!(
            "<measValue measObjLdn=\"{object}\"><r p=\"1\">1</r><suspect>{suspect}</suspect></measValue>"
        )
    };
    let text = file(TWO, &[row("O", "true"), row("P", "false"), row("Q", " TRUE ")].concat());
    assert_eq!(rows(&text), ["O suspect: a=1 b=-", "P: a=1 b=-", "Q suspect: a=1 b=-"]);
}

#[test]
fn what_is_written_twice_and_alike_is_no_contradiction() {
    let suspect = "<suspect>true</suspect><r p=\"1\">1</r><suspect>1</suspect>";
    assert_eq!(of_two(suspect), ["O suspect: a=1 b=-"]);
}

#[test]
fn counters_of_one_name_are_all_there_in_the_order_of_the_file() {
    let named = "<measType p=\"2\">a</measType><measType p=\"1\">b</measType><measType p=\"3\">a</measType>";
    let results = "<r p=\"1\">1</r><r p=\"3\">3</r><r p=\"2\">2</r>";
    let text = file(named, &format!("<measValue measObjLdn=\"O\">{results}</measValue>"));
    assert_eq!(rows(&text), ["O: a=2 b=1 a=3"]);
    assert_eq!(rows_of(&text, &["a"]), ["O: a=2 a=3"]);
    let list = file(
        "<measTypes>a b a</measTypes>",
        "<measValue measObjLdn=\"O\"><measResults>1 2 3</measResults></measValue>",
    );
    assert_eq!(rows(&list), ["O: a=1 b=2 a=3"]);
    let omes = "<OMeS><PMSetup><PMMOResult><MO><DN>O</DN></MO><T><a>1</a><b>2</b><a>3</a></T></PMMOResult></PMSetup></OMeS>";
    assert_eq!(rows(omes), ["O: a=1 b=2 a=3"]);
}

#[test]
fn eight_an_info_may_come_several_times() {
    let info = |job, name, value| {
        format!(
            "<job jobId=\"{job}\"/><measType p=\"1\">{name}</measType>\
             <measValue measObjLdn=\"O\"><r p=\"1\">{value}</r></measValue>"
        )
    };
    let again = "</measInfo><measInfo measInfoId=\"I\">";
    assert_eq!(
        rows(&file(&info(1, "a", 5), &format!("{again}{}", info(2, "b", 6)))),
        ["O: a=5", "O: b=6"]
    );
}

#[test]
fn ten_the_namespace_does_not_count() {
    let text = file(TWO, "<measValue measObjLdn=\"O\"><r p=\"2\">1</r></measValue>");
    for space in
        ["32_series/32.435#measCollec", "32_series/32.401#measCollec", "28_series/28.532#measData"]
    {
        for root in ["measCollecFile", "measDataFile"] {
            let tag = format!("{root} xmlns=\"http://www.3gpp.org/ftp/specs/archive/{space}\"");
            let text = text.replace("<measCollecFile", &format!("<{tag}"));
            assert_eq!(rows(&text.replace("/measCollecFile", &format!("/{root}"))), ["O: a=- b=1"]);
        }
    }
}

#[test]
fn eleven_distinguished_names_may_have_anything_in_them() {
    let object = "DC=example.com,ManagedElement=1,vsDataGroup=a/b;c";
    let text = file(TWO, &format!("<measValue measObjLdn='{object}'><r p=\"2\">1</r></measValue>"));
    assert_eq!(rows(&text), [format!("{object}: a=- b=1")]);
}
