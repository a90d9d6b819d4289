//! Templates: texts with names in braces, such as `no prefix of {number}`. Braces of the text itself are doubled.

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// The name of a value.
    Value(&'t str),
}

/// Splits a template. A brace without a partner is text: templates may come from a journal that was damaged.
pub(crate) fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, behind) = first(rest);
        rest = behind;
        Some(piece)
    })
}

fn first(template: &str) -> (Piece<'_>, &str) {
    let at = template.find(['{', '}']).unwrap_or(template.len());
    if at > 0 {
        let (text, rest) = template.split_at(at);
        return (Piece::Text(text), rest);
    }
    let is_doubled = template.starts_with("{{") || template.starts_with("}}");
    match template.find('}') {
        _ if is_doubled => (Piece::Text(&template[..1]), &template[2..]),
        Some(end) if end > 0 => (Piece::Value(&template[1..end]), &template[end + 1..]),
        _ => (Piece::Text(&template[..1]), &template[1..]),
    }
}

/// Adds text to a template, its braces doubled.
pub(crate) fn escape(text: &str, template: &mut String) {
    for character in text.chars() {
        if matches!(character, '{' | '}') {
            template.push(character);
        }
        template.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_split_into_text_and_names() {
        let mut template = String::new();
        escape("a {b} ", &mut template);
        template.push_str("{name}!");
        let found: Vec<Piece<'_>> = pieces(&template).collect();
        let text = |text| Piece::Text(text);
        let expected = [
            text("a "),
            text("{"),
            text("b"),
            text("}"),
            text(" "),
            Piece::Value("name"),
            text("!"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_damaged_template_is_text() {
        for damaged in ["{", "}", "a {b", "a } b", "{}"] {
            assert!(pieces(damaged).count() > 0, "{damaged}");
        }
    }
}
