//! Certificates of the hmax estimate (Bonet and Geffner 2001).
//!
//! For a state that was reached with the cost g, a table has for each literal of a fact the least
//! cost T at which it can be true from now on, by the relaxation in which a conjunction is as late
//! as its latest part. The condition "every literal that is true has T at most the cost so far"
//! holds in the state, and it is kept by every operator: what the operator needs is not true
//! earlier, so neither is what it makes true. If the goal's T is the claimed cost, the condition
//! proves the claim. Unlike a pattern database, a table is made for one state; but it serves every
//! other state in which its condition holds.

use ployglot_base::Poll;

use super::CannotCertify;
use super::encode::{Encoding, bad_goal, bad_step, fact, operator};
use super::invariant::Invariant;
use super::opb::{Constraint, Kind, Known, Lit};
use super::proof::Prover;
use super::search::Verdict;
use crate::circuit::FactId;
use crate::task::State;

#[derive(Default)]
pub struct MaxTables {
    tables: Vec<Table>,
}

/// For each literal, the least cost at which it can be true; the claimed cost where that is more.
struct Table {
    /// The least of all.
    least: u64,
    /// For each fact, the cost at which it can be false, and true.
    facts: Vec<[u64; 2]>,
    /// The same for each gate.
    gates: Vec<[u64; 2]>,
}

impl MaxTables {
    /// Whether every plan through this state costs at least as much as is claimed.
    pub fn judge(
        &mut self,
        encoding: &Encoding,
        state: &State,
        cost: u64,
        poll: &Poll,
    ) -> Result<Verdict, CannotCertify> {
        for (number, table) in self.tables.iter().enumerate() {
            poll.try_step()?;
            if table.covers(state, cost) {
                return Ok(Verdict::Dropped(number as u32));
            }
        }
        let table = Table::new(encoding, state, cost, poll)?;
        if table.known(encoding.goal, encoding.bound) < encoding.bound {
            return Ok(Verdict::Open);
        }
        let bytes = size_of::<[u64; 2]>() * (table.facts.len() + table.gates.len());
        poll.affords(bytes)?;
        self.tables.push(table);
        Ok(Verdict::Dropped(self.tables.len() as u32 - 1))
    }

    /// All costs in the tables.
    pub fn levels(&self) -> impl Iterator<Item = u64> + '_ {
        let tables = self.tables.iter();
        tables.flat_map(|table| table.facts.iter().chain(&table.gates).flatten().copied())
    }

    pub fn define(
        &self,
        invariant: &mut Invariant,
        poll: &Poll,
        holds: &mut Vec<Lit>,
    ) -> Result<(), CannotCertify> {
        invariant.comment("l: a literal is false, or the cost so far is at least that of a table.");
        let mut late = 0;
        for (lit, cost) in self.tables.iter().flat_map(Table::late_facts) {
            poll.try_step()?;
            let Known::Lit(level) = invariant.at_least(cost) else {
                continue;
            };
            if !invariant.late.contains_key(&(lit, cost)) {
                let clause = Constraint::clause([!lit, level]);
                let name = Lit::of(Kind::Late, late);
                late += 1;
                let defined = invariant.define(name, clause);
                invariant.late.insert((lit, cost), (name, defined));
            }
        }
        invariant.comment("m: all of these, for one table.");
        for (number, table) in self.tables.iter().enumerate() {
            poll.try_step()?;
            let mut lits: Vec<Lit> = invariant.at_least(table.least).lit().into_iter().collect();
            lits.extend(
                table
                    .late_facts()
                    .map(|(lit, cost)| invariant.late(lit, cost)),
            );
            let lit = Lit::of(Kind::Table, number as u32);
            let all = Constraint {
                degree: lits.len() as u64,
                terms: lits.into_iter().map(|lit| (1, lit)).collect(),
            };
            let defined = invariant.define(lit, all);
            invariant.tables.push(defined);
            holds.push(lit);
        }
        Ok(())
    }

    /// The condition of each table is kept by every operator, and proves the claim.
    pub fn prove(&self, prover: &mut Prover) -> Result<(), CannotCertify> {
        for (number, table) in self.tables.iter().enumerate() {
            prover.lines.comment(&format!("Table {number} of hmax."));
            table.prove(prover, Lit::of(Kind::Table, number as u32))?;
        }
        Ok(())
    }

    /// A dropped state satisfies the condition of its table.
    pub fn prove_state(&self, prover: &mut Prover, at: u32, number: u32) {
        let table = Lit::of(Kind::Table, number);
        let state = Lit::of(Kind::Listed, at);
        prover.lines.rup_clause([!state.after(), table.after()]);
    }
}

impl Table {
    fn new(
        encoding: &Encoding,
        state: &State,
        cost: u64,
        poll: &Poll,
    ) -> Result<Self, CannotCertify> {
        let never = encoding.bound;
        let facts = (0..encoding.task.facts.len() as u32).map(|at| {
            let holds = state.holds(FactId(at));
            [!holds, holds].map(|now| if now { cost } else { never })
        });
        let mut table = Self {
            least: cost,
            facts: facts.collect(),
            gates: vec![[never; 2]; encoding.gates.len()],
        };
        loop {
            table.update_gates(encoding, poll)?;
            let mut changed = false;
            for each in &encoding.operators {
                poll.try_step()?;
                let needed = each.precondition.iter();
                let needed = needed
                    .map(|&part| table.known(part, never))
                    .max()
                    .unwrap_or(cost);
                for effect in &each.effects {
                    let from = needed.max(table.known(effect.condition, never)).max(cost);
                    let total = (from + each.cost).min(never);
                    for (facts, value) in [(&effect.adds, 1), (&effect.deletes, 0)] {
                        for fact in facts {
                            let held = &mut table.facts[fact.0 as usize][value];
                            changed |= total < *held;
                            *held = total.min(*held);
                        }
                    }
                }
            }
            if !changed {
                return Ok(table);
            }
        }
    }

    /// Computes the costs of the gates from those of the facts.
    fn update_gates(&mut self, encoding: &Encoding, poll: &Poll) -> Result<(), CannotCertify> {
        let mut costs: Vec<(u64, u64)> = Vec::new();
        for (at, gate) in encoding.gates.iter().enumerate() {
            poll.try_step()?;
            // It can be true once enough of its parts can be, and false once enough can be false.
            let against = gate.total() + 1 - gate.degree;
            for (value, needed) in [(1, gate.degree), (0, against)] {
                costs.clear();
                costs.extend(gate.terms.iter().map(|&(by, lit)| {
                    let lit = if value == 1 { lit } else { !lit };
                    (self.of(lit), by)
                }));
                costs.sort();
                let mut sum = 0;
                let latest = costs.iter().find(|(_, by)| {
                    sum += by;
                    sum >= needed
                });
                self.gates[at][value] = latest.map_or(encoding.bound, |(cost, _)| *cost);
            }
        }
        Ok(())
    }

    /// The cost at which a literal can be true.
    fn of(&self, lit: Lit) -> u64 {
        let of = match lit.var.kind {
            Kind::Fact => &self.facts,
            _ => &self.gates,
        };
        of[lit.var.index as usize][usize::from(lit.positive)]
    }

    fn known(&self, known: Known, never: u64) -> u64 {
        match known {
            Known::Constant(true) => 0,
            Known::Constant(false) => never,
            Known::Lit(lit) => self.of(lit),
        }
    }

    /// Whether the condition of the table holds.
    fn covers(&self, state: &State, cost: u64) -> bool {
        let mut facts = self.facts.iter().enumerate();
        facts.all(|(at, costs)| costs[usize::from(state.holds(FactId(at as u32)))] <= cost)
            && self.least <= cost
    }

    /// The literals of facts that cannot be true at once.
    fn late_facts(&self) -> impl Iterator<Item = (Lit, u64)> + '_ {
        let facts = self.facts.iter().enumerate().flat_map(|(at, costs)| {
            let lit = fact(FactId(at as u32));
            [(!lit, costs[0]), (lit, costs[1])]
        });
        facts.filter(|(_, cost)| *cost > self.least)
    }

    fn prove(&self, prover: &mut Prover, table: Lit) -> Result<(), CannotCertify> {
        let (encoding, invariant) = (prover.encoding, prover.invariant);
        // A gate is true no earlier than its table says.
        for (at, costs) in self.gates.iter().enumerate() {
            let gate = Lit::of(Kind::Gate, at as u32);
            for (lit, cost) in [(!gate, costs[0]), (gate, costs[1])] {
                prover.poll.try_step()?;
                if cost > self.least {
                    let level = invariant.at_least(cost).lit();
                    prover
                        .lines
                        .rup_clause([!table, !lit].into_iter().chain(level));
                }
            }
        }
        prover.raise(self.least, self.least);
        // An operator makes no literal true earlier.
        for (at, each) in encoding.operators.iter().enumerate() {
            let needed = each.precondition.iter();
            let needed = needed.map(|&part| self.known(part, encoding.bound)).max();
            for effect in &each.effects {
                for (facts, value) in [(&effect.adds, true), (&effect.deletes, false)] {
                    for &changed in facts {
                        prover.poll.try_step()?;
                        let lit = fact(changed).var.is(value);
                        let cost = self.of(lit);
                        if cost <= self.least {
                            continue;
                        }
                        let condition = self.known(effect.condition, encoding.bound);
                        let from = needed.unwrap_or(0).max(condition).max(self.least);
                        prover.raise(from, cost);
                    }
                }
            }
            for &(changed, _) in &each.touched {
                for lit in [fact(changed), !fact(changed)] {
                    prover.poll.try_step()?;
                    let cost = self.of(lit);
                    if cost > self.least {
                        prover.raise(cost, cost);
                        let late = invariant.late(lit, cost).after();
                        prover.lines.rup_clause([!table, !operator(at), late]);
                    }
                }
            }
        }
        // So every literal is as late as before, whatever the operator.
        for (lit, cost) in self.late_facts() {
            prover.poll.try_step()?;
            prover.raise(cost, cost);
            let late = invariant.late(lit, cost).after();
            prover.lines.rup_clause([!table, !bad_step(), late]);
        }
        prover.lines.rup_clause([!table, !bad_step()]);
        prover.lines.rup_clause([!table, !bad_goal()]);
        Ok(())
    }
}
