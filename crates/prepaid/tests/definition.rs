use prepaid::{Definition, RecordSettings};

use crate::set_up::SetUp;

fn mistakes(text: &str) -> String {
    let set_up = SetUp::new();
    set_up.write(text);
    let mistakes = Definition::read(&set_up.path()).expect_err("it has mistakes");
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

const TARIFF: &str = concat!("plan = \"", env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff\"\n");

#[test]
fn all_mistakes_are_found_where_they_stand() {
    for (text, message) in [
        ("", "\"charging.toml\" has no \"plan\""),
        ("plan = \n", "charging.toml:1"),
        ("pla = \"x\"\n", "did you mean \"plan\"?"),
        ("plan = \"nowhere\"\n", "nowhere"),
        ("[grants]\nvalidity = \"2 days\"\n", "\"validity\" is 86400 seconds at most"),
        ("[grants]\nsecond = 3\n", "did you mean \"seconds\"?"),
        ("[grants]\noctets = \"many\"\n", "\"many\" is no number of octets"),
        ("[diameter]\nlisten = \"all\"\n", "\"all\" is no address with a port"),
        ("[diameter]\nlisten = \"0.0.0.0:3868\"\n", "name each peer that may connect"),
        ("[diameter]\nlisten = \"127.0.0.1:3868\"\n", "\"diameter\" has no \"host\""),
        ("[diameter]\nhost = \"a b\"\n", "\"a b\" is no name of a host"),
        ("[diameter]\nwatchdog = \"5 seconds\"\n", "\"watchdog\" is 6 seconds at least"),
        ("[diameter]\nmessage-log = \"1 GB\"\n", "\"message-log\" is 100 MB at most"),
        ("[diameter]\nhome-networks = [\"24-01\"]\n", "\"24-01\" is no MCC with its MNC"),
        ("[diameter]\ndictionaries = [\"none.dictionary\"]\n", "none.dictionary cannot be read"),
        ("[diameter]\nlisten = \"127.0.0.1:1\"\n", "no request has a service"),
        ("[diameter.services.dta]\ncontexts = [\"c\"]\n", "did you mean \"data\"?"),
        ("[diameter.services.data]\n", "\"data\" has no \"contexts\""),
        ("[diameter.services.data]\nrating-groups = [-1]\n", "\"-1\" is no number of 32 bits"),
        ("[diameter.peers.\"a/b\"]\n", "\"a/b\" is no name of a host"),
        ("[diameter.peers.smf.example.net]\n", "begins with \"smf\" has dots and no quotes"),
        ("[diameter.peers.a]\n[diameter.peers.A]\n", "\"A\" has two tables"),
        ("[diameter.peers.a]\nprofile = \"open6gs\"\n", "did you mean \"open5gs\"?"),
        ("[diameter.peers.a]\ninband-tls = true\n", "\"a\" begins TLS, and this node has no cert"),
        ("[diameter.peers.a]\nconnections = 0\n", "\"connections\" is 1 to 1000"),
        ("[diameter.peers.a]\nthreshold-percent = 100\n", "\"threshold-percent\" is 0 to 99"),
        ("[diameter.peers.a]\nfinal-unit = \"redirect\"\n", "nothing that a client does"),
        ("[diameter.sctp]\n", "\"sctp\" has no \"listen\""),
        ("[diameter.sctp]\nlisten = [\"0.0.0.0:1\", \"127.0.0.1:1\"]\n", "port 1 is one endpoint"),
        ("[diameter.sctp]\nlisten = \"0.0.0.0:3868\"\n", "name each peer that may connect"),
        ("[diameter.peers.a]\nwithout-money = \"final-unit\"\n", "the final unit is to terminate"),
        ("[diameter.peers.a]\nsession-failover = \"supported\"\n", "no other node can go on"),
        ("[diameter.peers.a]\nrestarts = \"ignore\"\n", "did you mean \"ignored\"?"),
        ("[diameter.tls]\nlisten = \"127.0.0.1:1\"\n", "\"tls\" has no \"certificate-file\""),
        ("[http]\nlisten = \"everywhere\"\n", "\"everywhere\" is no address with a port"),
        ("[http]\nlisten = \"0.0.0.0:8090\"\n", "every machine that reaches this address"),
        ("[http]\nlisten = \"0.0.0.0:8090\"\n[clients.msc1]\n", "the client \"msc1\" has no token"),
        ("[grants]\nreserve-below = \"a lot\"\n", "\"a lot\" is no amount"),
        ("[limits.data]\nservices = [\"dat\"]\namount = \"50\"\n", "did you mean \"data\"?"),
        ("[limits.data]\nservices = [\"data\"]\n", "\"data\" has no \"amount\""),
        ("[bundles.week]\nprice = \"9.00\"\n", "\"week\" gives nothing"),
        ("[bundles.week]\nmoney = \"9.00\"\n", "\"week\" has no \"price\""),
        ("[bundles.week]\nprice = \"9.001\"\nevents = 5\n", "\"9.001\" is no amount"),
        ("[bundles.week]\nprice = \"9\"\nevents = 0\n", "\"events\" is a number from 1"),
        (
            "[bundles.week]\nprice = \"9\"\nevents = 1\nvalid = \"soon\"\n",
            "\"30 days\" or \"1 month\"",
        ),
        (
            "[bundles.week]\nprice = \"9\"\nevents = 1\nservices = [\"smms\"]\n",
            "did you mean \"sms\"?",
        ),
        (
            "[bundles.week]\nprice = \"9\"\nevents = 1\nclasses = [\"mobil\"]\n",
            "did you mean \"mobile\"?",
        ),
        (
            "[bundles.week]\nprice = \"9\"\nevents = 1\nrolls-over = true\n",
            "only what is left of a bundle that renews can roll over",
        ),
        ("[thresholds.x]\nbelow = \"0 %\"\n", "a whole number from 1 to 99"),
        (
            "[thresholds.x]\nbelow = \"20 %\"\nagain-above = \"30\"\n",
            "\"below\" and \"again-above\" are both amounts, or both percentages",
        ),
        ("[notices]\nbefore-end = \"400 days\"\n", "365 days at most"),
        (
            "[notices]\nbefore-end = \"9 days\"\n[life]\nactive = \"9 days\"\ngrace = \"1 day\"\nsuspended = \"1 day\"\n",
            "each refill would make a notice",
        ),
        (
            "[transfers]\nfee = \"1\"\n[fees.transfer]\namount = \"2\"\nevery = \"1 month\"\n",
            "the name of the fee of transfers",
        ),
        ("[transfers]\nper-day = \"0\"\n", "\"0\" is no amount"),
        ("[notices]\nbefore-end = \"soon\"\n", "\"soon\" is no length of time"),
        ("[barring]\nclasses = [\"world\"]\n", "no plan has a tariff class \"world\""),
        (
            "[bundles.week]\nprice = \"9\"\nevents = 1\nrenews = true\n",
            "a bundle that renews has \"valid\"",
        ),
        ("[fees.month]\namount = \"9\"\n", "\"month\" has no \"every\""),
        ("[fees.month]\nevery = \"1 month\"\n", "\"month\" has no \"amount\""),
        ("[fees.month]\namount = \"9\"\nevery = \"1 hour\"\n", "\"30 days\" or \"1 month\""),
        (
            "[fees.month]\namount = \"9\"\nevery = \"1 day\"\nfrom = \"soon\"\n",
            "\"soon\" is no time",
        ),
        ("[bonuses.first]\nfirst-refill = true\n", "\"first\" gives nothing"),
        (
            "[bonuses.first]\nevents = 5\nfirst-refill = \"yes\"\n",
            "\"first-refill\" is not \"yes\"",
        ),
        ("[bonuses.first]\nevents = 5\nat-least = \"0\"\n", "\"0\" is no amount"),
        (
            "[bonuses.first]\nevents = 5\nfrom = \"2026-02-01\"\nuntil = \"2026-01-01\"\n",
            "\"first\" ends before it begins",
        ),
        ("[numbers]\nquarantine = \"long\"\n", "\"long\" is no length of time"),
        ("[approval]\n", "\"approval\" has no \"above\""),
        ("[approval]\nabove = \"much\"\n", "\"much\" is no amount"),
        ("[bundles]\nweek = 5\n", "\"week\" is a table"),
        ("bundles = 5\n", "\"bundles\" has a table for each of its names"),
        ("[records]\n", "\"records\" has no \"folder\""),
        ("[records]\nfolder = \"out\"\nevery = \"often\"\n", "\"often\" is no length of time"),
        ("[database]\n", "\"database\" has no \"server\""),
        ("[database]\nserver = \"here\"\n", "is no address of a PostgreSQL server"),
        ("[database]\nserver = \"host=db1\"\n", "the address has no host or no database"),
        ("[database]\nserver = \"postgresql://anna:sesame@db1/charging\"\n", "server = \"*******"),
        ("[thresholds.low]\n", "\"low\" has no \"below\""),
        ("[thresholds.low]\nbelow = \"0\"\n", "\"0\" is no amount"),
        (
            "[thresholds.low]\nbelow = \"20\"\nagain-above = \"10\"\n",
            "\"again-above\" of \"low\" is below \"below\"",
        ),
        (
            "[thresholds.low]\nunit = \"octets\"\nbelow = \"0 kB\"\n",
            "\"0 kB\" is no number of octets",
        ),
        ("[thresholds.low]\nunit = \"metres\"\nbelow = \"1\"\n", "\"metres\""),
        ("[notices]\nkeep = \"1 hour\"\n", "deleted before they are sent"),
        (
            "[thresholds.a]\nbelow = \"20\"\n[thresholds.b]\nbelow = \"20.00\"\n",
            "\"a\" and \"b\" have one level",
        ),
        ("[notices]\nkeep = \"long\"\n", "\"long\" is no length of time"),
        ("[notices]\nurl = \"ftp://host\"\n", "does not begin with \"https://\""),
        ("[notices]\nallow = [\"127.0.0.1\"]\n", "\"notices\" has no \"url\""),
        ("[notices]\nurl = \"http://anna:sesame@host\"\n", "has a user in it"),
        ("later-plans = [\"soon\"]\n", "a later plan is \"MOMENT = FOLDER\""),
    ] {
        let text = if text.starts_with("pla") || text.is_empty() {
            text.to_owned()
        } else {
            format!("{TARIFF}{text}")
        };
        let shown = mistakes(&text);
        assert!(shown.contains(message), "{text}\n{shown}");
        assert!(!shown.contains("sesame"), "a secret is not shown: {shown}");
    }
}

#[test]
fn a_definition_has_what_is_usual_where_it_says_nothing() {
    let set_up = SetUp::new();
    let definition = Definition::read(&set_up.path()).unwrap();
    assert_eq!(definition.state, set_up.folder().join("charging.state"));
    assert_eq!(definition.terms.charging.grants.seconds, 180);
    assert_eq!((definition.terms.charging.validity_seconds, definition.http), (600, None));
    assert_eq!(definition.terms.records, None);
    set_up.write(&format!(
        "{TARIFF}[grants]\nseconds = 60\nvalidity = \"5 minutes\"\n[http]\nlisten = \"0.0.0.0:8090\"\n\
         [clients.msc1]\ntoken-file = \"msc1.token\"\n\
         [limits.abroad]\nservices = [\"data\"]\namount = \"500\"\nonly-abroad = true\n\
         [records]\nfolder = \"cdr\"\n"
    ));
    let definition = Definition::read(&set_up.path()).unwrap();
    assert_eq!(definition.terms.charging.grants.seconds, 60);
    let folder = set_up.folder().join("cdr");
    let records = RecordSettings { folder, every: 60_000, records_max: 10_000 };
    assert_eq!(definition.terms.records, Some(records));
    assert_eq!(definition.terms.charging.validity_seconds, 300);
    let limit = &definition.terms.charging.policy.spend_limits[0];
    assert_eq!(
        (limit.name.as_str(), limit.is_roaming, limit.amount),
        ("abroad", true, 500_000_000_000)
    );
    assert_eq!(definition.http.unwrap().clients[0].name, "msc1");
}

#[test]
fn data_abroad_has_the_limit_of_the_union_if_the_operator_sets_none() {
    let set_up = SetUp::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
    let tariff = set_up.folder().join("tariff");
    std::fs::create_dir(&tariff).unwrap();
    for file in std::fs::read_dir(example).unwrap().map(|file| file.unwrap()) {
        let is_file = file.path().is_file();
        is_file.then(|| std::fs::copy(file.path(), tariff.join(file.file_name())).unwrap());
    }
    let settings = tariff.join("tariff.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    let limits = |text: &str, limits: &str| {
        std::fs::write(&settings, text).unwrap();
        set_up.write(&format!("plan = \"tariff\"\n{limits}"));
        let definition = Definition::read(&set_up.path()).expect("it has no mistakes");
        let limits = definition.terms.charging.policy.spend_limits.into_iter();
        let limits = limits.map(|of| (of.name, of.services.join(" "), of.amount, of.is_roaming));
        limits.collect::<Vec<_>>()
    };
    let in_euro = text.replace("currency = \"SEK\"", "currency = \"EUR\"");
    assert_ne!(in_euro, text);
    let default = ("data-abroad".to_owned(), "data".to_owned(), 50_000_000_000, true);
    assert_eq!(limits(&in_euro, ""), std::slice::from_ref(&default));
    let all_data = |amount| format!("[limits.web]\nservices = [\"data\"]\namount = \"{amount}\"\n");
    let high = ("web".to_owned(), "data".to_owned(), 500_000_000_000, false);
    assert_eq!(
        limits(&in_euro, &all_data("500")),
        [high, default],
        "it is no limit of data abroad"
    );
    assert_eq!(limits(&in_euro, &all_data("50")).len(), 1);
    let own = "[limits.web]\nservices = [\"data\"]\nonly-abroad = true\namount = \"80\"\n";
    let chosen = ("web".to_owned(), "data".to_owned(), 80_000_000_000, true);
    assert_eq!(limits(&in_euro, own), [chosen]);
    assert_eq!(limits(&text, ""), [], "the operator says what it is in another currency");
    let elsewhere = in_euro.replace("country = \"SE\"", "country = \"CH\"");
    assert_eq!(limits(&elsewhere, ""), []);
}

#[test]
fn a_table_of_services_that_no_request_reaches_has_a_warning() {
    let set_up = SetUp::new();
    let node = "[diameter]\nlisten = \"127.0.0.1:3868\"\nhost = \"a\"\nrealm = \"b\"\n";
    let warnings = |services: &str| {
        set_up.write(&format!("{TARIFF}{node}{services}"));
        let definition = Definition::read(&set_up.path()).expect("a definition");
        definition.warnings.iter().map(ToString::to_string).collect::<String>()
    };
    let all = "[diameter.services.data]\ncontexts = [\"32251@3gpp.org\"]\n";
    let some = "[diameter.services.sms]\ncontexts = [\"32251@3gpp.org\"]\nrating-groups = [7]\n";
    let missed = warnings(&format!("{all}{some}"));
    assert!(missed.contains("no request is about \"sms\""), "{missed}");
    assert!(!warnings(&format!("{some}{all}")).contains("no request is about"));
}
