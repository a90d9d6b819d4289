//! How long something takes: by the wall, and by the processors that it uses.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

pub struct Clock {
    since: Instant,
    processor: Duration,
}

/// How long something took.
#[derive(Clone, Copy)]
pub struct Took {
    pub seconds: f64,
    pub processor_seconds: f64,
}

impl Clock {
    pub fn start() -> Self {
        Clock { processor: processor_time(), since: Instant::now() }
    }

    pub fn took(&self) -> Took {
        Took {
            seconds: self.since.elapsed().as_secs_f64(),
            processor_seconds: (processor_time() - self.processor).as_secs_f64(),
        }
    }
}

/// Returns the time of processors that the process has used so far.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}
