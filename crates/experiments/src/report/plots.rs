//! The plots of a report as SVG: the cactus plot, and the scatter plot of two solvers. They are
//! written as text, without a library.

use std::fmt::Write;

use super::axis::{Axis, short};
use super::grid::escape;
use super::results::{Case, Results};
use super::tables::{pairs, solved_times};

/// Colours that are also distinct to colour-blind people (after Okabe and Ito).
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#8c6d1f",
];

/// The cactus plot: how many levels each solver solves within which time.
pub fn cactus(results: &Results) -> String {
    let solvers = results.solvers.iter();
    let mut curves: Vec<Curve> = solvers
        .map(|solver| Curve {
            solver,
            times: solved_times(results, solver),
        })
        .collect();
    // The legend lists solvers by solved levels, most first, then by the time of the last one.
    curves.sort_by(|a, b| {
        let last = |curve: &Curve| curve.times.last().copied().unwrap_or(f64::MAX);
        let more = b.times.len().cmp(&a.times.len());
        more.then(last(a).total_cmp(&last(b)))
    });
    let most = curves.first().map_or(0, |curve| curve.times.len());
    let limit = results.limit();
    let times = curves.iter().flat_map(|curve| &curve.times);
    let shortest = times.copied().fold(limit, f64::min);
    let frame = Frame {
        width: 560.0,
        height: 380.0,
        x: Axis::linear(most as f64),
        y: Axis::log(shortest, limit * 1.4),
        most: (most as f64, limit),
    };
    let longest = curves.iter().map(|curve| curve.solver.chars().count());
    let aside = 96.0 + longest.max().unwrap_or(0) as f64 * 7.0;
    let mut picture = frame.open(aside, curves.len(), "levels solved", "CPU seconds");
    let (_, top) = frame.position(0.0, limit);
    let _ = write!(
        picture,
        "<line x1=\"{LEFT}\" y1=\"{top:.1}\" x2=\"{}\" y2=\"{top:.1}\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n\
         <text x=\"{}\" y=\"{:.1}\" fill=\"#777\">limit: {} s</text>\n",
        LEFT + frame.width,
        LEFT + 8.0,
        top - 5.0,
        short(limit)
    );
    for (index, curve) in curves.iter().enumerate() {
        let counted = curve.times.iter().enumerate();
        let points: Vec<(f64, f64)> = counted
            .map(|(count, &time)| frame.position((count + 1) as f64, time))
            .collect();
        let path: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            picture,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"{}><title>{}: {} solved</title></polyline>",
            path.join(" "),
            COLOURS[index % COLOURS.len()],
            dash(index),
            escape(curve.solver),
            points.len()
        );
        // At most about twelve marks, counted from the last point: hundreds of marks would hide the
        // line.
        let every = points.len().div_ceil(12).max(1);
        for (x, y) in points.iter().rev().step_by(every) {
            let _ = writeln!(picture, "{}", mark(index, *x, *y));
        }
        let (x, y) = (LEFT + frame.width + 18.0, TOP + 10.0 + 20.0 * index as f64);
        let _ = write!(
            picture,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{}\" stroke-width=\"2\"{}/>\n{}\n\
             <text x=\"{}\" y=\"{}\">{} <tspan fill=\"#777\">{}</tspan></text>\n",
            x + 24.0,
            COLOURS[index % COLOURS.len()],
            dash(index),
            mark(index, x + 12.0, y),
            x + 32.0,
            y + 4.0,
            escape(curve.solver),
            points.len()
        );
    }
    picture + "</svg>\n"
}

/// The CPU seconds of a solver's solved levels, shortest first.
struct Curve<'a> {
    solver: &'a str,
    times: Vec<f64>,
}

/// The scatter plot: each level is a point. On the dashed diagonal both solvers take the same time,
/// on the dotted ones one takes ten times as long; the grey margins have the levels that a solver
/// did not solve.
pub fn scatter(results: &Results, one: &str, other: &str) -> String {
    let pairs = pairs(results, one, other);
    let limit = results.limit();
    let time = |case: &Case| {
        if case.solved() {
            case.cpu()
        } else {
            limit * 1.6
        }
    };
    let times = pairs.iter().flat_map(|(a, b)| [time(a), time(b)]);
    let shortest = times.fold(limit, f64::min);
    let axis = || Axis::log(shortest, limit * 2.6);
    let frame = Frame {
        width: 420.0,
        height: 420.0,
        x: axis(),
        y: axis(),
        most: (limit, limit),
    };
    let label = |name: &str| format!("{name}, CPU seconds");
    let mut picture = frame.open(24.0, 0, &label(one), &label(other));
    let (right, bottom) = (LEFT + frame.width, TOP + frame.height);
    let (x, y) = frame.position(limit, limit);
    let _ = write!(
        picture,
        "<path d=\"M{LEFT} {TOP}H{right}V{bottom}H{x:.1}V{y:.1}H{LEFT}Z\" fill=\"#000\" fill-opacity=\"0.05\"/>\n\
         <text x=\"{}\" y=\"{:.1}\" fill=\"#777\">not solved</text>\n\
         <text transform=\"translate({:.1} {}) rotate(-90)\" fill=\"#777\">not solved</text>\n",
        LEFT + 8.0,
        TOP + 14.0,
        right - 5.0,
        bottom - 8.0
    );
    for (times, dash) in [(1.0, "6 4"), (10.0, "2 4"), (0.1, "2 4")] {
        // From the left edge or the bottom to the limit of one of the two.
        let low = frame.lowest();
        let (from, to) = (
            frame.position(low.max(low / times), low.max(low * times)),
            frame.position(limit.min(limit / times), limit.min(limit * times)),
        );
        if limit.min(limit / times) > low {
            let _ = writeln!(
                picture,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#999\" stroke-dasharray=\"{dash}\"/>",
                from.0, from.1, to.0, to.1
            );
        }
    }
    for (a, b) in pairs {
        let (x, y) = frame.position(time(a), time(b));
        let title = escape(&format!(
            "{}: {} in {:.3} s, {} in {:.3} s",
            a.level,
            a.outcome(),
            a.cpu(),
            b.outcome(),
            b.cpu()
        ));
        let colour = if a.solved() && b.solved() {
            COLOURS[0]
        } else {
            COLOURS[1]
        };
        let _ = writeln!(
            picture,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.55\"><title>{title}</title></circle>"
        );
    }
    picture + "</svg>\n"
}

/// The margins of the plot in its picture, in pixels.
const LEFT: f64 = 70.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 56.0;

/// The area of the plot, in pixels, and its axes.
struct Frame {
    width: f64,
    height: f64,
    x: Axis,
    y: Axis,
    /// The highest values with a mark, of both axes.
    most: (f64, f64),
}

impl Frame {
    /// The position of a point, in pixels.
    fn position(&self, x: f64, y: f64) -> (f64, f64) {
        (
            LEFT + self.x.at(x) * self.width,
            TOP + self.height - self.y.at(y) * self.height,
        )
    }

    /// The lowest value of the vertical axis.
    fn lowest(&self) -> f64 {
        self.y
            .marks(f64::MAX)
            .first()
            .map_or(0.0, |mark| mark.value)
    }

    /// The opening tag, and the axes with their marks and names. `aside` is the width of the legend
    /// at the right, and `lines` the number of its lines.
    fn open(&self, aside: f64, lines: usize, x_name: &str, y_name: &str) -> String {
        let (right, bottom) = (LEFT + self.width, TOP + self.height);
        let (width, height) = (
            right + aside,
            (bottom + BOTTOM).max(TOP + 20.0 * lines as f64 + 20.0),
        );
        let mut picture = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             font-family=\"system-ui, Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let shade = |label: &Option<String>| match label {
            Some(_) => "#dcdcdc",
            None => "#f2f2f2",
        };
        for mark in self.x.marks(self.most.0) {
            let at = LEFT + self.x.at(mark.value) * self.width;
            let _ = writeln!(
                picture,
                "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"{}\"/>",
                shade(&mark.label)
            );
            if let Some(label) = mark.label {
                let under = bottom + 17.0;
                let _ = writeln!(
                    picture,
                    "<text x=\"{at:.1}\" y=\"{under:.1}\" text-anchor=\"middle\">{label}</text>"
                );
            }
        }
        for mark in self.y.marks(self.most.1) {
            let at = bottom - self.y.at(mark.value) * self.height;
            let _ = writeln!(
                picture,
                "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"{}\"/>",
                shade(&mark.label)
            );
            if let Some(label) = mark.label {
                let (left, at) = (LEFT - 8.0, at + 4.0);
                let _ = writeln!(
                    picture,
                    "<text x=\"{left:.1}\" y=\"{at:.1}\" text-anchor=\"end\">{label}</text>"
                );
            }
        }
        let _ = write!(
            picture,
            "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#555\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            LEFT + self.width / 2.0,
            bottom + 42.0,
            escape(x_name),
            TOP + self.height / 2.0,
            escape(y_name)
        );
        picture
    }
}

/// The dash pattern of a curve; it changes when the colours repeat.
fn dash(index: usize) -> &'static str {
    ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""][index / COLOURS.len() % 3]
}

/// The mark of a curve. Shapes repeat after three curves, colours after eight.
fn mark(index: usize, x: f64, y: f64) -> String {
    let colour = COLOURS[index % COLOURS.len()];
    match index % 3 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.4\" fill=\"{colour}\"/>"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\" fill=\"{colour}\"/>",
            x - 3.0,
            y - 3.0
        ),
        _ => {
            let (left, right, top, bottom) = (x - 3.8, x + 3.8, y - 4.0, y + 3.0);
            format!(
                "<polygon points=\"{left:.1},{bottom:.1} {right:.1},{bottom:.1} {x:.1},{top:.1}\" fill=\"{colour}\"/>"
            )
        }
    }
}
