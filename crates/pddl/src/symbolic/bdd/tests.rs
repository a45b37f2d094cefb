//! Diagrams against lists of the members of sets.

use ployglot_base::random::Random;

use super::*;

const BITS: u32 = 4;

/// A random formula over bits before and, where allowed, after an operator, as a diagram and as the
/// list of its values: index `before + 16 * after`.
fn formula(diagrams: &mut Diagrams, random: &mut Random, after: bool) -> (Bdd, Vec<bool>) {
    let assignments = 0..1usize << (2 * BITS);
    if random.chance(3, 5) {
        let bit = random.below(BITS as usize);
        let after = after && random.chance(1, 2);
        let shift = bit + if after { BITS as usize } else { 0 };
        let values = assignments.map(|at| at >> shift & 1 == 1).collect();
        return (diagrams.bit(bit as u32, after), values);
    }
    let (left, left_values) = formula(diagrams, random, after);
    let (right, right_values) = formula(diagrams, random, after);
    let both = left_values.iter().zip(&right_values);
    match random.below(3) {
        0 => (
            diagrams.and(left, right),
            both.map(|(&left, &right)| left && right).collect(),
        ),
        1 => (
            diagrams.or(left, !right),
            both.map(|(&left, &right)| left || !right).collect(),
        ),
        _ => (
            diagrams.choose(left, right, !left),
            both.map(|(&left, &right)| if left { right } else { !left })
                .collect(),
        ),
    }
}

fn bits(number: usize) -> Vec<bool> {
    (0..BITS).map(|bit| number >> bit & 1 == 1).collect()
}

fn members(diagrams: &Diagrams, set: Bdd) -> Vec<usize> {
    let states = 0..1usize << BITS;
    states
        .filter(|&state| diagrams.contains(set, &bits(state)))
        .collect()
}

#[test]
fn sets_have_the_members_of_their_formulas() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut diagrams = Diagrams::new(&Poll::default());
        let (set, values) = formula(&mut diagrams, &mut random, false);
        let (other, other_values) = formula(&mut diagrams, &mut random, false);
        let expected: Vec<usize> = (0..16).filter(|&state| values[state]).collect();
        assert_eq!(members(&diagrams, set), expected, "seed {seed}");
        assert_eq!(diagrams.count(set, BITS as usize), expected.len() as f64);
        let common = (0..16).any(|state| values[state] && other_values[state]);
        assert_eq!(diagrams.overlap(set, other), common, "seed {seed}");
        assert_eq!(set == other, values == other_values, "seed {seed}");
        if let Some(&some) = expected.first() {
            let state = diagrams.some_state(set, BITS as usize);
            assert!(diagrams.contains(set, &state), "seed {seed}");
            let one = diagrams.state(&bits(some));
            assert_eq!(members(&diagrams, one), [some]);
        }
    }
}

#[test]
fn relations_lead_where_their_pairs_say() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut diagrams = Diagrams::new(&Poll::default());
        let (set, values) = formula(&mut diagrams, &mut random, false);
        let mut relation = |diagrams: &mut Diagrams| {
            let (mut pairs, mut values) = formula(diagrams, &mut random, true);
            let changes: Box<[bool]> = (0..BITS).map(|_| random.chance(1, 2)).collect();
            // Nothing is said of the value after of a bit that does not change: it is the same.
            for bit in 0..BITS {
                if !changes[bit as usize] {
                    let same = diagrams.same(bit);
                    pairs = diagrams.and(pairs, same);
                    for (at, value) in values.iter_mut().enumerate() {
                        *value &= at >> bit & 1 == at >> (bit + BITS) & 1;
                    }
                }
            }
            (
                diagrams.relation(pairs, vec![true; BITS as usize].into()),
                values,
            )
        };
        let (first, first_values) = relation(&mut diagrams);
        let (second, second_values) = relation(&mut diagrams);
        let either = diagrams.either(&first, &second);
        let related = |before: usize, after: usize| {
            first_values[before + 16 * after] || second_values[before + 16 * after]
        };
        let after = diagrams.apply_relation(set, &either, Direction::Forward);
        let expected: Vec<usize> = (0..16)
            .filter(|&after| (0..16).any(|before| values[before] && related(before, after)))
            .collect();
        assert_eq!(members(&diagrams, after), expected, "seed {seed}");
        let before = diagrams.apply_relation(set, &either, Direction::Backward);
        let expected: Vec<usize> = (0..16)
            .filter(|&before| (0..16).any(|after| values[after] && related(before, after)))
            .collect();
        assert_eq!(members(&diagrams, before), expected, "seed {seed}");
    }
}

#[test]
fn a_relation_keeps_the_bits_that_it_does_not_change() {
    let mut diagrams = Diagrams::new(&Poll::default());
    // Where bit 0 is set, bit 2 becomes set.
    let pre = diagrams.bit(0, false);
    let post = diagrams.bit(2, true);
    let pairs = diagrams.and(pre, post);
    let set = diagrams.relation(pairs, [false, false, true, false].into());
    // Bit 1 becomes the negation of bit 3.
    let before = diagrams.bit(3, false);
    let after = diagrams.bit(1, true);
    let pairs = diagrams.choose(before, !after, after);
    let negate = diagrams.relation(pairs, [false, true, false, false].into());
    let from = diagrams.state(&bits(0b1001));
    let go = |diagrams: &mut Diagrams, relation: &Relation, from: Bdd| {
        let after = diagrams.apply_relation(from, relation, Direction::Forward);
        members(diagrams, after)
    };
    assert_eq!(go(&mut diagrams, &set, from), [0b1101]);
    assert_eq!(go(&mut diagrams, &negate, from), [0b1001]);
    let either = diagrams.either(&set, &negate);
    assert_eq!(go(&mut diagrams, &either, from), [0b1001, 0b1101]);
    let to = diagrams.state(&bits(0b1101));
    let before = diagrams.apply_relation(to, &set, Direction::Backward);
    assert_eq!(members(&diagrams, before), [0b1001, 0b1101]);
}

#[test]
fn what_is_listed_survives_a_collection() {
    let mut random = Random::new(7);
    let mut diagrams = Diagrams::new(&Poll::default());
    let sets: Vec<(Bdd, Vec<bool>)> = (0..50)
        .map(|_| formula(&mut diagrams, &mut random, false))
        .collect();
    let used = diagrams.used();
    let live = &sets[..5];
    diagrams.collect(live.iter().map(|(set, _)| *set));
    assert!(diagrams.used() < used);
    for _ in 0..50 {
        formula(&mut diagrams, &mut random, true);
    }
    for (set, values) in live {
        let expected: Vec<usize> = (0..16).filter(|&state| values[state]).collect();
        assert_eq!(members(&diagrams, *set), expected);
    }
}
