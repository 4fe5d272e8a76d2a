//! Nothing: the tests are `main.rs`.
