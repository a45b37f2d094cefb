//! Random models as text, and their solutions by exhaustive search.

use std::collections::BTreeSet;

use ployglot_base::{BadText, Random};
use ployglot_csp::{ConditionalConstraint, Literal, Problem, VarId, check};
use ployglot_eprime::{Instance, Ruling, Solution};

/// The decision variables that a random model may declare, with their domains.
pub const FINDS: [(&str, &str); 8] = [
    ("x", "int(-1..2)"),
    ("y", "int(0,2,3)"),
    ("z", "int(1..2)"),
    ("b", "bool"),
    ("c", "bool"),
    ("M", "matrix indexed by [int(1..2)] of int(0..2)"),
    ("N", "matrix indexed by [int(0,2)] of bool"),
    ("K", "matrix indexed by [bool, int(1..2)] of int(1..2)"),
];

/// Makes random models, with expressions over some of `FINDS` and over constants.
pub struct Generator {
    /// The source of all choices.
    pub random: Random,
    /// The names of the decision variables of the model.
    pub finds: Vec<&'static str>,
    locals: Vec<&'static str>,
}

impl Generator {
    /// A generator of one model; the seed determines it.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut finds: Vec<&str> = FINDS.iter().map(|(name, _)| *name).collect();
        random.shuffle(&mut finds);
        finds.truncate(2 + random.below(2));
        finds.sort_unstable();
        Generator {
            random,
            finds,
            locals: Vec::new(),
        }
    }

    /// The text of a model.
    pub fn model(&mut self) -> String {
        let mut text = "letting P = [2,0,1]\nletting Q = [[true,false],[false,true] ; int(0..1)]\nletting D be domain int(0..1) union int(3)\n".to_string();
        for name in self.finds.clone() {
            let domain = FINDS.iter().find(|(known, _)| *known == name);
            text += &format!("find {name} : {}\n", domain.expect("listed").1);
        }
        text += "such that\n";
        let constraints = 1 + self.random.below(3);
        let all: Vec<String> = (0..constraints)
            .map(|_| {
                let depth = 1 + self.random.below(4);
                self.bool(depth)
            })
            .collect();
        text + &all.join(",\n") + "\n"
    }

    /// A constraint that makes two decision variables equal for merging, if their types allow it.
    pub fn tie(&mut self) -> String {
        let cells = |name: &str| -> &'static [&'static str] {
            match name {
                "M" => &["M[1]", "M[2]"],
                "K" => &["K[true,1]", "K[false,2]"],
                "N" => &["N[0]", "N[2]"],
                "x" => &["x"],
                "y" => &["y"],
                "z" => &["z"],
                "b" => &["b"],
                _ => &["c"],
            }
        };
        let all = self.finds.iter().flat_map(|name| cells(name)).copied();
        let (truths, ints): (Vec<&str>, Vec<&str>) =
            all.partition(|cell| cell.starts_with(['b', 'c', 'N']));
        let sign = *self.random.choose(&["=", "!=", "<", ">="]);
        let number = self.random.below(3);
        let mut one_of = |cells: &[&'static str]| *self.random.choose(cells);
        match (&truths[..], &ints[..]) {
            ([], ints) => format!("{} = {}", one_of(ints), one_of(ints)),
            (truths, []) => format!("({} <-> !{})", one_of(truths), one_of(truths)),
            (truths, ints) if number == 0 => {
                format!(
                    "({} <-> {}) /\\ {} = {}",
                    one_of(truths),
                    one_of(truths),
                    one_of(ints),
                    one_of(ints)
                )
            }
            (truths, ints) => format!(
                "({} <-> ({} {sign} {number}))",
                one_of(truths),
                one_of(ints)
            ),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.finds.contains(&name)
    }

    fn number(&mut self) -> String {
        (self.random.below(6) as i64 - 2).to_string()
    }

    /// An expression of type int.
    pub fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(1, 5) {
            for _ in 0..4 {
                let choice = *self
                    .random
                    .choose(&["x", "y", "z", "M", "P", "i", "j", "K", ""]);
                match choice {
                    "x" | "y" | "z" if self.has(choice) => return choice.to_string(),
                    "M" if self.has("M") => {
                        return format!("M[{}]", 1 + self.random.below(2));
                    }
                    "K" if self.has("K") => {
                        return format!(
                            "K[{},{}]",
                            self.random.chance(1, 2),
                            1 + self.random.below(3)
                        );
                    }
                    "i" | "j" if self.locals.contains(&choice) => return choice.to_string(),
                    "P" => return format!("P[{}]", self.random.below(4)),
                    "" => return self.number(),
                    _ => {}
                }
            }
            return self.number();
        }
        let d = depth - 1;
        match self.random.below(22) {
            0 | 1 => format!("({} + {})", self.int(d), self.int(d)),
            2 => format!("({} - {})", self.int(d), self.int(d)),
            3 => format!("({} * {})", self.int(d), self.int(d)),
            4 => format!("({} / {})", self.int(d), self.int(d)),
            5 => format!("({} % {})", self.int(d), self.int(d)),
            6 => {
                let exponent = self.int(0);
                format!("({} ** {exponent})", self.int(d))
            }
            7 => format!("|{}|", self.int(d)),
            8 => format!("min({}, {})", self.int(d), self.int(d)),
            9 => format!("max([{}, {}, {}])", self.int(d), self.int(d), self.int(d)),
            10 => format!("P[{}]", self.int(d)),
            11 if self.has("M") => format!("M[{}]", self.int(d)),
            12 if self.has("K") => format!("K[{},{}]", self.bool(d), self.int(d)),
            13 => {
                let body = self.under("i", |g| g.int(d));
                format!("(sum i : int(0..2) . {body})")
            }
            14 => format!("toInt({})", self.bool(d)),
            15 => format!("(-{})", self.int(d)),
            16 => {
                let function = *self.random.choose(&["factorial", "popcount"]);
                format!("{function}({})", self.int(0))
            }
            17 => format!("count({}, {})", self.row(d), self.int(d)),
            18 => format!("catchUndef({}, {})", self.int(d), self.number()),
            19 => format!("length({})", self.row(d)),
            20 => format!("elementId(P, {})", self.int(d)),
            _ => {
                let function = *self.random.choose(&["sum", "product", "min", "max"]);
                format!("{function}({})", self.row(d))
            }
        }
    }

    /// A one-dimensional matrix of ints.
    fn row(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(9) {
            0 if self.has("M") => "M".to_string(),
            1 if self.has("N") => "N".to_string(),
            2 if self.has("K") => "flatten(K)".to_string(),
            3 if self.has("K") => format!("K[{},..]", self.bool(d)),
            4 => {
                let condition = self.under("j", |g| g.constant_bool());
                let body = self.under("j", |g| g.int(d));
                format!("[{body} | j : int(0..2), {condition}]")
            }
            5 => format!("Q[{},..]", self.int(d)),
            // Rows of different lengths.
            6 => format!(
                "flatten([[{}], [{}, {}]])",
                self.int(d),
                self.int(d),
                self.int(d)
            ),
            7 => {
                let body = self.under("j", |g| g.under("i", |g| g.int(d)));
                format!("flatten([[{body} | i : int(j..1)] | j : int(0..2)])")
            }
            _ => {
                let length = 1 + self.random.below(3);
                let items: Vec<String> = (0..length).map(|_| self.int(d)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    fn constant_bool(&mut self) -> String {
        let signs = ["=", "!=", "<", "<=", ">", ">="];
        format!("j {} {}", self.random.choose(&signs), self.number())
    }

    fn under<T>(&mut self, name: &'static str, make: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push(name);
        let made = make(self);
        self.locals.pop();
        made
    }

    /// An expression of type bool.
    pub fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            for _ in 0..4 {
                match *self.random.choose(&["b", "c", "N", "x"]) {
                    "N" if self.has("N") => return format!("N[{}]", self.random.below(3)),
                    "x" => {
                        let signs = ["=", "!=", "<", "<=", ">", ">="];
                        let sign = *self.random.choose(&signs);
                        return format!("({} {sign} {})", self.int(0), self.int(0));
                    }
                    name if self.has(name) => return name.to_string(),
                    _ => {}
                }
            }
            return self.random.chance(1, 2).to_string();
        }
        let d = depth - 1;
        match self.random.below(29) {
            0..=5 => {
                let signs = ["=", "=", "!=", "<", "<=", ">", ">="];
                let sign = *self.random.choose(&signs);
                format!("({} {sign} {})", self.int(d), self.int(d))
            }
            6 => format!(
                "({} /\\ {} /\\ {})",
                self.bool(d),
                self.bool(d),
                self.bool(d)
            ),
            7 => format!("({} \\/ {})", self.bool(d), self.bool(d)),
            8 => format!("({} -> {})", self.bool(d), self.bool(d)),
            9 => format!("({} <-> {})", self.bool(d), self.bool(d)),
            10 => format!("!{}", self.bool(d)),
            11 => {
                let body = self.under("i", |g| g.bool(d));
                format!("(forAll i : int(0..2) . {body})")
            }
            12 => {
                let body = self.under("j", |g| g.bool(d));
                format!("(exists j : D . {body})")
            }
            13 if self.has("N") => format!("N[{}]", self.int(d)),
            14 => format!("Q[{},{}]", self.int(d), self.int(d)),
            15 => format!("({} in D)", self.int(d)),
            16 => format!("({} in toSet({}))", self.int(d), self.row(d)),
            17 => format!("allDiff({})", self.row(d)),
            18 => format!("alldifferent_except({}, {})", self.row(d), self.number()),
            19 => {
                let which = *self.random.choose(&["atleast", "atmost"]);
                let count = self.number();
                format!("{which}({}, [{count}], [{}])", self.row(d), self.number())
            }
            20 => format!(
                "gcc({}, [{}], [{}])",
                self.row(d),
                self.number(),
                self.int(d)
            ),
            21 => {
                let sign = *self.random.choose(&["<lex", "<=lex", ">lex", ">=lex"]);
                format!("({} {sign} {})", self.row(d), self.row(d))
            }
            22 => {
                let which = *self.random.choose(&["table", "negativetable"]);
                let row = |g: &mut Self| format!("[{}, {}]", g.number(), g.number());
                let rows: Vec<String> = (0..3).map(|_| row(self)).collect();
                let (a, b) = (self.int(d), self.int(d));
                format!("{which}([{a}, {b}], [{}])", rows.join(", "))
            }
            23 => format!(
                "({} xor {} \\/ {})",
                self.bool(d),
                self.bool(d),
                self.bool(d)
            ),
            24 => {
                let pair = |g: &mut Self| format!("[{}, {}]", 1 + g.random.below(2), g.number());
                let (one, two, three) = (pair(self), pair(self), pair(self));
                let rows = format!("[[{one}], [{two}, {three}]]");
                format!("tableshort([{}, {}], {rows})", self.int(d), self.int(d))
            }
            25 => format!("makeTable({})", self.bool(d)),
            26 => format!("({} in indexOf({}))", self.int(d), self.row(d)),
            _ => {
                let which = *self.random.choose(&["and", "or", "xor"]);
                format!("{which}([{}, {}])", self.bool(d), self.bool(d))
            }
        }
    }
}

/// Those of the candidates that are solutions by the original model.
pub fn judged(
    instance: &Instance,
    all: impl IntoIterator<Item = Solution>,
) -> Result<BTreeSet<String>, BadText> {
    let mut good = BTreeSet::new();
    for solution in all {
        if let Ruling::Solves(_) = instance.judge(&solution)? {
            good.insert(solution.to_string());
        }
    }
    Ok(good)
}

/// Every combination of values of these domains.
pub fn choices(domains: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let mut all = vec![Vec::new()];
    for domain in domains {
        let longer = all.iter().flat_map(|values: &Vec<i32>| {
            domain.iter().map(move |&value| {
                let mut values = values.clone();
                values.push(value);
                values
            })
        });
        all = longer.collect();
    }
    all
}

/// A solution of the problem with these fixed values, by backtracking.
pub fn complete(problem: &Problem, fixed: &[(VarId, i32)]) -> Option<Vec<i32>> {
    let count = problem.variables.len();
    let mut values: Vec<Option<i32>> = vec![None; count];
    for &(var, value) in fixed {
        values[var.index()] = Some(value);
    }
    // Fixed variables first, then the others in the order in which the unroller added them.
    let order: Vec<usize> = (0..count).filter(|&i| values[i].is_some()).collect();
    let rest: Vec<usize> = (0..count).filter(|&i| values[i].is_none()).collect();
    let mut rank = vec![0; count];
    for (place, &var) in order.iter().chain(&rest).enumerate() {
        rank[var] = place;
    }
    // A constraint is checked as soon as its last variable has a value.
    let mut constraints_at: Vec<Vec<&ConditionalConstraint>> = vec![Vec::new(); count + 1];
    for posted in &problem.constraints {
        let last = scope(posted).iter().map(|var| rank[var.index()] + 1).max();
        constraints_at[last.unwrap_or(0)].push(posted);
    }
    let all: Vec<usize> = order.into_iter().chain(rest).collect();
    let mut plain: Vec<i32> = values.iter().map(|value| value.unwrap_or(0)).collect();
    if !constraints_at[0]
        .iter()
        .all(|posted| is_satisfied(posted, &plain))
    {
        return None;
    }
    let mut steps = 0;
    let found = search(
        problem,
        &all,
        &constraints_at,
        fixed.len(),
        0,
        &mut plain,
        &mut steps,
    );
    found.then_some(plain)
}

fn search(
    problem: &Problem,
    order: &[usize],
    constraints_at: &[Vec<&ConditionalConstraint>],
    fixed: usize,
    at: usize,
    values: &mut Vec<i32>,
    steps: &mut u64,
) -> bool {
    *steps += 1;
    assert!(*steps < 5_000_000, "too hard for backtracking");
    let Some(&var) = order.get(at) else {
        return true;
    };
    let domain = &problem.variables[var].domain;
    let own = values[var];
    let tries: Vec<i32> = match at < fixed {
        true if domain.contains(own) => vec![own],
        true => Vec::new(),
        false => domain.values().collect(),
    };
    for value in tries {
        values[var] = value;
        if constraints_at[at + 1]
            .iter()
            .all(|posted| is_satisfied(posted, values))
            && search(problem, order, constraints_at, fixed, at + 1, values, steps)
        {
            return true;
        }
    }
    false
}

fn is_satisfied(posted: &ConditionalConstraint, values: &[i32]) -> bool {
    let truth = |literal: Literal| literal.holds_for(values[literal.variable().index()]);
    !posted.when.is_none_or(truth) || check::holds(&posted.constraint, values)
}

fn scope(posted: &ConditionalConstraint) -> Vec<VarId> {
    let mut vars = Vec::new();
    posted.for_each_variable(&mut |var| vars.push(var));
    vars
}
