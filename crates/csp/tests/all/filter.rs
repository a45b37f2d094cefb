//! Filtering removes no solution, and the back ends agree on what is left.

use crate::common::{Generator, KINDS, agree, solutions};
use ployglot_base::{Budget, Limit};
use ployglot_csp::Problem;
use ployglot_csp::cp::CpBackend;
use ployglot_csp::filter::{Filtered, filter};
use ployglot_csp::flatzinc::flatzinc;
use ployglot_csp::probe::probe;

#[test]
fn filtering_loses_no_solution() {
    loses_no_solution(31, filter);
}

#[test]
fn probing_loses_no_solution() {
    loses_no_solution(32, probe);
}

fn loses_no_solution(seed: u64, filter: impl Fn(&mut Problem, &Budget) -> Result<Filtered, Limit>) {
    let mut generator = Generator::small(seed);
    let (mut removed, mut contradictions) = (0, 0);
    for round in 0..3000 {
        let mut problem = Problem::default();
        generator.variables(&mut problem, 3);
        for kind in [round % KINDS, generator.random.below(KINDS), 0] {
            generator.post(&mut problem, kind);
        }
        let expected = solutions(&problem);
        let mut filtered = problem.clone();
        match filter(&mut filtered, &Budget::unlimited()) {
            Ok(Filtered::Contradiction) => {
                assert_eq!(expected, Vec::<Vec<i32>>::new(), "{problem:#?}");
                contradictions += 1;
            }
            Ok(Filtered::Removed(count)) => {
                removed += count;
                assert_eq!(solutions(&filtered), expected, "{problem:#?}");
                agree(&mut CpBackend::default(), &filtered, &[], &expected);
            }
            Err(limit) => panic!("no limit was set: {limit}"),
        }
        assert!(flatzinc(&problem).is_ok());
    }
    assert!(
        removed > 1000 && contradictions > 50,
        "{removed} {contradictions}"
    );
}
