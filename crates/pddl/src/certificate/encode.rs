//! A task as pseudo-Boolean constraints on one step: the state before (`x`), the operator (`o`),
//! the state after (`x^`), and the cost so far before and after it, in binary (`c`, `c^`). This is
//! the part of a certificate that must be trusted, so it is as direct as it can be: what shortens
//! proofs is defined in the proof. Tests compare the constraints' solutions with the transitions
//! that the validator allows.
//!
//! Plans cheaper than the claimed cost C are what the claim excludes, so the counter only has to
//! hold costs below C: it has as many bits as C. A step that would overflow it has no solution.
//! For the claim that there is no plan at all, there are no costs.

use std::ops::Range;

use ployglot_base::Poll;

use super::gates::Gates;
use super::opb::{Constraint, Defined, Id, Kind, Known, Lit, Section, Terms};
use super::{CannotCertify, Claim, Names};
use crate::circuit::FactId;
use crate::task::Task;

pub struct Encoding<'a> {
    pub task: &'a Task,
    pub claim: Claim,
    /// The number of bits of the cost.
    pub bits: u32,
    /// What plans cost at least; 1 for a task without costs that is unsolvable.
    pub bound: u64,
    pub section: Section,
    pub gates: Vec<Constraint>,
    pub gate_ids: Vec<Defined>,
    pub operators: Vec<EncodedOperator>,
    pub goal: Known,
    /// The constraint that at most one operator is applied.
    pub at_most_one: Id,
    /// For each fact, the operators that may change it.
    pub changers: Vec<Vec<Lit>>,
    /// For each fact, that it stays true, and that it stays false, unless an operator that may
    /// change it is applied.
    pub frames: Vec<[Id; 2]>,
    /// The cost after a step is at least the cost before and that of the operator; `None` without
    /// costs.
    pub cost: Option<Id>,
}

pub struct EncodedOperator {
    /// All must hold.
    pub precondition: Vec<Known>,
    pub effects: Vec<EncodedEffect>,
    /// The facts that the operator may change, sorted, each with its constraints.
    pub touched: Vec<(FactId, Range<Id>)>,
    /// The cost that is due in every state.
    pub cost: u64,
    /// Costs that depend on the state.
    pub extras: Vec<Extra>,
}

pub struct EncodedEffect {
    pub condition: Known,
    pub adds: Vec<FactId>,
    pub deletes: Vec<FactId>,
}

pub struct Extra {
    pub condition: Lit,
    pub weight: u64,
    /// The operator is applied and the condition holds.
    pub lit: Lit,
    pub defined: Defined,
}

pub fn bad_init() -> Lit {
    Lit::of(Kind::Bad, 0)
}

pub fn bad_step() -> Lit {
    Lit::of(Kind::Bad, 1)
}

pub fn bad_goal() -> Lit {
    Lit::of(Kind::Bad, 2)
}

pub fn invariant() -> Lit {
    Lit::of(Kind::Invariant, 0)
}

pub fn fact(fact: FactId) -> Lit {
    Lit::of(Kind::Fact, fact.0)
}

pub fn operator(at: usize) -> Lit {
    Lit::of(Kind::Operator, at as u32)
}

impl<'a> Encoding<'a> {
    pub fn new(
        task: &'a Task,
        claim: Claim,
        names: &Names,
        poll: &Poll,
    ) -> Result<Self, CannotCertify> {
        if !task.numbers.is_empty() {
            return Err(CannotCertify::Feature(
                "its operators change numbers, which the encoding does not have",
            ));
        }
        let (bits, bound) = match claim {
            Claim::AtLeast(cost) => (u32::BITS - cost.leading_zeros(), u64::from(cost)),
            Claim::Unsolvable => (0, 1),
        };
        let mut encoding = Self {
            task,
            claim,
            bits,
            bound,
            section: Section::default(),
            gates: Vec::new(),
            gate_ids: Vec::new(),
            operators: Vec::new(),
            goal: Known::TRUE,
            at_most_one: 0,
            changers: vec![Vec::new(); task.facts.len()],
            frames: Vec::new(),
            cost: None,
        };
        encoding.formulas(names, poll)?;
        encoding.steps(names, poll)?;
        encoding.costs(poll)?;
        Ok(encoding)
    }

    /// Whether costs are counted.
    fn has_costs(&self) -> bool {
        matches!(self.claim, Claim::AtLeast(_))
    }

    /// The gates of all formulas.
    fn formulas(&mut self, names: &Names, poll: &Poll) -> Result<(), CannotCertify> {
        let task = self.task;
        let mut gates = Gates::new(task, poll)?;
        for operator in &task.operators {
            poll.try_step()?;
            let mut encoded = EncodedOperator {
                precondition: Vec::new(),
                effects: Vec::new(),
                touched: Vec::new(),
                cost: 0,
                extras: Vec::new(),
            };
            for part in task.circuit.conjuncts(operator.precondition) {
                match gates.literal(part)? {
                    Known::Constant(true) => {}
                    other => encoded.precondition.push(other),
                }
            }
            for effect in &operator.effects {
                let condition = gates.literal(effect.condition)?;
                if condition != Known::FALSE {
                    encoded.effects.push(EncodedEffect {
                        condition,
                        adds: effect.adds.clone(),
                        deletes: effect.deletes.clone(),
                    });
                }
            }
            if self.has_costs() {
                for &(condition, weight) in &operator.costs {
                    match gates.literal(condition)? {
                        _ if weight == 0 => {}
                        Known::Constant(true) => encoded.cost += u64::from(weight),
                        Known::Constant(false) => {}
                        Known::Lit(condition) => encoded.extras.push(Extra {
                            condition,
                            weight: u64::from(weight),
                            lit: condition,
                            defined: Defined {
                                forward: 0,
                                backward: 0,
                            },
                        }),
                    }
                }
            }
            if encoded.cost > u64::from(u32::MAX) {
                return Err(CannotCertify::Feature("an operator's cost is too large"));
            }
            self.operators.push(encoded);
        }
        self.goal = gates.literal(task.goal)?;
        self.gates = gates.gates;
        let section = &mut self.section;
        section.comment("PART 1: THE TASK");
        section.comment("");
        section.comment("Facts before a step; after it, with the mark ^.");
        for (at, name) in names.facts.iter().enumerate() {
            section.comment(&format!("x{at} {name}"));
        }
        section.comment("");
        section.comment("Formulas before the step. Each is defined by two constraints.");
        for (at, gate) in self.gates.iter().enumerate() {
            poll.try_step()?;
            let lit = Lit::of(Kind::Gate, at as u32);
            self.gate_ids.push(section.define(lit, gate.clone()));
        }
        Ok(())
    }

    /// The constraints on the operator and on the facts after it.
    fn steps(&mut self, names: &Names, poll: &Poll) -> Result<(), CannotCertify> {
        let section = &mut self.section;
        let count = self.operators.len();
        section.comment("");
        section.comment("At most one operator is applied; a step applies one.");
        let others = (0..count).map(|at| (1, !operator(at))).collect();
        self.at_most_one = section.add(&Constraint {
            terms: others,
            degree: (count as u64).saturating_sub(1),
        });
        section.clause([!bad_step()].into_iter().chain((0..count).map(operator)));
        for (at, encoded) in self.operators.iter_mut().enumerate() {
            poll.try_step()?;
            section.comment("");
            section.comment(&format!("o{at} {}", names.operators[at]));
            let applied = operator(at);
            for part in &encoded.precondition {
                section.clause([!applied].into_iter().chain(part.lit()));
            }
            let effects = encoded.effects.iter();
            let mut changed: Vec<FactId> = effects
                .flat_map(|effect| effect.adds.iter().chain(&effect.deletes).copied())
                .collect();
            changed.sort();
            changed.dedup();
            for each in changed {
                let first = section.last + 1;
                change(section, applied, each, &encoded.effects);
                encoded.touched.push((each, first..section.last + 1));
                self.changers[each.0 as usize].push(applied);
            }
        }
        section.comment("");
        section.comment("A fact keeps its value unless an operator that may change it is applied.");
        for (at, changers) in self.changers.iter().enumerate() {
            poll.try_step()?;
            let before = fact(FactId(at as u32));
            let keeps = |value: Lit| [!value, value.after()].into_iter().chain(changers.clone());
            let ids = [before, !before].map(|value| section.clause(keeps(value)));
            self.frames.push(ids);
        }
        Ok(())
    }

    /// The cost after a step.
    fn costs(&mut self, poll: &Poll) -> Result<(), CannotCertify> {
        if !self.has_costs() {
            return Ok(());
        }
        let section = &mut self.section;
        section.comment("");
        section.comment(
            "Costs that depend on the state: the operator is applied and the condition holds.",
        );
        let mut paid: Terms = Vec::new();
        let mut extras = 0;
        for (at, encoded) in self.operators.iter_mut().enumerate() {
            poll.try_step()?;
            if encoded.cost > 0 {
                paid.push((encoded.cost, operator(at)));
            }
            for extra in &mut encoded.extras {
                extra.lit = Lit::of(Kind::Extra, extras);
                extras += 1;
                let both = Constraint {
                    terms: vec![(1, operator(at)), (1, extra.condition)],
                    degree: 2,
                };
                extra.defined = section.define(extra.lit, both);
                paid.push((extra.weight, extra.lit));
            }
        }
        section.comment("");
        section
            .comment("The cost after the step is the cost before it and the cost of the operator.");
        let total: u64 = paid.iter().map(|(weight, _)| weight).sum();
        let bits = cost_terms(self.bits);
        let most = (1u64 << self.bits) - 1;
        let join = |after: bool| -> Terms {
            let costs = bits.iter().map(|&(by, bit)| match after {
                true => (by, bit.after()),
                false => (by, !bit.after()),
            });
            let before = bits.iter().map(|&(by, bit)| match after {
                true => (by, !bit),
                false => (by, bit),
            });
            let paid = paid.iter().map(|&(by, lit)| match after {
                true => (by, !lit),
                false => (by, lit),
            });
            costs.chain(before).chain(paid).collect()
        };
        // after >= before + paid, where -l is written as not l - 1.
        self.cost = Some(section.add(&Constraint {
            terms: join(true),
            degree: most + total,
        }));
        // after <= before + paid.
        section.add(&Constraint {
            terms: join(false),
            degree: most,
        });
        Ok(())
    }

    /// What must be impossible if the invariant is one.
    pub fn claim(&self, section: &mut Section) {
        section.comment("PART 3: THE CLAIM");
        section.comment("");
        section.comment("One of three things is wrong with the invariant. This has no solution.");
        section.clause([bad_init(), bad_step(), bad_goal()]);
        section.comment("At the start, with cost 0, it does not hold;");
        let facts = (0..self.task.facts.len() as u32).map(FactId);
        let start: Terms = facts
            .map(|each| (1, fact(each).var.is(self.task.starts_with(each))))
            .collect();
        let degree = start.len() as u64;
        let starts = Constraint {
            terms: start,
            degree,
        };
        if degree > 0 {
            section.add(&starts.implied_by(bad_init()));
        }
        if self.bits > 0 {
            let bits = cost_terms(self.bits).into_iter();
            let zero = Constraint {
                terms: bits.map(|(_, bit)| (1, !bit)).collect(),
                degree: u64::from(self.bits),
            };
            section.add(&zero.implied_by(bad_init()));
        }
        section.clause([!bad_init(), !invariant()]);
        section.comment("or it holds before a step and not after it;");
        section.clause([!bad_step(), invariant()]);
        section.clause([!bad_step(), !invariant().after()]);
        section.comment(match self.claim {
            Claim::AtLeast(_) => "or it holds in a goal state with a smaller cost than is claimed.",
            Claim::Unsolvable => "or it holds in a goal state.",
        });
        if self.goal != Known::TRUE {
            section.clause([!bad_goal()].into_iter().chain(self.goal.lit()));
        }
        section.clause([!bad_goal(), invariant()]);
        if let Claim::AtLeast(cost) = self.claim {
            let most = (1u64 << self.bits) - 1;
            let bits = cost_terms(self.bits).into_iter();
            // The cost is at most the claimed one less 1.
            let cheaper = Constraint {
                terms: bits.map(|(by, bit)| (by, !bit)).collect(),
                degree: most + 1 - u64::from(cost),
            };
            section.add(&cheaper.implied_by(bad_goal()));
        }
    }

    /// The number of variables of the first and the third part.
    pub fn variables(&self) -> usize {
        let extras = self.operators.iter().map(|each| each.extras.len());
        let (facts, operators) = (self.task.facts.len(), self.operators.len());
        2 * facts
            + 2 * self.bits as usize
            + operators
            + self.gates.len()
            + extras.sum::<usize>()
            + 3
    }
}

/// The bits of the cost with their values.
pub fn cost_terms(bits: u32) -> Terms {
    (0..bits)
        .map(|bit| (1 << bit, Lit::of(Kind::Cost, bit)))
        .collect()
}

/// The value of a fact after an operator that may change it: it is added, or it held and is not
/// deleted. A fact that is both added and deleted is added.
fn change(section: &mut Section, applied: Lit, changed: FactId, effects: &[EncodedEffect]) {
    let (before, after) = (fact(changed), fact(changed).after());
    let conditions = |of: fn(&EncodedEffect) -> &Vec<FactId>| -> Vec<Known> {
        let changing = effects
            .iter()
            .filter(|effect| of(effect).contains(&changed));
        changing.map(|effect| effect.condition).collect()
    };
    let adding = conditions(|effect| &effect.adds);
    let deleting = conditions(|effect| &effect.deletes);
    let lits =
        |known: &[Known]| -> Vec<Lit> { known.iter().filter_map(|each| each.lit()).collect() };
    let (is_added, is_deleted) = (
        adding.contains(&Known::TRUE),
        deleting.contains(&Known::TRUE),
    );
    if is_added {
        section.clause([!applied, after]);
        return;
    }
    for add in lits(&adding) {
        section.clause([!applied, !add, after]);
    }
    let not_added = lits(&adding);
    for delete in &deleting {
        let when = delete.lit().map(|lit| !lit);
        let clause = [!applied].into_iter().chain(when);
        section.clause(clause.chain(not_added.clone()).chain([!after]));
    }
    if !is_deleted {
        let kept = [!applied, !before].into_iter().chain(lits(&deleting));
        section.clause(kept.chain([after]));
        let kept = [!applied, before].into_iter().chain(not_added);
        section.clause(kept.chain([!after]));
    }
}
