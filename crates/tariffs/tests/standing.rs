//! Which of several versions is valid at a moment.

use rating::Moment;
use tariffs::{Standing, Version, standing};

#[test]
fn a_version_is_valid_until_the_next_one_that_is_not_withdrawn() {
    use Standing::{Coming, Past, Valid, Withdrawn};
    let deed = |at: Moment| (at, "anna".to_owned(), "prices".to_owned());
    let version = |(valid_from, is_withdrawn): (Moment, bool)| Version {
        id: valid_from,
        valid_from,
        name: "a plan".to_owned(),
        loaded: deed(0),
        withdrawn: is_withdrawn.then(|| deed(1)),
    };
    let all: Vec<Version> = [(10, false), (20, true), (30, false), (40, false)].map(version).into();
    for (now, wanted) in [
        (5, [Coming, Withdrawn, Coming, Coming]),
        (10, [Valid, Withdrawn, Coming, Coming]),
        (29, [Valid, Withdrawn, Coming, Coming]),
        (30, [Past, Withdrawn, Valid, Coming]),
        (99, [Past, Withdrawn, Past, Valid]),
    ] {
        let found = standing(&all, now);
        assert_eq!(found.iter().map(|(standing, _)| *standing).collect::<Vec<_>>(), wanted);
        let until: Vec<Option<Moment>> = found.into_iter().map(|(_, until)| until).collect();
        assert_eq!(until, [Some(30), None, Some(40), None]);
    }
}
