//! Proofs through SAT: the clauses of a constraint model at some horizons, each with an LRAT proof
//! that they have no solution.
//!
//! Three things are checked, and named as steps of their own:
//! - *proofs*: each proof derives the empty clause from its clauses (`lrat.rs`);
//! - *encoding*: the model and its parameters are those of the game and the level, and unrolling and
//!   encoding them again gives the same clauses, byte by byte. This repeats the work of the one who
//!   made the claim, so it proves that the clauses belong to this level, not that the encoding is
//!   right. That must be trusted;
//! - *horizons*: the horizons without a solution are all that a cheaper plan could have.

use std::io::{self, BufReader, Read, Write};

use ployglot_base::text::{amount, utf8};
use ployglot_base::{BadText, Budget, Limit};
use ployglot_csp::sat::Dimacs;
use ployglot_games::{ConstraintModel, FROM_ONE, Game, Language, ModelSwitch, Sweep};

use crate::folder::Folder;
use crate::lrat::{NotProven, check_lrat};
use crate::manifest::{Claim, Refutation};
use crate::verify::Trouble;

/// The part of a manifest, without its kind.
pub(crate) struct Clauses<'a> {
    pub route: &'a str,
    pub model: &'a [u8],
    pub parameters: &'a [u8],
    pub refuted: &'a [Refutation],
}

/// A constraint model of a game with some of its switches on, as a route names it.
pub struct NamedModel<G: Game> {
    /// The model.
    pub model: &'static ConstraintModel<G>,
    /// The switches that are on.
    pub switches: Vec<&'static ModelSwitch>,
}

/// Which horizons have to be refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first: plans with fewer steps are excluded by the game's bound, unless it is 1.
    pub first: u32,
    /// The last. If it is below the first, nothing has to be refuted.
    pub last: u32,
}

impl<G: Game> NamedModel<G> {
    /// The model of a route `eprime:MODEL+SWITCH:sat` or `essence:MODEL+SWITCH:sat`; `None` if the
    /// game has no such model.
    pub fn find(route: &str) -> Option<Self> {
        let (language, rest) = route.split_once(':')?;
        let mut words = rest.split(':').next()?.split('+');
        let name = words.next()?;
        let of_language = |model: &&ConstraintModel<G>| model.language.prefix() == language;
        let mut models = G::CONSTRAINT.iter().filter(of_language);
        let model = models.find(|model| model.name == name)?;
        let switch = |name: &str| model.switches.iter().find(|switch| switch.name == name);
        let switches = words.map(switch).collect::<Option<_>>()?;
        Some(Self { model, switches })
    }

    /// The text of the model.
    pub fn text(&self) -> String {
        self.model.text_with(&self.switches)
    }

    /// The horizons whose refutation proves the claim; `Err`: why none do. Where a solution may have
    /// fewer steps than the horizon, one is enough.
    pub fn range(&self, level: &G, measure: &str, claim: Claim) -> Result<Range, String> {
        let from_one = self.switches.iter().any(|on| on.name == FROM_ONE.name);
        let first = match from_one {
            true => 1,
            false => (self.model.first_horizon)(level).max(1),
        };
        let last = match claim {
            Claim::Unsolvable => (self.model.last_horizon)(level)
                .ok_or("the model does not know how long a plan can be")?,
            Claim::Cost(cost) => {
                let least_cost = self.model.least_cost_by(measure);
                let least_cost =
                    least_cost.ok_or("the model's horizon says nothing about the measure")?;
                // The greatest number of steps that a cheaper plan may have.
                let cheaper = |steps: &u32| least_cost(level, *steps) < cost;
                let most = cost.saturating_add(1);
                if cheaper(&most) {
                    return Err("the model's horizon gives no such bound".to_string());
                }
                (1..most).rev().find(cheaper).unwrap_or(0)
            }
        };
        Ok(match self.model.sweep {
            Sweep::OneByOne => Range { first, last },
            Sweep::Doubling => Range {
                first: last.max(1),
                last,
            },
        })
    }

    /// Whether plans with fewer steps than the first horizon are excluded by the game's bound.
    pub fn trusts_first(&self, range: Range) -> bool {
        self.model.sweep == Sweep::OneByOne && range.first > 1
    }
}

/// A model and the parameters of a level, as they are read from their texts.
pub enum ReadModel {
    /// In Essence Prime.
    EssencePrime(ployglot_eprime::Model, ployglot_eprime::Params),
    /// In Essence.
    Essence(ployglot_essence::Model, ployglot_essence::Params),
}

impl ReadModel {
    /// Reads both texts. The outer error is a limit.
    pub fn new(
        language: Language,
        model: &str,
        parameters: &str,
        budget: &Budget,
    ) -> Result<Result<Self, BadText>, Limit> {
        match language {
            Language::EssencePrime => {
                let model = ployglot_eprime::Model::parse_within(model, budget)?;
                let params = ployglot_eprime::Params::parse_within(parameters, budget)?;
                Ok(model.and_then(|model| Ok(Self::EssencePrime(model, params?))))
            }
            Language::Essence => {
                let model = ployglot_essence::Model::parse_within(model, budget)?;
                let params = ployglot_essence::Params::parse_within(parameters, budget)?;
                Ok(model.and_then(|model| Ok(Self::Essence(model, params?))))
            }
        }
    }

    /// The clauses at a horizon, which is the value of this parameter. The outer error is a limit, the
    /// inner one a sentence.
    pub fn encode(
        &self,
        parameter: &str,
        horizon: u32,
        budget: &Budget,
    ) -> Result<Result<Dimacs, String>, Limit> {
        let horizon = i64::from(horizon);
        let problem = match self {
            Self::EssencePrime(model, params) => {
                let mut params = params.clone();
                params.set_number(parameter, horizon);
                match model.instance_within(&params, budget)? {
                    Ok(instance) => {
                        let unrolled = instance.unroll_within(budget)?;
                        unrolled.map(|unrolled| unrolled.problem)
                    }
                    Err(fault) => Err(fault),
                }
            }
            Self::Essence(model, params) => {
                let mut params = params.clone();
                params.set_number(parameter, horizon);
                match model.instance_within(&params, budget)? {
                    Ok(instance) => {
                        let refined = instance.refine_within(budget)?;
                        refined.map(|refined| refined.problem)
                    }
                    Err(fault) => Err(fault),
                }
            }
        };
        match problem {
            Ok(problem) => Ok(Ok(Dimacs::new(&problem, budget)?)),
            Err(fault) => Ok(Err(fault.bad.to_string())),
        }
    }
}

/// Checks the part; reports its steps, and returns what the horizons prove.
pub(crate) fn check<G: Game>(
    level: &G,
    measure: &str,
    claim: Claim,
    part: &Clauses,
    folder: &dyn Folder,
    budget: &Budget,
    step: &mut dyn FnMut(&str, String),
) -> Result<String, Trouble> {
    let Some(named) = NamedModel::<G>::find(part.route) else {
        let why = format!("this program has no model '{}'", part.route);
        return Err(Trouble::NotCheckable(why));
    };
    // Models have no horizon 0: the empty plan is judged here.
    let start = level.start();
    if level.shortfall(&start).is_none() && level.plan_cost(measure, &[], &start) < claim.below() {
        let why = "the start is a goal, and the empty plan is cheaper".to_string();
        return Err(Trouble::Refuted(why));
    }
    check_horizons(level, measure, claim, &named, part.refuted)?;
    let (mut added, mut clauses) = (0, 0);
    for refutation in part.refuted {
        let checked = check_proof(refutation, folder, budget)?;
        added += checked.added;
        clauses += checked.clauses;
    }
    let proofs = amount(part.refuted.len() as u64, "horizons");
    step(
        "proofs",
        format!("{proofs}: LRAT proofs with {added} steps refute {clauses} clauses"),
    );
    check_encoding(level, &named, part, folder, budget)?;
    step(
        "encoding",
        format!(
            "the model '{}' and the level, unrolled and encoded again, give the same clauses",
            part.route
        ),
    );
    let range = named
        .range(level, measure, claim)
        .map_err(Trouble::Refuted)?;
    Ok(match (part.refuted.len(), claim) {
        (0, _) => format!(
            "the game's bound alone excludes plans of fewer than {} steps",
            range.first
        ),
        (_, Claim::Unsolvable) => format!(
            "no horizon from {} to {} has a solution, and no plan needs more steps",
            range.first, range.last
        ),
        (_, Claim::Cost(cost)) => format!(
            "no horizon from {} to {} has a solution, and plans with more steps cost at least {cost}",
            range.first, range.last
        ),
    })
}

/// Whether the refuted horizons are those that prove the claim.
fn check_horizons<G: Game>(
    level: &G,
    measure: &str,
    claim: Claim,
    named: &NamedModel<G>,
    refuted: &[Refutation],
) -> Result<(), Trouble> {
    let range = named
        .range(level, measure, claim)
        .map_err(Trouble::Refuted)?;
    let found: Vec<u32> = refuted
        .iter()
        .map(|refutation| refutation.horizon)
        .collect();
    let wanted: Vec<u32> = (range.first..=range.last).collect();
    match wanted.iter().find(|horizon| !found.contains(horizon)) {
        None => Ok(()),
        Some(missing) => Err(Trouble::Refuted(format!(
            "there is no proof for the horizon {missing}"
        ))),
    }
}

fn check_proof(
    refutation: &Refutation,
    folder: &dyn Folder,
    budget: &Budget,
) -> Result<crate::lrat::Checked, Trouble> {
    let (clauses, proof) = (&refutation.clauses.name, &refutation.proof.name);
    let open = |name: &str| {
        let opened = folder
            .open(name)
            .map_err(|error| Trouble::io(name, error))?;
        Ok(BufReader::with_capacity(1 << 16, opened))
    };
    check_lrat(open(clauses)?, open(proof)?, budget).map_err(|why| match why {
        NotProven::BadClauses(line, why) => Trouble::Refuted(format!("{clauses}:{line}: {why}")),
        NotProven::BadProof(line, why) => Trouble::Refuted(format!("{proof}:{line}: {why}")),
        NotProven::Limit(limit) => Trouble::Limit(limit),
        NotProven::Io(error) => Trouble::io(proof, error),
    })
}

/// Whether the clauses are those of the game's model and the level.
fn check_encoding<G: Game>(
    level: &G,
    named: &NamedModel<G>,
    part: &Clauses,
    folder: &dyn Folder,
    budget: &Budget,
) -> Result<(), Trouble> {
    let refuted = |why: String| Err(Trouble::Refuted(why));
    let (Ok(text), Ok(parameters)) = (utf8(part.model, ""), utf8(part.parameters, "")) else {
        return refuted("the model or its parameters are not UTF-8".to_string());
    };
    if text != named.text() {
        return refuted(format!("the model is not this program's '{}'", part.route));
    }
    if (named.model.parameters)(level).as_deref() != Ok(parameters) {
        return refuted("the parameters are not those of the level".to_string());
    }
    let language = named.model.language;
    let read = ReadModel::new(language, text, parameters, budget).map_err(Trouble::Limit)?;
    let Ok(model) = read else {
        return refuted("the model or its parameters cannot be read".to_string());
    };
    for refutation in part.refuted {
        let name = &refutation.clauses.name;
        let encoded = model.encode(named.model.horizon, refutation.horizon, budget);
        let dimacs = match encoded.map_err(Trouble::Limit)? {
            Ok(dimacs) => dimacs,
            Err(why) => {
                return Err(Trouble::NotCheckable(format!(
                    "horizon {}: {why}",
                    refutation.horizon
                )));
            }
        };
        let opened = folder
            .open(name)
            .map_err(|error| Trouble::io(name, error))?;
        let mut same = Same {
            file: BufReader::with_capacity(1 << 16, opened),
            line: 1,
            buffer: Vec::new(),
        };
        let compared = dimacs.write(&mut same).and_then(|()| same.ends());
        match compared {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return refuted(format!(
                    "{name}:{}: the clauses are not those of the model at the horizon {}",
                    same.line, refutation.horizon
                ));
            }
            Err(error) => return Err(Trouble::io(name, error)),
        }
    }
    Ok(())
}

/// A writer that compares what is written with a file.
struct Same<R> {
    file: R,
    /// The line that is compared.
    line: usize,
    buffer: Vec<u8>,
}

impl<R: Read> Same<R> {
    fn ends(&mut self) -> io::Result<()> {
        match self.file.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl<R: Read> Write for Same<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.resize(bytes.len(), 0);
        let read = self.file.read_exact(&mut self.buffer);
        if read.is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
            || self.buffer != bytes
        {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.line += bytes.iter().filter(|&&byte| byte == b'\n').count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
