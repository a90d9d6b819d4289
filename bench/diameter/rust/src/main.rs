//! A server of credit control with the crate `diameter`, for `make bench-diameter`. It answers and charges nothing.
//!
//! | arguments | |
//! |---|---|
//! | `serve ADDRESS` | serves until it is ended |
//! | `codec COUNT` | writes and reads so many requests, and prints the nanoseconds of one, and the sum of all values |

mod codec;
mod codes;
mod server;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", address] => server::serve(address).await,
        ["codec", count] => match count.parse() {
            Ok(count) => codec::measure(count),
            Err(_) => return fault(&format!("\"{count}\" is not a count")),
        },
        _ => return fault("usage: serve ADDRESS | codec COUNT"),
    };
    result.map_or_else(|error| fault(&error.to_string()), |()| ExitCode::SUCCESS)
}

fn fault(what: &str) -> ExitCode {
    eprintln!("{what}");
    ExitCode::FAILURE
}
