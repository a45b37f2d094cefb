//! What must be trusted for a certificate, in sentences. The manifest lists them, and [`verify`](crate::verify())
//! refuses a manifest that lacks one.

use ployglot_games::Game;

use crate::clauses::NamedModel;
use crate::manifest::{Claim, Part};
use crate::planning;

impl Part {
    /// What must be trusted for any certificate of PDDL files.
    pub fn trusted_files() -> Vec<String> {
        vec!["The program that checks was compiled and runs as its source says.".to_string()]
    }

    /// What must be trusted for any certificate of a game.
    pub fn trusted_level<G: Game>() -> Vec<String> {
        vec![
            format!(
                "The level text is read as docs/formats.md says, and the slow rules of {} (rules.rs in its \
                 folder) are the rules of its README.",
                G::NAME
            ),
            Self::trusted_files().remove(0),
        ]
    }

    /// What must be trusted for this part, beside what every certificate needs.
    pub fn trusted<G: Game>(&self, level: &G, measure: &str, claim: Claim) -> Vec<String> {
        match self {
            Part::Plan { .. } => Vec::new(),
            Part::PseudoBoolean { model, .. } => planning::trusted(Some((G::NAME, model))),
            Part::Layers { exclusions, .. } => {
                let mut sentences = vec![format!(
                    "Nodes with equal bytes are alike for every plan, as listing.rs of {} says.",
                    G::NAME
                )];
                for name in exclusions {
                    let known = G::EXCLUSIONS.iter().find(|known| known.name == name);
                    let about = known.map_or("", |known| known.about);
                    sentences.push(format!(
                        "The exclusion '{name}' ({about}) is right; its proof is in the README of {}.",
                        G::NAME
                    ));
                }
                sentences
            }
            Part::Clauses { route, .. } => model_sentences(route, level, measure, claim),
        }
    }
}

/// What must be trusted for a proof through a constraint model.
fn model_sentences<G: Game>(route: &str, level: &G, measure: &str, claim: Claim) -> Vec<String> {
    let mut sentences = vec![
        format!(
            "The model of {route} and its parameters describe the plans of the level: a plan with h steps \
             is a solution at the horizon h."
        ),
        format!(
            "The clauses are those of the model: {} and encoding (crates/csp/src/sat) are right. `ploy \
             verify` repeats them, but does not prove them.",
            match route.starts_with("essence:") {
                true => "refinement (crates/essence)",
                false => "unrolling (crates/eprime)",
            }
        ),
    ];
    let Some(named) = NamedModel::<G>::find(route) else {
        return sentences;
    };
    let Ok(range) = named.range(level, measure, claim) else {
        return sentences;
    };
    if named.trusts_first(range) {
        let first = range.first;
        sentences.push(format!(
            "No plan has fewer than {first} steps, by the lower bound of {}; the switch 'from-one' \
             leaves this out.",
            G::NAME
        ));
    }
    let last = range.last;
    sentences.push(match claim {
        Claim::Unsolvable => format!("If there is a plan, there is one of at most {last} steps."),
        Claim::Cost(cost) => format!(
            "A plan with more than {last} steps costs at least {cost} by '{measure}': a step is a move, or \
             as constraint.rs of {} says.",
            G::NAME
        ),
    });
    sentences
}
