//! The node kinds of a gateway: filter, formatter.
