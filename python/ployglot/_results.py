"""The results of solving, checking and rating, and the progress of the work."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional

if TYPE_CHECKING:
    import pandas

    from ._levels import Level


@dataclass(frozen=True)
class Progress:
    """What a solver reports while it works."""

    phase: str
    depth: int
    expanded: int
    stored: int
    at_least: int
    best: Optional[int]
    memory: int
    seconds: float


ProgressCallback = Callable[[Progress], object]


def callback(progress: Optional[ProgressCallback]) -> Optional[Callable[[dict[str, Any]], object]]:
    """The callback for the native module, which knows dictionaries only."""
    if progress is None:
        return None
    call = progress
    return lambda values: call(Progress(**values))


def made(kind: Any, text: str, **more: Any) -> Any:
    """A dataclass of this kind from JSON text; keys that it does not have are left out."""
    values = {**json.loads(text), **more}
    names = {each.name for each in fields(kind)}
    return kind(**{key: value for key, value in values.items() if key in names})


@dataclass(frozen=True)
class Answer:
    """The answer to a level. In a notebook it plays its plan."""

    status: str
    """``optimal``, ``feasible``, ``unsolvable`` or ``limit``; the first and the third are proven."""
    cost: Optional[int]
    at_least: Optional[int]
    """No plan costs less: proven."""
    plan: Optional[list[str]]
    route: str
    measure: str
    limit: Optional[str]
    """The limit that ended the work: ``time``, ``memory``, ``interrupt`` or ``incomplete``."""
    seconds: float
    peak_mb: float
    expanded: int
    generated: int
    stored: int
    checked: bool
    """The referee has replayed the plan."""
    message: Optional[str] = None
    level: Optional["Level"] = field(default=None, repr=False, compare=False)

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.plan is not None

    def boards(self) -> list[str]:
        """The board before each move, and after the last, as text."""
        return [str(state) for state in self.states()]

    def states(self) -> list[Any]:
        """The state before each move, and after the last."""
        if self.level is None or self.plan is None:
            return []
        states = [self.level.start()]
        for move in self.plan:
            states.append(states[-1].apply(move))
        return states

    def svg(self, seconds_per_move: float = 0.8) -> Optional[str]:
        """The plan as an animated picture; ``None`` without a plan."""
        from ._pictures import animation

        if self.plan is None or self.level is None:
            return None
        captions = ["start"] + [f"{at}. {move}" for at, move in enumerate(self.plan, 1)]
        return animation([state.svg() for state in self.states()], captions, seconds_per_move)

    def _repr_html_(self) -> str:
        words = [self.status]
        if self.cost is not None:
            words.append(f"{self.cost} {self.measure}")
        elif self.at_least:
            words.append(f"at least {self.at_least} {self.measure}")
        words += [self.route, f"{self.seconds:.3f} s"]
        return f"<div><p>{', '.join(words)}</p>{self.svg() or ''}</div>"


@dataclass(frozen=True)
class Ruling:
    """What the referee says of a plan."""

    ruling: str
    """``accepted``, ``missed`` (the goal is not reached) or ``illegal``."""
    measure: str
    cost: Optional[int] = None
    at: Optional[int] = None
    """The number of the illegal move, from 1."""
    why: Optional[str] = None

    @property
    def accepted(self) -> bool:
        return self.ruling == "accepted"


@dataclass(frozen=True)
class Rating:
    """How hard a level is. What is ``None`` is not known."""

    status: str
    measure: str
    par: Optional[int]
    at_least: Optional[int]
    best_plans: Optional[str]
    distinct_plans: Optional[int]
    first_moves: int
    first_moves_keep_par: Optional[int]
    first_moves_lose: Optional[int]
    dead_ends: Optional[dict[str, Any]]
    forced: Optional[int]
    reachable: int
    reachable_exact: bool
    greedy: Optional[dict[str, Any]]
    limit: Optional[str]
    difficulty: str
    reasons: list[str]


def frame(results: Iterable[Any]) -> "pandas.DataFrame":
    """A pandas frame with a row for each result. Needs pandas."""
    import pandas

    rows = []
    for result in results:
        level = getattr(result, "level", None)
        row = {each.name: getattr(result, each.name) for each in fields(result) if each.name != "level"}
        if level is not None:
            row = {"level": level.name or level.title, "game": level.game, **row}
        rows.append(row)
    return pandas.DataFrame(rows)


__all__ = ["Answer", "Progress", "Rating", "Ruling", "frame", "asdict"]
