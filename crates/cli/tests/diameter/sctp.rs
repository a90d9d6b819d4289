//! SCTP, which few machines for tests have. What is sent over it is tested in a guest (`tools/interop/run.py --only sctp`).

use crate::charging::Charging;

/// The tables of a definition with an endpoint of SCTP that has two addresses.
const TABLES: &str = "[diameter]
host = \"charging.example.net\"
realm = \"example.net\"
[diameter.sctp]
listen = [\"127.0.0.1:0\", \"127.0.0.2:0\"]
[diameter.services.data]
contexts = [\"32251@3gpp.org\"]
";

/// Returns whether the kernel has SCTP. It loads the module if it may.
fn has_sctp(charging: &Charging) -> bool {
    let output = charging.command("simulate diameter 127.0.0.1:1 --sctp --patience 0").output();
    !String::from_utf8_lossy(&output.unwrap().stderr).contains("this kernel has no SCTP")
}

#[test]
fn a_kernel_without_sctp_is_named_at_the_start() {
    let charging = Charging::new();
    charging.define(TABLES);
    let checked = charging.run("charge check");
    assert!(checked.contains("at 127.0.0.1:0 (SCTP) and 127.0.0.2:0 (SCTP)"), "{checked}");
    if has_sctp(&charging) {
        return eprintln!("LEFT OUT: the kernel of this machine has SCTP");
    }
    let started = charging.command("charge run").output().unwrap();
    assert!(!started.status.success());
    let why = String::from_utf8_lossy(&started.stderr);
    assert!(why.contains("cannot listen for SCTP at 127.0.0.1:0 and 127.0.0.2:0"), "{why}");
    assert!(
        why.contains("this kernel has no SCTP: load its module with \"modprobe sctp\""),
        "{why}"
    );
    let simulated = charging.command("simulate diameter 127.0.0.1:1 --sctp").output().unwrap();
    let why = String::from_utf8_lossy(&simulated.stderr);
    assert!(why.contains("cannot connect to 127.0.0.1:1 over SCTP"), "{why}");
}
