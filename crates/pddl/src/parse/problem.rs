//! Problem files: `(define (problem …) …)`.

use ployglot_base::{BadText, Poll};
use rustc_hash::FxHashMap;

use super::domain::read_objects;
use super::formula::{Scope, number};
use super::names::{Flags, Names, check_count, wrong_type};
use super::{Parsed, Sections};
use crate::interner::Interner;
use crate::lifted::*;
use crate::tree::{Read, Span, Tree};

pub(super) fn parse(text: &str, domain: &Domain, poll: &Poll) -> Result<Parsed<Problem>, BadText> {
    let read = Tree::parse_without(text, ":init", poll)?;
    let Read {
        tree,
        left_out,
        mut warnings,
    } = read;
    let tree = &tree;
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
        Some((_, items)) => read_objects(domain, items, &domain.constants, &mut flags, poll)?,
        None => domain.constants.clone(),
    };
    let names = Names::new(domain, &objects);
    let mut init = Init {
        names: &names,
        facts: Interner::default(),
        values: FxHashMap::default(),
        order: Vec::new(),
        flags: &mut flags,
    };
    sections.one(":init")?;
    for item in left_out.into_iter().flatten() {
        let stopped = |_| item.span.error("stopped");
        poll.try_step().map_err(stopped)?;
        init.facts.affords_one(poll).map_err(stopped)?;
        init.read(&item)?;
    }
    let (facts, values) = init.finish();
    let mut scope = Scope {
        names: &names,
        poll,
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

/// The `:init` section.
struct Init<'a> {
    names: &'a Names<'a>,
    facts: Interner<Fact>,
    /// The values by function and arguments, and the keys in the order of the text.
    values: FxHashMap<(FunctionId, Vec<ObjectId>), f64>,
    order: Vec<(FunctionId, Vec<ObjectId>)>,
    flags: &'a mut Flags,
}

impl Init<'_> {
    /// The facts, each once, and the values, both in the order of the text.
    fn finish(self) -> (Vec<Fact>, Vec<FunctionValue>) {
        let values = self.order.into_iter().map(|key| FunctionValue {
            value: self.values[&key],
            function: key.0,
            arguments: key.1,
        });
        (self.facts.into_keys(), values.collect())
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
                if self.names.domain.predicates[usize::from(fact.predicate.0)].derived {
                    return Err(tree.span.error(format!(
                        "{} is derived, so it cannot be given",
                        tree.found()
                    )));
                }
                self.facts.insert(fact);
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
        let function = self.names.function(head)?;
        let declared = &self.names.domain.functions[usize::from(function.0)];
        let arguments =
            self.arguments(target.span, &declared.name, &declared.parameters, arguments)?;
        let number = value
            .word()
            .and_then(number)
            .ok_or_else(|| value.expected("a number"))?;
        let key = (function, arguments);
        match self.values.insert(key.clone(), number) {
            None => self.order.push(key),
            Some(before) if before == number => {
                let message = format!("a value of '{}' is given twice", declared.name);
                self.flags.warn(target.span, message);
            }
            Some(before) => {
                let name = &declared.name;
                let message = format!("'{name}' has the value {before} above, and here {number}");
                return Err(target.span.error(message));
            }
        }
        Ok(())
    }

    fn atom(&self, tree: &Tree) -> Result<Fact, BadText> {
        let Some([head, rest @ ..]) = tree.list() else {
            return Err(tree.expected("an atom"));
        };
        let predicate = self.names.predicate(head)?;
        let declared = &self.names.domain.predicates[usize::from(predicate.0)];
        Ok(Fact {
            predicate,
            arguments: self.arguments(tree.span, &declared.name, &declared.parameters, rest)?,
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
        let mut arguments = Vec::with_capacity(trees.len());
        for (tree, parameter) in trees.iter().zip(parameters) {
            let object = self.names.object(tree)?;
            let types = &self.names.objects[object.0 as usize].types;
            let domain = self.names.domain;
            if !domain.fits(types, &parameter.types) {
                return Err(wrong_type(domain, name, &parameter.types, tree, types));
            }
            arguments.push(object);
        }
        Ok(arguments)
    }
}
