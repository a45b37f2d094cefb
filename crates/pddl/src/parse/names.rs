//! Typed lists, arguments, and requirement flags.

use ployglot_base::BadText;
use ployglot_base::text::unknown;

use crate::lifted::{Domain, Either, Parameter, Type, TypeId};
use crate::tree::{Span, Tree};

pub(super) const OBJECT: TypeId = TypeId(0);

/// Checks the number of arguments of a predicate or function.
pub(super) fn check_count(
    span: Span,
    name: &str,
    parameters: &[Parameter],
    arguments: &[Tree],
) -> Result<(), BadText> {
    let (takes, has) = (parameters.len(), arguments.len());
    if takes == has {
        return Ok(());
    }
    Err(span.error(format!("'{name}' takes {takes} arguments, found {has}")))
}

/// The error that an argument of `name` has the types `found` where `wanted` is declared.
pub(super) fn wrong_type(
    domain: &Domain,
    name: &str,
    wanted: &Either,
    argument: &Tree,
    found: &Either,
) -> BadText {
    argument.span.error(format!(
        "'{name}' takes a {} here, {} is a {}",
        domain.print_types(wanted),
        argument.found(),
        domain.print_types(found)
    ))
}

/// One item of a typed list: `?x - (either a b)`.
pub(super) struct Typed<'a> {
    pub name: &'a str,
    pub span: Span,
    /// `None`: no type was written.
    pub types: Option<&'a Tree>,
}

/// The items of a typed list such as `a b - t c - (either u v) d`.
pub(super) fn typed_list(items: &[Tree]) -> Result<Vec<Typed<'_>>, BadText> {
    let mut list: Vec<Typed> = Vec::new();
    let mut untyped = 0;
    let mut rest = items.iter();
    while let Some(item) = rest.next() {
        match item.word() {
            Some("-") => {
                let types = rest
                    .next()
                    .ok_or_else(|| item.span.error("expected a type after '-'"))?;
                if untyped == list.len() {
                    return Err(item.span.error("expected a name before '-'"));
                }
                list[untyped..]
                    .iter_mut()
                    .for_each(|typed| typed.types = Some(types));
                untyped = list.len();
            }
            Some(name) => list.push(Typed {
                name,
                span: item.span,
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
            .ok_or_else(|| tree.span.error(unknown("type", name, names)))
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
            return Err(typed.span.error(format!(
                "a variable starts with '?', found '{}'",
                typed.name
            )));
        }
        if parameters.iter().any(|known| known.name == typed.name) {
            return Err(typed
                .span
                .error(format!("the variable '{}' is declared twice", typed.name)));
        }
        if typed.types.is_some() {
            flags.need("typing", typed.span);
        }
        parameters.push(Parameter {
            name: typed.name.to_string(),
            types: types(known, typed.types)?,
        });
    }
    Ok(parameters)
}

/// The requirement flags that are declared, and those that the text needs.
#[derive(Default)]
pub(super) struct Flags {
    declared: Vec<String>,
    needed: Vec<(&'static str, Span)>,
    /// Warnings about the declarations themselves.
    warnings: Vec<BadText>,
}

/// The flags that a flag includes.
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
    /// Adds declared flags; warns of those that are unknown or not supported.
    pub fn declare(&mut self, items: &[Tree]) -> Result<(), BadText> {
        for item in items {
            let Some(flag) = item.word().and_then(|word| word.strip_prefix(':')) else {
                return Err(item.expected("a requirement such as ':typing'"));
            };
            if UNSUPPORTED.contains(&flag) {
                let message = format!(
                    "':{flag}' is not supported; the file is accepted as long as it does not use it"
                );
                self.warnings.push(item.span.error(message));
            } else if !SUPPORTED.contains(&flag) {
                let known = SUPPORTED.iter().copied();
                self.warnings
                    .push(item.span.error(unknown("requirement", flag, known)));
            }
            self.declared.push(flag.to_string());
        }
        Ok(())
    }

    /// Adds the requirements of the domain to those of its problem.
    pub fn inherit(&mut self, requirements: &[String]) {
        self.declared.extend_from_slice(requirements);
    }

    /// Notes that the text at `span` needs this flag.
    pub fn need(&mut self, flag: &'static str, span: Span) {
        if self.needed.iter().all(|(known, _)| *known != flag) {
            self.needed.push((flag, span));
        }
    }

    fn has(&self, flag: &str) -> bool {
        self.declared
            .iter()
            .any(|declared| includes(declared, flag))
    }

    /// All flags that are declared or needed, and a warning for each that is needed but not
    /// declared.
    pub fn finish(mut self) -> (Vec<String>, Vec<BadText>) {
        for (flag, span) in std::mem::take(&mut self.needed) {
            if !self.has(flag) {
                self.warnings.push(span.error(format!(
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
