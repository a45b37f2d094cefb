//! The tests, in one program, because each program is compiled and linked for itself. Tests that
//! measure time or memory are programs of their own.

#[path = "../common/mod.rs"]
mod common;

mod cp;
mod filter;
mod mip;
mod relax;
mod sat;
