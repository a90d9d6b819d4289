//! Cells of a report that a spreadsheet opens.

/// Returns a text as a cell of CSV (RFC 4180). Names of files and reasons come from outside: if a spreadsheet would
/// read one as a formula, it gets a quote before it.
pub fn cell(text: &str) -> String {
    let formula = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{formula}{}\"", text.replace('"', "\"\"")),
        false => format!("{formula}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_is_one_field_and_no_formula() {
        for (text, written) in [
            ("boston", "boston"),
            ("a,b", "\"a,b\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("=cmd|x", "'=cmd|x"),
            ("=cmd|x,\"y\"", "\"'=cmd|x,\"\"y\"\"\""),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@a", "'@a"),
            ("\ta", "'\ta"),
        ] {
            assert_eq!(cell(text), written);
        }
    }
}
