//! A file read in stretches, wherever it is cut, gives the same records and damage as the file read at once.

use std::io::Cursor;

use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Source, Span};
use format::{Codecs, Formats as _, Input, ModuleTable, NextEnd, OperatorModules, Reader, Stretch};
use record::{Arena, Memory, Opened};
use settings::{Setting, Settings};

const MODULE: &str = r"
M DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call ::= [APPLICATION 3] SEQUENCE { n [0] INTEGER, t [1] UTF8String OPTIONAL, ... }
END";

/// A file in memory, and how much memory it brings that was used before.
struct File<'o>(&'o [u8], usize);

impl format::Contents for File<'_> {
    fn size(&self) -> std::io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn octets(&self) -> std::io::Result<Box<dyn std::io::Read>> {
        self.octets_from(0)
    }

    fn octets_from(&self, offset: u64) -> std::io::Result<Box<dyn std::io::Read>> {
        Ok(Box::new(Cursor::new(self.0[offset as usize..].to_vec())))
    }

    fn memory(&self) -> Vec<u8> {
        vec![b'\n'; self.1]
    }
}

/// Random numbers that are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

struct Bench {
    plan: Plan,
    codecs: Box<dyn Codecs>,
}

fn settings(words: &[(&str, &str)]) -> Settings {
    let setting = |(key, value): &(&str, &str)| Setting {
        key: (*key).to_owned(),
        value: (*value).to_owned(),
        span: Span::default(),
    };
    let source = Source::new("flow.toml", "");
    let values = words.iter().map(setting).collect();
    Settings { name: "here".into(), span: Span::default(), source, folder: ".".into(), values }
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.asn1"), MODULE).expect("a file");
    let module = Setting { key: "modules".into(), value: "m.asn1".into(), span: Span::default() };
    let table = ModuleTable {
        source: Source::new("flow.toml", ""),
        folder: folder.path().into(),
        modules: vec![module],
        tagging: Vec::new(),
    };
    let mut mistakes = Vec::new();
    let modules = OperatorModules.load(&table, &mut mistakes);
    let codecs = modules.types(&[&settings(&[("type", "M.Call")])], &mut mistakes).finish();
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    let mut resolver = Resolver::new(&modules);
    resolver.resolve("M.Call").expect("the module is right");
    Bench { plan: Plan::compile(resolver.finish()), codecs }
}

impl Bench {
    fn input(&self, words: &[(&str, &str)]) -> Box<dyn Input> {
        let ty = self.plan.schema().find("M.Call").expect("it was resolved");
        let settings = settings(&[&[("type", "M.Call")], words].concat());
        self.codecs.input(&settings, ty, &Opened::All).expect("the settings are right")
    }

    /// Returns the next record or damage as text, with its offset.
    fn next(&self, reader: &mut dyn Reader) -> Option<String> {
        let mut arena = Arena::new();
        let read = reader.next(&mut arena).expect("it can be read")?;
        let (offset, length) = (read.offset, read.octets.len());
        Some(match read.record {
            Ok(record) => {
                let memory = Memory::new(read.octets, &mut arena);
                let mut text = Vec::new();
                let options = jer::Options::default();
                let written = jer::write(&self.plan, &memory, record, options, &mut text);
                format!("{offset}+{length} {written:?} {}", String::from_utf8_lossy(&text))
            }
            Err(reason) => format!("{offset}+{length} {reason}"),
        })
    }

    fn at_once(&self, input: &dyn Input, file: File<'_>) -> Vec<String> {
        let mut reader = input.open(&file).expect("it is there");
        let found = std::iter::from_fn(|| self.next(&mut *reader)).collect();
        assert!(reader.into_octets().len() >= file.1, "it gives the memory back");
        found
    }

    /// Returns the same for a file read in stretches, with the number of predicted places and of those that were right.
    fn in_stretches(
        &self,
        input: &dyn Input,
        file: &[u8],
        chance: &mut Chance,
    ) -> (Vec<String>, usize, usize) {
        let stretches = input.stretches().expect("it can be read in stretches");
        let mut reader = input.open(&File(file, 0)).expect("it is there");
        let context = reader.context().to_vec();
        let (mut found, mut all_said, mut as_said) = (Vec::new(), 0, 0);
        let mut said = None;
        while let Some(next) = self.next(&mut *reader) {
            found.push(next);
            let Some(at) = reader.position() else { continue };
            if said.is_some_and(|said| at < said) {
                continue;
            }
            all_said += usize::from(said.is_some());
            as_said += usize::from(said == Some(at));
            let octets = &file[at as usize..];
            let next = stretches.next_end(&context, octets, chance.below(400));
            said = next.map(|NextEnd { octets, .. }| at + octets as u64);
            let begin = chance.below(9).min(at as usize);
            let mut memory = octets[..chance.below(300).min(octets.len())].to_vec();
            let behind = Box::new(Cursor::new(octets[memory.len()..].to_vec()));
            memory.splice(0..0, vec![0xAA; begin]);
            let end = memory.len();
            memory.resize(end + chance.below(9), 0xAA);
            let stretch = Stretch { offset: at, octets: memory, begin, end, behind };
            reader = stretches.read_on(&context, stretch).expect("it is in memory");
        }
        (found, all_said, as_said)
    }

    fn check(&self, words: &[(&str, &str)], begin: &str, record: fn(&mut Chance) -> Vec<u8>) {
        let input = self.input(words);
        let mut said_at_all = 0;
        for seed in 1..300 {
            let mut chance = Chance(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
            let mut file = begin.as_bytes().to_vec();
            for _ in 0..40 {
                file.extend(record(&mut chance));
            }
            let damages = chance.below(4) * chance.below(4);
            for _ in 0..damages {
                let at = begin.len() + chance.below(file.len() - begin.len());
                match chance.below(3) {
                    0 => file[at] = [0, 0xFF, b'"', b'\n', 0x63, 0x80][chance.below(6)],
                    1 => drop(file.remove(at)),
                    _ => file.insert(at, [b'"', b'\n', b'\r', 0, 0x63][chance.below(5)]),
                }
            }
            let expected = self.at_once(&*input, File(&file, 0));
            let memory = [chance.below(600), 1 << 19][chance.below(2)];
            assert_eq!(self.at_once(&*input, File(&file, memory)), expected, "{words:?}, {memory}");
            let (found, said, as_said) = self.in_stretches(&*input, &file, &mut chance);
            assert_eq!(found, expected, "{words:?}, seed {seed}");
            assert!(damages > 0 || said == as_said, "{words:?}, seed {seed}: {as_said} of {said}");
            said_at_all += said;
        }
        assert!(said_at_all > 300, "{words:?}: {said_at_all}");
    }
}

/// Returns a BER record, mostly a short one.
fn ber(chance: &mut Chance) -> Vec<u8> {
    let longest = if chance.below(9) == 0 { 100 } else { 9 };
    let text = vec![b'x'; chance.below(longest)];
    let mut octets = vec![0x63, text.len() as u8 + 5, 0x80, 1, chance.below(128) as u8, 0x81];
    octets.push(text.len() as u8);
    octets.extend(text);
    octets
}

#[test]
fn records_one_after_another() {
    let with_filler = |chance: &mut Chance| {
        let mut octets = ber(chance);
        octets.extend(vec![0; [0, 0, 0, 3][chance.below(4)]]);
        octets
    };
    bench().check(&[("framing", "records")], "", with_filler);
    bench().check(&[("framing", "detect")], "", ber);
}

#[test]
fn records_with_a_gap_between_them() {
    let with_gap = |chance: &mut Chance| [ber(chance), vec![0xEE; 2]].concat();
    bench().check(&[("framing", "records"), ("gap", "2")], "", with_gap);
}

#[test]
fn records_with_a_length_before_them() {
    let with_length = |chance: &mut Chance| {
        let octets = ber(chance);
        [vec![0, octets.len() as u8], octets].concat()
    };
    bench().check(&[("framing", "length-2")], "", with_length);
    bench().check(&[("framing", "detect")], "", with_length);
}

#[test]
fn lines_of_json() {
    let line = |chance: &mut Chance| {
        let end = ["\n", "\n", "\r\n", "\n\n"][chance.below(4)];
        format!("{{\"n\":{}}}{end}", chance.below(99_999)).into_bytes()
    };
    bench().check(&[("codec", "json")], "", line);
}

#[test]
fn lines_of_values_in_quotes() {
    let line = |chance: &mut Chance| {
        let end = ["\n", "\n", "\r\n", "\r\n\r\n"][chance.below(4)];
        let text = ["", "text", "\"a\nb\"", "\"a\"\"\r\nb\""][chance.below(4)];
        format!("{text},{}{end}", chance.below(99_999)).into_bytes()
    };
    let columns = [("codec", "csv"), ("columns", "n"), ("columns", "t")];
    bench().check(&columns, "t,n\r\n", line);
    let line = |chance: &mut Chance| format!("{},\n", chance.below(99_999)).into_bytes();
    bench().check(&[&columns[..], &[("header", "false")]].concat(), "", line);
}

#[test]
fn lines_of_columns_of_fixed_width() {
    let line = |chance: &mut Chance| format!("{:>8}\n", chance.below(99_999)).into_bytes();
    bench().check(&[("codec", "fixed"), ("columns", "n width 8 right")], "", line);
}

#[test]
fn records_of_fixed_width_without_line_ends() {
    let record = |chance: &mut Chance| {
        let text = ["ab", "é", "\u{1f4de}x", ""][chance.below(4)];
        format!("{text:<4}{:>8}", chance.below(99_999)).into_bytes()
    };
    let words = [
        ("codec", "fixed"),
        ("line-ends", "false"),
        ("columns", "t width 4"),
        ("columns", "n width 8 right"),
    ];
    bench().check(&words, "", record);
    let ascii = |chance: &mut Chance| format!("abcd{:>8}", chance.below(99_999)).into_bytes();
    bench().check(&[&words[..], &[("encoding", "iso-8859-1")]].concat(), "", ascii);
}

#[test]
fn records_with_blocks_between_them() {
    let with_blocks = |chance: &mut Chance| {
        let blocks = [&b""[..], b"LT01LD77", b"LT99"][chance.below(3)];
        [ber(chance), blocks.to_vec()].concat()
    };
    bench().check(&[("pass-over", "LT##"), ("pass-over", "LD##")], "LD01", with_blocks);
}
