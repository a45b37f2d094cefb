//! Small problems with known optimal costs.

use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::{parse_domain, parse_problem};

/// Problems that together use most features of PDDL: domain, problem, and the cost of an optimal
/// plan (`None`: unsolvable).
pub const FEATURES: &[(&str, &str, Option<u32>)] = &[
    (
        include_str!("problems/rooms-domain.pddl"),
        include_str!("problems/rooms-1.pddl"),
        Some(7),
    ),
    (
        include_str!("problems/lights-domain.pddl"),
        include_str!("problems/lights-1.pddl"),
        Some(2),
    ),
    (
        include_str!("problems/paths-domain.pddl"),
        include_str!("problems/paths-1.pddl"),
        Some(4),
    ),
    (
        include_str!("problems/jugs-domain.pddl"),
        include_str!("problems/jugs-1.pddl"),
        Some(6),
    ),
    (
        include_str!("problems/paths-domain.pddl"),
        include_str!("problems/paths-none.pddl"),
        None,
    ),
];

/// Classical planning problems, each with the cost of an optimal plan; comments in the problems
/// explain the cost.
pub const CLASSICS: &[(&str, &str, Option<u32>)] = &[
    (
        include_str!("problems/gripper-domain.pddl"),
        include_str!("problems/gripper-4.pddl"),
        Some(11),
    ),
    (
        include_str!("problems/blocks-domain.pddl"),
        include_str!("problems/blocks-sussman.pddl"),
        Some(6),
    ),
    (
        include_str!("problems/logistics-domain.pddl"),
        include_str!("problems/logistics-1.pddl"),
        Some(9),
    ),
    (
        include_str!("problems/lift-domain.pddl"),
        include_str!("problems/lift-1.pddl"),
        Some(7),
    ),
    (
        include_str!("problems/lift-domain.pddl"),
        include_str!("problems/lift-2.pddl"),
        Some(7),
    ),
    (
        include_str!("problems/sokoban-domain.pddl"),
        include_str!("problems/sokoban-1.pddl"),
        Some(5),
    ),
    (
        include_str!("problems/tiles-domain.pddl"),
        include_str!("problems/tiles-8.pddl"),
        Some(14),
    ),
    (
        include_str!("problems/counter-domain.pddl"),
        include_str!("problems/counter-1.pddl"),
        Some(4),
    ),
    (
        include_str!("problems/falling-domain.pddl"),
        include_str!("problems/falling-1.pddl"),
        Some(2),
    ),
];

/// Reads a domain and a problem that must be correct.
pub fn read(domain: &str, problem: &str) -> (Domain, Problem) {
    let domain = parse_domain(domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    let problem = parse_problem(problem, &domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    (domain, problem)
}
