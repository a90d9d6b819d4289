//! Usages with prices worked out by hand: `priced.csv`. Its column `working` is the sum as on paper, `source` the rule
//! behind it. Both the plan and the arithmetic of the working, done here in fractions, must give the column `total`.

use crate::plans;
use crate::plans::{fraction, plan, quantity};
use rating::{Number, Plan, State, Usage, moment};

struct Case<'c> {
    plan: &'c str,
    service: &'c str,
    served: &'c str,
    other: &'c str,
    more: &'c str,
    start: &'c str,
    used: &'c str,
    earlier: &'c str,
    class: &'c str,
    working: &'c str,
    total: &'c str,
}

/// Splits a line into its cells. The last, which may be quoted, is the source.
fn case(line: &str) -> Case<'_> {
    let cells: Vec<&str> = line.splitn(12, ',').collect();
    let [plan, service, served, other, more, start, used, earlier, class, working, total, _] =
        cells[..]
    else {
        panic!("not twelve cells: {line}");
    };
    Case { plan, service, served, other, more, start, used, earlier, class, working, total }
}

impl Case<'_> {
    fn usage(&self, used: &str) -> Usage<'_> {
        let (amount, unit) = quantity(used);
        let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
        Usage {
            service: given(self.service),
            served: given(self.served).map(|digits| Number::unknown(digits.as_bytes())),
            other: given(self.other).map(|digits| Number::unknown(digits.as_bytes())),
            subscriber: self.more.strip_prefix("subscriber="),
            partner: self.more.strip_prefix("partner="),
            duration: (unit == 's').then_some(amount),
            octets: (unit == 'o').then_some(amount),
            events: (unit == 'm').then_some(amount),
            ..Usage::at(moment(self.start).unwrap())
        }
    }

    fn rated(&self, plan: &Plan) -> (String, String) {
        let mut state = State::default();
        if !self.earlier.is_empty() {
            plan.rate(&self.usage(self.earlier), &mut state).unwrap();
            state.end_usage();
        }
        let priced = plan.rate(&self.usage(self.used), &mut state).unwrap();
        assert_eq!(plan.unit(&self.usage("1 s")), Ok(priced.unit), "of any quantity");
        (priced.class.to_owned(), priced.total.amount().to_string())
    }
}

#[test]
fn usages_cost_what_was_worked_out_by_hand() {
    let text = include_str!("priced.csv");
    let mut wrong = Vec::new();
    for line in text.lines().skip(1) {
        let case = case(line);
        let plan = plan(case.plan);
        let expected = (case.class.to_owned(), case.total.to_owned());
        let found = std::panic::catch_unwind(|| case.rated(&plan)).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{line}\n    gives {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(text.lines().count() > 200);
}

#[test]
fn the_workings_add_up_to_the_totals() {
    for line in include_str!("priced.csv").lines().skip(1) {
        let case = case(line);
        let rounded = plans::rounded(fraction(case.working), case.plan);
        assert_eq!(rounded, case.total, "{line}");
    }
}
