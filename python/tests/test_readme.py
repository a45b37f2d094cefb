"""Runs the example of the README, and compares what its comments say."""

import ast
import pathlib
import re

import pytest

import ployglot as pg

from test_models import DOMAIN, MODEL, PROBLEM

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"


def test_the_example_runs_and_its_comments_are_true(capsys: pytest.CaptureFixture[str]) -> None:
    code = README.read_text().split("```python\n")[1].split("```")[0]
    answer = pg.level("plotting/01-first-shot").solve()
    names = {
        "domain_text": DOMAIN, "problem_text": PROBLEM, "model_text": MODEL, "a": answer, "b": answer, "c": answer,
    }
    comments = {at: line.split("#", 1)[1].strip() for at, line in enumerate(code.splitlines(), 1) if "#" in line}
    compared = 0
    for statement in ast.parse(code).body:
        source = ast.get_source_segment(code, statement) or ""
        comment = comments.get(statement.end_lineno or 0, "")
        if isinstance(statement, ast.Expr):
            capsys.readouterr()
            value = eval(source, names)
            printed = capsys.readouterr().out.strip() or repr(value)
            expected = re.match(r"(?:True|'\w+'|optimal \d+)(?=$|:| \[)", comment)
            if expected:
                assert printed.startswith(expected.group()), source
                compared += 1
        else:
            exec(source, names)
    assert compared == 3
