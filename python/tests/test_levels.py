"""Levels, states, solving, rating and generating."""

import signal
import threading
import time

import pytest

import ployglot as pg

LEVEL = "plotting/04-staircase"


def test_every_built_in_level_is_read_and_printed_back():
    levels = pg.levels()
    assert len(levels) > 50
    for level in levels:
        assert pg.level(level.text).text == level.text
    assert {level.game for level in levels} == set(pg.games())


def test_a_level_may_be_named_by_the_beginning_of_its_name():
    assert pg.level("plotting/04").name == "plotting/04-staircase"
    with pytest.raises(ValueError, match="several built-in levels begin with 'plotting/0': plotting/01-first-shot, "):
        pg.level("plotting/0")
    for name in ("plotting/", "plotting", "/"):
        with pytest.raises((ValueError, OSError)):
            pg.level(name)


def test_a_plan_is_optimal_and_the_referee_accepts_it():
    level = pg.level(LEVEL)
    answer = level.solve()
    assert answer.status == "optimal" and answer.checked
    ruling = level.check(answer.plan)
    assert ruling.accepted and ruling.cost == answer.cost
    wrong = level.check(answer.plan[:-1])
    assert wrong.ruling == "missed" and wrong.why
    illegal = level.check(answer.plan * 2)
    assert illegal.ruling == "illegal" and illegal.at == len(answer.plan) + 1


@pytest.mark.parametrize("name", ["plotting/01-first-shot", "puzznic/01-first-step", "lunar-lockout/01-touchdown"])
def test_breadth_first_search_with_the_stepper_agrees_with_the_solver(name):
    level = pg.level(name)
    answer = level.solve(route="search:bfs")
    layer, seen, depth = [level.start()], {level.start().key()}, 0
    while layer and not any(state.is_goal() for state in layer):
        after = []
        for state in layer:
            for _, next_state in state.successors():
                if next_state.key() not in seen:
                    seen.add(next_state.key())
                    after.append(next_state)
        layer, depth = after, depth + 1
    assert (depth if layer else None) == answer.cost


def test_moves_print_apply_and_refuse():
    state = pg.level(LEVEL).start()
    move = state.moves()[0]
    assert state.apply(move) == state.apply(str(move))
    assert state.apply(move) != state
    assert len({state, state.apply(move), state}) == 2
    with pytest.raises(ValueError, match="not a legal move"):
        state.apply("jump")
    assert pg.level(state.apply(move).level_text()).start() == state.apply(move)


def test_bad_texts_name_the_line():
    with pytest.raises(ValueError, match="line 3"):
        pg.level("game: plotting\n\n?!\n")
    with pytest.raises(ValueError, match="no built-in level"):
        pg.level("plotting/no-such-level")
    with pytest.raises(ValueError, match="did you mean"):
        pg.level(LEVEL).solve(route="serach:astar")


def hard() -> pg.Level:
    """A level that takes longer than any test."""
    return pg.generate("plotting", size=(10, 11), seed=7, colours=4, goal=3)[0]


def test_time_is_a_limit():
    started = time.monotonic()
    answer = hard().solve(time=0.3)
    assert time.monotonic() - started < 2
    assert answer.status in ("limit", "feasible") and answer.limit == "time"


def test_progress_is_reported_and_an_exception_in_it_ends_the_work():
    reports = []

    def watch(progress: pg.Progress) -> None:
        reports.append(progress)
        if len(reports) == 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        hard().solve(progress=watch)
    assert len(reports) == 2 and reports[1].seconds >= reports[0].seconds


def test_control_c_ends_the_work():
    level = hard()
    main = threading.main_thread().ident
    # A program that a script starts in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            level.solve(time=20)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 2


def test_other_threads_run_while_a_level_is_solved():
    counted = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted.append(1)
            time.sleep(0.01)

    thread = threading.Thread(target=count)
    thread.start()
    hard().solve(time=0.5)
    stop.set()
    thread.join()
    assert len(counted) > 10


def test_ratings_and_generated_levels():
    rating = pg.level("plotting/01-first-shot").rate()
    assert rating.par == pg.level("plotting/01-first-shot").solve().cost
    assert rating.difficulty in ("trivial", "easy", "medium", "hard", "fiendish")
    found = pg.generate("plotting", size=(3, 3), par=(2, 4), count=3, seed=5)
    assert len(found) == 3 and len(set(found)) == 3
    for level in found:
        assert 2 <= level.solve().cost <= 4
    assert found == pg.generate("plotting", size=(3, 3), par=(2, 4), count=3, seed=5)
    with pytest.raises(ValueError, match="has no option 'colour'"):
        pg.generate("plotting", colour=3)
    with pytest.raises(ValueError, match="unknown game"):
        pg.generate("chess")


def test_pictures_and_frames():
    answer = pg.level("plotting/01-first-shot").solve()
    assert answer.level.svg().startswith("<svg")
    picture = answer.svg()
    assert picture.count("<animate ") == len(answer.plan) + 1
    assert picture in answer._repr_html_()
    assert len(answer.boards()) == len(answer.plan) + 1
    pandas = pytest.importorskip("pandas")
    frame = pg.frame([answer, answer])
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["status"]) == ["optimal", "optimal"]
    assert list(frame["level"]) == ["plotting/01-first-shot"] * 2
