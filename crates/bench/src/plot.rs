//! Draws the figures of the gateway beside those of a paper.
//!
//! Valdemar Mejstad, Karl-Johan Tångby and Lars Lundberg, "Improving Multiprocessor Performance of a Large
//! Telecommunication System by Replacing Interpretation with Compilation", section 5: on a Billing Gateway, compiled
//! scripts doubled the throughput on one processor, and made it more than four times as high on eight. It gives no
//! readable figures in between, and none of throughput.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::measure::Row;

type PlotArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type PlotResult = Result<(), Box<dyn Error>>;

/// The ratio of compiled to interpreted in the paper, by processors.
const PAPER: [(f64, f64); 2] = [(1.0, 2.0), (8.0, 4.0)];

const FONT: &str = "sans-serif";

/// A way to run the gateway, with its rows for one thread and for two.
pub(super) struct Series<'r> {
    pub(super) name: &'static str,
    pub(super) rows: [&'r Row; 2],
}

/// Draws the throughput of each way, and how many times as fast the last is as the one before it.
pub(super) fn draw(file: &Path, all_series: &[Series<'_>; 3]) -> PlotResult {
    let area = SVGBackend::new(file, (960, 400)).into_drawing_area();
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(480);
    throughput(&left, all_series)?;
    let [_, interpreted, compiled] = all_series;
    let ours = [0, 1].map(|at| (at as f64 + 1.0, compiled.rows[at].over(interpreted.rows[at])));
    times_as_fast(&right, &ours)?;
    Ok(area.present()?)
}

fn throughput(area: &PlotArea<'_>, all_series: &[Series<'_>; 3]) -> PlotResult {
    let of = |series: &Series<'_>| series.rows.map(Row::megabytes_per_second);
    let most = all_series.iter().flat_map(of).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption("Throughput, MB/s", (FONT, 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.8..2.2, 0.0..most * 1.3)?;
    let mesh = &mut chart.configure_mesh();
    mesh.disable_x_mesh().light_line_style(TRANSPARENT).x_labels(3).x_desc("threads");
    mesh.y_label_formatter(&|throughput| format!("{throughput:.0}"));
    mesh.x_label_formatter(&|threads: &f64| match (threads - threads.round()).abs() < 0.01 {
        true => format!("{threads:.0}"),
        false => String::new(),
    });
    mesh.draw()?;
    for (series, colour) in all_series.iter().zip([BLACK, RED, BLUE]) {
        let points: Vec<_> = [1.0, 2.0].into_iter().zip(of(series)).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), &colour).point_size(4))?
            .label(series.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
    }
    legend(&mut chart)
}

fn times_as_fast(area: &PlotArea<'_>, ours: &[(f64, f64)]) -> PlotResult {
    let most = ours.iter().chain(&PAPER).map(|(_, times)| *times).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption("Compiled scripts, times as fast as interpreted", (FONT, 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..9.0, 0.0..most * 1.4)?;
    let mesh = &mut chart.configure_mesh();
    mesh.disable_x_mesh().light_line_style(TRANSPARENT).x_labels(10).x_desc("processors");
    mesh.x_label_formatter(&|processors| format!("{processors:.0}")).draw()?;
    let paper = "Billing Gateway; on 8, more than that";
    for (name, points, colour) in [("Tollgate", ours, BLUE), (paper, &PAPER, RED)] {
        chart
            .draw_series(points.iter().map(|point| Circle::new(*point, 5, colour.filled())))?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 8, y), 5, colour.filled()));
    }
    legend(&mut chart)
}

type ThroughputChart<'a> =
    ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn legend<'a>(chart: &mut ThroughputChart<'a>) -> PlotResult {
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).border_style(BLACK.mix(0.3));
    Ok(legend.background_style(WHITE).label_font((FONT, 14)).draw()?)
}
