//! Tariff plans in a database: versions of a plan, each valid from a moment until the next one is.
//!
//! A version is the files of a plan as they were loaded: the files that users edit are those that are checked and that
//! price usages, and any version can be exported again. A version never changes. Past charges must stay explainable, so
//! a new version begins in the future, and only one that has not begun can be withdrawn.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, counted, plain};
use rating::{Moment, Plan, Plans};
use store::{Connection, OptionalExtension, QueryResult, Row, Store, StoreError, params};

const MIGRATIONS: &[&str] = &[include_str!("versions.sql")];

/// The reason why an operation on versions fails.
#[derive(Debug, thiserror::Error)]
pub enum TariffsError {
    /// The plan has mistakes.
    #[error("the plan has {}", counted(.0.len(), "mistake"))]
    Mistakes(Vec<Diagnostic>),
    /// A file or folder cannot be read or written.
    #[error("\"{}\": {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// Another version is valid from the same moment on.
    #[error("version {0} is valid from that moment on; withdraw it, or choose another moment")]
    Taken(i64),
    /// Usages may have been priced by the version that was valid then.
    #[error(
        "this moment is past, and usages have been priced since by the version that was valid; choose a moment to come"
    )]
    Past,
    /// Counters in one currency would be read in the other.
    #[error(
        "this plan is in {new}, the versions before it in {old}; load it into a database of its own"
    )]
    Currency {
        /// That of the plan.
        new: String,
        /// That of the other versions.
        old: String,
    },
    /// There is no such version.
    #[error("there is no version {0}")]
    Unknown(i64),
    /// It has begun, or was withdrawn before.
    #[error("version {0} {1}, so it cannot be withdrawn")]
    Stays(i64, &'static str),
    /// The reason for the audit trail is missing.
    #[error("give a reason")]
    NoReason,
    /// The database has no version.
    #[error("\"{}\" has no version of a tariff plan", .0.display())]
    Empty(PathBuf),
    /// The database reported an error.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The author, reason and time of a change.
#[derive(Clone, Copy, Debug)]
pub struct Deed<'d> {
    /// The user.
    pub who: &'d str,
    /// The reason.
    pub reason: &'d str,
    /// The time, in seconds since 1970.
    pub now: Moment,
}

impl Deed<'_> {
    fn has_reason(&self) -> Result<(), TariffsError> {
        if self.reason.trim().is_empty() { Err(TariffsError::NoReason) } else { Ok(()) }
    }
}

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub id: i64,
    /// The moment from which it is valid.
    pub valid_from: Moment,
    /// The name of the plan.
    pub name: String,
    /// When it was loaded, by which user, and why.
    pub loaded: (Moment, String, String),
    /// When it was withdrawn, by which user, and why.
    pub withdrawn: Option<(Moment, String, String)>,
}

/// The state of a version at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was valid until the next one was.
    Past,
    /// It is valid.
    Valid,
    /// It will be valid.
    Coming,
    /// It was withdrawn before it was valid.
    Withdrawn,
}

/// Returns the state of each version at a moment, and until when it is valid, if another follows. `versions` must be in
/// the order in which they are valid.
pub fn standing(versions: &[Version], now: Moment) -> Vec<(Standing, Option<Moment>)> {
    let of = |(place, version): (usize, &Version)| {
        if version.withdrawn.is_some() {
            return (Standing::Withdrawn, None);
        }
        let mut behind = versions[place + 1..].iter().filter(|next| next.withdrawn.is_none());
        let until = behind.next().map(|next| next.valid_from);
        match (version.valid_from <= now, until.is_some_and(|until| until <= now)) {
            (false, _) => (Standing::Coming, until),
            (true, false) => (Standing::Valid, until),
            (true, true) => (Standing::Past, until),
        }
    };
    versions.iter().enumerate().map(of).collect()
}

/// The files of a plan, by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A plan without errors, which can be loaded.
#[derive(Debug)]
pub struct LoadablePlan {
    name: String,
    currency: String,
    files: Files,
    /// The warnings about it.
    pub warnings: Vec<Diagnostic>,
}

impl LoadablePlan {
    /// Reads the plan of a folder.
    ///
    /// # Errors
    ///
    /// The plan has mistakes, or a file cannot be read.
    pub fn of_folder(folder: &Path) -> Result<Self, TariffsError> {
        let rating::Read { plan, diagnostics } = Plan::read(folder);
        let Some(plan) = plan else { return Err(TariffsError::Mistakes(diagnostics)) };
        let mut files = Files::new();
        for path in plan.files() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match plain::read(path, plain::TABLE_OCTETS_MAX) {
                Ok(octets) => drop(files.insert(name, octets)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(TariffsError::File { path: path.clone(), error }),
            }
        }
        Ok(Self::new(&plan, files, diagnostics))
    }

    /// Reads a plan from files in memory.
    ///
    /// # Errors
    ///
    /// The plan has mistakes.
    pub fn of_files(files: Files) -> Result<Self, TariffsError> {
        let rating::Read { plan, diagnostics } = Plan::of_files(Path::new(""), files.clone());
        let Some(plan) = plan else { return Err(TariffsError::Mistakes(diagnostics)) };
        Ok(Self::new(&plan, files, diagnostics))
    }

    fn new(plan: &Plan, files: Files, warnings: Vec<Diagnostic>) -> Self {
        let (name, currency) = (plan.name().to_owned(), plan.currency().code().to_owned());
        LoadablePlan { name, currency, files, warnings }
    }
}

/// Loads a plan as the version that is valid from a moment on. Creates the database if it is
/// missing. The first version may begin in the past.
///
/// `record` is called with the version before it is committed. If it fails, there is no version.
///
/// # Errors
///
/// The versions that there are do not allow it, the database fails, or `record` fails.
pub fn load<E: From<TariffsError>>(
    database: &Path,
    plan: &LoadablePlan,
    valid_from: Moment,
    deed: Deed<'_>,
    record: impl FnOnce(&Version) -> Result<(), E>,
) -> Result<Version, E> {
    deed.has_reason()?;
    // Creates or migrates it.
    drop(Store::open_shared(database, MIGRATIONS).map_err(TariffsError::from)?);
    change(database, record, |db| {
        let valid = "SELECT id, valid_from FROM version WHERE withdrawn IS NULL";
        let valid = all(db, valid, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Moment>(1)?)))?;
        if let Some((id, _)) = valid.iter().find(|(_, from)| *from == valid_from) {
            return Ok(Err(TariffsError::Taken(*id)));
        }
        if valid_from <= deed.now && !valid.is_empty() {
            return Ok(Err(TariffsError::Past));
        }
        let other =
            "SELECT currency FROM version WHERE withdrawn IS NULL AND currency <> ? LIMIT 1";
        let other = db.query_row(other, [&plan.currency], |row| row.get(0)).optional()?;
        if let Some(old) = other {
            return Ok(Err(TariffsError::Currency { new: plan.currency.clone(), old }));
        }
        let LoadablePlan { name, currency, files, .. } = plan;
        db.prepare_cached(
            "INSERT INTO version (valid_from, name, currency, loaded, loaded_by, reason)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![valid_from, name, currency, deed.now, deed.who, deed.reason])?;
        let id = db.last_insert_rowid();
        for (name, octets) in files {
            db.prepare_cached("INSERT INTO plan_file (version, name, octets) VALUES (?, ?, ?)")?
                .execute(params![id, name, octets])?;
        }
        version(db, id).map(|added| added.ok_or(TariffsError::Unknown(id)))
    })
}

/// Withdraws a version that has not begun.
///
/// `record` is called with the version before it is committed. If it fails, the version is not withdrawn.
///
/// # Errors
///
/// There is no such version, it has begun or was withdrawn, the database fails, or `record` fails.
pub fn withdraw<E: From<TariffsError>>(
    database: &Path,
    id: i64,
    deed: Deed<'_>,
    record: impl FnOnce(&Version) -> Result<(), E>,
) -> Result<Version, E> {
    deed.has_reason()?;
    change(database, record, |db| {
        let Some(found) = version(db, id)? else { return Ok(Err(TariffsError::Unknown(id))) };
        if found.withdrawn.is_some() {
            return Ok(Err(TariffsError::Stays(id, "was withdrawn before")));
        }
        if found.valid_from <= deed.now {
            return Ok(Err(TariffsError::Stays(id, "has begun")));
        }
        db.prepare_cached(
            "UPDATE version SET withdrawn = ?, withdrawn_by = ?, withdrawn_reason = ? WHERE id = ?",
        )?
        .execute(params![deed.now, deed.who, deed.reason, id])?;
        version(db, id).map(|withdrawn| withdrawn.ok_or(TariffsError::Unknown(id)))
    })
}

/// The reason why a transaction is rolled back. The caller gets the error itself.
#[derive(Debug, thiserror::Error)]
#[error("the change of the tariff versions is refused")]
struct RolledBack;

/// Changes a version and records the change. The transaction is rolled back if one of the two
/// fails.
fn change<E: From<TariffsError>>(
    database: &Path,
    record: impl FnOnce(&Version) -> Result<(), E>,
    change: impl FnOnce(&Connection) -> QueryResult<Result<Version, TariffsError>>,
) -> Result<Version, E> {
    let mut refusal = None;
    let changed = store::change(database, MIGRATIONS, |db| {
        let recorded = match change(db)? {
            Ok(version) => record(&version).map(|()| version),
            Err(error) => Err(error.into()),
        };
        recorded.map_err(|error| {
            refusal = Some(error);
            store::undone(RolledBack)
        })
    });
    match refusal {
        Some(error) => Err(error),
        None => Ok(changed.map_err(TariffsError::from)?),
    }
}

/// Returns all versions, in the order in which they are valid.
pub fn versions(database: &Path) -> Result<Vec<Version>, TariffsError> {
    let select = format!("{VERSION} ORDER BY valid_from, id");
    Ok(store::read(database, MIGRATIONS, |db| all(db, &select, to_version))?)
}

/// Returns the files of a version.
pub fn files(database: &Path, id: i64) -> Result<Files, TariffsError> {
    let files = store::read(database, MIGRATIONS, |db| files_of(db, id))?;
    if files.is_empty() { Err(TariffsError::Unknown(id)) } else { Ok(files) }
}

/// Writes the files of a version into a new folder.
pub fn take_out(database: &Path, id: i64, folder: &Path) -> Result<(), TariffsError> {
    let files = files(database, id)?;
    let refused = |path: &Path| {
        let path = path.to_owned();
        move |error| TariffsError::File { path, error }
    };
    fs::create_dir(folder).map_err(refused(folder))?;
    for (name, octets) in files {
        let path = folder.join(name);
        fs::write(&path, octets).map_err(refused(&path))?;
    }
    Ok(())
}

/// The result of reading a plan's folder, or a database of versions.
#[derive(Debug)]
pub struct Read {
    /// The plans, if none has errors.
    pub plans: Option<Plans>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read, and their folder. If one of them changes, the plans have to be read again.
    pub files: Vec<PathBuf>,
}

/// Reads the plan of a folder, which is always valid, or the versions of a database.
pub fn read(place: &Path) -> Result<Read, TariffsError> {
    if place.is_dir() || !place.exists() {
        let rating::Read { plan, diagnostics } = Plan::read(place);
        let mut files = plan.as_ref().map_or(Vec::new(), |plan| plan.files().to_vec());
        // The folder counts too: a file with a wrong name in it is a mistake, which ends when the file is removed.
        files.push(place.to_owned());
        return Ok(Read { plans: plan.map(Plans::always), diagnostics, files });
    }
    // SQLite opens a database by its name, so check first that it is a plain file.
    let refused = |error| TariffsError::File { path: place.to_owned(), error };
    plain::open(place).map_err(refused)?;
    let select = format!("{VERSION} WHERE withdrawn IS NULL ORDER BY valid_from");
    let versions = store::read(place, MIGRATIONS, |db| {
        let versions = all(db, &select, to_version)?;
        versions
            .into_iter()
            .map(|version| Ok((files_of(db, version.id)?, version)))
            .collect::<QueryResult<Vec<_>>>()
    })?;
    if versions.is_empty() {
        return Err(TariffsError::Empty(place.to_owned()));
    }
    let (mut plans, mut diagnostics) = (Vec::new(), Vec::new());
    let count = versions.len();
    for (files, version) in versions {
        let read = Plan::of_files(&place.join(format!("version {}", version.id)), files);
        diagnostics.extend(read.diagnostics);
        plans.extend(read.plan.map(|plan| (version.valid_from, plan)));
    }
    // A version that this program refuses, though an older one accepted it, must not be left out.
    let plans = (plans.len() == count).then(|| Plans::in_turn(plans));
    Ok(Read { plans, diagnostics, files: vec![place.to_owned()] })
}

const VERSION: &str = "SELECT id, valid_from, name, loaded, loaded_by, reason,
     withdrawn, withdrawn_by, withdrawn_reason FROM version";

fn version(db: &Connection, id: i64) -> QueryResult<Option<Version>> {
    db.prepare_cached(&format!("{VERSION} WHERE id = ?"))?.query_row([id], to_version).optional()
}

fn to_version(row: &Row<'_>) -> QueryResult<Version> {
    let withdrawn = match row.get::<_, Option<Moment>>(6)? {
        Some(at) => Some((at, row.get(7)?, row.get(8)?)),
        None => None,
    };
    Ok(Version {
        id: row.get(0)?,
        valid_from: row.get(1)?,
        name: row.get(2)?,
        loaded: (row.get(3)?, row.get(4)?, row.get(5)?),
        withdrawn,
    })
}

fn files_of(db: &Connection, id: i64) -> QueryResult<Files> {
    let mut select = db.prepare_cached("SELECT name, octets FROM plan_file WHERE version = ?")?;
    select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn all<T>(
    db: &Connection,
    select: &str,
    of: impl Fn(&Row<'_>) -> QueryResult<T>,
) -> QueryResult<Vec<T>> {
    db.prepare_cached(select)?.query_map([], |row| of(row))?.collect()
}
