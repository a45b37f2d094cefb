//! Small worlds, one for each corner of the language.

use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::{parse_domain, parse_problem};

/// The small worlds, each with the cost of its best plan.
pub const WORLDS: &[(&str, &str, Option<u32>)] = &[
    (
        include_str!("../worlds/rooms-domain.pddl"),
        include_str!("../worlds/rooms-1.pddl"),
        Some(7),
    ),
    (
        include_str!("../worlds/lights-domain.pddl"),
        include_str!("../worlds/lights-1.pddl"),
        Some(2),
    ),
    (
        include_str!("../worlds/paths-domain.pddl"),
        include_str!("../worlds/paths-1.pddl"),
        Some(4),
    ),
    (
        include_str!("../worlds/jugs-domain.pddl"),
        include_str!("../worlds/jugs-1.pddl"),
        Some(6),
    ),
    (
        include_str!("../worlds/paths-domain.pddl"),
        include_str!("../worlds/paths-none.pddl"),
        None,
    ),
];

/// Classics, each with the cost of its best plan; the problems say why.
#[allow(dead_code, reason = "not every test file looks at them")]
pub const CLASSICS: &[(&str, &str, Option<u32>)] = &[
    (
        include_str!("../worlds/gripper-domain.pddl"),
        include_str!("../worlds/gripper-4.pddl"),
        Some(11),
    ),
    (
        include_str!("../worlds/blocks-domain.pddl"),
        include_str!("../worlds/blocks-sussman.pddl"),
        Some(6),
    ),
    (
        include_str!("../worlds/logistics-domain.pddl"),
        include_str!("../worlds/logistics-1.pddl"),
        Some(9),
    ),
    (
        include_str!("../worlds/lift-domain.pddl"),
        include_str!("../worlds/lift-1.pddl"),
        Some(7),
    ),
    (
        include_str!("../worlds/lift-domain.pddl"),
        include_str!("../worlds/lift-2.pddl"),
        Some(7),
    ),
    (
        include_str!("../worlds/sokoban-domain.pddl"),
        include_str!("../worlds/sokoban-1.pddl"),
        Some(5),
    ),
    (
        include_str!("../worlds/tiles-domain.pddl"),
        include_str!("../worlds/tiles-8.pddl"),
        Some(14),
    ),
    (
        include_str!("../worlds/counter-domain.pddl"),
        include_str!("../worlds/counter-1.pddl"),
        Some(4),
    ),
    (
        include_str!("../worlds/falling-domain.pddl"),
        include_str!("../worlds/falling-1.pddl"),
        Some(2),
    ),
];

pub fn read(domain: &str, problem: &str) -> (Domain, Problem) {
    let domain = parse_domain(domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    let problem = parse_problem(problem, &domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    (domain, problem)
}
