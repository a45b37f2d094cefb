//! Bounds of a linear objective from single linear constraints, by Lagrangian relaxation.
//!
//! Of *maximise `Σ aᵢ xᵢ` subject to `Σ wᵢ xᵢ ≤ c`*, each factor `λ ≥ 0` gives the bound
//! `λc + Σ max (aᵢ - λwᵢ) xᵢ`, in which each `xᵢ` is at one end of its domain; the best one is that of
//! the linear relaxation (Dantzig 1957, for the knapsack). Where `xᵢ` is `d` away from that end, the bound
//! is smaller by `d |aᵢ - λwᵢ|`. So each distance of a variable from its end implies a bound of the
//! objective: a clause of two literals. When the objective is required to be near its bound, these
//! clauses fix most variables by unit propagation (variable fixing by reduced costs; Balas and Zemel
//! 1980). Solvers by clauses find none of this themselves, because their sums are propagated one by one.
//!
//! The clauses hold in every solution, so they may be added to any problem.

use std::collections::HashMap;

use ployglot_base::{Budget, Limit, Poll};

use crate::problem::{Comparison, Constraint, Goal, Literal, Objective, Problem, Quantity, VarId};

/// A variable with more values has clauses for so many steps away from its end.
const MOST_STEPS: i128 = 30;
/// The clauses of so many constraints are added, those with the least bounds.
const MOST_CONSTRAINTS: usize = 3;
/// Constraints with larger numbers are left out; products of these do not overflow.
const LARGEST: i64 = 1 << 24;

/// Adds what linear constraints imply about the objective. At a limit the problem is left unchanged.
pub fn relax(problem: &mut Problem, budget: &Budget) -> Result<(), Limit> {
    let clauses = budget.stoppable("relaxing", |poll| implied(problem, poll))?;
    for clause in clauses {
        // A bound shrinks the domain, unless there is no solution.
        if let [unit] = clause[..] {
            let domain = problem.domain(unit.variable()).intersect(&unit.values());
            if !domain.is_empty() {
                problem.variables[unit.variable().index()].domain = domain;
                problem.relaxed = true;
                continue;
            }
        }
        problem.post(Constraint::Clause(clause));
    }
    Ok(())
}

/// `Σ factor · quantity`, each quantity once.
type Sum = HashMap<Quantity, i64>;

/// The clauses that follow for the objective.
fn implied(problem: &Problem, poll: &Poll) -> Vec<Vec<Literal>> {
    let Some(objective) = problem.objective else {
        return Vec::new();
    };
    if problem.variables.iter().any(|var| var.domain.is_empty()) {
        return Vec::new();
    }
    let mut sums = Vec::new();
    let mut limits = Vec::new();
    for posted in problem
        .constraints
        .iter()
        .filter(|posted| posted.when.is_none())
    {
        let Constraint::Linear {
            terms,
            comparison,
            bound,
        } = &posted.constraint
        else {
            continue;
        };
        poll.steps(terms.len());
        let Some(sum) = collected(terms, *bound) else {
            continue;
        };
        if *comparison == Comparison::Equal
            && let Some(objective) = solved(&sum, *bound, objective)
        {
            sums.push(objective);
        }
        let negated = || -> Sum {
            sum.iter()
                .map(|(&quantity, &factor)| (quantity, -factor))
                .collect()
        };
        match comparison {
            Comparison::AtMost => limits.push((sum, *bound)),
            Comparison::AtLeast => limits.push((negated(), -*bound)),
            Comparison::Equal => {
                limits.push((negated(), -*bound));
                limits.push((sum, *bound));
            }
            Comparison::NotEqual => {}
        }
    }
    let mut all = Vec::new();
    for (sum, constant) in &sums {
        for (weights, limit) in &limits {
            // A constraint on other things says nothing, and one on the objective itself is its
            // definition.
            let about = |quantity: &Quantity| quantity_variable(quantity) == objective.value;
            if weights.keys().any(about) || !weights.keys().any(|of| sum.contains_key(of)) {
                continue;
            }
            poll.steps(weights.len() * 40);
            let weighed = (weights, *limit);
            all.extend(relaxed(problem, objective, (sum, *constant), weighed));
        }
    }
    // The tightest; the order of the constraints decides between equal ones.
    all.sort_by_key(|implied| implied.bound);
    let best = all.into_iter().take(MOST_CONSTRAINTS);
    best.flat_map(|implied| implied.clauses).collect()
}

fn quantity_variable(quantity: &Quantity) -> VarId {
    match quantity {
        Quantity::Var(x) => *x,
        Quantity::Truth(literal) => literal.variable(),
    }
}

/// The terms with each quantity once; `None` if a number is too large.
fn collected(terms: &[(i64, Quantity)], bound: i64) -> Option<Sum> {
    let mut sum = Sum::new();
    for &(factor, quantity) in terms {
        let total = sum.entry(quantity).or_insert(0);
        *total = total.checked_add(factor)?;
    }
    sum.retain(|_, factor| *factor != 0);
    let small = |number: i64| (-LARGEST..=LARGEST).contains(&number);
    (small(bound) && sum.values().all(|&factor| small(factor))).then_some(sum)
}

/// The sum that is to be maximised, plus a constant, if the equation defines the objective.
fn solved(sum: &Sum, bound: i64, objective: Objective) -> Option<(Sum, i64)> {
    let value = Quantity::Var(objective.value);
    let factor = *sum.get(&value)?;
    if factor.abs() != 1 {
        return None;
    }
    // factor · z + rest = bound, so z = factor · (bound - rest), and what is maximised is ± z.
    let sign = match objective.goal {
        Goal::Maximise => factor,
        Goal::Minimise => -factor,
    };
    let rest = sum.iter().filter(|(quantity, _)| **quantity != value);
    let rest = rest.map(|(&quantity, &factor)| (quantity, -sign * factor));
    Some((rest.collect(), sign * bound))
}

/// The least and the greatest value.
fn ends(problem: &Problem, quantity: Quantity) -> (i128, i128) {
    match quantity {
        Quantity::Var(x) => {
            let domain = problem.domain(x);
            (domain.min().into(), domain.max().into())
        }
        Quantity::Truth(literal) => match literal.known(problem.domain(literal.variable())) {
            Some(known) => (known.into(), known.into()),
            None => (0, 1),
        },
    }
}

/// A quantity in the relaxation.
struct Part {
    quantity: Quantity,
    value: i128,
    weight: i128,
    low: i128,
    high: i128,
}

impl Part {
    /// What one unit is worth beyond its weight, by a factor `over / under`; times `under`.
    fn reduced(&self, (over, under): (i128, i128)) -> i128 {
        under * self.value - over * self.weight
    }

    fn best(&self, factor: (i128, i128)) -> i128 {
        let reduced = self.reduced(factor);
        (reduced * self.low).max(reduced * self.high)
    }
}

/// What one constraint implies about the objective.
struct Implied {
    /// The objective, as something to maximise, is at most this.
    bound: i128,
    clauses: Vec<Vec<Literal>>,
}

/// What one constraint implies; `None` if it is nothing.
fn relaxed(
    problem: &Problem,
    objective: Objective,
    (sum, constant): (&Sum, i64),
    (weights, limit): (&Sum, i64),
) -> Option<Implied> {
    let mut quantities: Vec<Quantity> = sum.keys().chain(weights.keys()).copied().collect();
    quantities.sort_unstable_by_key(order);
    quantities.dedup();
    let part = |&quantity: &Quantity| {
        let (low, high) = ends(problem, quantity);
        let number = |of: &Sum| of.get(&quantity).map_or(0, |&number| i128::from(number));
        let (value, weight) = (number(sum), number(weights));
        Part {
            quantity,
            value,
            weight,
            low,
            high,
        }
    };
    let parts: Vec<Part> = quantities.iter().map(part).collect();
    // The bound as a multiple of `under`.
    let bound = |factor: (i128, i128)| {
        let fixed = factor.0 * i128::from(limit) + factor.1 * i128::from(constant);
        fixed + parts.iter().map(|part| part.best(factor)).sum::<i128>()
    };
    let factor = best_factor(&parts, &bound)?;
    let under = factor.1;
    let total = bound(factor);
    let (_, trivial) = objective_ends(problem, objective);
    // The objective, as something to maximise, is at most this.
    let within = |bound: i128| -> Option<Literal> {
        let bound = bound.div_euclid(under);
        let z = objective.value;
        (bound < trivial).then_some(())?;
        Some(match objective.goal {
            Goal::Maximise => Literal::AtMost(z, clamped(bound)),
            Goal::Minimise => Literal::AtLeast(z, clamped(-bound)),
        })
    };
    let mut clauses: Vec<Vec<Literal>> = within(total)
        .map(|at_most| vec![at_most])
        .into_iter()
        .collect();
    for part in &parts {
        let reduced = part.reduced(factor);
        let steps = (part.high - part.low).min(MOST_STEPS);
        if reduced == 0 {
            continue;
        }
        for step in 1..=steps {
            let Some(literal) = within(total - step * reduced.abs()) else {
                continue;
            };
            clauses.push(vec![near(part, reduced > 0, step), literal]);
        }
    }
    let bound = total.div_euclid(under);
    (!clauses.is_empty()).then_some(Implied { bound, clauses })
}

/// The factor with the least bound, among those at which the best end of a quantity changes, as a
/// fraction. The bound is convex in the factor.
fn best_factor(parts: &[Part], bound: &dyn Fn((i128, i128)) -> i128) -> Option<(i128, i128)> {
    let mut factors: Vec<(i128, i128)> = vec![(0, 1)];
    for part in parts
        .iter()
        .filter(|part| part.weight != 0 && part.low < part.high)
    {
        let sign = part.weight.signum();
        let (over, under) = (part.value * sign, part.weight * sign);
        if over > 0 {
            factors.push((over, under));
        }
    }
    // Without a positive factor the constraint adds nothing to the ends of the domains.
    (factors.len() > 1).then_some(())?;
    factors.sort_unstable_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    factors.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
    let less = |a: (i128, i128), b: (i128, i128)| bound(a) * b.1 < bound(b) * a.1;
    let (mut low, mut high) = (0, factors.len() - 1);
    while low < high {
        let middle = (low + high) / 2;
        match less(factors[middle + 1], factors[middle]) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    (low > 0).then_some(factors[low])
}

/// The quantity is less than so many steps away from its best end.
fn near(part: &Part, at_high: bool, step: i128) -> Literal {
    match (part.quantity, at_high) {
        (Quantity::Var(x), true) => Literal::AtLeast(x, clamped(part.high - step + 1)),
        (Quantity::Var(x), false) => Literal::AtMost(x, clamped(part.low + step - 1)),
        (Quantity::Truth(literal), true) => literal,
        (Quantity::Truth(literal), false) => !literal,
    }
}

/// The ends of what is maximised.
fn objective_ends(problem: &Problem, objective: Objective) -> (i128, i128) {
    let (low, high) = ends(problem, Quantity::Var(objective.value));
    match objective.goal {
        Goal::Maximise => (low, high),
        Goal::Minimise => (-high, -low),
    }
}

fn clamped(number: i128) -> i32 {
    number.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// An order of quantities that does not depend on a hash map.
fn order(quantity: &Quantity) -> (VarId, Option<Literal>) {
    match quantity {
        Quantity::Var(x) => (*x, None),
        Quantity::Truth(literal) => (literal.variable(), Some(*literal)),
    }
}
