//! Formulas: what they mean, what is wrong with a text, and that both ways to evaluate them agree.

use diagnostics::{Diagnostic, Source, Span};
use performance::formula::{Column, Condition, Formula, NESTING_MAX, OCTETS_MAX, Part, Scratch};
use proptest::prelude::*;

fn whole(text: &str) -> Span {
    Span::new(0, text.len())
}

fn formula(text: &str) -> Formula {
    parsed(text).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
}

fn parsed(text: &str) -> Result<Formula, Vec<Diagnostic>> {
    Formula::parse(&Source::new("kpi", text), whole(text))
}

fn condition(text: &str) -> Condition {
    let parsed = Condition::parse(&Source::new("kpi", text), whole(text));
    parsed.unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
}

/// Returns each mistake as its column, its text and its hint.
fn lines(mistakes: &[Diagnostic]) -> Vec<String> {
    let line = |mistake: &Diagnostic| {
        let hint = mistake.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}: {}{hint}", mistake.place().column, mistake.message)
    };
    mistakes.iter().map(line).collect()
}

/// Checks the value of a formula of constants.
#[track_caller]
fn check(text: &str, expected: f64) {
    let value = formula(text).evaluate(&[]);
    assert!(value == expected || (value.is_nan() && expected.is_nan()), "{text} is {value}");
}

#[test]
fn a_kpi_is_a_ratio_of_counters_and_its_numbers_can_be_read() {
    let drops = formula("pmAbnormal / (pmNormal + pmAbnormal)");
    let columns: Vec<&str> = drops.columns().iter().map(|column| column.counter.as_str()).collect();
    assert_eq!(columns, ["pmAbnormal", "pmNormal"]);
    assert_eq!(drops.evaluate(&[120.0, 3_880.0]), 0.03);
    assert_eq!(drops.with_values(&[120.0, 3_880.0]), "120 / (3,880 + 120)");
    assert_eq!(drops.with_values(&[-2.5]), "(-2.5) / (absent + (-2.5))");
    assert_eq!(drops.text(), "pmAbnormal / (pmNormal + pmAbnormal)");
    let enough = condition("pmNormal + pmAbnormal >= 50");
    assert_eq!(enough.holds(&[3_880.0, 120.0]), Some(true));
    assert_eq!(enough.holds(&[40.0, 9.0]), Some(false));
    assert_eq!(enough.with_values(&[3_880.0, 120.0]), "3,880 + 120 >= 50");
}

#[test]
fn arithmetic_has_its_usual_order() {
    check("1 + 2 * 3 - 4 / 2", 5.0);
    check("(1 + 2) * 3", 9.0);
    check("10 - 4 - 3", 3.0);
    check("64 / 4 / 2", 8.0);
    check("-2 * -3", 6.0);
    check("--2 - -(1 + 1)", 4.0);
    check("min(3, 1 + 1, 7) + max(3, 9, 1)", 11.0);
    check("max(4) + abs(-2.5)", 6.5);
    check("1.5e3 + 1e-3 + .5", 1500.501);
}

#[test]
fn a_column_is_a_counter_an_element_or_a_sum_of_elements() {
    let text = "RRC.ConnEstabAtt.Cause + hist[0] + hist[12] + sum(hist) + \"a \"\"b\"\" 0-5\"[3] + hist[0] + \"and\"";
    let columns = formula(text).columns().to_vec();
    let of = |counter: &str, part| Column { counter: counter.to_owned(), part };
    assert_eq!(
        columns,
        [
            of("RRC.ConnEstabAtt.Cause", Part::Whole),
            of("hist", Part::Element(0)),
            of("hist", Part::Element(12)),
            of("hist", Part::Sum),
            of("a \"b\" 0-5", Part::Element(3)),
            of("and", Part::Whole),
        ]
    );
    assert_eq!(formula(text).evaluate(&[1.0, 10.0, 100.0, 1e3, 1e4, 1e5]), 111_121.0);
    assert_eq!(formula(text).text(), text);
    let shown = formula("sum( hist ) /\n  max(hist[1],\t1)").with_values(&[12.0, 0.0]);
    assert_eq!(shown, "12 / max(0, 1)");
}

#[test]
fn what_is_not_measured_is_no_zero() {
    let sum = formula("a + b");
    assert!(sum.evaluate(&[1.0, f64::NAN]).is_nan());
    assert!(sum.evaluate(&[1.0]).is_nan());
    assert!(sum.evaluate(&[1.0, f64::INFINITY]).is_nan());
    for text in ["0 * a", "min(a, 1)", "min(1, a)", "max(a, 1)", "max(1, a)", "abs(a)", "-a"] {
        assert!(formula(text).evaluate(&[f64::NAN]).is_nan(), "{text}");
    }
    for text in ["1 / 0", "0 / 0", "1 / (1 / 0)", "1e308 * 10", "1 / (1e308 + 1e308)"] {
        check(text, f64::NAN);
    }
}

#[test]
fn a_condition_is_not_known_unless_what_is_measured_decides_it() {
    for (text, expected) in [
        ("a > 1", None),
        ("a == a", None),
        ("a > 1 and 1 > 2", Some(false)),
        ("1 > 2 and a > 1", Some(false)),
        ("a > 1 and 2 > 1", None),
        ("a > 1 or 2 > 1", Some(true)),
        ("2 > 1 or a > 1", Some(true)),
        ("a > 1 or 1 > 2", None),
        ("1 / 0 > 1 or 1 > 2", None),
        ("2 > 1 or 1 > 2 and 1 > 2", Some(true)),
        ("(2 > 1 or 1 > 2) and 1 > 2", Some(false)),
        ("2 >= 2 and 2 <= 2 and 2 == 2 and 1 != 2 and 1 < 2 and 2 > 1", Some(true)),
        ("2 > 2 or 2 < 2 or 2 != 2 or 1 == 2 or 1 >= 2 or 2 <= 1", Some(false)),
        ("-1 + 2 > 0 * 3", Some(true)),
    ] {
        assert_eq!(condition(text).holds(&[f64::NAN]), expected, "{text}");
    }
}

#[test]
fn every_mistake_has_its_place_and_what_to_write() {
    for (text, expected) in [
        ("", &["1: a value is missing here"][..]),
        ("a +", &["4: a value is missing here"]),
        (
            "a + * b / )",
            &[
                "5: a value is missing here",
                "11: a value is missing here",
                "11: no parenthesis is open here",
            ],
        ),
        ("a b", &["3: an operator is missing before this"]),
        ("(a + b", &["1: this parenthesis is not closed"]),
        ("a) + b", &["2: no parenthesis is open here"]),
        ("a, b", &["2: only min and max have several values"]),
        (
            "(a)[1]",
            &["4: only a counter has elements (write name[0])", "6: no bracket is open here"],
        ),
        (
            "a ? b % c",
            &[
                "3: \"?\" is no sign of a formula (a name with other characters than letters, digits, _ and . stands in quotes)",
                "7: \"%\" is no sign of a formula (a name with other characters than letters, digits, _ and . stands in quotes)",
            ],
        ),
        (
            "5QI1.Flows + 1.2.3",
            &[
                "1: \"5QI1.Flows\" is no number (a name that begins with a digit stands in quotes: \"5QI1.Flows\")",
                "14: \"1.2.3\" is no number (write 1500, 0.25 or 1.5e3)",
            ],
        ),
        ("1e999", &["1: 1e999 is too large for a number"]),
        ("\"a", &["1: this quote is not closed"]),
        ("\"\" + b", &["1: a counter has a name"]),
        ("mim(a, b)", &["1: no function is called \"mim\" (did you mean \"min\"?)"]),
        ("average(a)", &["1: no function is called \"average\" (there are sum, min, max, abs)"]),
        ("min()", &["5: a value is missing here"]),
        ("abs(a, b)", &["1: abs has one value"]),
        (
            "sum(a + b)",
            &[
                "5: sum is of the elements of one counter (write sum(a) + sum(b) for lists, a + b for values)",
            ],
        ),
        ("sum(a +)", &["8: a value is missing here"]),
        ("a[b]", &["3: an element has a number from 0 to 65535 (write name[0])"]),
        (
            "a[1.5] + b[-1] + c[65536]",
            &[
                "3: an element has a number from 0 to 65535 (write name[0])",
                "12: an element has a number from 0 to 65535 (write name[0])",
                "20: an element has a number from 0 to 65535 (write name[0])",
            ],
        ),
        ("a[1 + b", &["2: this bracket is not closed"]),
        (
            "a > 1",
            &["1: this is a condition, and a formula needs a value (only and, or join conditions)"],
        ),
        (
            "(a > 1) + 2",
            &["1: this is a condition, and \"+\" needs a value (only and, or join conditions)"],
        ),
        (
            "min(a, b == c)",
            &["8: this is a condition, and \"min\" needs a value (only and, or join conditions)"],
        ),
        (
            "-(a > 1)",
            &["2: this is a condition, and \"-\" needs a value (only and, or join conditions)"],
        ),
    ] {
        assert_eq!(lines(&parsed(text).expect_err(text)), expected, "{text:?}");
    }
    for (text, expected) in [
        ("a", &["1: this is a value, and a condition needs a comparison (write … >= 50)"][..]),
        ("a and b > 1", &["1: this is a value, and \"and\" needs a comparison (write … >= 50)"]),
        (
            "1 < a < 3",
            &["1: this is a condition, and \"<\" needs a value (only and, or join conditions)"],
        ),
        ("a > 1 AND b > 1", &["7: an operator has small letters (write and)"]),
        (
            "a > 1 && b = 1",
            &["7: no sign is written && (write and)", "12: no sign is written = (write ==)"],
        ),
        ("a >", &["4: a value is missing here"]),
        ("and", &["1: a value is missing here", "4: a value is missing here"]),
    ] {
        let source = Source::new("kpi", text);
        let mistakes = Condition::parse(&source, whole(text)).expect_err(text);
        assert_eq!(lines(&mistakes), expected, "{text:?}");
    }
}

#[test]
fn a_formula_within_a_text_has_its_place_there() {
    let source = Source::new("flow.toml", "value = 'a + (b'\n");
    let mistakes = Formula::parse(&source, Span::new(9, 15)).expect_err("it is not closed");
    assert_eq!(mistakes[0].line(), "flow.toml:1:14: this parenthesis is not closed");
    assert!(Formula::parse(&source, Span::new(9, 99)).is_err());
}

#[test]
fn hostile_texts_are_bounded() {
    let nested = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parsed(&nested(NESTING_MAX - 1)).is_ok());
    let expected = ["33: this is nested deeper than 32 levels"];
    for text in [nested(NESTING_MAX), nested(8_000), "-".repeat(16_000), "(".repeat(16_000)] {
        assert_eq!(lines(&parsed(&text).expect_err("deep")), expected);
    }
    let sum = format!("a{}", " + a".repeat(4_000));
    assert_eq!(formula(&sum).evaluate(&[1.0]), 4_001.0);
    let long = "1".repeat(OCTETS_MAX + 1);
    assert_eq!(
        lines(&parsed(&long).expect_err("long")),
        ["1: the formula has 16385 octets, and 16384 at most"]
    );
    // Each level of parentheses has a sum and a product that wait.
    let wide = format!("{}1{}", "1 + 1 * (".repeat(30), ")".repeat(30));
    assert!(formula(&wide).evaluate(&[]) == 31.0);
    let wider = format!("{}1{}", "1 > 1 + 1 * (".repeat(30), ")".repeat(30));
    assert!(parsed(&wider).is_err());
    let deepest = format!("{}1{}", "min(1, 1 + 1 * (".repeat(15), "))".repeat(15));
    assert_eq!(formula(&deepest).evaluate(&[]), 1.0);
}

/// Returns the text of any formula over the counters `a` to `d`.
fn any_formula() -> impl Strategy<Value = String> {
    let number = (0u32..1000).prop_map(|number| format!("{}", f64::from(number) / 8.0));
    let leaf = prop_oneof![number, "[a-d]".prop_map(|name| name)];
    leaf.prop_recursive(4, 40, 3, |part| {
        prop_oneof![
            (part.clone(), "[-+*/]", part.clone())
                .prop_map(|(a, sign, b)| format!("({a} {sign} {b})")),
            (part.clone(), part.clone()).prop_map(|(a, b)| format!("min({a}, {b})")),
            (part.clone(), part.clone(), part.clone())
                .prop_map(|(a, b, c)| format!("max({a}, {b}, {c})")),
            part.clone().prop_map(|a| format!("abs({a})")),
            part.prop_map(|a| format!("-{a}")),
        ]
    })
}

fn any_condition() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec![">", ">=", "<", "<=", "==", "!="]);
    let comparison =
        (any_formula(), sign, any_formula()).prop_map(|(a, sign, b)| format!("{a} {sign} {b}"));
    comparison.prop_recursive(3, 8, 2, |part| {
        (part.clone(), prop::sample::select(vec!["and", "or"]), part)
            .prop_map(|(a, word, b)| format!("({a} {word} {b})"))
    })
}

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-100i32..100).prop_map(f64::from),
        1 => prop::sample::select(vec![0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE]),
        1 => any::<f64>(),
    ]
}

/// Returns columns of one length, which may be more than a block has.
fn any_rows() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let row = || prop::array::uniform4(any_value());
    prop_oneof![prop::collection::vec(row(), 0..40), prop::collection::vec(row(), 500..1_100)]
}

/// Returns the values of the columns of a formula, in its order.
fn columns(of: &[Column], rows: &[[f64; 4]]) -> Vec<Vec<f64>> {
    let place = |column: &Column| usize::from(column.counter.as_bytes()[0] - b'a');
    of.iter().map(|column| rows.iter().map(|row| row[place(column)]).collect()).collect()
}

fn agree(
    of: &[Column],
    rows: &[[f64; 4]],
    one: impl Fn(&[f64]) -> f64,
    all: impl Fn(&[&[f64]], &mut Scratch, &mut [f64]),
) {
    let columns = columns(of, rows);
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let (mut out, mut scratch) = (vec![7.0; rows.len()], Scratch::default());
    for _ in 0..2 {
        all(&slices, &mut scratch, &mut out);
        for (row, value) in out.iter().enumerate() {
            let values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
            assert_eq!(value.to_bits(), one(&values).to_bits(), "row {row} of {values:?}");
            assert!(value.is_finite() || value.is_nan());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn both_ways_to_evaluate_agree_bit_by_bit(text in any_formula(), rows in any_rows()) {
        let formula = formula(&text);
        agree(
            formula.columns(),
            &rows,
            |values| formula.evaluate(values),
            |columns, scratch, out| formula.evaluate_all(columns, scratch, out),
        );
        prop_assert_eq!(again(&formula), formula.text());
    }

    #[test]
    fn both_ways_to_judge_agree(text in any_condition(), rows in any_rows()) {
        let condition = condition(&text);
        let number = |truth: Option<bool>| truth.map_or(f64::NAN, |truth| f64::from(u8::from(truth)));
        agree(
            condition.columns(),
            &rows,
            |values| number(condition.holds(values)),
            |columns, scratch, out| condition.hold_all(columns, scratch, out),
        );
    }

    #[test]
    fn any_text_is_parsed_or_has_mistakes_within_it(text in "[a-c0-9.\\[\\]()+*/<>=!&,\" -]{0,60}|\\PC{0,40}") {
        for mistakes in [
            Formula::parse(&Source::new("kpi", text.as_str()), whole(&text)).err(),
            Condition::parse(&Source::new("kpi", text.as_str()), whole(&text)).err(),
        ].into_iter().flatten() {
            prop_assert!(!mistakes.is_empty());
            for mistake in mistakes {
                prop_assert!(mistake.span.start <= mistake.span.end && mistake.span.end as usize <= text.len());
            }
        }
    }
}

/// Returns the text of a formula that was parsed once more.
fn again(of: &Formula) -> String {
    formula(&of.text()).text()
}
