//! Tests commands after days in which no system ran.

use super::Charging;
use crate::common::clock::off_by;

/// Runs a command as if days had gone by. `None` if the clock cannot be set here.
fn after(charging: &Charging, days: u32, line: &str) -> Option<String> {
    let mut command = charging.command(line);
    let output = off_by(&mut command, &format!("+{days}d"))?.output().unwrap();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {wrong}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Returns the day of the newest entry of an account.
fn newest_day(history: &str) -> i64 {
    let time = history.split('\t').nth(1).unwrap();
    runtime::time::moment(time).unwrap().div_euclid(86_400_000)
}

#[test]
fn a_command_goes_by_the_clock_after_a_pause_and_does_first_what_is_due() {
    let charging = Charging::new();
    charging.define(
        "[bundles.week]\nprice = \"10\"\nseconds = 60\nvalid = \"7 days\"\nrenews = true\nrolls-over = true\n",
    );
    let account = "46701000001";
    let opened = newest_day(&charging.run(&format!("account history {account} --limit 1")));
    let buy = format!("account buy {account} week --reference order-1");
    let Some(_) = after(&charging, 30, &buy) else { return };
    let history = |days| after(&charging, days, &format!("account history {account} --limit 1"));
    assert!((30..=31).contains(&(newest_day(&history(30).unwrap()) - opened)));
    // Its time is over, and nothing has run since: the next period is paid, and what is left rolls over.
    let shown = after(&charging, 38, &format!("account show {account}")).unwrap();
    assert_eq!(shown.matches("week").count(), 3, "two balances, and when it is due: {shown}");
    assert!(shown.contains("week, rolled over") && shown.contains("180.00"), "{shown}");
}
