//! Everything before the first record of a file is counted, in every codec and framing.

use crate::text::bench_of_module;

const MODULE: &str = r"
M DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call ::= [APPLICATION 3] SEQUENCE { n [0] INTEGER, t [1] UTF8String OPTIONAL, ... }
END";

/// A BER record.
const ONE: &[u8] = b"\x63\x03\x80\x01\x01";

/// Settings, a file, and what is skipped in it.
type Case = (&'static [(&'static str, &'static str)], Vec<u8>, &'static [(&'static str, u64)]);

#[test]
fn what_stands_before_the_first_record_is_counted() {
    let join = |parts: &[&[u8]]| parts.concat();
    let header = [&b"\0\0\0\x3D\0\0\0\x34"[..], &[0; 44]].concat();
    let cases: Vec<Case> = vec![
        (&[], join(&[&[0, 0xFF, 0], ONE]), &[("filler", 3)]),
        (
            &[("skip", "4")],
            join(&[b"HEAD", &[0], ONE]),
            &[("octets by \"skip\"", 4), ("filler", 1)],
        ),
        (&[("gap", "2")], join(&[ONE, b"xx", ONE]), &[]),
        (
            &[("pass-over", "LD")],
            join(&[b"LD", &[0], ONE]),
            &[("blocks by \"pass-over\"", 2), ("filler", 1)],
        ),
        (&[], join(&[b"junk", ONE]), &[]),
        (&[], vec![0; 9], &[("filler", 9)]),
        (
            &[("framing", "length-2")],
            join(&[&[0, 0, 0, 5], ONE]),
            &[("filler and the length of the first record", 4)],
        ),
        (
            &[("framing", "length-4")],
            join(&[&[0, 0, 0, 5], ONE]),
            &[("filler and the length of the first record", 4)],
        ),
        (
            &[("framing", "ts-32.297")],
            join(&[&header, &[0, 5, 0x61, 0x20], ONE]),
            &[
                ("the file header of TS 32.297", 52),
                ("filler and the header of the first record", 4),
            ],
        ),
        (&[("framing", "ts-32.297")], header[..].to_vec(), &[]),
        (
            &[("framing", "batch")],
            join(&[b"\x30\x07\x30\x05", ONE]),
            &[("what stands before the list of the batch", 4)],
        ),
        (
            &[("codec", "xml")],
            b"\xEF\xBB\xBF<?xml version='1.0'?>\n<a><b> <Call><n>1</n></Call></b></a>".to_vec(),
            &[
                ("the XML declaration, comments and blanks", 23),
                ("the beginning of the element \"a\"", 3),
                ("the beginning of the element \"b\"", 3),
                ("the mark of UTF-8", 3),
            ],
        ),
        (
            &[("codec", "xml"), ("pass-over", "h")],
            b"<a><h>1</h> <!-- --></a> ".to_vec(),
            &[
                ("elements by \"pass-over\"", 8),
                ("the XML declaration, comments and blanks", 10),
                ("the beginning of the element \"a\"", 3),
                ("the end of the element \"a\"", 4),
            ],
        ),
        (
            &[("codec", "xml")],
            b"<?xml version='1.0'?>\n<a>x".to_vec(),
            &[
                ("the XML declaration, comments and blanks", 22),
                ("the beginning of the element \"a\"", 3),
            ],
        ),
        (
            &[
                ("codec", "fixed"),
                ("line-ends", "false"),
                ("skip-lines", "1"),
                ("columns", "n width 3"),
            ],
            b"\xEF\xBB\xBFHDR  1".to_vec(),
            &[("the mark of the encoding", 3), ("lines by `skip-lines`", 3)],
        ),
    ];
    // Element names come from the file, so only some are counted by name.
    let many: String = (0..1_000).map(|number| format!("<a{number}/>")).collect();
    let bench = bench_of_module(MODULE, "M.Call");
    let file = many.clone() + "<Call><n>1</n></Call>";
    let (passed, first) = bench.passed_over(&[("codec", "xml")], file.as_bytes());
    assert!(passed.len() < 20, "{passed:?}");
    assert_eq!(
        (passed.iter().map(|(_, octets)| octets).sum::<u64>(), first),
        (first, many.len() as u64)
    );
    for (settings, file, expected) in cases {
        let bench = bench_of_module(MODULE, "M.Call");
        let (mut passed, first) = bench.passed_over(settings, &file);
        assert_eq!(
            passed.iter().map(|(_, octets)| octets).sum::<u64>(),
            first,
            "{settings:?}: {passed:?}"
        );
        passed.sort();
        let mut expected: Vec<(String, u64)> =
            expected.iter().map(|(what, octets)| ((*what).to_owned(), *octets)).collect();
        expected.sort();
        assert_eq!(passed, expected, "{settings:?}");
    }
}
