"""PDDL, Essence and Essence Prime from strings."""

import pytest

import ployglot as pg

DOMAIN = """(define (domain corridor)
  (:predicates (at ?r) (next ?r ?s))
  (:action walk :parameters (?r ?s)
    :precondition (and (at ?r) (next ?r ?s))
    :effect (and (at ?s) (not (at ?r)))))"""
PROBLEM = """(define (problem rooms) (:domain corridor) (:objects a b c)
  (:init (at a) (next a b) (next b c)) (:goal (at c)))"""


def test_a_plan_is_found_and_validated():
    answer = pg.plan(DOMAIN, PROBLEM)
    assert (answer.status, answer.cost, answer.checked) == ("optimal", 2, True)
    assert answer.plan == ["(walk a b)", "(walk b c)"]
    assert pg.validate(DOMAIN, PROBLEM, answer.plan).valid
    ruling = pg.validate(DOMAIN, PROBLEM, ["(walk b c)"])
    assert (ruling.ruling, ruling.at) == ("fails", 1)
    assert pg.validate(DOMAIN, PROBLEM, ["(walk a b)"]).ruling == "misses"


COSTS = DOMAIN.replace("(:predicates", "(:functions (total-cost) (way ?r ?s)) (:predicates").replace(
    "(not (at ?r))", "(not (at ?r)) (increase (total-cost) (way ?r ?s))"
)
DETOUR = """(define (problem detour) (:domain corridor) (:objects a b c d)
  (:init (at a) (next a d) (next a b) (next b c) (next c d) (= (total-cost) 0)
         (= (way a d) 9) (= (way a b) 1) (= (way b c) 1) (= (way c d) 1))
  (:goal (at d)) (:metric minimize (total-cost)))"""


def test_better_plans_are_passed_on_as_they_are_found():
    found = []
    answer = pg.plan(COSTS, DETOUR, engine="lazy", improved=lambda steps, cost: found.append((cost, steps)))
    assert (answer.status, answer.cost) == ("optimal", 3)
    costs = [cost for cost, _ in found]
    assert costs == sorted(set(costs), reverse=True) and found[-1] == (3, answer.plan)
    assert all(pg.validate(COSTS, DETOUR, steps).valid for _, steps in found)

    def refuse(steps: list[str], cost: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        pg.plan(COSTS, DETOUR, engine="lazy", improved=refuse)


def test_no_plan_is_proven():
    assert pg.plan(DOMAIN, PROBLEM.replace("(next b c)", "")).status == "unsolvable"


def test_errors_have_a_place():
    with pytest.raises(ValueError, match="line 2"):
        pg.plan(DOMAIN.replace("(:predicates", "(:predictaes"), PROBLEM)
    with pytest.raises(ValueError, match="unknown engine"):
        pg.plan(DOMAIN, PROBLEM, engine="magic")


MODEL = """language ESSENCE' 1.0
given n : int
find q : matrix indexed by [int(1..n)] of int(1..n)
such that allDiff(q),
  allDiff([q[i] + i | i : int(1..n)]), allDiff([q[i] - i | i : int(1..n)])
"""


@pytest.mark.parametrize("solver", ["sat", "sat:kissat", "cp"])
def test_models_are_solved(solver):
    answer = pg.solve_model(MODEL, {"n": 6}, solver=solver, solutions=None)
    assert answer.status == "satisfiable" and len(answer.solutions) == 4
    for solution in answer.solutions:
        q = solution["q"]
        assert len({v + i for i, v in enumerate(q)}) == len({v - i for i, v in enumerate(q)}) == 6
    assert pg.solve_model(MODEL, {"n": 3}, solver=solver).status == "unsatisfiable"


def test_matrices_parameters_and_objectives():
    model = """given w : matrix indexed by [int(1..3)] of int
find x : matrix indexed by [int(1..3), int(1..2)] of bool
maximising sum i : int(1..3) . w[i] * x[i,1]
such that (sum i : int(1..3) . x[i,1]) <= 2, forAll i : int(1..3) . x[i,2] = !x[i,1]
"""
    answer = pg.solve_model(model, {"w": [4, 1, 5]})
    assert (answer.status, answer.objective, answer.bound) == ("optimal", 9, 9)
    assert answer.solution["x"] == [[True, False], [False, True], [True, False]]
    with pytest.raises(ValueError, match="unknown solver"):
        pg.solve_model(model, {"w": [1, 2, 3]}, solver="sta")
    with pytest.raises(TypeError, match="not str"):
        pg.solve_model(model, {"w": "1"})
    with pytest.raises(ValueError, match="line 1"):
        pg.solve_model("find x int(1..2)")


def test_a_solver_that_is_another_program_is_called_or_missed_by_name():
    model = "find x : int(1..9) such that x * x = 49"
    try:
        assert pg.solve_model(model, solver="mip:cbc").solution == {"x": 7}
    except ValueError as missing:
        assert "CBC is not installed" in str(missing)


ESSENCE = """language Essence 1.3
given n : int
given allowed : set of int
letting colour be new type enum {red, green}
find s : set (minSize 1) of int(1..n)
find f : function (total) int(1..2) --> colour
find p : partition (partSize 2) from int(1..4)
find m : mset (size 2) of int(1..2)
find t : tuple (int(1..3), bool)
find r : relation of (int(1..2) * int(1..2))
find q : set (size 1) of set (size 2) of int(1..2)
such that s subsetEq allowed, sum(s) = 2 * n, f(1) = red, f(2) = green,
  forAll part in parts(p) . sum(part) = 5, freq(m, 2) = 2, t[1] = 3, t[2], |r| = 1, r(1, 2)
"""


def test_essence_has_abstract_values():
    answer = pg.solve_model(ESSENCE, {"n": 5, "allowed": {1, 4, 5}})
    assert (answer.status, answer.language) == ("satisfiable", "Essence")
    assert answer.solution == {
        "s": frozenset({1, 4, 5}),
        "f": {1: "red", 2: "green"},
        "p": frozenset({frozenset({1, 4}), frozenset({2, 3})}),
        "m": {2: 2},
        "t": (3, True),
        "r": frozenset({(1, 2)}),
        "q": frozenset({frozenset({1, 2})}),
    }
    assert pg.solve_model(ESSENCE, {"n": 5, "allowed": {1, 2}}).status == "unsatisfiable"


def test_the_language_is_that_of_the_first_line_or_the_one_that_is_named():
    text = "find x : set of int(1..2) such that |x| = 2"
    with pytest.raises(ValueError, match="line 1"):
        pg.solve_model(text)
    assert pg.solve_model(text, language="essence").solution == {"x": frozenset({1, 2})}
    with pytest.raises(ValueError, match="'essence' or 'eprime'"):
        pg.solve_model(text, language="minizinc")
