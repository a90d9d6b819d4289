//! Files of measurements as network elements write them: what is read, and what becomes of damage.

mod bench;
mod damage;
mod forms;
mod oddities;
