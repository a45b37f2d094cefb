//! SAS+ files, read and solved by a small planner of their own: the optimum is that of the task.

use std::collections::{BTreeSet, HashMap};

use ployglot_pddl::{ground, sas::print_sas};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;
use ployglot_testing::pddl::search::best_plan;

type Value = (usize, i64);

struct Effect {
    conditions: Vec<Value>,
    variable: usize,
    value: i64,
}

struct Operator {
    preconditions: Vec<Value>,
    effects: Vec<Effect>,
    cost: u32,
}

/// The content of a SAS+ file.
struct Sas {
    /// For each variable, its axiom layer, or -1, and the number of its values.
    variables: Vec<(i64, i64)>,
    start: Vec<i64>,
    goal: Vec<Value>,
    operators: Vec<Operator>,
    /// Axioms: the conditions, and the variable with its derived value.
    rules: Vec<(Vec<Value>, Value)>,
}

struct Lines<'a>(std::str::Lines<'a>);

impl<'a> Lines<'a> {
    fn next(&mut self) -> &'a str {
        self.0.next().expect("another line")
    }

    fn word(&mut self, word: &str) {
        assert_eq!(self.next(), word);
    }

    fn numbers(&mut self) -> Vec<i64> {
        let line = self.next();
        line.split_whitespace()
            .map(|word| word.parse().unwrap_or_else(|_| panic!("a number: {line}")))
            .collect()
    }

    fn count(&mut self) -> usize {
        let numbers = self.numbers();
        assert_eq!(numbers.len(), 1);
        numbers[0] as usize
    }

    fn values(&mut self) -> Vec<Value> {
        (0..self.count())
            .map(|_| {
                let pair = self.numbers();
                (pair[0] as usize, pair[1])
            })
            .collect()
    }
}

impl Sas {
    fn read(text: &str) -> Self {
        let mut lines = Lines(text.lines());
        for word in [
            "begin_version",
            "3",
            "end_version",
            "begin_metric",
            "1",
            "end_metric",
        ] {
            lines.word(word);
        }
        let variables: Vec<_> = (0..lines.count())
            .map(|at| {
                lines.word("begin_variable");
                lines.word(&format!("var{at}"));
                let layer = lines.numbers()[0];
                let range = lines.count();
                (0..range).for_each(|_| assert!(!lines.next().is_empty()));
                lines.word("end_variable");
                (layer, range as i64)
            })
            .collect();
        lines.word("0");
        lines.word("begin_state");
        let start = variables.iter().map(|_| lines.numbers()[0]).collect();
        lines.word("end_state");
        lines.word("begin_goal");
        let goal = lines.values();
        lines.word("end_goal");
        let operators = (0..lines.count()).map(|_| {
            lines.word("begin_operator");
            lines.next();
            let mut preconditions = lines.values();
            let effects = (0..lines.count())
                .map(|_| {
                    let numbers = lines.numbers();
                    let conditions = numbers[0] as usize;
                    let pairs = numbers[1..=2 * conditions].chunks(2);
                    let [variable, before, value] = numbers[2 * conditions + 1..] else {
                        panic!("an effect: {numbers:?}")
                    };
                    if before >= 0 {
                        preconditions.push((variable as usize, before));
                    }
                    Effect {
                        conditions: pairs.map(|pair| (pair[0] as usize, pair[1])).collect(),
                        variable: variable as usize,
                        value,
                    }
                })
                .collect();
            let cost = lines.count() as u32;
            lines.word("end_operator");
            Operator {
                preconditions,
                effects,
                cost,
            }
        });
        let operators = operators.collect();
        let rules = (0..lines.count()).map(|_| {
            lines.word("begin_rule");
            let conditions = lines.values();
            let head = lines.numbers();
            lines.word("end_rule");
            assert_eq!(head[1..], [1, 0]);
            (conditions, (head[0] as usize, head[2]))
        });
        let rules = rules.collect();
        assert_eq!(lines.0.next(), None);
        Sas {
            variables,
            start,
            goal,
            operators,
            rules,
        }
    }

    /// Evaluates the derived variables, layer by layer.
    fn derive(&self, state: &mut [i64]) {
        for (value, (layer, _)) in state.iter_mut().zip(&self.variables) {
            if *layer >= 0 {
                *value = 1;
            }
        }
        let last = self.variables.iter().map(|(layer, _)| *layer).max();
        for layer in 0..=last.unwrap_or(-1) {
            let rules: Vec<_> = self
                .rules
                .iter()
                .filter(|(_, (head, _))| self.variables[*head].0 == layer)
                .collect();
            while let Some((_, (head, value))) = rules.iter().find(|(conditions, (head, value))| {
                state[*head] != *value && hold(conditions, state)
            }) {
                state[*head] = *value;
            }
        }
    }

    /// The least cost of a plan; `Err` where there are too many states.
    fn optimum(&self, most: usize) -> Result<Option<u32>, ()> {
        let mut start = self.start.clone();
        self.derive(&mut start);
        let mut costs = HashMap::from([(start.clone(), 0)]);
        let mut open = BTreeSet::from([(0, start)]);
        while let Some((cost, state)) = open.pop_first() {
            if hold(&self.goal, &state) {
                return Ok(Some(cost));
            }
            if costs.len() > most {
                return Err(());
            }
            for operator in &self.operators {
                if !hold(&operator.preconditions, &state) {
                    continue;
                }
                let mut after = state.clone();
                for effect in &operator.effects {
                    if hold(&effect.conditions, &state) {
                        // Effects that fire together must agree.
                        let before = after[effect.variable];
                        assert!(
                            before == state[effect.variable] || before == effect.value,
                            "one effect undoes another"
                        );
                        assert!(effect.value < self.variables[effect.variable].1);
                        after[effect.variable] = effect.value;
                    }
                }
                self.derive(&mut after);
                let next = cost + operator.cost;
                if costs.get(&after).is_none_or(|&known| next < known) {
                    if let Some(known) = costs.insert(after.clone(), next) {
                        open.remove(&(known, after.clone()));
                    }
                    open.insert((next, after));
                }
            }
        }
        Ok(None)
    }
}

fn hold(conditions: &[Value], state: &[i64]) -> bool {
    conditions
        .iter()
        .all(|&(variable, value)| state[variable] == value)
}

#[test]
fn small_problems_keep_their_optima() {
    let mut compared = 0;
    for (domain, problem, optimum) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        match print_sas(&task, &domain, &problem) {
            Ok(text) => {
                if let Ok(found) = Sas::read(&text).optimum(3000) {
                    assert_eq!(found, *optimum, "{}", problem.name);
                    compared += 1;
                }
            }
            Err(why) => assert!(!task.numbers.is_empty() && why.contains("numbers"), "{why}"),
        }
    }
    assert!(compared >= 9, "{compared}");
}

#[test]
fn random_tasks_keep_their_optima() {
    let mut solved = 0;
    for seed in 0..1000 {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        let task = ground(&domain, &problem).unwrap();
        let text = match print_sas(&task, &domain, &problem) {
            Ok(text) => text,
            Err(why) if why.contains("costs under a condition") => continue,
            Err(why) => panic!("seed {seed}: {why}"),
        };
        let Some(plan) = best_plan(&task, 3000) else {
            continue;
        };
        let expected = plan.map(|(cost, _)| cost);
        assert_eq!(
            Sas::read(&text).optimum(usize::MAX),
            Ok(expected),
            "seed {seed}"
        );
        solved += usize::from(expected.is_some_and(|cost| cost > 0));
    }
    assert!(solved >= 20, "{solved}");
}
