/** The paper's figure 2, as `tollgate init` writes it. */
export const FLOW = `# The example of the paper: two switching centres, two billing systems, statistics for the rest.

[asn1]
modules = ["asn1/msc.asn1", "asn1/billing.asn1"]

[network-element.msc-new-york]
collect = { dir = "in/new-york", pattern = "*.ber" }
decode  = { type = "MSC.CallDataRecord" }

[network-element.msc-boston]
collect = { dir = "in/boston", pattern = "*.ber" }
decode  = { type = "MSC.CallDataRecord" }

# Only what somebody pays for goes to billing.
[filter.isBillable]
from   = ["msc-new-york", "msc-boston"]
script = "scripts/is_billable.dup"

[filter.isRoaming]
from   = "isBillable"
script = "scripts/is_roaming.dup"

[formatter.roaming-v8]
from   = "isRoaming.true"
script = "scripts/roaming_v8.dup"

[formatter.home-v5]
from   = "isRoaming.false"
script = "scripts/home_v5.dup"

[formatter.unbilled]
from   = "isBillable.false"
script = "scripts/unbilled.dup"

[post-processing-system.roaming-billing]
from    = "roaming-v8"
encode  = { type = "Billing.RoamingRecord" }
deliver = { dir = "out/roaming", name = "{network-element}-{stem}.ber" }

[post-processing-system.home-billing]
from    = "home-v5"
encode  = { type = "Billing.HomeRecord" }
deliver = { dir = "out/home", name = "{network-element}-{stem}.ber" }

[post-processing-system.statistics]
from    = "unbilled"
encode  = { type = "Billing.UnbilledCall", codec = "csv" }
deliver = { dir = "out/statistics", name = "{network-element}-{stem}.csv" }
`;

export const SCRIPTS: Record<string, string> = {
  "scripts/is_billable.dup": `-- Paid are calls that were answered and short messages (6) that were sent: causes normalRelease (0)
-- and stableCallAbnormalTermination (4).
BOOLEAN isBillable(cdr CONST CallDataRecord)
{
  declare cause INTEGER;
  cause := cdr.causeForTermination;
  return cause IN [0, 4] && (cdr.callDuration > 0 || cdr.recordType == 6);
}

test "answered calls and sent messages are paid"
{
  declare cdr CallDataRecord;
  cdr.recordType := moCallRecord;
  cdr.causeForTermination := normalRelease;
  cdr.callDuration := 61;
  assert isBillable(cdr);
}
`,
  "scripts/is_roaming.dup": `-- A roamingRecord (2) was made for a subscriber of another network.
BOOLEAN isRoaming(cdr CONST CallDataRecord)
{
  return cdr.recordType == 2;
}
`,
  "scripts/roaming_v8.dup": `-- A centre's record of version 7 or 8 as a roaming record of version 8.
NULL roamingV8(in CONST CallDataRecord, out RoamingRecord)
{
  -- Without it the record is no roaming record, whatever its type says: it goes to suspense.
  assert present(in.details.roaming);
  out.version := 8;
  out.recordType := in.recordType;
  out.servedIMSI := in.servedIMSI;
}
`,
  "scripts/home_v5.dup": `-- A centre's record as a record of version 5 for the operator's own subscribers.
NULL homeV5(in CONST CallDataRecord, out HomeRecord)
{
  out.version := 5;
  out.recordType := in.recordType;
  out.servedIMSI := in.servedIMSI;
}
`,
  "scripts/unbilled.dup": `-- What the statistics keep of a call that is not billed.
NULL unbilled(in CONST CallDataRecord, out UnbilledCall)
{
  out.mscAddress := in.mscAddress;
  out.answerTime := in.answerTime;
}
`,
};

/** Returns a flow of many nodes: the given number of chains of five nodes each. */
export function large(ways: number): string {
  return Array.from(
    { length: ways },
    (_, way) => `
[network-element.msc-${way}]
collect = { dir = "in/${way}" }
decode  = { type = "MSC.CallDataRecord" }

[filter.isBillable-${way}]
from   = "msc-${way}"
script = "scripts/is_billable.dup"

[formatter.billed-${way}]
from   = "isBillable-${way}.true"
script = "scripts/home_v5.dup"

[formatter.unbilled-${way}]
from   = "isBillable-${way}.false"
script = "scripts/unbilled.dup"

[post-processing-system.billing-${way}]
from    = ["billed-${way}", "unbilled-${(way + 1) % ways}"]
encode  = { type = "Billing.HomeRecord" }
deliver = { dir = "out/${way}" }
`,
  ).join("");
}
