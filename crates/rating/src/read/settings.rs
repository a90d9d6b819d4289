//! `tariff.toml`: the settings of a plan that are not in tables.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use jiff::tz::TimeZone;
use toml_edit::{Document, Item, TableLike};

use crate::calendar::DAY_WORDS;
use crate::digits::{Dialling, Digits, E164_DIGITS_MAX, WithoutPrefix};
use crate::money::{Currency, NANOS, Rounding, RoundingMode, decimal};
use crate::plan::Names;
use crate::written::zone_of;

/// The file's name.
pub(crate) const NAME: &str = "tariff.toml";

const KEYS: [&str; 12] = [
    "name",
    "currency",
    "time-zone",
    "country",
    "tax-included",
    "services",
    "subscribers",
    "default-subscriber",
    "numbers",
    "day-types",
    "rounding",
    "tables",
];

/// The possible tables of a plan.
const TABLES: [&str; 13] = [
    "analysis.csv",
    "bands.csv",
    "bundles.csv",
    "classes.csv",
    "discounts.csv",
    "holidays.csv",
    "partners.csv",
    "ported.csv",
    "prefixes.csv",
    "prices.csv",
    "short.csv",
    "subscribers.csv",
    "taxes.csv",
];

/// Returns the message and the hint about an unknown table name.
fn no_table<'k>(name: &str, known: impl Iterator<Item = &'k str> + Clone) -> (String, String) {
    let hint = did_you_mean(name, known.clone())
        .unwrap_or_else(|| format!("there are {}", known.collect::<Vec<_>>().join(", ")));
    (format!("\"{name}\" is no table of a plan"), hint)
}

/// Returns the message and the hint about a file in a plan's folder that looks like a table but is none; `None` for the
/// files of a plan and for other files.
pub(super) fn stranger(name: &str) -> Option<(String, String)> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_table = extension.eq_ignore_ascii_case("csv") && !name.starts_with('.');
    let is_stranger = is_table && !TABLES.contains(&name);
    is_stranger.then(|| no_table(name, TABLES.into_iter()))
}

/// The same for a file of a set that may only have files of the plan.
pub(super) fn no_file(name: &str) -> Option<(String, String)> {
    let is_one = name == NAME || TABLES.contains(&name);
    (!is_one).then(|| no_table(name, TABLES.into_iter()))
}

/// The settings in the file.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) name: String,
    pub(super) currency: Currency,
    pub(super) zone: TimeZone,
    pub(super) country: String,
    pub(super) country_span: Span,
    pub(super) tax_included: bool,
    pub(super) services: Names,
    pub(super) subscribers: Names,
    pub(super) default_subscriber: Option<u16>,
    pub(super) dialling: Dialling,
    pub(super) day_kinds: Names,
    /// The type of each day, indexed like [`DAY_WORDS`].
    pub(super) kinds: [u8; 8],
    pub(super) rounding: Rounding,
    /// The tables that the plan must have.
    pub(super) tables: Vec<String>,
}

/// Reads the file; `None` if something required is missing.
pub(super) fn read(source: &Arc<Source>, mistakes: &mut Vec<Diagnostic>) -> Option<Settings> {
    match Document::parse(source.text.as_str()) {
        Ok(document) => Reader { source, mistakes }.settings(document.as_table()),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().trim().replace('\n', "; ");
            mistakes.push(Diagnostic::error(source, Span::new(span.start, span.end), message));
            None
        }
    }
}

struct Reader<'r> {
    source: &'r Arc<Source>,
    mistakes: &'r mut Vec<Diagnostic>,
}

/// A string of the file, without its quotes.
#[derive(Clone)]
struct Word {
    text: String,
    span: Span,
}

impl Reader<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>, hint: Option<String>) {
        self.mistakes.push(Diagnostic::error(self.source, span, message).hint_maybe(hint));
    }

    fn settings(&mut self, table: &dyn TableLike) -> Option<Settings> {
        self.known_keys(table, &KEYS);
        let name = self.text(table, "name");
        let currency = self.text(table, "currency").and_then(|word| self.currency(&word));
        let zone = self.text(table, "time-zone").and_then(|word| self.zone(&word));
        let country = self.text_maybe(table, "country");
        let (country, country_span) =
            country.map(|word| (word.text, word.span)).unwrap_or_default();
        let services = self.names(table, "services");
        let subscribers = self.names(table, "subscribers");
        let default_subscriber = self.text_maybe(table, "default-subscriber").and_then(|word| {
            let found = subscribers.find(&word.text);
            if found.is_none() {
                let hint = did_you_mean(&word.text, subscribers.iter());
                self.error(word.span, format!("\"subscribers\" has no \"{}\"", word.text), hint);
            }
            found
        });
        let (day_kinds, kinds) = self.day_types(table);
        let rounding = self.rounding(table);
        let dialling = self.dialling(table);
        let tax_included = self.truth(table, "tax-included");
        Some(Settings {
            name: name?.text,
            currency: currency?,
            zone: zone?,
            country,
            country_span,
            tax_included,
            services,
            tables: self.tables(table),
            subscribers,
            default_subscriber,
            dialling,
            day_kinds,
            kinds,
            rounding: rounding?,
        })
    }

    fn known_keys(&mut self, table: &dyn TableLike, known: &[&str]) {
        for (name, item) in table.iter() {
            if !known.contains(&name) {
                let key =
                    table.key(name).and_then(|key| key.span()).or(item.span()).unwrap_or(0..0);
                let hint = did_you_mean(name, known.iter().copied())
                    .unwrap_or_else(|| format!("its keys are {}", known.join(", ")));
                let span = Span::new(key.start, key.end);
                self.error(span, format!("there is no setting \"{name}\""), Some(hint));
            }
        }
    }

    fn word(&mut self, item: &Item) -> Option<Word> {
        let range = item.span().unwrap_or(0..0);
        match item.as_str() {
            Some(text) => {
                let span = Span::new(range.start + 1, range.end.saturating_sub(1));
                Some(Word { text: text.to_owned(), span })
            }
            None => {
                self.error(
                    Span::new(range.start, range.end),
                    "this is to be a text in quotes",
                    None,
                );
                None
            }
        }
    }

    fn text_maybe(&mut self, table: &dyn TableLike, key: &str) -> Option<Word> {
        table.get(key).and_then(|item| self.word(item))
    }

    fn text(&mut self, table: &dyn TableLike, key: &str) -> Option<Word> {
        if table.get(key).is_none() {
            self.error(Span::default(), format!("\"{key}\" is missing"), None);
        }
        self.text_maybe(table, key)
    }

    fn truth(&mut self, table: &dyn TableLike, key: &str) -> bool {
        let Some(item) = table.get(key) else { return false };
        item.as_bool().unwrap_or_else(|| {
            self.error(span_of(table, key), "this is to be true or false", None);
            false
        })
    }

    fn texts(&mut self, item: &Item) -> Vec<Word> {
        let Some(array) = item.as_array() else {
            let range = item.span().unwrap_or(0..0);
            self.error(Span::new(range.start, range.end), "this is to be a list of texts", None);
            return Vec::new();
        };
        array.iter().filter_map(|value| self.word(&Item::Value(value.clone()))).collect()
    }

    fn names(&mut self, table: &dyn TableLike, key: &str) -> Names {
        let mut names = Names::default();
        for word in table.get(key).map_or(Vec::new(), |item| self.texts(item)) {
            if names.find(&word.text).is_some() {
                self.error(word.span, format!("\"{}\" stands there twice", word.text), None);
            }
            names.add(&word.text);
        }
        names
    }

    /// Reads the list of tables. A listed table that is missing, as while it is written, is a mistake and not another
    /// plan.
    fn tables(&mut self, table: &dyn TableLike) -> Vec<String> {
        let mut tables = Vec::new();
        for word in table.get("tables").map_or(Vec::new(), |item| self.texts(item)) {
            match TABLES.contains(&word.text.as_str()) {
                true => tables.push(word.text),
                false => {
                    let (message, hint) = no_table(&word.text, TABLES.into_iter());
                    self.error(word.span, message, Some(hint));
                }
            }
        }
        tables
    }

    fn currency(&mut self, word: &Word) -> Option<Currency> {
        let found = Currency::find(&word.text);
        if found.is_none() {
            let hint = did_you_mean(&word.text, Currency::codes())
                .unwrap_or_else(|| "write EUR, SEK, USD".to_owned());
            self.error(word.span, format!("\"{}\" is no code of ISO 4217", word.text), Some(hint));
        }
        found
    }

    fn zone(&mut self, word: &Word) -> Option<TimeZone> {
        zone_of(&word.text).map_err(|fault| self.error(word.span, fault.to_string(), None)).ok()
    }

    /// Reads the types of days. Each day has one; without the table, all days are alike.
    fn day_types(&mut self, table: &dyn TableLike) -> (Names, [u8; 8]) {
        let mut names = Names::default();
        let mut kinds = [None; 8];
        let Some(types) = table.get("day-types").and_then(Item::as_table_like) else {
            names.add("day");
            return (names, [0; 8]);
        };
        for (name, item) in types.iter() {
            let kind = names.add(name).filter(|kind| *kind < u16::from(u8::MAX));
            for word in self.texts(item) {
                match DAY_WORDS.iter().position(|day| *day == word.text) {
                    Some(day) if kinds[day].is_none() => kinds[day] = kind,
                    Some(_) => {
                        let message = format!("\"{}\" has a day type already", word.text);
                        self.error(word.span, message, None);
                    }
                    None => {
                        let hint = did_you_mean(&word.text, DAY_WORDS)
                            .unwrap_or_else(|| format!("write {}", DAY_WORDS.join(", ")));
                        self.error(word.span, format!("\"{}\" is no day", word.text), Some(hint));
                    }
                }
            }
        }
        let missing: Vec<&str> = DAY_WORDS
            .iter()
            .zip(kinds)
            .filter(|(_, kind)| kind.is_none())
            .map(|(day, _)| *day)
            .collect();
        if !missing.is_empty() {
            let range = table.get("day-types").and_then(Item::span).unwrap_or(0..0);
            let message = format!("no day type has {}", missing.join(", "));
            self.error(Span::new(range.start, range.end), message, None);
        }
        (names, kinds.map(|kind| kind.unwrap_or(0) as u8))
    }

    fn rounding(&mut self, table: &dyn TableLike) -> Option<Rounding> {
        let Some(rounding) = table.get("rounding").and_then(Item::as_table_like) else {
            let hint = "write [rounding] with unit = \"0.01\" and mode = \"half-up\"";
            self.error(Span::default(), "\"rounding\" is missing", Some(hint.to_owned()));
            return None;
        };
        self.known_keys(rounding, &["unit", "mode"]);
        let unit = self.text(rounding, "unit").and_then(|word| match decimal(&word.text) {
            Ok(unit) if unit > 0 && unit <= NANOS * 1_000_000 => Some(unit),
            Ok(_) => {
                self.error(word.span, "this is 0 or more than a million", None);
                None
            }
            Err(fault) => {
                self.error(word.span, fault.to_string(), None);
                None
            }
        });
        let mode = self.text(rounding, "mode").and_then(|word| {
            let found = RoundingMode::NAMES.iter().find(|(name, _)| *name == word.text);
            if found.is_none() {
                let names = RoundingMode::NAMES.map(|(name, _)| name);
                let hint = did_you_mean(&word.text, names)
                    .unwrap_or_else(|| format!("write {}", names.join(", ")));
                self.error(word.span, format!("\"{}\" is no way to round", word.text), Some(hint));
            }
            found.map(|(_, mode)| *mode)
        });
        Some(Rounding { unit: unit?, mode: mode? })
    }

    fn dialling(&mut self, table: &dyn TableLike) -> Dialling {
        let Some(numbers) = table.get("numbers").and_then(Item::as_table_like) else {
            return Dialling::default();
        };
        const KEYS: [&str; 5] = [
            "country-code",
            "international-prefix",
            "national-prefix",
            "without-prefix",
            "digits-min",
        ];
        self.known_keys(numbers, &KEYS);
        let without_prefix = self.text_maybe(numbers, "without-prefix");
        let without_prefix = match without_prefix.as_ref().map(|word| word.text.as_str()) {
            None | Some("international") => WithoutPrefix::International,
            Some("national") => WithoutPrefix::National,
            Some("refused") => WithoutPrefix::Refused,
            Some(text) => {
                let message = format!("\"{text}\" is not what a number can be");
                let hint = "write international, national or refused".to_owned();
                let span = without_prefix.as_ref().map_or(Span::default(), |word| word.span);
                self.error(span, message, Some(hint));
                WithoutPrefix::International
            }
        };
        let mut digits = |key| {
            let Some(word) = self.text_maybe(numbers, key) else {
                return (Digits::default(), Vec::new());
            };
            let found = Digits::parse(word.text.as_bytes()).unwrap_or_else(|fault| {
                self.error(word.span, format!("\"{}\" are no digits: {fault}", word.text), None);
                Digits::default()
            });
            (found, word.text.into_bytes())
        };
        let dialling = Dialling {
            country_code: digits("country-code").0,
            international_prefix: digits("international-prefix").1,
            national_prefix: digits("national-prefix").1,
            without_prefix,
            digits_min: 0,
        };
        let digits_min = self.digits_min(numbers);
        let has_code = !dialling.country_code.is_empty();
        let needs_code = [
            ("national-prefix", !dialling.national_prefix.is_empty()),
            ("without-prefix", without_prefix == WithoutPrefix::National),
            ("digits-min", digits_min > 0),
        ];
        for (key, _) in needs_code.into_iter().filter(|(_, needs)| *needs && !has_code) {
            let message =
                format!("\"{key}\" is of numbers of the country, and there is no country code");
            let hint = "write country-code = \"46\"".to_owned();
            self.error(span_of(numbers, key), message, Some(hint));
        }
        Dialling { digits_min, ..dialling }
    }

    /// Reads the minimum digits of national numbers; 0 by default.
    fn digits_min(&mut self, numbers: &dyn TableLike) -> usize {
        let Some(item) = numbers.get("digits-min") else { return 0 };
        match item.as_integer().and_then(|digits| usize::try_from(digits).ok()) {
            Some(digits @ 1..=E164_DIGITS_MAX) => digits,
            _ => {
                let message = format!("this is to be a number from 1 to {E164_DIGITS_MAX}");
                self.error(span_of(numbers, "digits-min"), message, None);
                0
            }
        }
    }
}

/// Returns the span of a key's value.
fn span_of(table: &dyn TableLike, key: &str) -> Span {
    let range = table.get(key).and_then(Item::span).unwrap_or(0..0);
    Span::new(range.start, range.end)
}
