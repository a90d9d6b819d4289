//! Finds the codec of a `decode` or `encode` table. A new codec is one line here and one file.

use std::collections::HashMap;
use std::sync::Arc;

use asn1::{Plan, jer};
use diagnostics::{Diagnostic, Encoding, did_you_mean};
use record::{Opened, TypeId};
use settings::Settings;

use crate::ber::{BerInput, BerKeeping, BerOutput, BlockPattern, Framing, ImplicitReading};
use crate::coding::{Codecs, Input, Keeping, Output};
use crate::column::collect;
use crate::csv::{CsvInput, CsvOutput};
use crate::fixed::{FixedInput, FixedOutput};
use crate::json::{JsonInput, JsonOutput};
use crate::measurements::{self, MeasurementsInput};
use crate::text::{self, InEncoding, LineSettings};
use crate::xml::{XmlInput, XmlOutput};

/// The codecs over the types of a plan.
pub(crate) struct OperatorCodecs {
    pub(crate) plan: Arc<Plan>,
    /// By the name of the type.
    pub(crate) implicit: HashMap<String, Arc<ImplicitReading>>,
}

type Made<T> = Result<T, Vec<Diagnostic>>;

/// A codec, and its keys besides `type` and `codec`.
struct Codec {
    name: &'static str,
    decode: &'static [&'static [&'static str]],
    encode: &'static [&'static [&'static str]],
}

/// The codecs; the first is the default. ORDER CODING KEYS
static CODECS: [Codec; 6] = [
    Codec { name: "ber", decode: &[BerInput::KEYS], encode: &[] },
    Codec {
        name: "json",
        decode: &[JsonInput::KEYS, LineSettings::KEYS],
        encode: &[JsonInput::KEYS, ENCODING],
    },
    Codec {
        name: "csv",
        decode: &[CsvInput::KEYS, LineSettings::KEYS],
        encode: &[CsvOutput::KEYS, ENCODING],
    },
    Codec {
        name: "fixed",
        decode: &[FixedInput::KEYS, LineSettings::KEYS],
        encode: &[FixedOutput::KEYS, ENCODING],
    },
    Codec { name: "xml", decode: &[XmlInput::KEYS], encode: &[] },
    Codec { name: measurements::CODEC, decode: &[MeasurementsInput::KEYS], encode: &[] },
];

const ENCODING: &[&str] = &["encoding"];

/// All keys of `decode` and `encode` tables, for any codec, in the order in which a message lists them. A key that has
/// no meaning for the codec of its table is refused there. ORDER CODING KEYS
pub const CODING_KEYS: [&str; 16] = [
    "type",
    "codec",
    "framing",
    "skip",
    "gap",
    "list",
    "pass-over",
    "encoding",
    "skip-lines",
    "last-line-end",
    "columns",
    "line-ends",
    "separator",
    "header",
    "tbcd-as-digits",
    "counters",
];

impl Codecs for OperatorCodecs {
    fn input(&self, decode: &Settings, ty: TypeId, opened: &Opened) -> Made<Box<dyn Input>> {
        let plan = Arc::clone(&self.plan);
        let codec = codec(decode)?;
        refuse(decode, codec.decode)?;
        Ok(match codec.name {
            "json" => {
                let input = JsonInput::new(plan, ty, json_options(decode)?);
                let unknown = Some(Arc::default());
                Box::new(JsonInput { lines: LineSettings::new(decode)?, unknown, ..input })
            }
            "csv" => Box::new(CsvInput::new(plan, ty, decode)?),
            "fixed" => Box::new(FixedInput::new(plan, ty, decode)?),
            "xml" => Box::new(XmlInput::new(plan, ty, decode)?),
            measurements::CODEC => Box::new(MeasurementsInput::new(plan, ty, decode)?),
            _ => {
                let mut input = ber_input(plan, ty, decode)?;
                let implicit = decode.get("type").and_then(|ty| self.implicit.get(&ty.value));
                input.implicit = implicit.cloned();
                input.look_into(opened);
                Box::new(input)
            }
        })
    }

    fn output(&self, encode: &Settings, ty: TypeId) -> Made<Box<dyn Output>> {
        let plan = Arc::clone(&self.plan);
        let codec = codec(encode)?;
        refuse(encode, codec.encode)?;
        let output: Box<dyn Output> = match codec.name {
            "json" => Box::new(JsonOutput { plan, options: json_options(encode)? }),
            "csv" => Box::new(CsvOutput::new(plan, ty, encode)?),
            "fixed" => Box::new(FixedOutput::new(plan, ty, encode)?),
            "xml" => Box::new(XmlOutput { plan }),
            measurements::CODEC => return Err(not_written(encode)),
            _ => Box::new(BerOutput { plan, ty }),
        };
        Ok(match text::encoding(encode)?.map(text::written) {
            None => output,
            Some((encoding, _)) if encoding == Encoding::UTF_8 => output,
            Some((encoding, has_mark)) => {
                Box::new(InEncoding::new(output, encoding, has_mark, encode)?)
            }
        })
    }

    fn keeping(&self, ty: TypeId) -> Option<Box<dyn Keeping>> {
        Some(Box::new(BerKeeping::new(&self.plan, ty)))
    }
}

/// Returns the codec of a table.
fn codec(settings: &Settings) -> Made<&'static Codec> {
    let names = CODECS.each_ref().map(|codec| codec.name);
    Ok(&CODECS[choose(settings, "codec", &names)?])
}

fn not_written(encode: &Settings) -> Vec<Diagnostic> {
    let message = "files of measurements are read, and not written";
    let codec = encode.get("codec").into_iter();
    codec.map(|codec| encode.error(codec, message).hint("write codec = \"json\"")).collect()
}

fn json_options(settings: &Settings) -> Made<jer::Options> {
    Ok(jer::Options { tbcd_as_digits: flag(settings, "tbcd-as-digits", false)? })
}

fn ber_input(plan: Arc<Plan>, ty: TypeId, decode: &Settings) -> Made<BerInput> {
    let names: Vec<&str> = Framing::NAMES.iter().map(|(name, _)| *name).collect();
    // "records" fits nearly all files, and gives the best errors for the others.
    let framing = match decode.get("framing") {
        None => Framing::Records,
        Some(_) => Framing::NAMES[choose(decode, "framing", &names)?].1,
    };
    let list = decode.get("list");
    if let Some(list) = list
        && framing != Framing::Batch
    {
        return Err(vec![decode.error(list, "only framing = \"batch\" has a list")]);
    }
    let mut input = BerInput::new(plan, ty, framing, list.map(|list| list.value.as_str()))
        .map_err(|error| {
            vec![decode.error(list.unwrap_or(&decode.values[0]), error.to_string())]
        })?;
    input.blocks = blocks(decode, framing)?;
    input.skip = number(decode, "skip", 0)?;
    input.gap = number(decode, "gap", 0)?;
    Ok(input)
}

/// Returns the patterns of the blocks between records.
fn blocks(decode: &Settings, framing: Framing) -> Made<Vec<BlockPattern>> {
    collect(decode.all("pass-over").map(|setting| {
        if framing != Framing::Records {
            let message = "only with framing = \"records\" blocks are known by patterns";
            return Err(decode.error(setting, message));
        }
        BlockPattern::parse(&setting.value).map_err(|why| decode.error(setting, why.to_string()))
    }))
}

/// Returns the index of a setting's value among the known ones; 0 if it is not set.
pub(crate) fn choose(settings: &Settings, key: &str, known: &[&str]) -> Made<usize> {
    let Some(setting) = settings.get(key) else { return Ok(0) };
    known.iter().position(|known| *known == setting.value).ok_or_else(|| {
        let message = format!("the {key} \"{}\" is not known here", setting.value);
        let hint = did_you_mean(&setting.value, known.iter().copied())
            .unwrap_or(format!("known: {}", known.join(", ")));
        vec![settings.error(setting, message).hint(hint)]
    })
}

/// Returns a setting that is true or false.
pub(crate) fn flag(settings: &Settings, key: &str, usual: bool) -> Made<bool> {
    match settings.get(key) {
        None => Ok(usual),
        Some(_) => Ok(choose(settings, key, &["false", "true"])? == 1),
    }
}

/// Returns a setting that is a number.
pub(crate) fn number(settings: &Settings, key: &str, usual: u64) -> Made<u64> {
    let Some(setting) = settings.get(key) else { return Ok(usual) };
    setting.value.parse().map_err(|_| {
        vec![settings.error(setting, format!("\"{key}\" is a number, not \"{}\"", setting.value))]
    })
}

/// Returns a setting that is one character.
pub(crate) fn character(settings: &Settings, key: &str, usual: u8) -> Made<u8> {
    match settings.get(key) {
        None => Ok(usual),
        Some(setting) => match setting.value.as_bytes() {
            [character] => Ok(*character),
            _ => Err(vec![settings.error(setting, format!("\"{key}\" is one character"))]),
        },
    }
}

/// Refuses settings that have no effect.
fn refuse(settings: &Settings, known: &[&[&str]]) -> Made<()> {
    let is_known = |key: &str| {
        matches!(key, "type" | "codec") || known.iter().any(|known| known.contains(&key))
    };
    let unknown = settings.values.iter().filter(|setting| !is_known(&setting.key));
    let codec = settings.get("codec").map_or("ber", |codec| codec.value.as_str());
    let mistakes: Vec<Diagnostic> = unknown
        .map(|setting| {
            let message = format!("\"{}\" has no meaning for the codec \"{codec}\"", setting.key);
            settings.error(setting, message)
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_may_have_the_keys_of_every_codec_and_no_other() {
        let tables = CODECS.iter().flat_map(|codec| [codec.decode, codec.encode]);
        let used: Vec<&str> = tables.flatten().flat_map(|keys| keys.iter().copied()).collect();
        for key in &used {
            assert!(CODING_KEYS.contains(key), "{key}");
        }
        for key in CODING_KEYS {
            assert!(matches!(key, "type" | "codec") || used.contains(&key), "{key}");
        }
    }
}
