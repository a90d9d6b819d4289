//! Errors with codes: what they say of themselves, and that it is what their `Display` says.

use reason::{Code, Coded, Reason};

const DEPTH_MAX: usize = 100;

/// Why a cell is refused.
#[derive(Debug, thiserror::Error, Coded)]
#[code("cell")]
enum CellError {
    /// The cell is
    /// empty.
    #[error("the cell is empty")]
    Empty,
    /// It nests too deeply.
    #[error("values lie more than {DEPTH_MAX} deep")]
    TooDeep,
    /// It is another text than expected.
    #[error("\"{text}\" is not {{{}}} but {expected:?}", .expected, text = quoted(.text))]
    Text { text: String, expected: &'static str },
    #[error("{name} of {octets} octets, at most {max}", name = .0, octets = .1, max = DEPTH_MAX)]
    #[code("cell-octets")]
    Long(String, usize),
}

/// Why a line is refused.
#[derive(Debug, thiserror::Error, Coded)]
#[code("line")]
enum LineError {
    #[error(transparent)]
    Cell(#[from] CellError),
    #[error("line {line}, column \"{column}\": {cell}")]
    At {
        line: u64,
        column: String,
        #[coded]
        cell: CellError,
    },
    #[error("the names: {0}")]
    Names(#[coded] Box<LineError>),
}

/// There is no tariff.
#[derive(Debug, thiserror::Error, Coded)]
#[error("no tariff: {step}: {step}")]
#[code("no-tariff")]
struct NoTariff {
    step: &'static str,
}

fn quoted(text: &str) -> String {
    format!("<{text}>")
}

fn check(error: &impl Coded, code: &str, template: &str, parameters: &[(&str, &str)]) {
    let reason = Reason::of(error);
    assert_eq!(reason.to_string(), error.to_string());
    assert_eq!((reason.code(), reason.template()), (code, template));
    assert_eq!(reason.parameters().collect::<Vec<_>>(), parameters);
}

#[test]
fn an_error_says_its_code_template_and_values() {
    check(&CellError::Empty, "cell-empty", "the cell is empty", &[]);
    check(&CellError::TooDeep, "cell-too-deep", "values lie more than 100 deep", &[]);
    check(
        &CellError::Long("IMSI".into(), 7),
        "cell-octets",
        "{name} of {octets} octets, at most 100",
        &[("name", "IMSI"), ("octets", "7")],
    );
    let text = CellError::Text { text: "x".into(), expected: "a \"number\"" };
    check(
        &text,
        "cell-text",
        "\"{text}\" is not {{{expected}}} but {expected2}",
        &[("text", "<x>"), ("expected", "a \"number\""), ("expected2", r#""a \"number\"""#)],
    );
    check(
        &NoTariff { step: "time" },
        "no-tariff",
        "no tariff: {step}: {step2}",
        &[("step", "time"), ("step2", "time")],
    );
}

#[test]
fn the_error_within_is_the_cause() {
    check(&LineError::Cell(CellError::Empty), "cell-empty", "the cell is empty", &[]);
    let at = |cell| LineError::At { line: 3, column: "imsi".into(), cell };
    let parameters = [("line", "3"), ("column", "imsi")];
    check(
        &at(CellError::Empty),
        "cell-empty",
        "line {line}, column \"{column}\": the cell is empty",
        &parameters,
    );
    let names = LineError::Names(Box::new(at(CellError::TooDeep)));
    let template = "the names: line {line}, column \"{column}\": values lie more than 100 deep";
    check(&names, "cell-too-deep", template, &parameters);
}

#[test]
fn a_value_may_look_like_a_template() {
    let reason = Reason::of(&CellError::Long("{value2} {{".into(), 7));
    assert_eq!(reason.to_string(), "{value2} {{ of 7 octets, at most 100");
    let uncoded = Reason::uncoded("braces {name} in a text");
    assert_eq!((uncoded.to_string().as_str(), uncoded.code()), ("braces {name} in a text", ""));
    assert_eq!(uncoded.parameters().count(), 0);
}

#[test]
fn the_codes_of_a_type_are_listed_with_their_meaning() {
    let code = |code, template: &str, meaning| Code { code, template: template.into(), meaning };
    let expected = [
        code("cell-empty", "the cell is empty", "The cell is empty."),
        code("cell-too-deep", "values lie more than 100 deep", "It nests too deeply."),
        code(
            "cell-text",
            "\"{text}\" is not {{{expected}}} but {expected2}",
            "It is another text than expected.",
        ),
        code("cell-octets", "{name} of {octets} octets, at most 100", ""),
    ];
    assert_eq!(CellError::codes(), expected);
    assert_eq!(LineError::codes(), []);
}
