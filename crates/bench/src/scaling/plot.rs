//! Draws the figures: measurements as full lines and points, simulations as rings.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::{ScalingResults, Sort};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), Box<dyn Error>>;

const FONT: &str = "sans-serif";

const COLOURS: [RGBColor; 6] =
    [BLUE, RED, RGBColor(0, 128, 0), RGBColor(200, 110, 0), RGBColor(120, 0, 160), BLACK];

/// A line of the drawing.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    is_simulated: bool,
}

/// Draws throughput by threads, by processes, by both together, by processors, and by way of grouping.
pub(super) fn draw(file: &Path, found: &ScalingResults) -> Drawn {
    let area = SVGBackend::new(file, (960, 760)).into_drawing_area();
    area.fill(&WHITE)?;
    let parts = area.split_evenly((2, 2));
    let crews = [
        found.crews("one process, so many threads", |processes, threads| {
            (processes == 1).then_some(threads)
        }),
        found.crews("so many processes, one thread each", |processes, threads| {
            (threads == 1).then_some(processes)
        }),
    ];
    lines(&parts[0], "Threads, or processes: MB/s", "threads, or processes", &crews)?;
    lines(&parts[1], "Processes and threads: MB/s", "threads of each", &found.matrix())?;
    lines(&parts[2], "Times as fast as one thread", "processors", &found.by_processors())?;
    lines(
        &parts[3],
        "Groups, over one group",
        "way of grouping (see the table)",
        &found.by_groups(),
    )?;
    Ok(area.present()?)
}

impl ScalingResults {
    /// Returns the throughput of the configurations that `place` maps to a position.
    fn crews(&self, name: &str, place: impl Fn(usize, usize) -> Option<usize>) -> Line {
        let points = self.measured.iter().filter_map(|one| match one.sort {
            Sort::Crew { processes, threads } => {
                Some((place(processes, threads)? as f64, one.row.megabytes_per_second()))
            }
            _ => None,
        });
        Line { name: name.into(), points: points.collect(), is_simulated: false }
    }

    fn matrix(&self) -> Vec<Line> {
        let numbers = super::numbers(self.processors).into_iter();
        let line = |wanted| {
            let name = format!("{wanted} process{}", if wanted == 1 { "" } else { "es" });
            self.crews(&name, |processes, threads| (processes == wanted).then_some(threads))
        };
        numbers.map(line).collect()
    }

    fn by_processors(&self) -> Vec<Line> {
        let one = self.measured.iter().find(|one| is_crew_of(one.sort, 1));
        let Some(one) = one.map(|one| one.row.records_per_second()) else { return Vec::new() };
        let measured = self.measured.iter().filter_map(|of| match of.sort {
            Sort::Crew { processes: 1, threads } if threads <= self.processors => {
                Some((threads as f64, of.row.records_per_second() / one))
            }
            _ => None,
        });
        let simulated = self.simulated.iter().filter(|of| is_crew_of(of.sort, of.processors));
        let simulated = simulated.map(|of| (of.processors as f64, of.records_per_second / one));
        vec![
            Line { name: "measured".into(), points: measured.collect(), is_simulated: false },
            Line { name: "simulated".into(), points: simulated.collect(), is_simulated: true },
        ]
    }

    fn by_groups(&self) -> Vec<Line> {
        let place = |sort| match sort {
            Sort::Groups(number) => Some(number as f64),
            _ => None,
        };
        let measured = self
            .measured
            .iter()
            .filter_map(|one| Some((place(one.sort)?, one.row.records_per_second())));
        let name = format!("measured, {} processors", self.processors);
        let mut all = vec![over_last(name, measured.collect(), false)];
        let mut machines: Vec<usize> = self.simulated.iter().map(|of| of.processors).collect();
        machines.sort_unstable();
        machines.dedup();
        for processors in machines {
            let of = self.simulated.iter().filter(|of| of.processors == processors);
            let points: Vec<_> =
                of.filter_map(|of| Some((place(of.sort)?, of.records_per_second))).collect();
            if !points.is_empty() {
                all.push(over_last(format!("simulated, {processors} processors"), points, true));
            }
        }
        all
    }
}

fn is_crew_of(sort: Sort, wanted: usize) -> bool {
    matches!(sort, Sort::Crew { processes: 1, threads } if threads == wanted)
}

/// Scales the line to its last point.
fn over_last(name: String, points: Vec<(f64, f64)>, is_simulated: bool) -> Line {
    let last = points.last().map_or(1.0, |(_, last)| *last);
    let points = points.into_iter().map(|(place, speed)| (place, speed / last)).collect();
    Line { name, points, is_simulated }
}

/// Returns the range from 0 to a little above the maximum.
fn range(figures: impl Iterator<Item = f64>, more: f64) -> Range<f64> {
    0.0..figures.fold(0.0, f64::max).max(1.0) * more
}

fn lines(area: &Area<'_>, caption: &str, below: &str, all: &[Line]) -> Drawn {
    let points = || all.iter().flat_map(|line| line.points.iter().copied());
    let mut chart = ChartBuilder::on(area)
        .caption(caption, (FONT, 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(
            range(points().map(|(x, _)| x), 1.1),
            range(points().map(|(_, y)| y), 1.6),
        )?;
    let mesh = &mut chart.configure_mesh();
    mesh.disable_x_mesh().light_line_style(TRANSPARENT).x_desc(below);
    mesh.x_label_formatter(&|x: &f64| match (x - x.round()).abs() < 0.01 {
        true => format!("{x:.0}"),
        false => String::new(),
    });
    mesh.draw()?;
    for (line, colour) in all.iter().zip(COLOURS.iter().cycle().copied()) {
        draw_line(&mut chart, line, colour)?;
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).border_style(BLACK.mix(0.3));
    Ok(legend.background_style(WHITE).label_font((FONT, 13)).draw()?)
}

fn draw_line(chart: &mut Chart<'_>, line: &Line, colour: RGBColor) -> Drawn {
    let style = if line.is_simulated { ShapeStyle::from(colour) } else { colour.filled() };
    if !line.is_simulated {
        chart.draw_series(LineSeries::new(line.points.clone(), &colour))?;
    }
    chart
        .draw_series(line.points.iter().map(|point| Circle::new(*point, 4, style)))?
        .label(line.name.clone())
        .legend(move |(x, y)| Circle::new((x + 8, y), 4, style));
    Ok(())
}
