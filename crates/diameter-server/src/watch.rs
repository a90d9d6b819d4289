//! What is wrong with peers: they are not there, send nothing, or get errors. A moment is judged by what was counted before, and
//! nothing here reads a clock but the task that does it each second.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use ledger::Millis;
use prepaid::{CreditControl, ErrorRate, PeerAlarmKind, PeerAlarmSettings, PeerFault};
use runtime::time::shown;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::front::Front;
use crate::peer_meters::CLASSES;

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The samples of what was counted within the time of the share of errors.
const SAMPLES: i64 = 20;

/// Judges the peers of a server until it stops.
pub(crate) async fn watch_peers(front: Arc<Front>, mut stop: watch::Receiver<bool>) {
    let mut watch = Watch::begin(front.system.now_ms());
    let mut ticks = interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = stop.changed() => return,
        }
        let (now, rules) = (front.system.now_ms(), front.system.rules());
        let faults = watch.look(now, &rules.credit_control, &front.peers.watched());
        front.system.note_peer_faults(front.node.name.host(), faults);
    }
}

/// A peer at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    pub(crate) host: String,
    /// Since when it is connected; `None` if it is not.
    pub(crate) connected: Option<Millis>,
    /// When its last connection ended.
    pub(crate) ended: Option<Millis>,
    /// Its requests of credit control.
    pub(crate) requests: u64,
    /// Its answers, by the classes of their results.
    pub(crate) answers: [u64; CLASSES],
    /// Its reports of usage in sessions that are not known.
    pub(crate) orphans: u64,
}

/// What was there before, by the names of peers.
struct Watch {
    begun: Millis,
    before: BTreeMap<String, Before>,
}

/// What was counted of a peer before.
#[derive(Default)]
struct Before {
    requests: u64,
    /// When its requests became so many.
    since: Millis,
    /// Samples of its answers, the oldest first.
    samples: VecDeque<(Millis, [u64; CLASSES])>,
    orphans: Orphans,
}

/// The reports of usage in unknown sessions of a peer.
#[derive(Default)]
struct Orphans {
    /// All of them.
    count: u64,
    /// How many there were before the alarm, and when the first and the last one of it came.
    raised: Option<(u64, Millis, Millis)>,
}

impl Watch {
    fn begin(now: Millis) -> Self {
        Watch { begun: now, before: BTreeMap::new() }
    }

    /// Returns what is wrong with peers at a moment.
    fn look(&mut self, now: Millis, terms: &CreditControl, peers: &[Watched]) -> Vec<PeerFault> {
        let CreditControl { alarms, .. } = terms;
        let mut faults = Vec::new();
        for peer in peers {
            let key = peer.host.to_ascii_lowercase();
            let before = self.before.entry(key).or_insert_with(|| Before {
                requests: peer.requests,
                since: now,
                // Its counters began with it.
                samples: VecDeque::from([(now, [0; CLASSES])]),
                orphans: Orphans::default(),
            });
            let known = terms.peer(&peer.host);
            let limit = known.and_then(|known| known.no_traffic).unwrap_or(alarms.no_traffic);
            faults.extend(before.no_traffic(now, limit, peer));
            faults.extend(before.orphans.fault(now, alarms.orphan_usage, peer));
            match &alarms.error_rate {
                Some(rate) => faults.extend(before.error_rate(now, rate, peer)),
                None => before.samples.clear(),
            }
        }
        let hosts = |key: &str| peers.iter().any(|peer| peer.host.eq_ignore_ascii_case(key));
        self.before.retain(|key, _| hosts(key));
        for known in &terms.peers {
            let peer = peers.iter().find(|peer| peer.host.eq_ignore_ascii_case(&known.host));
            faults.extend(self.absence(now, alarms, &known.host, peer));
        }
        faults
    }

    /// Returns what is wrong if a peer that has a table is not connected.
    fn absence(
        &self,
        now: Millis,
        alarms: &PeerAlarmSettings,
        host: &str,
        peer: Option<&Watched>,
    ) -> Option<PeerFault> {
        if peer.is_some_and(|peer| peer.connected.is_some()) {
            return None;
        }
        let (kind, since, limit, text) = match peer.and_then(|peer| peer.ended) {
            Some(ended) => {
                let text = format!("it is not connected since {}", shown(ended));
                (PeerAlarmKind::PeerDown, ended, alarms.peer_down, text)
            }
            None => {
                let text = format!("it has not connected since {}", shown(self.begun));
                (PeerAlarmKind::PeerMissing, self.begun, alarms.peer_missing, text)
            }
        };
        let is_long = limit.is_some_and(|limit| now.saturating_sub(since) >= limit);
        is_long.then(|| PeerFault { kind, peer: host.to_owned(), text })
    }
}

impl Before {
    /// Returns what is wrong if a peer that is connected sends no requests.
    fn no_traffic(
        &mut self,
        now: Millis,
        limit: Option<Millis>,
        peer: &Watched,
    ) -> Option<PeerFault> {
        if peer.requests != self.requests {
            (self.requests, self.since) = (peer.requests, now);
        }
        let since = peer.connected?.max(self.since);
        let is_long = limit.is_some_and(|limit| now.saturating_sub(since) >= limit);
        let text = format!("it sends no Credit-Control-Request since {}", shown(since));
        is_long.then(|| PeerFault { kind: PeerAlarmKind::NoTraffic, peer: peer.host.clone(), text })
    }

    /// Returns what is wrong if too many answers of a time are errors.
    fn error_rate(&mut self, now: Millis, rate: &ErrorRate, peer: &Watched) -> Option<PeerFault> {
        let is_due = |(last, _): &(Millis, _)| now.saturating_sub(*last) >= rate.window / SAMPLES;
        if self.samples.back().is_none_or(is_due) {
            self.samples.push_back((now, peer.answers));
        }
        // One sample from before the time stays, so that all of it is judged.
        let begin = now.saturating_sub(rate.window);
        while self.samples.get(1).is_some_and(|(at, _)| *at <= begin) {
            self.samples.pop_front();
        }
        let (_, oldest) = self.samples.front()?;
        let mut classes =
            peer.answers.iter().zip(oldest).map(|(now, then)| now.saturating_sub(*then));
        let classes: [u64; CLASSES] = std::array::from_fn(|_| classes.next().unwrap_or_default());
        let all: u64 = classes.iter().sum();
        let errors: u64 = rate.classes.iter().filter_map(|of| classes.get(usize::from(*of))).sum();
        if all < rate.minimum
            || u128::from(errors) * 100 < u128::from(all) * u128::from(rate.percent)
        {
            return None;
        }
        let (kind, seconds) = (PeerAlarmKind::ErrorRate, rate.window / 1_000);
        let text = format!("{errors} of its {all} answers within {seconds} seconds are errors");
        Some(PeerFault { kind, peer: peer.host.clone(), text })
    }
}

impl Orphans {
    /// Returns what is wrong since a peer has reported usage of unknown sessions, until it has not for a time.
    fn fault(&mut self, now: Millis, quiet: Option<Millis>, peer: &Watched) -> Option<PeerFault> {
        if peer.orphans > self.count {
            let (before, first, _) = self.raised.unwrap_or((self.count, now, now));
            self.raised = Some((before, first, now));
        }
        self.count = peer.orphans;
        let is_loud = |last: Millis| quiet.is_some_and(|quiet| now.saturating_sub(last) < quiet);
        self.raised = self.raised.filter(|(.., last)| is_loud(*last));
        let (before, first, _) = self.raised?;
        let (count, since) = (peer.orphans.saturating_sub(before), shown(first));
        let text = format!("{count} reports of usage in sessions that are not known since {since}");
        Some(PeerFault { kind: PeerAlarmKind::OrphanUsage, peer: peer.host.clone(), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use credit_control::profile::Profile;
    use prepaid::Peer;

    fn terms(alarms: PeerAlarmSettings) -> CreditControl {
        let peer = |host: &str, no_traffic| Peer {
            host: host.to_owned(),
            profile: Profile::STANDARD,
            connections: 1,
            no_traffic,
            inband_tls: false,
        };
        let peers = vec![peer("smf", None), peer("pgw", Some(None))];
        CreditControl { peers, alarms, ..CreditControl::default() }
    }

    fn connected(host: &str, since: Millis, requests: u64) -> Watched {
        let connected = Some(since);
        Watched { host: host.to_owned(), connected, requests, ..Watched::default() }
    }

    fn kinds(faults: &[PeerFault]) -> Vec<(PeerAlarmKind, &str)> {
        faults.iter().map(|of| (of.kind, of.peer.as_str())).collect()
    }

    #[test]
    fn a_peer_with_a_table_is_down_until_it_is_back() {
        let settings =
            PeerAlarmSettings { peer_missing: Some(30_000), ..PeerAlarmSettings::default() };
        let terms = terms(settings);
        let mut watch = Watch::begin(0);
        let gone = Watched { connected: None, ended: Some(10_000), ..connected("SMF", 0, 0) };
        let other = connected("other", 0, 0);
        let mut look = |now, smf: &Watched| {
            let faults = watch.look(now, &terms, &[smf.clone(), other.clone()]);
            kinds(&faults)
                .into_iter()
                .map(|(kind, host)| (kind, host.to_owned()))
                .collect::<Vec<_>>()
        };
        let pgw = (PeerAlarmKind::PeerMissing, "pgw".to_owned());
        let smf = (PeerAlarmKind::PeerDown, "smf".to_owned());
        assert_eq!(look(29_999, &gone), []);
        assert_eq!(look(69_999, &gone), std::slice::from_ref(&pgw));
        assert_eq!(look(70_000, &gone), [smf, pgw.clone()]);
        let back = Watched { connected: Some(70_500), ..gone };
        assert_eq!(look(71_000, &back), [pgw]);
    }

    #[test]
    fn a_peer_that_is_connected_and_sends_nothing_has_an_alarm_if_it_is_wanted() {
        let terms = terms(PeerAlarmSettings {
            no_traffic: Some(5_000),
            peer_down: None,
            ..PeerAlarmSettings::default()
        });
        let mut watch = Watch::begin(0);
        let mut look = |now, peers: &[Watched]| kinds(&watch.look(now, &terms, peers)).len();
        let pgw = connected("pgw", 0, 0);
        assert_eq!(look(0, &[connected("smf", 0, 3), pgw.clone()]), 0);
        assert_eq!(look(4_000, &[connected("smf", 0, 4), pgw.clone()]), 0);
        assert_eq!(look(8_999, &[connected("smf", 0, 4), pgw.clone()]), 0);
        assert_eq!(look(9_000, &[connected("smf", 0, 4), pgw.clone()]), 1, "pgw has none");
        assert_eq!(look(9_500, &[connected("smf", 0, 5), pgw.clone()]), 0);
        // A connection begins with some time, and a peer that is gone is no silent one.
        assert_eq!(look(30_000, &[connected("smf", 28_000, 5), pgw.clone()]), 0);
        let gone = Watched { connected: None, ..connected("smf", 0, 5) };
        assert_eq!(look(60_000, &[gone, pgw]), 0);
    }

    #[test]
    fn usage_of_unknown_sessions_has_an_alarm_until_there_was_none_for_a_time() {
        let terms = terms(PeerAlarmSettings::default());
        let mut watch = Watch::begin(0);
        let mut look = |now, orphans| {
            let peer = Watched { orphans, ..connected("smf", 0, 0) };
            watch.look(now, &terms, &[peer]).into_iter().next().map(|of| of.text)
        };
        let text = |count: u64, since: &str| {
            format!(
                "{count} reports of usage in sessions that are not known since 1970-01-01T00:{since}Z"
            )
        };
        assert_eq!(look(0, 0), None);
        assert_eq!(look(1_000, 2), Some(text(2, "00:01")));
        assert_eq!(look(300_000, 5), Some(text(5, "00:01")));
        assert_eq!(look(899_999, 5), Some(text(5, "00:01")));
        assert_eq!(look(900_000, 5), None);
        assert_eq!(look(901_000, 6), Some(text(1, "15:01")));
    }

    #[test]
    fn errors_from_before_the_setting_do_not_count() {
        let mut watch = Watch::begin(0);
        let peer = |errors| Watched { answers: [0, 0, 0, 0, 0, errors], ..connected("smf", 0, 0) };
        watch.look(0, &terms(PeerAlarmSettings::default()), &[peer(100)]);
        let rate = ErrorRate { percent: 50, window: 20_000, minimum: 1, classes: vec![5] };
        let alarms = PeerAlarmSettings { error_rate: Some(rate), ..PeerAlarmSettings::default() };
        let terms = terms(alarms);
        assert_eq!(watch.look(1_000, &terms, &[peer(100)]), []);
        assert_eq!(watch.look(2_000, &terms, &[peer(101)]).len(), 1);
    }

    #[test]
    fn errors_count_among_enough_answers_of_a_time() {
        let rate = ErrorRate { percent: 50, window: 20_000, minimum: 10, classes: vec![3, 5] };
        let alarms = PeerAlarmSettings { error_rate: Some(rate), ..PeerAlarmSettings::default() };
        let terms = terms(alarms);
        let mut watch = Watch::begin(0);
        let mut look = |now, answers| {
            let peer = Watched { answers, ..connected("smf", 0, 0) };
            watch.look(now, &terms, &[peer]).into_iter().next().map(|of| of.text)
        };
        assert_eq!(look(0, [0; CLASSES]), None);
        assert_eq!(look(1_000, [0, 0, 0, 4, 0, 5]), None, "too few");
        let text = "10 of its 10 answers within 20 seconds are errors";
        assert_eq!(look(2_500, [0, 0, 0, 5, 0, 5]).as_deref(), Some(text));
        assert_eq!(look(3_000, [0, 0, 6, 5, 5, 5]), None, "10 of 21");
        let text = "16 of its 27 answers within 20 seconds are errors";
        assert_eq!(look(19_000, [0, 0, 6, 11, 5, 5]).as_deref(), Some(text));
        assert_eq!(look(40_000, [0, 0, 6, 11, 5, 5]), None, "it is over");
    }
}
