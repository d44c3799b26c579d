//! The solver against slow and obvious ones, and against what must hold of any solution.

mod apart;
mod cases;
mod ends;
mod lumped;
mod oracle;
mod properties;
mod rates;
