//! Random domains, each with a problem, as text: small, and using most features of PDDL.

use ployglot_base::Random;

/// The texts of a domain and a problem. The same seed gives the same texts.
pub fn random_task(seed: u64) -> (String, String) {
    let mut writer = Writer {
        random: Random::new(seed),
        fresh: 0,
    };
    let mut actions = String::new();
    for number in 0..3 {
        actions += &writer.action(number);
    }
    let axioms = if writer.random.chance(1, 2) {
        let one = writer.formula(1, &[("?x", "a")], false);
        let none = writer.formula(1, &[], true);
        format!(
            "(:derived (d1 ?x - a) (or {one} (exists (?z - a) (and (s ?x ?z) (d1 ?z)))))\n(:derived (d0) {none})\n"
        )
    } else {
        "(:derived (d1 ?x - a) (p1 ?x))\n(:derived (d0) (not (p0)))\n".to_string()
    };
    let domain = format!(
        "(define (domain random)\n(:requirements :adl :derived-predicates :action-costs)\n(:types a b)\n(:constants a1 - a)\n\
         (:predicates (p0) (p1 ?x - a) (p2 ?x - a ?y - b) (q1 ?y - b) (s ?x ?y - a) (d1 ?x - a) (d0))\n\
         (:functions (total-cost) - number)\n{axioms}{actions})"
    );
    let atoms = "(p0) (p1 a1) (p1 a2) (p2 a1 b1) (p2 a1 b2) (p2 a2 b1) (p2 a2 b2) (q1 b1) (q1 b2) (s a1 a1) (s a1 a2) (s a2 a1)";
    let some: Vec<&str> = atoms
        .split_inclusive(") ")
        .filter(|_| writer.random.chance(2, 5))
        .collect();
    let goals: Vec<String> = (0..2).map(|_| writer.formula(2, &[], true)).collect();
    let problem = format!(
        "(define (problem one) (:domain random)\n(:objects a2 - a b1 b2 - b)\n(:init {} (= (total-cost) 0))\n\
         (:goal (and {}))\n(:metric minimize (total-cost)))",
        some.concat(),
        goals.join(" ")
    );
    (domain, problem)
}

struct Writer {
    random: Random,
    fresh: usize,
}

type Scope<'a> = [(&'a str, &'a str)];

impl Writer {
    fn term(&mut self, kind: &str, scope: &Scope) -> String {
        let mut fitting: Vec<&str> = scope
            .iter()
            .filter(|(_, of)| *of == kind)
            .map(|(name, _)| *name)
            .collect();
        // A domain may mention constants, but no objects of the problem.
        if kind == "a" {
            fitting.push("a1");
        }
        if fitting.is_empty() {
            return String::new();
        }
        self.random.choose(&fitting).to_string()
    }

    /// An atom that actions may change or, with `any`, any atom.
    fn atom(&mut self, scope: &Scope, any: bool) -> String {
        let has_b = scope.iter().any(|(_, kind)| *kind == "b");
        loop {
            let (a, b) = (self.term("a", scope), self.term("b", scope));
            let other = self.term("a", scope);
            return match self.random.below(if any { 8 } else { 4 }) {
                0 => "(p0)".to_string(),
                1 => format!("(p1 {a})"),
                2 if has_b => format!("(p2 {a} {b})"),
                3 if has_b => format!("(q1 {b})"),
                4 => format!("(s {a} {other})"),
                5 => format!("(= {a} {other})"),
                6 => format!("(d1 {a})"),
                7 => "(d0)".to_string(),
                _ => continue,
            };
        }
    }

    /// A random formula; with `any`, derived predicates may occur.
    fn formula(&mut self, depth: usize, scope: &Scope, any: bool) -> String {
        if depth == 0 || self.random.chance(1, 4) {
            // Bodies of axioms must not depend on themselves through a negation.
            let atom = loop {
                let wide = any || self.random.chance(1, 3);
                let atom = self.atom(scope, wide);
                if any || !atom.starts_with("(d") {
                    break atom;
                }
            };
            let atom = if any {
                atom.replace("(d0)", "(d1 a1)")
            } else {
                atom
            };
            return if self.random.chance(1, 3) {
                format!("(not {atom})")
            } else {
                atom
            };
        }
        let kind = self.random.below(6);
        if kind >= 4 {
            self.fresh += 1;
            let name = format!("?v{}", self.fresh);
            let of = *self.random.choose(&["a", "b"]);
            let mut inner = scope.to_vec();
            inner.push((&name, of));
            let body = self.formula(depth - 1, &inner, any);
            let quantifier = if kind == 4 { "forall" } else { "exists" };
            return format!("({quantifier} ({name} - {of}) {body})");
        }
        let left = self.formula(depth - 1, scope, any);
        let right = self.formula(depth - 1, scope, any);
        match kind {
            0 => format!("(and {left} {right})"),
            1 => format!("(or {left} {right})"),
            2 => format!("(imply {left} {right})"),
            _ => format!("(not (and {left} {right}))"),
        }
    }

    fn action(&mut self, number: usize) -> String {
        let all = [("?x", "a"), ("?y", "b")];
        let scope = &all[..self.random.below(3)];
        let parameters: Vec<String> = scope
            .iter()
            .map(|(name, kind)| format!("{name} - {kind}"))
            .collect();
        let condition = self.formula(2, scope, true);
        let mut effects = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            effects.push(self.effect(scope));
        }
        let cost = self.random.below(3);
        format!(
            "(:action act{number} :parameters ({})\n  :precondition {condition}\n  :effect (and {} (increase (total-cost) {cost})))\n",
            parameters.join(" "),
            effects.join(" ")
        )
    }

    fn effect(&mut self, scope: &Scope) -> String {
        let literal = |writer: &mut Self, scope: &Scope| {
            let atom = writer.atom(scope, false);
            if writer.random.chance(1, 2) {
                format!("(not {atom})")
            } else {
                atom
            }
        };
        match self.random.below(3) {
            0 => literal(self, scope),
            1 => {
                let condition = self.formula(1, scope, true);
                format!("(when {condition} {})", literal(self, scope))
            }
            _ => {
                let mut inner = scope.to_vec();
                inner.push(("?w", "b"));
                let condition = self.formula(1, &inner, true);
                format!(
                    "(forall (?w - b) (when {condition} {}))",
                    literal(self, &inner)
                )
            }
        }
    }
}
