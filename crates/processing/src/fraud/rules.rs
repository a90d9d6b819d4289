//! The rules of a node: their measures, each once for a subject, and their conditions over these.

use std::path::PathBuf;

use ::fraud::{Condition, ConditionPart, Limit, List, Occasion, Rule, Subject};
use ::node::Severity;
use diagnostics::{Diagnostic, did_you_mean};
use measures::{Form, Kind, Layout, Measure, Seconds, USUAL, Window};
use record::{Field, Kind as TypeKind, Type, TypeId, Types};
use settings::{Setting, Settings};

use super::expressions::LimitedBy;
use super::limits::{Band, LimitTable};
use super::rule_file::{MeasureTable, RuleFile, When};
use super::{Input, MeasurePlan, OfRecord, SubjectPlan, is_condition, is_number, lists};
use crate::expression::{Dup, DupExpression};
use crate::script::Execution;

/// What the rule files of a folder say.
pub(super) struct Read {
    pub(super) subjects: Vec<ReadSubject>,
    /// The expressions of all rules, each once.
    pub(super) pool: Vec<DupExpression>,
    /// The tables of limits, each with the expression whose prefix is looked up.
    pub(super) limits: Vec<LimitedBy>,
    pub(super) lists: Vec<List>,
    /// The folder of lists, if there is one.
    list_folder: Option<PathBuf>,
    late: Seconds,
    pub(super) warnings: Vec<Diagnostic>,
    /// The actions of rules, each with the mistake if there is no such action.
    pub(super) actions: Vec<(String, Diagnostic)>,
    pub(super) files: Vec<PathBuf>,
    mistakes: Vec<Diagnostic>,
    input: TypeId,
    execution: Execution,
}

/// A subject with its rules.
pub(super) struct ReadSubject {
    name: String,
    key: DupExpression,
    measures: Vec<(Measure, MeasurePlan)>,
    /// The values of the record that conditions read, each with its text and its type.
    of_record: Vec<(OfRecord, String, TypeId)>,
    rules: Vec<ReadRule>,
    values: TypeId,
    made: Vec<Rule>,
}

struct ReadRule {
    file: RuleFile,
    filter: Option<usize>,
    /// The names of its measures, each with its place among those of the subject.
    names: Vec<(String, usize)>,
    /// The measure of its recent records.
    evidence: Option<usize>,
    /// The lists that it names.
    except: Vec<usize>,
    only: Vec<usize>,
    /// Its limits, each with the name of the measure, and the place of the limit among the values of the record.
    limits: Vec<(String, Band, usize)>,
}

/// Which rules there are, and of whom.
pub(super) struct Folders<'f> {
    /// The settings of the node, and its folder of rules.
    pub(super) rules: (&'f Settings, &'f Setting),
    /// Its folder of lists, if it has one.
    pub(super) lists: Option<PathBuf>,
    /// How late a record still counts, in seconds.
    pub(super) late: Seconds,
}

impl Read {
    /// Reads the rules of a folder.
    pub(super) fn folder(
        Folders { rules: (settings, folder), lists, late }: Folders<'_>,
        subjects: Vec<(Setting, DupExpression)>,
        (input, execution): (TypeId, Execution),
        types: &mut dyn Types,
    ) -> Result<Self, Vec<Diagnostic>> {
        let integer = integer(types);
        let subject = |(name, key): (Setting, DupExpression)| ReadSubject {
            name: name.value,
            key,
            measures: Vec::new(),
            of_record: Vec::new(),
            rules: Vec::new(),
            values: integer,
            made: Vec::new(),
        };
        let mut read = Read {
            subjects: subjects.into_iter().map(subject).collect(),
            pool: Vec::new(),
            limits: Vec::new(),
            lists: Vec::new(),
            list_folder: lists,
            late,
            warnings: Vec::new(),
            actions: Vec::new(),
            files: rule_files(settings, folder)?,
            mistakes: Vec::new(),
            input,
            execution,
        };
        for path in read.files.clone() {
            match RuleFile::read(&path) {
                Ok(file) => read.rule(file, types),
                Err(mistakes) => read.mistakes.extend(mistakes),
            }
        }
        if read.mistakes.is_empty() {
            let Read { subjects, mistakes, .. } = &mut read;
            for subject in subjects {
                subject.order_measures();
                subject.conditions(integer, types, mistakes);
            }
        }
        if read.mistakes.is_empty() { Ok(read) } else { Err(read.mistakes) }
    }

    /// Adds a rule to its subject.
    fn rule(&mut self, file: RuleFile, types: &mut dyn Types) {
        let named = |subject: &ReadSubject| subject.name == file.about.value;
        let Some(place) = self.subjects.iter().position(named) else {
            let names = self.subjects.iter().map(|subject| subject.name.as_str());
            let hint = did_you_mean(&file.about.value, names.clone())
                .unwrap_or_else(|| format!("known here: {}", names.collect::<Vec<_>>().join(", ")));
            let message = format!("there is no subject \"{}\"", file.about.value);
            self.mistakes.push(file.settings.error(&file.about, message).hint(hint));
            return;
        };
        self.actions.extend(file.actions());
        let filter = file.filter.as_ref().and_then(|of| self.filter(&file.settings, of, types));
        let mut names = Vec::new();
        for table in &file.measures {
            for (name, measure) in self.measures_of(filter, table, types) {
                let at = self.subjects[place].shared(measure);
                names.push((name, at));
            }
        }
        let evidence = file.evidence.as_ref().and_then(|table| self.measure(filter, table, types));
        let evidence = evidence.map(|measure| self.subjects[place].shared(measure));
        let mut limits = Vec::new();
        let mut file = file;
        match &file.when {
            When::AtLeast(_) => {}
            When::Condition(condition) => {
                match file.occasion {
                    Occasion::Record => self.of_record(place, &file.settings, condition, types),
                    Occasion::EndOf(_) => self.refuse_of_record(&file.settings, condition),
                }
                let read: Vec<&str> = condition.values().iter().map(|value| value.name).collect();
                self.warn_of_unread(&file, &read);
            }
            When::Limits { table, by, .. } => {
                let of_table = self.limit_table(&file.settings, (table, by), types);
                if let Some(of_table) = of_table {
                    let table = &self.limits[of_table].table;
                    file.version = version((&file.version, table));
                    limits = self.limits(place, &file, of_table, types);
                    let read: Vec<&str> = limits.iter().map(|(name, ..)| name.as_str()).collect();
                    self.warn_of_unread(&file, &read);
                }
            }
        }
        let [except, only] = ["except", "only"].map(|key| self.lists(&file.settings, key));
        let rule = ReadRule { file, filter, names, evidence, except, only, limits };
        self.subjects[place].rules.push(rule);
    }

    /// Warns of measures that nothing reads.
    fn warn_of_unread(&mut self, file: &RuleFile, read: &[&str]) {
        for MeasureTable { settings, .. } in &file.measures {
            let is_of = |name: &&str| {
                let rest = name.strip_prefix(settings.name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || USUAL_NAMES.contains(&rest))
            };
            if !read.iter().any(is_of) {
                let message =
                    format!("the condition does not read the measure \"{}\"", settings.name);
                self.warnings.push(Diagnostic::warning(&settings.source, settings.span, message));
            }
        }
    }

    /// Returns the places of the lists that a rule names.
    fn lists(&mut self, settings: &Settings, key: &str) -> Vec<usize> {
        settings.all(key).filter_map(|setting| self.list(settings, setting)).collect()
    }

    /// Returns the place of a list, which is read if it is not there.
    fn list(&mut self, settings: &Settings, setting: &Setting) -> Option<usize> {
        if let Some(place) = self.lists.iter().position(|list| list.name == setting.value) {
            return Some(place);
        }
        let Some(folder) = &self.list_folder else {
            let mistake = settings.error(setting, "the node has no lists");
            self.mistakes.push(mistake.hint("write lists = \"lists\" in its table, a folder"));
            return None;
        };
        let path = ::lists::path(folder, &setting.value);
        let place = |message: String| settings.error(setting, message);
        let list = lists::read(&setting.value, &path, &place);
        let list = list.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()?;
        self.files.push(path);
        self.lists.push(list);
        Some(self.lists.len() - 1)
    }

    /// Returns the place of a table of limits, with the expression whose prefix is looked up.
    fn limit_table(
        &mut self,
        settings: &Settings,
        (table, by): (&Setting, &Setting),
        types: &mut dyn Types,
    ) -> Option<usize> {
        let path = settings.path(table);
        let place = |message: String| settings.error(table, message);
        let read = LimitTable::read(&path, &place);
        let read = read.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()?;
        let by = self.read(settings, by, types)?;
        let same = |of: &LimitedBy| of.table.path == path && of.by.text() == by.text();
        Some(self.limits.iter().position(same).unwrap_or_else(|| {
            self.files.push(path.clone());
            self.limits.push(LimitedBy { table: read.into(), by: by.into() });
            self.limits.len() - 1
        }))
    }

    /// Notes the limits of a rule as values of the record: each with its measure, and its place.
    fn limits(
        &mut self,
        place: usize,
        file: &RuleFile,
        of_table: usize,
        types: &mut dyn Types,
    ) -> Vec<(String, Band, usize)> {
        let integer = integer(types);
        let LimitedBy { table, by } = &self.limits[of_table];
        let (by, path) = (by.text(), table.path.display().to_string());
        let mut limits = Vec::new();
        for (column, (measure, band)) in table.limits.iter().enumerate() {
            if !file.measures.iter().any(|of| of.settings.name == *measure) {
                let setting = file.settings.get("limits").expect("it has limits");
                let message = format!(
                    "\"{path}\" has limits of \"{measure}\", which is no measure of this rule"
                );
                self.mistakes.push(file.settings.error(setting, message));
                continue;
            }
            let text = format!("limit {column} of {path} by {by}");
            let of_record = &mut self.subjects[place].of_record;
            let known = of_record.iter().position(|(_, known, _)| *known == text);
            let at = known.unwrap_or_else(|| {
                of_record.push((OfRecord::Limit { table: of_table, column }, text, integer));
                of_record.len() - 1
            });
            limits.push((measure.clone(), *band, at));
        }
        limits
    }

    /// Returns the measures that a table of a rule makes, each with its name: what is usual of one, too.
    fn measures_of(
        &mut self,
        of_rule: Option<usize>,
        table: &MeasureTable,
        types: &mut dyn Types,
    ) -> Vec<(String, (Measure, MeasurePlan))> {
        let Some((measure, plan)) = self.measure(of_rule, table, types) else { return Vec::new() };
        let name = &table.settings.name;
        let mut measures = Vec::new();
        if table.has_usual {
            let identity = plan.identity.replacen("count", "sum", 1);
            let usual = |kind, ending: &str, input| {
                let measure = Measure { kind, window: USUAL };
                let identity = format!("usual hour of week of {identity}{ending}");
                (measure, MeasurePlan { identity, filters: plan.filters.clone(), input })
            };
            let of_usual = usual(Kind::Usual, "", plan.input);
            let of_deviation = usual(Kind::Deviation, " deviation", Input::Nothing);
            let [usual_name, deviation_name] = USUAL_NAMES.map(|ending| format!("{name}{ending}"));
            measures.extend([(usual_name, of_usual), (deviation_name, of_deviation)]);
        }
        measures.push((name.clone(), (measure, plan)));
        measures
    }

    /// Returns a measure of a rule whose records have a filter.
    fn measure(
        &mut self,
        of_rule: Option<usize>,
        table: &MeasureTable,
        types: &mut dyn Types,
    ) -> Option<(Measure, MeasurePlan)> {
        let MeasureTable { settings, value, filter, window, answers, .. } = table;
        let kind = match table.kind {
            // An answer may be late.
            Kind::Unanswered { within, .. } => {
                Kind::Unanswered { within, missing: within.saturating_add(self.late) }
            }
            kind => kind,
        };
        let measure = Measure { kind, window: *window };
        let own = match filter {
            Some(filter) => Some(self.filter(settings, filter, types)?),
            None => None,
        };
        let answers = match answers {
            Some(answers) => Some(self.filter(settings, answers, types)?),
            None => None,
        };
        let value = match value {
            Some(setting) => Some((setting, self.expression(settings, setting, types)?)),
            None => None,
        };
        let input = match (value, answers) {
            (None, _) => Input::One,
            (Some((_, same)), Some(answers)) => Input::Inquiry { same, answers },
            (Some((_, value)), None) if kind == Kind::Distinct => Input::Digest(value),
            (Some((_, value)), None) if is_number(&self.pool[value]) => Input::Number(value),
            (Some((setting, _)), None) => {
                let message = format!("\"{}\" is of numbers", setting.key);
                let hint = "toInteger() makes a number of digits";
                self.mistakes.push(settings.error(setting, message).hint(hint));
                return None;
            }
        };
        if let Err((_, error)) = Layout::new(vec![measure]) {
            let message = format!("the measure \"{}\": {error}", settings.name);
            self.mistakes.push(Diagnostic::error(&settings.source, settings.span, message));
            return None;
        }
        let mut filters: Vec<usize> = of_rule.into_iter().chain(own).collect();
        filters.sort_unstable();
        filters.dedup();
        let texts = |places: &[usize]| -> Vec<String> {
            let mut texts: Vec<_> = places.iter().map(|place| self.pool[*place].text()).collect();
            texts.sort();
            texts
        };
        let values: Vec<usize> = value.map(|(_, place)| place).into_iter().chain(answers).collect();
        let identity = identity(measure, &texts(&values), &texts(&filters));
        Some((measure, MeasurePlan { identity, filters, input }))
    }

    /// Refuses the values of the record that the condition of a rule at an end reads.
    fn refuse_of_record(&mut self, settings: &Settings, condition: &dup::Condition) {
        for value in condition.values().into_iter().filter(|value| value.is_of_record) {
            let setting =
                Setting { key: "when".into(), value: value.name.into(), span: value.place };
            let message = format!("there is no record at an end, and so no \"{}\"", value.name);
            let hint = "measure it: { last = \"…\", for = \"1 day\" }";
            self.mistakes.push(settings.error(&setting, message).hint(hint));
        }
    }

    /// Notes the values of the record that a condition of a subject reads.
    fn of_record(
        &mut self,
        place: usize,
        settings: &Settings,
        condition: &dup::Condition,
        types: &mut dyn Types,
    ) {
        for value in condition.values().into_iter().filter(|value| value.is_of_record) {
            let known = |(_, text, _): &(OfRecord, String, TypeId)| text == value.name;
            if self.subjects[place].of_record.iter().any(known) {
                continue;
            }
            let setting =
                Setting { key: "when".into(), value: value.name.into(), span: value.place };
            let Some(at) = self.expression(settings, &setting, types) else { continue };
            if !is_number(&self.pool[at]) {
                let message = format!("a condition reads numbers, and \"{}\" is none", value.name);
                let hint = "\"where\" may read it";
                self.mistakes.push(settings.error(&setting, message).hint(hint));
                continue;
            }
            let ty = self.pool[at].result();
            let value = (OfRecord::Expression(at), value.name.to_owned(), ty);
            self.subjects[place].of_record.push(value);
        }
    }

    /// Returns the place of a condition over the record.
    fn filter(
        &mut self,
        settings: &Settings,
        setting: &Setting,
        types: &mut dyn Types,
    ) -> Option<usize> {
        let place = self.expression(settings, setting, types)?;
        if is_condition(&self.pool[place], types) {
            return Some(place);
        }
        let hint = "write a comparison, such as record.duration > 0";
        self.mistakes.push(settings.error(setting, "this is TRUE or FALSE").hint(hint));
        None
    }

    /// Reads an expression over the record, or a function of the script that the rule names.
    fn read(
        &mut self,
        settings: &Settings,
        setting: &Setting,
        types: &mut dyn Types,
    ) -> Option<DupExpression> {
        let mut settings = settings.clone();
        if !is_name(&setting.value) {
            settings.values.retain(|of| of.key != "script");
        }
        let read = Dup(self.execution).read(&settings, setting, self.input, types);
        read.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()
    }

    /// Returns the place of an expression over the record.
    fn expression(
        &mut self,
        settings: &Settings,
        setting: &Setting,
        types: &mut dyn Types,
    ) -> Option<usize> {
        let read = self.read(settings, setting, types)?;
        let same = self.pool.iter().position(|known| known.text() == read.text());
        Some(same.unwrap_or_else(|| {
            // Its warnings are of fields that may be absent: a record without one does not count.
            self.pool.push(read);
            self.pool.len() - 1
        }))
    }
}

impl ReadSubject {
    /// Adds the rules of limits: one for each band, the worse one first.
    fn limit_rules(&mut self, rule: &ReadRule, filter: Option<usize>) -> Vec<Rule> {
        let measures = self.measures.len();
        let When::Limits { critical_score, .. } = rule.file.when else { return Vec::new() };
        let of_band = |band: Band| {
            let limits = rule.limits.iter().filter(|(_, of, _)| *of == band);
            let limits = limits.filter_map(|(name, _, at)| {
                let (_, measure) = rule.names.iter().find(|(known, _)| known == name)?;
                Some(Limit { name: name.clone(), measure: *measure, limit: measures + at })
            });
            let limits: Vec<Limit> = limits.collect();
            let condition = Condition::Limits(limits.clone());
            (!limits.is_empty()).then(|| rule.file.rule(filter, condition, rule.evidence))
        };
        let critical = of_band(Band::Critical).map(|of| Rule {
            severity: Severity::Critical,
            score: critical_score.max(of.score),
            ..of
        });
        let place = critical.as_ref().map(|_| self.made.len());
        let warning = of_band(Band::Warning).map(|of| Rule { covered_by: place, ..of });
        critical.into_iter().chain(warning).collect()
    }

    /// Returns the place of a measure, which rules share that count the same.
    fn shared(&mut self, measure: (Measure, MeasurePlan)) -> usize {
        let same = self.measures.iter().position(|(_, of)| of.identity == measure.1.identity);
        same.unwrap_or_else(|| {
            self.measures.push(measure);
            self.measures.len() - 1
        })
    }

    /// Gives measures their places by what they count, so that these stay if rules get other names, or in another order.
    fn order_measures(&mut self) {
        let mut order: Vec<usize> = (0..self.measures.len()).collect();
        order.sort_by(|one, other| {
            let identity = |place: &usize| &self.measures[*place].1.identity;
            identity(one).cmp(identity(other))
        });
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, before)| places[*before] = place);
        let mut measures: Vec<_> =
            std::mem::take(&mut self.measures).into_iter().enumerate().collect();
        measures.sort_by_key(|(before, _)| places[*before]);
        self.measures = measures.into_iter().map(|(_, measure)| measure).collect();
        for ReadRule { names, evidence, .. } in &mut self.rules {
            names.iter_mut().for_each(|(_, place)| *place = places[*place]);
            *evidence = evidence.map(|place| places[place]);
        }
    }

    /// Compiles the conditions of its rules over its values.
    fn conditions(
        &mut self,
        integer: TypeId,
        types: &mut dyn Types,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let (fields, filters) = (self.fields(integer), self.filters());
        let name = format!("values of {}", self.name);
        let measures = self.measures.len();
        let field = |place: usize| fields[place].name.clone();
        self.values = types.add(Type { name, kind: TypeKind::Sequence(fields.clone()) });
        let rules = std::mem::take(&mut self.rules);
        for rule in &rules {
            let filter = rule.filter.and_then(|of| filters.iter().position(|known| *known == of));
            // Rules have names of their own for the same values.
            let place_of = |name: &str| {
                let of_measure = rule.names.iter().find(|(known, _)| known == name);
                let of_record = self.of_record.iter().position(|(_, text, _)| text == name);
                of_measure.map(|(_, place)| *place).or(of_record.map(|place| measures + place))
            };
            let condition = match &rule.file.when {
                When::AtLeast(least) => Condition::AtLeast {
                    measure: rule.names[0].1,
                    least: *least,
                    name: rule.names[0].0.clone(),
                },
                When::Limits { .. } => {
                    let of_rule = self.limit_rules(rule, filter);
                    self.made.extend(of_rule.into_iter().map(|made| with_lists(made, rule)));
                    continue;
                }
                When::Condition(condition) => {
                    let field_of = |name: &str| place_of(name).map(field);
                    let compiled = condition.compile(self.values, &field_of, types);
                    let Some(program) = compiled.program else {
                        mistakes.extend(compiled.diagnostics);
                        continue;
                    };
                    if !is_boolean(&program, types) {
                        let when = rule.file.settings.get("when").expect("it has the condition");
                        let mistake =
                            rule.file.settings.error(when, "a condition is TRUE or FALSE");
                        mistakes.push(mistake.hint("write a comparison, such as calls >= 3"));
                        continue;
                    }
                    let parts = parts(condition, &rule.file.settings, &place_of);
                    let least = condition.least().into_iter();
                    let mut least =
                        least.filter_map(|(name, least)| Some((place_of(name)?, least)));
                    let least = least.find(|(place, _)| *place < measures);
                    Condition::Written { program: program.into(), parts, least }
                }
            };
            let made = rule.file.rule(filter, condition, rule.evidence);
            self.made.push(with_lists(made, rule));
        }
        self.rules = rules;
    }

    /// Returns the expressions that say whose a record is, each once.
    fn filters(&self) -> Vec<usize> {
        let mut filters: Vec<usize> = self.rules.iter().filter_map(|rule| rule.filter).collect();
        filters.sort_unstable();
        filters.dedup();
        filters
    }

    /// Returns a field for each of its values. A measure has the name that its first rule gives it.
    fn fields(&self, integer: TypeId) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for (place, (measure, _)) in self.measures.iter().enumerate() {
            let mut names = self.rules.iter().flat_map(|rule| &rule.names);
            let name = names.find(|(_, at)| *at == place).map_or("", |(name, _)| name.as_str());
            let is_taken = fields.iter().any(|field| field.name == name);
            let name = if is_taken { format!("{name} {place}") } else { name.to_owned() };
            let may_be_absent = matches!(
                measure.kind,
                Kind::Least
                    | Kind::Greatest
                    | Kind::First
                    | Kind::Last
                    | Kind::Recent(_)
                    | Kind::Usual
                    | Kind::Deviation
            );
            fields.push(Field { name, ty: integer, optional: may_be_absent, default: None });
        }
        let of_record = self.of_record.iter().map(|(_, text, ty)| Field {
            name: text.clone(),
            ty: *ty,
            optional: false,
            default: None,
        });
        fields.extend(of_record);
        fields
    }

    /// Returns the subject, and what workers note of it.
    pub(super) fn finish(self) -> (Subject, SubjectPlan) {
        let filters = self.filters();
        let (measures, plans): (Vec<Measure>, Vec<MeasurePlan>) = self.measures.into_iter().unzip();
        let mut counted: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut answered = Vec::new();
        for (place, plan) in plans.iter().enumerate() {
            if let Input::Inquiry { same, answers } = plan.input {
                answered.push((place, answers, same));
            }
            match counted.iter_mut().find(|(filters, _)| *filters == plan.filters) {
                Some((_, places)) => places.push(place),
                None => counted.push((plan.filters.clone(), vec![place])),
            }
        }
        let subject = Subject {
            name: self.name,
            key: self.key.text(),
            layout: Layout::new(measures).expect("each measure was checked"),
            identities: plans.iter().map(|plan| plan.identity.clone()).collect(),
            of_record: self.of_record.len(),
            filters: filters.len(),
            values: self.values,
            rules: self.made,
        };
        let plan = SubjectPlan {
            key: self.key,
            measures: plans,
            counted,
            answered,
            filters,
            is_about_all: self.rules.iter().any(|rule| rule.filter.is_none()),
            of_record: self.of_record.into_iter().map(|(of, ..)| of).collect(),
        };
        (subject, plan)
    }
}

/// Returns what makes the values of a measure. A digest of it is stored: a measure with another one counts from its beginning.
fn identity(Measure { kind, window }: Measure, values: &[String], filters: &[String]) -> String {
    let kind = match kind {
        Kind::Count => "count".to_owned(),
        Kind::Sum => "sum".to_owned(),
        Kind::Least => "min".to_owned(),
        Kind::Greatest => "max".to_owned(),
        Kind::Distinct => "distinct".to_owned(),
        Kind::First => "first".to_owned(),
        Kind::Last => "last".to_owned(),
        Kind::Recent(most) => format!("recent {most}"),
        Kind::Concurrent => "concurrent".to_owned(),
        Kind::Unanswered { within, missing } => format!("unanswered in {within}, {missing} s"),
        // They are made of a measure that has an identity.
        Kind::Usual | Kind::Deviation => "usual".to_owned(),
    };
    let Window { step, steps, form } = window;
    let form = match form {
        Form::Sliding => "s",
        Form::Calendar => "s of the clock",
        Form::Session => "s without one",
    };
    format!("{kind} in {steps} of {step} {form}, of {values:?} where {filters:?}")
}

/// What the names of what is usual end with: the usual value of a measure, and how far values are from it.
const USUAL_NAMES: [&str; 2] = ["-usual", "-deviation"];

fn with_lists(made: Rule, ReadRule { except, only, .. }: &ReadRule) -> Rule {
    Rule { except: except.clone(), only: only.clone(), ..made }
}

/// Returns a digest of a rule's text and of its table.
fn version((of_text, table): (&str, &LimitTable)) -> String {
    let mut digest = blake3::Hasher::new();
    digest.update(of_text.as_bytes());
    digest.update(&table.version);
    digest.finalize().to_hex()[..16].to_owned()
}

/// Returns whether a text is the name of a function, and no expression over the record.
fn is_name(text: &str) -> bool {
    text.chars().all(|of| of.is_ascii_alphanumeric() || of == '-' || of == '_')
}

/// Returns the parts of the text of a condition, each until the end of a name.
fn parts(
    condition: &dup::Condition,
    settings: &Settings,
    place_of: &dyn Fn(&str) -> Option<usize>,
) -> Vec<ConditionPart> {
    let when = settings.get("when").expect("it has the condition");
    let (mut begin, end) = (when.span.start as usize, when.span.end as usize);
    let text = |begin: usize, end: usize| {
        settings.source.text.get(begin..end).unwrap_or_default().to_owned()
    };
    let mut parts = Vec::new();
    for value in condition.values() {
        let end = value.place.end as usize;
        parts.push(ConditionPart { text: text(begin, end), value: place_of(value.name) });
        begin = end;
    }
    parts.push(ConditionPart { text: text(begin, end), value: None });
    parts
}

fn is_boolean(program: &dup::Program, types: &dyn Types) -> bool {
    let result = program.functions().first().map(|function| function.result);
    result.is_some_and(|ty| matches!(types.schema().kind(ty), TypeKind::Boolean))
}

/// Returns the type of numbers.
fn integer(types: &mut dyn Types) -> TypeId {
    let name = "INTEGER";
    match types.find(name) {
        Ok(ty) => ty,
        Err(_) => types.add(Type { name: name.into(), kind: TypeKind::Integer { names: vec![] } }),
    }
}

/// Returns the rule files of a folder, in the order of their names.
fn rule_files(settings: &Settings, folder: &Setting) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let path = settings.path(folder);
    let unreadable = |error: std::io::Error| {
        let message = format!("could not read the folder \"{}\": {error}", path.display());
        vec![settings.error(folder, message)]
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|of| of == "toml") {
            files.push(file);
        }
    }
    if files.is_empty() {
        let mistake = settings.error(folder, "this folder has no rule");
        return Err(vec![mistake.hint("a rule is a file NAME.toml")]);
    }
    files.sort();
    Ok(files)
}
