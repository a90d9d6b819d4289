//! Contents octets of every primitive type: what X.690 allows and does not allow, and that JSON output can be read
//! back.

use asn1::contents;
use proptest::prelude::*;

use super::common::{EACH, Given, element, octets};

fn given(ty: &str) -> Given {
    Given::new(&format!("R ::= [APPLICATION 1] SEQUENCE {{ v [0] {ty} }}"))
}

fn record(identifier: u8, content: &[u8]) -> Vec<u8> {
    element(0x61, &element(identifier, content))
}

fn check(ty: &str, content: &str, expected: Result<&str, &str>) {
    let given = given(ty);
    let octets = octets(content);
    let kind = given.plan.schema().kind(given.plan.schema().kind(given.ty).fields()[0].ty);
    match (given.json(&record(0x80, &octets)), expected) {
        (Ok(json), Ok(expected)) => assert_eq!(json, format!("{{\"v\":{expected}}}"), "{ty}"),
        (Err(fault), Err(expected)) => assert!(fault.contains(expected), "{ty} {content}: {fault}"),
        (found, expected) => panic!("{ty} {content}: {found:?}, not {expected:?}"),
    }
    assert_eq!(contents::check(kind, &octets).is_ok(), expected.is_ok(), "{ty} {content}");
}

#[test]
fn lengths_and_forms_that_a_type_does_not_have_are_refused() {
    check("BOOLEAN", "00", Ok("false"));
    check("BOOLEAN", "01", Ok("true"));
    check("BOOLEAN", "", Err("a BOOLEAN has no octet"));
    check("BOOLEAN", "0001", Err("a BOOLEAN has more than one octet"));
    check("INTEGER", "", Err("an INTEGER has no octets"));
    check("INTEGER", "0005", Ok("5"));
    check("ENUMERATED { a(0), ... }", "", Err("an ENUMERATED has no octets"));
    check("ENUMERATED { a(0), ... }", "000000000000000007", Ok("7"));
    check("ENUMERATED { a(0), ... }", "010000000000000000", Err("beyond 64 bits"));
    check("NULL", "", Ok("null"));
    check("NULL", "00", Err("a NULL has octets"));
    check("OBJECT IDENTIFIER", "", Err("no octets"));
    check("OBJECT IDENTIFIER", "2A864886F70D", Ok("\"1.2.840.113549\""));
    check("OBJECT IDENTIFIER", "2A86", Err("ends within a number"));
    check("OBJECT IDENTIFIER", "2A8001", Err("begins with an octet 80"));
    check("RELATIVE-OID", "", Err("no octets"));
    check("RELATIVE-OID", "C27B", Ok("\"8571\""));
}

#[test]
fn bit_strings_have_as_many_bits_as_they_say() {
    check("BIT STRING", "", Err("no number of its unused bits"));
    check("BIT STRING", "00", Ok("{\"value\":\"\",\"length\":0}"));
    check("BIT STRING", "04F0", Ok("{\"value\":\"f0\",\"length\":4}"));
    check("BIT STRING", "06", Err("more unused bits than it has bits"));
    check("BIT STRING", "08FF", Err("more unused bits than it has bits"));
    check("BIT STRING (SIZE (12))", "0400C0", Ok("\"00c0\""));
    // A length other than the fixed one is written.
    check("BIT STRING (SIZE (12))", "0000C0", Ok("{\"value\":\"00c0\",\"length\":16}"));
    check("BIT STRING (SIZE (12))", "04", Err("more unused bits"));
}

#[test]
fn reals_have_the_forms_of_x_690() {
    check("REAL", "", Ok("0"));
    check("REAL", "40", Ok("\"INF\""));
    check("REAL", "41", Ok("\"-INF\""));
    check("REAL", "42", Ok("\"NaN\""));
    check("REAL", "43", Ok("\"-0\""));
    check("REAL", "44", Err("special value that is reserved"));
    check("REAL", "4000", Err("special value that is reserved"));
    check("REAL", "800105", Ok("10.0"));
    check("REAL", "900105", Ok("40.0"));
    check("REAL", "A8FF08", Ok("2.0"));
    check("REAL", "B00101", Err("base that is reserved"));
    check("REAL", "F00101", Err("base that is reserved"));
    check("REAL", "8001", Err("no mantissa"));
    check("REAL", "80", Err("ends within its exponent"));
    check("REAL", "8300", Err("exponent"));
    check("REAL", "827FFFFF01", Err("beyond the range"));
    check("REAL", "8280000001", Err("beyond the range"));
    check("REAL", "827FFFFF00", Ok("0"));
    check("REAL", "0120202D37", Ok("-7.0"));
    check("REAL", "02332C3134", Ok("3.14"));
    check("REAL", "0331352E452D31", Ok("1.5"));
    check("REAL", "0331354532", Ok("1500.0"));
    for form in ["00", "04", "05", "06", "3F"] {
        check("REAL", &format!("{form}35"), Err("form that is reserved"));
    }
    check("REAL", "01332E3134", Err("no number of its form"));
    check("REAL", "01", Err("no number of its form"));
    check("REAL", "0235", Err("no number of its form"));
    check("REAL", "033E", Err("no number of its form"));
    check("REAL", "016E616E", Err("no number of its form"));
    check("REAL", "03314539393939", Err("beyond the range"));
    check("REAL", "0331452D393939", Err("beyond the range"));
}

#[test]
fn characters_are_whole_and_of_one_encoding() {
    check("BMPString", "D83DDE00", Ok("\"😀\""));
    check("BMPString", "D83D", Err("half of a surrogate pair"));
    check("BMPString", "DE00D83D", Err("half of a surrogate pair"));
    check("BMPString", "004100", Err("ends within a character"));
    check("UniversalString", "0001F600", Ok("\"😀\""));
    check("UniversalString", "00110000", Err("no character's"));
    check("UniversalString", "0000D83D", Err("no character's"));
    check("UniversalString", "0001F6", Err("ends within a character"));
    check("UTF8String", "636166C3A9", Ok("\"café\""));
    check("UTF8String", "636166E9", Err("octet E9 at 3 of the string is no UTF-8"));
    check("GeneralizedTime", "32E9", Err("octet E9 at 1 of the string is no UTF-8"));
    for older in ["IA5String", "VisibleString", "PrintableString", "TeletexString", "GraphicString"]
    {
        check(older, "636166C3A9", Ok("\"café\""));
        check(older, "636166E9", Ok("\"café\""));
        // Controls indicate another encoding, and so does UTF-8 next to a stray octet.
        check(older, "938C8B9E", Err("octet 93 at 0"));
        check(older, "C3A974E9", Err("octet E9 at 3 of the string is no UTF-8, and"));
    }
}

#[test]
fn what_json_has_for_a_value_is_checked() {
    let oid = given("OBJECT IDENTIFIER");
    for (text, content) in [("1.39.3", Some("4F03")), ("1.40.3", None), ("0.50", None)] {
        let read = oid.octets(&format!("{{\"v\":\"{text}\"}}"));
        assert_eq!(read.ok(), content.map(|content| record(0x80, &octets(content))), "{text}");
    }
    for text in ["2.999.3", "2.340282366920938463463374607431768211375"] {
        let json = format!("{{\"v\":\"{text}\"}}");
        let read = oid.octets(&json).expect("an object identifier");
        assert_eq!(oid.json(&read), Ok(json));
    }
    for text in ["3.1", "1", "", "1.", "1.+2", "2.340282366920938463463374607431768211376"] {
        assert!(oid.octets(&format!("{{\"v\":\"{text}\"}}")).is_err(), "{text}");
    }
    let real = given("REAL");
    for text in ["1e-400", "-1e-400", "1e400", "123e999999999999999999"] {
        let wrong = real.octets(&format!("{{\"v\":{text}}}")).expect_err("no such REAL");
        assert!(wrong.contains("64-bit floating point") && wrong.ends_with(text), "{wrong}");
    }
    assert_eq!(real.octets("{\"v\":0.0e5}"), Ok(record(0x80, &[])));
    assert_eq!(real.octets("{\"v\":5e-324}").map(|octets| octets[4]), Ok(0x81));
    let integer = given("INTEGER");
    for text in ["1e3", "60.0", "-0.5"] {
        let wrong = integer.octets(&format!("{{\"v\":{text}}}")).expect_err("no whole number");
        assert_eq!(wrong, format!("\"M.R.v\" (INTEGER): expected a whole number, found {text}"));
    }
    let fixed = given("BIT STRING (SIZE (12))");
    assert_eq!(fixed.octets("{\"v\":\"00c0\"}"), Ok(record(0x80, &octets("0400C0"))));
    assert!(fixed.octets("{\"v\":\"c0\"}").is_err());
    let by_name = Given::new(
        "R ::= [APPLICATION 1] SEQUENCE { v [0] BIT STRING (SIZE (size)) } size INTEGER ::= 4",
    );
    assert_eq!(by_name.octets("{\"v\":\"c0\"}"), Ok(record(0x80, &octets("04C0"))));
}

/// Random contents octets in which significant values are frequent.
fn any_contents() -> impl Strategy<Value = Vec<u8>> {
    let octet = prop_oneof![
        any::<u8>(),
        prop::sample::select(vec![0, 1, 2, 3, 4, 7, 0x2A, 0x40, 0x43, 0x7F, 0x80, 0x81, 0xFF]),
        b'0'..=b'9',
        prop::sample::select(b".,eE+- ".to_vec()),
    ];
    prop::collection::vec(octet, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// All readers reject the same octets. What is written can be read back: the JSON is identical, and the octets have
    /// the same meaning.
    #[test]
    fn what_is_written_of_a_primitive_is_read(content in any_contents()) {
        for (ty, given) in EACH.iter() {
            let came = record(0x80, &content);
            let written = given.json(&came);
            let field = given.plan.schema().kind(given.ty).fields()[0].ty;
            let checked = contents::check(given.plan.schema().kind(field), &content);
            prop_assert_eq!(checked.is_ok(), written.is_ok(), "{} {:02X?}", ty, &content);
            let Ok(json) = written else { continue };
            let read = given.octets(&json);
            let read = read.unwrap_or_else(|wrong| panic!("{ty} {content:02X?}: {wrong}"));
            prop_assert_eq!(given.json(&read), Ok(json.clone()), "{} {:02X?}", ty, &content);
            prop_assert_eq!(given.corrected(&came, &json), Ok(came.clone()), "{}", ty);
        }
    }

    #[test]
    fn whole_numbers_of_any_size_are_read_as_they_are_written(octets in prop::collection::vec(any::<u8>(), 1..40)) {
        let (_, integer) = EACH.iter().find(|(ty, _)| *ty == "INTEGER").expect("it is one");
        let json = integer.json(&record(0x80, &octets)).expect("a number");
        let read = integer.octets(&json).expect("what was written");
        let shortest = octets.windows(2).take_while(|pair| {
            matches!(pair, [0, 0..=0x7F] | [0xFF, 0x80..=0xFF])
        });
        let shortest = &octets[shortest.count()..];
        prop_assert_eq!(read, record(0x80, shortest));
    }
}
