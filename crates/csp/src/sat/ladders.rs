//! Ladders: numbers in unary. A *ladder* is a list of ascending values with a literal "at least
//! this much" for each. Variables, literals, functions of a variable and partial sums all are
//! ladders. Here they are made, added, and compared with a bound in a tree (a totalizer for 0/1
//! terms; Bailleux and Boufkhad 2003).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::encoder::Encoder;
use super::linear::{Sum, Term};
use super::solver::{Clauses, Lit};
use super::views::Int;

/// Ascending values from 0, each with the literal "at least this much"; the first literal is true.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub(super) values: Vec<i64>,
    pub(super) at_least: Vec<Lit>,
}

/// The last summand, of which only some literals are needed.
pub(super) enum Last {
    Ladder(Ladder),
    Var(i64, Int),
}

impl Ladder {
    fn truth(weight: i64, literal: Lit) -> Self {
        Self {
            values: vec![0, weight],
            at_least: vec![Lit::TRUE, literal],
        }
    }

    /// The literal "at least `amount`", for any amount.
    fn reaches(&self, amount: i64) -> Lit {
        let place = self.values.partition_point(|&v| v < amount);
        self.at_least.get(place).copied().unwrap_or(Lit::FALSE)
    }

    pub(super) fn most(&self) -> i64 {
        self.values[self.values.len() - 1]
    }

    /// The ladder of `most - value`.
    pub(super) fn mirrored(&self) -> Self {
        let most = self.most();
        let steps = self.at_least[1..].iter().rev().map(|&l| !l);
        Self {
            values: self.values.iter().rev().map(|v| most - v).collect(),
            at_least: [Lit::TRUE].into_iter().chain(steps).collect(),
        }
    }
}

impl Encoder<dyn Clauses> {
    /// The ladder of a term, with new literals where needed.
    pub(super) fn ladder(&mut self, term: &Term) -> Ladder {
        let values = self.amounts(term);
        match term {
            Term::Truth(weight, literal) => Ladder::truth(*weight, *literal),
            Term::Var(weight, x) => {
                self.make_order(*x);
                let last = Last::Var(*weight, *x);
                let at_least = values
                    .iter()
                    .map(|&v| self.last_reaches(&last, v))
                    .collect();
                Ladder { values, at_least }
            }
            Term::Function(x, table) => {
                let steps = values[1..]
                    .iter()
                    .map(|&v| self.function_reaches(*x, table, v));
                let steps: Vec<Lit> = steps.collect();
                for pair in steps.windows(2) {
                    self.clause(&[pair[0], !pair[1]]);
                }
                let at_least = [Lit::TRUE].into_iter().chain(steps).collect();
                Ladder { values, at_least }
            }
        }
    }

    /// The literal "the function of the variable is at least `amount`".
    fn function_reaches(&mut self, x: Int, table: &BTreeMap<i32, i64>, amount: i64) -> Lit {
        let side: Vec<(i32, bool)> = table.iter().map(|(&v, &a)| (v, a >= amount)).collect();
        let changes: Vec<usize> = (1..side.len())
            .filter(|&i| side[i].1 != side[i - 1].1)
            .collect();
        let yes: Vec<i32> = side.iter().filter(|s| s.1).map(|s| s.0).collect();
        let no: Vec<i32> = side.iter().filter(|s| !s.1).map(|s| s.0).collect();
        match (&changes[..], &yes[..], &no[..]) {
            (_, [one], _) => self.is(x, *one),
            (_, _, [one]) => !self.is(x, *one),
            ([turn], _, _) if side[0].1 => self.at_most(x, side[turn - 1].0),
            ([turn], _, _) => !self.at_most(x, side[turn - 1].0),
            _ => {
                let literal = self.fresh();
                let (yes, no): (Vec<Lit>, Vec<Lit>) = (
                    yes.iter().map(|&v| self.is(x, v)).collect(),
                    no.iter().map(|&v| self.is(x, v)).collect(),
                );
                yes.iter().for_each(|&l| self.clause(&[!l, literal]));
                no.iter().for_each(|&l| self.clause(&[!l, !literal]));
                self.clause(&[&yes[..], &[!literal]].concat());
                self.clause(&[&no[..], &[literal]].concat());
                literal
            }
        }
    }

    /// The literal "the last summand is at least `amount`".
    pub(super) fn last_reaches(&mut self, last: &Last, amount: i64) -> Lit {
        match last {
            Last::Ladder(ladder) => ladder.reaches(amount),
            Last::Var(weight, x) => {
                let domain = self.domain(*x);
                let (low, high) = (i64::from(domain.min()), i64::from(domain.max()));
                // weight * (x - low) >= amount, or |weight| * (high - x) >= amount.
                let steps = amount.div_euclid(weight.abs())
                    + i64::from(amount.rem_euclid(weight.abs()) != 0);
                match *weight > 0 {
                    true => !self.at_most_wide(*x, low + steps - 1),
                    false => self.at_most_wide(*x, high - steps),
                }
            }
        }
    }

    /// The literal "the term is at least `amount`".
    pub(super) fn reaches(&mut self, term: &Term, amount: i64) -> Lit {
        match term {
            Term::Truth(_, literal) => *literal,
            Term::Var(weight, x) => self.last_reaches(&Last::Var(*weight, *x), amount),
            Term::Function(x, table) => self.function_reaches(*x, table, amount),
        }
    }

    /// Adds the two smallest ladders until at most two are left besides the last summand, and
    /// compares these three with the bounds.
    pub(super) fn tree(&mut self, when: Lit, ladders: Vec<Ladder>, last: Last, sum: &Sum) {
        let last_most = match &last {
            Last::Ladder(ladder) => ladder.most(),
            Last::Var(weight, x) => self.most(&Term::Var(*weight, *x)),
        };
        let mut total: i64 = ladders.iter().map(Ladder::most).sum::<i64>() + last_most;
        let sizes = ladders
            .iter()
            .enumerate()
            .map(|(i, l)| Reverse((l.values.len(), i)));
        let mut queue: BinaryHeap<Reverse<(usize, usize)>> = sizes.collect();
        let mut ladders: Vec<Option<Ladder>> = ladders.into_iter().map(Some).collect();
        let take = |queue: &mut BinaryHeap<_>, ladders: &mut Vec<Option<Ladder>>| {
            let Reverse((_, i)): Reverse<(usize, usize)> = queue.pop()?;
            ladders[i].take()
        };
        while queue.len() > 2 {
            let a = take(&mut queue, &mut ladders).expect("more than two");
            let b = take(&mut queue, &mut ladders).expect("more than two");
            let rest = total - a.most() - b.most();
            let added = self.add(when, &a, &b, rest, sum);
            total = rest + added.most();
            queue.push(Reverse((added.values.len(), ladders.len())));
            ladders.push(Some(added));
        }
        let zero = Ladder {
            values: vec![0],
            at_least: vec![Lit::TRUE],
        };
        let a = take(&mut queue, &mut ladders).unwrap_or_else(|| zero.clone());
        let b = take(&mut queue, &mut ladders).unwrap_or(zero);
        if let Some(k) = sum.at_most {
            for (i, &x) in a.values.iter().enumerate() {
                let mut before = None;
                for (j, &y) in b.values.iter().enumerate() {
                    let reach = self.last_reaches(&last, k - x - y + 1);
                    // The same literal as in the previous step: that clause subsumes this one.
                    if before != Some(reach) {
                        self.imply(when, &[!a.at_least[i], !b.at_least[j], !reach]);
                    }
                    before = Some(reach);
                    if reach == Lit::TRUE {
                        break;
                    }
                }
            }
        }
        if let Some(k) = sum.at_least {
            // The literal "the value exceeds step i".
            let exceeds =
                |l: &Ladder, i: usize| l.at_least.get(i + 1).copied().unwrap_or(Lit::FALSE);
            for (i, &x) in a.values.iter().enumerate().rev() {
                let mut before = None;
                for (j, &y) in b.values.iter().enumerate().rev() {
                    let reach = self.last_reaches(&last, k - x - y);
                    if before != Some(reach) {
                        self.imply(when, &[exceeds(&a, i), exceeds(&b, j), reach]);
                    }
                    before = Some(reach);
                    if reach == Lit::FALSE {
                        break;
                    }
                }
            }
        }
    }

    /// The sum of two ladders. Values that violate a bound whatever the rest is are forbidden here.
    fn add(&mut self, when: Lit, a: &Ladder, b: &Ladder, rest: i64, sum: &Sum) -> Ladder {
        let values = added(&a.values, &b.values, rest, sum);
        let mut at_least = vec![Lit::TRUE];
        for _ in &values[1..] {
            let literal = self.fresh();
            if at_least.len() > 1 {
                self.clause(&[!literal, at_least[at_least.len() - 1]]);
            }
            at_least.push(literal);
        }
        let result = Ladder { values, at_least };
        let place = |v: i64| result.values.partition_point(|&w| w < v);
        if let Some(k) = sum.at_most {
            for (i, &x) in a.values.iter().enumerate() {
                for (j, &y) in b.values.iter().enumerate() {
                    let (one, other) = (a.at_least[i], b.at_least[j]);
                    if x + y > k {
                        self.imply(when, &[!one, !other]);
                        break;
                    }
                    if let Some(&reached) = result.at_least.get(place(x + y)) {
                        self.clause(&[!one, !other, reached]);
                    }
                }
            }
        }
        if let Some(k) = sum.at_least {
            // The literal "the value exceeds step i".
            let exceeds =
                |l: &Ladder, i: usize| l.at_least.get(i + 1).copied().unwrap_or(Lit::FALSE);
            for (i, &x) in a.values.iter().enumerate().rev() {
                for (j, &y) in b.values.iter().enumerate().rev() {
                    let (one, other) = (exceeds(a, i), exceeds(b, j));
                    if x + y + rest < k {
                        self.imply(when, &[one, other]);
                        break;
                    }
                    let above = place(x + y + 1);
                    let next = result.at_least.get(above).copied().unwrap_or(Lit::FALSE);
                    self.clause(&[one, other, !next]);
                }
            }
        }
        result
    }
}

/// The values of the sum of two ladders that violate no bound; the least of them represents all
/// smaller ones.
fn added(a: &[i64], b: &[i64], rest: i64, sum: &Sum) -> Vec<i64> {
    let fits = |v: &i64| {
        sum.at_most.is_none_or(|k| *v <= k) && sum.at_least.is_none_or(|k| *v + rest >= k)
    };
    let mut values: Vec<i64> = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| x + y))
        .filter(fits)
        .collect();
    values.sort_unstable();
    values.dedup();
    match values.is_empty() {
        true => vec![0],
        false => values,
    }
}

/// An estimate of the clauses of the tree.
pub(super) fn tree_cost(sizes: &[Vec<i64>], last_most: i64, last_steps: u64, sum: &Sum) -> u64 {
    let sides = u64::from(sum.at_least.is_some()) + u64::from(sum.at_most.is_some());
    let mut total: i64 = sizes.iter().map(|l| l[l.len() - 1]).sum::<i64>() + last_most;
    let mut queue: BinaryHeap<Reverse<(usize, usize)>> = sizes
        .iter()
        .enumerate()
        .map(|(i, l)| Reverse((l.len(), i)))
        .collect();
    let mut made: Vec<Vec<i64>> = sizes.to_vec();
    let mut cost = 0u64;
    while queue.len() > 2 {
        let (Some(Reverse((_, i))), Some(Reverse((_, j)))) = (queue.pop(), queue.pop()) else {
            break;
        };
        let pairs = (made[i].len() * made[j].len()) as u64;
        if pairs > 1 << 20 {
            return u64::MAX;
        }
        let rest = total - made[i][made[i].len() - 1] - made[j][made[j].len() - 1];
        let values = added(&made[i], &made[j], rest, sum);
        total = rest + values[values.len() - 1];
        cost += pairs * sides + values.len() as u64;
        if cost > 1 << 22 {
            return u64::MAX;
        }
        queue.push(Reverse((values.len(), made.len())));
        made.push(values);
    }
    let left: u64 = queue.iter().map(|Reverse((len, _))| *len as u64).product();
    cost.saturating_add(left.saturating_mul(sides))
        .saturating_add(last_steps)
}
