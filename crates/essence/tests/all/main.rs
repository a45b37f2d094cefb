//! The tests, in one program, because each program is compiled and linked for itself. Tests that
//! measure time or memory are programs of their own.

#[path = "../common/mod.rs"]
mod common;

mod backends;
mod document;
mod enumeration;
mod fuzz;
mod horizon;
mod nested;
mod random;
mod suite;
