//! A grounded task as a file in Fast Downward's SAS+ format, version 3: for Fast Downward's
//! searches, and for other planners that read the output of its translator.
//!
//! The format has only conjunctions of values. Every other formula becomes a derived variable with
//! axioms: a conjunction has one rule, a disjunction one for each part, and "at most k of n", which
//! counts from the end of its list, about 2·k·n. So the size of the file follows the size of the
//! circuit, not that of its expanded formulas; Fast Downward can search tasks from such files that
//! its own translator cannot write. A mutex group is a variable, as in packed states, and its last
//! value is "none of those".
//!
//! Numbers that actions change, quantifiers that are evaluated by search, and conditional costs
//! cannot be written, and are errors.

use std::fmt::Write;

use ployglot_base::{Budget, Limit, Poll};
use rustc_hash::FxHashMap;

use crate::circuit::*;
use crate::ground::CannotGround;
use crate::lifted::{Domain, Problem};
use crate::packing::Packing;
use crate::plan::print_step;
use crate::task::{Operator, Task};

/// The task as text, with the names of the domain and the problem that it was grounded from. `Err`
/// is a sentence for the user.
pub fn print_sas(task: &Task, domain: &Domain, problem: &Problem) -> Result<String, String> {
    let budget = Budget::unlimited();
    print(task, domain, problem, &Poll::new(&budget, "print"))
}

/// The same, within a budget.
pub fn print_sas_within(
    task: &Task,
    domain: &Domain,
    problem: &Problem,
    budget: &Budget,
) -> Result<String, CannotGround> {
    let poll = Poll::new(budget, "print");
    print(task, domain, problem, &poll).map_err(|why| match poll.ended() {
        Some(limit) => CannotGround::Limit(limit),
        None => CannotGround::Unsupported(why),
    })
}

/// At a limit, the error has no meaning; `poll` has the limit.
fn print(task: &Task, domain: &Domain, problem: &Problem, poll: &Poll) -> Result<String, String> {
    let mut writer = Writer::new(task, poll)?;
    writer.derived_facts()?;
    let goal = writer.conjunction(&[(task.goal, true)])?;
    let mut operators = Vec::new();
    for each in &task.operators {
        if let Some(written) = writer.operator(each)? {
            let step = print_step(&each.step, domain, problem);
            let name = step.trim_matches(['(', ')']);
            operators.push(format!("begin_operator\n{name}\n{written}end_operator\n"));
        }
    }
    // A contradictory goal becomes a derived variable without rules, which is always false.
    let goal = match goal {
        Some(goal) => goal,
        None => vec![(writer.derived(), TRUE_VALUE)],
    };
    let layers = writer.layers()?;
    let name = |fact: FactId| {
        let fact = &task.facts[fact.0 as usize];
        let objects = fact.arguments.iter();
        let objects: Vec<&str> = objects
            .map(|id| problem.objects[id.0 as usize].name.as_str())
            .collect();
        let predicate = &domain.predicates[usize::from(fact.predicate.0)].name;
        format!("{predicate}({})", objects.join(", "))
    };
    Ok(writer.print(&goal, &operators, &layers, name))
}

/// The error at a limit, without meaning.
fn stopped(_: Limit) -> String {
    String::new()
}

/// A variable and its value.
type Value = (usize, usize);

/// The values of a derived variable; it is false unless a rule makes it true.
const TRUE_VALUE: usize = 0;
const FALSE_VALUE: usize = 1;

/// An axiom: the head becomes true where the conditions hold.
struct Rule {
    conditions: Vec<Value>,
    head: usize,
}

struct Writer<'a> {
    task: &'a Task,
    poll: &'a Poll,
    /// The variables that actions change; the derived variables are numbered after them.
    groups: Vec<Vec<FactId>>,
    /// For each fact, its variable and value.
    of_fact: Vec<Value>,
    /// The number of derived variables.
    derived: usize,
    rules: Vec<Rule>,
    /// The values of nodes that are written already.
    known: FxHashMap<NodeId, Value>,
    /// For facts that occur negated and are one of several values: a derived variable that is true
    /// where the fact holds.
    negated: FxHashMap<FactId, usize>,
    /// The variables of derived facts, known before their bodies are written.
    of_derived: FxHashMap<DerivedId, usize>,
}

impl<'a> Writer<'a> {
    fn new(task: &'a Task, poll: &'a Poll) -> Result<Self, String> {
        if !task.numbers.is_empty() {
            return Err("SAS+ has no numbers that actions change".to_string());
        }
        let packing = Packing::new(task, poll).map_err(stopped)?;
        let groups: Vec<Vec<FactId>> = packing.groups().map(<[_]>::to_vec).collect();
        let mut of_fact = vec![(0, 0); task.facts.len()];
        for (variable, group) in groups.iter().enumerate() {
            for (value, fact) in group.iter().enumerate() {
                of_fact[fact.0 as usize] = (variable, value);
            }
        }
        Ok(Self {
            task,
            poll,
            groups,
            of_fact,
            derived: 0,
            rules: Vec::new(),
            known: FxHashMap::default(),
            negated: FxHashMap::default(),
            of_derived: FxHashMap::default(),
        })
    }

    /// Writes the derived facts that depend on themselves, and those of long chains, without
    /// recursion through them.
    fn derived_facts(&mut self) -> Result<(), String> {
        let axioms = &self.task.axioms;
        let cycles = axioms.cycles.iter().flatten();
        for &derived in cycles.clone() {
            let head = self.derived();
            self.of_derived.insert(derived, head);
        }
        let bodies = |derived: &DerivedId| axioms.bodies[derived.0 as usize];
        // The ends of long chains come first.
        for derived in &axioms.order {
            if axioms.cycle_of[derived.0 as usize].is_none() {
                let head = self.derived();
                self.of_derived.insert(*derived, head);
                self.rule(bodies(derived), head)?;
            }
        }
        for derived in cycles {
            let head = self.of_derived[derived];
            self.rule(bodies(derived), head)?;
        }
        Ok(())
    }

    /// The rule that the head holds where the node does.
    fn rule(&mut self, node: NodeId, head: usize) -> Result<(), String> {
        if let Some(conditions) = self.conjunction(&[(node, true)])? {
            self.rules.push(Rule { conditions, head });
        }
        Ok(())
    }

    /// A new derived variable.
    fn derived(&mut self) -> usize {
        self.derived += 1;
        self.groups.len() + self.derived - 1
    }

    /// A conjunction of nodes, each with its sign, as sorted values; `None` where it contradicts
    /// itself.
    fn conjunction(&mut self, parts: &[(NodeId, bool)]) -> Result<Option<Vec<Value>>, String> {
        let mut values = Vec::new();
        let mut open = parts.to_vec();
        while let Some((node, holds)) = open.pop() {
            self.poll.try_step().map_err(stopped)?;
            match self.task.circuit.node(node) {
                Node::True if holds => {}
                Node::False if !holds => {}
                Node::True | Node::False => return Ok(None),
                Node::Not(inner) => open.push((*inner, !holds)),
                Node::And(inner) if holds => open.extend(inner.iter().map(|&part| (part, true))),
                Node::Or(inner) if !holds => open.extend(inner.iter().map(|&part| (part, false))),
                _ => values.push(self.literal(node, holds)?),
            }
        }
        values.sort_unstable();
        values.dedup();
        let twice = values.windows(2).any(|pair| pair[0].0 == pair[1].0);
        Ok((!twice).then_some(values))
    }

    /// The value that means that the node holds, or does not.
    fn literal(&mut self, node: NodeId, holds: bool) -> Result<Value, String> {
        if let Node::Not(inner) = self.task.circuit.node(node) {
            return self.literal(*inner, !holds);
        }
        if let Node::Fact(fact) = *self.task.circuit.node(node) {
            return Ok(self.fact(fact, holds));
        }
        let (variable, value) = self.node(node)?;
        Ok((variable, if holds { value } else { 1 - value }))
    }

    /// The value that means that the fact holds, or does not.
    fn fact(&mut self, fact: FactId, holds: bool) -> Value {
        let (variable, value) = self.of_fact[fact.0 as usize];
        if holds {
            return (variable, value);
        }
        // A variable with two values has a value for the negation.
        if self.groups[variable].len() == 1 {
            return (variable, 1);
        }
        if let Some(&known) = self.negated.get(&fact) {
            return (known, FALSE_VALUE);
        }
        let head = self.derived();
        self.negated.insert(fact, head);
        self.rules.push(Rule {
            conditions: vec![(variable, value)],
            head,
        });
        (head, FALSE_VALUE)
    }

    /// The value that means that the node holds; for nodes that are not literals or constants.
    fn node(&mut self, node: NodeId) -> Result<Value, String> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        let task = self.task;
        let value = match task.circuit.node(node) {
            Node::And(_) => {
                let head = self.derived();
                self.rule(node, head)?;
                (head, TRUE_VALUE)
            }
            Node::Or(parts) => {
                let head = self.derived();
                for &part in parts {
                    self.rule(part, head)?;
                }
                (head, TRUE_VALUE)
            }
            Node::AtMost(most, parts) => {
                let too_many = self.at_least(*most as usize + 1, parts)?;
                (too_many, FALSE_VALUE)
            }
            Node::Derived(derived) => {
                let body = task.axioms.bodies[derived.0 as usize];
                if let Some(&known) = self.of_derived.get(derived) {
                    (known, TRUE_VALUE)
                } else {
                    let head = self.derived();
                    self.of_derived.insert(*derived, head);
                    self.rule(body, head)?;
                    (head, TRUE_VALUE)
                }
            }
            Node::Choice(_) => {
                return Err(
                    "a quantifier has too many bindings to be written out in SAS+".to_string(),
                );
            }
            Node::Compare(..) => return Err("SAS+ has no comparisons of numbers".to_string()),
            Node::True | Node::False | Node::Fact(_) | Node::Not(_) => {
                unreachable!("constants are folded, and literals have values")
            }
        };
        self.known.insert(node, value);
        Ok(value)
    }

    /// A derived variable that means that at least `count` of the parts hold. Each row has
    /// variables for "at least 1, 2, … of the parts from here on", from the last part to the first.
    fn at_least(&mut self, count: usize, parts: &[NodeId]) -> Result<usize, String> {
        let mut below: Vec<usize> = Vec::new();
        for (left, &part) in parts.iter().rev().enumerate() {
            let holds = self.literal(part, true)?;
            let mut row = Vec::new();
            for wanted in 1..=count.min(left + 1) {
                self.poll.try_step().map_err(stopped)?;
                let head = self.derived();
                if let Some(&without) = below.get(wanted - 1) {
                    let conditions = vec![(without, TRUE_VALUE)];
                    self.rules.push(Rule { conditions, head });
                }
                let mut conditions = vec![holds];
                if wanted > 1 {
                    conditions.push((below[wanted - 2], TRUE_VALUE));
                }
                self.rules.push(Rule { conditions, head });
                row.push(head);
            }
            below = row;
        }
        Ok(below[count - 1])
    }

    /// The lines of an operator between its name and its end; `None` where it is never applicable
    /// or has no effect.
    fn operator(&mut self, operator: &Operator) -> Result<Option<String>, String> {
        let Some(before) = self.conjunction(&[(operator.precondition, true)])? else {
            return Ok(None);
        };
        if operator
            .costs
            .iter()
            .any(|(condition, _)| *condition != TRUE)
        {
            return Err("SAS+ has no costs under a condition".to_string());
        }
        let cost: u64 = operator
            .costs
            .iter()
            .map(|(_, cost)| u64::from(*cost))
            .sum();
        let mut effects: Vec<(Vec<Value>, Value)> = Vec::new();
        for effect in &operator.effects {
            let Some(condition) = self.conjunction(&[(effect.condition, true)])? else {
                continue;
            };
            for &fact in &effect.adds {
                effects.push((condition.clone(), self.of_fact[fact.0 as usize]));
            }
            for &fact in &effect.deletes {
                effects.extend(self.deletion(operator, effect.condition, fact)?);
            }
        }
        let mut text = String::new();
        let changed = |variable: usize| effects.iter().any(|(_, (of, _))| *of == variable);
        let prevail: Vec<Value> = before
            .iter()
            .copied()
            .filter(|&(of, _)| !changed(of))
            .collect();
        push_values(&mut text, &prevail, "\n");
        let _ = writeln!(text, "{}", effects.len());
        for (conditions, (variable, value)) in &effects {
            let needed = before.iter().find(|(of, _)| of == variable);
            let needed = needed.map_or("-1".to_string(), |(_, value)| value.to_string());
            push_values(&mut text, conditions, " ");
            let _ = writeln!(text, "{variable} {needed} {value}");
        }
        let _ = writeln!(text, "{cost}");
        Ok((!effects.is_empty()).then_some(text))
    }

    /// The effect of deleting a fact: its variable gets the value "none of those", unless another
    /// effect of the operator gives it a value.
    fn deletion(
        &mut self,
        operator: &Operator,
        condition: NodeId,
        fact: FactId,
    ) -> Result<Option<(Vec<Value>, Value)>, String> {
        let (variable, value) = self.of_fact[fact.0 as usize];
        let mut parts = vec![(condition, true)];
        for effect in &operator.effects {
            let gives = |fact: &FactId| self.of_fact[fact.0 as usize].0 == variable;
            if !effect.adds.iter().any(gives) {
                continue;
            }
            if effect.condition == condition || effect.condition == TRUE {
                return Ok(None);
            }
            parts.push((effect.condition, false));
        }
        let Some(mut conditions) = self.conjunction(&parts)? else {
            return Ok(None);
        };
        // Only this value is deleted: another value of the variable must stay.
        match conditions.iter().find(|(of, _)| *of == variable) {
            Some((_, held)) if *held != value => return Ok(None),
            Some(_) => {}
            None if self.groups[variable].len() > 1 => conditions.push((variable, value)),
            None => {}
        }
        Ok(Some((conditions, (variable, self.groups[variable].len()))))
    }

    /// The axiom layers: a rule may have a negative condition only on a variable of a lower layer.
    fn layers(&self) -> Result<Vec<usize>, String> {
        let first = self.groups.len();
        let mut layers = vec![0; self.derived];
        loop {
            let mut changed = false;
            for rule in &self.rules {
                self.poll.try_step().map_err(stopped)?;
                let needs = rule.conditions.iter().filter(|(of, _)| *of >= first);
                let least = needs
                    .map(|(of, value)| layers[of - first] + usize::from(*value == FALSE_VALUE));
                let least = least.max().unwrap_or(0);
                if layers[rule.head - first] < least {
                    layers[rule.head - first] = least;
                    changed = true;
                }
            }
            if !changed {
                return Ok(layers);
            }
        }
    }

    fn print(
        &self,
        goal: &[Value],
        operators: &[String],
        layers: &[usize],
        name: impl Fn(FactId) -> String,
    ) -> String {
        let mut text = String::from("begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n");
        let _ = writeln!(text, "{}", self.groups.len() + self.derived);
        for (variable, group) in self.groups.iter().enumerate() {
            let _ = writeln!(
                text,
                "begin_variable\nvar{variable}\n-1\n{}",
                group.len() + 1
            );
            for &fact in group {
                let _ = writeln!(text, "Atom {}", name(fact));
            }
            match group[..] {
                [one] => {
                    let _ = writeln!(text, "NegatedAtom {}", name(one));
                }
                _ => text.push_str("<none of those>\n"),
            }
            text.push_str("end_variable\n");
        }
        for (at, layer) in layers.iter().enumerate() {
            let variable = self.groups.len() + at;
            let _ = writeln!(
                text,
                "begin_variable\nvar{variable}\n{layer}\n2\nAtom derived-{at}()\nNegatedAtom derived-{at}()\nend_variable"
            );
        }
        text.push_str("0\nbegin_state\n");
        for group in &self.groups {
            let held = group.iter().position(|&fact| self.task.starts_with(fact));
            let _ = writeln!(text, "{}", held.unwrap_or(group.len()));
        }
        for _ in layers {
            let _ = writeln!(text, "{FALSE_VALUE}");
        }
        text.push_str("end_state\nbegin_goal\n");
        push_values(&mut text, goal, "\n");
        let _ = writeln!(text, "end_goal\n{}", operators.len());
        operators
            .iter()
            .for_each(|operator| text.push_str(operator));
        let _ = writeln!(text, "{}", self.rules.len());
        for rule in &self.rules {
            text.push_str("begin_rule\n");
            push_values(&mut text, &rule.conditions, "\n");
            let _ = writeln!(text, "{} {FALSE_VALUE} {TRUE_VALUE}\nend_rule", rule.head);
        }
        text
    }
}

/// Writes the number of values, and the values.
fn push_values(text: &mut String, values: &[Value], between: &str) {
    let _ = write!(text, "{}{between}", values.len());
    for (variable, value) in values {
        let _ = write!(text, "{variable} {value}{between}");
    }
}
