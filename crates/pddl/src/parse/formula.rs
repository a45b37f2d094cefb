//! Formulas, effects and numeric expressions, in the scope of the variables around them.

use ployglot_base::text::unknown;
use ployglot_base::{BadText, Poll};

use super::names::{Flags, MAX_VARIABLES, Names, check_count, parameters, wrong_type};
use crate::lifted::*;
use crate::tree::{Span, Tree};

/// The names that are visible at a place in the text.
pub(super) struct Scope<'a> {
    pub names: &'a Names<'a>,
    pub poll: &'a Poll,
    pub flags: &'a mut Flags,
    /// The variables that are bound here; the index of a variable is its slot.
    pub variables: Vec<Parameter>,
}

impl Scope<'_> {
    pub fn formula(&mut self, tree: &Tree) -> Result<Formula, BadText> {
        self.poll
            .try_step()
            .map_err(|_| tree.span.error("stopped"))?;
        let Some(items) = tree.list() else {
            return Err(tree.expected("a condition such as '(p ?x)'"));
        };
        let Some((head, rest)) = items.split_first() else {
            return Ok(Formula::And(Vec::new()));
        };
        let word = head
            .word()
            .ok_or_else(|| head.expected("a predicate or a connective"))?;
        match word {
            "and" => Ok(Formula::And(self.formulas(rest)?)),
            "or" => {
                self.flags.need("disjunctive-preconditions", tree.span);
                Ok(Formula::Or(self.formulas(rest)?))
            }
            "not" => {
                let [body] = rest else {
                    return Err(tree.span.error("'not' takes one condition"));
                };
                let body = self.formula(body)?;
                if !matches!(body, Formula::Equal(..)) {
                    self.flags.need("negative-preconditions", tree.span);
                }
                Ok(Formula::Not(Box::new(body)))
            }
            "imply" => {
                self.flags.need("disjunctive-preconditions", tree.span);
                let [from, to] = rest else {
                    return Err(tree.span.error("'imply' takes two conditions"));
                };
                let from = Formula::Not(Box::new(self.formula(from)?));
                Ok(Formula::Or(vec![from, self.formula(to)?]))
            }
            "exists" | "forall" => {
                let flag = if word == "exists" {
                    "existential-preconditions"
                } else {
                    "universal-preconditions"
                };
                self.flags.need(flag, tree.span);
                let (first, variables, body) =
                    self.quantified(tree.span, rest, |scope, body| scope.formula(body))?;
                let body = Box::new(body);
                Ok(match word {
                    "exists" => Formula::Exists {
                        first,
                        variables,
                        body,
                    },
                    _ => Formula::Forall {
                        first,
                        variables,
                        body,
                    },
                })
            }
            "=" if rest.len() == 2 && !rest.iter().any(is_numeric) => {
                self.flags.need("equality", tree.span);
                Ok(Formula::Equal(self.term(&rest[0])?, self.term(&rest[1])?))
            }
            "<" | "<=" | "=" | ">=" | ">" => {
                self.flags.need("numeric-fluents", tree.span);
                let [left, right] = rest else {
                    return Err(tree
                        .span
                        .error(format!("'{word}' compares two expressions")));
                };
                let comparison = match word {
                    "<" => Comparison::Less,
                    "<=" => Comparison::LessEqual,
                    "=" => Comparison::Equal,
                    ">=" => Comparison::GreaterEqual,
                    _ => Comparison::Greater,
                };
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                Ok(Formula::Compare(
                    comparison,
                    Box::new(left),
                    Box::new(right),
                ))
            }
            "preference" => Err(tree.span.error("preferences are not supported")),
            "always" | "sometime" | "within" | "at-most-once" | "sometime-after"
            | "sometime-before" => Err(tree.span.error("trajectory constraints are not supported")),
            _ => Ok(Formula::Atom(self.atom(tree.span, head, rest)?)),
        }
    }

    fn formulas(&mut self, trees: &[Tree]) -> Result<Vec<Formula>, BadText> {
        trees.iter().map(|tree| self.formula(tree)).collect()
    }

    /// `(?x - t …) body`.
    fn quantified<T>(
        &mut self,
        span: Span,
        rest: &[Tree],
        read: impl FnOnce(&mut Self, &Tree) -> Result<T, BadText>,
    ) -> Result<(Slot, Vec<Parameter>, T), BadText> {
        let [list, body] = rest else {
            return Err(span.error("a quantifier takes a list of variables and a body"));
        };
        let items = list
            .list()
            .ok_or_else(|| list.expected("a list of variables"))?;
        let variables = parameters(&self.names.domain.types, items, self.flags)?;
        let first = Slot(self.variables.len() as u16);
        if self.variables.len() + variables.len() > MAX_VARIABLES {
            return Err(list.span.error("too many variables"));
        }
        self.variables.extend(variables.iter().cloned());
        let body = read(self, body);
        self.variables.truncate(usize::from(first.0));
        Ok((first, variables, body?))
    }

    pub fn atom(&self, span: Span, head: &Tree, arguments: &[Tree]) -> Result<Atom, BadText> {
        let predicate = self.names.predicate(head)?;
        let declared = &self.names.domain.predicates[usize::from(predicate.0)];
        Ok(Atom {
            predicate,
            arguments: self.arguments(span, &declared.name, &declared.parameters, arguments)?,
        })
    }

    /// The arguments of a predicate or function; checks their number and their types.
    fn arguments(
        &self,
        span: Span,
        name: &str,
        parameters: &[Parameter],
        trees: &[Tree],
    ) -> Result<Vec<Term>, BadText> {
        check_count(span, name, parameters, trees)?;
        let mut terms = Vec::new();
        for (tree, parameter) in trees.iter().zip(parameters) {
            let term = self.term(tree)?;
            let types = match term {
                Term::Slot(slot) => &self.variables[usize::from(slot.0)].types,
                Term::Object(object) => &self.names.objects[object.0 as usize].types,
            };
            let domain = self.names.domain;
            if !domain.may_fit(types, &parameter.types) {
                return Err(wrong_type(domain, name, &parameter.types, tree, types));
            }
            terms.push(term);
        }
        Ok(terms)
    }

    fn term(&self, tree: &Tree) -> Result<Term, BadText> {
        let Some(name) = tree.word() else {
            return Err(tree.span.error(format!(
                "expected an object or a variable, found {} (object fluents are not supported)",
                tree.found()
            )));
        };
        if name.starts_with('?') {
            let found = self
                .variables
                .iter()
                .rposition(|variable| variable.name == name);
            let known = self.variables.iter().map(|variable| variable.name.as_str());
            return found
                .map(|index| Term::Slot(Slot(index as u16)))
                .ok_or_else(|| tree.span.error(unknown("variable", name, known)));
        }
        Ok(Term::Object(self.names.object(tree)?))
    }

    pub fn expression(&mut self, tree: &Tree) -> Result<Expression, BadText> {
        let Some(items) = tree.list() else {
            let word = tree.word().unwrap_or_default();
            if let Some(number) = number(word) {
                return Ok(Expression::Number(number));
            }
            // `total-cost` without parentheses is common in metrics.
            let (function, _) = self.function(tree, &[])?;
            return Ok(Expression::Function(function, Vec::new()));
        };
        let Some((head, rest)) = items.split_first() else {
            return Err(tree.expected("a numeric expression"));
        };
        let arithmetic = match head.word() {
            Some("-") if rest.len() == 1 => {
                return Ok(Expression::Negate(Box::new(self.expression(&rest[0])?)));
            }
            Some("+") => Arithmetic::Add,
            Some("-") => Arithmetic::Subtract,
            Some("*") => Arithmetic::Multiply,
            Some("/") => Arithmetic::Divide,
            _ => {
                let (function, arguments) = self.function(head, rest)?;
                return Ok(Expression::Function(function, arguments));
            }
        };
        let many = matches!(arithmetic, Arithmetic::Add | Arithmetic::Multiply);
        if rest.len() < 2 || rest.len() > 2 && !many {
            return Err(tree
                .span
                .error(format!("{} takes two expressions", head.found())));
        }
        let mut terms = rest
            .iter()
            .map(|term| self.expression(term))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter();
        let first = terms.next().expect("there are two");
        Ok(terms.fold(first, |left, right| {
            Expression::Binary(arithmetic, Box::new(left), Box::new(right))
        }))
    }

    pub fn function(
        &self,
        head: &Tree,
        arguments: &[Tree],
    ) -> Result<(FunctionId, Vec<Term>), BadText> {
        let function = self.names.function(head)?;
        let declared = &self.names.domain.functions[usize::from(function.0)];
        let arguments =
            self.arguments(head.span, &declared.name, &declared.parameters, arguments)?;
        Ok((function, arguments))
    }

    pub fn effect(&mut self, tree: &Tree) -> Result<Effect, BadText> {
        self.poll
            .try_step()
            .map_err(|_| tree.span.error("stopped"))?;
        let Some(items) = tree.list() else {
            return Err(tree.expected("an effect such as '(p ?x)'"));
        };
        let Some((head, rest)) = items.split_first() else {
            return Ok(Effect::And(Vec::new()));
        };
        let word = head
            .word()
            .ok_or_else(|| head.expected("a predicate or 'and', 'not', 'when', 'forall'"))?;
        let change = match word {
            "and" => {
                let parts = rest
                    .iter()
                    .map(|part| self.effect(part))
                    .collect::<Result<_, _>>()?;
                return Ok(Effect::And(parts));
            }
            "forall" => {
                self.flags.need("conditional-effects", tree.span);
                let (first, variables, body) =
                    self.quantified(tree.span, rest, |scope, body| scope.effect(body))?;
                return Ok(Effect::Forall {
                    first,
                    variables,
                    body: Box::new(body),
                });
            }
            "when" => {
                self.flags.need("conditional-effects", tree.span);
                let [condition, effect] = rest else {
                    return Err(tree.span.error("'when' takes a condition and an effect"));
                };
                return Ok(Effect::When(
                    Box::new(self.formula(condition)?),
                    Box::new(self.effect(effect)?),
                ));
            }
            "not" => {
                let [body] = rest else {
                    return Err(tree.span.error("'not' takes one atom"));
                };
                let items = body.list().filter(|items| !items.is_empty());
                let items = items.ok_or_else(|| body.expected("an atom"))?;
                return Ok(Effect::Delete(self.effect_atom(
                    body.span,
                    &items[0],
                    &items[1..],
                )?));
            }
            "assign" => Change::Assign,
            "increase" => Change::Increase,
            "decrease" => Change::Decrease,
            "scale-up" => Change::ScaleUp,
            "scale-down" => Change::ScaleDown,
            _ => return Ok(Effect::Add(self.effect_atom(tree.span, head, rest)?)),
        };
        let [target, by] = rest else {
            return Err(tree
                .span
                .error(format!("'{word}' takes a function and an expression")));
        };
        let (target, arguments) = match target.list() {
            Some([head, arguments @ ..]) => (head, arguments),
            Some([]) => return Err(target.expected("a function")),
            None => (target, &[][..]),
        };
        let cost = change == Change::Increase && target.word() == Some("total-cost");
        self.flags.need(
            if cost {
                "action-costs"
            } else {
                "numeric-fluents"
            },
            tree.span,
        );
        let (function, arguments) = self.function(target, arguments)?;
        Ok(Effect::Change {
            how: change,
            function,
            arguments,
            by: self.expression(by)?,
        })
    }

    fn effect_atom(&self, span: Span, head: &Tree, arguments: &[Tree]) -> Result<Atom, BadText> {
        let atom = self.atom(span, head, arguments)?;
        if self.names.domain.predicates[usize::from(atom.predicate.0)].derived {
            return Err(span.error(format!(
                "{} is derived, so no action may change it",
                head.found()
            )));
        }
        Ok(atom)
    }
}

/// Whether an operand of `=` is numeric: a number, or a list, which cannot be a term.
fn is_numeric(tree: &Tree) -> bool {
    tree.word().is_none_or(|word| number(word).is_some())
}

pub(super) fn number(word: &str) -> Option<f64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    word.parse().ok().filter(|number: &f64| number.is_finite())
}
