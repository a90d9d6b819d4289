//! Indents JSON, one component per line. Only blanks and line ends change: numbers of any size and the order of
//! components stay as they are.

/// Returns indented JSON.
pub(super) fn pretty(json: &str) -> String {
    let (mut out, mut depth, mut in_text, mut escaped) = (String::new(), 0_usize, false, false);
    let mut characters = json.chars().filter(|c| !matches!(c, '\n' | '\r')).peekable();
    while let Some(character) = characters.next() {
        if in_text {
            out.push(character);
            in_text = character != '"' || escaped;
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            '"' => {
                in_text = true;
                out.push('"');
            }
            '{' | '[' => {
                out.push(character);
                match characters.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            ' ' | '\t' => {}
            other => out.push(other),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn each_component_has_its_line_and_nothing_else_changes() {
        for (json, shown) in [
            ("{}", "{}"),
            ("{\"a\":1,\"b\":[]}", "{\n  \"a\": 1,\n  \"b\": []\n}"),
            (
                "[12345678901234567890,{\"x\":\"y\"}]",
                "[\n  12345678901234567890,\n  {\n    \"x\": \"y\"\n  }\n]",
            ),
            (r#"{"t":"a\"b,{ \\"}"#, "{\n  \"t\": \"a\\\"b,{ \\\\\"\n}"),
        ] {
            assert_eq!(pretty(json), shown);
        }
    }
}
