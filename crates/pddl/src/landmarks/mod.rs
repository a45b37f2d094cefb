//! Landmarks: conditions that hold at some time in every plan, and orders between them.
//!
//! - `facts` finds the literals that every relaxed plan makes true (Keyder, Richter and Helmert
//!   2010), by a fixed point over the gates of the relaxed task. So conditional effects, disjunctions
//!   and axioms need no special rules; derived facts themselves are no landmarks.
//! - `graph` adds sets of two to four facts of which one is needed (disjunctive landmarks: Porteous
//!   and Cresswell 2002; Richter, Helmert and Westphal 2008), and natural and greedy-necessary orders.
//! - `reasonable` adds the orders that a plan should follow because it would otherwise destroy what
//!   it needs again (Hoffmann, Porteous and Sebastia 2004). No plan is forced to follow them.

mod facts;
mod graph;
mod reasonable;

pub(crate) use graph::{Landmark, LandmarkGraph};
