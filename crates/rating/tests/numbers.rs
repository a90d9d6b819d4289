//! Numbers as networks and people write them. All forms of a number are equal for tables and counters, and an invalid
//! number matches no prefix.

use std::sync::LazyLock;

use proptest::prelude::*;
use rating::{Number, Plan, State, TypeOfNumber, Usage, moment};
use tempfile::TempDir;

/// Zones by prefix. The class of a call is the zone of the other number followed by the subscriber type.
const PREFIXES: &str =
    "46,fixed\n4670,mobile\n4620,free\n1,america\n1234,island\n7,russia\n39,italy\n882,satellite\n";

const ZONES: [&str; 9] =
    ["fixed", "mobile", "free", "america", "island", "russia", "italy", "satellite", "known"];

/// The numbering plan of a country.
struct Country {
    numbers: &'static str,
    /// Additional lines of `prefixes.csv`.
    prefixes: &'static str,
}

const SWEDEN: Country = Country {
    numbers: "country-code = \"46\"\ninternational-prefix = \"00\"\nnational-prefix = \"0\"\n",
    prefixes: "",
};

impl Country {
    fn plan(&self) -> Plan {
        let folder = TempDir::new().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "tariff.toml",
            &format!(
                "name = \"numbers\"\ncurrency = \"EUR\"\ntime-zone = \"UTC\"\nsubscribers = [\"plus\", \"basic\"]\n\
                 default-subscriber = \"basic\"\n[rounding]\nunit = \"0.01\"\nmode = \"half-up\"\n[numbers]\n{}",
                self.numbers
            ),
        );
        write("prefixes.csv", &format!("prefix,zone\n{PREFIXES}{}", self.prefixes));
        write("ported.csv", "number,zone\n46701111111,known\n467,known\n46701111111#,known\n");
        write("short.csv", "number,zone\n112,known\n*100#,known\n");
        write("subscribers.csv", "prefix,subscriber\n4670,plus\n");
        let mut classes = "class,unit\n".to_owned();
        let mut analysis = "subscriber,to,class\n".to_owned();
        let mut prices = "class,valid-from,price\n".to_owned();
        for zone in ZONES {
            for subscriber in ["plus", "basic"] {
                classes += &format!("{zone}-{subscriber},events\n");
                analysis += &format!("{subscriber},{zone},{zone}-{subscriber}\n");
                prices += &format!("{zone}-{subscriber},2020-01-01 UTC,1\n");
            }
        }
        for (name, text) in
            [("classes.csv", classes), ("analysis.csv", analysis), ("prices.csv", prices)]
        {
            write(name, &text);
        }
        let read = Plan::read(folder.path());
        let messages: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
        read.plan.unwrap_or_else(|| panic!("{}", messages.join("\n")))
    }
}

/// Returns the zone of the other number, or why it has none.
fn zone(plan: &Plan, number: Number<'_>) -> Result<String, String> {
    let usage = Usage {
        served: Some(Number::unknown(b"+39333123456")),
        other: Some(number),
        ..Usage::at(moment("2026-06-01 UTC").unwrap())
    };
    let priced = plan.rate(&usage, &mut State::default()).map_err(|none| none.to_string())?;
    Ok(priced.class.strip_suffix("-basic").unwrap_or(priced.class).to_owned())
}

/// Returns the subscriber type of a served number, or why it has none.
fn subscriber(plan: &Plan, number: Number<'_>) -> Result<String, String> {
    let usage = Usage {
        served: Some(number),
        other: Some(Number::unknown(b"112")),
        ..Usage::at(moment("2026-06-01 UTC").unwrap())
    };
    let priced = plan.rate(&usage, &mut State::default()).map_err(|none| none.to_string())?;
    Ok(priced.class.strip_prefix("known-").unwrap_or(priced.class).to_owned())
}

/// Parses `0701234567`, without a type, or `national 701234567`, with the type of a record.
fn number(written: &str) -> Number<'_> {
    let kinds = [
        ("national ", TypeOfNumber::National),
        ("international ", TypeOfNumber::International),
        ("within ", TypeOfNumber::WithinNetwork),
    ];
    let of = |(word, kind): &(&str, TypeOfNumber)| {
        Some(Number { digits: written.strip_prefix(word)?.as_bytes(), kind: *kind })
    };
    kinds.iter().find_map(of).unwrap_or_else(|| Number::unknown(written.as_bytes()))
}

fn check(country: &Country, cases: &[(&str, &str)]) {
    let plan = country.plan();
    for (written, expected) in cases {
        let found = zone(&plan, number(written)).unwrap_or_else(|none| none);
        assert!(found.contains(expected), "{written}: {found}");
    }
}

#[test]
fn numbers_are_priced_by_their_prefix_and_others_are_refused() {
    let doubled = "the national prefix stands behind its country code";
    let special = "it has *, #, a or b";
    let few = "it has fewer than 7 digits with its country code";
    let hyphen = "a hyphen stands before its digits";
    check(
        &SWEDEN,
        &[
            ("0701234567", "mobile"),
            ("+46701234567", "mobile"),
            ("46701234567", "mobile"),
            ("0812345678", "fixed"),
            ("+12025550143", "america"),
            ("0012345550143", "island"),
            // The national prefix is dialled only within the country.
            ("+460701234567", doubled),
            ("00460701234567", doubled),
            ("460701234567", doubled),
            ("+46 (0)70 123 45 67", "it has another character"),
            ("+46 0 70 123 45 67", doubled),
            ("international 460701234567", doubled),
            ("national 0701234567", "mobile"),
            ("national 00701234567", doubled),
            // No country code starts with 0.
            ("+0046701234567", "none begins with 0"),
            ("000046701234567", "none begins with 0"),
            ("international 0046701234567", "none begins with 0"),
            // Too few digits in any form.
            ("+1", few),
            ("001", few),
            ("+123456", few),
            ("0", few),
            ("00", few),
            ("+", few),
            ("0112", few),
            ("+112", few),
            ("", "it is dialled without a prefix"),
            ("123456", "it is dialled without a prefix"),
            ("national ", few),
            ("international ", few),
            ("international 46", few),
            ("national 1234", few),
            // More digits than any number has.
            ("+467012345678901", "mobile"),
            ("+4670123456789012", "it has more than 15 digits"),
            ("+46701234567890123", "it has more than 16 digits"),
            // Numbers with other characters than digits need an exact match.
            ("0701234567#", special),
            ("0701234567*", special),
            ("0701234567b", special),
            ("0701234567c", "it has another character"),
            ("*31#0701234567", special),
            ("07012*34567", special),
            ("national C701111111", "it has another character"),
            ("national a701111111", special),
            // Hyphens are allowed only between digits.
            ("-46701234567", hyphen),
            ("+-46701234567", hyphen),
            ("46701234567-", hyphen),
            ("- 0701234567", hyphen),
            (" +46 70-123 45 67 ", "mobile"),
            ("0 70-123-45-67", "mobile"),
            ("0 046-70 1234567", "mobile"),
            // Exact matches.
            ("112", "known"),
            ("1 1 2 ", "known"),
            ("*100#", "known"),
            ("0701111111", "known"),
            ("0701111111#", "known"),
            ("07", "known"),
            ("within 112", "known"),
            ("within 46701234567", "it is a number within a network"),
            ("national 112", few),
            ("*100", "it is dialled without a prefix"),
            ("112#", "it is dialled without a prefix"),
            ("0701111111*", special),
        ],
    );
}

#[test]
fn numbers_of_a_country_may_begin_as_a_prefix_of_the_plan_does() {
    const RUSSIA: Country = Country {
        numbers: "country-code = \"7\"\ninternational-prefix = \"810\"\nnational-prefix = \"8\"\n",
        prefixes: "7812,fixed\n",
    };
    let doubled = "give prefixes.csv a prefix that does";
    check(
        &RUSSIA,
        &[
            ("88123456789", "fixed"),
            ("+78123456789", "fixed"),
            ("89161234567", "russia"),
            ("+79161234567", "russia"),
            // Neither has a prefix that starts with 78.
            ("+789161234567", doubled),
            ("+78432123456", doubled),
            ("8104670123456789", "mobile"),
        ],
    );
}

#[test]
fn a_country_without_a_national_prefix_has_the_digits_that_are_dialled() {
    const ITALY: Country = Country {
        numbers: "country-code = \"39\"\ninternational-prefix = \"00\"\nwithout-prefix = \"national\"\ndigits-min = 6\n",
        prefixes: "3906,fixed\n393,free\n",
    };
    check(
        &ITALY,
        &[
            ("0612345678", "fixed"),
            ("+390612345678", "fixed"),
            ("+39612345678", "italy"),
            ("3331234567", "free"),
            ("0046701234567", "mobile"),
            ("00 46701234567", "mobile"),
            ("0 046701234567", "mobile"),
            ("0-046701234567", "mobile"),
            (" 0046701234567", "mobile"),
            ("06", "it has fewer than 7 digits"),
            ("06123", "it has fewer digits than \"digits-min\" says"),
            ("+3906123", "it has fewer digits than \"digits-min\" says"),
            ("061234", "fixed"),
            // Numbers of other countries may be shorter.
            ("+4670123", "mobile"),
        ],
    );
}

#[test]
fn a_served_number_that_is_none_has_no_type_of_subscriber_either() {
    let plan = SWEDEN.plan();
    for (written, expected) in [
        ("0701234567", "plus"),
        ("+46 70 123 45 67", "plus"),
        ("+46812345678", "basic"),
        ("112", "basic"),
        ("+460701234567", "served number \"+460701234567\": the national prefix"),
        ("0701234567#", "served number \"0701234567#\": it has *, #, a or b"),
        ("+4670", "served number \"+4670\": it has fewer than 7 digits"),
        ("-0701234567", "served number \"-0701234567\": a hyphen"),
        ("anonymous", "served number \"anonymous\": it has another character"),
    ] {
        let found = subscriber(&plan, number(written)).unwrap_or_else(|none| none);
        assert!(found.contains(expected), "{written}: {found}");
        // Counters use the same digits.
        let counted = plan.international(number(written)).is_ok();
        assert_eq!(counted, expected == "plus" || written == "+46812345678", "{written}");
    }
}

/// A number of Sweden or another country, in international form.
fn digits() -> impl Strategy<Value = String> {
    let of_country = "46(70|20|8|73)[0-9]{6,8}";
    let others = "(1[2-9]|1234|39|882|7)[0-9]{6,10}";
    prop_oneof![2 => of_country, 1 => others]
}

/// Returns a number in all its written forms.
fn forms(digits: &str) -> Vec<String> {
    let mut forms = vec![digits.to_owned(), format!("+{digits}"), format!("00{digits}")];
    forms.push(format!("international {digits}"));
    if let Some(national) = digits.strip_prefix("46") {
        forms.extend(["0", "national ", "national 0"].map(|before| format!("{before}{national}")));
    }
    forms
}

/// A reference implementation for numbers that include their type.
fn plainly(text: &str) -> Option<String> {
    let text = text.trim_matches(' ');
    if text.starts_with('-') || text.starts_with("+-") || text.ends_with('-') {
        return None;
    }
    let dialled = text.replace([' ', '-'], "");
    let digits = match (dialled.strip_prefix('+'), dialled.strip_prefix("00")) {
        (Some(digits), _) | (None, Some(digits)) => digits.to_owned(),
        _ => match dialled.strip_prefix('0') {
            Some(national) => format!("46{national}"),
            None => dialled,
        },
    };
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit())
        && (7..=15).contains(&digits.len())
        && !digits.starts_with('0')
        && !digits.starts_with("460");
    is_number.then_some(digits)
}

/// Returns the zone of the longest prefix.
fn zone_of(digits: &str) -> Option<&'static str> {
    let lines = PREFIXES.lines().filter_map(|line| line.split_once(','));
    let of = lines.filter(|(prefix, _)| digits.starts_with(prefix));
    of.max_by_key(|(prefix, _)| prefix.len()).map(|(_, zone)| zone)
}

static PLAN: LazyLock<Plan> = LazyLock::new(|| SWEDEN.plan());

proptest! {
    #[test]
    fn a_number_is_the_same_in_all_its_forms(
        digits in digits(),
        blanks in prop::collection::vec((0..20_usize, prop::sample::select(vec![' ', '-'])), 0..4),
    ) {
        let plan = &*PLAN;
        let expected = zone_of(&digits).unwrap().to_owned();
        let of_subscriber = if digits.starts_with("4670") { "plus" } else { "basic" };
        for form in forms(&digits) {
            let number = number(&form);
            let mut text: Vec<char> = std::str::from_utf8(number.digits).unwrap().chars().collect();
            for (place, blank) in &blanks {
                // A hyphen must be between digits.
                text.insert(1 + place % (text.len() - 1), *blank);
            }
            let text: String = text.into_iter().collect();
            let number = Number { digits: text.as_bytes(), ..number };
            if text.starts_with("+-") {
                continue;
            }
            prop_assert_eq!(zone(plan, number), Ok(expected.clone()), "{}", text);
            prop_assert_eq!(subscriber(plan, number), Ok(of_subscriber.to_owned()), "{}", text);
            prop_assert_eq!(plan.international(number).unwrap().to_string(), digits.clone(), "{}", text);
        }
    }

    #[test]
    fn a_text_that_was_changed_is_what_a_plain_reader_makes_of_it(
        digits in digits(),
        form in any::<prop::sample::Index>(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..3, prop::sample::select("00123456789+-*#abcFx ,()".chars().collect::<Vec<_>>())),
            1..4,
        ),
    ) {
        let forms: Vec<String> = forms(&digits).into_iter().filter(|form| !form.contains('n')).collect();
        let mut text: Vec<char> = forms[form.index(forms.len())].chars().collect();
        for (place, how, character) in changes {
            let place = place.index(text.len());
            match how {
                0 => text[place] = character,
                1 => text.insert(place, character),
                _ if text.len() > 1 => drop(text.remove(place)),
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        let plan = &*PLAN;
        let expected = plainly(&text);
        let number = Number::unknown(text.as_bytes());
        prop_assert_eq!(plan.international(number).ok().map(|digits| digits.to_string()), expected.clone(), "{}", text);
        let zone = zone(plan, number).ok();
        if zone.as_deref() != Some("known") {
            prop_assert_eq!(zone.as_deref(), expected.as_deref().and_then(zone_of), "{}", text);
        }
    }
}
