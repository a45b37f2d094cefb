//! The tests, in one program, because each program is compiled and linked for itself. Tests that
//! measure time or memory are programs of their own.

mod fuzz;
mod horizon;
mod numbers;
mod reader;
mod unroll;
