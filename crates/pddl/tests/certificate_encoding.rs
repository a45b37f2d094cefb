//! The part of a certificate that must be trusted: the solutions of the constraints on one step are
//! exactly the steps that the validator allows. This test reads the OPB text and its comments alone,
//! as a stranger would, and finds the solutions by unit propagation.

use std::collections::{BTreeSet, HashMap, VecDeque};

use ployglot_base::Budget;
use ployglot_pddl::certificate::{CannotCertify, Claim, Names, encode_task};
use ployglot_pddl::lifted::{Domain, Expression, Formula, Metric, Problem};
use ployglot_pddl::{LiftedState, Ruling, Step, ground_whole, print_step, validate};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;

/// Costs below this can be counted.
const BOUND: u32 = 1000;
const BITS: usize = 10;

/// A coefficient, a variable, and whether it is not negated.
type Term = (i64, usize, bool);

struct Opb {
    constraints: Vec<(Vec<Term>, i64)>,
    variables: HashMap<String, usize>,
    /// Names of facts and operators, with their variables.
    facts: Vec<(String, String)>,
    operators: Vec<(String, String)>,
}

impl Opb {
    fn read(text: &str) -> Self {
        let mut opb = Opb {
            constraints: Vec::new(),
            variables: HashMap::new(),
            facts: Vec::new(),
            operators: Vec::new(),
        };
        for line in text.lines() {
            if let Some(comment) = line.strip_prefix("* ") {
                if let Some((variable, name)) = comment.split_once(" (") {
                    let entry = (variable.to_string(), format!("({name}"));
                    match variable.split_at(1) {
                        ("x", number) if number.parse::<u32>().is_ok() => opb.facts.push(entry),
                        ("o", number) if number.parse::<u32>().is_ok() => opb.operators.push(entry),
                        _ => {}
                    }
                }
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(at) = words.iter().position(|&word| word == ">=") else {
                continue;
            };
            let terms = words[..at].chunks(2).map(|pair| {
                let name = pair[1].trim_start_matches('~');
                let next = opb.variables.len();
                let variable = *opb.variables.entry(name.to_string()).or_insert(next);
                (
                    pair[0].parse().expect("a number"),
                    variable,
                    !pair[1].starts_with('~'),
                )
            });
            let terms = terms.collect();
            opb.constraints
                .push((terms, words[at + 1].parse().expect("a number")));
        }
        opb
    }

    fn variable(&self, name: &str) -> usize {
        self.variables[name]
    }

    /// Unit propagation from the values of these variables. `None`: there is no solution.
    fn propagate(&self, given: &[(usize, bool)]) -> Option<Vec<Option<bool>>> {
        let mut values = vec![None; self.variables.len()];
        for &(variable, value) in given {
            values[variable] = Some(value);
        }
        loop {
            let mut changed = false;
            for (terms, degree) in &self.constraints {
                let possible = |(_, variable, positive): &Term| {
                    values[*variable].is_none_or(|value| value == *positive)
                };
                let most: i64 = terms
                    .iter()
                    .filter(|term| possible(term))
                    .map(|term| term.0)
                    .sum();
                if most < *degree {
                    return None;
                }
                let open = terms.iter().filter(|term| values[term.1].is_none());
                let forced: Vec<_> = open.filter(|term| most - term.0 < *degree).collect();
                for &&(_, variable, positive) in &forced {
                    values[variable] = Some(positive);
                    changed = true;
                }
            }
            if !changed {
                return Some(values);
            }
        }
    }
}

/// All steps of all actions with all objects of their types, by name.
fn all_steps(domain: &Domain, problem: &Problem) -> HashMap<String, Step> {
    let mut steps = HashMap::new();
    for (action, schema) in domain.actions.iter().enumerate() {
        let mut bindings = vec![Vec::new()];
        for parameter in &schema.parameters {
            let longer = bindings.iter().flat_map(|bound: &Vec<_>| {
                let objects = problem.objects_of(domain, &parameter.types);
                objects.map(|object| bound.iter().copied().chain([object]).collect())
            });
            bindings = longer.collect();
        }
        for arguments in bindings {
            let step = Step { action, arguments };
            steps.insert(print_step(&step, domain, problem), step);
        }
    }
    steps
}

/// The states within a few steps of the start: the facts by name, and how they are reached.
struct Replayed {
    facts: BTreeSet<String>,
    is_goal: bool,
}

fn replay(domain: &Domain, problem: &Problem, plan: &[Step]) -> Option<Replayed> {
    let mut state = LiftedState::initial(domain, problem);
    for step in plan {
        state.apply(step).ok()?;
    }
    let facts = state.facts().iter().map(|fact| {
        let predicate = &domain.predicates[usize::from(fact.predicate.0)].name;
        let names = fact
            .arguments
            .iter()
            .map(|id| &problem.objects[id.0 as usize].name);
        names.fold(format!("({predicate}"), |text, name| text + " " + name) + ")"
    });
    Some(Replayed {
        facts: facts.collect(),
        is_goal: state.unmet_goal().is_none(),
    })
}

/// What a plan costs, wherever it ends.
fn cost(domain: &Domain, problem: &Problem, plan: &[Step]) -> f64 {
    let mut anywhere = problem.clone();
    anywhere.goal = Formula::And(Vec::new());
    match validate(domain, &anywhere, plan) {
        Ruling::Valid { cost } => cost,
        other => panic!("{other:?}"),
    }
}

/// Compares the steps from up to `most` states. The number of steps compared; `None` where the
/// task is refused.
fn compare(name: &str, domain: &str, problem: &str, most: usize) -> Option<usize> {
    let (domain, problem) = read(domain, problem);
    let is_cost = match &problem.metric {
        Metric::Steps => true,
        Metric::Minimize(Expression::Function(_, arguments)) => arguments.is_empty(),
        _ => false,
    };
    let task = ground_whole(&domain, &problem).ok().filter(|_| is_cost)?;
    let names = Names::new(&task, &domain, &problem);
    let parts = encode_task(&task, &names, Claim::AtLeast(BOUND), &Budget::unlimited());
    let parts = match parts {
        Err(CannotCertify::Feature(_)) => return None,
        parts => parts.unwrap_or_else(|why| panic!("{name}: {why}")),
    };
    let opb = Opb::read(&parts.concat());
    let steps = all_steps(&domain, &problem);
    let mut seen: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    let mut open: VecDeque<Vec<Step>> = VecDeque::from([Vec::new()]);
    let mut compared = 0;
    while let Some(plan) = open.pop_front() {
        let before = replay(&domain, &problem, &plan).expect("the plan was applicable");
        if seen.len() >= most || !seen.insert(before.facts.clone()) {
            continue;
        }
        let so_far = cost(&domain, &problem, &plan) - cost(&domain, &problem, &[]);
        let known = |facts: &BTreeSet<String>, mark: &str| -> Vec<(usize, bool)> {
            let pairs = opb.facts.iter();
            let pairs =
                pairs.map(|(x, name)| (opb.variable(&format!("{x}{mark}")), facts.contains(name)));
            pairs.collect()
        };
        let mut given = known(&before.facts, "");
        given.extend((0..BITS).map(|bit| {
            (
                opb.variable(&format!("c{bit}")),
                so_far as u64 >> bit & 1 == 1,
            )
        }));
        // The goal.
        let goal = [(opb.variable("bad_goal"), true)];
        let at_goal = opb.propagate(&[&given[..], &goal].concat());
        assert_eq!(
            at_goal.is_some(),
            before.is_goal,
            "{name}: the goal after {plan:?}"
        );
        // The steps.
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for (variable, operator) in &opb.operators {
            let applied = [
                (opb.variable("bad_step"), true),
                (opb.variable(variable), true),
            ];
            let Some(values) = opb.propagate(&[&given[..], &applied].concat()) else {
                continue;
            };
            found.insert(operator);
            let step = steps[operator.as_str()].clone();
            let longer: Vec<Step> = plan.iter().cloned().chain([step]).collect();
            let after = replay(&domain, &problem, &longer);
            let after = after.unwrap_or_else(|| panic!("{name}: {operator} is not applicable"));
            for (variable, holds) in known(&after.facts, "^") {
                assert_eq!(values[variable], Some(holds), "{name}: {operator}");
            }
            let constants = |facts: &BTreeSet<String>| -> BTreeSet<String> {
                let is_known = |fact: &&String| opb.facts.iter().any(|(_, name)| name == *fact);
                let derived = |fact: &&String| {
                    let head = fact.trim_matches(['(', ')']).split(' ').next();
                    let mut axioms = domain.axioms.iter();
                    axioms.any(|axiom| {
                        let name = &domain.predicates[usize::from(axiom.predicate.0)].name;
                        Some(name.as_str()) == head
                    })
                };
                facts
                    .iter()
                    .filter(|fact| !is_known(fact) && !derived(fact))
                    .cloned()
                    .collect()
            };
            assert_eq!(
                constants(&before.facts),
                constants(&after.facts),
                "{name}: {operator}"
            );
            let total = cost(&domain, &problem, &longer) - cost(&domain, &problem, &[]);
            let bits = (0..BITS).map(|bit| {
                let value = values[opb.variable(&format!("c{bit}^"))].expect("a bit has a value");
                u64::from(value) << bit
            });
            assert_eq!(
                bits.sum::<u64>() as f64,
                total,
                "{name}: the cost of {operator}"
            );
            compared += 1;
            open.push_back(longer);
        }
        for (printed, step) in &steps {
            if found.contains(printed.as_str()) {
                continue;
            }
            // Steps that change nothing may be missing.
            let longer: Vec<Step> = plan.iter().cloned().chain([step.clone()]).collect();
            if let Some(after) = replay(&domain, &problem, &longer) {
                assert_eq!(after.facts, before.facts, "{name}: {printed} is missing");
            }
        }
    }
    Some(compared)
}

#[test]
fn the_solutions_are_the_steps_that_the_validator_allows() {
    let mut compared = 0;
    for (at, (domain, problem, _)) in FEATURES.iter().chain(CLASSICS).enumerate() {
        compared += compare(&format!("problem {at}"), domain, problem, 5).unwrap_or(0);
    }
    for seed in 0..50 {
        let (domain, problem) = random_task(seed);
        compared += compare(&format!("random {seed}"), &domain, &problem, 5).unwrap_or(0);
    }
    assert!(compared > 500, "only {compared} steps were compared");
}
