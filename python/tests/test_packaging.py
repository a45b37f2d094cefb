"""The callers of the program: BenchExec's tool-info module, and the planning competition's container."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

import ployglot as pg

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
PLOY = os.path.join(sysconfig.get_path("scripts"), "ploy")

DOMAIN = """(define (domain corridor)
  (:predicates (at ?r) (next ?r ?s))
  (:action walk :parameters (?r ?s)
    :precondition (and (at ?r) (next ?r ?s))
    :effect (and (at ?s) (not (at ?r)))))"""
PROBLEM = """(define (problem rooms) (:domain corridor) (:objects a b c)
  (:init (at a) (next a b) (next b c)) (:goal (at c)))"""
NO_PLAN = PROBLEM.replace("(next b c)", "")


def test_the_program_comes_with_the_package():
    done = subprocess.run([PLOY, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"ploy {pg.__version__} (")
    done = subprocess.run([PLOY, "solve", "plotting/01-first-shot", "--json"], capture_output=True, text=True)
    assert json.loads(done.stdout)["status"] == "optimal"


@pytest.fixture
def files(tmp_path):
    texts = {
        "domain.pddl": DOMAIN,
        "problem.pddl": PROBLEM,
        "no-plan.pddl": NO_PLAN,
        "one.level": pg.level("plotting/01-first-shot").text,
        "hard.level": pg.generate("plotting", size=(10, 11), seed=7, colours=4, goal=3)[0].text,
        "model.eprime": "given n : int\nfind x : int(1..n)\nsuch that x * x = n\n",
        "nine.param": "letting n be 9\n",
        "ten.param": "letting n be 10\n",
        "sets.essence": "language Essence 1.3\nfind s : set (size 2) of int(1..2)\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("names", "time", "expected"),
    [
        (["one.level"], 20, "true"),
        (["hard.level"], 2, "TIMEOUT or done(feasible)"),
        (["domain.pddl", "problem.pddl"], 20, "true"),
        (["domain.pddl", "no-plan.pddl"], 20, "false"),
        (["nine.param", "model.eprime"], 20, "true"),
        (["model.eprime", "ten.param"], 20, "false"),
        (["sets.essence"], 20, "true"),
    ],
)
def test_benchexec_runs_tasks_and_reads_results(files, monkeypatch, names, time, expected):
    template = pytest.importorskip("benchexec.tools.template")
    import benchexec.util

    monkeypatch.syspath_prepend(str(PACKAGING))
    from benchexec_tools import ploy

    tool = ploy.Tool()
    assert tool.version(PLOY).startswith(pg.__version__)
    task = template.BaseTool2.Task(
        input_files=[str(files / name) for name in names], identifier=None, property_file=None, options=None
    )
    limits = template.BaseTool2.ResourceLimits(cputime=time, memory=2_000_000_000)
    command = tool.cmdline(PLOY, [], task, limits)
    done = subprocess.run(command, capture_output=True, text=True)
    run = template.BaseTool2.Run(
        cmdline=command,
        exit_code=benchexec.util.ProcessExitCode(raw=done.returncode << 8, value=done.returncode, signal=None),
        output=template.BaseTool2.RunOutput(done.stdout.splitlines(keepends=True)),
        termination_reason=None,
    )
    assert tool.determine_result(run) in expected.split(" or "), done
    assert tool.get_value_from_output(run.output, "status")


def runscript() -> str:
    """The commands that the container runs."""
    lines = (PACKAGING / "apptainer" / "Apptainer.ploy").read_text().splitlines()
    start = lines.index("%runscript") + 1
    end = next(at for at in range(start, len(lines)) if lines[at].startswith("%"))
    return "\n".join(lines[start:end])


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("sh"), reason="needs sh")
def test_the_container_runs_the_call_of_the_planning_competition(files):
    environment = {**os.environ, "PATH": f"{os.path.dirname(PLOY)}:{os.environ['PATH']}"}
    call = ["sh", "-c", runscript(), "ploy.sif", "domain.pddl", "problem.pddl", "sas_plan"]
    done = subprocess.run(call, cwd=files, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done
    assert pg.validate(DOMAIN, PROBLEM, (files / "sas_plan").read_text()).valid
    environment["PLOY_SATISFICE"] = "1"
    done = subprocess.run(call[:-1] + ["plan"], cwd=files, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done
    plans = sorted(files.glob("plan*"))
    assert plans and all(pg.validate(DOMAIN, PROBLEM, path.read_text()).valid for path in plans)
