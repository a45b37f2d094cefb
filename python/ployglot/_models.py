"""PDDL and Essence Prime, from strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

from . import _native
from ._results import ProgressCallback, callback, made


@dataclass(frozen=True)
class PddlAnswer:
    """The answer to a planning problem."""

    status: str
    """``optimal``, ``feasible``, ``unsolvable`` or ``limit``; the first and the third are proven."""
    cost: Optional[int]
    at_least: Optional[int]
    plan: Optional[list[str]]
    """The steps, as in a plan file: ``(walk a b)``."""
    limit: Optional[str]
    checked: bool
    """The validator has accepted the plan."""
    engine: str
    estimate: Optional[str]
    seconds: float
    expanded: int
    generated: int


@dataclass(frozen=True)
class PddlRuling:
    """What the validator says of a plan."""

    ruling: str
    """``valid``, ``fails`` (a step cannot be taken) or ``misses`` (the goal does not hold)."""
    cost: Optional[float] = None
    at: Optional[int] = None
    step: Optional[str] = None
    why: Optional[str] = None

    @property
    def valid(self) -> bool:
        return self.ruling == "valid"


@dataclass(frozen=True)
class ModelAnswer:
    """The answer to an Essence Prime model."""

    status: str
    """``satisfiable``, ``optimal``, ``unsatisfiable`` or ``limit``."""
    solutions: list[dict[str, Any]]
    """Each a dictionary of values: ints, bools, and lists in the order of the indices."""
    objective: Optional[int]
    bound: Optional[int]
    limit: Optional[str]
    solver: str
    variables: int
    constraints: int
    seconds: float

    @property
    def solution(self) -> Optional[dict[str, Any]]:
        """The last solution: with an objective, the best."""
        return self.solutions[-1] if self.solutions else None


def plan(
    domain: str,
    problem: str,
    *,
    engine: str = "astar",
    heuristic: Optional[str] = None,
    time: Optional[float] = None,
    memory: Optional[int] = None,
    threads: int = 1,
    progress: Optional[ProgressCallback] = None,
) -> PddlAnswer:
    """Plans for a PDDL domain and problem. Engines and heuristics are those of ``ploy plan``."""
    answer: PddlAnswer = made(
        PddlAnswer,
        _native.plan_pddl(domain, problem, engine, heuristic, time, memory, threads, callback(progress)),
    )
    return answer


def validate(domain: str, problem: str, plan: Union[str, Sequence[str]]) -> PddlRuling:
    """Checks a plan for a PDDL domain and problem."""
    text = plan if isinstance(plan, str) else "\n".join(plan) + "\n"
    ruling: PddlRuling = made(PddlRuling, _native.validate_pddl(domain, problem, text))
    return ruling


def solve_model(
    model: str,
    params: Union[str, Mapping[str, Any]] = "",
    *,
    solver: str = "sat",
    solutions: Optional[int] = 1,
    time: Optional[float] = None,
    memory: Optional[int] = None,
    progress: Optional[ProgressCallback] = None,
) -> ModelAnswer:
    """Solves an Essence Prime model. ``params`` is a text of ``letting`` lines, or a mapping of names
    to ints, bools and lists. ``solutions=None`` lists all."""
    if not isinstance(params, str):
        params = "".join(f"letting {name} be {_literal(value)}\n" for name, value in params.items())
    most = (1 << 62) if solutions is None else solutions
    answer: ModelAnswer = made(
        ModelAnswer,
        _native.solve_eprime(model, params, solver, most, time, memory, callback(progress)),
    )
    return answer


def _literal(value: Any) -> str:
    """A value as Essence Prime writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    raise TypeError(f"a parameter is an int, a bool or a list of them, not {type(value).__name__}")
