//! The definition of a charging system: `charging.toml`, and the plans that it names.

mod bill_shock;
mod bonuses;
mod bundles;
mod database;
mod diameter;
mod diameter_alarms;
mod fees;
mod files;
mod notices;
mod secrets;
mod summary;
mod transfers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::amount;
use charging::{Charging, GrantSettings, OrphanUsage, Policy, SPEND_LIMITS_MAX, Scope, SpendLimit};
use diagnostics::{Diagnostic, Source, Span, did_you_mean, plain};
use rating::{Currency, Moment, Plan, Plans};
use settings::toml::{self, span_of};
use settings::{SecretSource, Setting, Settings};
use toml_edit::{Document, Item, TableLike};

pub use bonuses::BonusRule;
pub use bundles::{Bundle, Contents};
pub use database::Database;
pub(crate) use diameter::is_node_name;
pub use diameter::{CreditControl, DiameterNode, DiameterTls, Peer};
pub use diameter_alarms::{ErrorRate, PeerAlarmSettings};
pub use fees::{Fee, Recurrence};
pub(crate) use files::{DefinitionFiles, VersionFile, text_of};
pub use notices::{NoticeSettings, ThresholdRule};
pub use summary::{DiameterSummary, FeeSummary, LimitSummary, Summary, ThresholdSummary};
pub use transfers::TransferSettings;

/// The maximum octets of a definition.
const OCTETS_MAX: u64 = 1 << 20;

/// The longest validity of a grant: a day.
const VALIDITY_SECONDS_MAX: u64 = 86_400;

/// The key of the amount below which grants are reserved.
const RESERVE_BELOW: &str = "reserve-below";

/// After how long a file of records is closed by default.
const RECORDS_EVERY: Duration = Duration::from_secs(60);

/// The records of a file: a few MB, which are written and collected in less than a second.
const RECORDS_MAX: usize = 10_000;

/// How long the numbers of a closed account are given to no other one by default: 90 days.
const QUARANTINE: i64 = 90 * 86_400_000;

/// The keys beside tables.
const KEYS: [&str; 3] = ["plan", "later-plans", "state"];

/// What `charging.toml` says.
#[derive(Debug)]
pub struct Definition {
    /// What accounts are charged by.
    pub terms: Terms,
    /// The folder of the state. With a database, it has the socket for commands only.
    pub state: PathBuf,
    /// The database that has the accounts, if it is not the folder of the state.
    pub database: Option<Database>,
    /// The secret with which PINs of vouchers are hashed.
    pub voucher_secret: Option<SecretSource>,
    /// Where networks reach the system over HTTP.
    pub http: Option<Http>,
    /// Where clients of Diameter reach the system.
    pub diameter: Option<DiameterNode>,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// All files that were read.
    pub files: Vec<PathBuf>,
    /// What may be wrong in the definition and its plans.
    pub warnings: Vec<Diagnostic>,
    /// Those that are there, with their texts.
    pub(crate) texts: DefinitionFiles,
}

/// Where the accounts of a definition are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The folder of the state.
    pub(crate) state: PathBuf,
    /// The database, if they are not in the folder.
    pub(crate) database: Option<Database>,
}

impl Place {
    /// Returns whether there may be accounts.
    pub(crate) fn exists(&self) -> bool {
        self.database.is_some() || self.state.exists()
    }
}

/// What accounts are charged by.
#[derive(Debug)]
pub struct Terms {
    /// Plans and grants. A definition that is only read has no services: their places are in the journal.
    pub charging: Charging,
    /// The currency of all accounts.
    pub currency: Currency,
    /// The stages of an account's life, if they end.
    pub life: Option<Life>,
    /// How long the numbers of a closed account are given to no other one, in milliseconds.
    pub quarantine: i64,
    /// The amount above which a second person is needed, in billionths.
    pub approval_above: Option<i64>,
    /// The tariff classes that accounts can be barred from, besides services.
    pub barring: Vec<Scope>,
    /// The bundles that subscribers buy.
    pub bundles: Vec<Bundle>,
    /// The fees of all accounts.
    pub fees: Vec<Fee>,
    /// What accounts get with a refill.
    pub bonuses: Vec<BonusRule>,
    /// The levels of what accounts have below which there is a notice.
    pub thresholds: Vec<ThresholdRule>,
    /// The rules of transfers between accounts.
    pub transfers: TransferSettings,
    /// What becomes of notices.
    pub notices: NoticeSettings,
    /// The files of records of ended sessions, if there are any.
    pub records: Option<RecordSettings>,
    /// What requests of Diameter are about, and which peers send them.
    pub credit_control: CreditControl,
}

/// How long the stages of an account's life are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// The days for which an account is active after it was opened, and after each refill at least.
    pub active_days: u16,
    /// How long the grace after that is, in milliseconds.
    pub grace: i64,
    /// How long it is suspended after that before it is closed, in milliseconds.
    pub suspended: i64,
}

/// The files of records of ended sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSettings {
    /// Their folder.
    pub folder: PathBuf,
    /// After how long a file is closed, in milliseconds.
    pub every: i64,
    /// With how many records a file is closed.
    pub records_max: usize,
}

/// Where networks reach the system over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// The address.
    pub listen: std::net::SocketAddr,
    /// The clients that may send requests. Without any, the address is one of this machine.
    pub clients: Vec<Client>,
}

/// A client of the network: a switch, a gateway or a payment server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Its token.
    pub token: SecretSource,
}

/// The extension of the folder of the state, if the definition names none.
const STATE: &str = "state";

impl Definition {
    /// Returns where the accounts of a definition are, which may have mistakes. `None` if it does not say it for sure: other
    /// accounts than its own must not be opened.
    pub(crate) fn place_of(path: &Path) -> Option<Place> {
        let text = plain::read_text(path, OCTETS_MAX).ok()?;
        let source = Source::new(path.display().to_string(), text);
        let document = Document::parse(source.text.clone()).ok()?;
        let mut reading = Reading::of(source, path, None);
        let database = reading.database(document.as_table());
        let state = match document.get("state") {
            Some(state) => reading.folder.join(state.as_str()?),
            None => path.with_extension(STATE),
        };
        reading.mistakes.is_empty().then_some(Place { state, database })
    }

    /// Returns the folder of the state if a definition does not say it.
    pub(crate) fn default_state(path: &Path) -> PathBuf {
        path.with_extension(STATE)
    }

    /// Returns the plans of a definition whose files are in memory, each beside its name. `None` if they have mistakes.
    pub(crate) fn plans_of(definition: &Path, files: &BTreeMap<String, String>) -> Option<Plans> {
        let text = files.get(definition.to_str()?)?;
        let source = Source::new(definition.display().to_string(), text.clone());
        let document = Document::parse(source.text.clone()).ok()?;
        let mut reading = Reading::of(source, definition, Some(files));
        let top = reading.settings("charging.toml", document.as_table(), &KEYS);
        let (plans, _) = reading.plans(&top)?;
        Some(plans)
    }

    /// Returns the definition at a path whose files are in memory instead of on the disk, each beside its name in the folder
    /// of the definition. `None` if they have mistakes, or are those of another definition.
    pub(crate) fn of_texts(path: &Path, files: BTreeMap<String, String>) -> Option<Self> {
        let text = files.get(path.file_name()?.to_str()?)?.clone();
        let source = Source::new(path.display().to_string(), text);
        let (mut definition, _) = Self::of(path, source, Some(&files)).ok()?;
        definition.texts = DefinitionFiles::of(path, files);
        Some(definition)
    }

    /// Returns where its accounts are.
    pub(crate) fn place(&self) -> Place {
        Place { state: self.state.clone(), database: self.database.clone() }
    }

    /// Reads a definition with its plans.
    ///
    /// # Errors
    ///
    /// All mistakes in the file and the plans.
    pub fn read(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let name = path.display().to_string();
        let text = plain::read_text(path, OCTETS_MAX).map_err(|why| {
            let source = Source::new(name.clone(), "");
            vec![Diagnostic::error(&source, Span::default(), format!("cannot read it: {why}"))]
        })?;
        let (mut definition, source) = Self::of(path, Source::new(name, text), None)?;
        definition.texts = DefinitionFiles::read(path, &definition.files)
            .map_err(|why| vec![Diagnostic::error(&source, Span::default(), why.to_string())])?;
        Ok(definition)
    }

    /// Reads the definition at a path that has a text; its other files are on the disk, or given by their names.
    fn of(
        path: &Path,
        source: Arc<Source>,
        given: Option<&BTreeMap<String, String>>,
    ) -> Result<(Self, Arc<Source>), Vec<Diagnostic>> {
        let document = Document::parse(source.text.clone()).map_err(|error| {
            let span = error.span().map_or_else(Span::default, |at| Span::new(at.start, at.end));
            vec![Diagnostic::error(&source, span, error.message())]
        })?;
        let mut reading = Reading::of(source, path, given);
        let definition = reading.definition(path, document.as_table());
        let Reading { source, mistakes, .. } = reading;
        match definition {
            Some(definition) if !diagnostics::has_errors(&mistakes) => {
                Ok((Definition { warnings: mistakes, ..definition }, source))
            }
            _ => Err(mistakes),
        }
    }
}

/// A file that is read, and the mistakes in it.
struct Reading<'f> {
    source: Arc<Source>,
    folder: PathBuf,
    /// The files beside it by their names, if they are not on the disk.
    given: Option<&'f BTreeMap<String, String>>,
    mistakes: Vec<Diagnostic>,
}

impl<'f> Reading<'f> {
    fn of(
        source: Arc<Source>,
        definition: &Path,
        given: Option<&'f BTreeMap<String, String>>,
    ) -> Self {
        let folder = definition.parent().unwrap_or(Path::new("")).to_owned();
        Reading { source, folder, given, mistakes: Vec::new() }
    }
}

impl Reading<'_> {
    fn definition(&mut self, path: &Path, document: &dyn TableLike) -> Option<Definition> {
        let tables = [
            "grants",
            "usage",
            "life",
            "limits",
            "barring",
            "bundles",
            "fees",
            "numbers",
            "approval",
            "bonuses",
            "thresholds",
            "transfers",
            "notices",
            "records",
            "vouchers",
            "database",
            "http",
            "clients",
            "diameter",
        ];
        self.refuse_unknown(document, &[&KEYS[..], &tables].concat());
        let top = self.settings("charging.toml", document, &KEYS);
        let plans = self.plans(&top);
        let grants = self.grants(document);
        let mut policy = self.policy(document);
        let life = self.life(document);
        let vouchers = self.table(document, "vouchers", &["secret-file"]);
        let voucher_secret = vouchers.and_then(|table| {
            self.required(&table, "secret-file")?;
            table.secret_file("secret-file")
        });
        let quarantine = self.quarantine(document);
        let records = self.records(document);
        let notices = self.notices(document);
        let database = self.database(document);
        let http = self.http(document);
        // A version in memory has no secrets beside it.
        if self.given.is_none() {
            self.warn_of_secrets(document);
        }
        let state = match top.get("state") {
            Some(setting) => top.path(setting),
            None => path.with_extension(STATE),
        };
        let (grants, validity_seconds, remembered_seconds) = grants?;
        let (plans, mut files) = plans?;
        files.push(path.to_owned());
        self.check_services(&top, &plans);
        let (diameter, credit_control) = self.diameter(document, (&plans, &mut files)).unzip();
        let currency = plans.all().next()?.currency();
        self.amounts(document, (currency, &plans), &mut policy);
        let approval_above = self.approval_above(document, currency);
        let barring = self.table(document, "barring", &["classes"]);
        let barring = barring.map(|table| self.classes(&table, &plans)).unwrap_or_default();
        let bundles = self.bundles(document, (currency, &plans));
        let fees = self.fees(document, currency);
        let bonuses = self.bonuses(document, (currency, &plans));
        if life.is_some_and(|life| notices.before_end >= i64::from(life.active_days) * 86_400_000) {
            let message = "\"before-end\" of [notices] is longer than \"active\" of [life]: each refill would make a notice";
            self.mistakes.push(Diagnostic::error(&self.source, Span::default(), message));
        }
        let thresholds = self.thresholds(document, currency);
        let transfers = self.transfers(document, currency, &fees);
        if plans.all().any(|plan| plan.currency() != currency) {
            let at = top.get("later-plans").map_or(top.span, |setting| setting.span);
            let message = "all plans have one currency, since balances have it";
            self.mistakes.push(Diagnostic::error(&self.source, at, message));
        }
        // Their places are in the journal.
        let (scopes, subscriber_types) = (Vec::new(), Vec::new());
        let charging = Charging {
            plans,
            scopes,
            subscriber_types,
            grants,
            validity_seconds,
            remembered_seconds,
            policy,
        };
        let terms = Terms {
            charging,
            currency,
            life,
            quarantine,
            approval_above,
            barring: barring.into_iter().map(Scope::Class).collect(),
            bundles,
            fees,
            bonuses,
            thresholds,
            transfers,
            notices,
            records,
            credit_control: credit_control.unwrap_or_default(),
        };
        let texts = DefinitionFiles(Vec::new());
        let (path, warnings) = (path.to_owned(), Vec::new());
        Some(Definition {
            terms,
            state,
            database,
            voucher_secret,
            http,
            diameter,
            path,
            files,
            warnings,
            texts,
        })
    }

    fn plans(&mut self, top: &Settings) -> Option<(Plans, Vec<PathBuf>)> {
        let first = self.required(top, "plan")?;
        let mut named = vec![(Moment::MIN, first)];
        for setting in top.all("later-plans") {
            let Some((from, folder)) = setting.halves() else {
                let message = "a later plan is \"MOMENT = FOLDER\"";
                let hint = "write \"2027-01-01 Europe/Stockholm = tariff-2027\"";
                self.mistakes.push(top.error(setting, message).hint(hint));
                continue;
            };
            match rating::moment(&from.value) {
                Ok(moment) => named.push((moment, folder)),
                Err(why) => self.mistakes.push(top.error(&from, why.to_string())),
            }
        }
        let (mut plans, mut files) = (Vec::new(), Vec::new());
        for (from, setting) in &named {
            let read = self.plan(&top.path(setting));
            self.mistakes.extend(read.diagnostics);
            if let Some(plan) = read.plan {
                files.extend(plan.files().iter().cloned());
                plans.push((*from, plan));
            }
        }
        (plans.len() == named.len()).then(|| (Plans::in_turn(plans), files))
    }

    /// Checks that the names of services can be stored.
    fn check_services(&mut self, top: &Settings, plans: &Plans) {
        let mut services = plans.all().flat_map(|plan| plan.services());
        if let Some(name) = services.find(|name| !Scope::may_be_service(name)) {
            let message = format!("a service cannot have the name \"{name}\"");
            self.mistakes.push(Diagnostic::error(&self.source, top.span, message));
        }
    }

    fn plan(&self, folder: &Path) -> rating::Read {
        let Some(given) = self.given else { return Plan::read(folder) };
        // A folder may be written as "./tariff".
        let folder = Path::new("/").join(folder);
        let own = given.iter().filter_map(|(name, text)| {
            let path = Path::new("/").join(&self.folder).join(name);
            let is_own = path.parent() == Some(&folder);
            let file = path.file_name().filter(|_| is_own)?.to_str()?;
            Some((file.to_owned(), text.clone().into_bytes()))
        });
        Plan::of_files(&folder, own.collect())
    }

    fn grants(&mut self, document: &dyn TableLike) -> Option<(GrantSettings, u32, u32)> {
        let known = ["seconds", "octets", "events", "validity", "remembered", RESERVE_BELOW];
        let table = self.table(document, "grants", &known);
        let mut grants = GrantSettings { seconds: 180, octets: 10_000_000, events: 1 };
        let (mut validity, mut remembered) = (600, 300);
        let Some(table) = table else { return Some((grants, validity, remembered)) };
        let seconds = |reading: &mut Self, setting: &Setting, most: u64| {
            let length = reading.noted(table.duration(setting))?.as_secs().max(1);
            if length > most {
                let message = format!("\"{}\" is {most} seconds at most", setting.key);
                reading.mistakes.push(table.error(setting, message));
            }
            u32::try_from(length).ok()
        };
        for setting in &table.values {
            match setting.key.as_str() {
                "seconds" => grants.seconds = self.noted(table.count(setting))?,
                "events" => grants.events = self.noted(table.count(setting))?,
                "octets" => grants.octets = self.noted(table.octets(setting))?,
                "validity" => validity = seconds(self, setting, VALIDITY_SECONDS_MAX)?,
                // It needs the currency.
                RESERVE_BELOW => {}
                _ => remembered = seconds(self, setting, VALIDITY_SECONDS_MAX)?,
            }
        }
        Some((grants, validity, remembered))
    }

    fn life(&mut self, document: &dyn TableLike) -> Option<Life> {
        let table = self.table(document, "life", &["active", "grace", "suspended"])?;
        let mut lengths = [Duration::ZERO; 3];
        for (length, key) in lengths.iter_mut().zip(["active", "grace", "suspended"]) {
            let setting = self.required(&table, key)?;
            *length = self.noted(table.duration(&setting))?;
        }
        let [active, grace, suspended] = lengths;
        let days = u16::try_from(active.as_secs() / 86_400).ok().filter(|days| *days > 0);
        let Some(active_days) = days else {
            let message = "\"active\" is 1 to 65535 days";
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
            return None;
        };
        let milliseconds = runtime::time::milliseconds;
        Some(Life { active_days, grace: milliseconds(grace), suspended: milliseconds(suspended) })
    }

    fn approval_above(&mut self, document: &dyn TableLike, currency: Currency) -> Option<i64> {
        let table = self.table(document, "approval", &["above"])?;
        let setting = self.required(&table, "above")?;
        self.price(&table, &setting, currency)
    }

    fn quarantine(&mut self, document: &dyn TableLike) -> i64 {
        let table = self.table(document, "numbers", &["quarantine"]);
        let setting = table.as_ref().and_then(|table| Some((table, table.get("quarantine")?)));
        let length = setting.and_then(|(table, setting)| self.noted(table.duration(setting)));
        length.map_or(QUARANTINE, runtime::time::milliseconds)
    }

    fn records(&mut self, document: &dyn TableLike) -> Option<RecordSettings> {
        let table = self.table(document, "records", &["folder", "every"])?;
        let folder = self.required(&table, "folder")?;
        let every = match table.get("every") {
            Some(setting) => self.noted(table.duration(setting))?,
            None => RECORDS_EVERY,
        };
        let (folder, every) = (table.path(&folder), runtime::time::milliseconds(every));
        Some(RecordSettings { folder, every, records_max: RECORDS_MAX })
    }

    fn policy(&mut self, document: &dyn TableLike) -> Policy {
        let mut policy = Policy::default();
        let Some(table) = self.table(document, "usage", &["of-unknown-sessions", "excess-percent"])
        else {
            return policy;
        };
        let known = [
            ("charge", OrphanUsage::Charge),
            ("report", OrphanUsage::Report),
            ("drop", OrphanUsage::Drop),
        ];
        if let Some(setting) = table.get("of-unknown-sessions")
            && let Some(choice) = self.noted(table.choice(setting, &known))
        {
            policy.orphan_usage = choice;
        }
        if let Some(setting) = table.get("excess-percent")
            && let Some(percent) = self.noted(table.count(setting))
        {
            policy.excess_percent = Some(u32::try_from(percent).unwrap_or(u32::MAX));
        }
        policy
    }

    /// Reads what is written in the currency of the plans.
    fn amounts(
        &mut self,
        document: &dyn TableLike,
        (currency, plans): (Currency, &Plans),
        policy: &mut Policy,
    ) {
        let grants = document.get("grants").and_then(Item::as_table_like);
        if let Some(table) = grants.map(|grants| self.settings("grants", grants, &[RESERVE_BELOW]))
            && let Some(setting) = table.get(RESERVE_BELOW)
        {
            policy.reserve_below = self.amount(&table, setting, currency);
        }
        for table in
            self.tables(document, "limits", &["services", "amount", "only-abroad", "each-number"])
        {
            if let Some(limit) = self.limit(&table, (currency, plans)) {
                policy.spend_limits.push(limit);
            }
        }
        self.limit_data_abroad((currency, plans), policy);
        if policy.spend_limits.len() > SPEND_LIMITS_MAX {
            let message = format!("there are {SPEND_LIMITS_MAX} limits at most");
            self.mistakes.push(Diagnostic::error(&self.source, Span::default(), message));
        }
    }

    fn limit(
        &mut self,
        table: &Settings,
        (currency, plans): (Currency, &Plans),
    ) -> Option<SpendLimit> {
        let setting = self.required(table, "amount")?;
        let amount = self.amount(table, &setting, currency)?;
        let services = self.services(table, plans);
        if services.is_empty() {
            self.required(table, "services")?;
        }
        let truths = [("true", true), ("false", false)];
        let mut is = |key| match table.get(key) {
            Some(setting) => self.noted(table.choice(setting, &truths)),
            None => Some(false),
        };
        let (is_roaming, is_each_number) = (is("only-abroad")?, is("each-number")?);
        // It gets its number where its names get their places.
        let name = table.name.clone();
        Some(SpendLimit { name, number: 0, services, is_roaming, is_each_number, amount })
    }

    /// Reads the services of a table, each of which a plan has.
    fn services(&mut self, table: &Settings, plans: &Plans) -> Vec<String> {
        let known: Vec<&str> = plans.all().flat_map(|plan| plan.services()).collect();
        self.names_of_plans(table, ("services", "service"), &known)
    }

    /// Reads the tariff classes of a table, each of which a plan has.
    fn classes(&mut self, table: &Settings, plans: &Plans) -> Vec<String> {
        let known: Vec<&str> = plans.all().flat_map(|plan| plan.classes()).collect();
        self.names_of_plans(table, ("classes", "tariff class"), &known)
    }

    /// Reads the names of a key, each of which is one that plans have.
    fn names_of_plans(
        &mut self,
        table: &Settings,
        (key, noun): (&str, &str),
        known: &[&str],
    ) -> Vec<String> {
        for name in table.all(key).filter(|name| !known.contains(&name.value.as_str())) {
            let message = format!("no plan has a {noun} \"{}\"", name.value);
            let hint = did_you_mean(&name.value, known.iter().copied()).unwrap_or_default();
            self.mistakes.push(table.error(name, message).hint(hint));
        }
        table.all(key).map(|name| name.value.clone()).collect()
    }

    /// Reads what balances pay for: services, and tariff classes.
    fn scopes(&mut self, table: &Settings, plans: &Plans) -> Vec<Scope> {
        let services = self.services(table, plans).into_iter().map(Scope::Service);
        services.chain(self.classes(table, plans).into_iter().map(Scope::Class)).collect()
    }

    fn amount(&mut self, table: &Settings, setting: &Setting, currency: Currency) -> Option<i64> {
        let read = amount::money(&setting.value, currency);
        self.noted(read.map_err(|refused| table.error(setting, refused.to_string())))
    }

    fn http(&mut self, document: &dyn TableLike) -> Option<Http> {
        let table = self.table(document, "http", &["listen"])?;
        let clients = self.clients(document);
        let setting = self.noted(table.require("listen").cloned())?;
        let Ok(listen) = setting.value.parse::<std::net::SocketAddr>() else {
            let message = format!("\"{}\" is no address with a port", setting.value);
            self.mistakes.push(table.error(&setting, message).hint("write \"127.0.0.1:8090\""));
            return None;
        };
        if clients.is_empty() && !listen.ip().is_loopback() {
            let message = "every machine that reaches this address could charge accounts";
            let hint = "give each client a token: [clients.msc1] with token-file = \"FILE\"";
            self.mistakes.push(table.error(&setting, message).hint(hint));
        }
        Some(Http { listen, clients })
    }

    fn clients(&mut self, document: &dyn TableLike) -> Vec<Client> {
        let mut found = Vec::new();
        for table in self.tables(document, "clients", &["token-file"]) {
            match table.secret("token") {
                Ok(Some(token)) => found.push(Client { name: table.name, token }),
                Ok(None) => {
                    let message = format!("the client \"{}\" has no token", table.name);
                    let mistake = Diagnostic::error(&self.source, table.span, message);
                    self.mistakes.push(mistake.hint("write token-file = \"FILE\""));
                }
                Err(mistake) => self.mistakes.push(mistake),
            }
        }
        found
    }

    fn required(&mut self, table: &Settings, key: &str) -> Option<Setting> {
        self.noted(table.require(key).cloned())
    }

    fn noted<T>(&mut self, read: Result<T, Diagnostic>) -> Option<T> {
        read.map_err(|mistake| self.mistakes.push(mistake)).ok()
    }

    /// Returns a table within another, and notes keys that it may not have.
    fn table(&mut self, of: &dyn TableLike, name: &str, known: &[&str]) -> Option<Settings> {
        let item = of.get(name)?;
        let Some(table) = item.as_table_like() else {
            let message = format!("\"{name}\" is a table");
            self.mistakes.push(Diagnostic::error(&self.source, span_of(item), message));
            return None;
        };
        self.refuse_unknown(table, known);
        Some(self.settings(name, table, known))
    }

    /// Returns the tables within a table, each with its name.
    fn tables(&mut self, of: &dyn TableLike, name: &str, known: &[&str]) -> Vec<Settings> {
        let Some(item) = of.get(name) else { return Vec::new() };
        let Some(tables) = item.as_table_like() else {
            let message = format!("\"{name}\" has a table for each of its names");
            self.mistakes.push(Diagnostic::error(&self.source, span_of(item), message));
            return Vec::new();
        };
        let names: Vec<&str> = tables.iter().map(|(name, _)| name).collect();
        names.into_iter().filter_map(|name| self.table(tables, name, known)).collect()
    }

    fn refuse_unknown(&mut self, table: &dyn TableLike, known: &[&str]) {
        toml::refuse_unknown(&self.source, table, known, &mut self.mistakes);
    }

    /// Returns the values of a table as texts.
    fn settings(&mut self, name: &str, table: &dyn TableLike, known: &[&str]) -> Settings {
        toml::settings((&self.source, &self.folder), (name, table), known, &mut self.mistakes)
    }
}
