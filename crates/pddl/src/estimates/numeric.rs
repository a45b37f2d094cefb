//! Comparisons of numbers as literals of the relaxed task.
//!
//! A comparison of `left` with `right` depends on the difference `left - right`. An operator that may
//! move the difference in the right direction counts as reaching the literal, as if one application
//! were enough. In addition, the difference has to move a certain way, and each unit of it costs at
//! least what it does by the operator that is cheapest per unit: that is a lower bound on the cost at
//! which the literal is reached (as the repetitions of Scala, Haslum, Thiébaux and Ramirez 2016). Both
//! are admissible.
//!
//! The amounts are known where the difference is linear and operators increase or decrease numbers by
//! constants. Otherwise an operator counts as moving it any way at once.

use crate::circuit::*;
use crate::lifted::{Arithmetic, Change, Comparison};
use crate::task::{Operator, Task};

/// All comparisons of a task.
#[derive(Default)]
pub(super) struct Comparisons {
    all: Vec<Numeric>,
    /// The number of words of a packed state before the numbers.
    fact_words: usize,
}

/// A comparison.
struct Numeric {
    node: NodeId,
    how: Comparison,
    left: Number,
    right: Number,
    /// The coefficient of each number in the difference; `None`: it is not linear.
    linear: Option<Vec<(NumberId, f64)>>,
    /// The numbers that it reads.
    reads: Vec<NumberId>,
    /// The least cost at which operators raise the difference by one, and lower it by one.
    per_unit: [f64; 2],
}

/// How far an operator may move a difference, up and down; infinite where that is not known.
#[derive(Clone, Copy)]
struct Reach {
    up: f64,
    down: f64,
}

impl Comparisons {
    /// Finds the comparisons in the formulas of a task.
    pub fn new(task: &Task) -> Self {
        let mut all = Vec::new();
        for (node, formula) in task.circuit.nodes() {
            let Node::Compare(how, left, right) = formula else {
                continue;
            };
            let mut reads = Vec::new();
            numbers_of(left, &mut reads);
            numbers_of(right, &mut reads);
            reads.sort_unstable();
            reads.dedup();
            let mut coefficients = vec![0.0; reads.len()];
            let linear = add_linear(left, 1.0, &reads, &mut coefficients)
                && add_linear(right, -1.0, &reads, &mut coefficients);
            let mut numeric = Numeric {
                node,
                how: *how,
                left: (**left).clone(),
                right: (**right).clone(),
                linear: linear.then(|| reads.iter().copied().zip(coefficients).collect()),
                reads,
                per_unit: [f64::INFINITY; 2],
            };
            for operator in &task.operators {
                let reach = numeric.reach(operator);
                let cost = f64::from(operator.unconditional_cost());
                for (per_unit, way) in numeric.per_unit.iter_mut().zip([reach.up, reach.down]) {
                    if way > 0.0 {
                        *per_unit = per_unit.min(cost / way);
                    }
                }
            }
            all.push(numeric);
        }
        Self {
            all,
            fact_words: task.fact_words(),
        }
    }

    /// The number of comparisons.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The nodes of the comparisons, in order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.all.iter().map(|numeric| numeric.node)
    }

    /// The comparisons that an operator may make true, and those that it may make false, each with
    /// its sign.
    pub fn changed_by(&self, operator: &Operator) -> Vec<(usize, bool)> {
        if operator.changes.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (at, numeric) in self.all.iter().enumerate() {
            let reach = numeric.reach(operator);
            for positive in [true, false] {
                let [up, down] = numeric.useful(positive);
                if up && reach.up > 0.0 || down && reach.down > 0.0 {
                    found.push((at, positive));
                }
            }
        }
        found
    }

    /// Whether each comparison holds in a state, given as its packed words.
    pub fn values(&self, words: &[u64]) -> impl Iterator<Item = bool> {
        let numbers = self.numbers(words);
        self.all.iter().map(move |numeric| {
            let (left, right) = (numeric.left.value(&numbers), numeric.right.value(&numbers));
            compare(numeric.how, left, right)
        })
    }

    /// For each comparison that it holds, and that it does not: the least cost at which it can
    /// come about, from a state given as its packed words.
    pub fn floors(&self, words: &[u64], floors: &mut Vec<u32>) {
        floors.clear();
        if self.all.is_empty() {
            return;
        }
        let numbers = self.numbers(words);
        for numeric in &self.all {
            let difference = numeric.left.value(&numbers) - numeric.right.value(&numbers);
            floors.extend([true, false].map(|positive| {
                let [up, down] = numeric.useful(positive);
                // A difference that is not defined, or that may move either way: nothing is known.
                let (per_unit, way) = match (difference < 0.0, difference > 0.0) {
                    (true, _) if up => (numeric.per_unit[0], -difference),
                    (_, true) if down => (numeric.per_unit[1], difference),
                    _ => return 0,
                };
                // Rounding must not make the bound too high.
                let cost = (way * per_unit * (1.0 - 1e-9) - 1e-6).ceil();
                if cost.is_finite() {
                    cost.max(0.0) as u32
                } else {
                    0
                }
            }));
        }
    }

    fn numbers(&self, words: &[u64]) -> Vec<f64> {
        let numbers = words.get(self.fact_words..).unwrap_or_default().iter();
        numbers.map(|&bits| f64::from_bits(bits)).collect()
    }
}

impl Numeric {
    /// Whether raising the difference may make the comparison true (or false, if not `positive`), and
    /// whether lowering it may.
    fn useful(&self, positive: bool) -> [bool; 2] {
        match (self.how, positive) {
            (Comparison::Equal, _) => [true, true],
            (Comparison::GreaterEqual | Comparison::Greater, true)
            | (Comparison::LessEqual | Comparison::Less, false) => [true, false],
            _ => [false, true],
        }
    }

    fn reach(&self, operator: &Operator) -> Reach {
        const ANY: Reach = Reach {
            up: f64::INFINITY,
            down: f64::INFINITY,
        };
        let mut reach = Reach { up: 0.0, down: 0.0 };
        let mut magnitude = 0.0;
        for change in &operator.changes {
            if self.reads.binary_search(&change.target).is_err() {
                continue;
            }
            let Some(linear) = &self.linear else {
                return ANY;
            };
            let (Number::Constant(by), Change::Increase | Change::Decrease) =
                (&change.by, change.how)
            else {
                return ANY;
            };
            let coefficient = linear.iter().find(|(id, _)| *id == change.target);
            let coefficient = coefficient.map_or(0.0, |(_, coefficient)| *coefficient);
            let sign = if change.how == Change::Increase {
                1.0
            } else {
                -1.0
            };
            let moved = sign * coefficient * f64::from_bits(*by);
            if !moved.is_finite() {
                return ANY;
            }
            magnitude += moved.abs();
            // A change under a condition may not happen; one without may cancel another.
            let certain = change.condition == TRUE;
            reach.up += if certain { moved } else { moved.max(0.0) };
            reach.down -= if certain { moved } else { moved.min(0.0) };
        }
        // Where changes cancel each other, rounding decides.
        let cancelled = |way: f64| way.abs() < 1e-6 * magnitude;
        match cancelled(reach.up) || cancelled(reach.down) {
            true => ANY,
            false => reach,
        }
    }
}

fn numbers_of(number: &Number, found: &mut Vec<NumberId>) {
    match number {
        Number::Constant(_) => {}
        Number::Variable(id) => found.push(*id),
        Number::Binary(_, left, right) => {
            numbers_of(left, found);
            numbers_of(right, found);
        }
    }
}

/// Adds the coefficients of an expression, times a factor. False: it is not linear.
fn add_linear(number: &Number, factor: f64, ids: &[NumberId], sum: &mut [f64]) -> bool {
    match number {
        Number::Constant(_) => true,
        Number::Variable(id) => {
            let place = ids.binary_search(id).expect("its numbers were collected");
            sum[place] += factor;
            true
        }
        Number::Binary(how, left, right) => match (how, &**left, &**right) {
            (Arithmetic::Add, left, right) => {
                add_linear(left, factor, ids, sum) && add_linear(right, factor, ids, sum)
            }
            (Arithmetic::Subtract, left, right) => {
                add_linear(left, factor, ids, sum) && add_linear(right, -factor, ids, sum)
            }
            (Arithmetic::Multiply, Number::Constant(by), body)
            | (Arithmetic::Multiply, body, Number::Constant(by)) => {
                add_linear(body, factor * f64::from_bits(*by), ids, sum)
            }
            (Arithmetic::Divide, body, Number::Constant(by)) if f64::from_bits(*by) != 0.0 => {
                add_linear(body, factor / f64::from_bits(*by), ids, sum)
            }
            _ => false,
        },
    }
}
