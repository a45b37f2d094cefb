//! Typed lists, arguments, and requirement flags.

use ployglot_base::BadText;
use ployglot_base::text::unknown;
use rustc_hash::FxHashMap;

use crate::lifted::*;
use crate::tree::{Span, Tree};

pub(super) const OBJECT: TypeId = TypeId(0);
/// The greatest number of variables that are bound at one place. A slot is a `u16`, and the grounder
/// may have to count some variables twice.
pub(super) const MAX_VARIABLES: usize = 10_000;

/// The names of a domain, and of the objects of a problem or of the domain's constants. A text may
/// have a hundred thousand objects and millions of atoms, so the names are in hash tables.
pub(super) struct Names<'a> {
    pub domain: &'a Domain,
    pub objects: &'a [Object],
    object_ids: FxHashMap<&'a str, ObjectId>,
    predicate_ids: FxHashMap<&'a str, PredicateId>,
    function_ids: FxHashMap<&'a str, FunctionId>,
}

impl<'a> Names<'a> {
    pub fn new(domain: &'a Domain, objects: &'a [Object]) -> Self {
        let object_names = objects.iter().map(|object| object.name.as_str());
        let predicates = domain.predicates.iter();
        let predicate_names = predicates.map(|predicate| predicate.name.as_str());
        let function_names = domain.functions.iter().map(|f| f.name.as_str());
        Self {
            domain,
            objects,
            object_ids: object_names.zip((0..).map(ObjectId)).collect(),
            predicate_ids: predicate_names.zip((0..).map(PredicateId)).collect(),
            function_ids: function_names.zip((0..).map(FunctionId)).collect(),
        }
    }

    /// The object of this name.
    pub fn object(&self, tree: &Tree) -> Result<ObjectId, BadText> {
        let name = tree.word().ok_or_else(|| tree.expected("an object"))?;
        self.object_ids.get(name).copied().ok_or_else(|| {
            let known = self.objects.iter().map(|object| object.name.as_str());
            tree.span.error(unknown("object", name, known))
        })
    }

    /// The predicate of this name.
    pub fn predicate(&self, tree: &Tree) -> Result<PredicateId, BadText> {
        let name = tree.word().ok_or_else(|| tree.expected("a predicate"))?;
        self.predicate_ids.get(name).copied().ok_or_else(|| {
            let known = self.domain.predicates.iter().map(|p| p.name.as_str());
            tree.span.error(unknown("predicate", name, known))
        })
    }

    /// The function of this name.
    pub fn function(&self, tree: &Tree) -> Result<FunctionId, BadText> {
        let name = tree.word().ok_or_else(|| tree.expected("a function"))?;
        self.function_ids.get(name).copied().ok_or_else(|| {
            let known = self.domain.functions.iter().map(|f| f.name.as_str());
            tree.span.error(unknown("function", name, known))
        })
    }
}

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
    pub types: Option<&'a Tree<'a>>,
}

/// The items of a typed list such as `a b - t c - (either u v) d`.
pub(super) fn typed_list<'a>(items: &'a [Tree<'a>]) -> Result<Vec<Typed<'a>>, BadText> {
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

/// A typed list of variables, which differ.
pub(super) fn parameters(
    known: &[Type],
    items: &[Tree],
    flags: &mut Flags,
) -> Result<Vec<Parameter>, BadText> {
    let (parameters, repeated) = declared_parameters(known, items, flags)?;
    repeated.map_or(Ok(parameters), |(span, name)| {
        Err(span.error(format!("the variable '{name}' is declared twice")))
    })
}

/// A variable that is declared again: its place and its name.
type Repeated = (Span, String);

/// A typed list of variables, and the first that is declared twice.
pub(super) fn declared_parameters(
    known: &[Type],
    items: &[Tree],
    flags: &mut Flags,
) -> Result<(Vec<Parameter>, Option<Repeated>), BadText> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut repeated = None;
    for typed in typed_list(items)? {
        if !typed.name.starts_with('?') || typed.name.len() < 2 {
            return Err(typed.span.error(format!(
                "a variable starts with '?', found '{}'",
                typed.name
            )));
        }
        if parameters.iter().any(|known| known.name == typed.name) {
            repeated.get_or_insert((typed.span, typed.name.to_string()));
        }
        if parameters.len() == MAX_VARIABLES {
            return Err(typed.span.error("too many variables"));
        }
        if typed.types.is_some() {
            flags.need("typing", typed.span);
        }
        parameters.push(Parameter {
            name: typed.name.to_string(),
            types: types(known, typed.types)?,
        });
    }
    Ok((parameters, repeated))
}

/// The requirement flags that are declared, and those that the text needs.
#[derive(Default)]
pub(super) struct Flags {
    declared: Vec<String>,
    needed: Vec<(&'static str, Span)>,
    /// Other warnings about the text.
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

    /// Adds a warning: the text is accepted, but not what PDDL has.
    pub fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.warnings.push(span.error(message));
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
