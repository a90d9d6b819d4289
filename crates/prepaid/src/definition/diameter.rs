//! `[diameter]`: where clients of Diameter reach the system, which of them may, and what their requests are about.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use credit_control::profile::{
    EventFailure, FinalUnit, Profile, RedirectAddress, ResultLevel, SessionFailure, TRIGGERS,
    WithoutMoney,
};
use credit_control::service::ServiceRule;
use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use diameter::dictionary::Dictionary;
use diameter::watchdog;
use ledger::Millis;
use rating::Plans;
use server_tls::{Tls, TlsFiles};
use settings::{Setting, Settings};
use toml_edit::{Item, TableLike};

use super::Reading;
use super::diameter_alarms::PeerAlarmSettings;
use super::files::text_of;
use settings::toml::span_of;

/// The keys beside tables.
const KEYS: [&str; 7] =
    ["listen", "host", "realm", "dictionaries", "watchdog", "message-log", "home-networks"];

/// The keys of a peer.
const PEER_KEYS: [&str; 23] = [
    "profile",
    "connections",
    "inband-tls",
    "default-rating-group",
    "results",
    "final-unit",
    "final-unit-form",
    "final-unit-filters",
    "threshold-percent",
    "holding",
    "consumption",
    "triggers",
    "requested-amounts",
    "without-money",
    "session-failover",
    "session-failure",
    "event-failure",
    "restarts",
    "session-termination",
    "re-auth",
    "abort-session",
    "stored-events",
    "no-traffic",
];

/// The octets for the last messages of each connection, by default: some hundreds of messages.
const MESSAGE_LOG: usize = 256_000;
const MESSAGE_LOG_MAX: u64 = 100_000_000;
const OFF: &str = "off";

/// Whether a client gets requests of the server.
const SENT: [(&str, bool); 2] = [("sent", true), ("not-sent", false)];

/// In place of a list of triggers.
const NO_TRIGGERS: &str = "none";

/// The most connections of a peer.
const CONNECTIONS_MAX: u64 = 1_000;

/// The most octets of a name of a node: that of a host (RFC 1035 section 2.3.4).
const NAME_OCTETS_MAX: usize = 255;

/// Where clients of Diameter reach a system, and as what it appears to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiameterNode {
    /// The addresses for TCP.
    pub listen: Vec<SocketAddr>,
    /// The addresses for TLS over TCP.
    pub tls: Option<DiameterTls>,
    /// The endpoints of SCTP, each with its addresses, which have one port.
    pub sctp: Vec<Vec<SocketAddr>>,
    /// The name of the node: its Origin-Host.
    pub host: String,
    /// Its realm.
    pub realm: String,
    /// The texts of dictionaries of the operator.
    pub dictionaries: Vec<Arc<Source>>,
    /// After how long a silent peer is asked whether it is there.
    pub watchdog: Duration,
    /// The octets for the last messages of each connection.
    pub message_log: usize,
}

/// TLS of a node. It begins before the capabilities of a peer (RFC 6733 section 13.1), or after them for some peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiameterTls {
    /// The addresses where it begins before the capabilities.
    pub listen: Vec<SocketAddr>,
    /// The certificate of this node, and the authority of those of its peers.
    pub files: TlsFiles,
}

/// What requests of credit control are about, and which peers send them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreditControl {
    /// The rules that name the service of a request. The first one that fits counts.
    pub services: Vec<ServiceRule>,
    /// The peers that may connect. Without any, all peers of this machine may.
    pub peers: Vec<Peer>,
    /// The networks of the operator, by MCC and MNC. A subscriber in another one roams. Without any, none does.
    pub home_networks: Vec<String>,
    /// When there are alarms about peers.
    pub alarms: PeerAlarmSettings,
}

/// A peer that may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The name of its node: its Origin-Host.
    pub host: String,
    /// What it needs.
    pub profile: Profile,
    /// How many connections it may have at once.
    pub connections: usize,
    /// For how long it sends no request before there is an alarm, in milliseconds, if it is not as for all: `Some(None)` for never.
    pub no_traffic: Option<Option<Millis>>,
    /// Whether it begins TLS after its capabilities, on a connection without TLS. It cannot connect without TLS then.
    pub inband_tls: bool,
}

impl CreditControl {
    /// Returns a peer by the name of its node, in which the case of letters does not count.
    pub fn peer(&self, host: &str) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.host.eq_ignore_ascii_case(host))
    }
}

impl Reading<'_> {
    /// Reads where clients of Diameter reach the system.
    pub(super) fn diameter(
        &mut self,
        document: &dyn TableLike,
        (plans, files): (&Plans, &mut Vec<PathBuf>),
    ) -> Option<(DiameterNode, CreditControl)> {
        let item = document.get("diameter")?;
        let Some(inner) = item.as_table_like() else {
            let message = "\"diameter\" is a table";
            self.mistakes.push(Diagnostic::error(&self.source, span_of(item), message));
            return None;
        };
        let tables = ["services", "peers", "tls", "sctp", "alarms"];
        self.refuse_unknown(inner, &[&KEYS[..], &tables].concat());
        let table = self.settings("diameter", inner, &KEYS);
        let services = self.service_rules(inner, plans);
        let peers = self.peers(inner, document.get("database").is_some());
        let alarms = self.peer_alarms(inner);
        if inner.get("tls").is_none() {
            self.refuse_inband_tls(inner, &peers);
        }
        let tls = self.diameter_tls(inner, &peers);
        let sctp = self.table(inner, "sctp", &["listen"]);
        let listen = match (table.get("listen"), tls.is_some() || sctp.is_some()) {
            (None, true) => Some(Vec::new()),
            _ => self.listen(&table, &peers),
        };
        let proves = tls.as_ref().is_some_and(|tls| tls.files.authority.is_some());
        let are_inband = !peers.is_empty() && peers.iter().all(|peer| peer.inband_tls);
        if proves && !are_inband {
            for table in [Some(&table), sctp.as_ref()].into_iter().flatten() {
                self.warn_of_no_certificate(table);
            }
        }
        let sctp = sctp.map_or_else(|| Some(Vec::new()), |table| self.sctp(&table, &peers));
        let host = self.node_name(&table, "host");
        let realm = self.node_name(&table, "realm");
        let dictionaries = self.dictionaries(&table, files);
        let watchdog = match table.get("watchdog") {
            Some(setting) => self.watchdog(&table, setting)?,
            None => Duration::from_millis(watchdog::INTERVAL),
        };
        let message_log = match table.get("message-log") {
            Some(setting) => self.message_log(&table, setting)?,
            None => MESSAGE_LOG,
        };
        let home_networks = self.home_networks(&table);
        if services.is_empty() {
            let message = "no request has a service: there is no [diameter.services.NAME]";
            let hint = "write [diameter.services.data] with contexts = [\"32251@3gpp.org\"]";
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message).hint(hint));
        }
        let node = DiameterNode {
            listen: listen?,
            tls,
            sctp: sctp?,
            host: host?,
            realm: realm?,
            dictionaries,
            watchdog,
            message_log,
        };
        Some((node, CreditControl { services, peers, home_networks, alarms }))
    }

    fn diameter_tls(&mut self, of: &dyn TableLike, peers: &[Peer]) -> Option<DiameterTls> {
        let keys = ["listen", "certificate-file", "key-file", "authority-file"];
        let table = self.table(of, "tls", &keys)?;
        let is_inband = peers.iter().any(|peer| peer.inband_tls);
        let listen = match table.get("listen") {
            None if is_inband => Some(Vec::new()),
            _ => self.listen(&table, peers),
        };
        let certificate = self.required(&table, "certificate-file");
        let key = self.required(&table, "key-file");
        let path = |of: Option<Setting>| of.map(|setting| table.path(&setting));
        let authority = table.get("authority-file").map(|setting| table.path(setting));
        let files = TlsFiles { certificate: path(certificate)?, key: path(key)?, authority };
        // A version in memory has no files beside it.
        if self.given.is_none()
            && let Err(why) = Tls::new(files.clone(), None)
        {
            let mistake = Diagnostic::error(&self.source, table.span, why.to_string());
            self.mistakes.push(mistake);
        }
        Some(DiameterTls { listen: listen?, files })
    }

    /// Warns of addresses at which a peer needs no certificate, though it has one at others.
    fn warn_of_no_certificate(&mut self, table: &Settings) {
        let Some(setting) = table.get("listen") else { return };
        let message = "peers may connect here without TLS, and so without a certificate";
        let key = if table.name == "sctp" { "sctp.listen" } else { "listen" };
        let hint = format!("leave out \"{key}\" of [diameter] if each peer shall prove who it is");
        let mistake = Diagnostic::warning(&self.source, setting.span, message);
        self.mistakes.push(mistake.hint(hint));
    }

    /// Reads the endpoints of SCTP: addresses of the same port are one.
    fn sctp(&mut self, table: &Settings, peers: &[Peer]) -> Option<Vec<Vec<SocketAddr>>> {
        let mut endpoints: Vec<Vec<SocketAddr>> = Vec::new();
        for address in self.listen(table, peers)? {
            let port = |of: &&mut Vec<SocketAddr>| of[0].port() == address.port();
            match endpoints.iter_mut().find(port) {
                Some(endpoint) => endpoint.push(address),
                None => endpoints.push(vec![address]),
            }
        }
        let has_all = |of: &&Vec<SocketAddr>| of.iter().any(|one| one.ip().is_unspecified());
        if let Some(endpoint) = endpoints.iter().filter(|of| of.len() > 1).find(has_all) {
            let port = endpoint[0].port();
            let message = format!("port {port} is one endpoint, which has all addresses already");
            let hint = "leave out the other addresses, or name each address of the endpoint";
            let at = table.get("listen").map_or(table.span, |setting| setting.span);
            self.mistakes.push(Diagnostic::error(&self.source, at, message).hint(hint));
        }
        Some(endpoints)
    }

    fn listen(&mut self, table: &Settings, peers: &[Peer]) -> Option<Vec<SocketAddr>> {
        self.required(table, "listen")?;
        let mut addresses = Vec::new();
        for setting in table.all("listen") {
            let Ok(address) = setting.value.parse::<SocketAddr>() else {
                let message = format!("\"{}\" is no address with a port", setting.value);
                self.mistakes.push(table.error(setting, message).hint("write \"127.0.0.1:3868\""));
                continue;
            };
            if peers.is_empty() && !address.ip().is_loopback() {
                let message = "every machine that reaches this address could charge accounts";
                let hint = "name each peer that may connect: [diameter.peers.\"smf.example.net\"]";
                self.mistakes.push(table.error(setting, message).hint(hint));
            }
            addresses.push(address);
        }
        Some(addresses)
    }

    /// Reads the name of a node or of a realm.
    fn node_name(&mut self, table: &Settings, key: &str) -> Option<String> {
        let setting = self.required(table, key)?;
        if !is_node_name(&setting.value) {
            let message = format!("\"{}\" is no name of a host", setting.value);
            self.mistakes
                .push(table.error(&setting, message).hint("write \"charging.example.net\""));
        }
        Some(setting.value)
    }

    fn dictionaries(&mut self, table: &Settings, files: &mut Vec<PathBuf>) -> Vec<Arc<Source>> {
        let mut texts = Vec::new();
        for setting in table.all("dictionaries") {
            let path = table.path(setting);
            let text = match self.given.map(|given| given.get(&setting.value)) {
                Some(Some(text)) => Ok(text.clone()),
                Some(None) => Err(format!("there is no file \"{}\"", setting.value)),
                None => text_of(&path).map_err(|why| why.to_string()),
            };
            match text {
                Ok(text) => texts.push(Source::new(path.display().to_string(), text)),
                Err(message) => self.mistakes.push(table.error(setting, message)),
            }
            files.push(path);
        }
        if let Err(mistakes) = Dictionary::standard(&texts) {
            self.mistakes.extend(mistakes);
        }
        texts
    }

    fn watchdog(&mut self, table: &Settings, setting: &Setting) -> Option<Duration> {
        let length = self.noted(table.duration(setting))?;
        let least = Duration::from_millis(watchdog::INTERVAL_MIN);
        if length < least {
            let message =
                format!("\"watchdog\" is {} seconds at least (RFC 3539)", least.as_secs());
            self.mistakes.push(table.error(setting, message));
        }
        Some(length)
    }

    fn message_log(&mut self, table: &Settings, setting: &Setting) -> Option<usize> {
        let octets = match setting.value.as_str() {
            OFF => 0,
            _ => self.noted(table.octets(setting))?,
        };
        if octets > MESSAGE_LOG_MAX {
            let message = "\"message-log\" is 100 MB at most for each connection, or \"off\"";
            self.mistakes.push(table.error(setting, message));
        }
        usize::try_from(octets).ok()
    }

    fn home_networks(&mut self, table: &Settings) -> Vec<String> {
        for setting in table.all("home-networks") {
            let is_network = matches!(setting.value.len(), 5 | 6)
                && setting.value.bytes().all(|digit| digit.is_ascii_digit());
            if !is_network {
                let message = format!("\"{}\" is no MCC with its MNC", setting.value);
                self.mistakes.push(table.error(setting, message).hint("write \"24001\""));
            }
        }
        table.all("home-networks").map(|network| network.value.clone()).collect()
    }

    fn service_rules(&mut self, of: &dyn TableLike, plans: &Plans) -> Vec<ServiceRule> {
        let known: Vec<&str> = plans.all().flat_map(|plan| plan.services()).collect();
        let keys = ["service", "contexts", "rating-groups", "identifiers"];
        let mut rules: Vec<ServiceRule> = Vec::new();
        for table in self.tables(of, "services", &keys) {
            let name = self.service_of_rule(&table, of, &known);
            if table.get("contexts").is_none() {
                self.required(&table, "contexts");
            }
            let contexts = table.all("contexts").map(|of| of.value.clone()).collect();
            let rating_groups = self.numbers(&table, "rating-groups");
            let identifiers = self.numbers(&table, "identifiers");
            let rule = ServiceRule { name, contexts, rating_groups, identifiers };
            if let Some(before) = rules.iter().find(|before| takes_all(before, &rule)) {
                let message = format!(
                    "no request is about \"{}\": the table of \"{}\" before it takes all of its contexts",
                    table.name, before.name
                );
                let hint = "the first table that fits counts: put the one with \"rating-groups\" or \"identifiers\" first";
                let mistake = Diagnostic::warning(&self.source, table.span, message);
                self.mistakes.push(mistake.hint(hint));
            }
            rules.push(rule);
        }
        rules
    }

    /// Returns the service of a rule: that of its key, or the name of the rule.
    fn service_of_rule(&mut self, table: &Settings, of: &dyn TableLike, known: &[&str]) -> String {
        let setting = table.get("service");
        let name = setting.map_or(table.name.clone(), |setting| setting.value.clone());
        if !known.contains(&name.as_str()) {
            let message = format!("no plan has a service \"{name}\"");
            let rule = of.get("services").and_then(Item::as_table_like);
            let key = rule.and_then(|rules| rules.key(&table.name)?.span());
            let at = key.map_or(table.span, |at| Span::new(at.start, at.end));
            let mistake = match setting {
                Some(setting) => table.error(setting, message),
                None => Diagnostic::error(&self.source, at, message),
            };
            let all = || format!("services of the plan: {}", known.join(", "));
            let hint = did_you_mean(&name, known.iter().copied()).unwrap_or_else(all);
            self.mistakes.push(mistake.hint(hint));
        }
        name
    }

    fn numbers(&mut self, table: &Settings, key: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        for setting in table.all(key) {
            match setting.value.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    let message = format!("\"{}\" is no number of 32 bits", setting.value);
                    self.mistakes.push(table.error(setting, message));
                }
            }
        }
        numbers
    }

    fn peers(&mut self, of: &dyn TableLike, has_database: bool) -> Vec<Peer> {
        let mut peers: Vec<Peer> = Vec::new();
        if self.has_dotted_peer(of) {
            return peers;
        }
        for table in self.tables(of, "peers", &PEER_KEYS) {
            if !is_node_name(&table.name) {
                let message = format!("\"{}\" is no name of a host", table.name);
                let at = of.get("peers").map_or(table.span, span_of);
                let hint = "the name of a peer has quotes: [diameter.peers.\"smf.example.net\"]";
                self.mistakes.push(Diagnostic::error(&self.source, at, message).hint(hint));
            }
            let is_same = |of: &Peer| of.host.eq_ignore_ascii_case(&table.name);
            if peers.iter().any(is_same) {
                let message = format!(
                    "the peer \"{}\" has two tables: the case of letters does not count",
                    table.name
                );
                self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
            }
            let profile = self.peer_profile(&table).unwrap_or(Profile::STANDARD);
            let moves_sessions = profile.failures.moves_sessions == Some(true);
            if let Some(setting) = table.get("session-failover").filter(|_| moves_sessions)
                && !has_database
            {
                let message = "no other node can go on with the sessions of this one";
                let hint = "several nodes share their accounts in a database: [database]";
                self.mistakes.push(table.error(setting, message).hint(hint));
            }
            let connections = match table.get("connections") {
                Some(setting) => self.counted(&table, setting, 1..=CONNECTIONS_MAX).unwrap_or(1),
                None => 1,
            };
            let no_traffic = table.get("no-traffic").map(|of| self.length_or_off(&table, of));
            let inband_tls = match table.get("inband-tls") {
                Some(setting) => {
                    let known = [("true", true), ("false", false)];
                    self.noted(table.choice(setting, &known)).unwrap_or_default()
                }
                None => false,
            };
            let (host, connections) = (table.name.clone(), connections as usize);
            peers.push(Peer { host, profile, connections, no_traffic, inband_tls });
        }
        peers
    }

    /// Notes that a peer begins TLS where this node has no certificate.
    fn refuse_inband_tls(&mut self, of: &dyn TableLike, peers: &[Peer]) {
        let Some(peer) = peers.iter().find(|peer| peer.inband_tls) else { return };
        let tables = of.get("peers").and_then(Item::as_table_like);
        let at = tables.and_then(|all| all.get(&peer.host)).map_or_else(Span::default, span_of);
        let message = format!("\"{}\" begins TLS, and this node has no certificate", peer.host);
        let hint = "write [diameter.tls] with certificate-file and key-file";
        self.mistakes.push(Diagnostic::error(&self.source, at, message).hint(hint));
    }

    /// Notes a name without quotes, whose dots make tables within tables.
    fn has_dotted_peer(&mut self, of: &dyn TableLike) -> bool {
        let tables = of.get("peers").and_then(Item::as_table_like);
        let is_dotted = |item: &Item| {
            item.as_table_like().is_some_and(|peer| peer.iter().any(|(_, of)| of.is_table_like()))
        };
        let Some((name, _)) = tables.and_then(|all| all.iter().find(|(_, item)| is_dotted(item)))
        else {
            return false;
        };
        let at = tables.and_then(|all| all.key(name)?.span());
        let at = at.map_or_else(Span::default, |at| Span::new(at.start, at.end));
        let message =
            format!("the name of a peer that begins with \"{name}\" has dots and no quotes");
        let hint = "write [diameter.peers.\"smf.example.net\"]";
        self.mistakes.push(Diagnostic::error(&self.source, at, message).hint(hint));
        true
    }

    fn peer_profile(&mut self, table: &Settings) -> Option<Profile> {
        let profile = match table.get("profile") {
            Some(setting) => self.profile(table, setting)?,
            None => Profile::STANDARD,
        };
        self.changed(profile, table)
    }

    fn profile(&mut self, table: &Settings, setting: &Setting) -> Option<Profile> {
        let profile = Profile::named(&setting.value);
        if profile.is_none() {
            let message = format!("there is no profile \"{}\"", setting.value);
            let all = || format!("profiles: {}", Profile::NAMES.join(", "));
            let hint = did_you_mean(&setting.value, Profile::NAMES).unwrap_or_else(all);
            self.mistakes.push(table.error(setting, message).hint(hint));
        }
        profile
    }

    /// Returns a profile with what a peer has in place of it.
    fn changed(&mut self, mut profile: Profile, table: &Settings) -> Option<Profile> {
        profile.final_unit_filters = self.filters(table);
        if table.get("triggers").is_some() {
            profile.triggers = Some(self.triggers(table));
        }
        for setting in &table.values {
            match setting.key.as_str() {
                "default-rating-group" => {
                    let number = self.counted(table, setting, 0..=u64::from(u32::MAX))?;
                    profile.default_rating_group = Some(number as u32);
                }
                "results" => {
                    let known =
                        [("service", ResultLevel::Service), ("message", ResultLevel::Message)];
                    profile.result_level = self.noted(table.choice(setting, &known))?;
                }
                "final-unit" => profile.final_unit = self.final_unit(table, setting)?,
                "threshold-percent" => {
                    profile.threshold_percent = self.counted(table, setting, 0..=99)? as u8;
                }
                "holding" => profile.holding_seconds = Some(self.seconds(table, setting)?),
                "consumption" => profile.consumption_seconds = Some(self.seconds(table, setting)?),
                _ => self.change_behaviour(&mut profile, (table, setting))?,
            }
        }
        self.check_filters(&profile, table);
        if profile.without_money == WithoutMoney::FinalUnit && !profile.redirects_refused() {
            let message = "\"without-money\" is \"final-unit\", and the final unit is to terminate";
            let hint = "write \"final-unit\" with an address to redirect to, or with a filter";
            let at = table.get("without-money").map_or(table.span, |setting| setting.span);
            self.mistakes.push(Diagnostic::error(&self.source, at, message).hint(hint));
        }
        Some(profile)
    }

    /// Changes what a client does where the standard leaves it open.
    fn change_behaviour(
        &mut self,
        profile: &mut Profile,
        (table, setting): (&Settings, &Setting),
    ) -> Option<()> {
        match setting.key.as_str() {
            "final-unit-form" => {
                let known = [("rfc-8506", true), ("rfc-4006", false)];
                profile.has_qos_final_unit = self.noted(table.choice(setting, &known))?;
            }
            "requested-amounts" => {
                let known = [("honoured", false), ("ignored", true)];
                profile.ignores_requested_amounts = self.noted(table.choice(setting, &known))?;
            }
            "without-money" => {
                let known =
                    [("refusal", WithoutMoney::Refusal), ("final-unit", WithoutMoney::FinalUnit)];
                profile.without_money = self.noted(table.choice(setting, &known))?;
            }
            "session-failover" => {
                let known = [("supported", true), ("not-supported", false)];
                profile.failures.moves_sessions = Some(self.noted(table.choice(setting, &known))?);
            }
            "session-failure" => {
                let known = [
                    ("terminate", SessionFailure::Terminate),
                    ("continue", SessionFailure::Continue),
                    ("retry-and-terminate", SessionFailure::RetryAndTerminate),
                ];
                profile.failures.sessions = Some(self.noted(table.choice(setting, &known))?);
            }
            "event-failure" => {
                let known = [
                    ("terminate-or-store", EventFailure::TerminateOrBuffer),
                    ("continue", EventFailure::Continue),
                ];
                profile.failures.events = Some(self.noted(table.choice(setting, &known))?);
            }
            "restarts" => {
                let known = [("end-sessions", true), ("ignored", false)];
                profile.ends_sessions_at_restart = self.noted(table.choice(setting, &known))?;
            }
            "session-termination" => {
                let known = [("ends-session", true), ("refused", false)];
                profile.takes_session_termination = self.noted(table.choice(setting, &known))?;
            }
            "re-auth" => {
                profile.takes_re_auth = self.noted(table.choice(setting, &SENT))?;
            }
            "abort-session" => {
                profile.takes_abort = self.noted(table.choice(setting, &SENT))?;
            }
            "stored-events" => {
                let known = [("price-of-then", true), ("price-of-now", false)];
                profile.prices_stored_events_then = self.noted(table.choice(setting, &known))?;
            }
            _ => {}
        }
        Some(())
    }

    fn seconds(&mut self, table: &Settings, setting: &Setting) -> Option<u32> {
        let length = self.noted(table.duration(setting))?.as_secs();
        Some(u32::try_from(length).unwrap_or(u32::MAX))
    }

    /// Reads the changes after which a client asks again.
    fn triggers(&mut self, table: &Settings) -> Vec<u32> {
        if table.all("triggers").all(|setting| setting.value == NO_TRIGGERS) {
            return Vec::new();
        }
        let read = |setting| self.noted(table.choice(setting, &TRIGGERS));
        table.all("triggers").filter_map(read).collect()
    }

    /// Reads what a client lets through after the last grant, in the form of RFC 6733 (section 4.3.1, IPFilterRule).
    fn filters(&mut self, table: &Settings) -> Vec<String> {
        for setting in table.all("final-unit-filters") {
            let words: Vec<&str> = setting.value.split_whitespace().collect();
            let is_rule = match words[..] {
                ["permit" | "deny", "in" | "out", _, "from", _, ref rest @ .., _] => {
                    rest.contains(&"to")
                }
                _ => false,
            };
            if !is_rule {
                let message = format!("\"{}\" is no IPFilterRule", setting.value);
                let hint = "write \"permit out ip from 192.0.2.0/24 to any\"";
                self.mistakes.push(table.error(setting, message).hint(hint));
            }
        }
        table.all("final-unit-filters").map(|of| of.value.clone()).collect()
    }

    /// Checks that rules and the final unit fit together.
    fn check_filters(&mut self, profile: &Profile, table: &Settings) {
        let has_rules = !profile.final_unit_filters.is_empty();
        let mistake = match &profile.final_unit {
            FinalUnit::Terminate if has_rules => {
                ("final-unit-filters", "a client that terminates lets nothing through")
            }
            FinalUnit::Restrict { filter: None } if !has_rules => {
                ("final-unit", "\"restrict\" needs the name of a filter, or \"final-unit-filters\"")
            }
            _ if has_rules && profile.has_qos_final_unit => {
                ("final-unit-form", "the form of RFC 8506 has no \"final-unit-filters\"")
            }
            _ => return,
        };
        let (key, message) = mistake;
        let at = table.get(key).map_or(table.span, |setting| setting.span);
        self.mistakes.push(Diagnostic::error(&self.source, at, message));
    }

    /// Reads what a client does when the last grant is used.
    fn final_unit(&mut self, table: &Settings, setting: &Setting) -> Option<FinalUnit> {
        let text = setting.value.trim();
        let read = match text.split_once(' ').map(|(word, more)| (word, more.trim())) {
            None if text == "terminate" => Some(FinalUnit::Terminate),
            Some(("redirect", uri)) if uri.starts_with("sip:") || uri.starts_with("sips:") => {
                Some(FinalUnit::Redirect(RedirectAddress::SipUri(uri.to_owned())))
            }
            Some(("redirect", url))
                if url.starts_with("http://") || url.starts_with("https://") =>
            {
                Some(FinalUnit::Redirect(RedirectAddress::Url(url.to_owned())))
            }
            None if text == "restrict" => Some(FinalUnit::Restrict { filter: None }),
            Some(("restrict", filter)) if !filter.is_empty() => {
                Some(FinalUnit::Restrict { filter: Some(filter.to_owned()) })
            }
            _ => None,
        };
        if read.is_none() {
            let message = format!("\"{text}\" is nothing that a client does after the last grant");
            let hint = "write \"terminate\", \"redirect https://refill.example.net\" or \"restrict FILTER\"";
            self.mistakes.push(table.error(setting, message).hint(hint));
        }
        read
    }

    pub(super) fn counted(
        &mut self,
        table: &Settings,
        setting: &Setting,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let count = setting.value.parse().ok().filter(|count| range.contains(count));
        if count.is_none() {
            let message = format!("\"{}\" is {} to {}", setting.key, range.start(), range.end());
            self.mistakes.push(table.error(setting, message));
        }
        count
    }
}

/// Returns whether a rule takes all requests that a later one would take.
fn takes_all(rule: &ServiceRule, later: &ServiceRule) -> bool {
    let has_all = |all: &[u32]| all.is_empty();
    has_all(&rule.rating_groups)
        && has_all(&rule.identifiers)
        && later.contexts.iter().all(|context| rule.has_context(context))
}

/// Returns whether a text may be the name of a node or a realm: that of a host.
pub(crate) fn is_node_name(name: &str) -> bool {
    let is_host = |octet: u8| octet.is_ascii_alphanumeric() || b"-._".contains(&octet);
    !name.is_empty() && name.len() <= NAME_OCTETS_MAX && name.bytes().all(is_host)
}
