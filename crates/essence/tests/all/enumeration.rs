//! The refinement against the judge: for each specification here, all solutions of the flat problem
//! are those that trying every combination of values finds, each exactly once.

use crate::common::{check, exhausted};

const DOMAINS: &[&str] = &[
    "bool",
    "int(1..3, 7)",
    "(bool, int(1..2))",
    "record {a : bool, b : int(0..1)}",
    "variant {a : bool, b : int(0..2)}",
    "matrix indexed by [int(1..2), bool] of bool",
    "set of int(1..3)",
    "set (size 2) of int(1..4)",
    "set (minSize 1, maxSize 2) of set of bool",
    "set (maxSize 2) of (bool, int(1..2))",
    "set (size 2) of int(1..200)",
    "set (maxSize 1) of matrix indexed by [int(1..8)] of bool",
    "mset (size 2) of int(1..3)",
    "mset (maxSize 3, maxOccur 2) of int(1..2)",
    "mset (minOccur 1, maxOccur 2) of bool",
    "mset (size 2, maxOccur 1) of int(1..150)",
    "mset (maxSize 2) of set (size 1) of int(1..2)",
    "sequence (maxSize 2) of int(1..3)",
    "sequence (minSize 1, maxSize 3, injective) of int(1..3)",
    "sequence (size 3, surjective) of bool",
    "sequence (bijective) of int(1..3)",
    "function int(1..2) --> bool",
    "function (total) bool --> int(1..3)",
    "function (injective) int(1..3) --> int(1..3)",
    "function (surjective, maxSize 2) int(1..3) --> bool",
    "function (bijective, total) int(1..3) --> int(4..6)",
    "function (size 1) (bool, bool) --> set of bool",
    "function (maxSize 1) int(1..200) --> int(1..3)",
    "function (minSize 1) int(1..2) --> function int(1..2) --> bool",
    "relation of (bool * int(1..2))",
    "relation (size 2) of (int(1..2) * bool * bool)",
    "relation (reflexive) of (int(1..3) * int(1..3))",
    "relation (symmetric, irreflexive) of (int(1..3) * int(1..3))",
    "relation (transitive, antiSymmetric) of (bool * bool)",
    "relation (equivalence) of (int(1..3) * int(1..3))",
    "relation (partialOrder) of (int(1..3) * int(1..3))",
    "relation (connex, aSymmetric) of (int(1..3) * int(1..3))",
    "relation (Euclidean, serial) of (bool * bool)",
    "relation (coreflexive) of (int(1..2) * int(1..2))",
    "relation (linearOrder) of (int(1..3) * int(1..3))",
    "relation (weakOrder) of (bool * bool)",
    "relation (strictPartialOrder) of (int(1..3) * int(1..3))",
    "relation (leftTotal, rightTotal) of (bool * bool)",
    "partition from int(1..4)",
    "partition (numParts 2) from int(1..4)",
    "partition (regular) from int(1..4)",
    "partition (minPartSize 2) from int(1..5)",
    "partition (partSize 2, maxNumParts 2) from int(1..4)",
    "partition from set of bool",
    "permutation of int(1..4)",
    "permutation (numMoved 3) of int(2..5)",
    "permutation (maxNumMoved 2) of (bool, int(1..2))",
    "set of function int(1..2) --> bool",
    "set (maxSize 2) of partition from int(1..3)",
    "matrix indexed by [int(1..2)] of set (maxSize 1) of int(1..3)",
    "sequence (maxSize 2) of set (minSize 1) of bool",
    "function int(1..2) --> variant {a : bool, b : int(1..2)}",
    "set (size 3) of int(1..2)",
    "int(3..2)",
    "function (total) int(3..2) --> bool",
    "partition from int(3..2)",
    "set of int(3..2)",
    "variant {a : int(3..2), b : bool}",
    "function int(1..2) --> int(3..2)",
];

#[test]
fn every_domain_has_one_assignment_for_each_value() {
    for domain in DOMAINS {
        check(&format!("find x : {domain}"));
    }
}

#[test]
fn two_variables_of_a_domain_are_compared_as_values_are() {
    for domain in DOMAINS {
        let all = exhausted(&format!("find x : {domain}"), 200_000);
        let count = all.expect("a domain").expect("a small domain").len();
        if count > 70 {
            continue;
        }
        let equal = check(&format!("find x, y : {domain} such that x = y"));
        assert_eq!(equal, count, "{domain}");
        for order in [".<", "~<"] {
            let less = check(&format!("find x, y : {domain} such that x {order} y"));
            assert_eq!(
                less,
                count * count.saturating_sub(1) / 2,
                "{domain} {order}"
            );
        }
    }
}

/// Declarations, and constraints on them.
const SPECIFICATIONS: &[(&str, &[&str])] = &[
    (
        "letting E be new type enum {a, b, c} letting D be domain int(1..9)
         find e : E find i, j : int(0..9)",
        &[
            "e != max(E), i = |E|, j = |D|",
            "i = |`(D, E)`| / 3",
            "sum(i, j, 1) = 4",
            "product(i, j) = 6, xor(i > 2, j > 1)",
            "i = |{} : `set of int`|",
            "makeTable(i + j = 4)",
        ],
    ),
    (
        "find m : set of matrix indexed by [int(1, 3)] of bool",
        &[
            "m ~<= {[false, false; int(2..3)], [true, false; int(2..3)]}",
            "m .< {[x | x : bool]}",
            "{[x | x : bool]} .<= m",
        ],
    ),
    (
        "find s, t : sequence (maxSize 2) of int(1..2)",
        &["substring(s, t)", "subsequence(s, t)"],
    ),
    (
        "find s, t : set of int(1..3) find i : int(0..4)",
        &[
            "s subset t",
            "s supsetEq t",
            "i in s union t",
            "i = |s - t|",
            "s intersect t = {1, 2}",
            "sum(s) = i",
            "max(s) - min(t) = i",
            "exists x in s . x > i /\\ !(x in t)",
            "forAll x, y in s, x < y . x + y = i",
            "forAll {a, b} subsetEq s . |a - b| = 1",
            "|powerSet(s)| = 4",
            "{i} in powerSet(s)",
            "toMSet(s) = mset(1, i)",
            "s = toSet([x + 1 | x <- t, x != i])",
            "i = sum([x * y | x <- s, y <- t, x != y])",
            "s = {i, i + 1}",
            "allDiff([x % 2 | x <- s])",
            "product(s) = i",
            "[x | x <- s] = [1, i]",
            "[x | x <- s][i] = 2",
            "freq(toMSet([x / 2 | x <- s]), 1) = i",
            "and([x < 3 | x <- s]) <-> or([x = i | x <- t])",
            "xor([i in s, i in t, 2 in s])",
            "min([i, |s|]) = 2",
            "forAll u in powerSet(s) . sum(u) <= i",
        ],
    ),
    (
        "find s : set (maxSize 2) of int(1..22) find i : int(1..2)",
        &[
            "|powerSet(s)| = 2 * i",
            "{i, 9} in powerSet(s)",
            "forAll u in powerSet(s) . sum(u) <= 20 * i",
        ],
    ),
    (
        "find s : set (maxSize 2) of int(1..48) find i : int(1..2)",
        &[
            "|powerSet(s)| = 2 * i",
            "{i, 40} in powerSet(s)",
            "exists u in powerSet(s) . |u| = i /\\ sum(u) = 47",
            "powerSet(s) = {{}, {i}, {7}, {i, 7}}",
        ],
    ),
    (
        "find f : function int(1..3) --> int(1..3) find i, j : int(0..3)",
        &[
            "f(i) = j",
            "!(f(i) = j)",
            "f(i) != f(j)",
            "preImage(f, i) = {1, 2}",
            "|preImage(f, i)| = j",
            "i in defined(f) /\\ j in range(f)",
            "|range(f)| = i",
            "imageSet(f, i) = {j}",
            "imageSet(f, i) = {}",
            "f(f(i)) = j",
            "restrict(f, `int(1..2)`) = function(1 --> i)",
            "(i, j) in toSet(f)",
            "toRelation(f) = relation((1, i), (2, j))",
            "sum([v | (k, v) <- f, k != i]) = j",
            "forAll (k, v) in f . k <= v",
            "f = function(i --> 1, j --> 2)",
            "f = function(i --> 1, 2 --> j)",
            "total(f) /\\ f(1) = i",
            "injective(f), |f| = i",
            "surjective(f)",
            "bijective(f)",
            "inverse(f, function(1 --> 2, 2 --> i))",
            "f subsetEq function(1 --> i, 2 --> j)",
            "f union function(1 --> i) = function(1 --> 2, 3 --> j)",
            "f intersect function(1 --> i, 2 --> j) = function(2 --> 1)",
            "f - function(1 --> i) = function(2 --> j)",
            "i = catchUndef(f(j), 0)",
            "max(range(f)) = i",
            "10 / f(i) = j",
            "exists x : int(1..3) . f(x) = i",
            "minSize(f, i), maxSize(f, j)",
        ],
    ),
    (
        "find r : relation of (int(1..2) * int(1..3)) find i, j : int(1..3)",
        &[
            "r(i, j)",
            "|r(i, _)| = j",
            "forAll (x) in r(_, i) . x[1] = j",
            "sum([a * b | (a, b) <- r]) = i",
            "toSet(r) = {(1, i), (2, j)}",
            "r subset relation((1, 1), (1, 2), (2, i))",
            "|r| = i + j",
            "r - relation((1, i)) = relation((2, j))",
        ],
    ),
    (
        "find m : mset (maxSize 4, maxOccur 2) of int(1..3) find i, j : int(0..3)",
        &[
            "freq(m, i) = j",
            "|m| = i",
            "m subsetEq mset(1, 1, i, j)",
            "m union mset(i, j) = mset(1, 2, 2, 3)",
            "m intersect mset(i, i, j) = mset(1)",
            "m - mset(1, i) = mset(2, j)",
            "sum(m) = i * j",
            "toSet(m) = {i, j}",
            "i in m",
            "min(m) = i",
            "exists (v, c) in hist(m) . v = i /\\ c = j",
            "|hist(m)| = i",
            "product(m) = i",
            "maxOccur(m, i)",
            "[x | x <- m, x > i] = [2, 3]",
        ],
    ),
    (
        "find s : sequence (maxSize 3) of int(1..3) find i, j : int(0..4)",
        &[
            "s(i) = j",
            "|s| = i",
            "sequence(i, j) substring s",
            "sequence(i, j) subsequence s",
            "s substring sequence(1, i, j, 2)",
            "s subsequence sequence(1, i, j, 2)",
            "s = sequence(i, j)",
            "forAll (k, v) in s . k = v + i",
            "s(1) < s(|s|)",
            "i in range(s)",
            "defined(s) = {1, i}",
            "preImage(s, i) = {j}",
            "concatenate(s, sequence(i)) = sequence(1, j, 2)",
            "injective(s)",
            "image(s, i) + image(s, j) = 4",
        ],
    ),
    (
        "find p : partition from int(1..4) find i, j : int(0..4)",
        &[
            "together({i, j}, p)",
            "apart({i, j}, p)",
            "!apart({i, j}, p)",
            "party(i, p) = {i, j}",
            "|party(i, p)| = j",
            "|parts(p)| = i",
            "|p| = i",
            "participants(p) = {1, 2, 3, i}",
            "p = partition({1, 2}, {i, j})",
            "{i, j} in parts(p)",
            "forAll q in parts(p) . |q| = i",
            "forAll {a, b} in parts(p) . a + b = i",
            "regular(p), numParts(p, i)",
            "sum([max(q) | q <- parts(p)]) = i + j",
        ],
    ),
    (
        "find p : permutation of int(1..4) find i, j : int(1..5)",
        &[
            "image(p, i) = j",
            "p(i) = j",
            "|p| = i",
            "inverse(p, permutation((1, 2, 3)))",
            "p = permutation((1, 3), (2, 4))",
            "and([l < r | (l, r) <- p, l != i])",
            "image(permInverse(p), i) = j",
            "compose(p, permutation((1, 2)))(i) = j",
            "i in defined(p)",
        ],
    ),
    (
        "find p : permutation of int(1..3) find s, t : set of int(1..3)",
        &[
            "transform(p, s) = t",
            "s .<= transform(p, s)",
            "transform([p], (1, s)) = (2, t)",
            "s subset transform(permInverse(p), t)",
            "transform(p, {s, t}) = {s}",
            "transform(p, toMSet(s)) = toMSet(t)",
        ],
    ),
    (
        "find p : permutation of int(1..3) find f : function int(1..3) --> int(1..3)",
        &[
            "transform(p, f) = f",
            "transform(p, f)(1) = 2",
            "transform(p, [1, 1, f(1)])[2] = 3",
            "transform(p, sequence(1, f(2))) = sequence(2, 1)",
            "transform(p, toRelation(f)) = relation((1, 2))",
            "transform(p, permutation((1, 2))) = permutation((1, 3))",
            "transform(p, partition({1, 2}, {3})) = partition({1}, {2, 3})",
        ],
    ),
    (
        "find p : permutation of int(1..3) find m : matrix indexed by [int(1..3)] of int(1..3)",
        &[
            "transform(p, m) = m",
            "m .< transform(p, m)",
            "transform(p, m[2]) = 1",
            "and([m .<= transform(q, m) | q : permutation of int(1..3)])",
        ],
    ),
    (
        "letting U be new type of size 3 find s : set of U find r : relation of (U * bool)",
        &[
            "and([s .<= transform(q, s) | q : permutation of U])",
            "and([r .<= transform(q, r) | q : permutation of U])",
            "forAll u : U . u in s <-> r(u, true)",
            "|r| = 2 * |s|",
            "exists u, v in s . u != v /\\ r(u, false)",
        ],
    ),
    (
        "find v : variant {a : bool, b : int(0..2), c : set of bool} find i : int(0..2)",
        &[
            "v[b] = i",
            "v[a]",
            "!v[a]",
            "active(v, c) -> |v[c]| = i",
            "v = variant {b = i}",
            "active(v, b) <-> i = 1",
        ],
    ),
    (
        "find t : (int(1..2), record {x : bool, y : int(1..3)}) find i : int(0..3)",
        &[
            "t[1] = i",
            "t[2][y] = i, t[2][x]",
            "t = (i, record {y = 2, x = true})",
            "t[2] = record {x = i = 1, y = i}",
        ],
    ),
    (
        "find m : matrix indexed by [int(1..2), int(0..2)] of int(1..2) find i, j : int(0..2)",
        &[
            "m[i, j] = 2",
            "m[1] = m[2]",
            "m[1] <lex m[i]",
            "sum(flatten(m)) = i + 7",
            "m[i, ..] = [1, 2, 1; int(0..2)]",
            "allDiff(m[i])",
            "m[.., j] = [1, 2]",
            "alldifferent_except(m[1], 1)",
            "atleast(m[1], [i], [2])",
            "atmost(m[2], [i, j], [1, 2])",
            "gcc(m[1], [1, 2], [i, j])",
            "or([x = [1, 1, i; int(0..2)] | x <- m])",
            "table([m[1, 0], i, j], [[1, 0, 1], [2, 1, 2], [1, 2, 2]])",
            "count(flatten(m), i) = j",
            "m[m[1, 0], i] = j",
        ],
    ),
    (
        "letting E be new type enum {red, green, blue} find e : E find f : function E --> E find i : int(0..3)",
        &[
            "e < blue",
            "f(e) = succ(e)",
            "f(pred(e)) = green",
            "toInt(e = red) = i",
            "max([e, green]) = green /\\ |f| = i",
            "sum([1 | (a, b) <- f, a < b]) = i",
            "|`E`| = i",
        ],
    ),
    (
        "find x, y : int(-3..3) find b : bool",
        &[
            "x / y = 1",
            "x % y = 1",
            "!(x / y = 1)",
            "x ** y = 4",
            "|x| = y",
            "factorial(x) = y + 4",
            "x! = y",
            "b = (x / y > 0)",
            "b <-> x = y",
            "toInt(b) + x = y",
            "x + y * 2 - 3 >= -x",
            "b -> x < y",
            "(x > y) = b",
            "x in {y, y + 1, 3}",
            "forAll i : int(x..y) . i != 0",
            "(sum i : int(1..3), i > x . i * y) = 6",
            "catchUndef(x / y, 3) = 3",
            "max(x, y) = 2 \\/ min([x, y]) = -2",
            "[x, y] <=lex [y, x]",
            "(x, b) .<= (y, true)",
            "{x, y} = {1, 2}",
            "|{x, y, 1}| = 2",
            "succ(x) = pred(y)",
        ],
    ),
    (
        "find s : set (maxSize 2) of set (maxSize 2) of int(1..3) find i : int(0..3)",
        &[
            "{1, i} in s",
            "|s| = i",
            "exists u in s . i in u",
            "forAll u, v in s . u != v -> u intersect v = {}",
            "sum([|u| | u <- s]) = i",
            "max([max(u) | u <- s, |u| > 0]) = i",
            "{1} .< {i} /\\ {{i}} ~<= s",
        ],
    ),
    (
        "find f : function (total) int(1..2) --> set of int(1..2) find m : matrix indexed by [int(1..2)] of set of bool find i : int(1..3)",
        &[
            "i in f(i)",
            "|f(i)| = 1, m[i] = {true}",
            "f(1) union f(i) = {1, 2}",
            "m[i] subset m[1]",
            "f(i) = {i}",
            "{f(1), f(2)} = {{1}, {i}}",
        ],
    ),
];

#[test]
fn every_operator_holds_where_the_judge_says() {
    for (declarations, constraints) in SPECIFICATIONS {
        for constraint in *constraints {
            check(&format!("{declarations} such that {constraint}"));
        }
    }
}
