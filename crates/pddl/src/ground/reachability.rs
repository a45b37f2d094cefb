//! Relaxed reachability: which ground atoms may ever become true. The result is the least set that
//! contains the initial state and is closed under the actions and axioms, where deletions, and
//! conditions that are neither positive atoms nor static, are ignored. It is computed by semi-naive
//! evaluation: each new atom is joined with the known ones.
//!
//! A disjunction whose parts all have static conditions makes one rule of each part (Folding: the next
//! node is above, below, left or right). A rule for the whole disjunction would join what no part
//! allows: in Folding, every place of a node with every free place.

use std::cell::RefCell;
use std::collections::VecDeque;

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::equalities::{Equalities, MAX_ALTERNATIVES, choices};
use super::normal_form::{EffectKind, Nnf, flat_effects};
use super::relations::{Members, Query, Relations, TypedObjects, UNBOUND};
use crate::interner::Interner;
use crate::lifted::*;

/// A Datalog rule: `head` may be true if all atoms may be true and all checks hold.
struct Rule {
    head: Atom,
    atoms: Vec<Atom>,
    checks: Vec<Check>,
    /// The range of each slot, as an id of `TypedObjects`.
    slots: Vec<usize>,
    /// Slots that occur nowhere in the rule, because equations replace them.
    equalities: Equalities,
    saturation: RefCell<Saturation>,
}

/// For each head with unbound slots, how many of its instances are known, from the first on; none where
/// it is missing. Instances stay known, so the numbers only grow.
type Saturation = FxHashMap<Tuple, usize>;

/// The arguments of an atom; most are short.
type Tuple = SmallVec<[ObjectId; 4]>;

/// A condition whose value does not depend on the state.
enum Check {
    Equal {
        left: Term,
        right: Term,
        positive: bool,
    },
    /// A static atom that must be false.
    Absent(Atom),
    /// The term must be in this range, an id of `TypedObjects`.
    Member(Term, usize),
}

/// All atoms that may become true, and which predicates can change.
pub struct Reachable {
    /// The atoms, by predicate.
    pub relations: Relations,
    /// For each predicate, how its atoms can change.
    pub kinds: Vec<PredicateKind>,
}

/// How the truth value of a predicate's atoms can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateKind {
    /// No action changes it.
    Static,
    /// Actions add it, none deletes it.
    Growing,
    /// Actions add and delete it, or only delete it.
    Fluent,
    /// Axioms define it.
    Derived,
}

/// Computes the atoms that may become true.
pub fn reachable_atoms(
    domain: &Domain,
    problem: &Problem,
    typed_objects: &mut TypedObjects,
    poll: &Poll,
) -> Result<Reachable, Limit> {
    let kinds = predicate_kinds(domain);
    let mut rules = Vec::new();
    for action in &domain.actions {
        let precondition = Nnf::of(&action.precondition);
        for effect in flat_effects(&action.effect) {
            let EffectKind::Add(head) = &effect.kind else {
                continue;
            };
            let mut rule = RuleBuilder::new(typed_objects, &kinds);
            let mut names = rule.fresh(action.parameters.iter());
            rule.formula(&precondition, &mut names);
            for (slot, parameter) in &effect.variables {
                names.truncate(usize::from(slot.0));
                names.extend(rule.fresh(std::iter::once(parameter)));
            }
            rule.formula(&effect.condition, &mut names);
            rules.extend(rule.finish(head, &names));
        }
    }
    for axiom in &domain.axioms {
        let mut rule = RuleBuilder::new(typed_objects, &kinds);
        let mut names = rule.fresh(axiom.parameters.iter());
        rule.formula(&Nnf::of(&axiom.body), &mut names);
        let terms = (0..axiom.parameters.len() as u16)
            .map(|slot| Term::Slot(Slot(slot)))
            .collect();
        rules.extend(rule.finish(
            &Atom {
                predicate: axiom.predicate,
                arguments: terms,
            },
            &names,
        ));
    }
    let mut relations = Relations::new(domain);
    for fact in &problem.facts {
        poll.try_step()?;
        relations.insert(fact.predicate, &fact.arguments, poll)?;
    }
    close(&rules, &mut relations, typed_objects, poll)?;
    Ok(Reachable { relations, kinds })
}

fn predicate_kinds(domain: &Domain) -> Vec<PredicateKind> {
    let of = |predicate: &Predicate| {
        if predicate.derived {
            PredicateKind::Derived
        } else {
            PredicateKind::Static
        }
    };
    let mut kinds: Vec<PredicateKind> = domain.predicates.iter().map(of).collect();
    for effect in domain
        .actions
        .iter()
        .flat_map(|action| flat_effects(&action.effect))
    {
        match effect.kind {
            EffectKind::Add(atom) => {
                let kind = &mut kinds[usize::from(atom.predicate.0)];
                if *kind == PredicateKind::Static {
                    *kind = PredicateKind::Growing;
                }
            }
            EffectKind::Delete(atom) => {
                kinds[usize::from(atom.predicate.0)] = PredicateKind::Fluent
            }
            EffectKind::Change { .. } => {}
        }
    }
    kinds
}

/// Collects the conjuncts of formulas for one rule. The variables of existential quantifiers get
/// fresh slots, so that formulas that use the same slots can be combined in one rule.
struct RuleBuilder<'a, 'd> {
    typed_objects: &'a mut TypedObjects<'d>,
    kinds: &'a [PredicateKind],
    slots: Vec<usize>,
    atoms: Vec<Atom>,
    checks: Vec<Check>,
    /// For each disjunction that is split, the conjuncts of its parts.
    disjunctions: Vec<Vec<Conjuncts>>,
}

/// The atoms and checks of a part of a disjunction.
type Conjuncts = (Vec<Atom>, Vec<Check>);

impl<'a, 'd> RuleBuilder<'a, 'd> {
    fn new(typed_objects: &'a mut TypedObjects<'d>, kinds: &'a [PredicateKind]) -> Self {
        Self {
            typed_objects,
            kinds,
            slots: Vec::new(),
            atoms: Vec::new(),
            checks: Vec::new(),
            disjunctions: Vec::new(),
        }
    }

    /// New slots for these parameters.
    fn fresh<'p>(&mut self, parameters: impl Iterator<Item = &'p Parameter>) -> Vec<Slot> {
        parameters
            .map(|parameter| {
                let id = self.typed_objects.id(&parameter.types);
                self.slots.push(id);
                Slot(self.slots.len() as u16 - 1)
            })
            .collect()
    }

    /// Adds the conjuncts of a formula whose slots are renamed to `names`.
    fn formula(&mut self, formula: &Nnf, names: &mut Vec<Slot>) {
        match formula {
            Nnf::And(parts) => parts.iter().for_each(|part| self.formula(part, names)),
            Nnf::Exists {
                first,
                variables,
                body,
            } => {
                // Slots are 16 bits wide. Without the condition, more counts as reachable.
                if self.slots.len() + variables.len() > usize::from(u16::MAX) {
                    return;
                }
                names.truncate(usize::from(first.0));
                let fresh = self.fresh(variables.iter());
                names.extend(fresh);
                self.formula(body, names);
                names.truncate(usize::from(first.0));
            }
            Nnf::Literal {
                atom,
                positive: true,
            } => self.atoms.push(renamed(atom, names)),
            Nnf::Literal {
                atom,
                positive: false,
            } => {
                if self.kinds[usize::from(atom.predicate.0)] == PredicateKind::Static {
                    self.checks.push(Check::Absent(renamed(atom, names)));
                }
            }
            Nnf::Equal {
                left,
                right,
                positive,
            } => {
                let (left, right) = (rename(*left, names), rename(*right, names));
                self.checks.push(Check::Equal {
                    left,
                    right,
                    positive: *positive,
                });
            }
            Nnf::Or(parts) if parts.iter().all(|part| self.splits(part)) => {
                let (atoms, checks) = (self.atoms.len(), self.checks.len());
                let mut split = Vec::with_capacity(parts.len());
                for part in parts {
                    self.formula(part, names);
                    split.push((self.atoms.split_off(atoms), self.checks.split_off(checks)));
                }
                self.disjunctions.push(split);
            }
            Nnf::Or(_) | Nnf::Forall { .. } | Nnf::Compare { .. } => {}
        }
    }

    /// Whether a part of a disjunction is a conjunction of literals and equations, of which one does
    /// not depend on the state.
    fn splits(&self, part: &Nnf) -> bool {
        let conjuncts = part.conjuncts();
        let simple = |part: &&Nnf| matches!(part, Nnf::Literal { .. } | Nnf::Equal { .. });
        let fixed = |part: &&Nnf| match part {
            Nnf::Literal { atom, .. } => {
                self.kinds[usize::from(atom.predicate.0)] == PredicateKind::Static
            }
            _ => true,
        };
        conjuncts.iter().all(simple) && conjuncts.iter().any(fixed)
    }

    /// The rules: one for each choice of a part of each disjunction.
    fn finish(self, head: &Atom, names: &[Slot]) -> Vec<Rule> {
        let head = renamed(head, names);
        let alternatives = choices(&self.disjunctions, MAX_ALTERNATIVES);
        let rules = alternatives.into_iter().filter_map(|parts| {
            let mut equalities = Equalities::new(self.slots.len());
            let atoms = parts.iter().flat_map(|(atoms, _)| atoms);
            let checks = parts.iter().flat_map(|(_, checks)| checks);
            let checks: Vec<&Check> = self.checks.iter().chain(checks).collect();
            for check in &checks {
                if let Check::Equal {
                    left,
                    right,
                    positive: true,
                } = check
                    && !equalities.unite(*left, *right)
                {
                    return None;
                }
            }
            let atoms = self.atoms.iter().chain(atoms);
            let atoms = atoms.map(|atom| equalities.apply(atom)).collect();
            let mut checks: Vec<Check> = checks
                .into_iter()
                .filter_map(|check| check.with(&equalities))
                .collect();
            for (slot, term) in equalities.replaced() {
                checks.push(Check::Member(term, self.slots[usize::from(slot.0)]));
            }
            Some(Rule {
                head: equalities.apply(&head),
                atoms,
                checks,
                slots: self.slots.clone(),
                equalities,
                saturation: RefCell::default(),
            })
        });
        rules.collect()
    }
}

impl Check {
    /// The check with its replaced slots; `None` for an equation, which the replacement makes true.
    fn with(&self, equalities: &Equalities) -> Option<Check> {
        match self {
            Check::Equal { positive: true, .. } => None,
            Check::Equal {
                left,
                right,
                positive: false,
            } => Some(Check::Equal {
                left: equalities.resolve(*left),
                right: equalities.resolve(*right),
                positive: false,
            }),
            Check::Absent(atom) => Some(Check::Absent(equalities.apply(atom))),
            Check::Member(term, range) => Some(Check::Member(equalities.resolve(*term), *range)),
        }
    }
}

impl Rule {
    /// Whether all instances of the head are known that these arguments, of which some may be unbound,
    /// can become. Caldera's operators need this: what they create occurs in no condition, so the head
    /// is complete only where everything else is joined.
    fn is_saturated(
        &self,
        head: Tuple,
        typed_objects: &TypedObjects,
        is_known: &dyn Fn(&Tuple) -> bool,
    ) -> bool {
        if !head.contains(&UNBOUND) {
            return is_known(&head);
        }
        let mut open: SmallVec<[Slot; 4]> = SmallVec::new();
        for (term, &object) in self.head.arguments.iter().zip(&head) {
            if let Term::Slot(slot) = *term
                && object == UNBOUND
                && !open.contains(&slot)
            {
                open.push(slot);
            }
        }
        let objects = |slot: Slot| &typed_objects.members(self.slots[usize::from(slot.0)]).list;
        let instances = open.iter().map(|&slot| objects(slot).len());
        let instances = instances.fold(1, usize::saturating_mul);
        let before = self.saturation.borrow().get(&head).copied();
        let mut first_unknown = before.unwrap_or(0);
        // The number of an instance has a digit for each unbound slot.
        let instance = |mut number: usize| -> Tuple {
            let mut instance = head.clone();
            for &slot in &open {
                let objects = objects(slot);
                let object = objects[number % objects.len()];
                number /= objects.len();
                for (term, argument) in self.head.arguments.iter().zip(&mut instance) {
                    if *term == Term::Slot(slot) {
                        *argument = object;
                    }
                }
            }
            instance
        };
        while first_unknown < instances && is_known(&instance(first_unknown)) {
            first_unknown += 1;
        }
        if first_unknown > before.unwrap_or(0) {
            self.saturation.borrow_mut().insert(head, first_unknown);
        }
        first_unknown >= instances
    }
}

fn rename(term: Term, names: &[Slot]) -> Term {
    match term {
        Term::Slot(slot) => Term::Slot(names[usize::from(slot.0)]),
        object => object,
    }
}

fn renamed(atom: &Atom, names: &[Slot]) -> Atom {
    let arguments = atom
        .arguments
        .iter()
        .map(|&term| rename(term, names))
        .collect();
    Atom {
        predicate: atom.predicate,
        arguments,
    }
}

/// Applies the rules until nothing new follows.
fn close(
    rules: &[Rule],
    relations: &mut Relations,
    typed_objects: &TypedObjects,
    poll: &Poll,
) -> Result<(), Limit> {
    // For each predicate, the rules and their atoms that a new fact of the predicate can match.
    let mut waiting: Vec<Vec<(usize, usize)>> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for (at, atom) in rule.atoms.iter().enumerate() {
            let predicate = usize::from(atom.predicate.0);
            if waiting.len() <= predicate {
                waiting.resize(predicate + 1, Vec::new());
            }
            waiting[predicate].push((index, at));
        }
    }
    let mut queue: VecDeque<Fact> = VecDeque::new();
    for rule in rules {
        let environment = vec![UNBOUND; rule.slots.len()];
        let found = consequences(rule, None, environment, relations, typed_objects, poll)?;
        learn(found, relations, &mut queue, poll)?;
    }
    while let Some(fact) = queue.pop_front() {
        poll.try_step()?;
        let Some(waiters) = waiting.get(usize::from(fact.predicate.0)) else {
            continue;
        };
        for &(rule, at) in waiters {
            let rule = &rules[rule];
            let mut environment = vec![UNBOUND; rule.slots.len()];
            if unify(
                rule,
                &rule.atoms[at],
                &fact,
                &mut environment,
                typed_objects,
            ) {
                let found =
                    consequences(rule, Some(at), environment, relations, typed_objects, poll)?;
                learn(found, relations, &mut queue, poll)?;
            }
        }
    }
    Ok(())
}

/// Adds the facts that are new to the relations and to the queue.
fn learn(
    found: Vec<Fact>,
    relations: &mut Relations,
    queue: &mut VecDeque<Fact>,
    poll: &Poll,
) -> Result<(), Limit> {
    for fact in found {
        poll.try_step()?;
        if relations.insert(fact.predicate, &fact.arguments, poll)? {
            queue.push_back(fact);
        }
    }
    Ok(())
}

/// Binds the slots of the atom so that it equals the fact; false where that is impossible.
fn unify(
    rule: &Rule,
    atom: &Atom,
    fact: &Fact,
    environment: &mut [ObjectId],
    typed_objects: &TypedObjects,
) -> bool {
    atom.arguments
        .iter()
        .zip(&fact.arguments)
        .all(|(&term, &object)| match term {
            Term::Object(wanted) => wanted == object,
            Term::Slot(slot) => {
                let held = &mut environment[usize::from(slot.0)];
                if *held == UNBOUND
                    && typed_objects
                        .members(rule.slots[usize::from(slot.0)])
                        .contains(object)
                {
                    *held = object;
                }
                *held == object
            }
        })
}

/// The heads that follow from the rule and are not known yet. The atom at `done` is matched
/// already.
fn consequences(
    rule: &Rule,
    done: Option<usize>,
    mut environment: Vec<ObjectId>,
    relations: &Relations,
    typed_objects: &TypedObjects,
    poll: &Poll,
) -> Result<Vec<Fact>, Limit> {
    let found = RefCell::new(Interner::<Tuple>::default());
    let atoms = rule
        .atoms
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != done)
        .map(|(_, atom)| atom);
    let slots = rule.slots.iter().enumerate();
    let variables: Vec<(Slot, &Members)> = slots
        .filter(|(slot, _)| environment[*slot] == UNBOUND && !rule.equalities.replaces(*slot))
        .map(|(slot, &id)| (Slot(slot as u16), &**typed_objects.members(id)))
        .collect();
    let query = Query {
        atoms: atoms.collect(),
        variables,
    };
    let value = |term: Term, environment: &[ObjectId]| match term {
        Term::Object(object) => object,
        Term::Slot(slot) => environment[usize::from(slot.0)],
    };
    let ground = |atom: &Atom, environment: &[ObjectId]| -> Tuple {
        atom.arguments
            .iter()
            .map(|&term| value(term, environment))
            .collect()
    };
    let is_known = |head: &Tuple| {
        relations.contains(rule.head.predicate, head) || found.borrow().contains(head)
    };
    // Prune where all instances of the head are known already, or where a check fails.
    let prune = |environment: &[ObjectId]| {
        if rule.is_saturated(ground(&rule.head, environment), typed_objects, &is_known) {
            return true;
        }
        rule.checks.iter().any(|check| match check {
            Check::Equal {
                left,
                right,
                positive,
            } => {
                let (left, right) = (value(*left, environment), value(*right, environment));
                left != UNBOUND && right != UNBOUND && (left == right) != *positive
            }
            Check::Absent(atom) => {
                let tuple = ground(atom, environment);
                !tuple.contains(&UNBOUND) && relations.contains(atom.predicate, &tuple)
            }
            Check::Member(term, range) => {
                let object = value(*term, environment);
                object != UNBOUND && !typed_objects.members(*range).contains(object)
            }
        })
    };
    query.each(
        relations,
        &mut environment,
        poll,
        &prune,
        &mut |environment| {
            if !prune(environment) {
                let mut found = found.borrow_mut();
                if found.affords_one(poll).is_err() {
                    return false;
                }
                found.insert(ground(&rule.head, environment));
            }
            true
        },
    )?;
    let found = found.into_inner().into_keys().into_iter();
    let fact = |arguments: Tuple| Fact {
        predicate: rule.head.predicate,
        arguments: arguments.into_vec(),
    };
    Ok(found.map(fact).collect())
}
