//! Where in which text, what is wrong, what was meant; one way to show it.
