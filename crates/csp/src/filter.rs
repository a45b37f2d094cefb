//! Values that no solution has, removed at the root before any solver sees them: each rule is looked at until nothing
//! changes. Bounds for sums, units for clauses, supports for elements and tables. A rule on a condition that cannot hold
//! makes the condition false.
//!
//! Domains only shrink, in place, and variables keep their numbers; so solutions of the filtered problem are solutions of
//! the original, and the judge needs no map between the two.
//!
//! For models of anybody. In sweeps over horizons it was tried and dropped: on the first horizon of the models of Plotting,
//! Puzznic and Lunar Lockout it finds nothing that unrolling has not found already.

use ployglot_base::{Budget, Limit, Progress};

use crate::domain::Domain;
use crate::problem::{Comparison, Constraint, Literal, Operand, Problem, Quantity, Rule, VarId};

/// A rule that wakes this often only moves bounds step by step; the solver does that better.
const WAKES: u32 = 60;
/// Tables and elements larger than this are looked at a few times only.
const LARGE: usize = 2000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// How many values are gone.
    Removed(u64),
    /// There is no solution.
    Contradiction,
}

/// Filters the domains by the rules. At a limit the problem is as it was.
pub fn filter(problem: &mut Problem, budget: &Budget) -> Result<Filtered, Limit> {
    let mut filter = Filter::new(problem);
    if filter.domains.iter().any(Domain::is_empty) {
        return Ok(Filtered::Contradiction);
    }
    match filter.run(&problem.rules, budget)? {
        Ok(()) => Ok(filter.keep(problem)),
        Err(Empty) => Ok(Filtered::Contradiction),
    }
}

/// A domain became empty.
pub(crate) struct Empty;

pub(crate) struct Filter {
    pub domains: Vec<Domain>,
    /// The domains as they were, where somebody wants them back.
    pub trail: Option<Vec<(VarId, Domain)>>,
    /// How many rules were looked at.
    pub steps: u64,
    /// The rules of each variable, one variable after the other.
    rules_of: Vec<u32>,
    starts: Vec<usize>,
    queue: Vec<u32>,
    queued: Vec<bool>,
    /// How often each rule may still wake.
    wakes: Vec<u32>,
}

impl Filter {
    /// Looks at rules until nothing changes.
    pub fn run(&mut self, rules: &[Rule], budget: &Budget) -> Result<Result<(), Empty>, Limit> {
        while let Some(i) = self.queue.pop() {
            self.steps += 1;
            if self.steps.is_multiple_of(1024) {
                budget.check(|| Progress {
                    phase: "filtering",
                    expanded: self.steps,
                    ..Progress::default()
                })?;
            }
            self.queued[i as usize] = false;
            if let Err(empty) = self.revise(&rules[i as usize]) {
                while let Some(i) = self.queue.pop() {
                    self.queued[i as usize] = false;
                }
                return Ok(Err(empty));
            }
        }
        Ok(Ok(()))
    }

    /// Takes the domains over into the problem.
    pub fn keep(self, problem: &mut Problem) -> Filtered {
        let count = |domains: &[Domain]| domains.iter().map(Domain::len).sum::<u64>();
        let after = count(&self.domains);
        let variables = problem.variables.iter_mut().zip(self.domains);
        let before: u64 = variables
            .map(|(variable, domain)| std::mem::replace(&mut variable.domain, domain).len())
            .sum();
        Filtered::Removed(before - after)
    }

    pub fn new(problem: &Problem) -> Self {
        let mut starts = vec![0usize; problem.variables.len() + 1];
        for rule in &problem.rules {
            rule.variables(&mut |x| starts[x.index() + 1] += 1);
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut rules_of = vec![0u32; starts[problem.variables.len()]];
        for (i, rule) in problem.rules.iter().enumerate() {
            rule.variables(&mut |x| {
                rules_of[next[x.index()]] = i as u32;
                next[x.index()] += 1;
            });
        }
        let count = problem.rules.len();
        let wakes = |rule: &Rule| match &rule.constraint {
            Constraint::Table { rows, .. } if rows.len() > LARGE => 3,
            Constraint::Element { items, .. } if items.len() > LARGE => 3,
            _ => WAKES,
        };
        Self {
            domains: problem.variables.iter().map(|x| x.domain.clone()).collect(),
            trail: None,
            steps: 0,
            rules_of,
            starts,
            queue: (0..count as u32).rev().collect(),
            queued: vec![true; count],
            wakes: problem.rules.iter().map(wakes).collect(),
        }
    }

    fn domain(&self, operand: Operand) -> Domain {
        match operand {
            Operand::Number(number) => Domain::constant(number),
            Operand::Var(x) => self.domains[x.index()].clone(),
        }
    }

    fn restrict(&mut self, x: VarId, to: &Domain) -> Result<(), Empty> {
        let domain = &self.domains[x.index()];
        let smaller = domain.intersect(to);
        if smaller == *domain {
            return Ok(());
        }
        if smaller.is_empty() {
            return Err(Empty);
        }
        let old = std::mem::replace(&mut self.domains[x.index()], smaller);
        if let Some(trail) = &mut self.trail {
            trail.push((x, old));
        }
        for place in self.starts[x.index()]..self.starts[x.index() + 1] {
            let rule = self.rules_of[place] as usize;
            if !self.queued[rule] && (self.trail.is_some() || self.wakes[rule] > 0) {
                self.wakes[rule] = self.wakes[rule].saturating_sub(1);
                self.queued[rule] = true;
                self.queue.push(rule as u32);
            }
        }
        Ok(())
    }

    fn restrict_operand(&mut self, operand: Operand, to: &Domain) -> Result<(), Empty> {
        match operand {
            Operand::Var(x) => self.restrict(x, to),
            Operand::Number(number) if to.contains(number) => Ok(()),
            Operand::Number(_) => Err(Empty),
        }
    }

    fn known(&self, literal: Literal) -> Option<bool> {
        literal.known(&self.domains[literal.variable().index()])
    }

    pub fn assert(&mut self, literal: Literal) -> Result<(), Empty> {
        let domain = &self.domains[literal.variable().index()];
        let to = match literal {
            Literal::Is(_, v) => Domain::constant(v),
            Literal::IsNot(_, v) => domain.minus(&Domain::constant(v)),
            Literal::AtLeast(_, v) => Domain::range(v, i32::MAX),
            Literal::AtMost(_, v) => Domain::range(i32::MIN, v),
        };
        self.restrict(literal.variable(), &to)
    }

    fn revise(&mut self, rule: &Rule) -> Result<(), Empty> {
        match rule.when.map(|when| (when, self.known(when))) {
            Some((_, Some(false))) => Ok(()),
            Some((when, None)) => match self.possible(&rule.constraint) {
                true => Ok(()),
                false => self.assert(!when),
            },
            Some((_, Some(true))) | None => self.enforce(&rule.constraint),
        }
    }

    /// Whether the constraint can hold, as far as is easily seen.
    fn possible(&self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Clause(literals) => literals.iter().any(|&l| self.known(l) != Some(false)),
            Constraint::Linear {
                terms,
                comparison,
                bound,
            } => {
                let (mut low, mut high) = (0i128, 0i128);
                for &(weight, quantity) in terms {
                    let (a, b) = self.reach(weight, quantity);
                    low += a;
                    high += b;
                }
                let bound = i128::from(*bound);
                match comparison {
                    Comparison::Equal => low <= bound && bound <= high,
                    Comparison::NotEqual => low != bound || high != bound,
                    Comparison::AtMost => low <= bound,
                    Comparison::AtLeast => high >= bound,
                }
            }
            Constraint::Table { columns, rows } if rows.len() <= LARGE => {
                let fits = |row: &Vec<i32>| {
                    columns.iter().zip(row).all(|(&o, &v)| match o {
                        Operand::Number(number) => number == v,
                        Operand::Var(x) => self.domains[x.index()].contains(v),
                    })
                };
                rows.iter().any(fits)
            }
            _ => true,
        }
    }

    /// The least and the most of a term.
    fn reach(&self, weight: i64, quantity: Quantity) -> (i128, i128) {
        let (low, high) = match quantity {
            Quantity::Var(x) => {
                let domain = &self.domains[x.index()];
                (i128::from(domain.min()), i128::from(domain.max()))
            }
            Quantity::Truth(literal) => match self.known(literal) {
                Some(known) => (i128::from(known), i128::from(known)),
                None => (0, 1),
            },
        };
        let weight = i128::from(weight);
        (
            weight * if weight > 0 { low } else { high },
            weight * if weight > 0 { high } else { low },
        )
    }

    fn enforce(&mut self, constraint: &Constraint) -> Result<(), Empty> {
        match constraint {
            Constraint::Clause(literals) => {
                let mut open = None;
                for &literal in literals {
                    match self.known(literal) {
                        Some(true) => return Ok(()),
                        Some(false) => {}
                        None if open.is_some_and(|other| other != literal) => return Ok(()),
                        None => open = Some(literal),
                    }
                }
                self.assert(open.ok_or(Empty)?)
            }
            Constraint::Linear {
                terms,
                comparison,
                bound,
            } => self.linear(terms, *comparison, i128::from(*bound)),
            Constraint::Element {
                items,
                first,
                index,
                result,
            } => {
                let last = i64::from(*first) + items.len() as i64 - 1;
                let last = last.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
                let (places, wanted) = (self.domain(*index), self.domain(*result));
                let inside = places.intersect(&Domain::range(*first, last));
                let item = |i: i32| items[(i64::from(i) - i64::from(*first)) as usize];
                let fits = |&i: &i32| !self.domain(item(i)).intersect(&wanted).is_empty();
                let places: Vec<i32> = inside.values().filter(fits).collect();
                let ranges: Vec<(i32, i32)> = places
                    .iter()
                    .flat_map(|&i| self.domain(item(i)).ranges().to_vec())
                    .collect();
                self.restrict_operand(*index, &Domain::from_values(places.iter().copied()))?;
                self.restrict_operand(*result, &Domain::from_ranges(ranges))?;
                match places[..] {
                    [only] => {
                        let wanted = self.domain(*result);
                        self.restrict_operand(item(only), &wanted)
                    }
                    _ => Ok(()),
                }
            }
            Constraint::Table { columns, rows } => {
                let domains: Vec<Domain> = columns.iter().map(|&o| self.domain(o)).collect();
                let fits = |row: &&Vec<i32>| domains.iter().zip(*row).all(|(d, &v)| d.contains(v));
                let rows: Vec<&Vec<i32>> = rows.iter().filter(fits).collect();
                for (i, &column) in columns.iter().enumerate() {
                    let values = Domain::from_values(rows.iter().map(|row| row[i]));
                    self.restrict_operand(column, &values)?;
                }
                Ok(())
            }
            Constraint::AllDifferent { items, except } => {
                for (i, &item) in items.iter().enumerate() {
                    let Some(v) = self.domain(item).fixed().filter(|v| Some(*v) != *except) else {
                        continue;
                    };
                    for (j, &other) in items.iter().enumerate() {
                        if i != j {
                            let rest = self.domain(other).minus(&Domain::constant(v));
                            self.restrict_operand(other, &rest)?;
                        }
                    }
                }
                Ok(())
            }
            Constraint::Count {
                items,
                value,
                count,
            } => {
                let domains = items.iter().map(|&o| self.domain(o));
                let (mut sure, mut maybe) = (0, 0);
                for domain in domains {
                    sure += i32::from(domain.fixed() == Some(*value));
                    maybe += i32::from(domain.contains(*value));
                }
                self.restrict_operand(*count, &Domain::range(sure, maybe))
            }
            Constraint::Minimum { items, result } => {
                let low = items
                    .iter()
                    .map(|&o| self.domain(o).min())
                    .min()
                    .ok_or(Empty)?;
                let high = items
                    .iter()
                    .map(|&o| self.domain(o).max())
                    .min()
                    .ok_or(Empty)?;
                self.restrict_operand(*result, &Domain::range(low, high))?;
                let least = Domain::range(self.domain(*result).min(), i32::MAX);
                items
                    .iter()
                    .try_for_each(|&o| self.restrict_operand(o, &least))
            }
            Constraint::Maximum { items, result } => {
                let low = items
                    .iter()
                    .map(|&o| self.domain(o).min())
                    .max()
                    .ok_or(Empty)?;
                let high = items
                    .iter()
                    .map(|&o| self.domain(o).max())
                    .max()
                    .ok_or(Empty)?;
                self.restrict_operand(*result, &Domain::range(low, high))?;
                let most = Domain::range(i32::MIN, self.domain(*result).max());
                items
                    .iter()
                    .try_for_each(|&o| self.restrict_operand(o, &most))
            }
            Constraint::Product { factors, result } => {
                let ends = |d: &Domain| [i64::from(d.min()), i64::from(d.max())];
                let (a, b) = (
                    ends(&self.domain(factors[0])),
                    ends(&self.domain(factors[1])),
                );
                let corners = a.into_iter().flat_map(|v| b.map(|w| v * w));
                let clip = |v: i64| v.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
                let (low, high) = (corners.clone().min(), corners.max());
                let range = Domain::range(clip(low.unwrap_or(0)), clip(high.unwrap_or(0)));
                self.restrict_operand(*result, &range)
            }
            Constraint::Absolute { result, .. } => {
                self.restrict_operand(*result, &Domain::range(0, i32::MAX))
            }
            Constraint::Quotient { divisor, .. } | Constraint::Remainder { divisor, .. } => {
                let rest = self.domain(*divisor).minus(&Domain::constant(0));
                self.restrict_operand(*divisor, &rest)
            }
            Constraint::Power { exponent, .. } => {
                self.restrict_operand(*exponent, &Domain::range(0, i32::MAX))
            }
            Constraint::NegativeTable { .. } => Ok(()),
        }
    }

    fn linear(
        &mut self,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i128,
    ) -> Result<(), Empty> {
        let reaches: Vec<(i128, i128)> = terms.iter().map(|&(w, q)| self.reach(w, q)).collect();
        let low: i128 = reaches.iter().map(|r| r.0).sum();
        let high: i128 = reaches.iter().map(|r| r.1).sum();
        if comparison == Comparison::NotEqual {
            let open: Vec<usize> = (0..terms.len())
                .filter(|&i| reaches[i].0 != reaches[i].1)
                .collect();
            return match open[..] {
                [] if low == bound => Err(Empty),
                [only] => {
                    let rest = bound - (low - reaches[only].0);
                    self.avoid(terms[only], rest)
                }
                _ => Ok(()),
            };
        }
        for (&(weight, quantity), &(least, most)) in terms.iter().zip(&reaches) {
            if weight == 0 {
                continue;
            }
            if comparison != Comparison::AtLeast {
                self.at_most(weight, quantity, bound - (low - least))?;
            }
            if comparison != Comparison::AtMost {
                self.at_most(-weight, quantity, (high - most) - bound)?;
            }
        }
        match comparison {
            Comparison::AtMost if low > bound => Err(Empty),
            Comparison::AtLeast if high < bound => Err(Empty),
            Comparison::Equal if low > bound || high < bound => Err(Empty),
            _ => Ok(()),
        }
    }

    /// `weight * quantity <= bound`.
    fn at_most(&mut self, weight: i64, quantity: Quantity, bound: i128) -> Result<(), Empty> {
        let weight = i128::from(weight);
        match quantity {
            Quantity::Var(x) => {
                let clip = |v: i128| v.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i32;
                let domain = &self.domains[x.index()];
                let (low, high) = (i128::from(domain.min()), i128::from(domain.max()));
                let to = match weight > 0 {
                    true => (low, high.min(bound.div_euclid(weight))),
                    // x >= bound / weight, rounded up; div_euclid by a negative number rounds up.
                    false => (low.max(bound.div_euclid(weight)), high),
                };
                match to.0 <= to.1 {
                    true => self.restrict(x, &Domain::range(clip(to.0), clip(to.1))),
                    false => Err(Empty),
                }
            }
            Quantity::Truth(literal) if self.known(literal).is_none() => {
                match (weight <= bound, 0 <= bound) {
                    (true, true) => Ok(()),
                    (true, false) => self.assert(literal),
                    (false, true) => self.assert(!literal),
                    (false, false) => Err(Empty),
                }
            }
            Quantity::Truth(_) => Ok(()),
        }
    }

    /// `weight * quantity` is not this much.
    fn avoid(&mut self, (weight, quantity): (i64, Quantity), amount: i128) -> Result<(), Empty> {
        let weight = i128::from(weight);
        match quantity {
            Quantity::Var(x) if weight != 0 && amount % weight == 0 => {
                match i32::try_from(amount / weight) {
                    Ok(v) => self.assert(Literal::IsNot(x, v)),
                    Err(_) => Ok(()),
                }
            }
            Quantity::Truth(literal) if amount == weight => self.assert(!literal),
            Quantity::Truth(literal) if amount == 0 => self.assert(literal),
            _ => Ok(()),
        }
    }
}
