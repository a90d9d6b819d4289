//! The rules of nodes, as they run, and who has approved them.

use node::RuleSummary;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

/// What a rule is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunningRule {
    /// A digest of its file, and of its table of limits.
    pub version: String,
    /// What it is about, such as `caller`.
    pub subject: String,
    /// The type of fraud that it finds, if it says one.
    pub fraud_type: Option<String>,
    /// Whether it is only tried out. Absent otherwise.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shadow: bool,
    /// The actions that it requests.
    pub actions: Vec<String>,
    /// How many people must approve this version before it acts.
    pub approvals_needed: u32,
    /// Who has approved this version.
    pub approvals: Vec<RuleApproval>,
    /// What it finds.
    pub title: Option<String>,
    /// Why it is there.
    pub because: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// When it is to be looked at again.
    pub until: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// That a person has approved a version of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleApproval {
    /// Who.
    pub who: String,
    /// When.
    pub at: String,
    /// Why.
    pub because: String,
}

/// Notes the rules of a node, as they run from now on.
pub fn note_rules(
    db: &Connection,
    node: &str,
    (rules, approvals): (&[RuleSummary], u8),
) -> QueryResult<()> {
    db.prepare_cached("DELETE FROM fraud_rule WHERE node = ?")?.execute([node])?;
    let insert = "INSERT INTO fraud_rule VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let mut insert = db.prepare_cached(insert)?;
    for rule in rules {
        let RuleSummary { name, version, subject, fraud_type, is_shadow, actions: own, texts } =
            rule;
        // A rule that does nothing needs no approval.
        let approvals = if own.is_empty() { 0 } else { approvals };
        insert.execute(params![
            node,
            name,
            version,
            subject,
            fraud_type,
            is_shadow,
            own.join(","),
            approvals,
            texts.title,
            texts.because,
            texts.owner,
            texts.until
        ])?;
        if own.is_empty() {
            continue;
        }
        actions::refuse_of_versions(db, (node, name, version))?;
        // Fewer people may have to approve it than before.
        if is_approved(db, (node, name, version), approvals.into())? {
            actions::approve_rule(db, (node, name, version))?;
        }
    }
    Ok(())
}

/// Forgets the rules of nodes that there are no more.
pub fn forget_other_rules(db: &Connection, nodes: &[String]) -> QueryResult<()> {
    let nodes = serde_json::to_string(nodes).expect("texts");
    let delete = "DELETE FROM fraud_rule WHERE node NOT IN (SELECT value FROM json_each(?))";
    db.execute(delete, [nodes])?;
    Ok(())
}

/// Returns the rules that run, each with its node and its name.
pub fn running_rules(db: &Connection) -> QueryResult<Vec<(String, String, RunningRule)>> {
    let select = "SELECT node, rule, version, subject, fraud_type, shadow, actions, approvals, title, because, owner, until
                  FROM fraud_rule ORDER BY node, rule";
    let mut select = db.prepare(select)?;
    let rules = select.query_map([], |row| {
        let actions: String = row.get(6)?;
        let actions = actions.split(',').filter(|name| !name.is_empty()).map(str::to_owned);
        let rule = RunningRule {
            version: row.get(2)?,
            subject: row.get(3)?,
            fraud_type: row.get(4)?,
            shadow: row.get(5)?,
            actions: actions.collect(),
            approvals_needed: row.get(7)?,
            approvals: Vec::new(),
            title: row.get(8)?,
            because: row.get(9)?,
            owner: row.get(10)?,
            until: row.get(11)?,
        };
        Ok((row.get(0)?, row.get(1)?, rule))
    })?;
    let mut rules: Vec<(String, String, RunningRule)> = rules.collect::<QueryResult<_>>()?;
    for (node, rule, running) in &mut rules {
        running.approvals = approvals(db, (node, rule, &running.version))?;
    }
    Ok(rules)
}

fn approvals(db: &Connection, version: (&str, &str, &str)) -> QueryResult<Vec<RuleApproval>> {
    let select = "SELECT who, at_ms, because FROM fraud_rule_approval
                  WHERE node = ? AND rule = ? AND version = ? ORDER BY at_ms";
    let mut select = db.prepare_cached(select)?;
    let approvals = select.query_map(version, |row| {
        Ok(RuleApproval { who: row.get(0)?, at: shown(row.get(1)?), because: row.get(2)? })
    })?;
    approvals.collect()
}

/// How far a version of a rule is, after an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleApproved {
    /// Another person must approve it, too.
    One,
    /// It acts.
    All,
}

/// Approves the version of a rule that runs. `None` if there is no such rule or version, or if the same person has approved it.
pub fn approve_rule(
    db: &Connection,
    (node, rule, version): (&str, &str, &str),
    because: &str,
    (who, now_ms): (&str, i64),
) -> QueryResult<Option<RuleApproved>> {
    let insert = "INSERT INTO fraud_rule_approval
                  SELECT node, rule, version, ?4, ?5, ?6 FROM fraud_rule WHERE node = ?1 AND rule = ?2 AND version = ?3
                  ON CONFLICT DO NOTHING";
    let row = params![node, rule, version, who, now_ms, because];
    if db.prepare_cached(insert)?.execute(row)? == 0 {
        return Ok(None);
    }
    let needed = "SELECT approvals FROM fraud_rule WHERE node = ? AND rule = ?";
    let needed: u32 = db.prepare_cached(needed)?.query_row([node, rule], |row| row.get(0))?;
    if !is_approved(db, (node, rule, version), needed)? {
        return Ok(Some(RuleApproved::One));
    }
    actions::approve_rule(db, (node, rule, version))?;
    Ok(Some(RuleApproved::All))
}

/// Returns whether so many people have approved a version of a rule.
pub(crate) fn is_approved(
    db: &Connection,
    version: (&str, &str, &str),
    needed: u32,
) -> QueryResult<bool> {
    if needed == 0 {
        return Ok(true);
    }
    let select = "SELECT count(*) >= ?4 FROM fraud_rule_approval WHERE node = ?1 AND rule = ?2 AND version = ?3";
    let (node, rule, version) = version;
    db.prepare_cached(select)?.query_row(params![node, rule, version, needed], |row| row.get(0))
}
