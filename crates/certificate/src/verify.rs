//! Checks a certificate, step by step.

use std::fmt;
use std::io::{self, Read};

use ployglot_base::text::utf8;
use ployglot_base::{BadText, Budget, Limit};
use ployglot_games::document::LONGEST_TEXT;
use ployglot_games::{AnyLevel, Game, Level, LevelVisitor};

use crate::folder::Folder;
use crate::manifest::{Claim, File, MANIFEST, Manifest, Part};
use crate::planning::{self, PDDL, ReadTask};
use crate::{clauses, hash, layers, plan};

/// How the check of a certificate ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is proven.
    Verified,
    /// This is wrong: the file and the spot, in a sentence.
    Refuted(String),
    /// This program cannot check it, for this reason.
    NotCheckable(String),
    /// A limit ended the check.
    Limit(Limit),
}

impl Verdict {
    /// The name in `--json` output.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Refuted(_) => "refuted",
            Verdict::NotCheckable(_) => "not checkable",
            Verdict::Limit(_) => "limit",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Verdict::Verified => write!(f, "verified"),
            Verdict::Refuted(why) => write!(f, "refuted: {why}"),
            Verdict::NotCheckable(why) => write!(f, "not checkable: {why}"),
            Verdict::Limit(limit) => write!(f, "not checked, ended by {limit}"),
        }
    }
}

/// A step of the check that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was checked: `level`, `hashes`, or the kind of a part.
    pub what: String,
    /// What was found, in a sentence.
    pub found: String,
}

/// What the check of a certificate found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The manifest.
    pub manifest: Manifest,
    /// The SHA-256 of the manifest, which names the whole certificate.
    pub sha256: String,
    /// What must be trusted, by this program's own list.
    pub trusted: Vec<String>,
    /// How it ended.
    pub verdict: Verdict,
}

/// What ends a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The certificate is wrong.
    Refuted(String),
    /// This program cannot check it.
    NotCheckable(String),
    /// A limit was hit.
    Limit(Limit),
}

impl Trouble {
    /// A file that cannot be read. One that is missing is a fault of the certificate.
    pub(crate) fn io(name: &str, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Trouble::Refuted(format!("{name} is missing")),
            _ => Trouble::NotCheckable(format!("{name} cannot be read: {error}")),
        }
    }
}

/// Why a folder was not checked at all.
#[derive(Debug)]
pub enum NoCertificate {
    /// The manifest cannot be read.
    Io(io::Error),
    /// The manifest has an error; its text comes with it.
    BadText(BadText, Vec<u8>),
}

/// The largest manifest, in bytes.
const LONGEST_MANIFEST: u64 = 64 << 20;
/// The largest model or parameter file, in bytes.
const LONGEST_MODEL: u64 = 256 << 20;
/// The largest plan, in bytes.
const LONGEST_PLAN: u64 = 64 << 20;

/// The largest file of a proof through planning, in bytes.
const LONGEST_PROOF: u64 = 16 << 30;

/// Checks a certificate. Each step that succeeds is reported at once.
pub fn verify(
    folder: &dyn Folder,
    budget: &Budget,
    report: &mut dyn FnMut(&Step),
) -> Result<Report, NoCertificate> {
    let mut bytes = Vec::new();
    let opened = folder.open(MANIFEST).map_err(NoCertificate::Io)?;
    let read = opened.take(LONGEST_MANIFEST).read_to_end(&mut bytes);
    read.map_err(NoCertificate::Io)?;
    let text = utf8(&bytes, "a manifest");
    let manifest = text.and_then(Manifest::parse);
    let manifest = manifest.map_err(|bad| NoCertificate::BadText(bad, bytes.clone()))?;
    let mut check = Check {
        manifest: &manifest,
        folder,
        budget,
        report,
        trusted: Vec::new(),
    };
    let verdict = match check.run() {
        Ok(()) => Verdict::Verified,
        Err(Trouble::Refuted(why)) => Verdict::Refuted(why),
        Err(Trouble::NotCheckable(why)) => Verdict::NotCheckable(why),
        Err(Trouble::Limit(limit)) => Verdict::Limit(limit),
    };
    let trusted = check.trusted;
    Ok(Report {
        sha256: hash::sha256(&bytes),
        manifest,
        trusted,
        verdict,
    })
}

struct Check<'a> {
    manifest: &'a Manifest,
    folder: &'a dyn Folder,
    budget: &'a Budget,
    report: &'a mut dyn FnMut(&Step),
    /// What has to be trusted so far.
    trusted: Vec<String>,
}

impl Check<'_> {
    fn run(&mut self) -> Result<(), Trouble> {
        let manifest = self.manifest;
        let parts = manifest.parts.iter().flat_map(Part::files);
        let files: Vec<&File> = std::iter::once(&manifest.level).chain(parts).collect();
        for file in &files {
            self.check_hash(file)?;
        }
        self.step(
            "hashes",
            format!("{} files are as the manifest says", files.len()),
        );
        if manifest.game == PDDL {
            self.check_files()?;
            return self.check_trusted();
        }
        let bytes = self.read(&manifest.level, LONGEST_TEXT as u64)?;
        let level = AnyLevel::read_bytes(&bytes)
            .map_err(|bad| Trouble::Refuted(format!("{}: {bad}", manifest.level.name)))?;
        level.visit(CheckLevel(self))?;
        self.check_trusted()
    }

    /// Checks that the manifest names all that has to be trusted.
    fn check_trusted(&self) -> Result<(), Trouble> {
        let manifest = self.manifest;
        let missing = |sentence: &&String| !manifest.trusted.contains(sentence);
        match self.trusted.iter().find(missing) {
            Some(sentence) => Err(Trouble::Refuted(format!(
                "{MANIFEST}: the list of what must be trusted lacks: {sentence}"
            ))),
            None => Ok(()),
        }
    }

    /// Checks the certificate of PDDL files.
    fn check_files(&mut self) -> Result<(), Trouble> {
        let manifest = self.manifest;
        let refuted = |why: &str| Err(Trouble::Refuted(format!("{MANIFEST}: {why}")));
        self.trust(Part::trusted_files());
        let bound = manifest.parts.iter().find_map(|part| match part {
            Part::PseudoBoolean { domain, .. } => Some((part, domain)),
            _ => None,
        });
        let Some((part, domain)) = bound else {
            return refuted("there is no proof that nothing is cheaper");
        };
        let task = self.check_bound(part, &manifest.level)?;
        self.trust(planning::trusted(None));
        let mut plans = 0;
        for part in &manifest.parts {
            match (part, manifest.claim) {
                (Part::Plan { file, .. }, Claim::Cost(cost)) => {
                    plans += 1;
                    let bytes = self.read(file, LONGEST_PLAN)?;
                    let found = task.check_plan(cost, (&file.name, &bytes), self.budget)?;
                    self.step(part.kind(), found);
                }
                (Part::Plan { .. }, Claim::Unsolvable) => {
                    return refuted("there is a plan, and the claim is 'unsolvable'");
                }
                (Part::PseudoBoolean { domain: other, .. }, _) if other == domain => {}
                _ => return refuted("planning problems have no such part"),
            }
        }
        match (manifest.claim, plans) {
            (Claim::Cost(_), 0) => refuted("the claim is a cost, and there is no plan"),
            _ => Ok(()),
        }
    }

    /// Checks a proof through planning, whose problem must be in this file.
    fn check_bound(&mut self, part: &Part, expected: &File) -> Result<ReadTask, Trouble> {
        let Part::PseudoBoolean {
            domain,
            problem,
            opb,
            proof,
            ..
        } = part
        else {
            unreachable!("the caller has found such a part");
        };
        if problem.sha256 != expected.sha256 {
            let why = format!("{} is not the problem of the claim", problem.name);
            return Err(Trouble::Refuted(why));
        }
        let texts = [domain, problem].map(|file| self.read(file, LONGEST_PLAN));
        let [domain_text, problem_text] = texts;
        let task = ReadTask::new(
            (&domain.name, &domain_text?),
            (&problem.name, &problem_text?),
            self.budget,
        )?;
        let constraints = self.read(opb, LONGEST_PROOF)?;
        let named = (opb.name.as_str(), &constraints[..]);
        let found = task.check_constraints(self.manifest.claim, named, self.budget)?;
        self.step("constraints", found);
        let lines = self.read(proof, LONGEST_PROOF)?;
        let found = planning::check_proof(&constraints, (&proof.name, &lines), self.budget)?;
        self.step(part.kind(), found);
        Ok(task)
    }

    fn step(&mut self, what: &str, found: String) {
        (self.report)(&Step {
            what: what.to_string(),
            found,
        });
    }

    fn check_hash(&self, file: &File) -> Result<(), Trouble> {
        let io = |error| Trouble::io(&file.name, error);
        let opened = self.folder.open(&file.name).map_err(io)?;
        let (bytes, sha256) = hash::of_reader(opened, self.budget)
            .map_err(io)?
            .map_err(Trouble::Limit)?;
        match bytes == file.bytes && sha256 == file.sha256 {
            true => Ok(()),
            false => Err(Trouble::Refuted(format!(
                "{} is not the file that the manifest names: its SHA-256 is {sha256}",
                file.name
            ))),
        }
    }

    fn read(&self, file: &File, most: u64) -> Result<Vec<u8>, Trouble> {
        if file.bytes > most {
            let why = format!("{} has more than {most} bytes", file.name);
            return Err(Trouble::NotCheckable(why));
        }
        let io = |error| Trouble::io(&file.name, error);
        let mut bytes = Vec::new();
        let opened = self.folder.open(&file.name).map_err(io)?;
        opened.take(most).read_to_end(&mut bytes).map_err(io)?;
        Ok(bytes)
    }

    fn trust(&mut self, sentences: Vec<String>) {
        for sentence in sentences {
            if !self.trusted.contains(&sentence) {
                self.trusted.push(sentence);
            }
        }
    }
}

/// Checks everything that depends on the game.
struct CheckLevel<'c, 'a>(&'c mut Check<'a>);

impl LevelVisitor for CheckLevel<'_, '_> {
    type Out = Result<(), Trouble>;

    fn visit<G: Game>(self, level: &Level<G>) -> Result<(), Trouble> {
        let check = self.0;
        let manifest = check.manifest;
        let refuted = |why: String| Err(Trouble::Refuted(format!("{MANIFEST}: {why}")));
        if manifest.game != G::NAME || manifest.variant != level.game.variant() {
            return refuted(format!(
                "the level is one of {} (variant '{}'), and the manifest says {} (variant '{}')",
                G::NAME,
                level.game.variant(),
                manifest.game,
                manifest.variant
            ));
        }
        if G::MEASURES.iter().all(|it| it.name != manifest.measure) {
            return refuted(format!("{} has no measure '{}'", G::NAME, manifest.measure));
        }
        if let Some(why) = level.game.unproven() {
            return Err(Trouble::NotCheckable(why));
        }
        check.step("level", format!("a level of {}, read again", G::NAME));
        check.trust(Part::trusted_level::<G>());
        let (mut plans, mut bounds) = (0, 0);
        for part in &manifest.parts {
            let found = match part {
                Part::Plan { file, .. } => {
                    let Claim::Cost(cost) = manifest.claim else {
                        return refuted("there is a plan, and the claim is 'unsolvable'".into());
                    };
                    plans += 1;
                    let bytes = check.read(file, LONGEST_PLAN)?;
                    plan::check(&level.game, &manifest.measure, cost, &file.name, &bytes)?
                }
                Part::Layers {
                    file,
                    nodes,
                    exclusions,
                    ..
                } => {
                    bounds += 1;
                    layers::check(
                        &level.game,
                        &manifest.measure,
                        manifest.claim,
                        (file, *nodes, exclusions),
                        check.folder,
                        check.budget,
                    )?
                }
                Part::PseudoBoolean {
                    model,
                    domain,
                    problem,
                    ..
                } => {
                    bounds += 1;
                    let known = G::PLANNING.iter().find(|known| known.name == model);
                    let Some(known) = known.filter(|known| known.measure == manifest.measure)
                    else {
                        let (game, measure) = (G::NAME, &manifest.measure);
                        return refuted(format!("{game} has no model '{model}' for '{measure}'"));
                    };
                    let made = (known.problem)(&level.game).map_err(Trouble::Refuted)?;
                    for (file, text) in [(domain, known.domain), (problem, made.as_str())] {
                        if check.read(file, LONGEST_PLAN)? != text.as_bytes() {
                            let why = format!("{} is not that of the model and level", file.name);
                            return Err(Trouble::Refuted(why));
                        }
                    }
                    check.step("model", format!("the PDDL texts of '{model}', made anew"));
                    check.check_bound(part, problem)?;
                    check.trust(part.trusted(&level.game, &manifest.measure, manifest.claim));
                    continue;
                }
                Part::Clauses {
                    route,
                    model,
                    parameters,
                    refuted,
                } => {
                    bounds += 1;
                    let (model, parameters) = (
                        check.read(model, LONGEST_MODEL)?,
                        check.read(parameters, LONGEST_MODEL)?,
                    );
                    let part = clauses::Clauses {
                        route,
                        model: &model,
                        parameters: &parameters,
                        refuted,
                    };
                    let (folder, budget) = (check.folder, check.budget);
                    let mut step = |what: &str, found| check.step(what, found);
                    let (measure, claim) = (&manifest.measure, manifest.claim);
                    clauses::check(
                        &level.game,
                        measure,
                        claim,
                        &part,
                        folder,
                        budget,
                        &mut step,
                    )?
                }
            };
            check.trust(part.trusted(&level.game, &manifest.measure, manifest.claim));
            check.step(part.kind(), found);
        }
        if matches!(manifest.claim, Claim::Cost(_)) && plans == 0 {
            return refuted("the claim is a cost, and there is no plan".into());
        }
        if bounds == 0 && manifest.claim != Claim::Cost(0) {
            let why = "there is a plan, but no proof that nothing is cheaper".to_string();
            return Err(Trouble::NotCheckable(why));
        }
        Ok(())
    }
}
