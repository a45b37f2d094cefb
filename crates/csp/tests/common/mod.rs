//! Random problems with every kind of constraint, and their solutions by enumeration.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::ops::ControlFlow;

use ployglot_base::Random;
use ployglot_csp::check::check;
use ployglot_csp::{
    Backend, Comparison, Constraint, Domain, Enumerated, Goal, Literal, Objective, Operand,
    Optimum, Problem, Quantity, SolveResult, VarId, optimise,
};
use ployglot_testing::programs::budget;

/// The number of cases in `Generator::constraint`.
pub const KINDS: usize = 15;

/// Generates random parts of problems.
pub struct Generator {
    pub random: Random,
    /// The range of values.
    pub low: i32,
    pub high: i32,
}

impl Generator {
    pub fn small(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            low: -3,
            high: 5,
        }
    }

    pub fn number(&mut self) -> i32 {
        let width = (i64::from(self.high) - i64::from(self.low) + 1) as usize;
        (i64::from(self.low) + self.random.below(width) as i64) as i32
    }

    /// A few values, often 0 and 1, sometimes with holes.
    pub fn domain(&mut self) -> Domain {
        match self.random.below(4) {
            0 => Domain::bool(),
            1 => {
                let count = 1 + self.random.below(4);
                Domain::from_values((0..count).map(|_| self.number()))
            }
            _ => {
                let (a, b) = (self.number(), self.number());
                Domain::range(a.min(b), a.max(b).min(a.min(b) + 4))
            }
        }
    }

    pub fn variable(&mut self, problem: &Problem) -> VarId {
        VarId(self.random.below(problem.variables.len()) as u32)
    }

    pub fn operand(&mut self, problem: &Problem) -> Operand {
        match self.random.chance(1, 5) {
            true => Operand::Number(self.number()),
            false => Operand::Var(self.variable(problem)),
        }
    }

    pub fn operands(&mut self, problem: &Problem, most: usize) -> Vec<Operand> {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| self.operand(problem)).collect()
    }

    pub fn literal(&mut self, problem: &Problem) -> Literal {
        let (x, v) = (self.variable(problem), self.number());
        match self.random.below(4) {
            0 => Literal::Is(x, v),
            1 => Literal::IsNot(x, v),
            2 => Literal::AtLeast(x, v),
            _ => Literal::AtMost(x, v),
        }
    }

    fn weight(&mut self) -> i64 {
        match self.random.below(4) {
            0 => self.random.below(9) as i64 - 4,
            1 => -1,
            _ => 1,
        }
    }

    pub fn constraint(&mut self, problem: &Problem, kind: usize) -> Constraint {
        match kind {
            0 => {
                let count = 1 + self.random.below(4);
                Constraint::Clause((0..count).map(|_| self.literal(problem)).collect())
            }
            1..=3 => {
                let count = 1 + self.random.below(if kind == 3 { 9 } else { 5 });
                let quantity =
                    |generator: &mut Self| match kind == 3 || generator.random.chance(1, 3) {
                        true => Quantity::Truth(generator.literal(problem)),
                        false => Quantity::Var(generator.variable(problem)),
                    };
                let terms = (0..count)
                    .map(|_| (self.weight(), quantity(self)))
                    .collect();
                let comparison = *self.random.choose(&[
                    Comparison::Equal,
                    Comparison::NotEqual,
                    Comparison::AtMost,
                    Comparison::AtLeast,
                ]);
                Constraint::Linear {
                    terms,
                    comparison,
                    bound: self.random.below(13) as i64 - 6,
                }
            }
            4 => Constraint::Element {
                items: self.operands(problem, 5),
                first: self.random.below(4) as i32 - 2,
                index: self.operand(problem),
                result: self.operand(problem),
            },
            5 | 6 => {
                let columns = self.operands(problem, 4);
                let width = columns.len();
                // Rows with values mostly from the domains of the columns.
                let count = self.random.below(12);
                let cell = |generator: &mut Self, operand: Operand| match operand {
                    Operand::Var(x) if generator.random.chance(7, 8) => {
                        let values: Vec<i32> = problem.domain(x).values().take(50).collect();
                        *generator.random.choose(&values)
                    }
                    Operand::Number(number) if generator.random.chance(1, 2) => number,
                    _ => generator.number(),
                };
                let mut row = || (0..width).map(|i| cell(self, columns[i])).collect();
                let rows: Vec<Vec<i32>> = (0..count).map(|_| row()).collect();
                match kind {
                    5 => Constraint::Table { columns, rows },
                    _ => Constraint::NegativeTable { columns, rows },
                }
            }
            7 => Constraint::AllDifferent {
                items: self.operands(problem, 5),
                except: self.random.chance(1, 3).then(|| self.number()),
            },
            8 => Constraint::Count {
                items: self.operands(problem, 6),
                value: self.number(),
                count: self.operand(problem),
            },
            9 => Constraint::Minimum {
                items: self.operands(problem, 4),
                result: self.operand(problem),
            },
            10 => Constraint::Maximum {
                items: self.operands(problem, 4),
                result: self.operand(problem),
            },
            11 => Constraint::Product {
                factors: [self.operand(problem), self.operand(problem)],
                result: self.operand(problem),
            },
            12 => {
                let (dividend, divisor) = (self.operand(problem), self.operand(problem));
                let result = self.operand(problem);
                match self.random.below(2) {
                    0 => Constraint::Quotient {
                        dividend,
                        divisor,
                        result,
                    },
                    _ => Constraint::Remainder {
                        dividend,
                        divisor,
                        result,
                    },
                }
            }
            13 => Constraint::Power {
                base: self.operand(problem),
                exponent: self.operand(problem),
                result: self.operand(problem),
            },
            _ => Constraint::Absolute {
                of: self.operand(problem),
                result: self.operand(problem),
            },
        }
    }

    pub fn post(&mut self, problem: &mut Problem, kind: usize) {
        let constraint = self.constraint(problem, kind);
        let when = self.random.chance(2, 5).then(|| self.literal(problem));
        problem.post_when(when, constraint);
    }

    pub fn variables(&mut self, problem: &mut Problem, count: usize) {
        for _ in 0..count {
            let domain = self.domain();
            problem.add_variable(domain, None);
        }
    }
}

/// Every assignment of the variables.
pub fn assignments(problem: &Problem) -> Vec<Vec<i32>> {
    let mut all: Vec<Vec<i32>> = vec![Vec::new()];
    for variable in &problem.variables {
        let longer = |start: &Vec<i32>| {
            let start = start.clone();
            let values: Vec<i32> = variable.domain.values().collect();
            values.into_iter().map(move |v| [&start[..], &[v]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// All solutions of the problem.
pub fn solutions(problem: &Problem) -> Vec<Vec<i32>> {
    let mut all = assignments(problem);
    all.retain(|values| check(problem, values).is_ok());
    all
}

/// Asserts that the back end's answer is right, given the solutions `all` of the problem.
#[track_caller]
pub fn agree(
    backend: &mut dyn Backend,
    problem: &Problem,
    assumptions: &[Literal],
    all: &[Vec<i32>],
) {
    let assumed = |values: &Vec<i32>| {
        assumptions
            .iter()
            .all(|l| l.holds_for(values[l.variable().index()]))
    };
    let expected = all.iter().any(assumed);
    match backend.solve(problem, assumptions, &budget()) {
        SolveResult::Satisfiable(values) => {
            assert_eq!(
                check(problem, &values),
                Ok(()),
                "{values:?} for {problem:#?}"
            );
            assert!(assumed(&values), "{values:?} under {assumptions:?}");
        }
        SolveResult::Unsatisfiable => {
            assert!(
                !expected,
                "a solution was missed: {assumptions:?} {problem:#?}"
            );
        }
        SolveResult::GaveUp(limit) => panic!("gave up: {limit}: {problem:#?}"),
    }
}

/// Random problems that grow, with calls under assumptions on the way; also after a call has shown
/// that there is no solution.
pub fn check_growing(seed: u64, rounds: usize, mut make: impl FnMut() -> Box<dyn Backend>) {
    let mut generator = Generator::small(seed);
    for round in 0..rounds {
        let mut problem = Problem::default();
        let mut backend = make();
        let count = 2 + generator.random.below(2);
        generator.variables(&mut problem, count);
        for step in 0..3 {
            if step == 1 && generator.random.chance(1, 2) {
                generator.variables(&mut problem, 1);
            }
            let kind = match step {
                0 => round % KINDS,
                _ => generator.random.below(KINDS),
            };
            generator.post(&mut problem, kind);
            let all = solutions(&problem);
            agree(&mut *backend, &problem, &[], &all);
            for _ in 0..2 {
                let count = 1 + generator.random.below(3);
                let assumptions: Vec<Literal> =
                    (0..count).map(|_| generator.literal(&problem)).collect();
                agree(&mut *backend, &problem, &assumptions, &all);
            }
        }
    }
}

/// Deciding strictly in a given order, smallest values first, a solver finds the lexicographically
/// least solution in that order; also after constraints were added.
pub fn check_in_order(seed: u64, rounds: usize, mut make: impl FnMut() -> Box<dyn Backend>) {
    let mut generator = Generator::small(seed);
    let mut satisfied = 0;
    for round in 0..rounds {
        let mut problem = Problem::default();
        generator.variables(&mut problem, 3);
        let rotation = round % 3;
        problem.branching = (0..3).map(|i| VarId((i + rotation as u32) % 3)).collect();
        problem.in_order = true;
        let mut backend = make();
        for step in 0..3 {
            let kind = match step {
                0 => round % KINDS,
                _ => generator.random.below(KINDS),
            };
            generator.post(&mut problem, kind);
            let in_order = |values: &Vec<i32>| -> Vec<i32> {
                let order = problem.branching.iter();
                order.map(|x| values[x.index()]).collect()
            };
            let least = solutions(&problem).iter().map(in_order).min();
            let found = match backend.solve(&problem, &[], &budget()) {
                SolveResult::Satisfiable(values) => {
                    assert_eq!(check(&problem, &values), Ok(()));
                    Some(in_order(&values))
                }
                SolveResult::Unsatisfiable => None,
                SolveResult::GaveUp(limit) => panic!("no limit was set: {limit}"),
            };
            assert_eq!(found, least, "{problem:#?}");
            match least {
                Some(_) => satisfied += 1,
                None => break,
            }
        }
    }
    assert!(
        satisfied > rounds,
        "{satisfied} of {rounds} rounds had solutions"
    );
}

/// Enumerating all solutions with a back end finds each of them once.
pub fn check_all_solutions(seed: u64, rounds: usize, mut make: impl FnMut() -> Box<dyn Backend>) {
    let mut generator = Generator::small(seed);
    for round in 0..rounds {
        let mut problem = Problem::default();
        generator.variables(&mut problem, 3);
        generator.post(&mut problem, round % KINDS);
        let mut expected = solutions(&problem);
        if expected.len() > 60 {
            continue;
        }
        let mut backend = make();
        let mut found = Vec::new();
        let original = problem.clone();
        // Every second time projected to two of the variables: each pair of values once.
        let shown = [[0, 1, 2].as_slice(), &[0, 2]][round / KINDS % 2];
        let project = |values: &[i32]| -> Vec<i32> { shown.iter().map(|&i| values[i]).collect() };
        let ids: Vec<VarId> = shown.iter().map(|&i| VarId(i as u32)).collect();
        let mut on_solution = |_: &Problem, values: &[i32]| {
            assert_eq!(check(&original, values), Ok(()));
            found.push(project(values));
            ControlFlow::Continue(())
        };
        let budget = budget();
        let ended =
            ployglot_csp::solutions(&mut *backend, &mut problem, &ids, &budget, &mut on_solution);
        assert_eq!(ended, Enumerated::All);
        expected = expected.iter().map(|values| project(values)).collect();
        expected.sort();
        expected.dedup();
        found.sort();
        assert_eq!(found, expected, "{original:#?}");
    }
}

/// Wide domains: under assumptions that fix every variable, the answer must be that of `check`.
pub fn check_wide(
    seed: u64,
    rounds: usize,
    width: i32,
    mut make: impl FnMut() -> Box<dyn Backend>,
) {
    let mut generator = Generator {
        random: Random::new(seed),
        low: -width,
        high: width,
    };
    for round in 0..rounds {
        let mut problem = Problem::default();
        for _ in 0..4 {
            let (a, b) = (generator.number(), generator.number());
            let domain = Domain::range(a.min(b), a.max(b));
            let hole = generator.number();
            let domain = domain.minus(&Domain::range(hole, hole.saturating_add(width / 4)));
            problem.add_variable(
                match domain.is_empty() {
                    true => Domain::range(0, width),
                    false => domain,
                },
                None,
            );
        }
        let kind = [1, 2, 4, 7, 9, 10, 11, 12, 14][round % 9];
        generator.post(&mut problem, kind);
        let mut backend = make();
        let first = backend.solve(&problem, &[], &budget());
        let mut planted = match first {
            SolveResult::Satisfiable(values) => {
                assert_eq!(check(&problem, &values), Ok(()), "{problem:#?}");
                Some(values)
            }
            _ => None,
        };
        for _ in 0..3 {
            // A solution, a random assignment, or a solution with one value changed.
            let mut values: Vec<i32> = problem
                .variables
                .iter()
                .map(|x| {
                    let at = generator.random.below(x.domain.len() as usize);
                    x.domain.values().nth(at).expect("within")
                })
                .collect();
            if let Some(planted) = planted.take() {
                let change = generator.random.below(4);
                for (i, v) in planted
                    .into_iter()
                    .enumerate()
                    .filter(|pair| pair.0 != change)
                {
                    values[i] = v;
                }
            }
            let fixed = |(i, &v): (usize, &i32)| Literal::Is(VarId(i as u32), v);
            let assumptions: Vec<Literal> = values.iter().enumerate().map(fixed).collect();
            agree(
                &mut *backend,
                &problem,
                &assumptions,
                &[values.clone()]
                    .into_iter()
                    .filter(|v| check(&problem, v).is_ok())
                    .collect::<Vec<_>>(),
            );
        }
    }
}

/// The optimum against that of all solutions.
pub fn check_optimum(seed: u64, rounds: usize, mut make: impl FnMut() -> Box<dyn Backend>) {
    let mut generator = Generator::small(seed);
    for round in 0..rounds {
        let mut problem = Problem::default();
        generator.variables(&mut problem, 3);
        generator.post(&mut problem, round % KINDS);
        generator.post(&mut problem, 1);
        let goal = *generator.random.choose(&[Goal::Minimise, Goal::Maximise]);
        let value = generator.variable(&problem);
        problem.objective = Some(Objective { goal, value });
        let costs = solutions(&problem)
            .into_iter()
            .map(|values| values[value.index()]);
        let expected = match goal {
            Goal::Minimise => costs.min(),
            Goal::Maximise => costs.max(),
        };
        let mut bounds = Vec::new();
        let mut on_progress = |bound: i32, _: Option<(i32, &[i32])>| bounds.push(bound);
        let found = optimise(&mut *make(), &problem, &[], &budget(), &mut on_progress);
        match (expected, found) {
            (None, Optimum::Unsatisfiable) => {}
            (Some(best), Optimum::Optimal { values, objective }) => {
                assert_eq!(check(&problem, &values), Ok(()));
                assert_eq!((objective, values[value.index()]), (best, best));
                let sound = |bound: &i32| match goal {
                    Goal::Minimise => *bound <= best,
                    Goal::Maximise => *bound >= best,
                };
                assert!(bounds.iter().all(sound), "{bounds:?} for {best}");
            }
            (expected, found) => panic!("{expected:?} but {found:?}: {problem:#?}"),
        }
    }
}
