//! What must be trusted for a certificate, in sentences. The manifest lists them, and [`verify`](crate::verify())
//! refuses a manifest that lacks one.

use ployglot_games::Game;

use crate::manifest::Part;
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
    pub fn trusted<G: Game>(&self) -> Vec<String> {
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
                        "The lower bound '{name}' ({about}) is right; its proof is in the README of {}.",
                        G::NAME
                    ));
                }
                sentences
            }
        }
    }
}
