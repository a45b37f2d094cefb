//! Domain files: `(define (domain …) …)`.

use std::collections::{HashMap, HashSet};

use ployglot_base::text::unknown;
use ployglot_base::{BadText, Poll};

use super::formula::Scope;
use super::names::{Flags, Names, OBJECT, declared_parameters, parameters, typed_list, types};
use super::{Parsed, Sections};
use crate::lifted::*;
use crate::tree::{Span, Tree};

pub(super) fn parse(text: &str, poll: &Poll) -> Result<Parsed<Domain>, BadText> {
    let read = Tree::parse_without(text, "", poll)?;
    let sections = Sections::of(&read.tree, "domain")?;
    sections.only(&[
        ":requirements",
        ":types",
        ":constants",
        ":predicates",
        ":functions",
        ":action",
        ":derived",
    ])?;
    let mut flags = Flags::default();
    for (_, items) in sections.all(":requirements") {
        flags.declare(items)?;
    }
    let mut domain = Domain {
        name: sections.name.clone(),
        requirements: Vec::new(),
        types: vec![Type {
            name: "object".to_string(),
            parent: OBJECT,
        }],
        constants: Vec::new(),
        predicates: Vec::new(),
        functions: Vec::new(),
        actions: Vec::new(),
        axioms: Vec::new(),
    };
    if let Some((span, items)) = sections.one(":types")? {
        flags.need("typing", span);
        read_types(&mut domain.types, items, &mut flags)?;
    }
    if let Some((_, items)) = sections.one(":constants")? {
        domain.constants = read_objects(&domain, items, &[], &mut flags, poll)?;
    }
    if let Some((_, items)) = sections.one(":predicates")? {
        let mut known = HashSet::new();
        for item in items {
            let (name, parameters) = read_declaration(item, &domain.types, &mut flags)?;
            if !known.insert(name.clone()) {
                return Err(item
                    .span
                    .error(format!("the predicate '{name}' is declared twice")));
            }
            if domain.predicates.len() == usize::from(u16::MAX) {
                return Err(item.span.error("too many predicates"));
            }
            domain.predicates.push(Predicate {
                name,
                parameters,
                derived: false,
            });
        }
    }
    if let Some((_, items)) = sections.one(":functions")? {
        read_functions(&mut domain, items, &mut flags)?;
    }
    // Effects are checked against the derived predicates, so these are found first.
    for (span, items) in sections.all(":derived") {
        flags.need("derived-predicates", span);
        let predicate = derived_predicate(&domain, span, items)?;
        domain.predicates[usize::from(predicate.0)].derived = true;
    }
    let names = Names::new(&domain, &domain.constants);
    let mut reader = Reader {
        names: &names,
        poll,
        flags: &mut flags,
    };
    let mut axioms = Vec::new();
    for (span, items) in sections.all(":derived") {
        axioms.push(reader.axiom(span, items)?);
    }
    let mut actions: Vec<Action> = Vec::new();
    let mut known = HashSet::new();
    for (span, items) in sections.all(":action") {
        let action = reader.action(span, items)?;
        if !known.insert(action.name.clone()) {
            return Err(span.error(format!("the action '{}' is declared twice", action.name)));
        }
        actions.push(action);
    }
    (domain.axioms, domain.actions) = (axioms, actions);
    if let Err(predicate) = domain.strata() {
        let axiom = domain
            .axioms
            .iter()
            .find(|axiom| axiom.predicate == predicate)
            .expect("it is derived");
        let name = &domain.predicates[usize::from(predicate.0)].name;
        return Err(axiom.span.error(format!(
            "'{name}' depends on its own negation: axioms must be stratified"
        )));
    }
    let (requirements, warnings) = flags.finish();
    domain.requirements = requirements;
    Ok(Parsed {
        value: domain,
        warnings: read.warnings.into_iter().chain(warnings).collect(),
    })
}

/// `a b - c`. A parent may be declared later in the list, or nowhere else.
fn read_types(types: &mut Vec<Type>, items: &[Tree], flags: &mut Flags) -> Result<(), BadText> {
    let list = typed_list(items)?;
    let mut ids: HashMap<String, usize> = HashMap::from([("object".to_string(), 0)]);
    let mut spans = vec![Span::default()];
    let mut add = |name: &str, span: Span| -> Result<(usize, bool), BadText> {
        if let Some(&known) = ids.get(name) {
            return Ok((known, false));
        }
        if types.len() == usize::from(u16::MAX) {
            return Err(span.error("too many types"));
        }
        ids.insert(name.to_string(), types.len());
        types.push(Type {
            name: name.to_string(),
            parent: OBJECT,
        });
        spans.push(span);
        Ok((types.len() - 1, true))
    };
    let mut repeated = Vec::new();
    for typed in list.iter().filter(|typed| typed.name != "object") {
        if !add(typed.name, typed.span)?.1 {
            repeated.push(typed.span);
        }
    }
    // For each type, the parent that was written last, other than `object`.
    let mut parents: Vec<(usize, usize, Span)> = Vec::new();
    for typed in list.iter().filter(|typed| typed.name != "object") {
        let Some(parent) = typed.types else { continue };
        let Some(name) = parent.word() else {
            return Err(parent.expected("the one parent of a type"));
        };
        let (parent, _) = add(name, typed.span)?;
        parents.push((add(typed.name, typed.span)?.0, parent, typed.span));
    }
    for (child, parent, span) in parents {
        let known = &mut types[child].parent;
        if parent == 0 || usize::from(known.0) == parent {
            continue;
        }
        if *known != OBJECT {
            return Err(span.error(format!(
                "the type '{}' is declared twice, with different parents",
                types[child].name
            )));
        }
        *known = TypeId(parent as u16);
    }
    for span in repeated {
        flags.warn(span, "this type is declared twice");
    }
    // No type is its own ancestor.
    // For each type, the type from which the check first came to it; `object` is checked.
    let mut seen_from = vec![usize::MAX; types.len()];
    seen_from[0] = 0;
    for start in 1..types.len() {
        let mut at = start;
        while seen_from[at] == usize::MAX {
            seen_from[at] = start;
            at = usize::from(types[at].parent.0);
        }
        if at != 0 && seen_from[at] == start {
            return Err(spans[start].error(format!(
                "the type '{}' is its own ancestor",
                types[start].name
            )));
        }
    }
    Ok(())
}

/// A typed list of objects, after those in `known`, which may be declared again.
pub(super) fn read_objects(
    domain: &Domain,
    items: &[Tree],
    known: &[Object],
    flags: &mut Flags,
    poll: &Poll,
) -> Result<Vec<Object>, BadText> {
    let mut objects = known.to_vec();
    let mut ids: HashMap<String, usize> = HashMap::new();
    for (id, object) in objects.iter().enumerate() {
        ids.insert(object.name.clone(), id);
    }
    for typed in typed_list(items)? {
        poll.try_step().map_err(|_| typed.span.error("stopped"))?;
        if typed.name.starts_with('?') {
            return Err(typed.span.error(format!(
                "expected an object, found the variable '{}'",
                typed.name
            )));
        }
        if typed.types.is_some() {
            flags.need("typing", typed.span);
        }
        let types = types(&domain.types, typed.types)?;
        let Some(&before) = ids.get(typed.name) else {
            ids.insert(typed.name.to_string(), objects.len());
            objects.push(Object {
                name: typed.name.to_string(),
                types,
            });
            continue;
        };
        let before = &objects[before].types;
        let name = typed.name;
        if *before != types {
            let (first, second) = (domain.print_types(before), domain.print_types(&types));
            return Err(typed.span.error(format!(
                "the object '{name}' is declared twice, with the types {first} and {second}"
            )));
        }
        flags.warn(typed.span, format!("the object '{name}' is declared twice"));
    }
    Ok(objects)
}

/// `(name ?x - t …)` in the declaration of a predicate or function. Only the number and the types
/// of the variables matter, so a variable may occur twice.
fn read_declaration(
    tree: &Tree,
    types: &[Type],
    flags: &mut Flags,
) -> Result<(String, Vec<Parameter>), BadText> {
    let Some([head, rest @ ..]) = tree.list() else {
        return Err(tree.expected("'(NAME ?x …)'"));
    };
    let name = head.word().ok_or_else(|| head.expected("a name"))?;
    if name == "=" || name.starts_with(['?', ':']) {
        return Err(head.span.error(format!("'{name}' cannot be declared")));
    }
    let (parameters, repeated) = declared_parameters(types, rest, flags)?;
    if let Some((span, variable)) = repeated {
        flags.warn(span, format!("the variable '{variable}' occurs twice"));
    }
    Ok((name.to_string(), parameters))
}

/// `(f ?x) - number (g) …`.
fn read_functions(domain: &mut Domain, items: &[Tree], flags: &mut Flags) -> Result<(), BadText> {
    let mut rest = items.iter();
    while let Some(item) = rest.next() {
        if item.word() == Some("-") {
            match rest.next() {
                Some(kind) if kind.word() == Some("number") => {}
                Some(kind) => {
                    return Err(kind.span.error(format!(
                        "a function gives a number, found {}: object fluents are not supported",
                        kind.found()
                    )));
                }
                None => return Err(item.span.error("expected 'number' after '-'")),
            }
            continue;
        }
        let (name, parameters) = read_declaration(item, &domain.types, flags)?;
        if domain.functions.iter().any(|known| known.name == name) {
            return Err(item
                .span
                .error(format!("the function '{name}' is declared twice")));
        }
        if domain.functions.len() == usize::from(u16::MAX) {
            return Err(item.span.error("too many functions"));
        }
        domain.functions.push(Function { name, parameters });
    }
    Ok(())
}

fn derived_predicate(domain: &Domain, span: Span, items: &[Tree]) -> Result<PredicateId, BadText> {
    let [head, _] = items else {
        return Err(span.error("':derived' takes an atom and a condition"));
    };
    let name = head
        .list()
        .and_then(<[Tree]>::first)
        .ok_or_else(|| head.expected("'(PREDICATE ?x …)'"))?;
    let word = name.word().ok_or_else(|| name.expected("a predicate"))?;
    let found = domain
        .predicates
        .iter()
        .position(|predicate| predicate.name == word);
    let known = domain
        .predicates
        .iter()
        .map(|predicate| predicate.name.as_str());
    found
        .map(|index| PredicateId(index as u16))
        .ok_or_else(|| name.span.error(unknown("predicate", word, known)))
}

/// Reads axioms and actions.
struct Reader<'a> {
    names: &'a Names<'a>,
    poll: &'a Poll,
    flags: &'a mut Flags,
}

impl Reader<'_> {
    fn axiom(&mut self, span: Span, items: &[Tree]) -> Result<Axiom, BadText> {
        let domain = self.names.domain;
        let predicate = derived_predicate(domain, span, items)?;
        let arguments = &items[0].list().unwrap_or_default()[1..];
        let mut variables = parameters(&domain.types, arguments, self.flags)?;
        let declared = &domain.predicates[usize::from(predicate.0)].parameters;
        if variables.len() != declared.len() {
            let (takes, has) = (declared.len(), variables.len());
            return Err(items[0].span.error(format!(
                "{} takes {takes} arguments, found {has}",
                items[0].found()
            )));
        }
        // A variable without a type has the type of the predicate's declaration.
        for (variable, declared) in variables.iter_mut().zip(declared) {
            if variable.types == Either(vec![OBJECT]) {
                variable.types = declared.types.clone();
            }
        }
        let body = self.scope(&variables).formula(&items[1])?;
        Ok(Axiom {
            predicate,
            parameters: variables,
            body,
            span,
        })
    }

    fn action(&mut self, span: Span, items: &[Tree]) -> Result<Action, BadText> {
        let Some((name, rest)) = items.split_first() else {
            return Err(span.error("the action needs a name"));
        };
        let name_text = name
            .word()
            .ok_or_else(|| name.expected("the action's name"))?;
        let (mut variables, mut precondition, mut effect) = (None, None, None);
        for pair in rest.chunks(2) {
            let keyword = pair[0].word().unwrap_or_default();
            let slot = match keyword {
                ":parameters" => &mut variables,
                ":precondition" => &mut precondition,
                ":effect" => &mut effect,
                _ => return Err(pair[0].expected("':parameters', ':precondition' or ':effect'")),
            };
            let Some(value) = pair.get(1) else {
                return Err(pair[0]
                    .span
                    .error(format!("expected something after '{keyword}'")));
            };
            if slot.replace(value).is_some() {
                return Err(pair[0].span.error(format!("'{keyword}' is given twice")));
            }
        }
        let parameters = match variables {
            None => Vec::new(),
            Some(tree) => {
                let items = tree
                    .list()
                    .ok_or_else(|| tree.expected("a list of variables"))?;
                parameters(&self.names.domain.types, items, self.flags)?
            }
        };
        let mut scope = self.scope(&parameters);
        let precondition =
            precondition.map_or(Ok(Formula::And(Vec::new())), |tree| scope.formula(tree))?;
        let effect = effect.map_or(Ok(Effect::And(Vec::new())), |tree| scope.effect(tree))?;
        Ok(Action {
            name: name_text.to_string(),
            parameters,
            precondition,
            effect,
            span,
        })
    }

    fn scope(&mut self, variables: &[Parameter]) -> Scope<'_> {
        Scope {
            names: self.names,
            poll: self.poll,
            flags: self.flags,
            variables: variables.to_vec(),
        }
    }
}
