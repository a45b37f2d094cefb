//! Domain files: `(define (domain …) …)`.

use ployglot_base::BadText;
use ployglot_base::text::unknown;

use super::formula::Scope;
use super::names::{Flags, OBJECT, parameters, typed_list, types};
use super::{Parsed, Sections};
use crate::lifted::*;
use crate::tree::{Span, Tree};

pub(super) fn parse(tree: &Tree) -> Result<Parsed<Domain>, BadText> {
    let sections = Sections::of(tree, "domain")?;
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
        read_types(&mut domain.types, items)?;
    }
    if let Some((_, items)) = sections.one(":constants")? {
        domain.constants = read_objects(&domain.types, items, &[], &mut flags)?;
    }
    if let Some((_, items)) = sections.one(":predicates")? {
        for item in items {
            let (name, parameters) = read_head(item, &domain.types, &mut flags)?;
            if domain.predicates.iter().any(|known| known.name == name) {
                return Err(item
                    .span
                    .error(format!("the predicate '{name}' is declared twice")));
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
    let mut axioms = Vec::new();
    for (span, items) in sections.all(":derived") {
        axioms.push(read_axiom(&domain, span, items, &mut flags)?);
    }
    let mut actions: Vec<Action> = Vec::new();
    for (span, items) in sections.all(":action") {
        let action = read_action(&domain, span, items, &mut flags)?;
        if actions.iter().any(|known| known.name == action.name) {
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
        warnings,
    })
}

/// `a b - c`. A parent may be declared later in the list, or nowhere else.
fn read_types(types: &mut Vec<Type>, items: &[Tree]) -> Result<(), BadText> {
    let list = typed_list(items)?;
    let mut spans = vec![Span::default()];
    for typed in &list {
        if typed.name == "object" {
            continue;
        }
        if types.iter().any(|known| known.name == typed.name) {
            return Err(typed
                .span
                .error(format!("the type '{}' is declared twice", typed.name)));
        }
        if types.len() == usize::from(u16::MAX) {
            return Err(typed.span.error("too many types"));
        }
        types.push(Type {
            name: typed.name.to_string(),
            parent: OBJECT,
        });
        spans.push(typed.span);
    }
    for typed in list.iter().filter(|typed| typed.name != "object") {
        let Some(parent) = typed.types else { continue };
        let Some(name) = parent.word() else {
            return Err(parent.expected("the one parent of a type"));
        };
        let parent = types
            .iter()
            .position(|known| known.name == name)
            .unwrap_or_else(|| {
                types.push(Type {
                    name: name.to_string(),
                    parent: OBJECT,
                });
                spans.push(typed.span);
                types.len() - 1
            });
        let child = types
            .iter()
            .position(|known| known.name == typed.name)
            .expect("pushed above");
        types[child].parent = TypeId(parent as u16);
    }
    // No type is its own ancestor.
    for start in 1..types.len() {
        let mut at = start;
        for _ in 0..types.len() {
            at = usize::from(types[at].parent.0);
        }
        if at != 0 {
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
    known_types: &[Type],
    items: &[Tree],
    known: &[Object],
    flags: &mut Flags,
) -> Result<Vec<Object>, BadText> {
    let mut objects = known.to_vec();
    let mut names: std::collections::HashSet<String> =
        objects.iter().map(|object| object.name.clone()).collect();
    for typed in typed_list(items)? {
        if typed.name.starts_with('?') {
            return Err(typed.span.error(format!(
                "expected an object, found the variable '{}'",
                typed.name
            )));
        }
        if typed.types.is_some() {
            flags.need("typing", typed.span);
        }
        if !names.insert(typed.name.to_string()) {
            if known.iter().any(|object| object.name == typed.name) {
                continue;
            }
            return Err(typed
                .span
                .error(format!("the object '{}' is declared twice", typed.name)));
        }
        objects.push(Object {
            name: typed.name.to_string(),
            types: types(known_types, typed.types)?,
        });
    }
    Ok(objects)
}

/// `(name ?x - t …)`.
fn read_head(
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
    Ok((name.to_string(), parameters(types, rest, flags)?))
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
        let (name, parameters) = read_head(item, &domain.types, flags)?;
        if domain.functions.iter().any(|known| known.name == name) {
            return Err(item
                .span
                .error(format!("the function '{name}' is declared twice")));
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

fn read_axiom(
    domain: &Domain,
    span: Span,
    items: &[Tree],
    flags: &mut Flags,
) -> Result<Axiom, BadText> {
    let predicate = derived_predicate(domain, span, items)?;
    let (_, mut variables) = read_head(&items[0], &domain.types, flags)?;
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
    let mut scope = Scope {
        domain,
        objects: &domain.constants,
        flags,
        variables: variables.clone(),
    };
    let body = scope.formula(&items[1])?;
    Ok(Axiom {
        predicate,
        parameters: variables,
        body,
        span,
    })
}

fn read_action(
    domain: &Domain,
    span: Span,
    items: &[Tree],
    flags: &mut Flags,
) -> Result<Action, BadText> {
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
            parameters(&domain.types, items, flags)?
        }
    };
    let mut scope = Scope {
        domain,
        objects: &domain.constants,
        flags,
        variables: parameters.clone(),
    };
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
