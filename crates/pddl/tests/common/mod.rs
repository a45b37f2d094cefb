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

pub fn read(domain: &str, problem: &str) -> (Domain, Problem) {
    let domain = parse_domain(domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    let problem = parse_problem(problem, &domain)
        .unwrap_or_else(|bad| panic!("{bad}"))
        .value;
    (domain, problem)
}
