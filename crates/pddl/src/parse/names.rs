//! Typed lists, requirement flags, and messages about names that nobody knows.

use ployglot_base::BadText;
use ployglot_base::text::nearest;

use crate::lifted::{Either, Parameter, Type, TypeId};
use crate::tree::{Spot, Tree};

pub(super) const OBJECT: TypeId = TypeId(0);

/// `unknown predicate 'foo'; did you mean 'fob'?`
pub(super) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("unknown {what} '{name}'; did you mean '{near}'?");
    }
    let all: Vec<_> = known.take(12).collect();
    if all.is_empty() {
        return format!("unknown {what} '{name}'; none are declared");
    }
    format!("unknown {what} '{name}'; known are {}", all.join(", "))
}

/// One item of a typed list: `?x - (either a b)`.
pub(super) struct Typed<'a> {
    pub name: &'a str,
    pub spot: Spot,
    /// `None`: no type was written.
    pub types: Option<&'a Tree>,
}

/// Takes `a b - t c - (either u v) d` apart.
pub(super) fn typed_list(items: &[Tree]) -> Result<Vec<Typed<'_>>, BadText> {
    let mut list: Vec<Typed> = Vec::new();
    let mut untyped = 0;
    let mut rest = items.iter();
    while let Some(item) = rest.next() {
        match item.word() {
            Some("-") => {
                let types = rest
                    .next()
                    .ok_or_else(|| item.spot.bad("expected a type after '-'"))?;
                if untyped == list.len() {
                    return Err(item.spot.bad("expected a name before '-'"));
                }
                list[untyped..]
                    .iter_mut()
                    .for_each(|typed| typed.types = Some(types));
                untyped = list.len();
            }
            Some(name) => list.push(Typed {
                name,
                spot: item.spot,
                types: None,
            }),
            None => return Err(item.expected("a name")),
        }
    }
    Ok(list)
}

/// A type, or `(either t u …)`; without one, `object`.
pub(super) fn types(known: &[Type], tree: Option<&Tree>) -> Result<Either, BadText> {
    let Some(tree) = tree else {
        return Ok(Either(vec![OBJECT]));
    };
    let find = |tree: &Tree| -> Result<TypeId, BadText> {
        let name = tree.word().ok_or_else(|| tree.expected("a type"))?;
        let found = known.iter().position(|ty| ty.name == name);
        let names = known.iter().map(|ty| ty.name.as_str());
        found
            .map(|index| TypeId(index as u16))
            .ok_or_else(|| tree.spot.bad(unknown("type", name, names)))
    };
    match tree.list() {
        None => Ok(Either(vec![find(tree)?])),
        Some([either, some @ ..]) if either.word() == Some("either") && !some.is_empty() => {
            Ok(Either(some.iter().map(find).collect::<Result<_, _>>()?))
        }
        Some(_) => Err(tree.expected("a type or '(either …)'")),
    }
}

/// A typed list of variables.
pub(super) fn parameters(
    known: &[Type],
    items: &[Tree],
    flags: &mut Flags,
) -> Result<Vec<Parameter>, BadText> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for typed in typed_list(items)? {
        if !typed.name.starts_with('?') || typed.name.len() < 2 {
            return Err(typed.spot.bad(format!(
                "a variable starts with '?', found '{}'",
                typed.name
            )));
        }
        if parameters.iter().any(|known| known.name == typed.name) {
            return Err(typed
                .spot
                .bad(format!("the variable '{}' is declared twice", typed.name)));
        }
        if typed.types.is_some() {
            flags.need("typing", typed.spot);
        }
        parameters.push(Parameter {
            name: typed.name.to_string(),
            types: types(known, typed.types)?,
        });
    }
    Ok(parameters)
}

/// The requirement flags that are declared, and those that turned out to be needed.
#[derive(Default)]
pub(super) struct Flags {
    declared: Vec<String>,
    needed: Vec<(&'static str, Spot)>,
    /// About the declarations themselves.
    warnings: Vec<BadText>,
}

/// What a flag includes.
const INCLUDES: &[(&str, &[&str])] = &[
    (
        "adl",
        &[
            "strips",
            "typing",
            "negative-preconditions",
            "disjunctive-preconditions",
            "equality",
            "quantified-preconditions",
            "conditional-effects",
        ],
    ),
    (
        "quantified-preconditions",
        &["existential-preconditions", "universal-preconditions"],
    ),
    ("fluents", &["numeric-fluents"]),
    ("numeric-fluents", &["action-costs"]),
    ("ucpop", &["adl"]),
];

const SUPPORTED: &[&str] = &[
    "strips",
    "typing",
    "negative-preconditions",
    "disjunctive-preconditions",
    "equality",
    "existential-preconditions",
    "universal-preconditions",
    "quantified-preconditions",
    "conditional-effects",
    "derived-predicates",
    "action-costs",
    "adl",
    "fluents",
    "numeric-fluents",
    "ucpop",
];

const UNSUPPORTED: &[&str] = &[
    "durative-actions",
    "duration-inequalities",
    "continuous-effects",
    "timed-initial-literals",
    "preferences",
    "constraints",
    "object-fluents",
    "time",
];

impl Flags {
    pub fn declare(&mut self, items: &[Tree]) -> Result<(), BadText> {
        for item in items {
            let Some(flag) = item.word().and_then(|word| word.strip_prefix(':')) else {
                return Err(item.expected("a requirement such as ':typing'"));
            };
            if UNSUPPORTED.contains(&flag) {
                let message = format!(
                    "':{flag}' is not supported; the file is taken as long as it does not use it"
                );
                self.warnings.push(item.spot.bad(message));
            } else if !SUPPORTED.contains(&flag) {
                let known = SUPPORTED.iter().copied();
                self.warnings
                    .push(item.spot.bad(unknown("requirement", flag, known)));
            }
            self.declared.push(flag.to_string());
        }
        Ok(())
    }

    /// What the domain declared holds for its problems.
    pub fn inherit(&mut self, requirements: &[String]) {
        self.declared.extend_from_slice(requirements);
    }

    pub fn need(&mut self, flag: &'static str, spot: Spot) {
        if self.needed.iter().all(|(known, _)| *known != flag) {
            self.needed.push((flag, spot));
        }
    }

    fn has(&self, flag: &str) -> bool {
        self.declared
            .iter()
            .any(|declared| includes(declared, flag))
    }

    /// All flags that hold, and a warning for each that was forgotten.
    pub fn finish(mut self) -> (Vec<String>, Vec<BadText>) {
        for (flag, spot) in std::mem::take(&mut self.needed) {
            if !self.has(flag) {
                self.warnings.push(spot.bad(format!(
                    "this needs the requirement ':{flag}', which is not declared"
                )));
                self.declared.push(flag.to_string());
            }
        }
        (self.declared, self.warnings)
    }
}

fn includes(declared: &str, flag: &str) -> bool {
    declared == flag
        || INCLUDES
            .iter()
            .filter(|(name, _)| *name == declared)
            .any(|(_, parts)| parts.iter().any(|part| includes(part, flag)))
}
