//! Which operators may share a step, and in which order they are then executed: ∃-step plans
//! (Dimopoulos, Nebel and Koehler 1997; Rintanen, Heljanko and Niemelä 2006).
//!
//! In a step all preconditions hold at its start, all effect conditions are evaluated there, and
//! all changes agree. It is enough that there is one order in which no operator disables a later
//! one. An operator disables another if it makes false a literal that the other's precondition
//! needs, or changes a fact that a condition of the other's effects reads. The disabling graph has
//! operators and literals as nodes. Operators are ordered by its strongly connected components,
//! disabled ones first, so that no operator disables a later one of another component. Inside a
//! component the order is fixed, and chains of clauses, one for each literal, forbid that an
//! operator disables a later one. Facts that are read through derived facts count as read.

use ployglot_base::{Limit, Poll};
use ployglot_csp::sat::{Clauses, Lit};
use rustc_hash::FxHashSet;

use super::effects::Prepared;
use super::gates::{Edge, Gate, Gates, TRUE_EDGE};
use crate::graph::strong_components;
use crate::task::Task;

/// The order of the operators in a step, and the chains that forbid disabling a later operator.
pub(super) struct Order {
    /// For each operator its position in the order.
    pub rank: Vec<u32>,
    chains: Vec<Vec<Link>>,
}

/// An operator in the chain of a literal: whether it makes the literal false, and whether it needs
/// the literal.
struct Link {
    operator: u32,
    disables: bool,
    needs: bool,
}

impl Order {
    pub fn new(task: &Task, prepared: &Prepared, poll: &Poll) -> Result<Order, Limit> {
        let count = task.operators.len();
        let literals = 2 * task.facts.len();
        let mut needs: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); count];
        let mut disables: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); count];
        for (needs, &precondition) in needs.iter_mut().zip(&prepared.preconditions) {
            read(&prepared.gates, precondition, needs, poll)?;
        }
        for consequence in &prepared.consequences {
            let mut reads = FxHashSet::default();
            if consequence.condition != TRUE_EDGE {
                read(&prepared.gates, consequence.condition, &mut reads, poll)?;
                read(&prepared.gates, !consequence.condition, &mut reads, poll)?;
            }
            for &operator in &consequence.operators {
                for &literal in &reads {
                    poll.try_step()?;
                    needs[operator as usize].insert(literal);
                }
                // A fact that becomes true disables its negative literal.
                let disabled = consequence
                    .changes
                    .iter()
                    .map(|&(fact, now)| 2 * fact.0 + u32::from(now));
                disables[operator as usize].extend(disabled);
            }
        }
        // Nodes of the disabling graph: operators first, then literals.
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count + literals];
        for operator in 0..count {
            poll.try_step()?;
            edges[operator] = disables[operator]
                .iter()
                .map(|&literal| count as u32 + literal)
                .collect();
            edges[operator].sort_unstable();
            for &literal in &needs[operator] {
                edges[count + literal as usize].push(operator as u32);
            }
        }
        let mut component = vec![0; edges.len()];
        for (id, members) in strong_components(&edges).iter().enumerate() {
            for &member in members {
                component[member as usize] = id;
            }
        }
        let mut ordered: Vec<u32> = (0..count as u32).collect();
        ordered.sort_by_key(|&operator| (component[operator as usize], operator));
        let mut rank = vec![0; count];
        for (place, &operator) in ordered.iter().enumerate() {
            rank[operator as usize] = place as u32;
        }
        let mut chains: Vec<Vec<Link>> = (0..literals).map(|_| Vec::new()).collect();
        for &operator in &ordered {
            let at = operator as usize;
            for &literal in needs[at].union(&disables[at]) {
                poll.try_step()?;
                if component[count + literal as usize] == component[at] {
                    chains[literal as usize].push(Link {
                        operator,
                        disables: disables[at].contains(&literal),
                        needs: needs[at].contains(&literal),
                    });
                }
            }
        }
        chains.retain(|chain| chain.len() > 1);
        Ok(Order { rank, chains })
    }

    /// Forbids that an operator of this step disables a later one. `taken` has the literals of the
    /// operators that may be possible in the step.
    pub fn forbid(
        &self,
        taken: &[Option<Lit>],
        out: &mut impl Clauses,
        poll: &Poll,
    ) -> Result<(), Limit> {
        for chain in &self.chains {
            // Implied by every earlier operator of the chain that disables the literal, except
            // those in `fresh`, after which no operator of the chain needs the literal so far.
            let mut disabled: Option<Lit> = None;
            let mut fresh: Vec<Lit> = Vec::new();
            for link in chain {
                poll.try_step()?;
                let Some(taken) = taken[link.operator as usize] else {
                    continue;
                };
                if link.needs {
                    if !fresh.is_empty() {
                        disabled = Some(match (disabled, &fresh[..]) {
                            (None, [one]) => *one,
                            _ => {
                                let next = out.fresh();
                                fresh
                                    .iter()
                                    .chain(&disabled)
                                    .for_each(|&one| out.clause(&[!one, next]));
                                next
                            }
                        });
                        fresh.clear();
                    }
                    if let Some(disabled) = disabled {
                        out.clause(&[!disabled, !taken]);
                    }
                }
                if link.disables {
                    fresh.push(taken);
                }
            }
        }
        Ok(())
    }
}

/// The literals that the edge needs (`2 * fact`: the fact holds, `2 * fact + 1`: it does not): as
/// long as none of them becomes false, the edge does not.
fn read(gates: &Gates, edge: Edge, found: &mut FxHashSet<u32>, poll: &Poll) -> Result<(), Limit> {
    let mut seen = FxHashSet::default();
    let mut open = vec![edge];
    while let Some(edge) = open.pop() {
        if !seen.insert(edge) {
            continue;
        }
        poll.try_step()?;
        let side = |inner: Edge| if edge.is_negative() { !inner } else { inner };
        match gates.gate(edge.gate()) {
            Gate::True => {}
            Gate::Fact(fact) => {
                found.insert(2 * fact.0 + u32::from(edge.is_negative()));
            }
            Gate::Derived(derived) => open.push(side(gates.bodies[derived])),
            Gate::And(parts) => open.extend(parts.iter().map(|&part| side(part))),
        }
    }
    Ok(())
}
