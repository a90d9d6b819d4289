//! The text of a function with the functions it calls, word by word. Two with the same text are equal, whatever white
//! space and comments they have.

use std::collections::BTreeSet;

use diagnostics::Span;

use crate::code::{Instruction, Program};
use crate::lexer::{self, Sign, Token};

impl Program {
    /// Returns the words and signs of a function and of those it calls, without comments.
    pub fn text_of(&self, function: usize) -> String {
        let mut found = BTreeSet::from([function]);
        let mut ahead = vec![function];
        while let Some(place) = ahead.pop() {
            for instruction in &self.codes[place].instructions {
                if let Instruction::Call { function, .. } = instruction
                    && found.insert(usize::from(*function))
                {
                    ahead.push(usize::from(*function));
                }
            }
        }
        found.remove(&function);
        let own = |place: usize| self.own_text(self.functions[place].span);
        // In an order that does not depend on their places.
        let called: BTreeSet<String> = found.into_iter().map(own).collect();
        std::iter::once(own(function)).chain(called).collect()
    }

    /// Returns the text from a function's name to its closing brace.
    fn own_text(&self, name: Span) -> String {
        let source = self.source();
        let part = Span::new(name.start as usize, source.text.len());
        let (mut text, mut open) = (String::new(), 0);
        for item in lexer::items_within(source, part, &mut Vec::new()) {
            if matches!(item.token, Token::Comment | Token::End) {
                continue;
            }
            text.push_str(&source.text[item.span.start as usize..item.span.end as usize]);
            text.push(' ');
            match item.token {
                Token::Sign(Sign::OpenBrace) => open += 1,
                Token::Sign(Sign::CloseBrace) if open == 1 => break,
                Token::Sign(Sign::CloseBrace) => open -= 1,
                _ => {}
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use diagnostics::Source;
    use record::Schema;

    #[test]
    fn a_function_says_what_it_does_and_what_those_do_that_it_calls() {
        let text = |script: &str| {
            let source = Source::new("key.dup", script);
            let compiled = crate::compile(&source, Path::new("."), &mut Schema::new());
            let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
            program.text_of(program.find("key").unwrap())
        };
        let key = "INTEGER key(of CONST INTEGER) { if (of > 1) { return of; } return half(of); }";
        let half = "INTEGER half(of CONST INTEGER) { return of / 2; }";
        let other = "INTEGER other(of CONST INTEGER) { return of; }";
        let known = text(&format!("{key}{half}{other}"));
        assert_eq!(
            known,
            "key ( of CONST INTEGER ) { if ( of > 1 ) { return of ; } return half ( of ) ; } \
             half ( of CONST INTEGER ) { return of / 2 ; } "
        );
        assert_eq!(text(&format!("-- }}\n{half} -- {{\n{}", key.replace(' ', "\n "))), known);
        assert_ne!(text(&format!("{key}{}", half.replace('2', "3"))), known);
        assert_ne!(text(&format!("{}{half}", key.replace('1', "2"))), known);
    }
}
