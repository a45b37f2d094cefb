//! Problem files: `(define (problem …) …)`.

use std::collections::{HashMap, HashSet};

use ployglot_base::BadText;
use ployglot_base::text::unknown;

use super::domain::read_objects;
use super::formula::{Scope, number};
use super::names::{Flags, check_count, wrong_type};
use super::{Parsed, Sections};
use crate::lifted::*;
use crate::tree::{Span, Tree};

pub(super) fn parse(tree: &Tree, domain: &Domain) -> Result<Parsed<Problem>, BadText> {
    let sections = Sections::of(tree, "problem")?;
    sections.only(&[
        ":domain",
        ":requirements",
        ":objects",
        ":init",
        ":goal",
        ":metric",
        ":length",
    ])?;
    let mut warnings = Vec::new();
    let mut flags = Flags::default();
    flags.inherit(&domain.requirements);
    for (_, items) in sections.all(":requirements") {
        flags.declare(items)?;
    }
    match sections.one(":domain")? {
        Some((_, [name])) if name.word() == Some(domain.name.as_str()) => {}
        Some((_, [name])) => {
            let message = format!(
                "the domain is called '{}', not {}",
                domain.name,
                name.found()
            );
            warnings.push(name.span.error(message));
        }
        Some((span, _)) => return Err(span.error("':domain' takes one name")),
        None => warnings.push(tree.span.error("the problem does not name its domain")),
    }
    let objects = match sections.one(":objects")? {
        Some((_, items)) => read_objects(&domain.types, items, &domain.constants, &mut flags)?,
        None => domain.constants.clone(),
    };
    let mut init = Init::new(domain, &objects);
    if let Some((_, items)) = sections.one(":init")? {
        for item in items {
            init.read(item)?;
        }
    }
    let (facts, values) = (init.facts, init.values);
    let mut scope = Scope {
        domain,
        objects: &objects,
        flags: &mut flags,
        variables: Vec::new(),
    };
    let goal = match sections.one(":goal")? {
        Some((_, [goal])) => scope.formula(goal)?,
        Some((span, _)) => return Err(span.error("':goal' takes one condition")),
        None => return Err(tree.span.error("the problem has no ':goal'")),
    };
    let metric = match sections.one(":metric")? {
        None => Metric::Steps,
        Some((_, [how, what])) => {
            if what
                .list()
                .is_some_and(|items| items.iter().any(|item| item.word() == Some("is-violated")))
            {
                return Err(what.span.error("preferences are not supported"));
            }
            if what.word() == Some("total-time")
                || what
                    .list()
                    .is_some_and(|items| matches!(items, [one] if one.word() == Some("total-time")))
            {
                return Err(what
                    .span
                    .error("'total-time' needs durative actions, which are not supported"));
            }
            let expression = scope.expression(what)?;
            match how.word() {
                Some("minimize") => Metric::Minimize(expression),
                Some("maximize") => Metric::Maximize(expression),
                _ => return Err(how.expected("'minimize' or 'maximize'")),
            }
        }
        Some((span, _)) => {
            return Err(span.error("':metric' takes 'minimize' or 'maximize' and an expression"));
        }
    };
    warnings.extend(flags.finish().1);
    let problem = Problem {
        name: sections.name,
        objects,
        facts,
        values,
        goal,
        metric,
    };
    Ok(Parsed {
        value: problem,
        warnings,
    })
}

/// The `:init` section. Problems with a hundred thousand facts are common, so names are looked up
/// in hash tables.
struct Init<'a> {
    domain: &'a Domain,
    objects: &'a [Object],
    object_ids: HashMap<&'a str, ObjectId>,
    predicate_ids: HashMap<&'a str, PredicateId>,
    function_ids: HashMap<&'a str, FunctionId>,
    facts: Vec<Fact>,
    seen: HashSet<Fact>,
    values: Vec<FunctionValue>,
}

impl<'a> Init<'a> {
    fn new(domain: &'a Domain, objects: &'a [Object]) -> Self {
        let name_objects = objects.iter().enumerate();
        let predicates = domain.predicates.iter().enumerate();
        let functions = domain.functions.iter().enumerate();
        Self {
            domain,
            objects,
            object_ids: name_objects
                .map(|(id, object)| (object.name.as_str(), ObjectId(id as u32)))
                .collect(),
            predicate_ids: predicates
                .map(|(id, p)| (p.name.as_str(), PredicateId(id as u16)))
                .collect(),
            function_ids: functions
                .map(|(id, f)| (f.name.as_str(), FunctionId(id as u16)))
                .collect(),
            facts: Vec::new(),
            seen: HashSet::new(),
            values: Vec::new(),
        }
    }

    fn read(&mut self, tree: &Tree) -> Result<(), BadText> {
        let Some([head, rest @ ..]) = tree.list() else {
            return Err(tree.expected("a fact such as '(p a)'"));
        };
        match head.word() {
            Some("=") => self.value(tree.span, rest),
            // A fact that is false at the start need not be given, but may be.
            Some("not") => match rest {
                [atom] => self.atom(atom).map(|_| ()),
                _ => Err(tree.span.error("'not' takes one atom")),
            },
            Some("at")
                if rest.len() == 2 && rest[0].word().is_some_and(|word| number(word).is_some()) =>
            {
                Err(tree.span.error("timed initial literals are not supported"))
            }
            _ => {
                let fact = self.atom(tree)?;
                if self.domain.predicates[usize::from(fact.predicate.0)].derived {
                    return Err(tree.span.error(format!(
                        "{} is derived, so it cannot be given",
                        tree.found()
                    )));
                }
                if self.seen.insert(fact.clone()) {
                    self.facts.push(fact);
                }
                Ok(())
            }
        }
    }

    fn value(&mut self, span: Span, rest: &[Tree]) -> Result<(), BadText> {
        let [target, value] = rest else {
            return Err(span.error("'=' takes a function and a number"));
        };
        let (head, arguments) = match target.list() {
            Some([head, arguments @ ..]) => (head, arguments),
            Some([]) => return Err(target.expected("a function")),
            None => (target, &[][..]),
        };
        let name = head.word().ok_or_else(|| head.expected("a function"))?;
        let Some(&function) = self.function_ids.get(name) else {
            let known = self
                .domain
                .functions
                .iter()
                .map(|function| function.name.as_str());
            return Err(head.span.error(unknown("function", name, known)));
        };
        let parameters = &self.domain.functions[usize::from(function.0)].parameters;
        let arguments = self.arguments(target.span, name, parameters, arguments)?;
        let value = value
            .word()
            .and_then(number)
            .ok_or_else(|| value.expected("a number"))?;
        self.values.push(FunctionValue {
            function,
            arguments,
            value,
        });
        Ok(())
    }

    fn atom(&self, tree: &Tree) -> Result<Fact, BadText> {
        let Some([head, rest @ ..]) = tree.list() else {
            return Err(tree.expected("an atom"));
        };
        let name = head.word().ok_or_else(|| head.expected("a predicate"))?;
        let Some(&predicate) = self.predicate_ids.get(name) else {
            let known = self
                .domain
                .predicates
                .iter()
                .map(|predicate| predicate.name.as_str());
            return Err(head.span.error(unknown("predicate", name, known)));
        };
        let parameters = &self.domain.predicates[usize::from(predicate.0)].parameters;
        Ok(Fact {
            predicate,
            arguments: self.arguments(tree.span, name, parameters, rest)?,
        })
    }

    fn arguments(
        &self,
        span: Span,
        name: &str,
        parameters: &[Parameter],
        trees: &[Tree],
    ) -> Result<Vec<ObjectId>, BadText> {
        check_count(span, name, parameters, trees)?;
        let mut arguments = Vec::new();
        for (tree, parameter) in trees.iter().zip(parameters) {
            let word = tree.word().ok_or_else(|| tree.expected("an object"))?;
            let Some(&object) = self.object_ids.get(word) else {
                let known = self.objects.iter().map(|object| object.name.as_str());
                return Err(tree.span.error(unknown("object", word, known)));
            };
            let types = &self.objects[object.0 as usize].types;
            if !self.domain.fits(types, &parameter.types) {
                return Err(wrong_type(self.domain, name, &parameter.types, tree, types));
            }
            arguments.push(object);
        }
        Ok(arguments)
    }
}
