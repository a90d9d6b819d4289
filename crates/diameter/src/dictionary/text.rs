//! The texts of a dictionary. First all names are read, then what is made of them.

use std::collections::HashMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use super::{
    AvpKind, AvpPlace, AvpRule, CommandRule, DIRECT, Dictionary, Grammar, MEMBERS_MAX,
    MandatoryBit, Member, NONE,
};
use crate::avp::AvpCode;

/// The most AVPs of a dictionary: their places have 16 bits.
const AVPS_MAX: usize = 60_000;

/// The word in a grammar for all other AVPs.
const OTHERS: &str = "AVP";

pub(super) fn read(sources: &[Arc<Source>]) -> Result<Dictionary, Vec<Diagnostic>> {
    let mut reading = Reading::default();
    sources.iter().for_each(|source| reading.read(source));
    let Reading { mut dictionary, blocks, mut mistakes, .. } = reading;
    for Block { source, of, lines } in blocks {
        let names = &dictionary.by_name;
        let mut members = Members { source: &source, names, mistakes: &mut mistakes };
        match of {
            Of::Group(place) if !lines.is_empty() => {
                let grammar = members.read(&lines);
                dictionary.avps[place].members = Some(grammar);
            }
            Of::Group(_) => {}
            Of::Command(place) => {
                let grammar = members.read(&lines);
                dictionary.commands[place].members = grammar;
            }
        }
    }
    if mistakes.is_empty() { Ok(dictionary) } else { Err(mistakes) }
}

/// A word of a line.
#[derive(Clone, Copy, Debug)]
struct Word<'t> {
    text: &'t str,
    span: Span,
}

/// Returns the words of a line that begins at an offset. A bracket is a word, and a comment is none.
fn words(line: &str, offset: usize) -> Vec<Word<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut is_open = false;
    for (at, letter) in line.char_indices() {
        let end = at + letter.len_utf8();
        let is_bracket = matches!(letter, '<' | '>' | '{' | '}' | '[' | ']');
        match words.last_mut() {
            _ if letter.is_whitespace() => is_open = false,
            Some(word) if is_open && !is_bracket => {
                let start = word.span.start as usize;
                *word =
                    Word { text: &line[start - offset..end], span: Span::new(start, offset + end) };
            }
            _ => {
                let span = Span::new(offset + at, offset + end);
                words.push(Word { text: &line[at..end], span });
                is_open = !is_bracket;
            }
        }
    }
    words
}

/// The indented lines below a group or a command, by their place in the source.
#[derive(Debug)]
struct Block {
    source: Arc<Source>,
    of: Of,
    lines: Vec<usize>,
}

/// What the lines of a block are about.
#[derive(Clone, Copy, Debug)]
enum Of {
    Group(usize),
    Command(usize),
}

#[derive(Default)]
struct Reading {
    dictionary: Dictionary,
    vendors: HashMap<String, u32>,
    blocks: Vec<Block>,
    mistakes: Vec<Diagnostic>,
}

/// What indented lines are, by the line above them.
#[derive(Clone, Copy)]
enum Below {
    Nothing,
    Values(usize),
    Members,
}

impl Reading {
    fn read(&mut self, source: &Arc<Source>) {
        let mut below = Below::Nothing;
        let mut offset = 0;
        for line in source.text.split_inclusive('\n') {
            let words = words(line, offset);
            let is_indented = line.starts_with([' ', '\t']);
            match (&words[..], is_indented, below) {
                ([], ..) => {}
                (words, false, _) => below = self.line(source, words),
                (_, true, Below::Members) => {
                    let block = self.blocks.last_mut().expect("a line above made one");
                    block.lines.push(offset);
                }
                (words, true, Below::Values(place)) => self.value(source, words, place),
                ([first, ..], true, Below::Nothing) => {
                    self.mistake(
                        source,
                        first.span,
                        "an indented line belongs to a group, an Enumerated or a command",
                    );
                }
            }
            offset += line.len();
        }
    }

    fn mistake(&mut self, source: &Arc<Source>, span: Span, message: impl Into<String>) {
        self.mistakes.push(Diagnostic::error(source, span, message));
    }

    /// Reads a line that is not indented. Returns what the indented lines below it are.
    fn line(&mut self, source: &Arc<Source>, words: &[Word<'_>]) -> Below {
        let [first, rest @ ..] = words else { return Below::Nothing };
        match (first.text, rest) {
            ("vendor", [name, number]) => {
                if let Some(number) = self.number(source, number) {
                    self.vendors.insert(name.text.to_owned(), number);
                }
                Below::Nothing
            }
            ("application", [name, number]) => {
                if let Some(number) = self.number(source, number) {
                    self.dictionary.applications.push((name.text.to_owned(), number));
                }
                Below::Nothing
            }
            ("avp", [name, code, kind, bit, vendor @ ..]) if vendor.len() < 2 => {
                self.avp(source, *name, [*code, *kind, *bit], vendor.first().copied())
            }
            ("request" | "answer", [name, code, abbreviation, rest @ ..]) => {
                self.command(source, first.text == "request", [*name, *code, *abbreviation], rest)
            }
            (known @ ("vendor" | "application" | "avp" | "request" | "answer"), _) => {
                let form = match known {
                    "avp" => "avp NAME CODE TYPE M|m|- [VENDOR]",
                    "request" | "answer" => {
                        "request NAME CODE ABBREVIATION [APPLICATION] [proxiable]"
                    }
                    _ => "vendor NAME NUMBER",
                };
                self.mistake(source, first.span, format!("the line is not of the form \"{form}\""));
                Below::Nothing
            }
            (word, _) => {
                let known = ["vendor", "application", "avp", "request", "answer"];
                let hint = diagnostics::did_you_mean(word, known);
                let message = format!(
                    "a line begins with avp, request, answer, vendor or application, and not with \"{word}\""
                );
                self.mistakes.push(Diagnostic::error(source, first.span, message).hint_maybe(hint));
                Below::Nothing
            }
        }
    }

    fn number<N: std::str::FromStr>(&mut self, source: &Arc<Source>, word: &Word<'_>) -> Option<N> {
        let number = word.text.parse().ok();
        if number.is_none() {
            self.mistake(
                source,
                word.span,
                format!("\"{}\" is no number, or too large", word.text),
            );
        }
        number
    }

    fn avp(
        &mut self,
        source: &Arc<Source>,
        name: Word<'_>,
        [code, kind, bit]: [Word<'_>; 3],
        vendor: Option<Word<'_>>,
    ) -> Below {
        let kinds = AvpKind::ALL;
        let found = kinds.iter().find(|(name, _)| *name == kind.text).map(|(_, kind)| *kind);
        if found.is_none() {
            let hint = diagnostics::did_you_mean(kind.text, kinds.iter().map(|(name, _)| *name));
            let message = format!("there is no type \"{}\"", kind.text);
            self.mistakes.push(Diagnostic::error(source, kind.span, message).hint_maybe(hint));
        }
        let mandatory = match bit.text {
            "M" => MandatoryBit::Must,
            "m" => MandatoryBit::May,
            "-" => MandatoryBit::MustNot,
            other => {
                let message = format!(
                    "the M bit is M (must be set), m (may be set) or - (must not be set), and not \"{other}\""
                );
                self.mistake(source, bit.span, message);
                MandatoryBit::May
            }
        };
        let vendor = match vendor {
            None => Some(0),
            Some(word) => {
                let number = self.vendors.get(word.text).copied();
                if number.is_none() {
                    self.mistake(
                        source,
                        word.span,
                        format!("no line before names a vendor \"{}\"", word.text),
                    );
                }
                number
            }
        };
        let number = self.number(source, &code);
        let (Some(kind), Some(vendor), Some(number)) = (found, vendor, number) else {
            return Below::Nothing;
        };
        let code = AvpCode { vendor, code: number };
        if !self.is_new(source, name, code) {
            return Below::Nothing;
        }
        let place = self.dictionary.avps.len();
        self.place(name.text, code, place as u16);
        self.dictionary.avps.push(AvpRule {
            name: name.text.to_owned(),
            code,
            kind,
            mandatory,
            values: Vec::new(),
            members: None,
        });
        match kind {
            AvpKind::Enumerated => Below::Values(place),
            AvpKind::Grouped => {
                let source = Arc::clone(source);
                self.blocks.push(Block { source, of: Of::Group(place), lines: Vec::new() });
                Below::Members
            }
            _ => Below::Nothing,
        }
    }

    /// Returns whether an AVP has a name and a code of its own, and there is room for it.
    fn is_new(&mut self, source: &Arc<Source>, name: Word<'_>, code: AvpCode) -> bool {
        let other = self.dictionary.avp(code).map(|other| other.name.clone());
        let message = match other {
            _ if self.dictionary.by_name.contains_key(name.text) || name.text == OTHERS => {
                format!("there is an AVP \"{}\" already", name.text)
            }
            Some(other) => format!("{other} has the code {} already", code.code),
            None if self.dictionary.avps.len() >= AVPS_MAX => {
                format!("a dictionary has {AVPS_MAX} AVPs at most")
            }
            None => return true,
        };
        self.mistake(source, name.span, message);
        false
    }

    fn place(&mut self, name: &str, code: AvpCode, place: u16) {
        let Dictionary { direct, by_code, by_name, .. } = &mut self.dictionary;
        by_name.insert(name.to_owned(), place);
        match code {
            AvpCode { vendor: 0, code: number @ 0..DIRECT } => {
                direct.resize(DIRECT as usize, NONE);
                direct[number as usize] = place;
            }
            code => drop(by_code.insert(code, place)),
        }
    }

    fn value(&mut self, source: &Arc<Source>, words: &[Word<'_>], place: usize) {
        match words {
            [number, name] => {
                if let Some(number) = self.number(source, number) {
                    self.dictionary.avps[place].values.push((number, name.text.to_owned()));
                }
            }
            [first, ..] => self.mistake(source, first.span, "a value is a number and its name"),
            [] => {}
        }
    }

    fn command(
        &mut self,
        source: &Arc<Source>,
        is_request: bool,
        [name, code, abbreviation]: [Word<'_>; 3],
        rest: &[Word<'_>],
    ) -> Below {
        let is_proxiable = rest.last().is_some_and(|word| word.text == "proxiable");
        let of = &rest[..rest.len() - usize::from(is_proxiable)];
        let application = match of {
            [] => Some(0),
            [word] => {
                let known = &self.dictionary.applications;
                let found =
                    known.iter().find(|(name, _)| name == word.text).map(|(_, number)| *number);
                if found.is_none() {
                    self.mistake(
                        source,
                        word.span,
                        format!("no line before names an application \"{}\"", word.text),
                    );
                }
                found
            }
            [_, more, ..] => {
                self.mistake(source, more.span, "a command is of one application");
                None
            }
        };
        let number = self.number(source, &code);
        let (Some(code_number), Some(application)) = (number, application) else {
            return Below::Nothing;
        };
        if self.dictionary.command(code_number, is_request).is_some() {
            self.mistake(source, code.span, format!("there is a command {code_number} already"));
            return Below::Nothing;
        }
        let place = self.dictionary.commands.len();
        self.dictionary.commands.push(CommandRule {
            name: name.text.to_owned(),
            code: code_number,
            abbreviation: abbreviation.text.to_owned(),
            application,
            is_request,
            is_proxiable,
            members: Grammar::default(),
        });
        let source = Arc::clone(source);
        self.blocks.push(Block { source, of: Of::Command(place), lines: Vec::new() });
        Below::Members
    }
}

/// Reads the members of a group or a command, when all names are known.
struct Members<'r> {
    source: &'r Arc<Source>,
    names: &'r HashMap<String, u16>,
    mistakes: &'r mut Vec<Diagnostic>,
}

impl Members<'_> {
    fn read(&mut self, lines: &[usize]) -> Grammar {
        let mut grammar = Grammar::default();
        for &offset in lines {
            let line = self.source.text[offset..].lines().next().unwrap_or_default();
            let words = words(line, offset);
            if let Err((span, message, hint)) = self.member(&words, &mut grammar) {
                let mistake = Diagnostic::error(self.source, span, message);
                self.mistakes.push(mistake.hint_maybe(hint));
            }
        }
        grammar.index();
        grammar
    }

    fn member(
        &self,
        words: &[Word<'_>],
        grammar: &mut Grammar,
    ) -> Result<(), (Span, String, Option<String>)> {
        let whole = match words {
            [first, .., last] => first.span.to(last.span),
            [first] => first.span,
            [] => return Ok(()),
        };
        let no_member = || {
            let message = "a member is \"{ NAME }\", \"[ NAME ]\" or \"< NAME >\", with a count before it such as \"*\" or \"1*2\"";
            (whole, message.to_owned(), None)
        };
        let (count, [open, name, close]) = match words {
            [open, name, close] => ("", [open, name, close]),
            [count, open, name, close] => (count.text, [open, name, close]),
            _ => return Err(no_member()),
        };
        let is_optional = match (open.text, close.text) {
            ("{", "}") | ("<", ">") => false,
            ("[", "]") => true,
            _ => return Err(no_member()),
        };
        let (least, most) = counts(count, is_optional).ok_or_else(no_member)?;
        if name.text == OTHERS {
            grammar.has_others = true;
            return Ok(());
        }
        let Some(place) = self.names.get(name.text) else {
            let known = self.names.keys().map(String::as_str);
            let hint = diagnostics::did_you_mean(name.text, known);
            return Err((name.span, format!("there is no AVP \"{}\"", name.text), hint));
        };
        let avp = AvpPlace(*place);
        if grammar.members.iter().any(|member| member.avp == avp) {
            return Err((name.span, format!("\"{}\" is a member already", name.text), None));
        }
        if grammar.members.len() == MEMBERS_MAX {
            return Err((whole, format!("{MEMBERS_MAX} members at most are possible"), None));
        }
        grammar.members.push(Member { avp, least, most });
        Ok(())
    }
}

/// Returns the least and the most of a count (RFC 6733 section 3.2): `*`, `1*`, `*3`, `1*3`, or nothing.
fn counts(count: &str, is_optional: bool) -> Option<(u32, u32)> {
    let by_kind = if is_optional { 0 } else { 1 };
    let Some((least, most)) = count.split_once('*') else {
        return count.is_empty().then_some((by_kind, 1));
    };
    let number = |text: &str, empty| if text.is_empty() { Some(empty) } else { text.parse().ok() };
    let (least, most) = (number(least, by_kind)?, number(most, u32::MAX)?);
    (least <= most).then_some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Dictionary, Vec<Diagnostic>> {
        read(&[Source::new("test.dictionary", text)])
    }

    #[test]
    fn a_text_is_read() {
        let dictionary = read_text(
            "vendor Own 99\napplication Own 7 # of ours\navp A 1 Unsigned32 M\navp B 2 Enumerated m Own\n  0 NO\n  1 YES\n\
             avp G 3 Grouped - Own\n    1*2{A}\n  *[ AVP ]\nrequest Ask 9 ASK Own proxiable\n < A >\n [ G ]\n",
        );
        let dictionary = dictionary.unwrap();
        let own = |code| AvpCode { vendor: 99, code };
        assert_eq!(dictionary.avp(own(2)).unwrap().values[1], (1, "YES".to_owned()));
        let group = dictionary.avp(own(3)).unwrap();
        let members = group.members.as_ref().unwrap();
        assert_eq!((members.members[0].least, members.members[0].most), (1, 2));
        assert!(members.has_others);
        let command = dictionary.command(9, true).unwrap();
        assert_eq!((command.application, command.is_proxiable), (7, true));
        let optional = command.members.members[1];
        assert_eq!((optional.least, optional.most, command.members.has_others), (0, 1, false));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, expected) in [
            ("avp A 1 Unsigned31 M\n", "test.dictionary:1:9: there is no type \"Unsigned31\""),
            ("avp A x Unsigned32 M\n", "1:7: \"x\" is no number"),
            ("avp A 1 Unsigned32 X\n", "1:20: the M bit is"),
            ("avp A 1 Unsigned32\n", "1:1: the line is not of the form"),
            ("avp A 1 Unsigned32 M Own\n", "1:22: no line before names a vendor \"Own\""),
            ("avp A 1 Unsigned32 M\navp A 2 Unsigned32 M\n", "2:5: there is an AVP \"A\" already"),
            ("avp A 1 Unsigned32 M\navp B 1 Unsigned32 M\n", "2:5: A has the code 1 already"),
            ("avp AVP 1 Unsigned32 M\n", "1:5: there is an AVP \"AVP\" already"),
            ("  { A }\n", "1:3: an indented line belongs"),
            ("avp G 1 Grouped M\n  { Gg }\n", "2:5: there is no AVP \"Gg\""),
            ("avp G 1 Grouped M\n  { G ]\n", "2:3: a member is"),
            ("avp G 1 Grouped M\n  2*1 { G }\n", "2:3: a member is"),
            ("avp G 1 Grouped M\n  { G }\n  [ G ]\n", "3:5: \"G\" is a member already"),
            ("avp E 1 Enumerated M\n  1\n", "2:3: a value is a number"),
            ("request Ask 9 ASK Own\n", "1:19: no line before names an application"),
            ("request Ask 9 ASK\nrequest Ask 9 ASK\n", "2:13: there is a command 9 already"),
            ("avps A\n", "1:1: a line begins with avp"),
        ] {
            let why = read_text(text).unwrap_err()[0].to_string();
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
