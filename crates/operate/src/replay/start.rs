//! Starts a replay.

use std::io;
use std::path::{Path, PathBuf};

use ::versions::{FileTexts, VersionError, superfluous};
use flow::flow_journal::JournalError;
use inspection::{OverlayError, RecordsError, ReplayChoice, ReplayFiles, ReplayOrder};
use people::Role;
use runtime::time::{milliseconds, now_ms};
use serde::Deserialize;
use utoipa::ToSchema;

use super::replays::{self, Replay, ReplayRunning, ReplayScope, Replays, without};
use super::{FILES_MAX, ReplayState};
use crate::context::Context;
use crate::operation::Operation;
use crate::period::{Period, PeriodError};
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// The default number of files of a replay.
const FILES: usize = 100;

/// The maximum size of the files of a replay together, in octets as they came.
const OCTETS_MAX: u64 = 4 << 30;

/// The maximum number of drafts, and of network elements named.
const NAMES_MAX: usize = 1_000;

/// Starts a replay of earlier files.
///
/// A process beside the gateway runs the files through the flow as it is and as it would be with the change, and
/// compares the results. Nothing is delivered, and the gateway is not affected. Only one replay runs at a time. The
/// change is a version, or drafts of files; all other files of the flow are then as they are on the disk.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct StartReplay {
    /// The number of a version of the flow. Give either this or drafts.
    pub version: Option<i64>,
    /// A draft of the flow file.
    pub text: Option<String>,
    /// Drafts of scripts, modules and tariff tables; 1000 at most.
    #[serde(default)]
    pub files: Vec<ReplayDraft>,
    /// Only files of these network elements; all if the list is empty.
    #[serde(default)]
    pub network_elements: Vec<String>,
    /// Only files that were done in this period.
    #[serde(flatten)]
    pub period: Period,
    /// The maximum number of files; the latest are used. Default 100, at most 1000. All files together have 4 GiB at
    /// most.
    pub limit: Option<usize>,
}

/// A draft of a file of the flow.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayDraft {
    /// The name of the file, as the flow names it.
    pub name: String,
    /// The edited text.
    pub text: String,
}

refusals! {
    /// Why a replay is not started.
    pub enum StartReplayError {
        /// Both a version and drafts are given.
        Both => Wrong "replay-two-changes" "give a version or drafts, not both",
        /// Neither a version nor drafts are given.
        NoChange => Wrong "replay-no-change" "give the change to try: a version, or drafts of files",
        /// There are too many names.
        TooMany => Wrong "replay-too-many-names"
            "a replay has 1,000 drafts and 1,000 network elements at most",
        /// The change has mistakes.
        Mistaken {
            /// The first mistake.
            first: String
        } => Wrong "replay-change-mistaken" "the change has mistakes; the first is\n\n{first}",
        /// No file came in the period.
        NoFile => Conflict "replay-no-file" "no file came in this period",
        /// The files of the period do not exist any more.
        Gone {
            /// Their number.
            files: usize
        } => Conflict "replay-files-gone"
            "of the {files} files that came in this period none exists any more; with [archive] in the flow file they \
             would be kept",
        /// There is no process that runs a replay.
        NoProgram => Conflict "replay-no-process"
            "no gateway serves this flow and could start a process for the replay; use \"tollgate replay\"",
        /// The process or the folder of the replay cannot be made.
        Machine {
            /// Why.
            cause: io::Error
        } => Internal "replay-not-started" "the replay could not be started: {cause}",
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// Another replay runs.
        Running(ReplayRunning) => [Conflict],
        /// There is no such version, or the files of the flow cannot be read.
        Versions(VersionError) => [Unknown, Conflict, Wrong],
        /// The flow has mistakes, or the network element is unknown.
        Records(RecordsError) => [Unknown, Conflict],
        /// The flow has mistakes.
        Overlay(OverlayError) => [Conflict],
        /// The entry of the audit trail cannot be written.
        Journal(JournalError) => [NotReady],
    }
}

impl Refusal for ReplayRunning {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Conflict
    }

    fn code(&self) -> &'static str {
        "replay-running"
    }

    fn possible() -> Vec<PossibleRefusal> {
        let text = "{who} tries a change since {since}: wait until that is done, or cancel it";
        vec![PossibleRefusal { kind: RefusalKind::Conflict, text: Some(("replay-running", text)) }]
    }
}

impl Refusal for OverlayError {
    fn kind(&self) -> RefusalKind {
        match self {
            OverlayError::Folder { .. } => RefusalKind::Internal,
            _ => RefusalKind::Conflict,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            OverlayError::Folder { .. } => "replay-folder-unusable",
            OverlayError::Mistakes(_) => "flow-mistaken",
            _ => "replay-file-unusable",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of =
            |code, text| PossibleRefusal { kind: RefusalKind::Conflict, text: Some((code, text)) };
        vec![
            of("flow-mistaken", "\"{flow}\" has mistakes; \"tollgate check\" shows them"),
            of(
                "replay-file-unusable",
                "a file of the change cannot take the place of one of the flow",
            ),
        ]
    }
}

impl Operation for StartReplay {
    type Response = ReplayState;
    type Error = StartReplayError;

    const NAME: &'static str = "replay start";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ReplayState, StartReplayError> {
        let choice = self.choice()?;
        let begun = now_ms();
        let scope = self.scope(&choice);
        let replays = context.shared.replays().ok_or(StartReplayError::NoProgram)?;
        let program = replays.program.clone().ok_or(StartReplayError::NoProgram)?;
        let place = Replays::take(&replays, context.who)?;
        let store = context.shared.versions()?;
        let candidate = self.candidate(context)?;
        store.may_be_read(&candidate)?;
        let flows = lay_out(context, &replays.folder, &candidate)?;
        let mut found = inspection::replay_files(context.flow, context.parts, &choice)?;
        if found.files.is_empty() {
            return Err(match found.gone {
                0 => StartReplayError::NoFile,
                files => StartReplayError::Gone { files },
            });
        }
        let subject = scope.in_words(found.files.len());
        context.change(Self::NAME, |db, author| author.record(db, &subject, "").map(drop))?;
        let warm_up = warmed_up(context, (&flows.0, &flows.1), &choice, &mut found)?;
        let replay = Replay::begun((context.who, begun), scope, &found);
        let ReplayFiles { files, .. } = found;
        let live = std::path::absolute(context.flow);
        let live = live.map_err(|cause| StartReplayError::Machine { cause })?;
        let folder = replays.folder.clone();
        let order = ReplayOrder { flows, live, files, warm_up, folder };
        let replay = replays::run(place, program, order, replay);
        Ok(ReplayState::of(Some(replay.map_err(|cause| StartReplayError::Machine { cause })?)))
    }
}

/// Puts the files of before in front, as far back as the rules of both flows look. Returns how many these are.
fn warmed_up(
    context: &Context<'_>,
    (flow, candidate): (&Path, &Path),
    choice: &ReplayChoice,
    found: &mut ReplayFiles,
) -> Result<usize, RecordsError> {
    let looks_back = [flow, candidate].map(|flow| inspection::warm_up(flow, context.parts));
    let [own, other] = looks_back.map(milliseconds);
    let (Some(first_ms), 1..) = (found.first_ms, own.max(other)) else { return Ok(0) };
    let before = ReplayChoice {
        from_ms: first_ms.saturating_sub(own.max(other)),
        to_ms: first_ms,
        files_most: FILES_MAX,
        ..choice.clone()
    };
    let mut before = inspection::replay_files(context.flow, context.parts, &before)?;
    let warm_up = before.files.len();
    before.files.append(&mut found.files);
    found.files = before.files;
    found.octets = found.octets.saturating_add(before.octets);
    Ok(warm_up)
}

impl StartReplay {
    /// Returns which files to replay.
    fn choice(&self) -> Result<ReplayChoice, StartReplayError> {
        match (self.version, self.text.is_some() || !self.files.is_empty()) {
            (Some(_), true) => return Err(StartReplayError::Both),
            (None, false) => return Err(StartReplayError::NoChange),
            _ => {}
        }
        if self.files.len().max(self.network_elements.len()) > NAMES_MAX {
            return Err(StartReplayError::TooMany);
        }
        let period = self.period.range()?;
        Ok(ReplayChoice {
            network_elements: self.network_elements.clone(),
            from_ms: period.start,
            to_ms: period.end,
            files_most: self.limit.unwrap_or(FILES).clamp(1, FILES_MAX),
            octets_most: OCTETS_MAX,
        })
    }

    fn scope(&self, choice: &ReplayChoice) -> ReplayScope {
        let flow_file = self.text.iter().map(|_| String::new());
        ReplayScope {
            version: self.version,
            drafts: flow_file.chain(self.files.iter().map(|draft| draft.name.clone())).collect(),
            network_elements: self.network_elements.clone(),
            period: self.period,
            files_most: choice.files_most,
        }
    }

    /// Returns the files of the flow with the change.
    fn candidate(self, context: &Context<'_>) -> Result<FileTexts, VersionError> {
        let store = context.shared.versions()?;
        match self.version {
            Some(version) => Ok(store.get(version)?.1.files),
            None => {
                let drafts = self.files.into_iter().map(|ReplayDraft { name, text }| (name, text));
                store.drafted(self.text, drafts.collect())
            }
        }
    }
}

/// Writes both flows to the folder of the replay, so that an activation meanwhile changes neither. Returns the flow file
/// as it is, and as it would be.
fn lay_out(
    context: &Context<'_>,
    folder: &Path,
    candidate: &FileTexts,
) -> Result<(PathBuf, PathBuf), StartReplayError> {
    let there = context.shared.versions()?.on_disk()?.files;
    let overlay = |texts: &FileTexts, without: &[String], name: &str| {
        let texts = (texts, without);
        inspection::overlay_texts(context.flow, context.parts, texts, &folder.join(name))
    };
    let removed: Vec<String> = superfluous(candidate, &there).into_iter().cloned().collect();
    let now = overlay(&there, &[], "now")?;
    let candidate = overlay(candidate, &removed, "candidate")?;
    let mistakes = gateway::check(&candidate, context.parts);
    match mistakes.iter().find(|mistake| mistake.is_error()) {
        Some(first) => {
            let first = without(flow::drawing::without_secrets(first), folder);
            Err(StartReplayError::Mistaken { first })
        }
        None => Ok((now, candidate)),
    }
}
