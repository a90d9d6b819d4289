//! Draws what a request costs each server, as bars on a logarithmic scale.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::measure::Row;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

const FONT: &str = "sans-serif";

const WIDTH: i32 = 960;

const GREY: RGBColor = RGBColor(140, 140, 140);

/// Where bars begin, and where the longest one ends.
const BARS_FROM: i32 = 240;
const BARS_TO: i32 = 860;

const ROW_HEIGHT: i32 = 26;
const BAR_HEIGHT: i32 = 16;
const HEAD_HEIGHT: i32 = 50;

/// The left end of the scale, in microseconds.
const LEAST: f64 = 0.1;

/// Draws the processor time of a request of each row, in microseconds.
pub(super) fn draw(file: &Path, rows: &[Row]) -> Drawn {
    let height = HEAD_HEIGHT + ROW_HEIGHT * (rows.len() as i32 + 1);
    let area = SVGBackend::new(file, (WIDTH as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    text(
        &area,
        "Processor time of a server for a request, in microseconds (logarithmic)",
        (12, 14),
        18,
    )?;
    let most = rows.iter().map(microseconds).fold(LEAST * 10.0, f64::max);
    for (place, row) in rows.iter().enumerate() {
        let top = HEAD_HEIGHT + ROW_HEIGHT * place as i32;
        let cost = microseconds(row);
        let share = (cost / LEAST).ln() / (most / LEAST).ln();
        let end = BARS_FROM + (f64::from(BARS_TO - BARS_FROM) * share.max(0.0)) as i32;
        let colour = if row.name.starts_with("charging") { BLUE } else { GREY };
        text(&area, &row.name, (12, top + 1), 14)?;
        let corners = [(BARS_FROM, top), (end, top + BAR_HEIGHT)];
        area.draw(&Rectangle::new(corners, colour.filled()))?;
        text(&area, &format!("{cost:.1}"), (end + 8, top + 1), 14)?;
    }
    Ok(area.present()?)
}

fn microseconds(row: &Row) -> f64 {
    row.elapsed.as_secs_f64() * 1e6 / row.records as f64
}

fn text(area: &Area<'_>, text: &str, at: (i32, i32), size: i32) -> Drawn {
    Ok(area.draw(&Text::new(text.to_owned(), at, (FONT, size)))?)
}
