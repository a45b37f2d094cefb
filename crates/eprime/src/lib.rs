//! Essence Prime: models and parameters as text, to finite-domain problems.
