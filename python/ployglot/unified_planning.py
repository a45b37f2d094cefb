"""An engine for unified-planning: ``OneshotPlanner(name="ploy")``, anytime, and plan validation.

>>> import ployglot.unified_planning                          # registers the engine
>>> from unified_planning.shortcuts import OneshotPlanner
>>> with OneshotPlanner(name="ploy") as planner:
...     result = planner.solve(problem, timeout=60)

The problem goes to the planner as PDDL, by the library's own writer. What is guaranteed:
``SOLVED_OPTIMALLY`` is a proof that no plan is better by the problem's metric (costs or length) and
needs one; a plan for a problem without a metric is ``SOLVED_SATISFICING``, though it has the fewest
actions. ``UNSOLVABLE_PROVEN`` is a proof. Every plan was checked by a validator that shares no code
with the planner.
"""

from __future__ import annotations

import queue
import threading
import time
import warnings
from typing import IO, Any, Callable, Iterator, Optional, Union

import unified_planning as up
from unified_planning.engines import (
    Credits,
    Engine,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.engines.results import FailedValidationReason
from unified_planning.io import PDDLWriter
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION
from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan

from ._models import PddlAnswer, plan, validate

CREDITS = Credits(
    "ploy",
    "the authors of Ployglot",
    "",
    "",
    "MIT or Apache-2.0",
    "Plans that are proven optimal, or a proof that there are none.",
    "A planner for PDDL with A*, LM-cut, abstractions and SAT; every plan is validated.",
)


#: The most seconds for better and better plans, before the proof is begun.
LONGEST = 60.0


class _NotWanted(Exception):
    """Ends the planner when no more plans are wanted."""


class PloyEngine(Engine, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin):
    """The planner of Ployglot. Parameters: ``engine`` and ``heuristic``, as ``ploy plan`` has them."""

    def __init__(self, **options: Any) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        PlanValidatorMixin.__init__(self)
        self._engine: str = options.get("engine", "astar")
        self._heuristic: Optional[str] = options.get("heuristic")

    @property
    def name(self) -> str:
        return "ploy"

    @staticmethod
    def get_credits(**kwargs: Any) -> Optional[Credits]:
        return CREDITS

    @staticmethod
    def supported_kind() -> ProblemKind:
        kind = ProblemKind(version=LATEST_PROBLEM_KIND_VERSION)
        kind.set_problem_class("ACTION_BASED")
        kind.set_typing("FLAT_TYPING")
        kind.set_typing("HIERARCHICAL_TYPING")
        for condition in (
            "NEGATIVE_CONDITIONS", "DISJUNCTIVE_CONDITIONS", "EQUALITIES", "EXISTENTIAL_CONDITIONS",
            "UNIVERSAL_CONDITIONS",
        ):
            kind.set_conditions_kind(condition)
        kind.set_effects_kind("CONDITIONAL_EFFECTS")
        kind.set_effects_kind("FORALL_EFFECTS")
        kind.set_quality_metrics("ACTIONS_COST")
        kind.set_quality_metrics("PLAN_LENGTH")
        kind.set_actions_cost_kind("INT_NUMBERS_IN_ACTIONS_COST")
        return kind

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return problem_kind <= PloyEngine.supported_kind()

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        return plan_kind == PlanKind.SEQUENTIAL_PLAN

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        return True

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        return anytime_guarantee in (AnytimeGuarantee.INCREASING_QUALITY, AnytimeGuarantee.OPTIMAL_PLANS)

    def _solve(
        self,
        problem: up.model.AbstractProblem,
        heuristic: Optional[Callable[[up.model.State], Optional[float]]] = None,
        timeout: Optional[float] = None,
        output_stream: Optional[IO[str]] = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warnings.warn("ploy has heuristics of its own; the one given is not used")
        return self._planned(problem, self._engine, self._heuristic, timeout, output_stream)

    def _get_solutions(
        self,
        problem: up.model.AbstractProblem,
        timeout: Optional[float] = None,
        output_stream: Optional[IO[str]] = None,
    ) -> Iterator[PlanGenerationResult]:
        """Better and better plans by lazy search, each as soon as it is found; then a best one, with its
        proof, by the engine of the parameters."""
        status = PlanGenerationResultStatus
        started = time.monotonic()
        best = None
        for found in self._improving(problem, LONGEST if timeout is None else min(timeout / 2, LONGEST)):
            if isinstance(found, PddlAnswer):
                if found.status in ("optimal", "unsolvable"):
                    yield self._result(problem, found)
                    return
            else:
                best = self._sequential(problem, found)
                yield PlanGenerationResult(status.INTERMEDIATE, best, self.name)
        left = None if timeout is None else max(timeout - (time.monotonic() - started), 0.0)
        last = self._planned(problem, self._engine, self._heuristic, left, output_stream)
        if last.plan is None and best is not None:
            # The proof was not completed; the best plan so far remains the answer.
            last = PlanGenerationResult(status.SOLVED_SATISFICING, best, self.name, last.metrics)
        yield last

    def _improving(
        self, problem: up.model.AbstractProblem, timeout: float
    ) -> Iterator[Union[list[str], PddlAnswer]]:
        """The plans of lazy search, and at the end its answer. The planner runs in a thread of its own, and
        ends when the caller wants no more plans."""
        assert isinstance(problem, up.model.Problem)
        writer = PDDLWriter(problem, True)
        domain, text = writer.get_domain(), writer.get_problem()
        found: "queue.Queue[Union[list[str], PddlAnswer, BaseException]]" = queue.Queue()
        wanted = threading.Event()
        wanted.set()

        def check(_: object) -> None:
            if not wanted.is_set():
                raise _NotWanted

        def work() -> None:
            try:
                found.put(
                    plan(
                        domain, text, engine="lazy", time=timeout, progress=check,
                        improved=lambda steps, _: found.put(steps),
                    )
                )
            except BaseException as error:
                found.put(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            while True:
                each = found.get()
                if isinstance(each, BaseException):
                    raise each
                yield each
                if isinstance(each, PddlAnswer):
                    return
        finally:
            wanted.clear()
            thread.join()

    def _planned(
        self,
        problem: up.model.AbstractProblem,
        engine: str,
        heuristic: Optional[str],
        timeout: Optional[float],
        output_stream: Optional[IO[str]],
    ) -> PlanGenerationResult:
        assert isinstance(problem, up.model.Problem)
        writer = PDDLWriter(problem, True)
        answer = plan(writer.get_domain(), writer.get_problem(), engine=engine, heuristic=heuristic, time=timeout)
        if output_stream is not None:
            output_stream.write(f"{answer.status}, {answer.expanded} states, {answer.seconds:.3f} s\n")
        return self._result(problem, answer)

    def _sequential(self, problem: up.model.AbstractProblem, steps: list[str]) -> SequentialPlan:
        assert isinstance(problem, up.model.Problem)
        writer = PDDLWriter(problem, True)
        # The writer has its names after it has written.
        writer.get_domain(), writer.get_problem()
        return SequentialPlan([_instance(writer, problem, step) for step in steps], problem.environment)

    def _result(self, problem: up.model.AbstractProblem, answer: PddlAnswer) -> PlanGenerationResult:
        assert isinstance(problem, up.model.Problem)
        found = None if answer.plan is None else self._sequential(problem, answer.plan)
        metrics = {
            "engine_internal_time": f"{answer.seconds:.6f}",
            "expanded": str(answer.expanded),
            "cost": str(answer.cost),
            "at_least": str(answer.at_least),
        }
        return PlanGenerationResult(_status(answer, bool(problem.quality_metrics)), found, self.name, metrics)

    def _validate(
        self, problem: up.model.AbstractProblem, plan: up.plans.Plan
    ) -> ValidationResult:
        assert isinstance(problem, up.model.Problem) and isinstance(plan, SequentialPlan)
        writer = PDDLWriter(problem, True)
        ruling = validate(writer.get_domain(), writer.get_problem(), writer.get_plan(plan))
        if ruling.valid:
            return ValidationResult(ValidationResultStatus.VALID, self.name)
        if ruling.ruling == "misses" or ruling.at is None:
            return ValidationResult(
                ValidationResultStatus.INVALID, self.name, reason=FailedValidationReason.UNSATISFIED_GOALS
            )
        return ValidationResult(
            ValidationResultStatus.INVALID,
            self.name,
            reason=FailedValidationReason.INAPPLICABLE_ACTION,
            inapplicable_action=plan.actions[ruling.at - 1],
        )


def _status(answer: PddlAnswer, metric: bool) -> PlanGenerationResultStatus:
    status = PlanGenerationResultStatus
    if answer.status == "optimal":
        return status.SOLVED_OPTIMALLY if metric else status.SOLVED_SATISFICING
    if answer.status == "feasible":
        return status.SOLVED_SATISFICING
    if answer.status == "unsolvable":
        return status.UNSOLVABLE_PROVEN
    limits = {"time": status.TIMEOUT, "memory": status.MEMOUT, "incomplete": status.UNSOLVABLE_INCOMPLETELY}
    return limits.get(answer.limit or "", status.INTERNAL_ERROR)


def _instance(writer: PDDLWriter, problem: up.model.Problem, step: str) -> ActionInstance:
    """The action of a step such as ``(move a b)``, by the writer's own names."""
    words = step.strip().strip("()").split()
    action = writer.get_item_named(words[0])
    objects = [problem.environment.expression_manager.ObjectExp(writer.get_item_named(word)) for word in words[1:]]
    return ActionInstance(action, tuple(objects))


def register() -> None:
    """Adds the engine ``ploy`` to the current environment of unified-planning."""
    factory = up.environment.get_environment().factory
    if "ploy" not in factory.engines:
        factory.add_engine("ploy", "ployglot.unified_planning", "PloyEngine")


register()
