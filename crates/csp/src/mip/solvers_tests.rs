//! Logs and solutions of each solver, in the form that it prints.

use super::*;

fn log(solver: MipSolver, text: &str) -> LogState {
    let mut log = LogState::default();
    text.lines()
        .for_each(|line| solver.read_line(line, &mut log));
    log
}

#[track_caller]
fn check(
    solver: MipSolver,
    text: &str,
    solution: &str,
    end: Status,
    values: Option<&[f64]>,
    bound: Option<f64>,
) {
    let result = solver.result(&log(solver, text), Some(solution), 3);
    assert_eq!(result.end, end, "{solver:?}");
    assert_eq!(result.columns.as_deref(), values, "{solver:?}");
    assert_eq!(result.bound, bound, "{solver:?}");
}

#[test]
fn highs_is_read() {
    let text = "
         0       0         0   0.00%   10              inf                  inf        0      0      0         0     0.0s
 T    1203      12       300  41.02%   11.5            12                 4.17%      120     40    100     12345     3.4s
Solving report
  Dual bound        11.75
  Nodes             1300
";
    let solution = "Model status\nTime limit reached\n\n# Primal solution values\nFeasible\nObjective 12\n# Columns 3\nc0 4\nc1 0\nc2 1\n# Rows 1\nr0 7\n\n# Dual solution values\nNone\n";
    let time = Status::Limit(Limit::Time);
    check(
        MipSolver::Highs,
        text,
        solution,
        time,
        Some(&[4.0, 0.0, 1.0]),
        Some(11.75),
    );
    let running = log(
        MipSolver::Highs,
        &text[..text.find("Solving").expect("it is there")],
    );
    let expected = (Some(11.5), Some(12.0), Some(1203));
    assert_eq!((running.bound, running.best, running.nodes), expected);
    let none = "Model status\nInfeasible\n\n# Primal solution values\nNone\n";
    check(MipSolver::Highs, "", none, Status::Infeasible, None, None);
    check(
        MipSolver::Highs,
        "",
        "",
        Status::Limit(Limit::Incomplete),
        None,
        None,
    );
}

#[test]
fn cbc_refutes_nothing_near_its_time_limit() {
    let seconds = Duration::from_secs;
    assert!(!MipSolver::Cbc.takes_time(false) && MipSolver::Cbc.takes_time(true));
    assert!(MipSolver::Cbc.refutes(None, seconds(9)));
    assert!(MipSolver::Cbc.refutes(Some(seconds(10)), seconds(4)));
    assert!(!MipSolver::Cbc.refutes(Some(seconds(10)), seconds(5)));
    assert!(MipSolver::Highs.refutes(Some(seconds(10)), seconds(9)));
}

#[test]
fn cbc_is_read() {
    let text = "Cbc0010I After 100 nodes, 5 on tree, 12 best solution, best possible 10.5 (0.50 seconds)\n";
    let solution = "Stopped on time - objective value 12.00000000\n      0 c0                     4                       0\n**    2 c2                     1                       0\n";
    let time = Status::Limit(Limit::Time);
    check(
        MipSolver::Cbc,
        text,
        solution,
        time,
        Some(&[4.0, 0.0, 1.0]),
        Some(10.5),
    );
    let none = "Stopped on time (no integer solution - continuous used) - objective value 3\n      0 c0  0.5  0\n";
    check(MipSolver::Cbc, "", none, time, None, None);
    let optimal =
        "Result - Optimal solution found\n\nObjective value:                12.00000000\n";
    check(
        MipSolver::Cbc,
        optimal,
        "Optimal - objective value 0\n",
        Status::Optimal,
        Some(&[0.0; 3]),
        Some(12.0),
    );
    let infeasible = "Integer infeasible - objective value 3\n      0 c0  1  0\n";
    check(
        MipSolver::Cbc,
        "",
        infeasible,
        Status::Infeasible,
        None,
        None,
    );
}

#[test]
fn scip_is_read() {
    let text = "SCIP Status        : solving was interrupted [time limit reached]\nSolving Nodes      : 17\nPrimal Bound       : +1.20000000000000e+01 (3 solutions)\nDual Bound         : +1.05000000000000e+01\n";
    let solution = "solution status: time limit reached\nobjective value:                                   12\nc0                                                  4 \t(obj:1)\nc2                                                  1 \t(obj:0)\n";
    let time = Status::Limit(Limit::Time);
    check(
        MipSolver::Scip,
        text,
        solution,
        time,
        Some(&[4.0, 0.0, 1.0]),
        Some(10.5),
    );
    let none = "solution status: infeasible\nno solution available\n";
    check(MipSolver::Scip, "", none, Status::Infeasible, None, None);
}

#[test]
fn gurobi_is_read() {
    let text = "Explored 17 nodes (120 simplex iterations) in 0.02 seconds (0.01 work units)\nOptimal solution found (tolerance 0.00e+00)\nBest objective 1.200000000000e+01, best bound 1.200000000000e+01, gap 0.0000%\n";
    let solution = "# Solution for model ploy\n# Objective value = 12\nc0 4\nc1 0\nc2 1\n";
    check(
        MipSolver::Gurobi,
        text,
        solution,
        Status::Optimal,
        Some(&[4.0, 0.0, 1.0]),
        Some(12.0),
    );
    check(
        MipSolver::Gurobi,
        "Model is infeasible\n",
        "",
        Status::Infeasible,
        None,
        None,
    );
}

#[test]
fn cplex_is_read() {
    let text = "MIP - Integer optimal solution:  Objective =  1.2000000000e+01\nSolution time =    0.01 sec.  Iterations = 3  Nodes = 17\n";
    let solution = "<?xml version = \"1.0\"?>\n  <variable name=\"c0\" index=\"0\" value=\"4\"/>\n  <variable name=\"c2\" index=\"2\" value=\"1\"/>\n";
    check(
        MipSolver::Cplex,
        text,
        solution,
        Status::Optimal,
        Some(&[4.0, 0.0, 1.0]),
        Some(12.0),
    );
    check(
        MipSolver::Cplex,
        "MIP - Integer infeasible.\n",
        "",
        Status::Infeasible,
        None,
        None,
    );
}
