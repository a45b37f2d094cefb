//! Drops what no plan needs from a grounded task.
//!
//! - A deletion is dropped where the same operator adds the fact in any case (Rovers: a channel is
//!   occupied and free again in one step).
//! - A fact that then always has its value at the start is a constant.
//! - A fact is relevant if the goal, the body of a derived fact or a change of a number reads it, or if
//!   the condition of an operator that changes a relevant fact does (Helmert 2006: the ancestors of the
//!   goal in the causal graph). Other facts are dropped, and so are operators that change nothing else.
//!
//! Costs are not negative, so some optimal plan has no operator that changes only irrelevant facts, and
//! states that differ in such facts only are the same to every plan. A condition of a cost counts as
//! read, so all costs stay what they were. Tasks with quantifiers that are evaluated by search stay as
//! they are.

use ployglot_base::{Limit, Poll};

use crate::circuit::*;
use crate::lists::Lists;
use crate::task::{GroundEffect, Operator, State, Task};

/// The task without what no plan needs. The operator index is not made yet.
pub(super) fn without_irrelevant_facts(mut task: Task, poll: &Poll) -> Result<Task, Limit> {
    if !task.circuit.choices.is_empty() {
        return Ok(task);
    }
    for operator in &mut task.operators {
        poll.try_step()?;
        drop_masked_deletions(operator);
    }
    loop {
        let constants = constants(&task);
        let any_constant = constants.iter().any(Option::is_some);
        if any_constant {
            task = replace(task, |_| true, &constants, poll)?;
        }
        let relevant = Relevance::of(&task, poll)?;
        if !relevant.facts.contains(&false) {
            return Ok(task);
        }
        // The value of an irrelevant fact is of no use, so it may be any constant.
        let facts = relevant.facts.iter();
        let facts: Vec<Option<bool>> = facts.map(|&kept| (!kept).then_some(false)).collect();
        task = replace(task, |node| relevant.nodes[node.0 as usize], &facts, poll)?;
    }
}

/// Drops deletions of facts that the operator adds whenever it deletes them.
fn drop_masked_deletions(operator: &mut Operator) {
    let certain = operator
        .effects
        .iter()
        .find(|effect| effect.condition == TRUE);
    let certain: Vec<FactId> = certain.map_or(Vec::new(), |effect| effect.adds.clone());
    for effect in &mut operator.effects {
        let GroundEffect { adds, deletes, .. } = effect;
        deletes.retain(|fact| !adds.contains(fact) && !certain.contains(fact));
    }
}

/// For each fact, its value if that is always the same.
fn constants(task: &Task) -> Vec<Option<bool>> {
    let mut changes = vec![[false; 2]; task.facts.len()];
    for effect in task.operators.iter().flat_map(|operator| &operator.effects) {
        for fact in &effect.adds {
            changes[fact.0 as usize][1] = true;
        }
        for fact in &effect.deletes {
            changes[fact.0 as usize][0] = true;
        }
    }
    let facts = (0..).map(FactId).zip(changes);
    let constant = facts.map(|(fact, changes)| {
        let holds = task.start.holds(fact);
        (!changes[usize::from(!holds)]).then_some(holds)
    });
    constant.collect()
}

/// The task with these nodes alone, and with constants in the place of facts. Operators that change
/// nothing any more, or that are never applicable, are dropped.
fn replace(
    mut task: Task,
    kept: impl Fn(NodeId) -> bool,
    constants: &[Option<bool>],
    poll: &Poll,
) -> Result<Task, Limit> {
    // The new number of each fact.
    let mut number: Vec<Option<FactId>> = vec![None; task.facts.len()];
    let kept_facts = number.iter_mut().zip(constants);
    let kept_facts = kept_facts.filter(|(_, constant)| constant.is_none());
    for (next, (number, _)) in (0..).zip(kept_facts) {
        *number = Some(FactId(next));
    }
    let (circuit, nodes) = task.circuit.replaced(kept, |fact| {
        match (number[fact.0 as usize], constants[fact.0 as usize]) {
            (Some(number), _) => Node::Fact(number),
            (None, Some(true)) => Node::True,
            (None, _) => Node::False,
        }
    });
    let node = |node: &mut NodeId| *node = nodes[node.0 as usize];
    task.circuit = circuit;
    node(&mut task.goal);
    task.axioms.bodies.iter_mut().for_each(node);
    let mut operators = Vec::with_capacity(task.operators.len());
    for mut operator in task.operators {
        poll.try_step()?;
        node(&mut operator.precondition);
        for effect in &mut operator.effects {
            node(&mut effect.condition);
            for facts in [&mut effect.adds, &mut effect.deletes] {
                let kept = facts.iter().filter_map(|fact| number[fact.0 as usize]);
                *facts = kept.collect();
            }
        }
        operator.effects.retain(|effect| {
            effect.condition != FALSE && !(effect.adds.is_empty() && effect.deletes.is_empty())
        });
        operator
            .changes
            .iter_mut()
            .for_each(|change| node(&mut change.condition));
        operator.changes.retain(|change| change.condition != FALSE);
        operator
            .costs
            .iter_mut()
            .for_each(|(condition, _)| node(condition));
        operator.costs.retain(|(condition, _)| *condition != FALSE);
        let changes = !operator.effects.is_empty() || !operator.changes.is_empty();
        if changes && operator.precondition != FALSE {
            operators.push(operator);
        }
    }
    task.operators = operators;
    let holding = (0..).map(FactId).zip(&number);
    let holding = holding.filter(|(_, number)| number.is_some());
    let holding: Vec<bool> = holding.map(|(fact, _)| task.start.holds(fact)).collect();
    let numbers = task.start.0[task.fact_words()..].iter();
    let numbers: Vec<f64> = numbers.map(|&bits| f64::from_bits(bits)).collect();
    task.start = State::new(&holding, &numbers);
    let mut kept = number.iter();
    task.facts
        .retain(|_| kept.next().is_some_and(Option::is_some));
    Ok(task)
}

/// What the goal depends on.
struct Relevance {
    facts: Vec<bool>,
    nodes: Vec<bool>,
    /// Relevant facts whose operators were not visited yet.
    open: Vec<u32>,
}

impl Relevance {
    fn of(task: &Task, poll: &Poll) -> Result<Self, Limit> {
        let mut found = Self {
            facts: vec![false; task.facts.len()],
            nodes: vec![false; task.circuit.len()],
            open: Vec::new(),
        };
        for constant in [FALSE, TRUE] {
            found.nodes[constant.0 as usize] = true;
        }
        found.read(task, task.goal);
        for &body in &task.axioms.bodies {
            poll.try_step()?;
            found.read(task, body);
        }
        for operator in task
            .operators
            .iter()
            .filter(|each| !each.changes.is_empty())
        {
            poll.try_step()?;
            found.read_operator(task, operator);
        }
        // For each fact, the effects that change it, as pairs of an operator and its effect.
        let changes = task
            .operators
            .iter()
            .enumerate()
            .flat_map(|(id, operator)| {
                let effects = operator.effects.iter().enumerate();
                effects.flat_map(move |(at, effect)| {
                    let changed = effect.adds.iter().chain(&effect.deletes);
                    changed.map(move |fact| (fact.0, (id as u32, at as u32)))
                })
            });
        let changes: Lists<(u32, u32)> = Lists::sorted(task.facts.len(), changes);
        while let Some(fact) = found.open.pop() {
            for &(id, at) in changes.of(fact) {
                poll.try_step()?;
                let operator = &task.operators[id as usize];
                found.read_operator(task, operator);
                found.read(task, operator.effects[at as usize].condition);
            }
        }
        Ok(found)
    }

    /// The operator is relevant: all its conditions are but those of its effects on facts.
    fn read_operator(&mut self, task: &Task, operator: &Operator) {
        self.read(task, operator.precondition);
        for (condition, _) in &operator.costs {
            self.read(task, *condition);
        }
        for change in &operator.changes {
            self.read(task, change.condition);
        }
    }

    /// The node is relevant, with all its parts.
    fn read(&mut self, task: &Task, node: NodeId) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut self.nodes[node.0 as usize], true) {
                continue;
            }
            match task.circuit.node(node) {
                Node::Fact(fact) => {
                    self.facts[fact.0 as usize] = true;
                    self.open.push(fact.0);
                }
                Node::Not(inner) => open.push(*inner),
                Node::And(parts) | Node::Or(parts) | Node::AtMost(_, parts) => {
                    open.extend_from_slice(parts);
                }
                Node::False
                | Node::True
                // The bodies of all derived facts are read, and all numbers are kept.
                | Node::Derived(_)
                | Node::Compare(..)
                | Node::Choice(_) => {}
            }
        }
    }
}
