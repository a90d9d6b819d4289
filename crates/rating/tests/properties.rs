//! Properties of all plans and usages. Plans are random and are read from files. A second, simpler way to price (unit
//! by unit, in fractions, the hours from another library) must agree with them.

use crate::plans;
use crate::plans::Fraction;
use jiff::{Timestamp, tz::TimeZone};
use proptest::prelude::*;
use rating::{Moment, Money, Plan, Progress, State, SubscriberCounters, Usage};
use tempfile::TempDir;

/// A price step: its first unit, and the price in hundredths for a number of units.
#[derive(Clone, Debug)]
struct Stretch {
    from: u64,
    price: i128,
    per: i128,
}

/// The prices of a call in a band.
#[derive(Clone, Debug)]
struct Rules {
    stretches: Vec<Stretch>,
    intervals: (u64, u64),
    set_up: i128,
    minimum: i128,
    maximum: Option<i128>,
}

/// A plan of one class, a bundle and a discount.
#[derive(Clone, Debug)]
struct Made {
    /// At night, until three, and by day.
    bands: [Rules; 2],
    split: bool,
    bundle: u64,
    bundle_pays_set_up: bool,
    /// Hundredths, and percent.
    discount: Vec<(i128, i128)>,
    tax: u32,
    tax_included: bool,
    mode: &'static str,
}

fn rules() -> impl Strategy<Value = Rules> {
    let stretch = (1..900_u64, 0..500_i128, prop::sample::select(vec![1_i128, 7, 60, 3600]));
    let stretches = prop::collection::vec(stretch, 1..4).prop_map(|parts| {
        let mut from = 0;
        let one = |(length, price, per)| {
            let stretch = Stretch { from, price, per };
            from += length;
            stretch
        };
        parts.into_iter().map(one).collect()
    });
    let length = || prop::sample::select(vec![1_u64, 6, 30, 60, 100]);
    let maximum = prop::option::of(500..3000_i128);
    (stretches, (length(), length()), 0..200_i128, 0..400_i128, maximum).prop_map(
        |(stretches, intervals, set_up, minimum, maximum)| Rules {
            stretches,
            intervals,
            set_up,
            minimum,
            maximum,
        },
    )
}

fn made() -> impl Strategy<Value = Made> {
    let discount = prop::collection::vec((1..2000_i128, 0..100_i128), 0..3).prop_map(|tiers| {
        let mut above = 0;
        let one = |(more, percent)| {
            above += more;
            (above, percent)
        };
        tiers.into_iter().map(one).collect()
    });
    let modes = prop::sample::select(vec!["half-up", "half-even", "half-down", "up", "down"]);
    (
        [rules(), rules()],
        any::<bool>(),
        0..1500_u64,
        any::<bool>(),
        discount,
        (0..30_u32, any::<bool>()),
        modes,
    )
        .prop_map(|(bands, split, bundle, bundle_pays_set_up, discount, tax, mode)| Made {
            bands,
            split,
            bundle,
            bundle_pays_set_up,
            discount,
            tax: tax.0,
            tax_included: tax.1,
            mode,
        })
}

/// Moments around the changes of clocks, the end of nights, the end of a leap day.
fn start() -> impl Strategy<Value = Moment> {
    let around = [
        "2026-03-29 01:30 +01:00",
        "2026-10-25 02:30 +02:00",
        "2026-06-01 02:40 +02:00",
        "2024-02-29 23:40 +01:00",
    ]
    .map(|text| rating::moment(text).unwrap());
    (prop::sample::select(around.to_vec()), -3600..3600_i64).prop_map(|(at, by)| at + by)
}

fn hundredths(amount: i128) -> String {
    format!("{}.{:02}", amount / 100, amount % 100)
}

impl Made {
    /// Writes the files of the plan and reads them.
    fn plan(&self) -> Plan {
        let folder = TempDir::new().unwrap();
        let write =
            |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        let (mode, included) = (self.mode, self.tax_included);
        write(
            "tariff.toml",
            format!(
                "name = \"made\"\ncurrency = \"EUR\"\ntime-zone = \"Europe/Stockholm\"\ntax-included = {included}\n\
             [rounding]\nunit = \"0.01\"\nmode = \"{mode}\"\n[day-types]\nday = [\"monday\", \"tuesday\", \"wednesday\", \
             \"thursday\", \"friday\", \"saturday\", \"sunday\", \"holiday\"]\n"
            ),
        );
        write(
            "bands.csv",
            "day-type,from,to,band\nday,00:00,03:00,night\nday,03:00,24:00,day\n".into(),
        );
        let crossing = if self.split { "split" } else { "start" };
        write("classes.csv", format!("class,unit,crossing,tax\ncall,seconds,{crossing},tax\n"));
        write("analysis.csv", "class\ncall\n".into());
        write("taxes.csv", format!("tax,percent,valid-from\ntax,{},2000-01-01 UTC\n", self.tax));
        let mut prices =
            "class,valid-from,band,from,price,per,interval,set-up,minimum,maximum\n".to_owned();
        for (band, rules) in ["night", "day"].into_iter().zip(&self.bands) {
            for stretch in &rules.stretches {
                let Stretch { from, price, per } = stretch;
                let price = hundredths(*price);
                prices += &format!("call,2000-01-01 UTC,{band},{from},{price},{per},");
                prices += &match from {
                    0 => format!(
                        "{}/{},{},{},{}\n",
                        rules.intervals.0,
                        rules.intervals.1,
                        hundredths(rules.set_up),
                        hundredths(rules.minimum),
                        rules.maximum.map_or(String::new(), hundredths),
                    ),
                    _ => ",,,\n".to_owned(),
                };
            }
        }
        write("prices.csv", prices);
        let free = if self.bundle_pays_set_up { "free" } else { "charged" };
        write(
            "bundles.csv",
            format!(
                "bundle,class,unit,amount,valid-from,set-up\nb,call,seconds,{},2000-01-01 UTC,{free}\n",
                self.bundle
            ),
        );
        let tiers = self
            .discount
            .iter()
            .map(|(above, percent)| format!("d,call,{},{percent}\n", hundredths(*above)));
        write(
            "discounts.csv",
            "discount,class,above,percent\n".to_owned() + &tiers.collect::<String>(),
        );
        let read = Plan::read(folder.path());
        let told: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
        read.plan.unwrap_or_else(|| panic!("{}", told.join("\n")))
    }

    fn band(&self, moment: Moment) -> &Rules {
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        let hour = Timestamp::from_second(moment).unwrap().to_zoned_datetime(zone).hour();
        &self.bands[usize::from(hour >= 3)]
    }

    /// Returns the charge without rounding, in hundredths, by walking over all units.
    fn by_units(&self, start: Moment, used: u64) -> Fraction {
        let first = self.band(start);
        let mut till = Till { made: self, spent: (0, 1), sum: (0, 1) };
        let (mut position, mut bundle, mut paid) = (0, self.bundle, false);
        if used > 0 && !(bundle > 0 && self.bundle_pays_set_up) {
            till.spend((first.set_up, 1));
        }
        while position < used {
            let rules = if self.split { self.band(start + position as i64) } else { first };
            let length = if position == 0 { first.intervals.0 } else { rules.intervals.1 };
            let stretch = rules.stretches.iter().rfind(|stretch| stretch.from <= position).unwrap();
            for _ in 0..length {
                if bundle > 0 {
                    bundle -= 1;
                } else {
                    till.spend((stretch.price, stretch.per));
                    paid = true;
                }
            }
            position += length;
        }
        let least = if paid { first.minimum } else { 0 };
        let sum = if less(till.sum, (least, 1)) { (least, 1) } else { till.sum };
        match first.maximum.map(|maximum| (maximum, 1)) {
            Some(maximum) if less(maximum, sum) => maximum,
            _ => sum,
        }
    }
}

/// Sums up amounts, less their discount.
struct Till<'m> {
    made: &'m Made,
    spent: Fraction,
    sum: Fraction,
}

impl Till<'_> {
    fn spend(&mut self, amount: Fraction) {
        let next = self.made.discount.iter().find(|(above, _)| less(self.spent, (*above, 1)));
        let room = next.map(|(above, _)| add((*above, 1), (-self.spent.0, self.spent.1)));
        let part = room.filter(|room| less(*room, amount)).unwrap_or(amount);
        let tier = self.made.discount.iter().rfind(|(above, _)| !less(self.spent, (*above, 1)));
        let kept = 100 - tier.map_or(0, |(_, percent)| *percent);
        self.sum = add(self.sum, (part.0 * kept, part.1 * 100));
        self.spent = add(self.spent, part);
        let left = add(amount, (-part.0, part.1));
        if left.0 > 0 {
            self.spend(left);
        }
    }
}

fn add(one: Fraction, other: Fraction) -> Fraction {
    let (numerator, denominator) = (one.0 * other.1 + other.0 * one.1, one.1 * other.1);
    let (mut a, mut b) = (numerator.abs(), denominator);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (numerator / a.max(1), denominator / a.max(1))
}

fn less(one: Fraction, other: Fraction) -> bool {
    one.0 * other.1 < other.0 * one.1
}

fn call(start: Moment, seconds: u64) -> Usage<'static> {
    Usage { duration: Some(seconds), ..Usage::at(start) }
}

/// The number of random plans: `CASES` for more.
fn cases(few: u32) -> u32 {
    std::env::var("CASES").map_or(few, |cases| cases.parse().expect("a number"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(400), ..ProptestConfig::default() })]

    #[test]
    fn an_amount_pays_for_a_quantity_and_not_for_one_unit_more(
        made in made(), start in start(), earlier in prop::collection::vec(0..900_u64, 0..3),
        amounts in prop::collection::vec((0..9_000_i128, 0..3_i128), 1..6), most in 0..6_000_u64,
    ) {
        let plan = made.plan();
        let mut state = State::default();
        for length in earlier {
            plan.rate(&call(start, length), &mut state).unwrap();
        }
        let price = |quantity| plan.rate(&call(start, quantity), &mut { state }).unwrap();
        for (hundredths, parts) in amounts {
            let nanos = hundredths * 10_000_000 + parts;
            let amount = Money { nanos, currency: plan.currency() };
            let found = plan.affordable(&call(start, 7), &state, amount, |_| most).unwrap();
            prop_assert_eq!(found.priced, price(found.quantity));
            prop_assert!(found.priced.total.nanos <= nanos && found.quantity <= most);
            let more = price(found.quantity + 1).total.nanos;
            // Nothing does not pay for what costs so little that it is rounded to nothing.
            let is_rest = nanos == 0 && more == 0;
            prop_assert!(more > nanos || found.quantity == most || is_rest, "{} more costs {}", found.quantity, more);
        }
    }

    #[test]
    fn parts_that_are_stored_between_cost_what_the_whole_costs(
        made in made(), start in start(), lengths in prop::collection::vec(0..1500_u64, 1..6), cents in 0..3_000_i128,
    ) {
        let plan = made.plan();
        let (mut whole, mut state) = (State::default(), State::default());
        let priced = plan.rate(&call(start, lengths.iter().sum()), &mut whole).unwrap();
        let (mut progress, mut counters) = (None, SubscriberCounters::default());
        let (mut total, mut before) = (0, State::default());
        for length in lengths {
            let amount = Money { nanos: cents * 10_000_000, currency: plan.currency() };
            let stored = plan.affordable_part(&call(start, 0), &progress, &counters, &mut state, amount, |_| 900).unwrap();
            prop_assert_eq!(stored, plan.affordable(&call(start, 0), &before, amount, |_| 900).unwrap());
            // Other usages have used the state meanwhile.
            plan.rate_part(&call(start, 77), &mut None, &mut SubscriberCounters::default(), &mut state).unwrap();
            let part = plan.rate_part(&call(start, length), &mut progress, &mut counters, &mut state).unwrap();
            plan.rate(&call(start, length), &mut before).unwrap();
            let octets = progress.unwrap().octets();
            prop_assert_eq!(Progress::read(&octets).ok(), progress);
            total += part.total.nanos;
        }
        prop_assert_eq!(total, priced.total.nanos);
        prop_assert_eq!(progress.unwrap().total(), total);
    }

    #[test]
    fn the_price_of_a_unit_stays_until_the_next_change(made in made(), start in start(), now in 0..200_000_i64) {
        let plan = made.plan();
        let changed = plan.next_change(&call(start, 0), &State::default(), start + now).unwrap();
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        let is_night = |at: Moment| Timestamp::from_second(at).unwrap().to_zoned_datetime(zone.clone()).hour() < 3;
        match changed {
            None => prop_assert!(!made.split),
            Some(changed) => {
                prop_assert!(made.split && changed > start + now);
                prop_assert_eq!(is_night(changed - 1), is_night(start + now));
                prop_assert_ne!(is_night(changed), is_night(changed - 1));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_price_is_that_of_its_units_one_by_one(made in made(), start in start(), used in 0..5000_u64) {
        let plan = made.plan();
        let priced = plan.rate(&call(start, used), &mut State::default()).unwrap();
        let (numerator, denominator) = made.by_units(start, used);
        let expected = plans::rounded((numerator, denominator * 100), &format!("made 0.01 {}", made.mode));
        let found = if made.tax_included { priced.total } else { priced.net };
        prop_assert_eq!(found.amount().to_string(), expected);
        // The tax is rounded from the rounded amount.
        let tax = i128::from(made.tax);
        let of = if made.tax_included { 100 + tax } else { 100 };
        let tax = plans::rounded((found.nanos * tax, of * 1_000_000_000), &format!("made 0.01 {}", made.mode));
        prop_assert_eq!(priced.tax.amount().to_string(), tax);
        prop_assert_eq!(priced.net.nanos + priced.tax.nanos, priced.total.nanos);
    }

    #[test]
    fn parts_with_carried_state_cost_what_the_whole_costs(
        made in made(), start in start(), lengths in prop::collection::vec(0..1500_u64, 1..6),
    ) {
        let plan = made.plan();
        let (mut whole, mut parts) = (State::default(), State::default());
        let priced = plan.rate(&call(start, lengths.iter().sum()), &mut whole).unwrap();
        let (mut at, mut sums) = (start, [0; 4]);
        for length in lengths {
            let part = plan.rate(&call(at, length), &mut parts).unwrap();
            at += length as i64;
            sums = [sums[0] + part.net.nanos, sums[1] + part.tax.nanos, sums[2] + i128::from(part.billed), sums[3] + i128::from(part.free)];
        }
        prop_assert_eq!(sums, [priced.net.nanos, priced.tax.nanos, priced.billed.into(), priced.free.into()]);
        prop_assert_eq!(parts, whole);
    }

    #[test]
    fn a_price_never_falls_with_duration(made in made(), start in start(), used in 0..4000_u64, more in 0..1000_u64) {
        let plan = made.plan();
        let price = |used| plan.rate(&call(start, used), &mut State::default()).unwrap();
        let (short, long) = (price(used), price(used + more));
        prop_assert!(short.total.nanos <= long.total.nanos);
        prop_assert!(short.net.nanos <= long.net.nanos);
        prop_assert!(short.tax.nanos >= 0 && short.net.nanos >= 0);
    }
}
