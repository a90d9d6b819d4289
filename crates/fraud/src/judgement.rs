//! The judgement: takes the notes of jobs in the order of the journal, and finds what rules fire for.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use measures::{Event, Seconds};
use node::{
    Alert, AlertPolicy, Alerting, Committed, InMemory, JobEntry, Judge, Judged, JudgedLater,
    KeyDigest, ListHit, NotedKey, PARTS, RuleSummary, SnapshotPart, StateError, StoredState,
};

use crate::definition::{Rules, Subject};
use crate::ends::{self, FiredAtEnd};
use crate::form::{Form, Translation};
use crate::judging::{Fired, Judging};
use crate::notes::{self, Latest, NoteHead, NoteMemory, NotesError, NotesReader};
use crate::octets::{Cut, Reader, write_number};
use crate::profiles::{Profiles, part_of};
use crate::since::Since;
use crate::stored::{self, Mark, Stored};
use crate::watermark::{Current, FileUnderWay, UnderWay, Watermark};

/// A record may be so much later than its file, in seconds, by clocks that differ. Others have no time that could be judged.
const AHEAD_MAX: Seconds = 86_400;

/// For how long notes are at least and at most, if there is no snapshot that has them: a gateway may stand still for weeks, and a rule
/// that is alerted once makes no notes for ever.
const WINDOW_MIN: Duration = Duration::from_secs(35 * 86_400);
const WINDOW_MAX: Duration = Duration::from_secs(400 * 86_400);

/// What is stored of rules and notes has this form. Its number grows if older ones cannot be read.
const SNAPSHOT_VERSION: u64 = 4;

/// A snapshot is due when the notes since the last one have at least this many octets, and as many as the profiles.
const SNAPSHOT_AFTER: u64 = 8 << 20;

/// The octets of parts that are written in one transaction, about.
const AT_ONCE: usize = 1 << 20;

/// What rules find in the notes of a job.
#[derive(Default)]
struct Found {
    alerts: Vec<Alert>,
    marks: Vec<Mark>,
    hits: Vec<ListHit>,
    /// The latest time of a record that counts.
    newest: Option<Seconds>,
}

impl Found {
    /// Takes what rules found at ends of hours and days. A record of a job has brought the time that is behind them.
    fn take_ended(
        &mut self,
        rules: &Rules,
        ended: Vec<FiredAtEnd<'_>>,
        by: (Committed, u64),
        profiles: &mut Profiles,
    ) {
        for FiredAtEnd { digest, key, fired } in ended {
            if let Some(mark) = fired.mark(digest) {
                profiles.mark(mark);
                self.marks.push(mark);
            }
            let alert = self.alert(rules, fired, by, &key);
            self.alerts.push(alert);
        }
    }

    /// Returns an alert about a key, by a record of a job.
    fn alert(
        &self,
        rules: &Rules,
        Fired { subject, rule, at, condition, evidence, .. }: Fired<'_>,
        (job, record): (Committed, u64),
        key: &[u8],
    ) -> Alert {
        let mut digest = blake3::Hasher::new();
        let texts = [&rules.node, &rule.name, &rule.version, &subject.name];
        for octets in texts.map(|text| text.as_bytes()).into_iter().chain([key]) {
            digest.update(&(octets.len() as u64).to_le_bytes());
            digest.update(octets);
        }
        digest.update(&job.job.to_le_bytes());
        digest.update(&record.to_le_bytes());
        digest.update(&at.to_le_bytes());
        // One record may be here by two streams.
        digest.update(&(self.alerts.len() as u64).to_le_bytes());
        let digest = digest.finalize();
        let digest = *digest.as_bytes().first_chunk().expect("a digest has 32 octets");
        Alert {
            digest,
            rule: rule.name.clone(),
            rule_version: rule.version.clone(),
            subject: subject.name.clone(),
            key: shown(key),
            at_s: at,
            record,
            score: rule.score,
            severity: rule.severity,
            fraud_type: rule.fraud_type.clone(),
            is_shadow: rule.is_shadow,
            actions: Arc::clone(&rule.actions),
            condition,
            evidence,
        }
    }
}

/// How many records notes were of. A record has a note for each of its subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Taken {
    records: u64,
    /// Of these, those that came too late, or are of a time to come.
    late: u64,
    last: Option<u64>,
    last_late: Option<u64>,
}

impl Taken {
    fn note(&mut self, record: u64) {
        self.records += u64::from(self.last.replace(record) != Some(record));
    }

    fn note_late(&mut self, record: u64) {
        self.late += u64::from(self.last_late.replace(record) != Some(record));
    }
}

/// Judges the notes of jobs by rules.
pub struct Judgement {
    rules: Rules,
    octets_max: u64,
    snapshot_after: u64,
    state: Mutex<State>,
    /// What others ask while a job is judged.
    keys: AtomicU64,
    octets: AtomicU64,
    /// The oldest time that counts for a file that begins now.
    begins: AtomicU32,
    under_way: Arc<UnderWay>,
    /// How the form with this description is read, while it is restored.
    translation: Mutex<Option<(Vec<u8>, Arc<Translation>)>>,
    /// Why the state could not be restored.
    unreadable: OnceLock<String>,
}

struct State {
    profiles: Profiles,
    /// Since when measures count.
    since: Since,
    watermark: Watermark,
    /// The watermark before the changes that may be undone.
    watermark_before: Watermark,
    /// The last job that is in the profiles.
    last: Committed,
    /// The last job of the changes that may be undone.
    judged: Option<Committed>,
    /// For each part, the last job that it had when it was read from a snapshot.
    restored: Vec<JobEntry>,
    /// The octets of the notes since the last snapshot, and the next part of the snapshot that is being written.
    noted_octets: u64,
    next_part: usize,
    workspace: Workspace,
}

/// Memory for the work on a note.
struct Workspace {
    judging: Judging,
    note: NoteMemory,
    scratch: Vec<u8>,
    named: Vec<u8>,
}

impl Judgement {
    /// Returns a judgement without profiles, which use about `octets_max` octets of memory at most.
    pub fn new(rules: Rules, octets_max: u64) -> Self {
        let never = Committed { job: 0, at: UNIX_EPOCH };
        let since = Since::of(&rules.form);
        Judgement {
            rules,
            octets_max,
            snapshot_after: SNAPSHOT_AFTER,
            state: Mutex::new(State {
                profiles: Profiles::default(),
                since,
                watermark: Watermark::default(),
                watermark_before: Watermark::default(),
                last: never,
                judged: None,
                restored: vec![0; PARTS],
                noted_octets: 0,
                next_part: 0,
                workspace: Workspace {
                    judging: Judging::new(),
                    note: NoteMemory::default(),
                    scratch: Vec::new(),
                    named: Vec::new(),
                },
            }),
            keys: AtomicU64::new(0),
            octets: AtomicU64::new(0),
            begins: AtomicU32::new(0),
            under_way: Arc::default(),
            translation: Mutex::default(),
            unreadable: OnceLock::new(),
        }
    }

    /// Sets the least octets of notes after which a snapshot is due.
    #[must_use]
    pub fn with_snapshot_after(self, octets: u64) -> Self {
        Judgement { snapshot_after: octets, ..self }
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Begins a file. Until it is judged, and what this returns is dropped, no record of it is too late that is not before [its oldest
    /// time](FileUnderWay::oldest).
    pub fn begin_file(&self) -> FileUnderWay {
        self.under_way.begin(|| self.begins.load(Ordering::Relaxed))
    }

    /// Returns how what was stored in another form is read. All that is restored has the same one.
    fn translation(&self, description: &[u8]) -> Result<Arc<Translation>, StateError> {
        let mut known = self.translation.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, translation)) = known.as_ref().filter(|(of, _)| of == description) {
            return Ok(Arc::clone(translation));
        }
        let from = Form::read(description).map_err(StateError::octets)?;
        let translation = Arc::new(Translation::new(&from, &self.rules.form));
        *known = Some((description.to_owned(), Arc::clone(&translation)));
        Ok(translation)
    }

    fn restore_into(&self, state: &mut State, stored: StoredState<'_>) -> Result<(), StateError> {
        let StoredState { job, at, octets, description } = stored;
        let translation = description.map(|of| self.translation(of)).transpose()?;
        let translation = translation.as_deref();
        if translation.is_some() {
            // What is in another form is stored in this one soon.
            state.noted_octets = u64::MAX;
        }
        match stored::read(octets).map_err(StateError::octets)? {
            Stored::Snapshot(part) => {
                let of = (Committed { job, at }, part);
                state.read_part(of, translation).map_err(StateError::octets)
            }
            Stored::Notes { under_way, notes, marks } => {
                state.noted_octets = state.noted_octets.saturating_add(octets.len() as u64);
                let of = (Committed { job, at }, notes, under_way);
                let again = state.take_again((&self.rules, translation), of, marks);
                again.map_err(StateError::octets)
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows others how much there is.
    fn publish(&self, State { profiles, watermark, .. }: &State) {
        self.keys.store(profiles.keys() as u64, Ordering::Relaxed);
        self.octets.store(profiles.octets() as u64, Ordering::Relaxed);
        self.begins.store(watermark.free(), Ordering::Relaxed);
    }
}

impl Judge for Judgement {
    fn take_file(&self) {
        self.under_way.take(|| self.begins.load(Ordering::Relaxed));
    }

    fn leave_file(&self) {
        self.under_way.leave();
    }

    fn judge(&self, job: Committed, notes: &[u8]) -> Result<Judged, StateError> {
        let mut state = self.state();
        // Whatever comes of it can be undone.
        state.judged = Some(job);
        let mut found = Found::default();
        let under_way = self.under_way.oldest();
        let of = (job, notes, under_way);
        let taken = state.take((&self.rules, None), of, Some(&mut found));
        let Taken { records, late, .. } = taken.map_err(StateError::octets)?;
        let delta = stored::of_notes(under_way, notes, &found.marks);
        state.noted_octets = state.noted_octets.saturating_add(delta.len() as u64);
        let Found { alerts, hits, newest, .. } = found;
        Ok(Judged { alerts, hits, delta, records, late, newest, ..Judged::default() })
    }

    fn looks_back(&self) -> Duration {
        let measures = self.rules.subjects.iter().flat_map(|subject| subject.layout.measures());
        let longest = measures.map(|measure| measure.window.seconds()).max().unwrap_or_default();
        let again = self.rules.subjects.iter().flat_map(|subject| &subject.rules);
        let longest = again.map(|rule| rule.again).fold(longest, Seconds::max);
        Duration::from_secs(longest.into())
    }

    fn settle(&self, is_committed: bool) {
        let mut state = self.state();
        let Some(judged) = state.judged.take() else { return };
        match is_committed {
            true => state.accept(&self.rules, judged),
            false => {
                state.profiles.undo();
                state.watermark = state.watermark_before.clone();
            }
        }
        self.publish(&state);
    }

    fn alerting(&self) -> Option<&dyn Alerting> {
        Some(self)
    }
}

impl Alerting for Judgement {
    fn rules(&self) -> Vec<RuleSummary> {
        self.rules.summaries()
    }

    fn alert_policy(&self) -> AlertPolicy {
        self.rules.alert_policy
    }

    fn index(&self) -> Option<Duration> {
        self.rules.index
    }

    fn keys_of(
        &self,
        job: Committed,
        delta: &[u8],
        take: &mut dyn FnMut(NotedKey<'_>),
    ) -> Result<(), StateError> {
        let Stored::Notes { notes, .. } = stored::read(delta).map_err(StateError::octets)? else {
            return Ok(());
        };
        let latest = seconds(job.at).saturating_add(AHEAD_MAX);
        let keys = notes::keys_of(notes, |noted| {
            if noted.at_s <= latest {
                take(noted);
            }
        });
        keys.map_err(StateError::octets)
    }
}

/// How time goes on with the records of a file.
struct FileClock {
    job: Committed,
    current: Current,
    under_way: Seconds,
    /// When the next hour or day ends.
    next_end: Seconds,
}

impl State {
    fn accept(&mut self, rules: &Rules, job: Committed) {
        self.profiles.accept(rules, self.watermark.oldest());
        self.watermark_before.clone_from(&self.watermark);
        self.last = job;
    }

    /// Takes the notes of a job, and judges them if `found` is there. Rules that have changed since the notes were written find nothing.
    /// Returns how many records there were.
    fn take(
        &mut self,
        (rules, translation): (&Rules, Option<&Translation>),
        (job, notes, under_way): (Committed, &[u8], Seconds),
        mut found: Option<&mut Found>,
    ) -> Result<Taken, NotesError> {
        let arrived = seconds(job.at);
        let mut reader = NotesReader::new(notes, (rules, translation), job.job)?;
        let mut taken = Taken::default();
        let current = self.watermark.begin(reader.network_element, arrived, rules.patience);
        let mut clock = FileClock {
            job,
            current,
            under_way,
            next_end: ends::next_end(rules, self.watermark.oldest()).unwrap_or(Seconds::MAX),
        };
        let named: Vec<bool> = rules.subjects.iter().map(Subject::has_ends).collect();
        let mut memory = std::mem::take(&mut self.workspace.note);
        while let Some(note) = reader.next(rules, &mut memory)? {
            taken.note(note.record);
            if note.time > arrived.saturating_add(AHEAD_MAX) {
                taken.note_late(note.record);
                continue;
            }
            let of_record = Latest { time: note.time, record: note.record };
            let oldest = self.advance(rules, &mut clock, of_record, found.as_deref_mut());
            let State { profiles, restored, workspace, .. } = &mut *self;
            if let Some(found) = &mut found {
                found.newest = found.newest.max(Some(note.time));
            }
            if note.time < oldest.max(reader.oldest) {
                taken.note_late(note.record);
                continue;
            }
            let key = workspace.digest(&rules.form, &note);
            if job.job <= restored[part_of(&key)] {
                continue;
            }
            let event = Event { at: rules.moment(note.time), inputs: &memory.inputs };
            let Workspace { judging, scratch, .. } = workspace;
            let layout = &rules.subjects[note.subject].layout;
            let of = (key, note.subject, named[note.subject].then_some(note.key));
            let oldest = rules.moment(oldest);
            profiles.apply(of, (layout, event), (oldest, scratch), |profile| {
                let Some(found) = found.as_mut() else { return };
                if !reader.is_of_these_rules {
                    return;
                }
                judging.judge(rules, (&note, &memory), profile, |fired| {
                    found.marks.extend(fired.mark(key));
                    if fired.is_covered {
                        return;
                    }
                    let has_evidence = fired.rule.evidence.is_some();
                    let mut alert = found.alert(rules, fired, (job, note.record), note.key);
                    // A record that is late is not among the last ones.
                    let own = (job.job, note.record);
                    if has_evidence && !alert.evidence.contains(&own) {
                        alert.evidence.push(own);
                    }
                    found.alerts.push(alert);
                });
                found.hits.append(&mut judging.hits);
            });
        }
        self.workspace.note = memory;
        // Records that concern no rule say what time it is, too.
        if (1..=arrived.saturating_add(AHEAD_MAX)).contains(&reader.latest.time) {
            self.advance(rules, &mut clock, reader.latest, found);
        }
        Ok(taken)
    }

    /// Goes on to the time of a record, and judges what ends until then if `found` is there. Returns the oldest time that counts.
    fn advance(
        &mut self,
        rules: &Rules,
        clock: &mut FileClock,
        Latest { time, record }: Latest,
        found: Option<&mut Found>,
    ) -> Seconds {
        let State { profiles, watermark, workspace, .. } = self;
        let FileClock { job, current, under_way, next_end } = clock;
        let time = time.min(seconds(job.at));
        let before = watermark.judged_until();
        let oldest = watermark.advance(*current, time, (rules.patience, *under_way));
        if oldest >= *next_end {
            if let Some(found) = found {
                let judging = &mut workspace.judging;
                let ended = ends::judge(rules, (before, oldest), profiles, judging);
                found.hits.append(&mut judging.hits);
                found.take_ended(rules, ended, (*job, record), profiles);
            }
            *next_end = ends::next_end(rules, oldest).unwrap_or(Seconds::MAX);
        }
        oldest
    }

    /// Takes the notes of a job that was judged before, with what was alerted then.
    fn take_again(
        &mut self,
        (rules, translation): (&Rules, Option<&Translation>),
        (job, notes, under_way): (Committed, &[u8], Seconds),
        marks: &[u8],
    ) -> Result<(), NotesError> {
        self.take((rules, translation), (job, notes, under_way), None)?;
        if let Some(translation) = translation {
            self.since.begin(translation, self.watermark.latest());
        }
        for mark in stored::marks(marks) {
            let mark = mark?;
            if job.job > self.restored[part_of(&mark.key)] {
                self.profiles.mark(mark);
            }
        }
        self.accept(rules, job);
        Ok(())
    }

    /// Reads a part of a snapshot.
    fn read_part(
        &mut self,
        (Committed { job, at }, octets): (Committed, &[u8]),
        translation: Option<&Translation>,
    ) -> Result<(), SnapshotError> {
        let mut reader = Reader(octets);
        match reader.number()? {
            SNAPSHOT_VERSION => {}
            other => return Err(SnapshotError::Version(other)),
        }
        let part = usize::try_from(reader.number()?).map_err(|_| Cut)?;
        let watermark = Watermark::read(&mut reader)?;
        self.since.read(&mut reader, translation)?;
        if let Some(translation) = translation {
            self.since.begin(translation, watermark.latest());
        }
        let restored = self.restored.get_mut(part).ok_or(SnapshotError::NoPart(part))?;
        // Notes are taken again from the oldest part on, with the watermark of then.
        if self.last.job == 0 || job < self.last.job {
            self.last = Committed { job, at };
            self.watermark_before.clone_from(&watermark);
            self.watermark = watermark;
        }
        *restored = job;
        Ok(self.profiles.read((part, reader.rest()), translation)?)
    }

    /// Returns from when on rules are judged; nothing if all are.
    fn judged_from(&self, rules: &Rules) -> Vec<Vec<Seconds>> {
        let of_subject = |of: (usize, &Subject)| {
            of.1.rules.iter().map(|rule| self.since.judged_from(of, rule)).collect()
        };
        let all: Vec<Vec<Seconds>> = rules.subjects.iter().enumerate().map(of_subject).collect();
        if all.iter().flatten().any(|from| *from > 0) { all } else { Vec::new() }
    }

    fn write_part(&self, part: usize) -> SnapshotPart {
        let mut octets = Vec::new();
        write_number(&mut octets, SNAPSHOT_VERSION);
        write_number(&mut octets, part as u64);
        self.watermark.write(&mut octets);
        self.since.write(&mut octets);
        self.profiles.write(part, &mut octets);
        let Committed { job, at } = self.last;
        SnapshotPart { part: part as u16, through: job, at, octets: stored::of_snapshot(&octets) }
    }
}

impl Workspace {
    /// Returns the digest of a key with its subject.
    fn digest(&mut self, form: &Form, note: &NoteHead<'_>) -> KeyDigest {
        self.named.clear();
        self.named.extend_from_slice(&form.subjects[note.subject].identity);
        self.named.extend_from_slice(note.key);
        node::key_digest(&self.named)
    }
}

/// Returns a key as text: one that is none, such as packed digits, in hexadecimal.
fn shown(key: &[u8]) -> String {
    match std::str::from_utf8(key) {
        Ok(text) => text.to_owned(),
        Err(_) => key.iter().map(|octet| format!("{octet:02x}")).collect(),
    }
}

/// Why a part of a snapshot cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum SnapshotError {
    #[error(transparent)]
    Cut(#[from] Cut),
    #[error("a snapshot of the form {0} is not known: a later version has written it")]
    Version(u64),
    #[error("there is no part {0} of a snapshot")]
    NoPart(usize),
}

impl InMemory for Judgement {
    fn form(&self) -> String {
        self.rules.form.name()
    }

    fn description(&self) -> Option<Vec<u8>> {
        Some(self.rules.form.write())
    }

    fn can_read(&self, form: &str, description: &[u8]) -> bool {
        // The name is a digest of the description, and says the version of profiles.
        let is_whole = Form::read(description).is_ok_and(|of| of.name() == form);
        is_whole && self.translation(description).is_ok_and(|of| of.has_any())
    }

    fn without(&self, node: &str, files: &str) -> String {
        format!(
            "the measures or subjects of \"{node}\" were changed: it counts from the beginning, without the records of {files}"
        )
    }

    fn window(&self) -> Option<Duration> {
        let late = self.rules.patience.late.saturating_add(AHEAD_MAX);
        let all = self.looks_back() + Duration::from_secs(late.into());
        Some(all.clamp(WINDOW_MIN, WINDOW_MAX))
    }

    fn restore(&self, stored: StoredState<'_>) -> Result<(), StateError> {
        let mut state = self.state();
        let restored = self.restore_into(&mut state, stored);
        self.publish(&state);
        restored.inspect_err(|error| {
            let text = format!("its profiles cannot be read from the journal: {error}");
            // Only the first error is reported.
            let _ = self.unreadable.set(text);
        })
    }

    fn restored(&self) -> Vec<JudgedLater> {
        let mut state = self.state();
        let latest = state.watermark.latest();
        let judged_from = state.judged_from(&self.rules);
        let rules = self.rules.subjects.iter().zip(&judged_from).flat_map(|(subject, from)| {
            subject.rules.iter().zip(from).filter(|(_, from)| **from > latest)
        });
        let later =
            rules.map(|(rule, from_s)| JudgedLater { rule: rule.name.clone(), from_s: *from_s });
        let later = later.collect();
        state.workspace.judging.judged_from = judged_from;
        *self.translation.lock().unwrap_or_else(PoisonError::into_inner) = None;
        later
    }

    fn expire(&self, now: SystemTime) {
        let mut state = self.state();
        if state.judged.is_some() {
            return;
        }
        let mut oldest = state.watermark.oldest();
        if self.octets.load(Ordering::Relaxed) >= self.octets_max {
            // No file comes, so the watermark stands.
            let by_clock =
                seconds(now).saturating_sub(self.rules.patience.late).saturating_sub(AHEAD_MAX);
            oldest = oldest.max(by_clock);
        }
        state.profiles.expire(&self.rules, oldest);
        self.publish(&state);
    }

    fn refuses(&self) -> Option<String> {
        if let Some(text) = self.unreadable.get() {
            return Some(text.clone());
        }
        let (octets, keys) = (self.octets.load(Ordering::Relaxed), self.keys());
        (octets >= self.octets_max).then(|| {
            format!("the profiles of its {keys} keys use all of its {} octets of memory: allow more \"memory\"", self.octets_max)
        })
    }

    fn has_values(&self) -> bool {
        true
    }

    fn keys(&self) -> u64 {
        self.keys.load(Ordering::Relaxed)
    }

    fn snapshot(&self) -> Vec<SnapshotPart> {
        let mut state = self.state();
        // A snapshot of a state that is not whole must not replace one that is.
        if self.unreadable.get().is_some() || state.judged.is_some() {
            return Vec::new();
        }
        if state.next_part == 0 {
            if state.noted_octets < self.snapshot_after.max(state.profiles.octets() as u64) {
                return Vec::new();
            }
            state.noted_octets = 0;
        }
        let (mut parts, mut octets) = (Vec::new(), 0);
        while state.next_part < PARTS && octets < AT_ONCE {
            let part = state.write_part(state.next_part);
            octets += part.octets.len();
            parts.push(part);
            state.next_part += 1;
        }
        if state.next_part == PARTS {
            state.next_part = 0;
        }
        parts
    }
}

fn seconds(at: SystemTime) -> Seconds {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Seconds::try_from(since).unwrap_or(Seconds::MAX)
}
