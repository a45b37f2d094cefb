//! Random levels: token and goal on random cells.

use super::rules::Template;
use crate::*;

impl Generation for Template {
    const KNOBS: &'static [Knob] = &[Knob {
        name: "goals",
        about: "0 or 1: whether there is a goal",
        default: 1,
    }];

    const DEFAULT_SIZE: (usize, usize) = (1, 8);

    fn benchmark_spec() -> Option<Spec> {
        Some(Spec::size(1, 100))
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        if spec.rows != 1 || spec.cols == 0 || spec.cols > document::LONGEST_SIDE {
            return Err(format!(
                "a template level has the size 1xN, not {}x{}",
                spec.rows, spec.cols
            ));
        }
        let mut cell = || random.below(spec.cols) as u16;
        let (start, goal) = (cell(), cell());
        let goal = (spec.knob::<Template>("goals") > 0).then_some(goal);
        Ok(Template {
            cells: spec.cols as u16,
            start,
            goal,
        })
    }
}
