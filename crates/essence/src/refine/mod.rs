//! From an instance to a flat problem. Decision variables become symbolic values (`sym.rs`,
//! `represent.rs`); expressions are evaluated on symbolic values (here, `operator.rs`, `call.rs`) to
//! terms of the store that Essence Prime is unrolled to. Comprehensions are unrolled; a generator over
//! a decision collection binds each member that may be present, under the condition that it is.
//!
//! An expression that may be undefined pushes the conditions under which it is defined; the smallest
//! boolean expression around it adds them to its term. One that is always undefined is `None`.

mod attribute;
mod call;
mod collection;
mod compare;
mod operator;
mod represent;
mod sym;

use std::rc::Rc;
use std::sync::Arc;

use ployglot_base::{BadText, Budget, Limit, Poll};
use ployglot_csp::{Goal, Problem, Quantity, VarId};
use ployglot_eprime::{Bool, Fault, Int, Source, Terms};

use crate::domain::Domain;
use crate::evaluate::{GlobalValue, index_members};
use crate::instance::{Instance, Solution};
use crate::lex::Span;
use crate::model::GlobalKind;
use crate::resolve::{Bounds, NamedDomain, resolve};
use crate::tree::{
    Binary, DomainKind, DomainNode, Generator, Kind, Node, Operator, Pattern, Range,
};
use crate::types::Type;
use crate::value::Value;
use collection::int_of;
use represent::{Cell, Layout, Unrepresentable};
use sym::{Members, Pair, Sym, sort_constants};

/// A flat problem, and where the decision variables are in it.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The problem, for a back end.
    pub problem: Problem,
    layouts: Vec<(String, Layout)>,
    quantities: Vec<Quantity>,
}

/// `None`: always undefined.
type Evaluated<T> = Result<Option<T>, BadText>;

/// What a declaration is to the refinement.
#[derive(Clone)]
enum Meaning {
    Sym(Sym),
    Domain(Domain),
    Named(Arc<crate::value::Named>),
    /// A letting that depends on decision variables: evaluated where it is used.
    Open,
    Undefined,
}

/// Refines one instance.
struct Refiner<'i> {
    instance: &'i Instance<'i>,
    globals: Vec<Meaning>,
    /// The bound variables, each with the condition under which it is defined: a `letting` that may
    /// be undefined matters where it is used.
    locals: Vec<(Bool, Option<Sym>)>,
    terms: Terms,
    /// The conditions under which what was evaluated so far is defined.
    conditions: Vec<Bool>,
    /// The variables of the decision variables.
    variables: Vec<VarId>,
    poll: Poll,
}

/// Returns `None` from the function around it if the value is undefined.
macro_rules! defined {
    ($value:expr) => {
        match $value? {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}
use defined;

impl Instance<'_> {
    /// The flat problem. [`Refined::solution`] maps its solutions to those of the instance.
    pub fn refine(&self) -> Result<Refined, Fault> {
        self.refined(&Poll::default())
    }

    /// [`Instance::refine`] within a budget; the outer error is the limit that ended it.
    pub fn refine_within(&self, budget: &Budget) -> Result<Result<Refined, Fault>, Limit> {
        budget.stoppable("refining", |poll| self.refined(poll))
    }

    fn refined(&self, poll: &Poll) -> Result<Refined, Fault> {
        let in_model = |bad| Fault {
            source: Source::Model,
            bad,
        };
        let (refiner, layouts) = self.refiner(poll).map_err(in_model)?;
        let posted = refiner.terms.finish().map_err(|_| {
            let message = "a number in this specification does not fit 32 bits";
            in_model(BadText::new(1, 1, message))
        })?;
        Ok(Refined {
            problem: posted.problem,
            quantities: posted.quantities,
            layouts,
        })
    }

    /// The refined model as Essence Prime.
    pub fn eprime_within(&self, budget: &Budget) -> Result<Result<String, Fault>, Limit> {
        budget.stoppable("refining", |poll| {
            let refined = self.refiner(poll).map_err(|bad| Fault {
                source: Source::Model,
                bad,
            });
            refined.map(|(refiner, _)| refiner.terms.eprime())
        })
    }

    fn refiner(&self, poll: &Poll) -> Result<(Refiner<'_>, Vec<(String, Layout)>), BadText> {
        let mut refiner = Refiner {
            instance: self,
            globals: Vec::new(),
            locals: Vec::new(),
            terms: Terms::new(poll),
            conditions: Vec::new(),
            variables: Vec::new(),
            poll: poll.clone(),
        };
        let layouts = refiner.declare()?;
        for constraint in &self.model.constraints {
            refiner.assert(constraint)?;
        }
        if let Some(objective) = &self.model.objective {
            let goal = match objective.minimise {
                true => Goal::Minimise,
                false => Goal::Maximise,
            };
            let value = refiner.sym(&objective.of)?;
            for condition in std::mem::take(&mut refiner.conditions) {
                refiner.terms.post(condition);
            }
            let number = match value {
                Some(Sym::Bool(term)) => Some(refiner.terms.number(term)),
                Some(value) => int_of(&value),
                None => None,
            };
            if number.is_none() {
                refiner.terms.post(Bool::FALSE);
            }
            refiner.overflow(objective.of.span)?;
            let number = number.unwrap_or(Int::Constant(0));
            refiner.terms.optimise(goal, number);
        }
        refiner.branch(&layouts);
        Ok((refiner, layouts))
    }
}

impl Refined {
    /// The solution of the specification for these values of the problem's variables.
    pub fn solution(&self, values: &[i32]) -> Solution {
        let of = |cell: Cell| match cell {
            Cell::Number(number) => number,
            Cell::Var(var) => match self.quantities[var.index()] {
                Quantity::Var(var) => i64::from(values[var.index()]),
                Quantity::Truth(literal) => {
                    i64::from(literal.holds_for(values[literal.variable().index()]))
                }
            },
        };
        let layouts = self.layouts.iter();
        let values = layouts.map(|(name, layout)| (name.clone(), layout.value(&of)));
        Solution {
            values: values.collect(),
        }
    }

    /// The problem's variables for the decision variables, each once. Two solutions of the
    /// specification are different exactly if these differ.
    pub fn decisions(&self) -> impl Iterator<Item = VarId> {
        let mut all = Vec::new();
        for (_, layout) in &self.layouts {
            layout.for_each_cell(&mut |cell| {
                if let Cell::Var(var) = cell {
                    all.push(match self.quantities[var.index()] {
                        Quantity::Var(var) => var,
                        Quantity::Truth(literal) => literal.variable(),
                    });
                }
            });
        }
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }
}

impl Bounds for Refiner<'_> {
    fn constant(&mut self, node: &Node) -> Evaluated<Value> {
        let sym = defined!(self.sym(node));
        match sym.value() {
            Some(value) => Ok(Some(value)),
            None => {
                let message = "a domain cannot depend on a decision variable here";
                Err(node.span.error(message))
            }
        }
    }

    fn named(&mut self, place: usize) -> NamedDomain {
        match &self.globals[place] {
            Meaning::Domain(domain) => NamedDomain::Domain(domain.clone()),
            Meaning::Named(named) => NamedDomain::Type(named.clone()),
            _ => NamedDomain::Undefined,
        }
    }
}

impl Refiner<'_> {
    /// Parameters become constants, decision variables get representations.
    fn declare(&mut self) -> Result<Vec<(String, Layout)>, BadText> {
        let mut layouts = Vec::new();
        let model = self.instance.model;
        for (place, value) in self.instance.evaluator.globals.iter().enumerate() {
            let global = &model.globals[place];
            let meaning = match value {
                GlobalValue::Value(value) => Meaning::Sym(Sym::constant(value)),
                GlobalValue::Domain(domain) => Meaning::Domain(domain.clone()),
                GlobalValue::Named(named) => Meaning::Named(named.clone()),
                GlobalValue::Open => Meaning::Open,
                GlobalValue::Undefined => Meaning::Undefined,
                GlobalValue::Find(None) => {
                    // Without a domain there is no solution.
                    self.terms.post(Bool::FALSE);
                    Meaning::Undefined
                }
                GlobalValue::Find(Some(domain)) => {
                    let represented = self.represent(domain, &global.name, Bool::TRUE);
                    let (sym, layout) = represented.map_err(|why| {
                        let span = match &global.kind {
                            GlobalKind::Find(node) => node.span,
                            _ => global.span,
                        };
                        span.error(match why {
                            Unrepresentable::Infinite => {
                                "the domain of a decision variable must be finite"
                            }
                            Unrepresentable::TooLarge => "this domain is too large",
                        })
                    })?;
                    layouts.push((global.name.clone(), layout));
                    Meaning::Sym(sym)
                }
            };
            self.globals.push(meaning);
        }
        Ok(layouts)
    }

    /// The variables to decide first.
    fn branch(&mut self, layouts: &[(String, Layout)]) {
        let model = self.instance.model;
        let mut first = Vec::new();
        for node in &model.branching {
            if let Kind::Global(place) = node.kind
                && let Some((_, layout)) = layouts
                    .iter()
                    .find(|(name, _)| *name == model.globals[place].name)
            {
                layout.for_each_cell(&mut |cell| {
                    if let Cell::Var(var) = cell {
                        first.push(var);
                    }
                });
            }
        }
        self.terms.branch(first, model.heuristic.as_deref());
    }

    /// An error if a number was too large.
    fn overflow(&mut self, span: Span) -> Result<(), BadText> {
        match self.terms.overflowed() {
            true => Err(span.error("the numbers of this expression are too large")),
            false => Ok(()),
        }
    }

    /// The constraint must hold.
    fn assert(&mut self, node: &Node) -> Result<(), BadText> {
        if let Kind::Binary(Binary::And, sides) = &node.kind {
            self.assert(&sides[0])?;
            return self.assert(&sides[1]);
        }
        let term = self.truth(node)?;
        self.overflow(node.span)?;
        self.terms.post(term);
        Ok(())
    }

    /// A boolean expression as a term that is false where a part is undefined.
    fn truth(&mut self, node: &Node) -> Result<Bool, BadText> {
        match self.sym(node)? {
            Some(Sym::Bool(term)) => Ok(term),
            _ => Ok(Bool::FALSE),
        }
    }

    /// An expression as a symbolic value.
    fn sym(&mut self, node: &Node) -> Evaluated<Sym> {
        self.poll.step();
        if node.ty != Type::Bool {
            return crate::deep::deep(|| self.inside(node));
        }
        let mark = self.conditions.len();
        let value = crate::deep::deep(|| self.inside(node))?;
        let mut parts = self.conditions.split_off(mark);
        let term = match value {
            Some(Sym::Bool(term)) => term,
            _ => Bool::FALSE,
        };
        if parts.is_empty() || term == Bool::FALSE {
            return Ok(Some(Sym::Bool(term)));
        }
        parts.push(term);
        Ok(Some(Sym::Bool(self.terms.and(parts))))
    }

    fn int(&mut self, node: &Node) -> Evaluated<Int> {
        let sym = defined!(self.sym(node));
        match sym {
            Sym::Bool(term) => Ok(Some(self.terms.number(term))),
            sym => match int_of(&sym) {
                Some(term) => Ok(Some(term)),
                None => Err(node.span.error("expected a number")),
            },
        }
    }

    fn several(&mut self, nodes: &[Node]) -> Evaluated<Vec<Sym>> {
        let mut syms = Vec::with_capacity(nodes.len());
        for node in nodes {
            syms.push(defined!(self.sym(node)));
        }
        Ok(Some(syms))
    }

    /// Adds a condition under which the value is defined. False if it never holds.
    fn demand(&mut self, condition: Bool) -> bool {
        if condition != Bool::TRUE {
            self.conditions.push(condition);
        }
        condition != Bool::FALSE
    }

    fn domain(&mut self, node: &DomainNode) -> Evaluated<Domain> {
        resolve(self, node)
    }

    fn inside(&mut self, node: &Node) -> Evaluated<Sym> {
        let span = node.span;
        let present = |items: Vec<Sym>| items.into_iter().map(|item| (Bool::TRUE, item)).collect();
        Ok(Some(match &node.kind {
            Kind::Number(number) => Sym::number(*number),
            Kind::Truth(truth) => Sym::Bool(Bool::of(*truth)),
            Kind::Name(name) => return Err(span.error(format!("'{name}' is not resolved"))),
            Kind::Local(place) => {
                let (condition, sym) = self.locals[*place].clone();
                return Ok(self.demand(condition).then_some(sym).flatten());
            }
            Kind::Member(of, place) => match &self.globals[*of] {
                Meaning::Named(named) => Sym::Member(named.clone(), Int::Constant(*place)),
                _ => return Ok(None),
            },
            Kind::Global(place) => match &self.globals[*place] {
                Meaning::Sym(sym) => sym.clone(),
                Meaning::Open => {
                    let GlobalKind::Letting(_, value, _) =
                        &self.instance.model.globals[*place].kind
                    else {
                        return Ok(None);
                    };
                    // A letting sees no bound variables.
                    let locals = std::mem::take(&mut self.locals);
                    let sym = self.sym(value);
                    self.locals = locals;
                    return sym;
                }
                _ => return Ok(None),
            },
            Kind::Not(of) => Sym::Bool(!self.truth(of)?),
            Kind::Negate(of) => {
                let of = defined!(self.int(of));
                Sym::Int(self.terms.sum([(-1, of)], 0))
            }
            Kind::Factorial(of) => {
                let of = defined!(self.int(of));
                return self.factorial(of, span).map(Some);
            }
            Kind::Bars(of) => {
                let of = defined!(self.sym(of));
                match int_of(&of) {
                    Some(number) => Sym::Int(self.terms.absolute(number)),
                    None => Sym::Int(self.size(&of)),
                }
            }
            Kind::Binary(operator, sides) => return self.binary(*operator, sides, span),
            Kind::Call(Operator::And | Operator::Or, operands)
                if matches!(operands[0].kind, Kind::Comprehension(..)) =>
            {
                let is_and = matches!(node.kind, Kind::Call(Operator::And, _));
                return self
                    .quantified(is_and, &operands[0])
                    .map(|term| term.map(Sym::Bool));
            }
            Kind::Call(operator, operands) => {
                return self.call(*operator, operands, &node.ty, span);
            }
            Kind::Apply(of, arguments) => {
                let of = defined!(self.sym(of));
                let mut syms = Vec::new();
                for argument in arguments {
                    syms.push(match argument {
                        None => None,
                        Some(argument) => Some(defined!(self.sym(argument))),
                    });
                }
                return Ok(self.apply(&of, syms));
            }
            Kind::Index(of, indices) => {
                let of = defined!(self.sym(of));
                let mut syms = Vec::new();
                for index in indices {
                    syms.push(match index {
                        None => None,
                        Some(index) => Some(defined!(self.sym(index))),
                    });
                }
                return Ok(self.indexed(&of, &syms));
            }
            Kind::Field(of, label) => {
                let of = defined!(self.sym(of));
                return Ok(self.field(&of, label));
            }
            Kind::Active(of, label) => match defined!(self.sym(of)) {
                Sym::Variant(tag, fields) => {
                    let at = fields.iter().position(|(name, _)| **name == *label.name);
                    match at {
                        Some(at) => Sym::Bool(self.terms.equal(tag, Int::Constant(at as i64))),
                        None => Sym::Bool(Bool::FALSE),
                    }
                }
                _ => return Ok(None),
            },
            Kind::Attribute(name, of, number) => {
                let sym = defined!(self.sym(of));
                let number = match number {
                    None => Int::Constant(0),
                    Some(number) => defined!(self.int(number)),
                };
                Sym::Bool(self.attribute(name, of, &sym, number)?)
            }
            Kind::Tuple(items) => Sym::tuple(defined!(self.several(items))),
            Kind::Record(fields) => {
                let mut syms = Vec::new();
                for (name, value) in fields {
                    let sym = defined!(self.sym(value));
                    syms.push((Arc::from(name.name.as_str()), sym));
                }
                syms.sort_by(|(a, _): &(Arc<str>, Sym), (b, _)| a.cmp(b));
                Sym::Record(Rc::new(syms))
            }
            Kind::Variant(name, value) => {
                let sym = defined!(self.sym(value));
                let field = (Arc::from(name.name.as_str()), sym);
                Sym::Variant(Int::Constant(0), Rc::new(vec![field]))
            }
            Kind::Matrix(items, index) => {
                let items = defined!(self.several(items));
                match index {
                    None => Sym::list(items),
                    Some(index) => {
                        let domain = defined!(self.domain(index));
                        match index_members(&domain, items.len(), &self.poll) {
                            Some(members) if members.len() == items.len() => {
                                Sym::Matrix(Rc::new(members), Rc::new(items))
                            }
                            _ => {
                                let count = items.len();
                                let message = format!("the index does not fit {count} items");
                                return Err(index.span.error(message));
                            }
                        }
                    }
                }
            }
            Kind::Set(items) => {
                let items = defined!(self.several(items));
                Sym::Set(Rc::new(self.set_of(present(items))))
            }
            Kind::Relation(items) => {
                let items = defined!(self.several(items));
                Sym::Relation(Rc::new(self.set_of(present(items))))
            }
            Kind::MSet(items) => {
                let items = defined!(self.several(items));
                let items = items.into_iter().map(|item| (Int::Constant(1), item));
                Sym::MSet(Rc::new(sort_constants(items.collect())))
            }
            Kind::Sequence(items) => {
                let items = defined!(self.several(items));
                Sym::Sequence(Int::Constant(items.len() as i64), Rc::new(items))
            }
            Kind::Partition(items) => {
                let mut parts = Vec::new();
                for part in defined!(self.several(items)) {
                    let members = self.members(&part).unwrap_or_default();
                    let present = self.terms.or(members.iter().map(|(present, _)| *present));
                    parts.push((present, Rc::new(self.set_of(members))));
                }
                Sym::Partition(Rc::new(parts))
            }
            Kind::Function(nodes) => {
                let mut pairs: Vec<Pair> = Vec::new();
                for (from, to) in nodes {
                    let key = defined!(self.sym(from));
                    let image = defined!(self.sym(to));
                    // Equal keys with different images are no function; of equal pairs one counts.
                    let mut earlier = Vec::new();
                    for pair in &pairs {
                        let same = self.equal(&pair.key, &key);
                        let here = self.terms.and([pair.present, same]);
                        earlier.push((here, pair.image.clone()));
                    }
                    let mut known = Vec::new();
                    for (here, other) in earlier {
                        known.push(here);
                        if here != Bool::FALSE {
                            let agree = self.equal(&other, &image);
                            let agree = self.implies(here, agree);
                            if !self.demand(agree) {
                                return Ok(None);
                            }
                        }
                    }
                    let known = self.terms.or(known);
                    pairs.push(Pair {
                        present: !known,
                        key,
                        image,
                    });
                }
                if pairs.iter().all(|pair| pair.key.value().is_some()) {
                    pairs.sort_by_cached_key(|pair| pair.key.value());
                }
                Sym::function(pairs)
            }
            Kind::Permutation(cycles) => {
                let mut pairs = Vec::new();
                for cycle in cycles {
                    let members = defined!(self.several(cycle));
                    for (at, member) in members.iter().enumerate() {
                        let next = members[(at + 1) % members.len()].clone();
                        pairs.push((member.clone(), next));
                    }
                }
                Sym::Permutation(Rc::new(pairs))
            }
            Kind::Comprehension(..) => {
                let mut items = Vec::new();
                defined!(self.comprehension(node, &mut |_, guard, item| {
                    items.push((guard, item));
                    true
                }));
                Self::settled(items)
            }
            Kind::Domain(domain) => {
                let domain = defined!(self.domain(domain));
                match domain.values(&self.poll) {
                    Some(values) => Sym::list(values.iter().map(Sym::constant).collect()),
                    None => return Err(span.error("this domain has too many values to list")),
                }
            }
            Kind::Typed(of, _) => return self.sym(of),
        }))
    }

    /// `and` or `or` over a comprehension. It ends at the first item that decides the result.
    fn quantified(&mut self, is_and: bool, list: &Node) -> Evaluated<Bool> {
        let mut parts = Vec::new();
        defined!(self.comprehension(list, &mut |refiner, guard, item| {
            let Sym::Bool(term) = item else { return true };
            let part = match is_and {
                true => refiner.terms.or([!guard, term]),
                false => refiner.terms.and([guard, term]),
            };
            parts.push(part);
            part != Bool::of(!is_and)
        }));
        Ok(Some(match is_and {
            true => self.terms.and(parts),
            false => self.terms.or(parts),
        }))
    }

    /// Calls `each` with the condition and the value of every item, until it returns false.
    fn comprehension(
        &mut self,
        node: &Node,
        each: &mut dyn FnMut(&mut Self, Bool, Sym) -> bool,
    ) -> Evaluated<()> {
        let Kind::Comprehension(body, generators) = &node.kind else {
            return Ok(Some(()));
        };
        let mark = self.locals.len();
        let done = self.generate(generators, Bool::TRUE, &mut |refiner, guard| match refiner
            .guarded(guard, |refiner| refiner.sym(body))?
        {
            Some(item) => Ok(each(refiner, guard, item)),
            None => Ok(guard != Bool::TRUE),
        });
        self.locals.truncate(mark);
        done?;
        Ok(Some(()))
    }

    /// Evaluates where the guard holds: conditions matter only there.
    fn guarded<T>(
        &mut self,
        guard: Bool,
        work: impl FnOnce(&mut Self) -> Evaluated<T>,
    ) -> Evaluated<T> {
        let mark = self.conditions.len();
        let value = work(self)?;
        if self.conditions.len() > mark && guard != Bool::TRUE {
            for condition in self.conditions.split_off(mark) {
                let condition = self.implies(guard, condition);
                self.conditions.push(condition);
            }
        }
        if value.is_none() {
            self.conditions.push(!guard);
        }
        Ok(value)
    }

    /// Calls `each` under the condition of every combination of the generators' variables, until it
    /// returns false.
    fn generate(
        &mut self,
        generators: &[Generator],
        guard: Bool,
        each: &mut dyn FnMut(&mut Self, Bool) -> Result<bool, BadText>,
    ) -> Result<bool, BadText> {
        let Some((first, rest)) = generators.split_first() else {
            return each(self, guard);
        };
        if let Generator::Condition(condition) = first {
            let condition = self.truth(condition)?;
            let guard = self.terms.and([guard, condition]);
            return match guard {
                Bool::FALSE => Ok(true),
                guard => self.generate(rest, guard, each),
            };
        }
        if let Generator::Letting(pattern, of) = first {
            return self.letting(pattern, of, rest, guard, each);
        }
        let candidates = self.guarded(guard, |refiner| refiner.candidates(first))?;
        for (present, bound) in candidates.unwrap_or_default() {
            self.poll.step();
            let guard = self.terms.and([guard, present]);
            if guard == Bool::FALSE {
                continue;
            }
            let mark = self.locals.len();
            self.locals
                .extend(bound.into_iter().map(|sym| (Bool::TRUE, Some(sym))));
            let continues = self.generate(rest, guard, each)?;
            self.locals.truncate(mark);
            if !continues {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// [`Refiner::generate`], where the first generator is a `letting`. Whether its value is defined
    /// matters where it is used.
    fn letting(
        &mut self,
        pattern: &Pattern,
        of: &Node,
        rest: &[Generator],
        guard: Bool,
        each: &mut dyn FnMut(&mut Self, Bool) -> Result<bool, BadText>,
    ) -> Result<bool, BadText> {
        let mark = self.conditions.len();
        let value = self.sym(of)?;
        let conditions = self.conditions.split_off(mark);
        let is_defined = self.terms.and(conditions);
        let ways = match &value {
            Some(value) => self.bind(pattern, value),
            None => Vec::new(),
        };
        let place = self.locals.len();
        if value.is_none() {
            let names = pattern.names();
            self.locals.extend((0..names).map(|_| (Bool::FALSE, None)));
            let continues = self.generate(rest, guard, each)?;
            self.locals.truncate(place);
            return Ok(continues);
        }
        for (condition, bound) in ways {
            let guard = self.terms.and([guard, condition]);
            if guard == Bool::FALSE {
                continue;
            }
            self.locals
                .extend(bound.into_iter().map(|sym| (is_defined, Some(sym))));
            let continues = self.generate(rest, guard, each)?;
            self.locals.truncate(place);
            if !continues {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a generator binds: for each way a condition and the values of the bound variables.
    fn candidates(&mut self, generator: &Generator) -> Evaluated<Vec<(Bool, Vec<Sym>)>> {
        let (pattern, values): (&Pattern, Vec<(Bool, Sym)>) = match generator {
            Generator::Condition(_) | Generator::Letting(..) => return Ok(Some(Vec::new())),
            Generator::Domain(pattern, node) => {
                if let Some(values) = self.open_range(node)? {
                    (pattern, values)
                } else {
                    let domain = defined!(self.domain(node));
                    let Some(values) = domain.values(&self.poll) else {
                        let message = "this domain has too many values to go through";
                        return Err(node.span.error(message));
                    };
                    let values = values
                        .iter()
                        .map(|value| (Bool::TRUE, Sym::constant(value)));
                    (pattern, values.collect())
                }
            }
            Generator::Collection(pattern, of) => {
                let sym = defined!(self.sym(of));
                (pattern, self.members(&sym).unwrap_or_default())
            }
            Generator::Subsets(pattern, of) => {
                let sym = defined!(self.sym(of));
                let Sym::Set(members) = &sym else {
                    return Ok(None);
                };
                if let Pattern::Set(parts, _) = pattern {
                    return Ok(Some(self.choices(parts, members, false)));
                }
                let Some(subsets) = self.power_set(members) else {
                    return Err(of.span.error("this set has too many subsets"));
                };
                (pattern, subsets)
            }
        };
        let mut all = Vec::new();
        for (present, value) in values {
            if present == Bool::FALSE {
                continue;
            }
            for (condition, bound) in self.bind(pattern, &value) {
                let condition = self.terms.and([present, condition]);
                all.push((condition, bound));
            }
        }
        Ok(Some(all))
    }

    /// The values of `int(a..b)` where a bound is a decision; `None` for other domains.
    fn open_range(&mut self, node: &DomainNode) -> Result<Option<Vec<(Bool, Sym)>>, BadText> {
        let DomainKind::Int(Some(ranges)) = &node.kind else {
            return Ok(None);
        };
        let [Range::Between(Some(low), Some(high))] = &ranges[..] else {
            return Ok(None);
        };
        let mark = self.conditions.len();
        let (low, high) = (self.int(low)?, self.int(high)?);
        let (Some(low), Some(high)) = (low, high) else {
            self.conditions.truncate(mark);
            return Ok(None);
        };
        if matches!((low, high), (Int::Constant(_), Int::Constant(_))) {
            self.conditions.truncate(mark);
            return Ok(None);
        }
        let (first, last) = (self.terms.bounds(low).0, self.terms.bounds(high).1);
        let mut values = Vec::new();
        for number in first..=last {
            self.poll.step();
            let above = self.terms.at_most(low, Int::Constant(number));
            let below = self.terms.at_most(Int::Constant(number), high);
            let inside = self.terms.and([above, below]);
            values.push((inside, Sym::number(number)));
        }
        Ok(Some(values))
    }

    /// The ways to bind the parts of a pattern, from left to right, with their conditions.
    fn bind(&mut self, pattern: &Pattern, value: &Sym) -> Vec<(Bool, Vec<Sym>)> {
        match (pattern, value) {
            (Pattern::Name(_) | Pattern::Wildcard, value) => {
                vec![(Bool::TRUE, vec![value.clone()])]
            }
            (Pattern::Tuple(parts, _), Sym::Tuple(items))
            | (Pattern::Matrix(parts, _), Sym::Matrix(_, items)) => {
                if parts.len() != items.len() {
                    return Vec::new();
                }
                self.bind_row(parts, items)
            }
            (Pattern::Set(parts, _), Sym::Set(members)) => self.choices(parts, members, true),
            _ => Vec::new(),
        }
    }

    fn bind_row(&mut self, parts: &[Pattern], items: &[Sym]) -> Vec<(Bool, Vec<Sym>)> {
        let mut all = vec![(Bool::TRUE, Vec::new())];
        for (part, item) in parts.iter().zip(items) {
            let mut longer = Vec::new();
            for (condition, bound) in self.bind(part, item) {
                for (before, earlier) in &all {
                    let condition = self.terms.and([*before, condition]);
                    let mut row: Vec<Sym> = earlier.clone();
                    row.extend(bound.iter().cloned());
                    longer.push((condition, row));
                }
            }
            all = longer;
        }
        all
    }

    /// The ways to bind `{i, j}` to members in increasing order: to all members of the set if
    /// `exactly`, else to some of them.
    fn choices(
        &mut self,
        parts: &[Pattern],
        members: &Members,
        exactly: bool,
    ) -> Vec<(Bool, Vec<Sym>)> {
        let items = self.distinct(members);
        let mut chosen: Vec<(Bool, Vec<usize>)> = vec![(Bool::TRUE, Vec::new())];
        for _ in parts {
            let mut longer = Vec::new();
            for (condition, places) in &chosen {
                for (at, (present, item)) in items.iter().enumerate() {
                    self.poll.step();
                    if places.contains(&at) {
                        continue;
                    }
                    let order = match places.last() {
                        None => Bool::TRUE,
                        Some(&last) => self.before(&items[last].1, item, true),
                    };
                    let condition = self.terms.and([*condition, *present, order]);
                    if condition != Bool::FALSE {
                        let mut places = places.clone();
                        places.push(at);
                        longer.push((condition, places));
                    }
                }
            }
            chosen = longer;
        }
        let mut all = Vec::new();
        for (condition, places) in chosen {
            let mut parts_of = vec![condition];
            if exactly {
                let others = items
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| !places.contains(at));
                parts_of.extend(others.map(|(_, (present, _))| !*present));
            }
            let condition = self.terms.and(parts_of);
            let row: Vec<Sym> = places.iter().map(|&at| items[at].1.clone()).collect();
            for (inner, bound) in self.bind_row(parts, &row) {
                let condition = self.terms.and([condition, inner]);
                if condition != Bool::FALSE {
                    all.push((condition, bound));
                }
            }
        }
        all
    }
}
