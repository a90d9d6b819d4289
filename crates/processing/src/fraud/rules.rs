//! The rules of a node: their measures, each once for a subject, and their conditions over these.

use std::path::PathBuf;

use ::fraud::{Condition, ConditionPart, Rule, Subject};
use diagnostics::{Diagnostic, did_you_mean};
use measures::{Kind, Layout, Measure, Window};
use record::{Field, Kind as TypeKind, Type, TypeId, Types};
use settings::{Setting, Settings};

use super::rule_file::{MeasureTable, RuleFile, When};
use super::{MeasurePlan, SubjectPlan, is_condition, is_number};
use crate::expression::{Dup, DupExpression};
use crate::script::Execution;

/// What the rule files of a folder say.
pub(super) struct Read {
    pub(super) subjects: Vec<ReadSubject>,
    /// The expressions of all rules, each once.
    pub(super) pool: Vec<DupExpression>,
    pub(super) warnings: Vec<Diagnostic>,
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
    /// The places of expressions that conditions read, each with its text and its type.
    of_record: Vec<(usize, String, TypeId)>,
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
}

impl Read {
    /// Reads the rules of a folder.
    pub(super) fn folder(
        (settings, folder): (&Settings, &Setting),
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
            warnings: Vec::new(),
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
        let filter = file.filter.as_ref().and_then(|of| self.filter(&file.settings, of, types));
        let mut names = Vec::new();
        for table in &file.measures {
            if let Some(measure) = self.measure(filter, table, types) {
                let at = self.subjects[place].shared(measure);
                names.push((table.settings.name.clone(), at));
            }
        }
        let evidence = file.evidence.as_ref().and_then(|table| self.measure(filter, table, types));
        let evidence = evidence.map(|measure| self.subjects[place].shared(measure));
        if let When::Condition(condition) = &file.when {
            self.of_record(place, &file.settings, condition, types);
            let read = condition.values();
            for (name, _) in &names {
                if !read.iter().any(|value| value.name == name) {
                    let message = format!("the condition does not read the measure \"{name}\"");
                    let table = file.measures.iter().find(|of| of.settings.name == *name);
                    let span = table.map_or(file.settings.span, |of| of.settings.span);
                    self.warnings.push(Diagnostic::warning(&file.settings.source, span, message));
                }
            }
        }
        self.subjects[place].rules.push(ReadRule { file, filter, names, evidence });
    }

    /// Returns a measure of a rule whose records have a filter.
    fn measure(
        &mut self,
        of_rule: Option<usize>,
        table: &MeasureTable,
        types: &mut dyn Types,
    ) -> Option<(Measure, MeasurePlan)> {
        let MeasureTable { settings, kind, value, filter, window } = table;
        let measure = Measure { kind: *kind, window: *window };
        let own = match filter {
            Some(filter) => Some(self.filter(settings, filter, types)?),
            None => None,
        };
        let value = match value {
            Some(setting) => {
                let place = self.expression(settings, setting, types)?;
                if *kind != Kind::Distinct && !is_number(&self.pool[place]) {
                    let message = format!("\"{}\" is of numbers", setting.key);
                    let hint = "toInteger() makes a number of digits";
                    self.mistakes.push(settings.error(setting, message).hint(hint));
                    return None;
                }
                Some(place)
            }
            None => None,
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
        let (filters_text, value_text) = (texts(&filters), texts(value.as_slice()));
        let identity = identity(measure, &value_text, &filters_text);
        let is_distinct = *kind == Kind::Distinct;
        Some((measure, MeasurePlan { identity, filters, value, is_distinct }))
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
            let known = |(_, text, _): &(usize, String, TypeId)| text == value.name;
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
            self.subjects[place].of_record.push((at, value.name.to_owned(), ty));
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

    /// Returns the place of an expression over the record.
    fn expression(
        &mut self,
        settings: &Settings,
        setting: &Setting,
        types: &mut dyn Types,
    ) -> Option<usize> {
        let read = Dup(self.execution).read(settings, setting, self.input, types);
        let read = read.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()?;
        let same = self.pool.iter().position(|known| known.text() == read.text());
        Some(same.unwrap_or_else(|| {
            // Its warnings are of fields that may be absent: a record without one does not count.
            self.pool.push(read);
            self.pool.len() - 1
        }))
    }
}

impl ReadSubject {
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
        for rule in &self.rules {
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
            let filter = rule.filter.and_then(|of| filters.iter().position(|known| *known == of));
            self.made.push(rule.file.rule(filter, condition, rule.evidence));
        }
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
            let is_latest = !matches!(measure.kind, Kind::Count | Kind::Sum | Kind::Distinct);
            fields.push(Field { name, ty: integer, optional: is_latest, default: None });
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
        for (place, plan) in plans.iter().enumerate() {
            match counted.iter_mut().find(|(filters, _)| *filters == plan.filters) {
                Some((_, places)) => places.push(place),
                None => counted.push((plan.filters.clone(), vec![place])),
            }
        }
        let subject = Subject {
            name: self.name.clone(),
            layout: Layout::new(measures).expect("each measure was checked"),
            of_record: self.of_record.len(),
            filters: filters.len(),
            values: self.values,
            rules: self.made,
        };
        let plan = SubjectPlan {
            name: self.name,
            key: self.key,
            measures: plans,
            counted,
            filters,
            is_about_all: self.rules.iter().any(|rule| rule.filter.is_none()),
            of_record: self.of_record.into_iter().map(|(place, ..)| place).collect(),
        };
        (subject, plan)
    }
}

/// Returns what makes the values of a measure. It is stored: profiles of other measures cannot be read.
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
    };
    let Window { step, steps } = window;
    format!("{kind} in {steps} of {step} s, of {values:?} where {filters:?}")
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
