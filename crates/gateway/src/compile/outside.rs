//! Reads the remote places of any flow file: addresses, logins, what is fetched and delivered. For any input, nothing may
//! panic, and no mistake may show a secret of the environment. For tests and fuzzing.

use std::path::Path;

use node::Kind;
use settings::Settings;
use transport::Scheme;

use crate::compile::prepare::parse;
use collection::fetch::{Pull, is_pulled};
use distribution::Route;

/// The key whose value is secret.
const SECRET: &str = "password";

/// Reads the remote places in a text and asserts what must hold. `secret` may be the value of variables of the
/// environment.
pub fn hold(text: &str, secret: &str, kinds: &[&dyn Kind], schemes: &[&dyn Scheme]) {
    let (file, mistakes) = parse(Path::new("fuzz/flow.toml"), text.to_owned(), kinds);
    let collects = file.network_elements.iter().map(|element| &element.collect);
    let delivers = file.post_processing_systems.iter().map(|system| &system.deliver);
    let is_secret = |settings: &&Settings| {
        let mut has_it = settings.values.iter().filter(|of| of.value.contains(secret));
        !settings.name.contains(secret) && has_it.all(|of| of.key == SECRET)
    };
    let hold = |text: Vec<diagnostics::Diagnostic>, settings: &Settings| {
        let text: String = text.iter().map(ToString::to_string).collect();
        assert!(!text.contains(secret) || !is_secret(&settings), "{text}");
    };
    for collect in collects.filter(|collect| is_pulled(collect)) {
        hold(Pull::read(&file, collect, schemes).err().unwrap_or_default(), collect);
    }
    for deliver in delivers {
        let route = Route::read(&deliver.name, deliver, &file.state, schemes);
        hold(route.err().unwrap_or_default(), deliver);
    }
    mistakes.iter().for_each(|mistake| drop(mistake.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_the_environment_is_not_told_with_a_mistake() {
        // Cargo sets this variable for each test, so it serves as the secret.
        let secret = env!("CARGO_PKG_NAME");
        for more in ["url = 7", "url = \"sftp://a@b/\"", "url = \"x\", at-once = 0", "dir = \"in\""]
        {
            let table = format!("{more}, password = \"${{CARGO_PKG_NAME}}\", after = \"often\"");
            let flow = format!(
                "[network-element.a]\ncollect = {{ {table} }}\n[post-processing-system.b]\ndeliver = {{ {table} }}\n"
            );
            hold(&flow, secret, &[], &[]);
        }
    }
}
