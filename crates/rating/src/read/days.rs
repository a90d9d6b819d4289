//! The tables of time and place: holidays, time bands, roaming partners.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};

use super::cells::{Folder, Sheet};
use super::settings::Settings;
use crate::calendar::{Calendar, DayBands, Days, Place};
use crate::plan::{Names, Partner};
use crate::written::zone_of;
use ::cells::{Cell, Table, TableRow};
use clocks::{Clock, DAY, DAYS};

/// Maximum number of bands: a band is one octet.
const BANDS_MAX: usize = 255;

/// The contents of the tables.
pub(super) struct DayTables {
    pub(super) calendar: Calendar,
    pub(super) bands: Names,
    pub(super) home: Place,
    pub(super) partner_names: Names,
    pub(super) partners: Vec<Partner>,
}

/// Reads the tables.
pub(super) fn read(
    folder: &mut Folder,
    (settings, source): (&Settings, &Arc<Source>),
    zones: &mut Names,
    mistakes: &mut Vec<Diagnostic>,
) -> DayTables {
    let holidays = folder.read("holidays.csv", mistakes);
    let holidays = holidays.map_or_else(BTreeMap::new, |source| holidays_of(&source, mistakes));
    warn_of_no_holidays(settings, source, &holidays, mistakes);
    let (bands, day_bands) = match folder.read("bands.csv", mistakes) {
        Some(source) => bands_of(&source, settings, mistakes),
        None => {
            let mut all = Names::default();
            all.add("all");
            (all, vec![DayBands(vec![(DAY as u32, 0)]); settings.day_kinds.len()])
        }
    };
    let mut places = Places { settings, holidays, clocks: Vec::new(), days: Vec::new() };
    let home = places.of("", &settings.country, &mut |_| {});
    let (partner_names, partners) = match folder.read("partners.csv", mistakes) {
        Some(source) => partners_of(&source, &mut places, zones, mistakes),
        None => Default::default(),
    };
    let clocks = places.clocks.into_iter().map(|(_, clock)| clock).collect();
    let days = places.days.into_iter().map(|(_, days)| days).collect();
    let calendar = Calendar { clocks, days, bands: day_bands };
    DayTables { calendar, bands, home, partner_names, partners }
}

/// Reads the holidays of each country, in days since 1970-01-01.
fn holidays_of(source: &Arc<Source>, mistakes: &mut Vec<Diagnostic>) -> BTreeMap<String, Vec<i64>> {
    let mut found: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let Some(mut table) = Table::open(source, ["country", "date", "name?"], mistakes) else {
        return found;
    };
    while let Some(row) = table.next(mistakes) {
        let mut sheet = Sheet { source, mistakes };
        let country = sheet.name(&row.cells[0], "country").map(str::to_owned);
        let Some(day) = day(&row.cells[1].text) else {
            let message = format!("\"{}\" is no date; write 2026-06-19", row.cells[1].text);
            sheet.error(&row.cells[1], message);
            continue;
        };
        let Some(country) = country else { continue };
        let days = found.entry(country).or_default();
        if days.contains(&day) {
            sheet.error(&row.cells[1], "this day is a holiday of this country already");
        }
        days.push(day);
    }
    found
}

/// Warns if the plan's own country has no holidays but others have, as when its name is misspelt.
fn warn_of_no_holidays(
    settings: &Settings,
    source: &Arc<Source>,
    holidays: &BTreeMap<String, Vec<i64>>,
    mistakes: &mut Vec<Diagnostic>,
) {
    let country = &settings.country;
    if country.is_empty() || holidays.is_empty() || holidays.contains_key(country) {
        return;
    }
    let known = || holidays.keys().map(String::as_str);
    let hint = did_you_mean(country, known())
        .unwrap_or_else(|| format!("it has those of {}", known().collect::<Vec<_>>().join(", ")));
    let message = format!("holidays.csv has no holidays of \"{country}\"");
    mistakes.push(Diagnostic::warning(source, settings.country_span, message).hint(hint));
}

/// Parses a date into the days since 1970-01-01.
fn day(text: &str) -> Option<i64> {
    let date: jiff::civil::Date = text.parse().ok()?;
    let day = jiff::tz::TimeZone::UTC.to_timestamp(date.into()).ok()?.as_second().div_euclid(DAY);
    (0..DAYS as i64).contains(&day).then_some(day)
}

/// Reads the bands of days: each type of day must have all its hours, without gaps and overlaps.
fn bands_of(
    source: &Arc<Source>,
    settings: &Settings,
    mistakes: &mut Vec<Diagnostic>,
) -> (Names, Vec<DayBands>) {
    let mut names = Names::default();
    let mut rows: Vec<Vec<(u32, u32, u8, Span)>> = vec![Vec::new(); settings.day_kinds.len()];
    if let Some(mut table) = Table::open(source, ["day-type", "from", "to", "band"], mistakes) {
        while let Some(row) = table.next(mistakes) {
            let mut sheet = Sheet { source, mistakes };
            if let Some((kind, from, to, band)) = band(&mut sheet, &row, settings, &mut names) {
                rows[usize::from(kind)].push((
                    from,
                    to,
                    band,
                    row.cells[1].span.to(row.cells[2].span),
                ));
            }
        }
    }
    if names.len() > BANDS_MAX {
        let message = format!("these are {} bands; a plan has {BANDS_MAX} at most", names.len());
        mistakes.push(Diagnostic::error(source, Span::default(), message));
    }
    let has_errors = diagnostics::has_errors(mistakes);
    let bands = rows.into_iter().enumerate().map(|(kind, mut rows)| {
        rows.sort_by_key(|(from, ..)| *from);
        let mut end = 0;
        let name = settings.day_kinds.get(kind as u16);
        let mut whole = Vec::new();
        for (from, to, band, span) in rows {
            let wrong = match from.cmp(&end) {
                std::cmp::Ordering::Less => Some("an overlap: another band has a part of this"),
                std::cmp::Ordering::Greater if !has_errors => {
                    Some("a gap: no band has the time before this")
                }
                _ => None,
            };
            if let Some(wrong) = wrong {
                let message = format!("{wrong} ({} of \"{name}\")", clock_text(from.min(end)));
                mistakes.push(Diagnostic::error(source, span, message));
            }
            end = end.max(to);
            whole.push((to, band));
        }
        if end < DAY as u32 && !has_errors {
            let message = format!("a gap: \"{name}\" has no band from {} on", clock_text(end));
            mistakes.push(Diagnostic::error(source, Span::default(), message));
        }
        DayBands(whole)
    });
    (names, bands.collect())
}

fn band(
    sheet: &mut Sheet<'_>,
    row: &TableRow<'_, 4>,
    settings: &Settings,
    names: &mut Names,
) -> Option<(u16, u32, u32, u8)> {
    let [kind, from, to, band] = &row.cells;
    let kind = sheet.known(kind, "day type", &settings.day_kinds);
    let (start, end) = (time_of_day(sheet, from), time_of_day(sheet, to));
    let band = sheet.name(band, "band").and_then(|name| names.add(name));
    let (start, end) = (start?, end?);
    if end <= start {
        sheet.error(to, "the times are in the wrong order; a band over midnight is two lines, to 24:00 and from 00:00");
        return None;
    }
    Some((kind?, start, end, band? as u8))
}

/// Parses `07:00` or `24:00` into the second of the day.
fn time_of_day(sheet: &mut Sheet<'_>, cell: &Cell<'_>) -> Option<u32> {
    let parts: Option<Vec<u32>> = cell.text.split(':').map(|part| part.parse().ok()).collect();
    let second = match parts.as_deref() {
        Some([hour, minute]) => Some((*hour, *minute, 0)),
        Some([hour, minute, second]) => Some((*hour, *minute, *second)),
        _ => None,
    };
    let second = second
        .filter(|(hour, minute, second)| *hour <= 24 && *minute < 60 && *second < 60)
        .map(|(hour, minute, second)| hour * 3_600 + minute * 60 + second)
        .filter(|second| *second <= DAY as u32);
    if second.is_none() {
        sheet.error(
            cell,
            format!("\"{}\" is no time of day; write 07:00, or 24:00 for the end", cell.text),
        );
    }
    second
}

fn clock_text(second: u32) -> String {
    format!("{:02}:{:02}", second / 3_600, second / 60 % 60)
}

/// Clocks and countries, each once.
struct Places<'p> {
    settings: &'p Settings,
    holidays: BTreeMap<String, Vec<i64>>,
    clocks: Vec<(String, Clock)>,
    days: Vec<(String, Days)>,
}

impl Places<'_> {
    /// Returns the place of a time zone and a country. An empty zone means the home zone. Mistakes go to `wrong`.
    fn of(&mut self, zone: &str, country: &str, wrong: &mut dyn FnMut(String)) -> Place {
        let clock = self.clocks.iter().position(|(name, _)| name == zone).unwrap_or_else(|| {
            let found =
                if zone.is_empty() { Ok(self.settings.zone.clone()) } else { zone_of(zone) };
            let found = found.unwrap_or_else(|fault| {
                wrong(fault.to_string());
                self.settings.zone.clone()
            });
            self.clocks.push((zone.to_owned(), Clock::new(&found)));
            self.clocks.len() - 1
        });
        let days = self.days.iter().position(|(name, _)| name == country).unwrap_or_else(|| {
            let holidays = self.holidays.get(country).map_or(&[][..], Vec::as_slice);
            self.days.push((country.to_owned(), Days::new(self.settings.kinds, holidays)));
            self.days.len() - 1
        });
        Place { clock: clock as u16, days: days as u16 }
    }
}

fn partners_of(
    source: &Arc<Source>,
    places: &mut Places<'_>,
    zones: &mut Names,
    mistakes: &mut Vec<Diagnostic>,
) -> (Names, Vec<Partner>) {
    let (mut names, mut partners) = (Names::default(), Vec::new());
    let columns = ["partner", "zone", "country?", "time-zone?"];
    let Some(mut table) = Table::open(source, columns, mistakes) else { return (names, partners) };
    while let Some(row) = table.next(mistakes) {
        let mut sheet = Sheet { source, mistakes };
        let [partner, zone, country, time_zone] = &row.cells;
        let id = sheet.name(zone, "zone").and_then(|name| zones.add(name));
        let Some(name) = sheet.name(partner, "partner") else { continue };
        if names.find(name).is_some() {
            sheet.error(partner, format!("\"{name}\" stands there twice"));
            continue;
        }
        let country =
            if country.text.is_empty() { &places.settings.country } else { &*country.text };
        let place = places.of(&time_zone.text, country, &mut |fault| sheet.error(time_zone, fault));
        if let (Some(zone), Some(_)) = (id, names.add(name)) {
            partners.push(Partner { zone, place, line: row.line });
        }
    }
    (names, partners)
}
