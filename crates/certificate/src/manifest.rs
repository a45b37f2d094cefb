//! The manifest of a certificate: what is claimed, what must be trusted, and the files that prove it.
//!
//! It is JSON, so that other programs can read it. `docs/certificates.md` describes every field. A
//! field that this version does not know is an error: it might change what is claimed.

use ployglot_base::BadText;
use serde::{Deserialize, Serialize};

/// The name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// The version of the format.
pub const FORMAT: u32 = 1;

/// What a folder claims, and how it proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// The program that wrote it, with its version.
    pub program: String,
    /// The name of the game, or `pddl` for a planning problem.
    pub game: String,
    /// The variant of the rules; empty if the level has no options.
    pub variant: String,
    /// The measure by which costs are counted.
    pub measure: String,
    /// What is claimed.
    pub claim: Claim,
    /// The level text.
    pub level: File,
    /// What must be trusted, each in a sentence.
    pub trusted: Vec<String>,
    /// The parts of the proof.
    pub parts: Vec<Part>,
}

/// What a certificate claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// The best plans have this cost.
    Cost(u32),
    /// There is no plan.
    Unsolvable,
}

impl Claim {
    /// The cost from which on nothing has to be shown.
    pub fn below(self) -> u32 {
        match self {
            Claim::Cost(cost) => cost,
            Claim::Unsolvable => u32::MAX,
        }
    }
}

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name, without a path.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
}

/// A part of a proof. Each names the command of another program that checks it too, if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Part {
    /// A plan of the claimed cost.
    Plan {
        /// The moves, one on each line.
        file: File,
        /// How others check it.
        check: String,
    },
    /// All nodes that are cheaper than the claim: no plan costs less.
    Layers {
        /// The nodes, sorted, with their costs.
        file: File,
        /// How many nodes are listed.
        nodes: u64,
        /// The names of the rules by which nodes were left out.
        exclusions: Vec<String>,
        /// How others check it.
        check: String,
    },
    /// Pseudo-Boolean constraints and a proof that every plan of a planning task costs at least as
    /// much as is claimed.
    PseudoBoolean {
        /// The game's planning model; empty where the certificate is about PDDL files.
        model: String,
        /// The PDDL domain.
        domain: File,
        /// The PDDL problem.
        problem: File,
        /// The constraints.
        opb: File,
        /// The proof for VeriPB.
        proof: File,
        /// How others check it.
        check: String,
    },
    /// The clauses of a constraint model at the horizons that a cheaper plan could have, and proofs
    /// that they have no solution.
    Clauses {
        /// The route whose model it is: `eprime:action:sat`, `essence:graph:sat`.
        route: String,
        /// The model, in the language that the route names.
        model: File,
        /// The level as parameters of the model, without the horizon.
        parameters: File,
        /// The horizons without a solution.
        refuted: Vec<Refutation>,
    },
}

/// A horizon of a model that has no solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refutation {
    /// The horizon.
    pub horizon: u32,
    /// The clauses as DIMACS text, with comments that say what the variables mean.
    pub clauses: File,
    /// The LRAT proof.
    pub proof: File,
    /// How others check it.
    pub check: String,
}

impl Part {
    /// The files of the part.
    pub fn files(&self) -> Vec<&File> {
        match self {
            Part::Plan { file, .. } | Part::Layers { file, .. } => vec![file],
            Part::PseudoBoolean {
                domain,
                problem,
                opb,
                proof,
                ..
            } => vec![domain, problem, opb, proof],
            Part::Clauses {
                model,
                parameters,
                refuted,
                ..
            } => {
                let proofs = refuted.iter().flat_map(|it| [&it.clauses, &it.proof]);
                [model, parameters].into_iter().chain(proofs).collect()
            }
        }
    }

    /// The same, to be changed.
    pub fn files_mut(&mut self) -> Vec<&mut File> {
        match self {
            Part::Plan { file, .. } | Part::Layers { file, .. } => vec![file],
            Part::PseudoBoolean {
                domain,
                problem,
                opb,
                proof,
                ..
            } => vec![domain, problem, opb, proof],
            Part::Clauses {
                model,
                parameters,
                refuted,
                ..
            } => {
                let proofs = refuted
                    .iter_mut()
                    .flat_map(|it| [&mut it.clauses, &mut it.proof]);
                [model, parameters].into_iter().chain(proofs).collect()
            }
        }
    }

    /// The name of its kind, as in the manifest.
    pub fn kind(&self) -> &'static str {
        match self {
            Part::Plan { .. } => "plan",
            Part::Layers { .. } => "layers",
            Part::PseudoBoolean { .. } => "pseudo-boolean",
            Part::Clauses { .. } => "clauses",
        }
    }
}

impl Manifest {
    /// Reads a manifest.
    pub fn parse(text: &str) -> Result<Self, BadText> {
        let manifest: Manifest = serde_json::from_str(text).map_err(|error| {
            let whole = error.to_string();
            let why = whole.split(" at line ").next().unwrap_or(&whole);
            BadText::new(error.line().max(1), error.column().max(1), why)
        })?;
        let bad = |what: String| BadText::new(1, 1, what);
        if manifest.format != FORMAT {
            let why = format!(
                "this is format {} of a certificate, and this program reads format {FORMAT}",
                manifest.format
            );
            return Err(bad(why));
        }
        let files = manifest.parts.iter().flat_map(Part::files);
        let why = files.chain([&manifest.level]).find_map(bad_name);
        match why {
            Some(why) => Err(bad(why)),
            None => Ok(manifest),
        }
    }

    /// The text that [`parse`](Self::parse) reads.
    pub fn print(&self) -> String {
        serde_json::to_string_pretty(self).expect("a manifest is plain data") + "\n"
    }
}

/// Why a file of a manifest may not be opened: its name leads out of the folder, or is the manifest's.
pub fn bad_name(file: &File) -> Option<String> {
    let name = &file.name;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '=');
    let fits = name.chars().all(plain) && !name.is_empty() && !name.starts_with('.');
    (!fits || name == MANIFEST)
        .then(|| format!("a file of a certificate has a plain name without a path, found '{name}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let file = |name: &str| File {
            name: name.to_string(),
            bytes: 3,
            sha256: "ab".to_string(),
        };
        Manifest {
            format: FORMAT,
            program: "ploy 1".to_string(),
            game: "plotting".to_string(),
            variant: String::new(),
            measure: "shots".to_string(),
            claim: Claim::Cost(7),
            level: file("level.txt"),
            trusted: vec!["the rules".to_string()],
            parts: vec![Part::Plan {
                file: file("plan.txt"),
                check: "ploy check".to_string(),
            }],
        }
    }

    #[test]
    fn a_manifest_prints_as_it_is_read() {
        let text = manifest().print();
        assert!(
            text.contains("\"claim\": {\n    \"cost\": 7\n  }"),
            "{text}"
        );
        assert_eq!(Manifest::parse(&text), Ok(manifest()));
        let unsolvable = Manifest {
            claim: Claim::Unsolvable,
            ..manifest()
        };
        let text = unsolvable.print();
        assert!(text.contains("\"claim\": \"unsolvable\""), "{text}");
        assert_eq!(Manifest::parse(&text), Ok(unsolvable));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_place() {
        let text = manifest().print();
        let broken = |old: &str, new: &str, line: usize, why: &str| {
            assert!(text.contains(old), "{old}");
            let bad = Manifest::parse(&text.replacen(old, new, 1)).expect_err(new);
            assert_eq!(bad.line, line, "{bad}");
            assert!(bad.message.contains(why), "{bad}");
        };
        broken("\"format\": 1", "\"format\": 2", 1, "format 2");
        broken("\"game\"", "\"gane\"", 4, "unknown field");
        broken("plan.txt", "../plan.txt", 1, "without a path");
        broken("plan.txt", "manifest.json", 1, "without a path");
        broken(
            "\"kind\": \"plan\"",
            "\"kind\": \"faith\"",
            20,
            "unknown variant",
        );
        broken("\"shots\",", "\"shots\"", 7, "expected");
    }
}
