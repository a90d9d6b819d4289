//! The scripts of the flow: reading them, checking an edited text, and replacing one while records flow; and scripts
//! for future nodes.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use diagnostics::Place;
use flow::drawing;
use operate::mistakes::Mistakes;
use operate::versions::{Activated, activate_recorded, save_recorded};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking};
use super::concurrency::Stop;
use super::flow_file::Text;
use super::guard::{Operator, Viewer};
use crate::language::{EditedScript, Language, LanguageError};
use crate::served::Served;
use versions::{BaseState, FileTexts, contents, digest, is_script};

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(list, begin)).routes(routes!(script, look, put))
}

#[derive(Serialize, ToSchema)]
struct Scripts {
    /// The scripts, in the order in which the flow file names them.
    scripts: Vec<Listed>,
}

/// A script of the flow.
#[derive(Serialize, ToSchema)]
pub(super) struct Listed {
    /// The script's file, as the flow file names it.
    file: String,
    /// The nodes that run it.
    pub(super) nodes: Vec<String>,
    /// The digest of the text.
    digest: String,
}

/// The text of a script.
#[derive(Serialize, ToSchema)]
struct Script {
    /// The script's file, as the flow file names it.
    file: String,
    text: String,
    /// The digest of the text, for `based_on`.
    digest: String,
}

/// Returns the scripts that the flow file names and that exist, each with the nodes that run it.
fn found(served: &Served) -> Result<Vec<(Listed, String)>, Failure> {
    let text = served.text()?;
    let mut files: FileTexts = served.versions.files(&text);
    let drawing = drawing::sketch(&text, served.parts.kinds);
    let mut scripts: Vec<(Listed, String)> = Vec::new();
    for node in drawing {
        let Some(file) = node.settings.get("script").and_then(|file| file.as_str()) else {
            continue;
        };
        if let Some((listed, _)) = scripts.iter_mut().find(|(listed, _)| listed.file == file) {
            listed.nodes.push(node.name);
        } else if let Some(text) = files.remove(file) {
            let listed =
                Listed { file: file.into(), nodes: vec![node.name], digest: digest(&text) };
            scripts.push((listed, text));
        }
    }
    Ok(scripts)
}

/// Returns a script of the flow and its text.
pub(super) fn one(served: &Served, file: &str) -> Result<(Listed, String), Failure> {
    let found = found(served)?.into_iter().find(|(listed, _)| listed.file == file);
    found.ok_or_else(|| unknown(file))
}

/// Returns a script of the flow, or one that no node runs yet.
fn one_or_begun(served: &Served, file: &str) -> Result<(Listed, String), Failure> {
    one(served, file).or_else(|unknown| match served.versions.begun(file) {
        Some(text) => {
            let listed = Listed { file: file.into(), nodes: Vec::new(), digest: digest(&text) };
            Ok((listed, text))
        }
        None => Err(unknown),
    })
}

fn unknown(file: &str) -> Failure {
    Failure::unknown(format!("the flow has no script \"{file}\""))
}

/// A place in an edited script.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptAt {
    /// The edited text.
    text: String,
    /// The line, from 1.
    line: usize,
    /// The column in characters, from 1.
    column: usize,
}

/// Asks the language about an edited text in the place of a script, of the flow or a future one.
pub(super) async fn with_draft<T: Send + 'static>(
    served: Arc<Served>,
    (file, text): (String, String),
    Stop(stop): Stop,
    ask: impl FnOnce(&dyn Language, EditedScript<'_>) -> Result<T, LanguageError> + Send + 'static,
) -> Result<T, Failure> {
    let answer = blocking(move || {
        if !is_script(&file) {
            one(&served, &file)?;
        }
        served.versions.script_may_be_read(&file, &text)?;
        let draft = EditedScript { flow: &served.flow, script: &file, text: &text, stop: &stop };
        ask(served.language, draft).map_err(Failure::wrong)
    });
    answer.await
}

/// Asks the language about a place in an edited text.
pub(super) async fn with_draft_at<T: Send + 'static>(
    served: Arc<Served>,
    file: String,
    ScriptAt { text, line, column }: ScriptAt,
    stop: Stop,
    ask: impl FnOnce(&dyn Language, EditedScript<'_>, Place) -> Result<T, LanguageError>
    + Send
    + 'static,
) -> Result<T, Failure> {
    let at = Place { line, column };
    with_draft(served, (file, text), stop, move |language, draft| ask(language, draft, at)).await
}

/// Lists the scripts of the flow.
#[utoipa::path(get, path = "/api/scripts", tag = "scripts", responses((status = 200, body = Scripts)))]
async fn list(State(served): State<Arc<Served>>, _: Viewer) -> Answered<Scripts> {
    let scripts =
        blocking(move || Ok(found(&served)?.into_iter().map(|(listed, _)| listed).collect()));
    Ok(Json(Scripts { scripts: scripts.await? }))
}

/// Returns the text of a script.
///
/// It is a script of the flow, or one that no node runs yet.
#[utoipa::path(get, path = "/api/scripts/{*file}", tag = "scripts", params(("file" = String, Path)),
    responses((status = 200, body = Script), (status = 404)))]
async fn script(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
) -> Answered<Script> {
    let (listed, text) = blocking(move || one_or_begun(&served, &file)).await?;
    Ok(Json(Script { file: listed.file, digest: listed.digest, text }))
}

#[derive(Serialize, ToSchema)]
struct LookedScript {
    #[serde(flatten)]
    mistakes: Mistakes,
}

/// Checks an edited script.
///
/// The answer has the mistakes that `tollgate check` would find with this text as the script `file`. Nothing is saved.
#[utoipa::path(post, path = "/api/scripts/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = Text, responses((status = 200, body = LookedScript), (status = 404), (status = 422)))]
async fn look(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
    stop: Stop,
    Body(Text { text }): Body<Text>,
) -> Answered<LookedScript> {
    let looked = |language: &dyn Language, draft: EditedScript<'_>| {
        language.check(draft).map(|found| Mistakes::of(&found))
    };
    Ok(Json(LookedScript { mistakes: with_draft(served, (file, text), stop, looked).await? }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewScript {
    /// The script's file: a path within the folder of the flow file that ends with `.dup`, such as
    /// `scripts/is_long.dup`.
    file: String,
    /// The text of the script.
    text: String,
    /// To replace such a script: the digest of its text. The request is refused if the text is another one by now.
    /// Leave it out for a new file.
    based_on: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Begun {
    /// The digest of the text.
    digest: String,
}

/// Writes a script that no node runs yet.
///
/// A flow file can name it afterwards. The running flow does not change.
#[utoipa::path(post, path = "/api/scripts", tag = "scripts", request_body = NewScript,
    responses((status = 200, body = Begun),
        (status = 409, description = "The flow runs this script, or the file exists with another text"),
        (status = 422, description = "The file name is not allowed")))]
async fn begin(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(NewScript { file, text, based_on }): Body<NewScript>,
) -> Answered<Begun> {
    let begun = blocking(move || {
        served.versions.begin(&file, &text, based_on.as_deref())?;
        served.note(&who, "script begin", &file, "")?;
        Ok(Begun { digest: digest(&text) })
    });
    Ok(Json(begun.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScriptDraft {
    /// The new text.
    text: String,
    /// The digest of the text that the edit began with. The request is refused if the script has another text by now.
    based_on: Option<String>,
    /// A remark about the change, for the version and the audit trail.
    #[serde(default)]
    remark: String,
}

/// Replaces a script and activates it.
///
/// The new text is saved in a new version of the flow. The gateway switches to it without a stop.
#[utoipa::path(put, path = "/api/scripts/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = ScriptDraft, responses((status = 200, body = Activated), (status = 404),
        (status = 409, description = "The files of the flow were changed meanwhile, or cannot be written")))]
async fn put(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(file): At<String>,
    Body(ScriptDraft { text, based_on, remark }): Body<ScriptDraft>,
) -> Answered<Activated> {
    let put = blocking(move || {
        let (listed, _) = one(&served, &file)?;
        if based_on.is_some_and(|expected| expected != listed.digest) {
            return Err(Failure::conflict(
                "the script was changed by another user meanwhile: load it, and look again",
            ));
        }
        put_file(&served, (&file, text), (&who, "script put", remark.trim()))
    });
    Ok(Json(put.await?))
}

/// Saves a version with a new text of one file, and activates it.
pub(super) fn put_file(
    served: &Served,
    (file, text): (&str, String),
    (who, action, remark): (&str, &str, &str),
) -> Result<Activated, Failure> {
    let there = served.versions.on_disk()?.files;
    let flow = there.get("").map_or("", String::as_str);
    let found = served.versions.whole(flow, Some((file, text)));
    let context = served.context(who, served.stop.child());
    let version = save_recorded(&context, &served.versions, found, remark, file)?;
    let base = BaseState { files: Some(&contents(&there)), ..BaseState::default() };
    let subject = format!("{file}, version {version}");
    let answer = activate_recorded(&context, (version, base), (action, &subject, remark));
    Ok(answer?.into())
}
