//! The reader: precedence, values, parameters, and error messages.

use ployglot_eprime::{Model, Params};

/// The value of `letting x = …`, printed.
fn value(expression: &str) -> String {
    let text = format!("letting x = {expression}\n");
    let model = Model::parse(&text).unwrap_or_else(|bad| panic!("{expression}: {bad}"));
    let instance = model
        .instance(&Params::default())
        .unwrap_or_else(|fault| panic!("{expression}: {fault}"));
    instance.value("x").expect("it has a value").to_string()
}

/// The error message of a model.
fn refusal(text: &str) -> String {
    match Model::parse(text) {
        Ok(_) => "accepted".to_string(),
        Err(bad) => bad.to_string(),
    }
}

#[test]
fn operators_have_the_precedence_of_the_language() {
    for (expression, wanted) in [
        ("-2**2", "-4"),
        ("2**3**2", "512"),
        ("2**-1 = 0", "false"),
        ("10 - 4 - 3", "3"),
        ("2 + 3 * 4", "14"),
        ("20 / 2 / 5", "2"),
        ("7 / 2 * 2", "6"),
        ("-7 / 2", "-4"),
        ("7 / -2", "-4"),
        ("-7 % 2", "1"),
        ("7 % -2", "-1"),
        ("-7 % -2", "-1"),
        ("|3 - 5| + 1", "3"),
        ("| |2 - 5| - |1 - 9| |", "5"),
        ("1 + 1 = 2 /\\ 3 < 4", "true"),
        ("false /\\ false \\/ true", "true"),
        ("true \\/ true /\\ false", "true"),
        ("false -> false -> false", "false"),
        ("true \\/ false -> false", "false"),
        ("false <-> true -> true", "true"),
        ("!true \\/ true", "true"),
        ("!false = false", "false"),
        ("1 < 2 = true", "true"),
        ("sum i : int(1..3) . i + 1", "9"),
        ("(sum i : int(1..3) . i) + 1", "7"),
        ("forAll i : int(1..3) . i > 0 /\\ i < 4", "true"),
        ("exists i : int(1..3) . i = 2 -> false", "true"),
        ("2 in int(1..3) - int(2) union int(2)", "true"),
        ("2 in int(1..3) - int(2)", "false"),
        ("3 in int(1,3) union int(5) intersect int(6)", "true"),
        ("3 in toSet([1,2,3])", "true"),
        ("min(3, 2)", "2"),
        ("max([3, 2, 5])", "5"),
        ("factorial(5)", "120"),
        ("popcount(11)", "3"),
        ("true => false <=> true", "false"),
        ("true xor true /\\ false \\/ false", "true"),
        ("xor([true, true, true])", "true"),
        ("2 ^ 3 ^ 2", "512"),
        ("0 ** 0 = 1", "false"),
        ("catchUndef(1 / 0, 7) + catchUndef(6 / 2, 7)", "10"),
        ("catchUndef([1, 2][3], -1)", "-1"),
        ("count([1, 2, 1], 1)", "2"),
        ("length([i | i : int(3..9), i % 2 = 0])", "3"),
        ("4 in indexOf([1, 2 ; int(3..4)])", "true"),
        ("sum i : indexOf([1, 2 ; int(3..4)]) . i", "7"),
        ("sum(flatten([[1], [2, 3], []]))", "6"),
        (
            "flatten([[i | i : int(1..j)] | j : int(1..3)])",
            "[1, 1, 2, 1, 2, 3; int(1..6)]",
        ),
        (
            "flatten(1, [[[1]], [[2], [3]]])",
            "[[1; int(1..1)], [2; int(1..1)], [3; int(1..1)]; int(1..3)]",
        ),
        ("length(flatten([[1], [2, 3]]))", "3"),
        (
            "tableshort([1, 2, 3], [[[1, 2]], [[2, 2], [3, 3]]])",
            "true",
        ),
        (
            "tableshort([1, 2, 3], [[[1, 2]], [[2, 2], [3, 4]]])",
            "false",
        ),
        ("table([1, 2], [<1, 2>, <3, 4>,])", "true"),
        ("makeTable(1 < 2)", "true"),
        ("3 in {1, 3}", "true"),
        ("sum x : {i * i | i : int(-2..2), i != 0} . x", "5"),
        ("3 in int([1, 3], 7..9)", "true"),
        ("elementId([4, 5], 2) + elementId([4, 5], 9)", "14"),
        ("[] : `matrix indexed by [int] of bool`", "[; int()]"),
        ("and([] : `matrix indexed by [int] of bool`)", "true"),
        ("[1, 2, ; int(0..1)]", "[1, 2; int(0..1)]"),
        ("9000000000 * 3 - 26999999999", "1"),
        ("toInt(true) + true", "2"),
        ("[1,2] <lex [1,3]", "true"),
        ("[1,2] <=lex [1,2]", "true"),
        ("[2] >lex [1,9]", "true"),
        ("[1] >=lex [1,0]", "false"),
        ("flatten([[1,2],[3,4]])", "[1, 2, 3, 4; int(1..4)]"),
        ("flatten(0, [1,2; int(4..5)])", "[1, 2; int(4..5)]"),
        (
            "flatten(1, [[[1],[2]],[[3],[4]]])",
            "[[1; int(1..1)], [2; int(1..1)], [3; int(1..1)], [4; int(1..1)]; int(1..4)]",
        ),
        ("[[1,2],[3,4]][..,2]", "[2, 4; int(1..2)]"),
        ("[1,2,3; int(4..6)][5]", "2"),
        (
            "[i*j | i : int(1..3), j : int(1..3), i < j]",
            "[2, 3, 6; int(1..3)]",
        ),
        (
            "[i | i, j : int(1..2), i != j ; int(0..1)]",
            "[1, 2; int(0..1)]",
        ),
        ("sum([true, false, true])", "2"),
        ("and([1 = 1, 2 > 3])", "false"),
        ("or([1 = 1, 2 > 3])", "true"),
        ("product([2,3,4])", "24"),
        ("allDiff([1,2,1])", "false"),
        ("alldifferent_except([0,0,1], 0)", "true"),
        ("atleast([1,1,2], [2,1], [1,2])", "true"),
        ("atmost([1,1,2], [1], [1])", "false"),
        ("gcc([1,1,2], [1,2], [2,1])", "true"),
        ("table([1,2], [[1,1],[1,2]])", "true"),
        ("negativetable([1,2], [[1,1],[1,2]])", "false"),
        (
            "forall M : matrix indexed by [int(1..2)] of bool . M[1] \\/ !M[1]",
            "true",
        ),
        (
            "sum M : matrix indexed by [int(1..2)] of int(0..2) . M[1]",
            "9",
        ),
        ("[true, false; bool][true]", "false"),
    ] {
        assert_eq!(value(expression), wanted, "{expression}");
    }
}

#[test]
fn an_undefined_value_makes_the_smallest_bool_around_it_false() {
    for (expression, wanted) in [
        ("[1,2,3][4] = 1", "false"),
        ("[1,2,3][4] != 1", "false"),
        ("!([1,2,3][4] = 1)", "true"),
        ("[true][0] \\/ true", "true"),
        ("![true][0]", "true"),
        ("toInt([true][2]) = 0", "true"),
        ("1 / 0 = 1 / 0", "false"),
        ("1 % 0 < 5 -> false", "true"),
        ("2 ** -1 >= 0", "false"),
        ("min([i | i : int(2..1)]) = 0", "false"),
        ("sum([1, 1/0]) >= 0", "false"),
        ("[1/0, 2][2] = 2", "false"),
        ("(sum i : int(0..1) . 1 / i) = 1", "false"),
        ("forAll i : int(0..1) . 1 / i = 1", "false"),
        ("exists i : int(0..1) . 1 / i = 1", "true"),
        (
            "and([ [[1,2],[3,4]][3,..] >lex [0] | i : int(1..2)])",
            "false",
        ),
        ("sum([[1,2],[3,4]][3,..]) = 0", "false"),
        ("factorial(-1) = 1", "false"),
        ("1/0 in int(1..5)", "false"),
        ("!allDiff([1, 1/0])", "true"),
    ] {
        assert_eq!(value(expression), wanted, "{expression}");
    }
}

#[test]
fn bounds_are_inferred_from_a_given_matrix() {
    let model = Model::parse(
        "language ESSENCE' 1.0
         given g : matrix indexed by [int(1..h), int(0..w)] of int(0..)  $ h and w have no declaration
         letting CELLS = h * (w + 1)
         given goal : int(1..CELLS)
         letting D be domain int(0) union int(2..max(flatten(g)))
         find x : matrix indexed by [int(1..h)] of D
         where goal < CELLS
         such that x[1] = goal",
    )
    .expect("a model");
    let params = "letting goal = 2\nletting g be [[1,2,3],[4,5,6]]\n";
    let mut params = Params::parse(params).expect("parameters");
    let instance = model.instance(&params).expect("an instance");
    assert_eq!(instance.value("h").expect("h").to_string(), "2");
    assert_eq!(instance.value("w").expect("w").to_string(), "2");
    assert_eq!(instance.value("CELLS").expect("CELLS").to_string(), "6");
    params.set_number("goal", 6);
    let fault = model.instance(&params).expect_err("6 is not below 6");
    assert_eq!(
        fault.to_string(),
        "model, line 7, column 16: the parameters do not meet this condition"
    );
    params.set_number("goal", 7);
    let fault = model.instance(&params).expect_err("7 is not in the domain");
    assert_eq!(
        fault.to_string(),
        "model, line 4, column 16: the parameter 'goal' is of int(1..6), found 7"
    );
    params.set("gaol", "1").expect("a number");
    let fault = model.instance(&params).expect_err("there is no gaol");
    assert!(
        fault.to_string().ends_with("did you mean 'goal'?"),
        "{fault}"
    );
}

#[test]
fn errors_name_the_place_and_the_reason() {
    for (text, wanted) in [
        (
            "find x : int(1..3\nsuch that x = 1",
            "line 2, column 1: expected '..', ',' or ')', found 'such'",
        ),
        (
            "find x : int(1..3)\nsuch that x + 1",
            "line 2, column 11: 'such that' expects bool, found int",
        ),
        (
            "find x : int(1..3)\nsuch that x /\\ true",
            "line 2, column 11: '/\\' expects bool, found int",
        ),
        (
            "find colour : bool\nsuch that color",
            "line 2, column 11: unknown name 'color'; did you mean 'colour'?",
        ),
        (
            "such that forAll i : int(1..2) . zebra = 1",
            "line 1, column 34: unknown name 'zebra'; it has no declaration",
        ),
        (
            "find x : int(1..3)\nletting y = x",
            "line 2, column 13: a letting cannot depend on the decision variable 'x'",
        ),
        (
            "find x : int(1..3)\nfind y : int(1..x)",
            "line 2, column 17: a domain cannot depend on the decision variable 'x'",
        ),
        (
            "find x : int(1..3)\nfind x : bool",
            "line 2, column 6: 'x' is declared twice; the first declaration is in line 1",
        ),
        (
            "letting a = b\nletting b = a",
            "line 2, column 13: the declaration of 'a' depends on itself",
        ),
        (
            "find M : matrix indexed by [int(1..2)] of bool\nsuch that M[1,2]",
            "line 2, column 11: a matrix of bool takes 1 index, found 2",
        ),
        (
            "find x : int(1..2)\nsuch that allDif([x])",
            "line 2, column 11: unknown function 'allDif'; did you mean 'allDiff'?",
        ),
        (
            "fnid x : bool",
            "line 1, column 1: expected a statement ('given', 'letting', 'find', 'such that', …), found 'fnid'; did you mean 'find'?",
        ),
        (
            "such that true, /\\ false",
            "line 1, column 17: expected an expression, found '/\\'",
        ),
        (
            "heuristic fast",
            "line 1, column 11: expected 'static', 'sdf', 'ldf', 'srf', 'conflict', 'wdeg', 'domoverwdeg', found 'fast'",
        ),
        (
            "language Prolog 1.0\nfind x : bool",
            "line 1, column 1: expected 'language ESSENCE' 1.0', 'language Essence 1.3', or no \
             language line",
        ),
        (
            "find x : int(1..2) such that catchUndef(1 / x, x) = 1",
            "line 1, column 48: the second argument of 'catchUndef' cannot depend on the decision variable 'x'",
        ),
        (
            "letting x = [] : `int`",
            "line 1, column 13: an empty matrix has the type of a matrix, found int",
        ),
        (
            "letting x = 99999999999999999999",
            "line 1, column 13: numbers are below 9223372036854775808 (64 bits)",
        ),
        (
            "find x : bool such that x # true",
            "line 1, column 27: '#' has no meaning in Essence Prime",
        ),
        (
            "find sum : bool",
            "line 1, column 6: expected a name, found the reserved word 'sum'",
        ),
        (
            "such that [1,2] = [1,2]",
            "line 1, column 11: a comparison expects int, found matrix of int",
        ),
        (
            "letting x = [1, [2]]",
            "line 1, column 17: the items of a matrix have one type, found int and matrix of int",
        ),
        (
            "such that forAll i : int(1..) . true",
            "line 1, column 22: expected a finite domain, found an open range",
        ),
        (
            "find x : int(1..2) such that x in 3",
            "line 1, column 35: expected a domain, found int",
        ),
    ] {
        assert_eq!(refusal(text), wanted, "{text}");
    }
}

#[test]
fn models_may_be_written_as_their_users_write_them() {
    for text in [
        "language Essence 1.3\nfind x : bool",
        "language ESSENCE' 1.b.a\n\nfind x : bool\nsuch that",
        "find x : bool such that x, find y : bool such that y,",
        "letting D be int(1..3) letting E be D find x : E such that x > 1",
        "find table, max, domain : int(1..3) such that table < max, max(table, max) = domain",
        "find x : int(1..3) branching on [x,] heuristic ldf",
        "find M : matrix indexed by [int(1..2)] of bool branching on [[M[i] | i : int(1..2)], M]",
        "find matrix : bool such that matrix",
    ] {
        assert_eq!(refusal(text), "accepted", "{text}");
    }
}

#[test]
fn values_that_the_model_does_not_use_are_warnings() {
    let model = Model::parse("given size : int find x : int(1..size)").expect("a model");
    let params = Params::parse("letting size = 3\nletting goal = 4\n").expect("parameters");
    let instance = model.instance(&params).expect("an instance");
    let warning = "parameters, line 2: the model has no parameter 'goal'; it is not used";
    assert_eq!(instance.warnings(), [warning]);
    // A value that only the file itself uses is no mistake.
    let params = Params::parse("letting half = 3\nletting size = 2 * half").expect("parameters");
    let instance = model.instance(&params).expect("an instance");
    assert_eq!(instance.warnings(), [""; 0]);
    // A name that the model has for something else is one.
    let params = Params::parse("letting size = 3\nletting x = 4\n").expect("parameters");
    let fault = model
        .instance(&params)
        .expect_err("x is a decision variable");
    assert_eq!(fault.bad.message, "'x' is not a parameter of the model");
}

#[test]
fn an_empty_parameter_fits_any_index_without_members() {
    let model = Model::parse(
        "given n : int given M : matrix indexed by [int(1..n), int(1..2)] of bool
         letting x = length(flatten(M))",
    )
    .expect("a model");
    for value in ["[]", "[] : `matrix indexed by [int(), int()] of int`"] {
        let text = format!("letting n = 0 letting M = {value}");
        let params = Params::parse(&text).expect("parameters");
        match model.instance(&params) {
            Ok(instance) => {
                let length = instance.value("x").map(ToString::to_string);
                assert_eq!(length.as_deref(), Some("0"));
            }
            Err(fault) => assert_eq!(value, "[]", "{fault}"),
        }
    }
}
