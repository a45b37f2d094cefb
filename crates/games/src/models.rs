//! The models of a game: its rules as texts of other languages, solved by planners and by
//! constraint solvers.

use crate::constraint::ConstraintModel;
use crate::planning::PlanningModel;
use crate::rules::Rules;

/// A game in PDDL, Essence Prime and Essence. A game without models is solved by searches only.
///
/// In a game's folder: `planning.rs` and `constraint.rs`, with the texts in `models/`.
pub trait Models: Rules {
    /// Models in PDDL, for the routes `pddl:NAME`.
    const PLANNING: &'static [PlanningModel<Self>] = &[];
    /// Models in Essence Prime, for the routes `eprime:NAME:sat|cp|mip`, and in Essence, for the
    /// routes `essence:NAME:sat|cp|mip`.
    const CONSTRAINT: &'static [ConstraintModel<Self>] = &[];
}
