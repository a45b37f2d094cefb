//! VeriPB proofs (version 3.0): a writer for their lines, and the part of the proof that every
//! estimate needs.
//!
//! The proof derives that none of the three failures of the invariant is possible. For each
//! expanded state and each applicable operator, one line proves that the state after it is listed,
//! or costs as much as is claimed. Its hints name the constraints that unit propagation needs, so
//! its check takes as long as the change of a few facts, not as long as the task is large. The
//! lines without hints (one or two for each state) evaluate the formulas of the task in that state.

use std::io::Write;

use ployglot_base::{Poll, Space};
use rustc_hash::FxHashMap;

use super::CannotCertify;
use super::encode::{Encoding, bad_goal, bad_init, bad_step, fact, operator};
use super::invariant::{Invariant, Tables};
use super::opb::{Constraint, Defined, Id, Kind, Known, Lit};
use super::search::{Explored, cost};
use super::tree::{self, Content, NodeAt};
use crate::circuit::FactId;
use crate::task::{OperatorId, State};

/// The lines of a proof.
pub struct Lines<'w> {
    out: &'w mut dyn Write,
    /// The number of the last constraint.
    last: Id,
    /// The first error of the writer.
    failed: Option<std::io::Error>,
}

impl<'w> Lines<'w> {
    /// `formula` is the number of constraints of the OPB file.
    pub fn new(out: &'w mut dyn Write, formula: Id) -> Self {
        let mut lines = Self {
            out,
            last: formula,
            failed: None,
        };
        lines.line(format_args!(
            "pseudo-Boolean proof version 3.0\nf {formula};"
        ));
        lines
    }

    fn line(&mut self, text: std::fmt::Arguments) {
        if self.failed.is_none() {
            let written = self.out.write_fmt(text);
            self.failed = written.and_then(|()| self.out.write_all(b"\n")).err();
        }
    }

    pub fn comment(&mut self, text: &str) {
        self.line(format_args!("% {text}"));
    }

    /// A constraint that follows by unit propagation from all constraints.
    pub fn rup(&mut self, constraint: &Constraint) -> Id {
        self.line(format_args!("rup {constraint};"));
        self.next()
    }

    pub fn rup_clause(&mut self, lits: impl IntoIterator<Item = Lit>) -> Id {
        self.rup(&Constraint::clause(lits))
    }

    /// A constraint that follows by unit propagation from these.
    pub fn rup_from(&mut self, constraint: &Constraint, hints: &[Id]) -> Id {
        let hints: String = hints.iter().map(|id| format!(" {id}")).collect();
        self.line(format_args!("rup {constraint} : ~{hints};"));
        self.next()
    }

    /// The sum of these constraints, each with a factor.
    pub fn sum(&mut self, constraints: &[(Id, u64)]) -> Id {
        let mut text = String::from("pol");
        for (at, (id, factor)) in constraints.iter().enumerate() {
            text += &format!(" {id}");
            if *factor != 1 {
                text += &format!(" {factor} *");
            }
            if at > 0 {
                text += " +";
            }
        }
        self.line(format_args!("{text};"));
        self.next()
    }

    /// A new variable that is defined by a constraint.
    pub fn define(&mut self, lit: Lit, constraint: Constraint) -> Defined {
        let backward = constraint.implies(lit);
        self.line(format_args!(
            "red {} : {lit} -> 0;",
            constraint.implied_by(lit)
        ));
        let forward = self.next();
        self.line(format_args!("red {backward} : {lit} -> 1;"));
        let backward = self.next();
        Defined { forward, backward }
    }

    pub fn delete(&mut self, ids: &[Id]) {
        if !ids.is_empty() {
            let ids: String = ids.iter().map(|id| format!(" {id}")).collect();
            self.line(format_args!("del id{ids};"));
        }
    }

    fn next(&mut self) -> Id {
        self.last += 1;
        self.last
    }

    fn finish(mut self) -> Result<(), CannotCertify> {
        let last = self.last;
        self.line(format_args!(
            "output NONE;\nconclusion UNSAT : {last};\nend pseudo-Boolean proof;"
        ));
        self.failed.map_or(Ok(()), |error| Err(error.into()))
    }

    fn check(&mut self) -> Result<(), CannotCertify> {
        self.failed.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

/// A proof under way.
pub struct Prover<'a, 'w> {
    pub encoding: &'a Encoding<'a>,
    pub invariant: &'a Invariant,
    pub lines: Lines<'w>,
    pub poll: &'a Poll,
    /// For each fact, that it may be changed: the definition, and that it stays as it was
    /// otherwise.
    touched: FxHashMap<u32, (Defined, [Id; 2])>,
    /// The same for each position of the tree.
    touched_parts: Vec<Option<Defined>>,
    /// For each node, that it stays as it was unless its part may be changed.
    kept: FxHashMap<NodeAt, Id>,
    /// For each price, its definition.
    prices: FxHashMap<u64, Defined>,
    /// The cost after a step is at least the cost before and the price.
    priced: Option<Id>,
    /// For each operator that is applied, what it changes and costs.
    applied: FxHashMap<u32, Id>,
    /// For two costs: from the first one before a step follows the second one after it, if the
    /// operator costs the difference.
    raises: FxHashMap<(u64, u64), Id>,
}

/// The indices of parts, among the variables for what is touched, come after those of facts.
fn part(encoding: &Encoding, position: usize) -> Lit {
    Lit::of(Kind::Touched, (encoding.task.facts.len() + position) as u32)
}

fn touched(at: u32) -> Lit {
    Lit::of(Kind::Touched, at)
}

fn price(of: u64) -> Lit {
    Lit::of(Kind::Price, of as u32)
}

fn listed(at: u32) -> Lit {
    Lit::of(Kind::Listed, at)
}

/// Writes the whole proof.
pub fn prove(
    encoding: &Encoding,
    invariant: &Invariant,
    explored: &Explored,
    tables: &Tables,
    lines: Lines,
    poll: &Poll,
) -> Result<(), CannotCertify> {
    let mut prover = Prover {
        encoding,
        invariant,
        lines,
        poll,
        touched: FxHashMap::default(),
        touched_parts: Vec::new(),
        kept: FxHashMap::default(),
        prices: FxHashMap::default(),
        priced: None,
        applied: FxHashMap::default(),
        raises: FxHashMap::default(),
    };
    prover
        .touched_parts
        .resize(invariant.tree.positions.len(), None);
    prover.levels();
    match tables {
        Tables::Blind => {}
        Tables::Max(max) => max.prove(&mut prover)?,
        Tables::Projections(patterns) => patterns.prove(&mut prover)?,
    }
    prover.lines.comment("The listed states.");
    for (at, number) in explored.dropped.iter().enumerate() {
        poll.try_step()?;
        let Some(number) = number else { continue };
        match tables {
            Tables::Blind => {}
            Tables::Max(max) => max.prove_state(&mut prover, at as u32, *number),
            Tables::Projections(patterns) => {
                patterns.prove_state(&mut prover, at as u32, &explored.states[at])
            }
        }
    }
    for at in explored.expanded() {
        prover.state(explored, at)?;
        prover.lines.check()?;
    }
    prover
        .lines
        .comment("None of the three failures is possible.");
    for bad in [bad_init(), bad_step(), bad_goal()] {
        prover.lines.rup_clause([!bad]);
    }
    prover.lines.rup_clause([]);
    prover.lines.finish()
}

impl Prover<'_, '_> {
    /// What holds of the costs alone.
    fn levels(&mut self) {
        self.lines.comment("The cost so far.");
        let ascending = &self.invariant.ascending;
        for pair in ascending.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|level| {
                let defined = self.invariant.level(level).expect("the level is defined");
                let lit = self
                    .invariant
                    .at_least(level)
                    .lit()
                    .expect("it is no constant");
                (lit, defined)
            });
            let lits = [!high.0, low.0];
            self.lines
                .rup_from(&Constraint::clause(lits), &[high.1.forward, low.1.backward]);
            let (high_after, low_after) =
                (self.invariant.after(high.1), self.invariant.after(low.1));
            self.lines.rup_from(
                &Constraint::clause(lits.map(Lit::after)),
                &[high_after.forward, low_after.backward],
            );
        }
        self.prices();
        let bound = self.encoding.bound;
        if let Known::Lit(lit) = self.invariant.at_least(bound) {
            self.raise(bound, bound);
            self.lines.rup_clause([!lit, !bad_step()]);
            self.lines.rup_clause([!lit, !bad_goal()]);
        }
    }

    /// A variable for each price, and the cost after a step in terms of it.
    fn prices(&mut self) {
        let Some(cost) = self.encoding.cost else {
            return;
        };
        let mut groups: Vec<(u64, Vec<Lit>)> = Vec::new();
        for (at, each) in self.encoding.operators.iter().enumerate() {
            if each.cost == 0 {
                continue;
            }
            match groups.binary_search_by_key(&each.cost, |group| group.0) {
                Ok(group) => groups[group].1.push(operator(at)),
                Err(group) => groups.insert(group, (each.cost, vec![operator(at)])),
            }
        }
        let mut sum = vec![(cost, 1)];
        for (of, operators) in groups {
            let defined = self.lines.define(price(of), Constraint::clause(operators));
            self.prices.insert(of, defined);
            sum.push((defined.forward, of));
        }
        self.priced = Some(self.lines.sum(&sum));
    }

    /// That from the cost `before` follows the cost `after` if the operator costs the difference.
    /// `None` where there are no costs, or nothing has to be shown.
    pub fn raise(&mut self, before: u64, after: u64) -> Option<Id> {
        let after_defined = self.invariant.after(self.invariant.level(after)?);
        if let Some(&known) = self.raises.get(&(before, after)) {
            return Some(known);
        }
        let mut sum = vec![(self.priced?, 1), (after_defined.backward, 1)];
        if before > 0 {
            sum.push((self.invariant.level(before)?.forward, 1));
        }
        let id = self.lines.sum(&sum);
        self.raises.insert((before, after), id);
        Some(id)
    }

    /// The variable for a fact that may be changed.
    fn touched(&mut self, at: u32) -> (Defined, [Id; 2]) {
        if let Some(&known) = self.touched.get(&at) {
            return known;
        }
        let changers = self.encoding.changers[at as usize].iter().copied();
        let defined = self.lines.define(touched(at), Constraint::clause(changers));
        let before = fact(FactId(at));
        let frames = self.encoding.frames[at as usize];
        let kept = [(before, frames[0]), (!before, frames[1])].map(|(value, frame)| {
            let clause = Constraint::clause([!value, value.after(), touched(at)]);
            self.lines.rup_from(&clause, &[defined.backward, frame])
        });
        self.touched.insert(at, (defined, kept));
        (defined, kept)
    }

    /// The variable for a part that may be changed.
    fn touched_part(&mut self, position: usize) -> Defined {
        if let Some(known) = self.touched_parts[position] {
            return known;
        }
        let place = &self.invariant.tree.positions[position];
        let below: Vec<Lit> = match place.children {
            Some(children) => children
                .map(|child| {
                    self.touched_part(child);
                    part(self.encoding, child)
                })
                .to_vec(),
            None => {
                let facts = place.facts.clone();
                facts
                    .map(|at| {
                        self.touched(at as u32);
                        touched(at as u32)
                    })
                    .collect()
            }
        };
        let lit = part(self.encoding, position);
        let defined = self.lines.define(lit, Constraint::clause(below));
        self.touched_parts[position] = Some(defined);
        defined
    }

    /// That a node stays as it was unless its part may be changed.
    fn kept(&mut self, node: NodeAt) -> Id {
        if let Some(&known) = self.kept.get(&node) {
            return known;
        }
        let tree_node = self.invariant.tree.nodes[node as usize];
        let position = tree_node.position as usize;
        let whole = self.touched_part(position);
        let ids = self.invariant.tree_ids[node as usize];
        let mut hints = vec![ids.forward, whole.backward];
        match tree_node.content {
            Content::Inner(children) => {
                for child in children {
                    hints.push(self.kept(child));
                }
            }
            Content::Leaf(bits) => {
                let facts = self.invariant.tree.positions[position].facts.clone();
                for (bit, at) in facts.enumerate() {
                    let holds = bits >> bit & 1 == 1;
                    hints.push(self.touched(at as u32).1[usize::from(!holds)]);
                }
            }
        }
        hints.push(self.invariant.after(ids).backward);
        let lits = [
            !tree::lit(node),
            tree::lit(node).after(),
            part(self.encoding, position),
        ];
        let id = self.lines.rup_from(&Constraint::clause(lits), &hints);
        self.kept.insert(node, id);
        id
    }

    /// Whether an operator may change a fact of a part.
    fn touches(&self, at: u32, position: usize) -> bool {
        let facts = &self.invariant.tree.positions[position].facts;
        let changed = &self.encoding.operators[at as usize].touched;
        let first = changed.partition_point(|(fact, _)| (fact.0 as usize) < facts.start);
        let next = changed.get(first);
        next.is_some_and(|(fact, _)| (fact.0 as usize) < facts.end)
    }

    /// What follows if the operator is applied: the parts that are not changed, as large as
    /// possible, and its price. One line for each operator.
    fn applied(&mut self, at: u32) -> Id {
        if let Some(&known) = self.applied.get(&at) {
            return known;
        }
        let mut follows = Vec::new();
        self.untouched(at, 0, &mut follows);
        let cost = self.encoding.operators[at as usize].cost;
        if self.prices.contains_key(&cost) {
            follows.push(price(cost));
        }
        let all = Constraint {
            degree: follows.len() as u64,
            terms: follows.into_iter().map(|lit| (1, lit)).collect(),
        };
        let id = self.lines.rup(&all.implied_by(operator(at as usize)));
        self.applied.insert(at, id);
        id
    }

    fn untouched(&mut self, at: u32, position: usize, follows: &mut Vec<Lit>) {
        if !self.touches(at, position) {
            self.touched_part(position);
            follows.push(!part(self.encoding, position));
            return;
        }
        let place = &self.invariant.tree.positions[position];
        match place.children {
            Some(children) => {
                for child in children {
                    self.untouched(at, child, follows);
                }
            }
            None => {
                for fact in place.facts.clone() {
                    let changed = &self.encoding.operators[at as usize].touched;
                    let id = FactId(fact as u32);
                    if changed.binary_search_by_key(&id, |one| one.0).is_err() {
                        self.touched(fact as u32);
                        follows.push(!touched(fact as u32));
                    }
                }
            }
        }
    }

    /// The lines for an expanded state: every applicable operator leads to a state where the
    /// invariant holds, no other operator is applicable, and the state is no goal state.
    fn state(&mut self, explored: &Explored, at: u32) -> Result<(), CannotCertify> {
        let task = self.encoding.task;
        let state = &explored.states[at as usize];
        let mut moves = Vec::new();
        task.moves(state, &mut moves);
        let conditions = self.conditions(at, state, &moves);
        let mut used: Vec<Id> = conditions.into_iter().collect();
        for &mv in &moves {
            self.poll.try_step()?;
            let id = self.successor(explored, at, mv, conditions);
            used.push(id);
        }
        let lits = vec![(2, !listed(at)), (1, !bad_goal()), (1, !bad_step())];
        self.lines.rup(&Constraint {
            terms: lits,
            degree: 2,
        });
        self.lines.delete(&used);
        Ok(())
    }

    /// The values of the conditions of effects and costs in a state, as one constraint.
    fn conditions(&mut self, at: u32, state: &State, moves: &[OperatorId]) -> Option<Id> {
        let operators = moves
            .iter()
            .map(|mv| &self.encoding.operators[mv.0 as usize]);
        let mut wanted: Vec<Lit> = operators
            .flat_map(|each| {
                let effects = each
                    .effects
                    .iter()
                    .filter_map(|effect| effect.condition.lit());
                effects.chain(each.extras.iter().map(|extra| extra.condition))
            })
            .map(|lit| lit.var.is(true))
            .collect();
        wanted.sort();
        wanted.dedup();
        if wanted.is_empty() {
            return None;
        }
        let of_fact = |fact: FactId| Some(state.holds(fact));
        let values = gate_values(self.encoding, of_fact);
        let terms = wanted.iter().map(|lit| {
            let value = value(*lit, &of_fact, &values).expect("all facts are known");
            (1, lit.var.is(value))
        });
        let all = Constraint {
            terms: terms.collect(),
            degree: wanted.len() as u64,
        };
        Some(self.lines.rup(&all.implied_by(listed(at))))
    }

    /// The line for an operator that is applicable in an expanded state.
    fn successor(
        &mut self,
        explored: &Explored,
        at: u32,
        mv: OperatorId,
        conditions: Option<Id>,
    ) -> Id {
        let (encoding, invariant) = (self.encoding, self.invariant);
        let state = &explored.states[at as usize];
        let so_far = explored.costs[at as usize];
        let total = so_far + cost(encoding, state, mv);
        let own = invariant.listed[at as usize];
        let encoded = &encoding.operators[mv.0 as usize];
        let mut hints = vec![own.defined.forward];
        hints.extend(conditions);
        hints.push(self.applied(mv.0));
        hints.extend(encoded.extras.iter().map(|extra| extra.defined.backward));
        let assumed = [!listed(at), !operator(mv.0 as usize)];
        if total >= encoding.bound {
            let claimed = invariant.at_least(encoding.bound).lit();
            hints.extend(self.raise(so_far, encoding.bound));
            let clause = Constraint::clause(assumed.into_iter().chain(claimed.map(Lit::after)));
            return self.lines.rup_from(&clause, &hints);
        }
        let after = encoding.task.apply(state, mv);
        let next = explored.numbers[&after];
        let found = invariant.listed[next as usize];
        hints.extend(self.raise(so_far, explored.costs[next as usize]));
        self.change(mv.0, own.root, found.root, &mut hints);
        hints.push(invariant.after(found.defined).backward);
        let clause = Constraint::clause(assumed.into_iter().chain([listed(next).after()]));
        self.lines.rup_from(&clause, &hints)
    }

    /// Adds the hints by which an operator leads from one node to another at the same position.
    fn change(&mut self, at: u32, from: NodeAt, to: NodeAt, hints: &mut Vec<Id>) {
        let invariant = self.invariant;
        let node = invariant.tree.nodes[from as usize];
        let position = node.position as usize;
        if !self.touches(at, position) {
            hints.push(self.kept(from));
            return;
        }
        hints.push(invariant.tree_ids[from as usize].forward);
        match (node.content, invariant.tree.nodes[to as usize].content) {
            (Content::Inner(from), Content::Inner(to)) => {
                for (from, to) in from.into_iter().zip(to) {
                    self.change(at, from, to, hints);
                }
            }
            (Content::Leaf(bits), _) => {
                let facts = invariant.tree.positions[position].facts.clone();
                for (bit, fact) in facts.enumerate() {
                    let holds = bits >> bit & 1 == 1;
                    let changed = &self.encoding.operators[at as usize].touched;
                    let id = FactId(fact as u32);
                    match changed.binary_search_by_key(&id, |one| one.0) {
                        Ok(found) => hints.extend(changed[found].1.clone()),
                        Err(_) => hints.push(self.touched(fact as u32).1[usize::from(!holds)]),
                    }
                }
            }
            _ => unreachable!("the nodes are at the same position"),
        }
        hints.push(invariant.after(invariant.tree_ids[to as usize]).backward);
    }

    /// The hints by which a listed state, after a step, gives all its facts.
    pub fn facts_after(&self, at: u32) -> Vec<Id> {
        let own = self.invariant.listed[at as usize];
        let mut hints = vec![self.invariant.after(own.defined).forward];
        hints.extend(own.level.map(|level| self.invariant.after(level).forward));
        let mut open = vec![own.root];
        while let Some(node) = open.pop() {
            hints.push(
                self.invariant
                    .after(self.invariant.tree_ids[node as usize])
                    .forward,
            );
            if let Content::Inner(children) = self.invariant.tree.nodes[node as usize].content {
                open.extend(children);
            }
        }
        hints
    }
}

/// The values of all gates where the values of some facts are known: `None` where they do not
/// decide a gate. Unit propagation finds the same values.
pub fn gate_values(
    encoding: &Encoding,
    fact: impl Fn(FactId) -> Option<bool>,
) -> Vec<Option<bool>> {
    let mut values: Vec<Option<bool>> = Vec::with_capacity(encoding.gates.len());
    for gate in &encoding.gates {
        let (mut certain, mut possible) = (0, 0);
        for &(by, lit) in &gate.terms {
            match value(lit, &fact, &values) {
                Some(true) => (certain, possible) = (certain + by, possible + by),
                Some(false) => {}
                None => possible += by,
            }
        }
        values.push(match (certain >= gate.degree, possible < gate.degree) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        });
    }
    values
}

/// The value of a literal of a fact or a gate.
pub fn value(
    lit: Lit,
    fact: &impl Fn(FactId) -> Option<bool>,
    gates: &[Option<bool>],
) -> Option<bool> {
    let value = match lit.var.kind {
        Kind::Fact => fact(FactId(lit.var.index)),
        _ => gates[lit.var.index as usize],
    };
    value.map(|value| value == lit.positive)
}
