"""PDDL, Essence and Essence Prime, from strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Sequence, Union

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
    heuristic: Optional[str]
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
    """The answer to an Essence or Essence Prime model."""

    status: str
    """``satisfiable``, ``optimal``, ``unsatisfiable`` or ``limit``."""
    solutions: list[dict[str, Any]]
    """Each a dictionary of values: ints and bools, lists for matrices and sequences, frozensets for sets,
    relations and partitions, Counters for multi-sets, tuples, dictionaries for functions, permutations,
    records and variants, names for members of enumerated types. Inside a set and as a key, where
    Python wants constant values, a list is a tuple and a dictionary a tuple of pairs."""
    objective: Optional[int]
    bound: Optional[int]
    limit: Optional[str]
    solver: str
    language: str
    """``Essence`` or ``Essence Prime``."""
    variables: int
    constraints: int
    seconds: float
    warnings: list[str]
    """What is probably a mistake in the model, and what was not honoured."""

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
    improved: Optional[Callable[[list[str], int], object]] = None,
) -> PddlAnswer:
    """Plans for a PDDL domain and problem. Engines and heuristics are those of ``ploy plan``.

    The engine ``lazy`` has a plan soon and then better ones: ``improved`` is called with the steps and
    the cost of each, after the validator has accepted it. An exception in it ends the work.
    """
    answer: PddlAnswer = made(
        PddlAnswer,
        _native.plan_pddl(
            domain, problem, engine, heuristic, time, memory, threads, callback(progress), improved
        ),
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
    language: Optional[str] = None,
    solver: str = "sat",
    solutions: Optional[int] = 1,
    time: Optional[float] = None,
    memory: Optional[int] = None,
    progress: Optional[ProgressCallback] = None,
) -> ModelAnswer:
    """Solves an Essence or Essence Prime model.

    ``params`` is a text of ``letting`` lines, or a mapping of names to values: ints, bools, lists
    (matrices), and for Essence also tuples, sets and dictionaries (functions). ``language`` is
    ``"essence"`` or ``"eprime"``; if it is not given, the first line of the model says it, and without
    one the model is Essence Prime. ``solutions=None`` lists all.
    """
    languages = {None: None, "essence": True, "eprime": False}
    if language not in languages:
        raise ValueError(f"language is 'essence' or 'eprime', not {language!r}")
    if solutions is not None and solutions < 1:
        raise ValueError("solutions is 1 or more, or None for all")
    if not isinstance(params, str):
        params = "".join(f"letting {name} be {_literal(value)}\n" for name, value in params.items())
    most = (1 << 62) if solutions is None else solutions
    text = _native.solve_text(
        model, params, languages[language], solver, most, time, memory, callback(progress)
    )
    answer: ModelAnswer = made(ModelAnswer, text)
    found = [{name: _value(value) for name, value in each.items()} for each in answer.solutions]
    return replace(answer, solutions=found)


def _value(value: Any, constant: bool = False) -> Any:
    """A value of the native module as Python has it; ``constant``: in a form that can be in a set."""
    if isinstance(value, list):
        items = [_value(item, constant) for item in value]
        return tuple(items) if constant else items
    if not isinstance(value, dict):
        return value
    ((kind, items),) = value.items()
    if kind == "set":
        return frozenset(_value(item, True) for item in items)
    if kind == "tuple":
        return tuple(_value(item, constant) for item in items)
    if kind == "mset":
        members = [_value(item, True) for item in items]
        return tuple(members) if constant else Counter(members)
    pairs = [(_value(key, True), _value(image, constant)) for key, image in items]
    return tuple(pairs) if constant else dict(pairs)


def _literal(value: Any) -> str:
    """A value as Essence and Essence Prime write it."""

    def joined(items: Any) -> str:
        return ", ".join(_literal(item) for item in items)

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[{joined(value)}]"
    if isinstance(value, tuple):
        return f"{'' if len(value) > 1 else 'tuple '}({joined(value)})"
    if isinstance(value, (set, frozenset)):
        return f"{{{joined(value)}}}"
    if isinstance(value, Mapping):
        images = ", ".join(f"{_literal(key)} --> {_literal(image)}" for key, image in value.items())
        return f"function({images})"
    raise TypeError(
        f"a parameter is an int, a bool, a list, a tuple, a set or a dictionary, not {type(value).__name__}"
    )
