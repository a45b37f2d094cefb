//! Reasonable orders: a landmark comes before another one if the other one would have to be
//! destroyed to reach it, and is needed afterwards (Hoffmann, Porteous and Sebastia 2004).
//!
//! An order that would close a cycle with those before it is left out.

use ployglot_base::{Limit, Poll};

use super::graph::{Landmark, LandmarkGraph};
use crate::circuit::FactId;
use crate::task::Task;

/// Adds the reasonable orders.
pub(super) fn add_orders(task: &Task, graph: &mut LandmarkGraph, poll: &Poll) -> Result<(), Limit> {
    let count = graph.landmarks.len() as u32;
    let destroyed = all_destroyed(task, graph, poll)?;
    // For each landmark, those that it is true immediately before.
    let mut just_after = vec![Vec::new(); count as usize];
    for (later, landmark) in (0..).zip(&graph.landmarks) {
        for &earlier in &landmark.just_before {
            just_after[earlier as usize].push(later);
        }
    }
    for at in 0..count {
        let landmark = &graph.landmarks[at as usize];
        let [literal] = landmark.literals[..] else {
            continue;
        };
        // The landmarks that are reached while this one is needed later.
        let others: Vec<u32> = if landmark.goal {
            let goals = |&other: &u32| graph.landmarks[other as usize].goal;
            (0..count).filter(goals).collect()
        } else {
            // It must hold just before `later`, and so must what `later` needs besides.
            let mut ancestors = vec![false; count as usize];
            let mut open = Vec::new();
            for &later in &just_after[at as usize] {
                let before = graph.landmarks[later as usize].before.iter();
                open.extend(before.copied().filter(|&other| other != at));
            }
            while let Some(other) = open.pop() {
                if !std::mem::replace(&mut ancestors[other as usize], true) {
                    open.extend_from_slice(&graph.landmarks[other as usize].before);
                }
            }
            (0..count)
                .filter(|&other| ancestors[other as usize])
                .collect()
        };
        for other in others {
            poll.try_step()?;
            let landmarks = &graph.landmarks;
            if other != at
                && landmarks[other as usize].literals.len() == 1
                && !landmarks[at as usize].before.contains(&other)
                && destroys(task, landmarks, &destroyed, other, literal)
                && !is_before(landmarks, at, other)
            {
                graph.landmarks[at as usize].better_before.push(other);
            }
        }
    }
    Ok(())
}

/// Whether there is a path of orders from one landmark to another.
fn is_before(landmarks: &[Landmark], earlier: u32, later: u32) -> bool {
    let mut seen = vec![false; landmarks.len()];
    let mut open = vec![later];
    while let Some(at) = open.pop() {
        if at == earlier {
            return true;
        }
        if !std::mem::replace(&mut seen[at as usize], true) {
            let landmark = &landmarks[at as usize];
            open.extend_from_slice(&landmark.before);
            open.extend_from_slice(&landmark.better_before);
        }
    }
    false
}

/// For each landmark of one literal, the literals that all its first achievers make true; sorted.
fn all_destroyed(task: &Task, graph: &LandmarkGraph, poll: &Poll) -> Result<Vec<Vec<u32>>, Limit> {
    let mut all = Vec::new();
    for landmark in &graph.landmarks {
        let mut common: Option<Vec<u32>> = None;
        for &operator in &landmark.first_achievers {
            poll.try_step()?;
            let effects = task.operators[operator as usize].effects.iter();
            let unconditional = effects.filter(|effect| effect.condition == crate::circuit::TRUE);
            let mut made: Vec<u32> = unconditional
                .flat_map(|effect| {
                    let adds = effect.adds.iter().map(|fact| fact.0 * 2);
                    adds.chain(effect.deletes.iter().map(|fact| fact.0 * 2 + 1))
                })
                .collect();
            made.sort_unstable();
            match &mut common {
                None => common = Some(made),
                Some(common) => common.retain(|literal| made.binary_search(literal).is_ok()),
            }
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        all.push(common.unwrap_or_default());
    }
    Ok(all)
}

/// Whether the literal is false whenever the landmark becomes true first.
fn destroys(
    task: &Task,
    landmarks: &[Landmark],
    destroyed: &[Vec<u32>],
    landmark: u32,
    literal: u32,
) -> bool {
    let at = &landmarks[landmark as usize];
    let just_before = at.just_before.iter();
    let just_before =
        just_before.filter(|&&earlier| landmarks[earlier as usize].literals.len() == 1);
    let mut held = just_before.map(|&earlier| landmarks[earlier as usize].literals[0]);
    let mut made = destroyed[landmark as usize].iter();
    excludes(task, at.literals[0], literal)
        || made.any(|&other| excludes(task, other, literal))
        || held.any(|other| other != literal && excludes(task, other, literal))
}

/// Whether two literals are never true together.
fn excludes(task: &Task, one: u32, other: u32) -> bool {
    if one / 2 == other / 2 {
        return one != other;
    }
    if one & 1 == 1 || other & 1 == 1 {
        return false;
    }
    let groups = task.groups_of(FactId(other / 2));
    let shared = |group: &u32| groups.contains(group);
    task.groups_of(FactId(one / 2)).iter().any(shared)
}
