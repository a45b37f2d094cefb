//! The compact form of a task against the task itself, which is the slow truth: the same optima, plans that the judge takes, and
//! invariants that hold wherever one can get.

use std::collections::{BTreeMap, HashMap, HashSet};

use ployglot_base::Space;
use ployglot_pddl::circuit::FactId;
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, Step, Task, Verdict, ground, validate};

mod common;
#[path = "common/random_task.rs"]
mod random_task;
use common::{CLASSICS, WORLDS, read};
use random_task::random_task;

type Plan<S> = Option<(u32, Vec<<S as Space>::Move>)>;

/// The best plan by Dijkstra's search, plain and slow; `None` where there are too many states.
fn best<S: Space>(space: &S, most: usize) -> Option<Plan<S>> {
    let mut open = BTreeMap::from([((0u32, 0usize), ())]);
    // Each with the one it came from, and the move.
    let mut states = vec![(space.start(), None::<(usize, S::Move)>)];
    let mut known = HashMap::from([(space.start(), 0u32)]);
    while let Some(((cost, id), ())) = open.pop_first() {
        let state = states[id].0.clone();
        if known[&state] < cost {
            continue;
        }
        if space.is_goal(&state) {
            let mut plan = Vec::new();
            let mut at = id;
            while let Some((before, mv)) = states[at].1 {
                plan.push(mv);
                at = before;
            }
            plan.reverse();
            return Some(Some((cost, plan)));
        }
        let mut moves = Vec::new();
        space.moves(&state, &mut moves);
        for mv in moves {
            let after = space.apply(&state, mv);
            let next = cost + space.cost(&state, mv);
            if known.get(&after).is_none_or(|&best| next < best) {
                known.insert(after.clone(), next);
                open.insert((next, states.len()), ());
                states.push((after, Some((id, mv))));
            }
        }
        if states.len() > most {
            return None;
        }
    }
    Some(None)
}

/// States that can be reached, breadth first.
fn reachable(task: &Task, most: usize) -> Vec<<Task as Space>::State> {
    let mut seen = HashSet::from([task.start()]);
    let mut states = vec![task.start()];
    let mut next = 0;
    while next < states.len() && states.len() < most {
        let state = states[next].clone();
        next += 1;
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        for mv in moves {
            let after = task.apply(&state, mv);
            if seen.insert(after.clone()) {
                states.push(after);
            }
        }
    }
    states
}

/// All small tasks: by hand, and at random.
fn tasks() -> impl Iterator<Item = (String, Domain, Problem)> {
    let by_hand = WORLDS.iter().chain(CLASSICS).map(|(domain, problem, _)| {
        let (domain, problem) = read(domain, problem);
        (problem.name.clone(), domain, problem)
    });
    let random = (0..150).map(|seed| {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        (format!("random {seed}"), domain, problem)
    });
    by_hand.chain(random)
}

#[test]
fn the_optimum_is_the_same_and_the_judge_takes_the_plan() {
    let (mut solved, mut unsolvable, mut forced) = (0, 0, 0);
    for (name, domain, problem) in tasks() {
        let task = ground(&domain, &problem).unwrap();
        let compact = Compact::new(&task);
        forced += compact.forced();
        let Some(truth) = best(&task, 6000) else {
            continue;
        };
        let found = best(&compact, 6000).expect("it has no more states than the task");
        let cost = |plan: &Option<(u32, Vec<OperatorId>)>| plan.as_ref().map(|(cost, _)| *cost);
        assert_eq!(cost(&found), cost(&truth), "{name}");
        let Some((cost, plan)) = found else {
            unsolvable += 1;
            continue;
        };
        solved += 1;
        let steps: Vec<Step> = compact
            .unfold(&plan)
            .iter()
            .map(|id| task.operators[id.0 as usize].step.clone())
            .collect();
        let cost = f64::from(cost);
        assert_eq!(
            validate(&domain, &problem, &steps),
            Verdict::Valid { cost },
            "{name}"
        );
    }
    assert!(solved > 40 && unsolvable > 10, "{solved} {unsolvable}");
    assert!(forced > 0);
}

#[test]
fn classics_cost_what_is_known() {
    for (domain, problem, optimum) in CLASSICS {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap();
        let found = best(&Compact::new(&task), 20_000).expect("classics are small");
        assert_eq!(found.map(|(cost, _)| cost), *optimum, "{}", problem.name);
    }
}

#[test]
fn at_most_one_fact_of_a_group_holds_and_states_pack_back() {
    for (name, domain, problem) in tasks() {
        let task = ground(&domain, &problem).unwrap();
        let compact = Compact::new(&task);
        let mut packed = HashSet::new();
        for state in reachable(&task, 400) {
            for group in &task.groups {
                let held = group.iter().filter(|&&fact| state.holds(fact)).count();
                assert!(held <= 1, "{name}: {group:?}");
            }
            let mut words = vec![0; compact.words()];
            compact.pack(&state, &mut words);
            assert_eq!(compact.unpack(&words), state, "{name}");
            assert!(packed.insert(words), "{name}: two states pack alike");
        }
    }
}

/// Where nothing is forced, the network lists what the task lists; and what it lists leads where the task's operators lead.
#[test]
fn the_network_lists_the_same_operators() {
    for (name, domain, problem) in tasks() {
        let task = ground(&domain, &problem).unwrap();
        let compact = Compact::new(&task);
        for state in reachable(&task, 200) {
            assert_eq!(compact.is_goal(&state), task.is_goal(&state), "{name}");
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            compact.moves(&state, &mut fast);
            task.moves(&state, &mut slow);
            fast.sort();
            assert!(fast.iter().all(|mv| slow.contains(mv)), "{name}");
            assert!(fast.len() == slow.len() || compact.forced() > 0, "{name}");
            if !task
                .operators
                .iter()
                .any(|operator| operator.costs.iter().all(|(_, cost)| *cost == 0))
            {
                for &mv in &fast {
                    assert_eq!(compact.apply(&state, mv), task.apply(&state, mv), "{name}");
                }
            }
        }
    }
}

/// What must be found, so that the laws above say something.
#[test]
fn groups_and_forced_falls_are_found() {
    let of = |name: &str| {
        let all = CLASSICS
            .iter()
            .map(|(domain, problem, _)| read(domain, problem));
        let found = all.into_iter().find(|(_, problem)| problem.name == name);
        let (domain, problem) = found.expect("it is in the list");
        ground(&domain, &problem).unwrap()
    };
    let sizes = |task: &Task| {
        let mut sizes: Vec<usize> = task.groups.iter().map(Vec::len).collect();
        sizes.sort();
        sizes
    };
    // The robot is in one room; each ball in one of two rooms or two hands; a hand is empty or holds one of four balls.
    assert_eq!(sizes(&of("gripper-4")), [2, 4, 4, 4, 4, 5, 5]);
    // Each block: on one of three (the relaxation does not see that none lies on itself), on the table or in the hand; and clear, under
    // one of three, or in the hand. And the hand.
    assert_eq!(sizes(&of("sussman")), [4, 5, 5, 5, 5, 5, 5]);
    // Each tile is in one cell; each cell has one of eight tiles or is blank; one cell is blank.
    let tiles = of("tiles-8");
    assert_eq!(sizes(&tiles), [9; 18]);
    assert!(Compact::new(&tiles).words() < tiles.words());
    let falling = of("falling-1");
    assert!(Compact::new(&falling).forced() > 0);
    assert!(
        falling
            .groups
            .iter()
            .any(|group| group.contains(&FactId(0)))
    );
}
