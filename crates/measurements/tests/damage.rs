//! Damage: what it takes along, and what is read behind it.

use measurements::{Found, Parser, Rest, Step, Wanted};

use crate::bench::{in_parts, read, rows};
use crate::oddities::file;

const HEAD: &str = "<granPeriod duration=\"PT900S\" endTime=\"2026-03-01T14:15:00Z\"/>\
    <measType p=\"1\">a</measType><measType p=\"2\">b</measType>";

fn row(object: &str, results: &str) -> String {
    format!("<measValue measObjLdn=\"{object}\">{results}</measValue>")
}

/// Checks the rows of a file with this between two sound rows.
fn check(between: &str, fault: &str) {
    let sound = "<r p=\"1\">1</r><r p=\"2\">2</r>";
    let text = file(HEAD, &[&row("O", sound), between, &row("P", sound)].concat());
    let expected = ["O: a=1 b=2".to_owned(), format!("! {fault}"), "P: a=1 b=2".to_owned()];
    assert_eq!(rows(&text), expected, "{between}");
}

#[test]
fn damage_of_a_row_leaves_its_neighbours_alone() {
    check(
        &row("X", "<r p=\"3\">1</r>"),
        "a result is of the counter 3, and the info has no counter with this number",
    );
    check(&row("X", "<r p=\"1\">1</r><r p=\"1\">2</r>"), "the counter 1 has two results");
    check(
        &row("X", "<r p=\"0\">1</r>"),
        "the number of a counter is \"0\", expected 1 to 4294967295",
    );
    check(
        &row("X", "<r p=\"x\">1</r>"),
        "the number of a counter is \"x\", expected 1 to 4294967295",
    );
    check(&row("X", "<r p=\"1\">1<b/></r>"), "an element stands within the result of a counter");
    check(&row("X", "<r>1</r>"), "there are 1 results for 2 counters");
    check(&row("X", "<measResults>1 2 3</measResults>"), "there are 3 results for 2 counters");
    for words in ["1 <!--x--> 3", "<![CDATA[1 2]]>", "1 <b/> 2"] {
        let results = format!("<measResults>{words}</measResults>");
        check(&row("X", &results), "an element stands within the result of a counter");
    }
    for results in [
        "<r p=\"1\">1</r><measResults>7 8</measResults>",
        "<r p=\"2\">5</r><r>7</r><r>8</r>",
        "<r>7</r><r p=\"2\">8</r>",
    ] {
        let fault = "results with the number of their counter stand beside results without one";
        check(&row("X", results), fault);
    }
    check(&row("X", "<suspect>maybe</suspect>"), "\"suspect\" is true or false, not \"maybe\"");
    let fault = "\"suspect\" is there several times, with different texts";
    check(&row("X", "<suspect>true</suspect><suspect>false</suspect>"), fault);
    check(&row("X", "<suspect>0</suspect><r p=\"1\">1</r><suspect>1</suspect>"), fault);
    check(&row("X", "<r p=\"1\">1</s>"), "\"s\" ends where \"r\" is open");
    check(&row("X", "<r p=\"1\">1</r></b>"), "\"b\" ends where \"measValue\" is open");
    check(&row("X", "text"), "text stands where elements are expected");
    check(&row("X", "<r p=\"1>1</r>"), "a tag does not end before the next \"<\"");
    check(
        "<measValue><r p=\"1\">1</r></measValue>",
        "the measured object is missing: there is no \"measObjLdn\"",
    );
    check("text", "text stands where elements are expected");
    check("</b>", "\"b\" ends where \"measInfo\" is open");
    check(
        "<measValue measObjLdn=\"X\"><r p=\"1\">1</r>",
        "\"measValue\" does not end before the next \"measValue\"",
    );
}

/// Checks the lines of a file.
fn check_all(text: &str, expected: &[&str]) {
    assert_eq!(rows(text), expected, "{text}");
}

#[test]
fn damage_in_the_head_of_an_info_takes_the_info_along_and_no_other() {
    let of = |head: &str| {
        let next = format!("</measInfo><measInfo>{HEAD}{}", row("Q", "<r p=\"1\">3</r>"));
        file(head, &[&row("O", ""), &row("P", ""), next.as_str()].concat())
    };
    for (head, fault) in [
        (
            "<granPeriod duration=\"PT15X\"/>",
            "\"duration of granPeriod\" is no length of time in whole seconds: \"PT15X\"",
        ),
        ("<granPeriod endTime=\"now\"/>", "\"endTime of granPeriod\" is no time: \"now\""),
        (
            "<measType p=\"-1\">a</measType>",
            "the number of a counter is \"-1\", expected 1 to 4294967295",
        ),
        (
            "<measType p=\"2\">a</measType><measType p=\"1\">b</measType><measType p=\"2\">c</measType>",
            "two counters of an info have the number 2",
        ),
        ("<job jobId=\"1\">", "\"job\" does not end before the next \"measValue\""),
        (
            "<measTypes>a <!-- b --> c</measTypes>",
            "an element or a comment stands within the names of counters",
        ),
        ("<job></jib>", "\"jib\" ends where \"job\" is open"),
    ] {
        check_all(&of(head), &[&format!("! {fault}"), "Q: a=3 b=-"]);
    }
}

#[test]
fn measurements_need_the_network_element_that_they_are_of() {
    let text = file(HEAD, &row("O", "")).replace("<managedElement localDn=\"N\"/>", "");
    let fault = "! \"measData\" does not name the network element that its measurements are of: it has no \"managedElement\"";
    check_all(&text, &[fault]);
}

#[test]
fn a_row_without_an_end_does_not_take_the_heads_behind_it_along() {
    let next = "<measInfo><measType p=\"1\">c</measType>";
    let (open, two) =
        ("<measValue measObjLdn=\"X\"><r p=\"1\">7</r>", row("P", "<r p=\"1\">1</r>").repeat(2));
    for open in [open.to_owned(), open.repeat(2)] {
        for end in ["</measInfo>", "</measInfo></measData><measData><managedElement/>", ""] {
            let found = rows(&file(HEAD, &[open.as_str(), end, next, &two].concat()));
            let damaged = open.matches("<measValue").count();
            assert!(found[..damaged].iter().all(|line| line.starts_with('!')), "{found:?}");
            assert_eq!(found[damaged..], ["P: c=1", "P: c=1"], "{end}");
        }
    }
}

#[test]
fn elements_without_an_end_are_reported_once() {
    let sound = row("O", "<r p=\"1\">1</r>");
    let next = format!("<measInfo>{HEAD}{}", row("P", ""));
    let unclosed = file(HEAD, &[sound.as_str(), &next].concat());
    check_all(
        &unclosed,
        &["O: a=1 b=-", "! \"measInfo\" does not end before the next \"measInfo\"", "P: a=- b=-"],
    );
    let section = "<measData><managedElement localDn=\"M\"/>";
    let unclosed = file(HEAD, &[sound.as_str(), section, &next].concat());
    check_all(
        &unclosed,
        &["O: a=1 b=-", "! \"measInfo\" does not end before the next \"measData\"", "P: a=- b=-"],
    );
    let unclosed = file(HEAD, &sound).replace("</measInfo>", "");
    check_all(&unclosed, &["O: a=1 b=-", "! \"measData\" ends where \"measInfo\" is open"]);
}

#[test]
fn rows_and_infos_outside_what_they_belong_to_are_refused() {
    let text = file(
        HEAD,
        "</measInfo><measValue measObjLdn=\"X\"></measValue><measInfo><measType>a</measType><measValue measObjLdn=\"O\"><r>1</r></measValue>",
    );
    check_all(&text, &["! \"measValue\" stands outside \"measInfo\"", "O: a=1"]);
    let text = file(
        "",
        "</measInfo></measData><measInfo></measInfo><measData><managedElement/><measInfo><measType>a</measType><measValue measObjLdn=\"O\"><r>1</r></measValue>",
    );
    check_all(&text, &["! \"measInfo\" stands outside \"measData\"", "O: a=1"]);
}

#[test]
fn of_a_file_that_is_cut_off_what_is_whole_is_read() {
    let text = file(HEAD, &[row("O", "<r p=\"1\">1</r>"), row("P", "<r p=\"1\">2</r>")].concat());
    let (first, second) =
        (text.find("</measValue>").unwrap() + 12, text.find("</measInfo>").unwrap());
    for end in 0..text.len() {
        let found = rows(&text[..end]);
        let whole = usize::from(end >= first) + usize::from(end >= second);
        let sound = found.iter().filter(|line| !line.starts_with('!')).count();
        assert_eq!(sound, whole, "{}", &text[..end]);
        let is_cut_off = found
            .last()
            .is_some_and(|line| line.contains("cut off") || line.contains("does not end"));
        assert_eq!(is_cut_off, end > 0, "{end}: {found:?}");
    }
}

#[test]
fn other_files_are_refused() {
    let root = "! a file of measurements has the root element measCollecFile, measDataFile, mdc or OMeS, this one has \"html\"";
    check_all("<html><body/></html>", &[root]);
    check_all("<?xml version=\"1.0\"?><html/>", &[root]);
    check_all("{\"event\": {}}", &["! text stands where elements are expected"]);
    check_all("", &[]);
    check_all("<measCollecFile/>", &[]);
    assert_eq!(read(b"\xFF\xFE<\0a\0", 5, &[]), ["! text stands where elements are expected"]);
}

#[test]
fn nothing_within_comments_and_the_like_is_read_behind_damage() {
    let sound = |object| row(object, "<r p=\"1\">1</r><r p=\"2\">2</r>");
    let hidden = format!(
        "</measValue></measInfo><measInfo>{HEAD}{}<measValue measObjLdn=\"Y\">",
        sound("X")
    );
    let around = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?a ", "?>")];
    let unclosed = "\"measValue\" does not end before the next \"measValue\"";
    for (begin, end) in around {
        let unparsed = format!("{begin}{hidden}{end}");
        // Between rows: behind text, and alone.
        let text = "text stands where elements are expected";
        check(&format!("text{unparsed}"), text);
        if begin == "<![CDATA[" {
            check(&unparsed, text);
        } else {
            check_all(&file(HEAD, &format!("{unparsed}{}", sound("P"))), &["P: a=1 b=2"]);
        }
        // Within a row: a comment is part of a sound row, and of one that does not end.
        let open = format!("<measValue measObjLdn=\"O\">{unparsed}<r p=\"1\">1</r>");
        let expected = match begin {
            "<![CDATA[" => "! text stands where elements are expected",
            _ => "O: a=1 b=-",
        };
        let whole = format!("{open}</measValue>");
        check_all(&file(HEAD, &format!("{whole}{}", sound("P"))), &[expected, "P: a=1 b=2"]);
        check(&open, unclosed);
        let (first, text) = (sound("O"), format!("<measValue measObjLdn=\"Z\">{open}"));
        let cut = format!("! {unclosed}");
        let expected = ["O: a=1 b=2", &cut, &cut, "P: a=1 b=2"];
        check_all(&file(HEAD, &[first, text, sound("P")].concat()), &expected);
        let wrong = format!("<measValue measObjLdn=\"O\"><r p=\"x\">1</r>{unparsed}</measValue>");
        let number = "the number of a counter is \"x\", expected 1 to 4294967295";
        check(&wrong, number);
        check(wrong.strip_suffix("</measValue>").unwrap(), unclosed);
        // Of an info that is refused.
        let bad = "<granPeriod duration=\"900X\"/>";
        let next = format!("</measInfo><measInfo>{HEAD}{}", sound("P"));
        let refused = format!("{}{unparsed}{}{next}", sound("O"), sound("O"));
        let fault = "! \"duration of granPeriod\" is no length of time in whole seconds: \"900X\"";
        check_all(&file(bad, &refused), &[fault, "P: a=1 b=2"]);
        // Of rows that are stepped over.
        let info = "<measInfo><measType>x</measType>";
        let unread = format!("</measInfo>{info}{whole}{}{next}", sound("O"));
        let expected = ["P: a=1"];
        assert_eq!(crate::bench::rows_of(&file("", &unread), &["a"]), expected);
    }
}

#[test]
fn a_comment_without_an_end_takes_the_rest_of_the_file_along() {
    let sound = row("O", "<r p=\"1\">1</r><r p=\"2\">2</r>");
    for begin in ["<!--", "<![CDATA[", "<?a"] {
        let text = file(HEAD, &[sound.as_str(), begin, &sound].concat());
        let cut_off = "! the file ends before \"measCollecFile\" does: it may be cut off";
        let tag = "! a tag does not end before the next \"<\"";
        check_all(&text, &["O: a=1 b=2", tag, cut_off]);
    }
}

#[test]
fn a_comment_that_is_too_long_hides_what_is_in_it() {
    let sound = |object| row(object, "<r p=\"1\">1</r><r p=\"2\">2</r>");
    let bad = "<granPeriod duration=\"900X\"/>";
    let hidden = sound("X").repeat(4000);
    for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?a ", "?>")] {
        let long = format!("{begin}{hidden}</measInfo><measInfo>{HEAD}{hidden}{end}");
        for text in [
            file(HEAD, &format!("{long}{}", sound("P"))),
            file(HEAD, &format!("text{long}{}", sound("P"))),
            file(HEAD, &format!("<measValue measObjLdn=\"Y\">{long}{}", sound("P"))),
            file(bad, &format!("{long}</measInfo><measInfo>{HEAD}{}", sound("P"))),
        ] {
            let found = in_parts(&text, 64 << 10);
            assert!(found.len() > 1, "{found:?}");
            let sound: Vec<_> = found.iter().filter(|line| !line.starts_with('!')).collect();
            assert_eq!(sound, ["P: a=1 b=2"], "{begin} {found:?}");
        }
    }
}

#[test]
fn hostile_files_take_time_that_grows_with_them() {
    let row = "<measValue measObjLdn=\"O\">";
    let texts = [
        file(HEAD, &row.repeat(20_000)),
        file(HEAD, &(row.repeat(150_000) + "</measValue>")),
        file("", &"<!--<measInfo>".repeat(200_000)),
        file("", &"<?a<measInfo>".repeat(200_000)),
        file("", &"<![CDATA[<measInfo>".repeat(200_000)),
        file("", &"<!DOCTYPE[<measInfo>".repeat(200_000)),
        file(HEAD, &"<measValue><!--</measValue>-->".repeat(100_000)),
        file(HEAD, &format!("<measValue>{}", "<!--</measValue>-->".repeat(200_000))),
        file(HEAD, &"<measValue><!--</measValue>".repeat(100_000)),
        file("<granPeriod duration=\"X\"/>", &"<!--</measInfo>".repeat(200_000)),
        file("", &"<measInfo ".repeat(400_000)),
        file("", &"</measInfo ".repeat(400_000)),
        file(HEAD, &"<r><".repeat(100_000)),
        file(&"<measType>a</measType>".repeat(50_000), ""),
        file(HEAD, &"</measInfo><measInfo><x>".repeat(20_000)),
        "<measCollecFile><measData><x>".repeat(20_000),
        "<measCollecFile>".repeat(100_000),
        file(HEAD, &"<a>".repeat(200_000)),
        file(HEAD, &"<!--".repeat(200_000)),
        file(HEAD, &format!("<measValue measObjLdn=\"{}\"/>", "&".repeat(1_000_000))),
        file(
            HEAD,
            &format!(
                "<measValue measObjLdn=\"O\"><r p=\"1\">{}</r></measValue>",
                ",".repeat(1_000_000)
            ),
        ),
    ];
    for text in texts {
        assert!(!read(text.as_bytes(), 1 << 20, &[]).is_empty(), "{}", &text[..200]);
    }
}

#[test]
fn rows_that_share_an_end_are_refused_but_the_last() {
    let row = "<measValue measObjLdn=\"O\"><r p=\"1\">1</r>";
    let text = file(HEAD, &(row.repeat(3) + "<r p=\"2\">2</r></measValue>"));
    let fault = "! \"measValue\" does not end before the next \"measValue\"";
    assert_eq!(rows(&text), [fault, fault, "O: a=1 b=2"]);
}

#[test]
fn each_period_of_an_info_has_its_own_begin() {
    let period = |seconds: u32, end: &str| {
        format!("<granPeriod duration=\"PT{seconds}S\" endTime=\"2026-03-01T14:{end}:00Z\"/>")
    };
    let value = row("O", "<r p=\"1\">1</r>");
    let counters = "<measType p=\"1\">a</measType>";
    let text =
        file("", &[&period(60, "15"), counters, &value, &period(120, "20"), &value].concat());
    assert_eq!(crate::bench::begins(&text), ["20260301141400Z", "20260301141800Z"]);
}

#[test]
fn heads_are_bounded_by_the_octets_in_front_of_each_row() {
    let long = format!("<measInfo measInfoId=\"{}\">", "x".repeat(300_000));
    let text = file(HEAD, &format!("</measInfo>{long}<measValue measObjLdn=\"O\"/>"));
    assert_eq!(
        read(text.as_bytes(), text.len(), &[])[0],
        "! \"measInfo\" is too long, or does not end"
    );
}

/// Returns what is found in octets that are more than an element may have, and what comes after these.
fn after_too_much(text: &str, cut: usize, wanted: &[&str]) -> (Step, Vec<Step>) {
    let mut parser = Parser::new(Wanted::new(wanted.iter().copied()));
    let first = parser.next(&text.as_bytes()[..cut], 0, Rest::TooMuch);
    let (Step::More { passed } | Step::Found(Found { passed, .. })) = first else {
        return (first, Vec::new());
    };
    let (mut at, mut steps) = (passed, Vec::new());
    loop {
        let step = parser.next(&text.as_bytes()[at..], at as u64, Rest::Nothing);
        let Step::Found(found) = &step else { return (first, steps) };
        at += found.passed;
        steps.push(step);
    }
}

#[test]
fn what_is_passed_over_leaves_room_for_what_follows() {
    let sound = row("O", "<r p=\"1\">1</r><r p=\"2\">2</r>");
    for passed_over in ["<!-- a comment -->".to_owned(), row("X", "")] {
        let text = file(HEAD, &[passed_over.as_str(), &sound].concat());
        let begin = text.find("<measValue measObjLdn=\"O\"").unwrap();
        for cut in [begin + 5, begin + 40, begin + sound.len() - 3] {
            let (first, rest) = after_too_much(&text, cut, &[]);
            let is_damage = |step: &Step| matches!(step, Step::Found(Found { result: Err(_), .. }));
            assert!(!is_damage(&first) && !rest.iter().any(is_damage), "{first:?} {rest:?}");
        }
    }
}

#[test]
fn the_end_of_a_refused_info_is_found_wherever_its_octets_are_cut() {
    let bad = "<granPeriod duration=\"900X\" endTime=\"2026-03-01T14:15:00Z\"/>";
    let sound = row("O", "<r p=\"1\">1</r><r p=\"2\">2</r>");
    let text = file(bad, &format!("{sound}</measInfo><measInfo>{HEAD}{sound}"));
    let end = text.find("</measInfo>").unwrap();
    for cut in end - 2..end + 14 {
        let (_, rest) = after_too_much(&text, cut, &[]);
        let last = rest.last().expect("there is another info");
        assert!(matches!(last, Step::Found(Found { result: Ok(()), .. })), "{cut}: {rest:?}");
    }
}
