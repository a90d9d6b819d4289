//! How well rules find frauds that are known: which of them, how soon, and how many alerts are about something else.
//!
//! It computes, and reads nothing: frauds and alerts are handed in.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use serde::Serialize;

/// Something that an alert about a known fraud may be about. A fraud may have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownKey {
    /// Which fraud it is of, such as its number.
    pub fraud: String,
    /// The type of the fraud.
    pub of: String,
    /// The subject, such as `caller`.
    pub subject: String,
    /// The key.
    pub key: String,
    /// When the fraud begins, in seconds since 1970.
    pub from_s: i64,
    /// When it is over.
    pub to_s: i64,
}

/// An alert, as far as it counts.
#[derive(Clone, Copy, Debug)]
pub struct ScoredAlert<'a> {
    /// The rule.
    pub rule: &'a str,
    /// The type of fraud that the rule finds, if it has one.
    pub of: Option<&'a str>,
    /// Whether the rule is only tried out: it finds no frauds.
    pub is_shadow: bool,
    /// What the rule is about.
    pub subject: &'a str,
    /// Which one it is.
    pub key: &'a str,
    /// When it fired, in seconds since 1970.
    pub at_s: i64,
}

/// What rules have found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// By type of fraud, in the order of the frauds.
    pub types: Vec<TypeScore>,
    /// By rule that has alerts, by name.
    pub rules: Vec<RuleScore>,
    /// The alerts of all rules that are not tried out.
    pub all: AlertScore,
}

/// What was found of a type of fraud.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TypeScore {
    /// The type.
    #[serde(rename = "type")]
    pub of: String,
    /// How many frauds there are.
    pub injected: u64,
    /// How many of them have an alert.
    pub found: u64,
    /// The share of them that have an alert.
    pub recall: f64,
    /// From the begin of a fraud to its first alert: the median of those that have one, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_seconds: Option<i64>,
    /// The rules that found them.
    pub rules: Vec<String>,
    /// The alerts of rules of this type.
    #[serde(flatten)]
    pub alerts: AlertScore,
}

/// How good the alerts of a rule are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleScore {
    /// The rule.
    pub rule: String,
    /// The type of fraud that it finds, if it has one.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Whether it is only tried out.
    pub shadow: bool,
    /// Its alerts.
    #[serde(flatten)]
    pub alerts: AlertScore,
}

/// How good alerts are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AlertScore {
    /// How many there are.
    pub alerts: u64,
    /// How many are about a fraud that their rule finds.
    #[serde(rename = "true")]
    pub right: u64,
    /// How many are about a fraud of another type than that of their rule.
    pub other_type: u64,
    /// How many are about no fraud.
    #[serde(rename = "false")]
    pub wrong: u64,
    /// How many are about no fraud, for a million subscribers in a day. Absent if subscribers and days are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_per_million_subscriber_days: Option<f64>,
}

impl AlertScore {
    fn add(&mut self, other: &AlertScore) {
        self.alerts += other.alerts;
        self.right += other.right;
        self.other_type += other.other_type;
        self.wrong += other.wrong;
    }

    /// Returns it with the rate of false alerts.
    fn rated(self, subscriber_days: Option<u64>) -> Self {
        let days = subscriber_days.filter(|days| *days > 0);
        let rate = days.map(|days| self.wrong as f64 * 1e6 / days as f64);
        AlertScore { false_per_million_subscriber_days: rate, ..self }
    }
}

/// Compares alerts with known frauds.
#[derive(Debug)]
pub struct Scorer {
    /// By subject and key.
    keys: HashMap<(String, String), Vec<KnownKey>>,
    frauds: Vec<Fraud>,
    /// The place of each fraud.
    places: HashMap<String, usize>,
    grace_s: i64,
    rules: BTreeMap<RuleKey, AlertScore>,
}

/// A rule as its alerts say it: its name, its type, and whether it is tried out. A rule that was changed may have several.
type RuleKey = (String, Option<String>, bool);

#[derive(Debug)]
struct Fraud {
    of: String,
    from_s: i64,
    first_s: Option<i64>,
    rules: BTreeSet<String>,
}

impl Scorer {
    /// Returns a score without alerts. An alert is about a fraud if it fires while that goes on, or within `grace` after it.
    pub fn new(known: Vec<KnownKey>, grace: Duration) -> Self {
        let grace_s = i64::try_from(grace.as_secs()).unwrap_or(i64::MAX);
        let mut scorer = Scorer {
            keys: HashMap::new(),
            frauds: Vec::new(),
            places: HashMap::new(),
            grace_s,
            rules: BTreeMap::new(),
        };
        known.into_iter().for_each(|key| scorer.know(key));
        scorer
    }

    fn know(&mut self, known: KnownKey) {
        let KnownKey { fraud, of, from_s, subject, key, .. } = &known;
        let place = *self.places.entry(fraud.clone()).or_insert(self.frauds.len());
        if place == self.frauds.len() {
            let (of, from_s) = (of.clone(), *from_s);
            self.frauds.push(Fraud { of, from_s, first_s: None, rules: BTreeSet::new() });
        }
        self.frauds[place].from_s = self.frauds[place].from_s.min(*from_s);
        self.keys.entry((subject.clone(), key.clone())).or_default().push(known);
    }

    /// Counts an alert. The order of alerts does not matter.
    pub fn alert(&mut self, alert: ScoredAlert<'_>) {
        let ScoredAlert { rule, of, is_shadow, subject, key, at_s } = alert;
        let of_key = self.keys.get(&(subject.to_owned(), key.to_owned()));
        let is_about = |known: &&KnownKey| {
            (known.from_s..=known.to_s.saturating_add(self.grace_s)).contains(&at_s)
        };
        let about: Vec<_> = of_key.into_iter().flatten().filter(is_about).collect();
        let found = about.iter().filter(|known| of.is_none_or(|of| of == known.of));
        let places: Vec<usize> = found.map(|known| self.places[&known.fraud]).collect();
        let rule_key = (rule.to_owned(), of.map(str::to_owned), is_shadow);
        let score = self.rules.entry(rule_key).or_default();
        score.alerts += 1;
        *match (places.is_empty(), about.is_empty()) {
            (false, _) => &mut score.right,
            (true, false) => &mut score.other_type,
            (true, true) => &mut score.wrong,
        } += 1;
        if is_shadow {
            return;
        }
        for place in places {
            let fraud = &mut self.frauds[place];
            fraud.first_s = Some(fraud.first_s.map_or(at_s, |first| first.min(at_s)));
            fraud.rules.insert(rule.to_owned());
        }
    }

    /// Returns the score. `subscriber_days` is how many subscribers there are, times the days.
    pub fn score(&self, subscriber_days: Option<u64>) -> Score {
        let mut order: Vec<&str> = Vec::new();
        for fraud in &self.frauds {
            if !order.contains(&fraud.of.as_str()) {
                order.push(&fraud.of);
            }
        }
        let types = order.into_iter().map(|of| self.of_type(of, subscriber_days)).collect();
        let rule = |((rule, of, shadow), alerts): (&RuleKey, &AlertScore)| RuleScore {
            rule: rule.clone(),
            of: of.clone(),
            shadow: *shadow,
            alerts: alerts.clone().rated(subscriber_days),
        };
        let rules = self.rules.iter().map(rule).collect();
        Score { types, rules, all: self.sum(|_| true).rated(subscriber_days) }
    }

    fn of_type(&self, of: &str, subscriber_days: Option<u64>) -> TypeScore {
        let frauds = self.frauds.iter().filter(|fraud| fraud.of == of);
        let times = frauds.clone().filter_map(|fraud| Some(fraud.first_s? - fraud.from_s));
        let mut times: Vec<i64> = times.collect();
        times.sort_unstable();
        let (injected, found) = (frauds.clone().count(), times.len());
        let rules: BTreeSet<&String> = frauds.flat_map(|fraud| &fraud.rules).collect();
        TypeScore {
            of: of.to_owned(),
            injected: injected as u64,
            found: found as u64,
            recall: found as f64 / injected as f64,
            median_seconds: median(&times),
            rules: rules.into_iter().cloned().collect(),
            alerts: self.sum(|of_rule| of_rule == Some(of)).rated(subscriber_days),
        }
    }

    /// Returns the alerts of rules of some types, without those that are tried out.
    fn sum(&self, is_of: impl Fn(Option<&str>) -> bool) -> AlertScore {
        let mut sum = AlertScore::default();
        let counted =
            self.rules.iter().filter(|((_, of, is_shadow), _)| !is_shadow && is_of(of.as_deref()));
        counted.for_each(|(_, alerts)| sum.add(alerts));
        sum
    }
}

/// Returns the median of numbers in order; of two in the middle, the number between them.
fn median(sorted: &[i64]) -> Option<i64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower + (upper - lower) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of each text: fraud, type, subject, key, from, to.
    fn scorer(rows: &[&str]) -> Scorer {
        let known = |row: &&str| {
            let cells: Vec<&str> = row.split(' ').collect();
            let [fraud, of, subject, key, from, to] = cells[..] else { panic!("{row}") };
            let [fraud, of, subject, key] = [fraud, of, subject, key].map(str::to_owned);
            let [from_s, to_s] = [from, to].map(|second| second.parse().unwrap());
            KnownKey { fraud, of, subject, key, from_s, to_s }
        };
        Scorer::new(rows.iter().map(known).collect(), Duration::from_secs(10))
    }

    /// Scores alerts, a text for each: rule, subject, key, time, and for some the type of the rule. That of "shadow" is tried out.
    fn score(rows: &[&str], alerts: &[&str]) -> Score {
        let mut scorer = scorer(rows);
        for alert in alerts {
            let cells: Vec<&str> = alert.split(' ').collect();
            let [rule, subject, key, at, ref of @ ..] = cells[..] else { panic!("{alert}") };
            let (of, is_shadow) = (of.first().copied(), rule == "shadow");
            let at_s = at.parse().unwrap();
            scorer.alert(ScoredAlert { rule, of, is_shadow, subject, key, at_s });
        }
        scorer.score(Some(500_000))
    }

    /// Returns the alerts of the only rule: those that are true, of another type, and false.
    fn of_only_rule(score: &Score) -> (u64, u64, u64) {
        let [RuleScore { alerts, .. }] = &score.rules[..] else { panic!("{score:?}") };
        (alerts.right, alerts.other_type, alerts.wrong)
    }

    #[test]
    fn an_alert_is_true_if_its_subject_key_and_time_are_those_of_a_fraud() {
        let rows = ["1 spam caller 47 100 200"];
        for (alert, is_true) in [
            ("r caller 47 100", true),
            ("r caller 47 99", false),
            ("r caller 47 210", true),
            ("r caller 47 211", false),
            ("r called 47 150", false),
            ("r caller 48 150", false),
        ] {
            let score = score(&rows, &[alert]);
            let expected = if is_true { (1, 0, 0) } else { (0, 0, 1) };
            assert_eq!(of_only_rule(&score), expected, "{alert}");
            assert_eq!(score.types[0].found, u64::from(is_true), "{alert}");
        }
    }

    #[test]
    fn a_rule_with_a_type_finds_frauds_of_that_type() {
        let rows = ["1 spam caller 47 100 200"];
        let score_of = |alert| score(&rows, &[alert]);
        let own = score_of("r caller 47 100 spam");
        assert_eq!((of_only_rule(&own), own.types[0].found), ((1, 0, 0), 1));
        let other = score_of("r caller 47 100 irsf");
        assert_eq!((of_only_rule(&other), other.types[0].found), ((0, 1, 0), 0));
        let neither = score_of("r caller 48 100 irsf");
        assert_eq!((of_only_rule(&neither), neither.types[0].found), ((0, 0, 1), 0));
    }

    #[test]
    fn a_rule_that_is_tried_out_finds_nothing_and_is_in_no_sum() {
        let rows = ["1 spam caller 47 100 200"];
        let score = score(&rows, &["shadow caller 47 100 spam", "shadow caller 48 100 spam"]);
        assert_eq!(of_only_rule(&score), (1, 0, 1));
        assert!(score.rules[0].shadow && score.types[0].found == 0, "{score:?}");
        assert_eq!((score.types[0].alerts.alerts, score.all.alerts), (0, 0));
    }

    #[test]
    fn a_type_has_the_alerts_of_its_rules_and_the_sum_those_of_all() {
        let rows = ["1 spam caller 47 100 200", "2 irsf caller 48 100 200"];
        let alerts = [
            "one caller 47 100 spam",
            "two caller 46 100 spam",
            "three caller 46 100",
            "four caller 45 100 premium",
        ];
        let score = score(&rows, &alerts);
        let [spam, irsf] = &score.types[..] else { panic!("{score:?}") };
        assert_eq!((spam.alerts.alerts, spam.alerts.right, spam.alerts.wrong), (2, 1, 1));
        assert_eq!(spam.alerts.false_per_million_subscriber_days, Some(2.0));
        assert_eq!(irsf.alerts.alerts, 0);
        assert_eq!((score.all.alerts, score.all.wrong), (4, 3));
    }

    #[test]
    fn a_fraud_with_several_keys_counts_once_with_its_first_alert() {
        let rows = ["1 spam caller 47 100 200", "1 spam device 35 90 200"];
        let score = score(&rows, &["late caller 47 150", "early device 35 130"]);
        let [TypeScore { injected, found, recall, median_seconds, rules, .. }] = &score.types[..]
        else {
            panic!("{score:?}")
        };
        assert_eq!((*injected, *found, *recall, *median_seconds), (1, 1, 1.0, Some(40)));
        assert_eq!(rules, &["early", "late"]);
    }

    #[test]
    fn types_stand_in_the_order_of_the_frauds_with_the_median_of_their_times() {
        let rows = ["1 spam caller 1 0 99", "2 irsf caller 2 0 99", "3 spam caller 3 0 99"];
        let score = score(&rows, &["r caller 1 10", "r caller 3 21", "r caller 3 50"]);
        let types: Vec<_> = score
            .types
            .iter()
            .map(|of| (of.of.as_str(), of.injected, of.found, of.median_seconds))
            .collect();
        assert_eq!(types, [("spam", 2, 2, Some(15)), ("irsf", 1, 0, None)]);
    }

    #[test]
    fn an_alert_may_be_about_two_frauds_of_a_key() {
        let rows = ["1 spam caller 1 0 99", "2 irsf caller 1 50 99"];
        let score = score(&rows, &["r caller 1 60"]);
        assert_eq!(of_only_rule(&score), (1, 0, 0));
        assert!(score.types.iter().all(|of| of.found == 1));
    }

    #[test]
    fn false_alerts_are_counted_for_a_million_subscriber_days() {
        let score = score(&[], &["r caller 1 60", "r caller 2 60"]);
        assert_eq!(score.rules[0].alerts.false_per_million_subscriber_days, Some(4.0));
        let none = scorer(&[]).score(None);
        assert_eq!((none.types.len(), none.rules.len(), none.all), (0, 0, AlertScore::default()));
    }

    #[test]
    fn a_grace_without_end_is_no_overflow() {
        let known = KnownKey {
            fraud: "1".into(),
            of: "spam".into(),
            subject: "caller".into(),
            key: "1".into(),
            from_s: 0,
            to_s: i64::MAX,
        };
        let mut scorer = Scorer::new(vec![known], Duration::MAX);
        let (subject, key, at_s) = ("caller", "1", i64::MAX);
        scorer.alert(ScoredAlert { rule: "r", of: None, is_shadow: false, subject, key, at_s });
        assert_eq!(scorer.score(None).types[0].found, 1);
    }
}
