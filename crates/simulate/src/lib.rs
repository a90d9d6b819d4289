//! Workloads: call data record files, and their faults.
