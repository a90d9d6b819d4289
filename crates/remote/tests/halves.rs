//! Our clients against our servers: operators with two gateways use both.

use std::fs;
use std::net::TcpStream;

use transport::{Place, PutMethod, RemoteConnection, RemoteError};

use crate::kit::{Octets, told};
use crate::own::{LIMIT, Own, PUSH_PROTOCOLS, PushProtocol};

/// Delivers a file as a flow does, under a temporary name first if the protocol needs one.
fn deliver(
    place: &dyn Place,
    far: &mut dyn RemoteConnection,
    name: &str,
    octets: &[u8],
) -> Result<(), RemoteError> {
    let parcel = Octets(octets.to_vec());
    match place.put_method() {
        PutMethod::Atomic => far.put(name, &parcel).map(drop),
        PutMethod::Rename => {
            let temporary = format!("{name}.tmp");
            far.put(&temporary, &parcel)?;
            far.rename(&temporary, name).inspect_err(|_| drop(far.remove(&temporary)))
        }
    }
}

#[test]
fn files_that_one_half_of_ours_delivers_the_other_takes() {
    for protocol in PUSH_PROTOCOLS {
        let own = Own::serve(protocol);
        let place = own.place();
        let mut far = place.connect().unwrap();
        for (name, size) in
            [("empty.csv", 0), ("a.csv", 1), ("a b ü+&=%.csv", 32_768), ("large.csv", 3_000_001)]
        {
            let octets: Vec<u8> = (0..size).map(|at: usize| (at * 7 + at / 251) as u8).collect();
            let delivered = told(deliver(&*place, &mut *far, name, &octets));
            assert_eq!(delivered, "done", "{protocol:?} {name}");
            assert!(fs::read(own.buffer().join(name)).unwrap() == octets, "{protocol:?} {name}");
        }
        assert_eq!(
            own.names(),
            ["a b ü+&=%.csv", "a.csv", "empty.csv", "large.csv"],
            "{protocol:?}"
        );
    }
}

/// The refusals of our servers, and how our clients react. Senders cannot see delivered files, so a conflict with a
/// file of the same name and other contents only shows when the gateway takes it.
#[test]
fn what_one_half_of_ours_refuses_the_other_gives_up_or_tries_again() {
    for protocol in PUSH_PROTOCOLS {
        let own = Own::serve(protocol);
        let place = own.place();
        let mut far = place.connect().unwrap();
        deliver(&*place, &mut *far, "a.csv", b"money").unwrap();
        for (name, octets, over_sftp, over_http) in [
            ("a.csv", &b"other"[..], "a file \"a.csv\" with other contents", "unavailable: "),
            ("x.csv.done", b"x", "", "refused: "),
            ("x.txt", b"x", "", "refused: "),
            ("x.csv.poison", b"x", "refused: ", "refused: "),
            (".hidden.csv", b"x", "refused: ", "refused: "),
            ("back\\slash.csv", b"x", "refused: ", "refused: "),
            ("large.csv", &[0; LIMIT + 1], "unavailable: ", "refused: "),
        ] {
            let said = told(deliver(&*place, &mut *far, name, octets));
            let expected = if protocol == PushProtocol::Sftp { over_sftp } else { over_http };
            // The temporary name is accepted; only the final name is refused.
            let expected = if expected.is_empty() { "refused: " } else { expected };
            assert!(said.starts_with(expected), "{protocol:?} {name}: {said}");
            assert_eq!(own.names(), ["a.csv"], "{protocol:?} {name}: {said}");
        }
        assert_eq!(fs::read(own.buffer().join("a.csv")).unwrap(), b"money", "{protocol:?}");
        assert_eq!(
            told(deliver(&*place, &mut *far, "b.csv", b"more")),
            "done",
            "{protocol:?}: it goes on"
        );
    }
}

#[test]
fn the_usual_temporary_name_is_none_that_our_own_half_takes() {
    let own = Own::serve(PushProtocol::Sftp);
    let said = told(own.place().connect().unwrap().put(".a.csv.part", &Octets(Vec::new())));
    assert!(said.starts_with("refused: ") && said.contains("begin with a dot"), "{said}");
}

/// Connections that do not log in take no permits from those that do.
#[test]
fn who_does_not_log_in_keeps_nobody_out() {
    for protocol in PUSH_PROTOCOLS {
        let own = Own::serve(protocol);
        let idle = |_| TcpStream::connect(own.address()).unwrap();
        let strangers: Vec<TcpStream> = (0..300).map(idle).collect();
        let place = own.place();
        let mut far = place.connect().unwrap();
        let delivered = told(deliver(&*place, &mut *far, "a.csv", b"money"));
        assert_eq!(delivered, "done", "{protocol:?}");
        drop(strangers);
    }
}
