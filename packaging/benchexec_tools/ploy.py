"""BenchExec tool-info module for ploy.

Tasks: one level (``*.level`` or a PuzzleScript ``*.txt``), a PDDL domain and problem, or an Essence
or Essence Prime model with its parameters. The kind is taken from the names of the files. Results: ``true`` for a
proven optimum or a solution, ``false`` for a proof that there is none, ``done(feasible)`` for a plan
without a proof, and the limit otherwise.

To use it, copy it to ``benchexec/tools``, or put ``packaging`` on ``PYTHONPATH`` and name the tool
``benchexec_tools.ploy``.
"""

import json

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """ploy, the program of Ployglot."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("ploy")

    def name(self):
        return "ploy"

    def version(self, executable):
        return self._version_from_tool(executable, arg="-V", line_prefix="ploy")

    def cmdline(self, executable, options, task, rlimits):
        files = list(task.input_files)
        suffixes = {name.rsplit(".", 1)[-1] for name in files}
        if "pddl" in suffixes:
            command = ["plan"]
        elif suffixes & {"eprime", "essence", "param"}:
            command = ["model"]
            files.sort(key=lambda name: name.endswith(".param"))
        else:
            command = ["solve"]
        limits = []
        # ploy ends a little earlier by itself, and then reports its bound.
        if rlimits.cputime:
            limits += ["--time", f"{max(rlimits.cputime - 1, 1)}s"]
        if rlimits.memory:
            limits += ["--memory", f"{max(rlimits.memory // 1_048_576 * 9 // 10, 64)}M"]
        return [executable, *command, "--json", *limits, *options, *files]

    def determine_result(self, run):
        row = None
        for line in run.output:
            try:
                row = json.loads(line)
            except ValueError:
                continue
        if not isinstance(row, dict):
            return result.RESULT_ERROR
        status = row.get("status")
        if status in ("optimal", "satisfiable"):
            return result.RESULT_TRUE_PROP
        if status in ("unsolvable", "unsatisfiable"):
            return result.RESULT_FALSE_PROP
        if status == "feasible":
            return f"{result.RESULT_DONE}(feasible)"
        limits = {"time": "TIMEOUT", "memory": "OUT OF MEMORY"}
        return limits.get(row.get("limit"), result.RESULT_UNKNOWN if status == "limit" else result.RESULT_ERROR)

    def get_value_from_output(self, output, identifier):
        for line in reversed(list(output)):
            try:
                return json.loads(line).get(identifier)
            except ValueError:
                continue
        return None
