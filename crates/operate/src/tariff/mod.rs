//! Tariff plans: the price of a usage is explained, and versions in a database are listed, loaded
//! and withdrawn.
//!
//! A request of the API chooses a plan that the flow names or a database in the folder of the flow
//! file, and files of a plan: it cannot choose a path. A command can ([`Reach::AnyPath`]).

mod check;
mod draft;
mod explain;
mod files;
mod list;
mod load;
mod plan;
mod record;
mod refusals;
mod table;
mod versions;
mod withdraw;

pub use check::{CheckTariff, TariffFound};
pub use draft::TariffDraft;
pub use explain::{
    ExplainError, ExplainUsage, MistakenPlan, TariffExplained, TariffPrice, TariffStep, TariffUnit,
};
pub use files::{
    FileTextError, ListTariffFiles, ShowTariffFile, TariffFile, TariffFileText, TariffFiles,
};
pub use list::{ListTariffs, ListTariffsError, Tariff, TariffTable, Tariffs};
pub use load::{LoadError, LoadTariff, TariffLoaded};
pub use plan::{ChosenPlan, PlanError, Reach};
pub use refusals::StoredPlanError;
pub use table::{
    CheckTariffTable, CheckedTable, PutTableError, PutTariffTable, ShowTariffTable, TableError,
    TariffText,
};
pub use versions::{
    ListTariffVersions, TariffAction, TariffStanding, TariffVersion, TariffVersions,
};
pub use withdraw::{WithdrawError, WithdrawTariff, WithdrawnTariff};

use plan::{is_of, known, named, path};
use rating::Moment;
use runtime::time::{now_ms, shown};
use versions::all;

/// The file extension of a database of versions.
const DATABASE: &str = ".db";

fn at(moment: Moment) -> String {
    shown(moment.saturating_mul(1_000))
}

fn now() -> Moment {
    now_ms() / 1_000
}
