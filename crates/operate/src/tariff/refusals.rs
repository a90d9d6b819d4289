//! The refusals of databases of versions.

use tariffs::TariffsError;

use super::PlanError;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

refusals! {
    /// Why a plan is not read.
    pub enum StoredPlanError {
        /// The plan cannot be chosen.
        Plan(PlanError) => [Unknown, Conflict],
        /// There is no such version, or the database cannot be read.
        Tariffs(TariffsError) => [Unknown, Conflict],
    }
}

impl Refusal for TariffsError {
    fn kind(&self) -> RefusalKind {
        match self {
            TariffsError::Unknown(_) => RefusalKind::Unknown,
            TariffsError::NoReason => RefusalKind::Wrong,
            TariffsError::Store(_) => RefusalKind::Internal,
            _ => RefusalKind::Conflict,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            TariffsError::Mistakes(_) => "tariff-plan-has-mistakes",
            TariffsError::File { .. } => "tariff-file-unreadable",
            TariffsError::Taken(_) => "tariff-version-same-moment",
            TariffsError::Past => "tariff-version-in-past",
            TariffsError::Currency { .. } => "tariff-currency-differs",
            TariffsError::Unknown(_) => "tariff-version-unknown",
            TariffsError::Stays(..) => "tariff-version-stays",
            TariffsError::NoReason => "reason-missing",
            TariffsError::Empty(_) => "tariff-database-empty",
            TariffsError::Store(_) => "tariff-database-failed",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let conflicts = [
            ("tariff-version-same-moment", "another version begins at this moment"),
            ("tariff-version-in-past", "the moment is past"),
            ("tariff-version-stays", "the version has begun, or was withdrawn before"),
            ("tariff-currency-differs", "the versions before have another currency"),
            ("tariff-database-empty", "the database has no version"),
            ("tariff-plan-has-mistakes", "the plan has mistakes"),
            ("tariff-file-unreadable", "a file of the plan cannot be read"),
            ("tariff-database-failed", "the database cannot be read or written"),
        ];
        let unknown = ("tariff-version-unknown", "there is no such version");
        let of = |kind| move |text| PossibleRefusal { kind, text: Some(text) };
        let conflicts = conflicts.map(of(RefusalKind::Conflict));
        [vec![of(RefusalKind::Unknown)(unknown)], conflicts.to_vec()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_is_in_the_description() {
        let possible: Vec<&str> = TariffsError::possible()
            .iter()
            .filter_map(|possible| possible.text.map(|(code, _)| code))
            .collect();
        let error = std::io::Error::other("a fault");
        let errors = [
            TariffsError::Mistakes(Vec::new()),
            TariffsError::File { path: "plan.toml".into(), error },
            TariffsError::Taken(1),
            TariffsError::Past,
            TariffsError::Currency { new: "EUR".into(), old: "SEK".into() },
            TariffsError::Unknown(1),
            TariffsError::Stays(1, "has begun"),
            TariffsError::Empty("tariff.db".into()),
        ];
        let missing: Vec<&str> =
            errors.iter().map(Refusal::code).filter(|code| !possible.contains(code)).collect();
        assert_eq!(missing, [""; 0]);
    }
}
