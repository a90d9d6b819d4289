//! The plans of the tests, and arithmetic to work out prices without them.

use std::path::{Path, PathBuf};

use rating::Plan;
use tempfile::TempDir;

/// Returns a plan by its name. Another rounding may follow it: `eu-roaming 0.05 half-even`.
pub(crate) fn plan(name: &str) -> Plan {
    let mut words = name.split(' ');
    let folder = folder(words.next().unwrap());
    match (words.next(), words.next()) {
        (Some(unit), Some(mode)) => {
            let rounding = format!("[rounding]\nunit = \"{unit}\"\nmode = \"{mode}\"\n");
            let changed = changed(&folder, "tariff.toml", |text| {
                text.split("[rounding]").next().unwrap().to_owned() + &rounding
            });
            read(changed.path())
        }
        _ => read(&folder),
    }
}

/// Returns the folder of a plan.
pub(crate) fn folder(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    match name {
        "fjord" => here.join("../../examples/tariff"),
        name => here.join("tests/plans").join(name),
    }
}

/// Returns a copy of a plan with one file changed.
pub(crate) fn changed(folder: &Path, file: &str, change: impl Fn(&str) -> String) -> TempDir {
    let copy = TempDir::new().unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    let path = copy.path().join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, change(&text)).unwrap();
    copy
}

fn read(folder: &Path) -> Plan {
    let read = Plan::read(folder);
    let told: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    read.plan.expect("a plan without mistakes is one")
}

/// Parses a quantity, and returns the first letter of its unit: second, octet or message.
pub(crate) fn quantity(text: &str) -> (u64, char) {
    let (number, unit) = text.split_once(' ').unwrap();
    let number: u64 = number.parse().unwrap();
    match unit {
        "s" => (number, 's'),
        "min" => (number * 60, 's'),
        "h" => (number * 3_600, 's'),
        "octet" | "octets" => (number, 'o'),
        "kB" => (number * 1_000, 'o'),
        "MB" => (number * 1_000_000, 'o'),
        "GB" => (number * 1_000_000_000, 'o'),
        "message" | "messages" => (number, 'm'),
        _ => panic!("no unit {unit}"),
    }
}

/// A fraction, not reduced.
pub(crate) type Fraction = (i128, i128);

/// Returns the value of a working: `0.49+30*0.60/60+(591-500)*0.9`.
pub(crate) fn fraction(text: &str) -> Fraction {
    let mut rest = text;
    let value = sum(&mut rest);
    assert!(rest.is_empty(), "{text}");
    value
}

fn sum(rest: &mut &str) -> Fraction {
    let mut value = product(rest);
    while let Some(sign @ ('+' | '-')) = rest.chars().next() {
        *rest = &rest[1..];
        let (numerator, denominator) = product(rest);
        let numerator = if sign == '-' { -numerator } else { numerator };
        value = (value.0 * denominator + numerator * value.1, value.1 * denominator);
    }
    value
}

fn product(rest: &mut &str) -> Fraction {
    let mut value = number(rest);
    while let Some(sign @ ('*' | '/')) = rest.chars().next() {
        *rest = &rest[1..];
        let (numerator, denominator) = number(rest);
        value = match sign {
            '*' => (value.0 * numerator, value.1 * denominator),
            _ => (value.0 * denominator, value.1 * numerator),
        };
    }
    value
}

fn number(rest: &mut &str) -> Fraction {
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let value = sum(rest);
        *rest = rest.strip_prefix(')').unwrap();
        return value;
    }
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(end);
    *rest = behind;
    let decimals = digits.split_once('.').map_or(0, |(_, part)| part.len() as u32);
    (digits.replace('.', "").parse().unwrap(), 10_i128.pow(decimals))
}

/// Rounds a value as a plan does, and writes it with the decimals of its unit, at least two.
pub(crate) fn rounded((numerator, denominator): Fraction, plan: &str) -> String {
    let words: Vec<&str> = plan.split(' ').collect();
    let (unit, mode) = match words[..] {
        ["eu-roaming"] => ("0.0001", "half-up"),
        [_] => ("0.01", "half-up"),
        [_, unit, mode] => (unit, mode),
        _ => panic!("{plan}"),
    };
    let mut rest = unit;
    let unit = number(&mut rest);
    // The number of units, and the rest in parts of `parts`.
    let (units, parts) = (numerator * unit.1, denominator * unit.0);
    let (whole, left) = (units / parts, units % parts);
    let up = match mode {
        "half-up" => 2 * left >= parts,
        "half-even" => 2 * left > parts || 2 * left == parts && whole % 2 == 1,
        "half-down" => 2 * left > parts,
        "up" => left > 0,
        "down" => false,
        _ => panic!("{mode}"),
    };
    let ten_thousandths = (whole + i128::from(up)) * unit.0 * 10_000 / unit.1;
    let text = format!("{}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000);
    let zeros = text.len() - text.trim_end_matches('0').len();
    text[..text.len() - zeros.min(2)].to_owned()
}
