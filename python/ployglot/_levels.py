"""Levels: reading, listing, generating, solving, rating."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence, Union

from . import _native
from ._results import Answer, ProgressCallback, Rating, Ruling, callback, made


class Level:
    """A level of one of the games. In a notebook it shows its board."""

    def __init__(self, text: str, name: Optional[str] = None) -> None:
        """Reads a level from its text; raises ``ValueError`` with line and column if it is wrong."""
        self._native = _native.NativeLevel(text)
        self.name = name
        """The name of a built-in level or of a file."""

    @property
    def text(self) -> str:
        """The text of the level."""
        return self._native.text

    @property
    def game(self) -> str:
        """The name of the game."""
        return self._native.game

    @property
    def title(self) -> Optional[str]:
        """The title, if the text has one."""
        return self._native.title

    def start(self) -> _native.State:
        """The state in which every plan starts."""
        return self._native.start()

    def solve(
        self,
        *,
        route: Optional[str] = None,
        measure: Optional[str] = None,
        without: Sequence[str] = (),
        anytime: bool = False,
        time: Optional[float] = None,
        memory: Optional[int] = None,
        threads: int = 1,
        progress: Optional[ProgressCallback] = None,
    ) -> Answer:
        """Finds a plan that is proven best, or proves that there is none.

        ``route`` is one of ``ployglot.games()[game]["routes"]``; the game chooses if it is not given.
        ``without`` switches rules off. ``time`` is in seconds, ``memory`` in bytes. ``progress`` is
        called about ten times a second; an exception in it ends the work, as Ctrl-C does.
        """
        text = _native.solve_level(
            self.text, route, measure, list(without), anytime, time, memory, threads, callback(progress)
        )
        answer: Answer = made(Answer, text, level=self)
        return answer

    def check(self, plan: Union[str, Sequence[str]], *, measure: Optional[str] = None) -> Ruling:
        """Replays a plan by the slow rules: its cost, or the first illegal move and why."""
        text = plan if isinstance(plan, str) else "\n".join(plan) + "\n"
        ruling: Ruling = made(Ruling, _native.check_plan(self.text, text, measure))
        return ruling

    def rate(
        self,
        *,
        states: Optional[int] = None,
        time: Optional[float] = None,
        memory: Optional[int] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> Rating:
        """Par, number of best plans, dead ends, difficulty."""
        rating: Rating = made(
            Rating, _native.rate_level(self.text, states, time, memory, callback(progress))
        )
        return rating

    def svg(self) -> str:
        """The board as a picture."""
        return self.start().svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return str(self.start())

    def __repr__(self) -> str:
        return f"<Level {self.name or self.title or self.game}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def level(source: Union[str, "os.PathLike[str]"]) -> Level:
    """A level by the name of a built-in one (``plotting/04-staircase``) or a beginning of it that no other
    has (``plotting/04``), from a file, or from its text."""
    if isinstance(source, str):
        if "\n" in source:
            return Level(source)
        for name, text in _native.builtin_levels():
            if name == source:
                return Level(text, name)
    if os.path.exists(source):
        with open(source, encoding="utf-8") as file:
            return Level(file.read(), os.fspath(source))
    if isinstance(source, str) and "/" in source.rstrip("/"):
        begun = [(name, text) for name, text in _native.builtin_levels() if name.startswith(source)]
        if len(begun) == 1:
            return Level(begun[0][1], begun[0][0])
        if begun:
            raise ValueError(f"several built-in levels begin with '{source}': {', '.join(name for name, _ in begun)}")
    raise ValueError(f"there is no built-in level and no file '{source}'; see ployglot.levels()")


def levels(game: Optional[str] = None) -> list[Level]:
    """The built-in levels, of all games or of one."""
    all_levels = [Level(text, name) for name, text in _native.builtin_levels()]
    return [each for each in all_levels if game is None or each.game == game]


def games() -> dict[str, dict[str, Any]]:
    """The games by name, each with its measures and its routes."""
    return {each["game"]: each for each in json.loads(_native.games())}


def generate(
    game: str,
    *,
    size: Optional[tuple[int, int]] = None,
    par: Optional[tuple[int, int]] = None,
    solvable: Optional[bool] = None,
    unique: bool = False,
    difficulty: Optional[str] = None,
    seed: int = 1,
    count: int = 1,
    tries: int = 10_000,
    each: float = 5.0,
    time: Optional[float] = None,
    memory: Optional[int] = None,
    progress: Optional[ProgressCallback] = None,
    **options: int,
) -> list[Level]:
    """Random levels that meet the requirements. The same seed gives the same levels.

    ``options`` are those of ``ploy new GAME --help``: ``colours=3``. Fewer levels than ``count`` come
    back when ``tries`` or ``time`` is used up; a level that takes longer than ``each`` seconds to
    solve is skipped.
    """
    knobs = [(name.replace("_", "-"), value) for name, value in options.items()]
    texts = _native.generate_levels(
        game, size, knobs, par, solvable, unique, difficulty, seed, count, tries, each, time, memory,
        callback(progress),
    )
    return [Level(text) for text in texts]
