//! One axis of a plot: the positions of values and tick marks.

/// An axis from a lowest to a highest value, linear or logarithmic.
pub struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

/// A tick mark on an axis.
pub struct Mark {
    /// The value at the mark.
    pub value: f64,
    /// The text at the mark; `None` for a minor mark.
    pub label: Option<String>,
}

impl Axis {
    /// A linear axis from zero.
    pub fn linear(high: f64) -> Axis {
        Axis {
            low: 0.0,
            high: high.max(1.0),
            log: false,
        }
    }

    /// A logarithmic axis from a power of ten at or below the lowest value to the highest.
    pub fn log(low: f64, high: f64) -> Axis {
        let low = 10f64.powf(low.max(1e-3).log10().floor());
        Axis {
            low,
            high: high.max(low * 2.0),
            log: true,
        }
    }

    /// The position of a value, from 0 to 1 along the axis.
    pub fn at(&self, value: f64) -> f64 {
        let position = match self.log {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        position.clamp(0.0, 1.0)
    }

    /// The marks that are not above `most`.
    pub fn marks(&self, most: f64) -> Vec<Mark> {
        let mut marks = Vec::new();
        if self.log {
            let mut power = self.low;
            while power <= self.high {
                let label = |times: u32| (times == 1).then(|| short(power));
                marks.extend((1..10).map(|times| Mark {
                    value: power * f64::from(times),
                    label: label(times),
                }));
                power *= 10.0;
            }
        } else {
            let step = step(self.high / 6.0);
            let count = (self.high / step).floor() as usize;
            marks.extend((0..=count).map(|index| Mark {
                value: index as f64 * step,
                label: Some(short(index as f64 * step)),
            }));
        }
        marks.retain(|mark| mark.value <= most.min(self.high) * 1.000_001);
        marks
    }
}

/// The smallest 1, 2 or 5 times a power of ten that is at least 1 and at least `wanted`.
fn step(wanted: f64) -> f64 {
    let power = 10f64.powf(wanted.max(1.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    steps
        .into_iter()
        .find(|step| *step >= wanted)
        .unwrap_or(power)
}

/// The number with at most three decimals, without trailing zeros.
pub fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        let marks = axis.marks(f64::MAX).into_iter();
        marks.filter_map(|mark| mark.label).collect()
    }

    #[test]
    fn marks_are_round_numbers_and_positions_are_between_0_and_1() {
        assert_eq!(
            labels(&Axis::log(0.004, 7.0)),
            ["0.001", "0.01", "0.1", "1"]
        );
        assert_eq!(labels(&Axis::log(0.2, 10.0)), ["0.1", "1", "10"]);
        assert_eq!(Axis::log(0.2, 60.0).marks(2.0).len(), 9 + 2);
        assert_eq!(
            labels(&Axis::linear(200.0)),
            ["0", "50", "100", "150", "200"]
        );
        assert_eq!(labels(&Axis::linear(3.0)), ["0", "1", "2", "3"]);
        let axis = Axis::log(0.01, 1.0);
        assert_eq!(
            (axis.at(0.01), axis.at(1.0), axis.at(0.0), axis.at(9.0)),
            (0.0, 1.0, 0.0, 1.0)
        );
        assert!((axis.at(0.1) - 0.5).abs() < 1e-9);
    }
}
