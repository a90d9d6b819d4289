//! What a formula does: steps in postfix order, over one value a column or over many.
//!
//! Each value between steps is finite or NaN. Both ways go through the same functions, one value at a time, so they agree bit by bit;
//! over many, the compiler makes vectors of them.

/// Values in hand at once, at most: the formula that needs more is nested deeper than people read.
pub(super) const DEPTH_MAX: usize = 64;

/// Values of a column that are computed at once: they stay in the nearest cache.
const BLOCK: usize = 512;

/// A step, which takes its operands from the end of the values in hand and puts its result there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// The value of a column, by its place.
    Column(usize),
    Number(f64),
    Unary(Unary),
    Binary(Binary),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Negate,
    Absolute,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Least,
    Greatest,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// The steps of a formula. They leave one value, and have [`DEPTH_MAX`] in hand at most.
#[derive(Clone, Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    depth: usize,
}

/// Room for values in hand, to be used again.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    values: Vec<f64>,
}

impl Program {
    /// Returns the program of some steps; `None` if they have more than [`DEPTH_MAX`] values in hand.
    pub(super) fn new(steps: Vec<Step>) -> Option<Program> {
        let (mut in_hand, mut depth) = (0, 0);
        for step in &steps {
            match step {
                Step::Column(_) | Step::Number(_) => in_hand += 1,
                Step::Unary(_) => {
                    assert!(in_hand >= 1, "the parser puts operands before operators")
                }
                Step::Binary(_) => {
                    assert!(in_hand >= 2, "the parser puts operands before operators");
                    in_hand -= 1;
                }
            }
            depth = depth.max(in_hand);
        }
        assert_eq!(in_hand, 1, "a formula has one value");
        (depth <= DEPTH_MAX).then_some(Program { steps, depth })
    }

    /// Returns the value for values of the columns.
    pub(super) fn evaluate(&self, columns: &[f64]) -> f64 {
        let mut values = [0.0; DEPTH_MAX];
        let mut end = 0;
        for step in &self.steps {
            match *step {
                Step::Column(place) => {
                    values[end] = measured(columns.get(place).copied().unwrap_or(f64::NAN));
                    end += 1;
                }
                Step::Number(number) => {
                    values[end] = number;
                    end += 1;
                }
                Step::Unary(unary) => values[end - 1] = unary.of(values[end - 1]),
                Step::Binary(binary) => {
                    end -= 1;
                    values[end - 1] = binary.of(values[end - 1], values[end]);
                }
            }
        }
        values[0]
    }

    /// Computes a value for each place of the columns.
    pub(super) fn evaluate_all(&self, columns: &[&[f64]], scratch: &mut Scratch, out: &mut [f64]) {
        let is_whole = columns.iter().all(|column| column.len() == out.len());
        assert!(is_whole, "columns are as long as their results");
        scratch.values.resize(self.depth * BLOCK, 0.0);
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let begin = block * BLOCK;
            let values = &mut scratch.values[..self.depth * out.len()];
            self.evaluate_block(out.len(), |place| &columns[place][begin..], values);
            out.copy_from_slice(&values[..out.len()]);
        }
    }

    fn evaluate_block<'c>(
        &self,
        length: usize,
        column: impl Fn(usize) -> &'c [f64],
        values: &mut [f64],
    ) {
        let mut end = 0;
        for step in &self.steps {
            match *step {
                Step::Column(place) => {
                    let target = &mut values[end..end + length];
                    for (target, value) in target.iter_mut().zip(column(place)) {
                        *target = measured(*value);
                    }
                    end += length;
                }
                Step::Number(number) => {
                    values[end..end + length].fill(number);
                    end += length;
                }
                Step::Unary(unary) => unary.of_all(&mut values[end - length..end]),
                Step::Binary(binary) => {
                    end -= length;
                    let (left, right) = values.split_at_mut(end);
                    binary.of_all(&mut left[end - length..], &right[..length]);
                }
            }
        }
    }
}

/// Returns a value that is finite or NaN. There is one NaN, so that equal values have equal bits.
#[inline(always)]
fn measured(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}

/// Returns 1 or 0 if both values are measured.
#[inline(always)]
fn truth(left: f64, right: f64, is_true: bool) -> f64 {
    let is_known = !left.is_nan() & !right.is_nan();
    let truth = if is_true { 1.0 } else { 0.0 };
    if is_known { truth } else { f64::NAN }
}

#[inline(always)]
fn least(left: f64, right: f64) -> f64 {
    let least = if right < left { right } else { left };
    if right.is_nan() { f64::NAN } else { least }
}

#[inline(always)]
fn greatest(left: f64, right: f64) -> f64 {
    let greatest = if right > left { right } else { left };
    if right.is_nan() { f64::NAN } else { greatest }
}

/// False if either is false, whatever the other one is.
#[inline(always)]
fn and(left: f64, right: f64) -> f64 {
    if (left == 0.0) | (right == 0.0) { 0.0 } else { measured(left * right) }
}

/// True if either is true, whatever the other one is.
#[inline(always)]
fn or(left: f64, right: f64) -> f64 {
    if (left == 1.0) | (right == 1.0) { 1.0 } else { measured(left + right) }
}

impl Unary {
    #[inline(always)]
    fn of(self, value: f64) -> f64 {
        match self {
            Unary::Negate => measured(-value),
            Unary::Absolute => measured(value.abs()),
        }
    }

    fn of_all(self, values: &mut [f64]) {
        for value in values {
            *value = self.of(*value);
        }
    }
}

impl Binary {
    #[inline(always)]
    fn of(self, left: f64, right: f64) -> f64 {
        match self {
            Binary::Add => measured(left + right),
            Binary::Subtract => measured(left - right),
            Binary::Multiply => measured(left * right),
            Binary::Divide => measured(left / right),
            Binary::Least => least(left, right),
            Binary::Greatest => greatest(left, right),
            Binary::Greater => truth(left, right, left > right),
            Binary::GreaterOrEqual => truth(left, right, left >= right),
            Binary::Less => truth(left, right, left < right),
            Binary::LessOrEqual => truth(left, right, left <= right),
            Binary::Equal => truth(left, right, left == right),
            Binary::NotEqual => truth(left, right, left != right),
            Binary::And => and(left, right),
            Binary::Or => or(left, right),
        }
    }

    /// Puts the results in place of the left values. Each operator has a loop of its own, of which the compiler makes vectors.
    fn of_all(self, left: &mut [f64], right: &[f64]) {
        match self {
            Binary::Add => each(left, right, |left, right| Binary::Add.of(left, right)),
            Binary::Subtract => each(left, right, |left, right| Binary::Subtract.of(left, right)),
            Binary::Multiply => each(left, right, |left, right| Binary::Multiply.of(left, right)),
            Binary::Divide => each(left, right, |left, right| Binary::Divide.of(left, right)),
            Binary::Least => each(left, right, |left, right| Binary::Least.of(left, right)),
            Binary::Greatest => each(left, right, |left, right| Binary::Greatest.of(left, right)),
            Binary::Greater => each(left, right, |left, right| Binary::Greater.of(left, right)),
            Binary::GreaterOrEqual => {
                each(left, right, |left, right| Binary::GreaterOrEqual.of(left, right))
            }
            Binary::Less => each(left, right, |left, right| Binary::Less.of(left, right)),
            Binary::LessOrEqual => {
                each(left, right, |left, right| Binary::LessOrEqual.of(left, right))
            }
            Binary::Equal => each(left, right, |left, right| Binary::Equal.of(left, right)),
            Binary::NotEqual => each(left, right, |left, right| Binary::NotEqual.of(left, right)),
            Binary::And => each(left, right, |left, right| Binary::And.of(left, right)),
            Binary::Or => each(left, right, |left, right| Binary::Or.of(left, right)),
        }
    }
}

#[inline(always)]
fn each(left: &mut [f64], right: &[f64], of: impl Fn(f64, f64) -> f64) {
    for (left, right) in left.iter_mut().zip(right) {
        *left = of(*left, *right);
    }
}
