//! Measures the same files in local folders and over SFTP in both directions, with a server in another process at a
//! local address.
//!
//! The gateway runs until it is stopped, so that files are fetched, processed and sent at the same time. The time
//! starts with the first octet fetched, or, with folders, with the first file in progress, and ends when the last file
//! is at its destination. Before that, the gateway only waits to see whether the files are still being written.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use flow::meters::Meters;
use gateway::RunOptions;
use remote::loopback::Loopback;

use super::bare;
use crate::error::BenchError;
use crate::folder::make_journal;
use crate::measure::{Results, processor_time};
use crate::product::Product;
use crate::work::{SCRIPTED, Work, run};

/// The flow whose files come and go over SFTP.
const BY_SFTP: &str = "sftp.toml";

/// The octets of a file.
const FILE_OCTETS: u64 = 10_000_000;

/// The settings that make the server's allocator keep freed memory.
const KEEPS_MEMORY: &str =
    "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456";

/// The interval of checks of a gateway's progress.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The maximum time without output of a gateway.
const SILENT_MAX: Duration = Duration::from_secs(120);

pub(super) fn measure(
    product: &Product,
    folder: &Path,
    (octets, rounds): (u64, u32),
    found: &mut Results,
) -> Result<(), BenchError> {
    let files = octets.div_ceil(FILE_OCTETS).max(2) as u32;
    (product.stage)(&format!(
        "simulating {files} files of {} MB",
        octets / u64::from(files) / 1_000_000
    ));
    let work = Work::of_files(folder, octets, files)?;
    let server = Server::start(&product.executable, folder)?;
    by_sftp(folder, &server)?;
    // Run once to learn how many files come out.
    work.inputs()?;
    run(&folder.join(SCRIPTED), product.parts, 1)?;
    let outputs = outputs(folder)?;
    let mut local = work.row("folders, 1 thread");
    // Not measured, but computed.
    let mut bare = work.row("folders, and a plain copy of all");
    let mut sftp = work.row("SFTP in and out, 1 thread");
    for round in 0..rounds {
        (product.stage)(&format!("round {} of {rounds}", round + 1));
        let mut variants = [(&mut local, SCRIPTED), (&mut sftp, BY_SFTP)];
        variants.rotate_left(round as usize % 2);
        for (row, flow) in variants {
            let _ = fs::remove_dir_all(folder.join("sftp.state"));
            work.inputs()?;
            make_journal(product, folder, flow)?;
            for out in OUT {
                fs::create_dir_all(folder.join(out))?;
            }
            let Took { elapsed, worked } = gateway(product, (folder, flow), outputs)?;
            row.took(elapsed);
            if flow == SCRIPTED {
                let copied = bare::carry(&carried(folder)?, &folder.join("bare"))?;
                bare.took(at_best(elapsed, worked + copied));
            }
        }
    }
    found.ratios.push(("sftp_over_local".into(), sftp.over_in_turn(&local)));
    found.ratios.push(("bare_over_local".into(), bare.over_in_turn(&local)));
    found.rows.extend([local, sftp]);
    Ok(())
}

/// Returns the best possible time: that of the work on one processor, or of all the work spread over all processors.
fn at_best(alone: Duration, worked: Duration) -> Duration {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    alone.max(worked / processors as u32)
}

/// Returns all input and output files.
fn carried(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in IN.iter().chain(&OUT).map(|within| folder.join(within)) {
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    Ok(files)
}

/// Writes the flow: the example's, with its folders reached over the server.
fn by_sftp(folder: &Path, server: &Server) -> Result<(), BenchError> {
    let [address, host_key, password] = &server.credentials;
    fs::write(folder.join("password"), password)?;
    let far = |folder: &str| {
        format!(
            "url = \"sftp://bench@{address}/{folder}\", password-file = \"password\", host-key = \"{host_key}\""
        )
    };
    let mut flow = fs::read_to_string(folder.join(SCRIPTED))?;
    for (folders, more) in [(&IN[..], ", after = \"keep\", every = \"1 second\""), (&OUT[..], "")] {
        for folder in folders {
            let dir = format!("dir = \"{folder}\"");
            assert!(flow.contains(&dir), "the example has {folder}");
            flow = flow.replace(&dir, &format!("{}{more}", far(folder)));
        }
    }
    Ok(fs::write(folder.join(BY_SFTP), flow)?)
}

/// The folders of the example.
const IN: [&str; 2] = ["in/new-york", "in/boston"];
const OUT: [&str; 3] = ["out/roaming", "out/home", "out/statistics"];

/// The time from the first file in progress, and the processor time meanwhile.
struct Took {
    elapsed: Duration,
    worked: Duration,
}

/// Runs a gateway until so many files came out.
fn gateway(
    product: &Product,
    (folder, flow): (&Path, &str),
    outputs_max: usize,
) -> Result<Took, BenchError> {
    let meters = Arc::<Meters>::default();
    let options =
        RunOptions { once: false, workers: 1, meters: Arc::clone(&meters), ..RunOptions::once() };
    let stop = options.stop.clone();
    let path = folder.join(flow);
    thread::scope(|scope| {
        let running = scope.spawn(|| gateway::run(&path, product.parts, &options));
        let (mut begun, mut last) = (None, (0, Instant::now()));
        let mut looking = Duration::ZERO;
        let took = loop {
            let (_, working) = meters.threads();
            if begun.is_none() && (working > 0 || has_come(folder)?) {
                begun = Some((Instant::now(), processor_time()?));
                looking = Duration::ZERO;
            }
            let looked = Instant::now();
            let there = outputs(folder)?;
            looking += looked.elapsed();
            if there > last.0 {
                last = (there, Instant::now());
            }
            let (is_over, is_silent) = (there >= outputs_max, last.1.elapsed() > SILENT_MAX);
            match begun {
                Some((begun, before)) if is_over => {
                    // Do not count the checks.
                    let worked = processor_time()?.saturating_sub(before + looking);
                    break Ok(Took { elapsed: begun.elapsed(), worked });
                }
                _ if is_silent || running.is_finished() => {
                    break Err(BenchError::Files { found: there, expected: outputs_max });
                }
                _ => thread::sleep(LOOK_EVERY),
            }
        };
        stop.set();
        let ended = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        ended?;
        took
    })
}

/// Returns whether anything was fetched, even only the beginning of a file.
fn has_come(folder: &Path) -> io::Result<bool> {
    let buffers = ["new-york", "boston"].map(|centre| format!("sftp.state/in/msc-{centre}"));
    let mut counted = buffers.iter().map(|buffer| count(&folder.join(buffer), |_| true));
    counted.try_fold(false, |has, count| Ok(has || count? > 0))
}

/// Returns how many files have reached their destination.
fn outputs(folder: &Path) -> io::Result<usize> {
    let is_whole = |name: &str| !name.starts_with('.');
    OUT.iter().map(|out| count(&folder.join(out), is_whole)).sum()
}

fn count(folder: &Path, counts: impl Fn(&str) -> bool) -> io::Result<usize> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut files = 0;
    for entry in entries {
        files += usize::from(counts(&entry?.file_name().to_string_lossy()));
    }
    Ok(files)
}

/// The other machine: this program in another process.
struct Server {
    child: Child,
    /// Its address, its host key, and the password.
    credentials: [String; 3],
}

impl Server {
    fn start(executable: &Path, folder: &Path) -> Result<Self, BenchError> {
        let mut command = Command::new(executable);
        // Do not measure how it returns memory and takes it again.
        command.env("GLIBC_TUNABLES", KEEPS_MEMORY);
        command.args(["bench", "transport", "--serve"]).arg(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().expect("it is piped");
        let mut lines = BufReader::new(output).lines();
        let mut next_line = || lines.next().unwrap_or_else(|| Ok(String::new()));
        let credentials = [next_line()?, next_line()?, next_line()?];
        match credentials[2].is_empty() {
            true => Err(BenchError::NoServer),
            false => Ok(Server { child, credentials }),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves a folder until standard input ends, which is when the parent process ends.
pub(super) fn serve(folder: &Path, out: &mut dyn Write) -> Result<(), BenchError> {
    let server = Loopback::serve(&std::path::absolute(folder)?)?;
    writeln!(out, "{}\n{}\n{}", server.address(), server.host_key, server.password)?;
    out.flush()?;
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    Ok(())
}
