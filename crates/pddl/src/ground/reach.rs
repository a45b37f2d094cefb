//! Which ground atoms may ever become true: the least set that holds the start and is closed under the actions and axioms, where
//! deletions, and conditions that are neither positive atoms nor static, are passed over. Facts drive it: each new atom is joined
//! with what is known (semi-naive evaluation).

use std::collections::VecDeque;

use super::nnf::{Nnf, What, leaves};
use super::relations::{Domains, Members, Query, Relations, UNBOUND};
use crate::lifted::*;

/// `head` may be true where all atoms may and all checks hold.
struct Rule {
    head: Atom,
    atoms: Vec<Atom>,
    checks: Vec<Check>,
    /// The range of each slot, as an id of `Domains`.
    slots: Vec<usize>,
}

/// A condition that is known for certain once its slots are bound.
enum Check {
    Equal {
        left: Term,
        right: Term,
        positive: bool,
    },
    /// A static atom that must not be there.
    Absent(Atom),
}

/// All atoms that may become true, and which predicates can change.
pub struct Reach {
    pub relations: Relations,
    pub kinds: Vec<PredicateKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateKind {
    /// No action changes it.
    Static,
    /// Actions add it, none deletes it.
    Growing,
    Fluent,
    Derived,
}

pub fn reach(domain: &Domain, problem: &Problem, domains: &mut Domains) -> Reach {
    let kinds = predicate_kinds(domain);
    let mut rules = Vec::new();
    for action in &domain.actions {
        let precondition = Nnf::of(&action.precondition);
        for leaf in leaves(&action.effect) {
            let What::Add(head) = &leaf.what else {
                continue;
            };
            let mut flat = Flatten {
                domains,
                kinds: &kinds,
                slots: Vec::new(),
                atoms: Vec::new(),
                checks: Vec::new(),
            };
            let mut names = flat.fresh(action.parameters.iter());
            flat.formula(&precondition, &mut names);
            for (slot, parameter) in &leaf.variables {
                names.truncate(usize::from(slot.0));
                names.extend(flat.fresh(std::iter::once(parameter)));
            }
            flat.formula(&leaf.condition, &mut names);
            rules.push(flat.rule(head, &names));
        }
    }
    for axiom in &domain.axioms {
        let mut flat = Flatten {
            domains,
            kinds: &kinds,
            slots: Vec::new(),
            atoms: Vec::new(),
            checks: Vec::new(),
        };
        let mut names = flat.fresh(axiom.parameters.iter());
        flat.formula(&Nnf::of(&axiom.body), &mut names);
        let terms = (0..axiom.parameters.len() as u16)
            .map(|slot| Term::Slot(Slot(slot)))
            .collect();
        rules.push(flat.rule(
            &Atom {
                predicate: axiom.predicate,
                arguments: terms,
            },
            &names,
        ));
    }
    let mut relations = Relations::new(domain);
    for fact in &problem.facts {
        relations.insert(fact.predicate, &fact.arguments);
    }
    close(&rules, &mut relations, domains);
    Reach { relations, kinds }
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
    for leaf in domain
        .actions
        .iter()
        .flat_map(|action| leaves(&action.effect))
    {
        match leaf.what {
            What::Add(atom) => {
                let kind = &mut kinds[usize::from(atom.predicate.0)];
                if *kind == PredicateKind::Static {
                    *kind = PredicateKind::Growing;
                }
            }
            What::Delete(atom) => kinds[usize::from(atom.predicate.0)] = PredicateKind::Fluent,
            What::Change { .. } => {}
        }
    }
    kinds
}

/// Takes the conjunctions of a formula apart, and gives the variables of its existential quantifiers slots that nobody
/// else uses, so that parts with the same slots can stand in one rule.
struct Flatten<'a, 'd> {
    domains: &'a mut Domains<'d>,
    kinds: &'a [PredicateKind],
    slots: Vec<usize>,
    atoms: Vec<Atom>,
    checks: Vec<Check>,
}

impl Flatten<'_, '_> {
    fn fresh<'p>(&mut self, parameters: impl Iterator<Item = &'p Parameter>) -> Vec<Slot> {
        parameters
            .map(|parameter| {
                let id = self.domains.id(&parameter.types);
                self.slots.push(id);
                Slot(self.slots.len() as u16 - 1)
            })
            .collect()
    }

    fn formula(&mut self, formula: &Nnf, names: &mut Vec<Slot>) {
        match formula {
            Nnf::And(parts) => parts.iter().for_each(|part| self.formula(part, names)),
            Nnf::Exists {
                first,
                variables,
                body,
            } => {
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
            Nnf::Or(_) | Nnf::Forall { .. } | Nnf::Compare { .. } => {}
        }
    }

    fn rule(self, head: &Atom, names: &[Slot]) -> Rule {
        Rule {
            head: renamed(head, names),
            atoms: self.atoms,
            checks: self.checks,
            slots: self.slots,
        }
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
fn close(rules: &[Rule], relations: &mut Relations, domains: &Domains) {
    // Which atoms of which rules wait for a predicate.
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
        let found = consequences(rule, None, environment, relations, domains);
        learn(found, relations, &mut queue);
    }
    while let Some(fact) = queue.pop_front() {
        let Some(waiters) = waiting.get(usize::from(fact.predicate.0)) else {
            continue;
        };
        for &(rule, at) in waiters {
            let rule = &rules[rule];
            let mut environment = vec![UNBOUND; rule.slots.len()];
            if unify(rule, &rule.atoms[at], &fact, &mut environment, domains) {
                let found = consequences(rule, Some(at), environment, relations, domains);
                learn(found, relations, &mut queue);
            }
        }
    }
}

fn learn(found: Vec<Fact>, relations: &mut Relations, queue: &mut VecDeque<Fact>) {
    for fact in found {
        if relations.insert(fact.predicate, &fact.arguments) {
            queue.push_back(fact);
        }
    }
}

fn unify(
    rule: &Rule,
    atom: &Atom,
    fact: &Fact,
    environment: &mut [ObjectId],
    domains: &Domains,
) -> bool {
    atom.arguments
        .iter()
        .zip(&fact.arguments)
        .all(|(&term, &object)| match term {
            Term::Object(wanted) => wanted == object,
            Term::Slot(slot) => {
                let held = &mut environment[usize::from(slot.0)];
                if *held == UNBOUND
                    && domains
                        .members(rule.slots[usize::from(slot.0)])
                        .contains(object)
                {
                    *held = object;
                }
                *held == object
            }
        })
}

/// The heads that follow and are not known yet, with the atom at `done` matched already.
fn consequences(
    rule: &Rule,
    done: Option<usize>,
    mut environment: Vec<ObjectId>,
    relations: &Relations,
    domains: &Domains,
) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    let seen = std::cell::RefCell::new(rustc_hash::FxHashSet::<Vec<ObjectId>>::default());
    let atoms = rule
        .atoms
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != done)
        .map(|(_, atom)| atom);
    let slots = rule.slots.iter().enumerate();
    let variables: Vec<(Slot, &Members)> = slots
        .filter(|(slot, _)| environment[*slot] == UNBOUND)
        .map(|(slot, &id)| (Slot(slot as u16), domains.members(id)))
        .collect();
    let query = Query {
        atoms: atoms.collect(),
        variables,
    };
    let value = |term: Term, environment: &[ObjectId]| match term {
        Term::Object(object) => object,
        Term::Slot(slot) => environment[usize::from(slot.0)],
    };
    let ground = |atom: &Atom, environment: &[ObjectId]| -> Vec<ObjectId> {
        atom.arguments
            .iter()
            .map(|&term| value(term, environment))
            .collect()
    };
    // Nothing is to be learned once the head is known; and checks fail as soon as their slots are bound.
    let prune = |environment: &[ObjectId]| {
        let head = ground(&rule.head, environment);
        if !head.contains(&UNBOUND)
            && (relations.contains(rule.head.predicate, &head) || seen.borrow().contains(&head))
        {
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
        })
    };
    query.each(relations, &mut environment, &prune, &mut |environment| {
        if !prune(environment) {
            let arguments = ground(&rule.head, environment);
            seen.borrow_mut().insert(arguments.clone());
            found.push(Fact {
                predicate: rule.head.predicate,
                arguments,
            });
        }
        true
    });
    found
}
