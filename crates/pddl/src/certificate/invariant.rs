//! The invariant of a certificate, as definitions over the state and the cost so far. It holds where
//!
//! - the cost so far is at least the claimed cost, or
//! - the state is one of the expanded states, and the cost so far is at least what the search
//!   reached it with, or
//! - the estimate proves the claim for the state and the cost so far (`max`, `projections`).
//!
//! Every definition is written twice: for the state before a step, and, with the mark `^` on every
//! variable, for the state after it.

use std::collections::BTreeSet;

use ployglot_base::Poll;
use rustc_hash::FxHashMap;

use super::CannotCertify;
use super::encode::{Encoding, cost_terms, invariant};
use super::max::MaxTables;
use super::opb::{Constraint, Defined, Id, Kind, Known, Lit, Section};
use super::projections::Patterns;
use super::search::Explored;
use super::tree::{self, NodeAt, Tree};

/// What the certificate's estimate needs.
pub enum Tables {
    Blind,
    Max(MaxTables),
    Projections(Patterns),
}

/// A state that was found.
#[derive(Clone, Copy)]
pub struct ListedState {
    pub root: NodeAt,
    pub defined: Defined,
    /// The definition of its cost; `None` where that is 0.
    pub level: Option<Defined>,
}

pub struct Invariant {
    pub before: Section,
    pub after: Section,
    /// The number of definitions.
    pub defined: usize,
    bits: u32,
    levels: FxHashMap<u64, Defined>,
    /// The levels in ascending order.
    pub ascending: Vec<u64>,
    pub tree: Tree,
    pub tree_ids: Vec<Defined>,
    /// The states that were found.
    pub listed: Vec<ListedState>,
    /// The definitions of the estimate: see there.
    pub late: FxHashMap<(Lit, u64), (Lit, Defined)>,
    pub tables: Vec<Defined>,
    pub abstract_states: Vec<Vec<(Lit, Defined)>>,
    pub sum: Option<Defined>,
}

impl Invariant {
    pub fn new(
        encoding: &Encoding,
        explored: &Explored,
        tables: &Tables,
        poll: &Poll,
    ) -> Result<Self, CannotCertify> {
        let mut this = Self {
            before: Section::after(encoding.section.last),
            after: Section::default(),
            defined: 0,
            bits: encoding.bits,
            levels: FxHashMap::default(),
            ascending: Vec::new(),
            tree: Tree::new(encoding.task.facts.len()),
            tree_ids: Vec::new(),
            listed: Vec::new(),
            late: FxHashMap::default(),
            tables: Vec::new(),
            abstract_states: Vec::new(),
            sum: None,
        };
        let [first, second] = [false, true].map(|after| {
            let when = if after {
                "AFTER A STEP"
            } else {
                "BEFORE A STEP"
            };
            format!("PART 2: THE INVARIANT, {when}")
        });
        this.before.comment(&first);
        this.after.comment(&second);
        this.define_levels(encoding, explored, tables);
        let mut holds: Vec<Lit> = this.at_least(encoding.bound).lit().into_iter().collect();
        this.list(explored, poll, &mut holds)?;
        match tables {
            Tables::Blind => {}
            Tables::Max(max) => max.define(&mut this, poll, &mut holds)?,
            Tables::Projections(patterns) => {
                patterns.define(encoding, &mut this, poll, &mut holds)?
            }
        }
        this.comment("The invariant.");
        let mut some = Constraint::clause(holds);
        if this.at_least(encoding.bound) == Known::TRUE {
            // Every plan costs at least 0.
            some = Constraint::default();
        }
        this.define(invariant(), some);
        // The second copy comes after the first.
        this.after.last = this.before.last + this.shift();
        Ok(this)
    }

    /// Writes a definition twice.
    pub fn define(&mut self, lit: Lit, constraint: Constraint) -> Defined {
        self.defined += 1;
        self.after.define(lit.after(), constraint.after());
        self.before.define(lit, constraint)
    }

    pub fn comment(&mut self, text: &str) {
        self.before.comment("");
        self.before.comment(text);
        self.after.comment("");
        self.after.comment(text);
    }

    /// How much larger the numbers of constraints are in the second copy.
    fn shift(&self) -> Id {
        2 * self.defined as Id
    }

    /// The same definition in the second copy.
    pub fn after(&self, of: Defined) -> Defined {
        Defined {
            forward: of.forward + self.shift(),
            backward: of.backward + self.shift(),
        }
    }

    /// That the cost so far is at least this.
    pub fn at_least(&self, cost: u64) -> Known {
        match cost {
            0 => Known::TRUE,
            _ if cost >> self.bits > 0 => Known::FALSE,
            _ => Known::Lit(Lit::of(Kind::AtLeast, cost as u32)),
        }
    }

    /// The definition of that, where it is not constant.
    pub fn level(&self, cost: u64) -> Option<Defined> {
        self.levels.get(&cost).copied()
    }

    /// That a literal is false or the cost so far is at least this. Where the cost cannot be, the
    /// negated literal itself.
    pub fn late(&self, lit: Lit, cost: u64) -> Lit {
        self.late.get(&(lit, cost)).map_or(!lit, |known| known.0)
    }

    fn define_levels(&mut self, encoding: &Encoding, explored: &Explored, tables: &Tables) {
        let mut levels: BTreeSet<u64> = explored.costs.iter().copied().collect();
        levels.insert(encoding.bound);
        if let Tables::Max(max) = tables {
            levels.extend(max.levels());
        }
        self.comment("g5: the cost so far is at least 5.");
        for level in levels {
            if let Known::Lit(lit) = self.at_least(level) {
                let terms = cost_terms(self.bits);
                let degree = level;
                let defined = self.define(lit, Constraint { terms, degree });
                self.levels.insert(level, defined);
                self.ascending.push(level);
            }
        }
    }

    /// The states that were found.
    fn list(
        &mut self,
        explored: &Explored,
        poll: &Poll,
        holds: &mut Vec<Lit>,
    ) -> Result<(), CannotCertify> {
        self.comment("s: facts have given values. The last ones are whole states.");
        let mut roots = Vec::with_capacity(explored.states.len());
        for state in &explored.states {
            poll.try_step()?;
            roots.push(self.tree.insert(state));
        }
        for node in 0..self.tree.nodes.len() as NodeAt {
            poll.try_step()?;
            let definition = self.tree.definition(node);
            let defined = self.define(tree::lit(node), definition);
            self.tree_ids.push(defined);
        }
        self.comment(
            "e: one of the listed states, with at least the cost that it was reached with.",
        );
        for (at, root) in roots.into_iter().enumerate() {
            poll.try_step()?;
            let lit = Lit::of(Kind::Listed, at as u32);
            let mut terms = vec![(1, tree::lit(root))];
            terms.extend(
                self.at_least(explored.costs[at])
                    .lit()
                    .map(|level| (1, level)),
            );
            let degree = terms.len() as u64;
            let defined = self.define(lit, Constraint { terms, degree });
            let level = self.level(explored.costs[at]);
            self.listed.push(ListedState {
                root,
                defined,
                level,
            });
            if explored.dropped[at].is_none() {
                holds.push(lit);
            }
        }
        Ok(())
    }

    /// The number of variables of both copies.
    pub fn variables(&self) -> usize {
        2 * self.defined
    }
}
