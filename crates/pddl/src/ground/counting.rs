//! Cardinality constraints that are written with quantifiers. PDDL can express "at most g cells are
//! not null" only as: there are g cells, all different, such that every cell is one of them or
//! null. Writing that out, or searching it, takes far too long; here it is recognised and becomes a
//! count.

use std::rc::Rc;

use super::normal_form::Nnf;
use super::relations::Members;
use crate::lifted::*;

/// At most as many bindings of the inner variables as there are tuples do not satisfy `otherwise`.
/// The caller must check that the tuples range over the same objects as the inner variables.
pub(super) struct Count {
    /// For each tuple, the outer variables that are compared with the inner ones.
    pub tuples: Vec<Vec<usize>>,
    /// Whether the tuples must differ; then there must be at least that many tuples of objects.
    pub distinct: bool,
    pub variables: Vec<Parameter>,
    pub otherwise: Nnf,
}

/// Recognises `exists t1 … tg: (pairwise different and) forall z: z = t1 or … or z = tg or
/// otherwise(z)`, where z and all t are tuples of the same types. The outer variables have the
/// slots in `ranges`.
pub(super) fn count(ranges: &[(Slot, Rc<Members>)], body: &Nnf) -> Option<Count> {
    let outer = |term: Term| match term {
        Term::Slot(slot) => ranges.iter().position(|(known, _)| *known == slot),
        Term::Object(_) => None,
    };
    let (universal, different): (Vec<&Nnf>, Vec<&Nnf>) = body
        .conjuncts()
        .into_iter()
        .partition(|part| matches!(part, Nnf::Forall { .. }));
    let [
        Nnf::Forall {
            first,
            variables,
            body: inside,
        },
    ] = universal[..]
    else {
        return None;
    };
    let inner = |term: Term| match term {
        Term::Slot(slot) => usize::from(slot.0)
            .checked_sub(usize::from(first.0))
            .filter(|&at| at < variables.len()),
        Term::Object(_) => None,
    };

    // The tuples: conjunctions of equalities that cover every inner variable once.
    let mut tuples: Vec<Vec<usize>> = Vec::new();
    let mut others: Vec<Nnf> = Vec::new();
    for choice in disjuncts(inside) {
        let mut tuple = vec![None; variables.len()];
        let is_tuple = choice.conjuncts().into_iter().all(|part| {
            let Nnf::Equal {
                left,
                right,
                positive: true,
            } = part
            else {
                return false;
            };
            let pair = match (outer(*left), inner(*right), outer(*right), inner(*left)) {
                (Some(outer), Some(inner), _, _) | (_, _, Some(outer), Some(inner)) => {
                    (outer, inner)
                }
                _ => return false,
            };
            tuple[pair.1].replace(pair.0).is_none()
        });
        match tuple.into_iter().collect::<Option<Vec<usize>>>() {
            Some(tuple) if is_tuple => tuples.push(tuple),
            _ => others.push(choice.clone()),
        }
    }
    let mut used: Vec<usize> = tuples.iter().flatten().copied().collect();
    used.sort();
    if used != (0..ranges.len()).collect::<Vec<_>>()
        || others.iter().any(|other| mentions(other, &outer))
    {
        return None;
    }
    // The pairs that must differ: all, or none.
    let mut pairs = Vec::new();
    for part in different {
        pairs.push(differing_pair(part, &tuples, &outer)?);
    }
    pairs.sort();
    pairs.dedup();
    let all = tuples.len() * (tuples.len() - 1) / 2;
    if !pairs.is_empty() && pairs.len() != all {
        return None;
    }
    Some(Count {
        distinct: pairs.len() == all,
        tuples,
        variables: variables.clone(),
        otherwise: Nnf::Or(others),
    })
}

/// The tuples i and j of a condition `not (t_i = t_j)`, written out: some position differs.
fn differing_pair(
    part: &Nnf,
    tuples: &[Vec<usize>],
    outer: &dyn Fn(Term) -> Option<usize>,
) -> Option<(usize, usize)> {
    let place = |variable: usize| {
        let tuple = tuples.iter().position(|tuple| tuple.contains(&variable))?;
        Some((tuple, tuples[tuple].iter().position(|&v| v == variable)?))
    };
    let mut positions = Vec::new();
    let mut pair = None;
    for choice in disjuncts(part) {
        let Nnf::Equal {
            left,
            right,
            positive: false,
        } = choice
        else {
            return None;
        };
        let (left, right) = (place(outer(*left)?)?, place(outer(*right)?)?);
        let here = (left.0.min(right.0), left.0.max(right.0));
        if left.1 != right.1 || here.0 == here.1 || *pair.get_or_insert(here) != here {
            return None;
        }
        positions.push(left.1);
    }
    positions.sort();
    positions.dedup();
    (positions.len() == tuples[0].len()).then_some(pair?)
}

fn disjuncts(formula: &Nnf) -> Vec<&Nnf> {
    match formula {
        Nnf::Or(parts) => parts.iter().flat_map(disjuncts).collect(),
        Nnf::And(parts) if parts.len() == 1 => disjuncts(&parts[0]),
        other => vec![other],
    }
}

/// Whether the formula mentions an outer variable.
fn mentions(formula: &Nnf, outer: &dyn Fn(Term) -> Option<usize>) -> bool {
    let any = |terms: &[Term]| terms.iter().any(|&term| outer(term).is_some());
    match formula {
        Nnf::And(parts) | Nnf::Or(parts) => parts.iter().any(|part| mentions(part, outer)),
        Nnf::Exists { body, .. } | Nnf::Forall { body, .. } => mentions(body, outer),
        Nnf::Literal { atom, .. } => any(&atom.arguments),
        Nnf::Equal { left, right, .. } => any(&[*left, *right]),
        // Expressions are not inspected: assume that they mention an outer variable.
        Nnf::Compare { .. } => true,
    }
}
