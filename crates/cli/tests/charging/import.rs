//! Tests files of subscribers.

use super::{Charging, SUBSCRIBERS};

#[test]
fn a_wrong_line_of_an_import_is_named_and_a_repeated_number_too() {
    let charging = Charging::new();
    let import = |text: &str| {
        std::fs::write(charging.folder().join("new.csv"), text).unwrap();
        charging.command("subscriber import new.csv").output().unwrap()
    };
    for (text, expected) in [
        ("number,amount\n46702000000,10\n46702000001,ten\n", "new.csv:3: \"ten\" is no amount"),
        ("46702000000,10\n\nanna,10\n", "new.csv:3: \"anna\" is no number"),
        ("0702000000,10\n46702000001,1\n", "country code"),
        ("46702000001,1\n\n0702000000,10\n46702000002,x\n", "\nnew.csv:4: \"x\" is no amount"),
        ("msisdn,balance\n46702000000,10\n", "new.csv:1: there is no column \"msisdn\""),
        ("46702000000,\"10\n46702000001,5\n", "new.csv:1: a quotation mark in"),
        ("46702000000,10,plus\n", "new.csv:1: no plan has a type of subscriber \"plus\""),
        ("46702000000\n", "new.csv:1: \"46702000000\" is no line"),
        // The tariff has no price for it: the national prefix is behind the country code.
        ("460702000000,1\n", "new.csv:1: \"460702000000\" cannot be the number of an account"),
    ] {
        let refused = import(text);
        let why = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && why.contains(expected), "{why}");
        assert!(why.contains("no account is opened"), "{why}");
        assert_eq!(charging.json("charge show")["accounts"], SUBSCRIBERS, "{text}");
    }
    let imported = import("46702000000,10\n46702000001,5\n+46702000000,7\n46702000001,5\n");
    assert_eq!(imported.status.code(), Some(1), "something in the file is wrong");
    let counts = String::from_utf8(imported.stdout).unwrap();
    assert_eq!(counts, "2 accounts are opened, 0 numbers have one already\n");
    let repeated = String::from_utf8(imported.stderr).unwrap();
    assert!(repeated.contains("2 lines have a number of a line before"), "{repeated}");
    assert!(repeated.contains("the first is new.csv:3"), "{repeated}");
    let first = charging.json("account show 46702000000");
    assert_eq!(first["balances"][0]["amount"], "10.00");
}
