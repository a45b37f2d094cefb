//! Random domains, each with a problem, as text: small, and using most features of PDDL. Types form
//! a tree, variables may be wider or narrower than the predicates' arguments, quantifiers nest and
//! sometimes count, derived predicates have types and depend on each other, effects nest conditions
//! and quantifiers in any order, and costs may depend on the state and on the arguments.

use ployglot_base::Random;

/// The texts of a domain and a problem. The same seed gives the same texts.
pub fn random_task(seed: u64) -> (String, String) {
    let mut writer = Writer {
        random: Random::new(seed),
        fresh: 0,
    };
    let axioms = writer.axioms();
    let actions: String = (0..3).map(|number| writer.action(number)).collect();
    let domain = format!(
        "(define (domain random)\n(:requirements :adl :derived-predicates :action-costs)\n\
         (:types thing - object a b - thing c - a)\n(:constants a1 - a c1 - c)\n\
         (:predicates (p0) (p1 ?x - a) (p2 ?x - thing ?y - b) (q1 ?y - b) (s ?x ?y - thing)\n\
           (d0) (d1 ?x - a) (d2 ?x - thing ?y - a))\n\
         (:functions (total-cost) (price ?x - thing) - number)\n{axioms}{actions})"
    );
    let atoms = "(p0) (p1 a1) (p1 a2) (p1 c1) (p2 a1 b1) (p2 a1 b2) (p2 a2 b1) (p2 b2 b2) (p2 c1 b1) (q1 b1) (q1 b2) \
                 (s a1 a1) (s a1 a2) (s a2 c1) (s b1 a1) (s c1 a1) ";
    let some: Vec<&str> = atoms
        .split_inclusive(") ")
        .filter(|_| writer.random.chance(2, 5))
        .collect();
    let prices: Vec<String> = ["a1", "a2", "b1", "b2", "c1"]
        .iter()
        .map(|object| format!("(= (price {object}) {})", writer.random.below(3)))
        .collect();
    let goals: Vec<String> = (0..2).map(|_| writer.formula(2, &[], 3)).collect();
    let metric = match writer.random.chance(4, 5) {
        true => "(:metric minimize (total-cost))",
        false => "",
    };
    // The cost starts at 0, whether or not the problem says so.
    let start = match writer.random.chance(1, 2) {
        true => "(= (total-cost) 0)",
        false => "",
    };
    let problem = format!(
        "(define (problem one) (:domain random)\n(:objects a2 - a b1 b2 - b)\n(:init {} {start} {})\n\
         (:goal (and {}))\n{metric})",
        some.concat(),
        prices.join(" "),
        goals.join(" ")
    );
    (domain, problem)
}

struct Writer {
    random: Random,
    fresh: usize,
}

/// Variables with their types.
type Scope = [(String, &'static str)];

const TYPES: [&str; 4] = ["thing", "a", "b", "c"];

/// Whether a variable of the type `of` may be an argument where `wanted` is declared: one type is
/// the other, or below it.
fn fits(of: &str, wanted: &str) -> bool {
    let below = |low: &str, high: &str| low == high || high == "thing" || (low, high) == ("c", "a");
    below(of, wanted) || below(wanted, of)
}

impl Writer {
    fn variable(&mut self) -> (String, &'static str) {
        self.fresh += 1;
        let of = *self.random.choose(&TYPES);
        (format!("?v{}", self.fresh), of)
    }

    /// One or two new variables, and the scope with them.
    fn bind(&mut self, scope: &Scope) -> (String, Vec<(String, &'static str)>) {
        let new: Vec<_> = (0..1 + self.random.below(2))
            .map(|_| self.variable())
            .collect();
        let list: Vec<String> = new
            .iter()
            .map(|(name, of)| format!("{name} - {of}"))
            .collect();
        (list.join(" "), [scope, &new].concat())
    }

    /// A variable or a constant; a domain may not mention the objects of a problem.
    fn term(&mut self, wanted: &str, scope: &Scope) -> Option<String> {
        let constants = [("a1".to_string(), "a"), ("c1".to_string(), "c")];
        let all = scope.iter().chain(scope).chain(&constants);
        let fitting: Vec<&String> = all
            .filter(|(_, of)| fits(of, wanted))
            .map(|(name, _)| name)
            .collect();
        match fitting.is_empty() {
            true => None,
            false => Some((*self.random.choose(&fitting)).clone()),
        }
    }

    /// An atom of a predicate with these arguments.
    fn call(&mut self, name: &str, types: &[&str], scope: &Scope) -> Option<String> {
        let terms: Option<Vec<String>> = types.iter().map(|of| self.term(of, scope)).collect();
        let words: Vec<String> = [name.to_string()].into_iter().chain(terms?).collect();
        Some(format!("({})", words.join(" ")))
    }

    /// An atom that actions may change.
    fn fluent(&mut self, scope: &Scope) -> String {
        loop {
            let (name, types): (&str, &[&str]) = match self.random.below(4) {
                0 => ("p0", &[]),
                1 => ("p1", &["a"]),
                2 => ("p2", &["thing", "b"]),
                _ => ("q1", &["b"]),
            };
            if let Some(atom) = self.call(name, types, scope) {
                return atom;
            }
        }
    }

    /// Any atom, with the derived predicates of the first `level` of three levels.
    fn atom(&mut self, scope: &Scope, level: usize) -> String {
        loop {
            let (name, types): (&str, &[&str]) = match self.random.below(8) {
                0..=3 => return self.fluent(scope),
                4 => ("s", &["thing", "thing"]),
                5 => ("=", &["thing", "thing"]),
                _ => match self.random.below(3) {
                    kind if kind >= level => continue,
                    0 => ("d2", &["thing", "a"]),
                    1 => ("d1", &["a"]),
                    _ => ("d0", &[]),
                },
            };
            if let Some(atom) = self.call(name, types, scope) {
                return atom;
            }
        }
    }

    fn formula(&mut self, depth: usize, scope: &Scope, level: usize) -> String {
        if depth == 0 || self.random.chance(1, 4) {
            let atom = self.atom(scope, level);
            return match self.random.chance(1, 3) {
                true => format!("(not {atom})"),
                false => atom,
            };
        }
        let kind = self.random.below(13);
        match kind {
            0..=7 => {
                let left = self.formula(depth - 1, scope, level);
                let right = self.formula(depth - 1, scope, level);
                match kind {
                    0..=1 => format!("(and {left} {right})"),
                    2..=3 => format!("(or {left} {right})"),
                    4..=5 => format!("(imply {left} {right})"),
                    _ => format!("(not (and {left} {right}))"),
                }
            }
            8..=11 => {
                let (list, inner) = self.bind(scope);
                let body = self.formula(depth - 1, &inner, level);
                let quantifier = if kind < 10 { "forall" } else { "exists" };
                format!("({quantifier} ({list}) {body})")
            }
            _ => self.count(depth - 1, scope, level),
        }
    }

    /// "At most two things are not …", mostly with the same types everywhere. Counts nest no deeper
    /// than other formulas: written out, each level is a hundred times as large as the one below.
    fn count(&mut self, depth: usize, scope: &Scope, level: usize) -> String {
        let (one, mut two, mut each) = (self.variable(), self.variable(), self.variable());
        if self.random.chance(2, 3) {
            (two.1, each.1) = (one.1, one.1);
        }
        let differ = match self.random.chance(1, 2) {
            true => format!("(not (= {} {}))", one.0, two.0),
            false => "(and)".to_string(),
        };
        let inner = [scope, std::slice::from_ref(&each)].concat();
        let body = self.formula(depth, &inner, level);
        format!(
            "(exists ({} - {} {} - {}) (and {differ} (forall ({} - {}) (or (= {} {}) (= {} {}) {body}))))",
            one.0, one.1, two.0, two.1, each.0, each.1, each.0, one.0, two.0, each.0
        )
    }

    /// Axioms in three levels; `d2` and `d1` may depend on themselves.
    fn axioms(&mut self) -> String {
        let x_of = |of: &'static str| ("?x".to_string(), of);
        let y = ("?y".to_string(), "a");
        let two = self.formula(1, &[x_of("thing"), y], 0);
        // The second axiom of a predicate may have narrower variables than the first.
        let narrow = *self.random.choose(&["a", "c", "b"]);
        let again = self.formula(1, &[x_of(narrow)], 0);
        let one = self.formula(1, &[x_of("a")], 1);
        let none = self.formula(1, &[], 2);
        let step = *self.random.choose(&["(s ?x ?z)", "(p1 ?z)", "(s ?z ?x)"]);
        format!(
            "(:derived (d2 ?x - thing ?y - a) (or {two} (exists (?z - thing) (and {step} (d2 ?z ?y)))))\n\
             (:derived (d2 ?x - {narrow} ?y - c) {again})\n\
             (:derived (d1 ?x - a) (or {one} (exists (?z - a) (and (s ?x ?z) (d1 ?z)))))\n\
             (:derived (d0) {none})\n"
        )
    }

    fn action(&mut self, number: usize) -> String {
        let scope: Vec<_> = (0..self.random.below(3)).map(|_| self.variable()).collect();
        let parameters: Vec<String> = scope
            .iter()
            .map(|(name, of)| format!("{name} - {of}"))
            .collect();
        let condition = self.formula(2, &scope, 3);
        let mut effects: Vec<String> = (0..1 + self.random.below(3))
            .map(|_| self.effect(2, &scope))
            .collect();
        // At most one cost, since the order in which several are added is not what is tested.
        let cost = match self.random.below(4) {
            0 => format!("(increase (total-cost) {})", self.random.below(3)),
            1 => {
                let condition = self.formula(1, &scope, 3);
                let cost = self.random.below(3);
                format!("(when {condition} (increase (total-cost) {cost}))")
            }
            2 => match self.call("price", &["thing"], &scope) {
                Some(price) => format!("(increase (total-cost) {price})"),
                None => String::new(),
            },
            _ => {
                let (list, inner) = self.bind(&scope);
                let condition = self.formula(1, &inner, 3);
                format!("(forall ({list}) (when {condition} (increase (total-cost) 1)))")
            }
        };
        effects.push(cost);
        format!(
            "(:action act{number} :parameters ({})\n  :precondition {condition}\n  :effect (and {}))\n",
            parameters.join(" "),
            effects.join(" ")
        )
    }

    fn effect(&mut self, depth: usize, scope: &Scope) -> String {
        let kind = if depth == 0 { 0 } else { self.random.below(6) };
        match kind {
            0..=1 => {
                let atom = self.fluent(scope);
                match self.random.chance(1, 2) {
                    true => format!("(not {atom})"),
                    false => atom,
                }
            }
            2..=3 => {
                let condition = self.formula(2, scope, 3);
                format!("(when {condition} {})", self.effect(depth - 1, scope))
            }
            4 => {
                let (list, inner) = self.bind(scope);
                format!("(forall ({list}) {})", self.effect(depth - 1, &inner))
            }
            _ => {
                let (list, inner) = self.bind(scope);
                let condition = self.formula(1, &inner, 3);
                let effect = self.effect(depth - 1, &inner);
                format!("(forall ({list}) (when {condition} {effect}))")
            }
        }
    }
}
