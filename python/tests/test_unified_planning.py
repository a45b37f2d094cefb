"""The engine against the example problems of unified-planning and the library's own validator."""

import pytest

up = pytest.importorskip("unified_planning")

import ployglot.unified_planning as ploy  # noqa: E402
from unified_planning.engines import PlanGenerationResultStatus as Status  # noqa: E402
from unified_planning.engines import ValidationResultStatus  # noqa: E402
from unified_planning.engines.results import POSITIVE_OUTCOMES  # noqa: E402
from unified_planning.shortcuts import AnytimePlanner, OneshotPlanner, PlanValidator  # noqa: E402
from unified_planning.test.examples import get_example_problems  # noqa: E402

up.shortcuts.get_environment().credits_stream = None


def examples():
    for name, example in sorted(get_example_problems().items()):
        if ploy.PloyEngine.supports(example.problem.kind):
            yield pytest.param(example, id=name)


EXAMPLES = list(examples())


def test_many_examples_are_of_a_kind_that_is_claimed():
    assert len(EXAMPLES) >= 20


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_solved_and_the_library_accepts_the_plan(example):
    with OneshotPlanner(name="ploy") as planner:
        result = planner.solve(example.problem, timeout=30)
    if not example.solvable:
        assert result.status == Status.UNSOLVABLE_PROVEN
        return
    assert result.status in POSITIVE_OUTCOMES, result
    assert (result.status == Status.SOLVED_OPTIMALLY) == bool(example.problem.quality_metrics)
    with PlanValidator(name="sequential_plan_validator") as judge:
        assert judge.validate(example.problem, result.plan).status == ValidationResultStatus.VALID


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_validator_agrees_with_the_examples(example):
    with PlanValidator(name="ploy") as judge:
        for plan in example.valid_plans:
            assert judge.validate(example.problem, plan).status == ValidationResultStatus.VALID
        for plan in example.invalid_plans:
            assert judge.validate(example.problem, plan).status == ValidationResultStatus.INVALID


def test_plans_improve_and_the_last_is_optimal():
    example = get_example_problems()["basic_with_costs"]
    with AnytimePlanner(name="ploy", anytime_guarantee="INCREASING_QUALITY") as planner:
        results = list(planner.get_solutions(example.problem, timeout=20))
    assert results[-1].status == Status.SOLVED_OPTIMALLY
    assert all(result.status == Status.INTERMEDIATE for result in results[:-1])


def test_a_caller_may_stop_after_the_first_plan():
    example = get_example_problems()["basic_with_costs"]
    with AnytimePlanner(name="ploy", anytime_guarantee="INCREASING_QUALITY") as planner:
        first = next(iter(planner.get_solutions(example.problem, timeout=20)))
    assert first.plan is not None


def test_guarantees():
    with OneshotPlanner(
        name="ploy", optimality_guarantee=up.shortcuts.OptimalityGuarantee.SOLVED_OPTIMALLY
    ) as planner:
        assert planner.satisfies(up.shortcuts.OptimalityGuarantee.SOLVED_OPTIMALLY)
