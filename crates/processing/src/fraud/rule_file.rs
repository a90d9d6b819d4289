//! One rule, as its file has it: with all mistakes, and the places of its settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::fraud::{Occasion, Rule};
use ::node::{RuleTexts, Severity};
use diagnostics::{Diagnostic, Source, Span, plain};
use dup::Condition;
use measures::{Kind, Window};
use settings::toml::{refuse_unknown, settings, span_of};
use settings::{Setting, Settings};
use toml_edit::{Document, Item, TableLike};

/// The most octets of a rule file.
const OCTETS_MAX: u64 = 1 << 20;

const KEYS: [&str; 23] = [
    "title",
    "about",
    "where",
    "at-least",
    "within",
    "when",
    "at",
    "limits",
    "limits-by",
    "again",
    "score",
    "score-critical",
    "severity",
    "evidence",
    "type",
    "mode",
    "actions",
    "except",
    "only",
    "script",
    "because",
    "owner",
    "until",
];
const MEASURES: &str = "measures";
const MEASURE_KEYS: [&str; 18] = [
    "count",
    "sum",
    "min",
    "max",
    "distinct",
    "first",
    "last",
    "concurrent",
    "unanswered",
    "where",
    "over",
    "step",
    "for",
    "each",
    "gap",
    "usual",
    "by",
    "within",
];

/// The kinds of measures. Those of events without answers have their times later.
const KINDS: [(&str, Kind); 9] = [
    ("count", Kind::Count),
    ("sum", Kind::Sum),
    ("min", Kind::Least),
    ("max", Kind::Greatest),
    ("distinct", Kind::Distinct),
    ("first", Kind::First),
    ("last", Kind::Last),
    ("concurrent", Kind::Concurrent),
    ("unanswered", Kind::Unanswered { within: 0, missing: 0 }),
];

/// The lengths of windows of the calendar, in seconds.
const CALENDAR: [(&str, u32); 2] = [("hour", 3_600), ("day", 86_400)];

/// At which ends rules are judged, with the lengths of the windows.
const ENDS: [(&str, u32); 2] = [("end of hour", 3_600), ("end of day", 86_400)];

/// What is usual is that of the hour of the week.
const USUAL: &str = "hour of week";

/// The steps of a window, by default.
const STEPS: u32 = 60;

/// The most records of an alert.
const EVIDENCE_MAX: u8 = 50;

/// The last records that an alert at the end of an hour or a day chooses from, by default: some may have come after the end.
const EVIDENCE_AT_END: u8 = 5;

/// The name of what `at-least` counts.
const EVENTS: &str = "events";

/// A rule file.
pub(super) struct RuleFile {
    pub(super) settings: Settings,
    /// The name of its subject.
    pub(super) about: Setting,
    /// Which records are its own.
    pub(super) filter: Option<Setting>,
    pub(super) measures: Vec<MeasureTable>,
    pub(super) when: When,
    pub(super) occasion: Occasion,
    pub(super) again: u32,
    pub(super) score: u32,
    /// How many recent records an alert has, if it has any.
    pub(super) evidence: Option<MeasureTable>,
    pub(super) severity: Severity,
    pub(super) is_shadow: bool,
    /// A digest of its text.
    pub(super) version: String,
}

/// A measure of a rule.
pub(super) struct MeasureTable {
    /// Its settings: their name is that of the measure.
    pub(super) settings: Settings,
    pub(super) kind: Kind,
    /// What its values are of; none for a count.
    pub(super) value: Option<Setting>,
    pub(super) filter: Option<Setting>,
    pub(super) window: Window,
    /// Whether what is usual of it is measured, too.
    pub(super) has_usual: bool,
    /// Which records are answers, for events without.
    pub(super) answers: Option<Setting>,
}

/// When a rule fires.
pub(super) enum When {
    /// So many records count for its first measure.
    AtLeast(i64),
    /// A condition is true.
    Condition(Condition),
    /// A measure has reached the limit that a table has for the record.
    Limits {
        /// The path of the table.
        table: Setting,
        /// The number that the limits are for.
        by: Setting,
        /// The points of an alert that reaches a critical limit.
        critical_score: u32,
    },
}

struct Reading {
    source: Arc<Source>,
    folder: PathBuf,
    mistakes: Vec<Diagnostic>,
}

impl RuleFile {
    /// Reads a rule file. Its name is that of the rule.
    pub(super) fn read(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let shown = path.display().to_string();
        let octets = plain::read(path, OCTETS_MAX).map_err(|error| {
            let source = Source::new(shown.clone(), "");
            let message = format!("could not read the rule \"{shown}\": {error}");
            vec![Diagnostic::error(&source, Span::default(), message)]
        })?;
        let version = blake3::hash(&octets).to_hex()[..16].to_owned();
        let source = Source::decoded(shown, octets).map_err(|mistake| vec![*mistake])?;
        let document = Document::parse(source.text.clone()).map_err(|error| {
            let span = error.span().map_or_else(Span::default, |at| Span::new(at.start, at.end));
            vec![Diagnostic::error(&source, span, error.message())]
        })?;
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        let mut reading = Reading { source, folder, mistakes: Vec::new() };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let rule = reading.rule(&name, document.as_table(), version);
        match rule {
            Some(rule) if reading.mistakes.is_empty() => Ok(rule.with_scripts()),
            _ => Err(reading.mistakes),
        }
    }
}

impl Reading {
    fn rule(&mut self, name: &str, document: &dyn TableLike, version: String) -> Option<RuleFile> {
        let known = [&KEYS[..], &[MEASURES]].concat();
        refuse_unknown(&self.source, document, &known, &mut self.mistakes);
        let table = (name, document);
        let settings = settings((&self.source, &self.folder), table, &KEYS, &mut self.mistakes);
        let about = self.noted(settings.require("about").cloned());
        let mut measures = self.measures(document.get(MEASURES));
        let (when, counted) = self.when(&settings).unzip();
        let occasion = self.occasion(&settings)?;
        let counted = counted.flatten();
        if let (Some(_), Some(item), false) =
            (&counted, document.get(MEASURES), measures.is_empty())
        {
            let mistake = Diagnostic::error(
                &self.source,
                span_of(item),
                "a rule with \"at-least\" reads no measures",
            );
            self.mistakes.push(mistake.hint("compare them in \"when\", or leave them out"));
        }
        measures.splice(0..0, counted);
        for script in settings.all("script") {
            measures.iter_mut().for_each(|of| of.settings.values.push(script.clone()));
        }
        let length = |Window { step, steps, .. }: Window| step.saturating_mul(steps);
        let longest = measures.iter().map(|of| length(of.window)).max().unwrap_or_default();
        let again = match settings.get("again") {
            Some(setting) => self.noted(settings.duration(setting)).map(seconds),
            // Each hour and day has its own alert.
            None if occasion != Occasion::Record => Some(0),
            // Not within what the alert is about.
            None => Some(longest),
        };
        let score = self.score(&settings, "score")?;
        let severity = match settings.get("severity") {
            Some(setting) => self.noted(settings.choice(setting, &Severity::NAMES)),
            None => Some(Severity::default()),
        };
        let is_shadow = match settings.get("mode") {
            Some(setting) => {
                self.noted(settings.choice(setting, &[("alert", false), ("shadow", true)]))
            }
            None => Some(false),
        };
        let evidence = match settings.get("evidence") {
            Some(setting) => self.evidence(&settings, setting, longest),
            None if occasion == Occasion::Record || longest == 0 => None,
            None => Some(recent(&settings, EVIDENCE_AT_END, longest)),
        };
        Some(RuleFile {
            occasion,
            evidence,
            filter: settings.get("where").cloned(),
            about: about?,
            measures,
            when: when?,
            again: again?,
            score,
            severity: severity?,
            is_shadow: is_shadow?,
            version,
            settings,
        })
    }

    /// Reads the points of an alert; none without the key.
    fn score(&mut self, settings: &Settings, key: &str) -> Option<u32> {
        let Some(setting) = settings.get(key) else { return Some(0) };
        let score = setting.value.parse().ok().filter(|score| *score <= 1_000);
        let message = format!("\"{key}\" is a number of points, up to 1000");
        self.noted(score.ok_or_else(|| settings.error(setting, message)))
    }

    /// Reads the limits of a rule that has them in place of a condition.
    fn limits(&mut self, settings: &Settings, table: &Setting) -> Option<When> {
        for key in ["at-least", "within", "when"] {
            if let Some(setting) = settings.get(key) {
                let message = format!("a rule has \"limits\" or \"{key}\", not both");
                self.mistakes.push(settings.error(setting, message));
            }
        }
        let Some(by) = settings.get("limits-by").cloned() else {
            let mistake = settings.error(table, "\"limits\" needs \"limits-by\"");
            let hint =
                "write the number whose prefix has the limits: limits-by = \"record.called\"";
            self.mistakes.push(mistake.hint(hint));
            return None;
        };
        let critical_score = self.score(settings, "score-critical")?;
        Some(When::Limits { table: table.clone(), by, critical_score })
    }

    /// Reads when the rule is judged.
    fn occasion(&mut self, settings: &Settings) -> Option<Occasion> {
        let Some(at) = settings.get("at") else { return Some(Occasion::Record) };
        for key in ["at-least", "limits"] {
            if let Some(setting) = settings.get(key) {
                let message = format!("\"{key}\" is judged with a record, and not at an end");
                let mistake = settings.error(setting, message);
                self.mistakes
                    .push(mistake.hint("write \"when\" and a measure with each = \"day\""));
            }
        }
        self.noted(settings.choice(at, &ENDS)).map(Occasion::EndOf)
    }

    /// Reads when the rule fires, and the measure of the short form.
    fn when(&mut self, settings: &Settings) -> Option<(When, Option<MeasureTable>)> {
        if let Some(table) = settings.get("limits") {
            return Some((self.limits(settings, table)?, None));
        }
        for key in ["limits-by", "score-critical"] {
            if let Some(setting) = settings.get(key) {
                let message = format!("\"{key}\" needs \"limits\"");
                self.mistakes.push(settings.error(setting, message));
            }
        }
        let mistake = |setting: &Setting, message: &str| Err(settings.error(setting, message));
        match (settings.get("at-least"), settings.get("within"), settings.get("when")) {
            (Some(least), Some(within), None) => {
                let least = self.noted(settings.count(least)).and_then(|of| i64::try_from(of).ok());
                let length = self.noted(settings.duration(within)).map(seconds)?;
                let window = self.window(settings, within, (length, Kind::Count))?;
                let settings = Settings { name: EVENTS.to_owned(), ..settings.clone() };
                let counted = MeasureTable::plain(settings, Kind::Count, (None, None), window);
                Some((When::AtLeast(least?), Some(counted)))
            }
            (None, None, Some(when)) => {
                let (start, end) = (when.span.start as usize, when.span.end as usize);
                if settings.source.text.get(start..end) != Some(when.value.as_str()) {
                    let message = "a condition stands as it is, without escapes";
                    let mistake = settings.error(when, message);
                    self.mistakes.push(mistake.hint("put it between single quotes, on one line"));
                    return None;
                }
                let condition = Condition::parse(&settings.source, when.span);
                let condition = condition.map_err(|found| self.mistakes.extend(found)).ok()?;
                Some((When::Condition(condition), None))
            }
            (Some(setting), _, Some(_)) => {
                self.noted::<()>(mistake(setting, "a rule has \"at-least\" or \"when\", not both"));
                None
            }
            (Some(setting), None, _) => {
                self.noted::<()>(mistake(setting, "\"at-least\" needs \"within\""));
                None
            }
            (None, Some(setting), _) => {
                self.noted::<()>(mistake(setting, "\"within\" needs \"at-least\""));
                None
            }
            (None, None, None) => {
                let message = format!("\"{}\" does not say when it fires", settings.name);
                let mistake = Diagnostic::error(&self.source, settings.span, message);
                let hint = "write at-least = 3 and within = \"1 minute\", or when = 'calls >= 3'";
                self.mistakes.push(mistake.hint(hint));
                None
            }
        }
    }

    /// Reads how many recent records an alert has.
    fn evidence(
        &mut self,
        settings: &Settings,
        setting: &Setting,
        longest: u32,
    ) -> Option<MeasureTable> {
        let most = setting.value.parse().ok().filter(|most| (1..=EVIDENCE_MAX).contains(most));
        let message = format!("\"evidence\" is a number of records, 1 to {EVIDENCE_MAX}");
        let most = self.noted(most.ok_or_else(|| settings.error(setting, message)))?;
        if longest == 0 {
            let message = "\"evidence\" is of the time of measures, and the rule has none";
            self.mistakes.push(settings.error(setting, message));
            return None;
        }
        Some(recent(settings, most, longest))
    }

    fn measures(&mut self, item: Option<&Item>) -> Vec<MeasureTable> {
        let Some(item) = item else { return Vec::new() };
        let Some(tables) = item.as_table_like() else {
            let message = format!("\"{MEASURES}\" has a table for each measure");
            self.mistakes.push(Diagnostic::error(&self.source, span_of(item), message));
            return Vec::new();
        };
        let mut measures = Vec::new();
        for (name, item) in tables.iter() {
            match item.as_table_like() {
                Some(table) => measures.extend(self.measure(name, table)),
                None => {
                    let message = format!("the measure \"{name}\" is a table");
                    let mistake = Diagnostic::error(&self.source, span_of(item), message);
                    let hint = "write { count = true, over = \"1 hour\" }";
                    self.mistakes.push(mistake.hint(hint));
                }
            }
        }
        measures
    }

    fn measure(&mut self, name: &str, table: &dyn TableLike) -> Option<MeasureTable> {
        refuse_unknown(&self.source, table, &MEASURE_KEYS, &mut self.mistakes);
        let of = (&self.source, self.folder.as_path());
        let settings = settings(of, (name, table), &MEASURE_KEYS, &mut self.mistakes);
        let mut kinds = KINDS.iter().filter_map(|(key, kind)| Some((*kind, settings.get(key)?)));
        let (Some((kind, what)), None) = (kinds.next(), kinds.next()) else {
            let message =
                format!("the measure \"{name}\" is one of: {}", KINDS.map(|of| of.0).join(", "));
            self.mistakes.push(Diagnostic::error(&self.source, settings.span, message));
            return None;
        };
        if kind == Kind::Count && what.value != "true" {
            let mistake = settings.error(what, "\"count\" is true: each record counts as one");
            self.mistakes.push(mistake.hint("\"where\" says which ones; \"sum\" adds values up"));
        }
        let window = self.measured_window(&settings, kind)?;
        let has_usual = match settings.get("usual") {
            None => false,
            Some(setting) => {
                if !matches!(kind, Kind::Count | Kind::Sum) {
                    let message = "\"usual\" is of a count or a sum";
                    self.mistakes.push(settings.error(setting, message));
                }
                self.noted(settings.choice(setting, &[(USUAL, true)]))?
            }
        };
        let (kind, answers) = match kind {
            Kind::Unanswered { .. } => self.unanswered(&settings)?,
            kind => {
                self.refuse(&settings, &["by", "within"], "is for \"unanswered\"");
                (kind, None)
            }
        };
        let value = (kind != Kind::Count).then(|| what.clone());
        let filter = settings.get("where").cloned();
        Some(MeasureTable { kind, value, filter, window, settings, has_usual, answers })
    }

    /// Reads what answers are, and within which time they come. They are missing then, once no late record can be one.
    fn unanswered(&mut self, settings: &Settings) -> Option<(Kind, Option<Setting>)> {
        let answers = self.noted(settings.require("by").cloned())?;
        let within = self.noted(settings.require("within").cloned())?;
        let within = self.noted(settings.duration(&within)).map(seconds)?;
        Some((Kind::Unanswered { within, missing: within }, Some(answers)))
    }

    fn refuse(&mut self, settings: &Settings, keys: &[&str], why: &str) {
        for setting in keys.iter().filter_map(|key| settings.get(key)) {
            let message = format!("\"{}\" {why}", setting.key);
            self.mistakes.push(settings.error(setting, message));
        }
    }

    /// Reads the window of a measure.
    fn measured_window(&mut self, settings: &Settings, kind: Kind) -> Option<Window> {
        if let Kind::First | Kind::Last = kind {
            let why = "is not for this measure, which has \"for\"";
            self.refuse(settings, &["over", "each", "gap", "step"], why);
            let lasts = self.noted(settings.require("for").cloned())?;
            let length = self.noted(settings.duration(&lasts)).map(seconds)?;
            return self.window(settings, &lasts, (length, kind));
        }
        self.refuse(settings, &["for"], "is for \"first\" and \"last\"");
        let of = ["over", "each", "gap"].map(|key| settings.get(key));
        let window = match of {
            [Some(over), None, None] => {
                let length = self.noted(settings.duration(over)).map(seconds)?;
                return self.window(settings, over, (length, kind));
            }
            [None, Some(each), None] => {
                Window::calendar(self.noted(settings.choice(each, &CALENDAR))?, 1)
            }
            [None, None, Some(gap)] => {
                Window::session(self.noted(settings.duration(gap)).map(seconds)?)
            }
            _ => {
                let message = format!(
                    "the measure \"{}\" has one of \"over\", \"each\" and \"gap\"",
                    settings.name
                );
                let mistake = Diagnostic::error(&self.source, settings.span, message);
                let hint = "write over = \"1 hour\", each = \"day\", or gap = \"2 minutes\"";
                self.mistakes.push(mistake.hint(hint));
                return None;
            }
        };
        if let Some(setting) = of.into_iter().flatten().next()
            && matches!(kind, Kind::Concurrent | Kind::Unanswered { .. })
        {
            self.mistakes.push(settings.error(setting, "this measure has \"over\""));
        }
        self.refuse(settings, &["step"], "is for \"over\"");
        Some(window)
    }

    /// Returns a window of a length, in steps.
    fn window(
        &mut self,
        settings: &Settings,
        over: &Setting,
        (length, kind): (u32, Kind),
    ) -> Option<Window> {
        let steps = match kind {
            Kind::Distinct => Window::DISTINCT_STEPS_MAX,
            Kind::Concurrent | Kind::Unanswered { .. } => 1,
            _ => STEPS,
        };
        let step = match settings.get("step") {
            Some(setting) => self.noted(settings.duration(setting)).map(seconds)?,
            None if length < steps => 1,
            None => length / steps,
        };
        if step == 0 || length % step != 0 {
            let message =
                format!("\"{}\" is no multiple of its step of {step} seconds", over.value);
            let mistake = settings.error(over, message);
            self.mistakes.push(mistake.hint("write step = \"1 minute\", or another length"));
            return None;
        }
        Some(Window::sliding(step, length / step))
    }

    fn noted<T>(&mut self, read: Result<T, Diagnostic>) -> Option<T> {
        read.map_err(|mistake| self.mistakes.push(mistake)).ok()
    }
}

/// Returns a length of time in seconds, which a part of one makes one more.
fn seconds(length: std::time::Duration) -> u32 {
    let seconds = length.as_secs() + u64::from(length.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

/// Returns the measure of a rule's recent records, so many at most.
fn recent(settings: &Settings, most: u8, longest: u32) -> MeasureTable {
    let window = Window::sliding(longest, 1);
    MeasureTable::plain(settings.clone(), Kind::Recent(most), (None, None), window)
}

impl MeasureTable {
    /// Returns a measure that has no more than a window.
    fn plain(
        settings: Settings,
        kind: Kind,
        (value, filter): (Option<Setting>, Option<Setting>),
        window: Window,
    ) -> Self {
        let (has_usual, answers) = (false, None);
        MeasureTable { settings, kind, value, filter, window, has_usual, answers }
    }
}

impl RuleFile {
    /// Takes the text of its script into its version: who has approved a rule has approved what its functions do.
    fn with_scripts(mut self) -> Self {
        let scripts = self.settings.all("script").map(|script| self.settings.path(script));
        for script in scripts.collect::<Vec<_>>() {
            // A script that cannot be read is a mistake elsewhere.
            if let Ok(octets) = plain::read(&script, OCTETS_MAX) {
                let mut digest = blake3::Hasher::new();
                digest.update(self.version.as_bytes());
                digest.update(blake3::hash(&octets).as_bytes());
                self.version = digest.finalize().to_hex()[..16].to_owned();
            }
        }
        self
    }

    fn text(&self, key: &str) -> Option<String> {
        self.settings.get(key).map(|setting| setting.value.clone())
    }

    /// Returns the names of its actions, each with the mistake if there is no such action.
    pub(super) fn actions(&self) -> impl Iterator<Item = (String, Diagnostic)> {
        self.settings.all("actions").map(|setting| {
            let message = format!("there is no action \"{}\"", setting.value);
            let mistake = self.settings.error(setting, message);
            let hint = format!("write a table [action.{}] in the flow file", setting.value);
            (setting.value.clone(), mistake.hint(hint))
        })
    }

    /// Makes the rule with the place of its filter, its condition, and the measure of its recent records.
    pub(super) fn rule(
        &self,
        filter: Option<usize>,
        condition: ::fraud::Condition,
        evidence: Option<usize>,
    ) -> Rule {
        Rule {
            name: self.settings.name.clone(),
            version: self.version.clone(),
            filter,
            occasion: self.occasion,
            condition,
            again: self.again,
            score: self.score,
            evidence,
            severity: self.severity,
            fraud_type: self.text("type"),
            is_shadow: self.is_shadow,
            actions: self.settings.all("actions").map(|setting| setting.value.clone()).collect(),
            texts: RuleTexts {
                title: self.text("title"),
                because: self.text("because"),
                owner: self.text("owner"),
                until: self.text("until"),
            },
            except: Vec::new(),
            only: Vec::new(),
            covered_by: None,
        }
    }
}
