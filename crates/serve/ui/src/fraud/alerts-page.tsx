/** What the rules of fraud nodes have found. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { TextField } from "../parts/field";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { NodeFilter } from "../parts/node-filter";
import { Empty } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { useWord } from "../router/router";
import { alertColumns } from "./alert-columns";
import { FraudFrame, KeysMasked } from "./fraud-frame";
import { KeySearch } from "./key-search";

export function AlertsPage() {
  const [node, setNode] = useWord("node");
  const [rule, setRule] = useWord("rule");
  const [key, setKey] = useWord("key");
  const period = usePeriod();
  const [isMasked, setMasked] = useState(false);
  const pages = usePages(
    async (before) => {
      const bounds = period.bounds(Date.now());
      const found = await gateway.fraudAlerts({ node, rule, key, ...bounds, before, limit: 50 });
      setMasked(found.masked === true);
      return { rows: found.alerts, more: found.more };
    },
    ({ id }) => id,
    [node, rule, key, period.key],
  );
  const isFiltered = node !== "" || rule !== "" || key !== "" || period.isChosen;
  return (
    <FraudFrame lead="What rules have found, the newest first. A condition has the values for which it was true.">
      <div className="filters">
        <NodeFilter label="Node" kinds={["fraud"]} value={node} onValue={setNode} />
        <TextField label="Rule" type="search" value={rule} onValue={setRule} />
        <KeySearch label="Key" value={key} onSearch={setKey} />
        <PeriodFilter />
      </div>
      <KeysMasked isMasked={isMasked} />
      <List
        {...pages}
        label="Alerts"
        columns={alertColumns(isMasked)}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty icon="fraud" title="No such alert">
              <p>No rule has found what you ask for. Rules and keys are compared as they are.</p>
            </Empty>
          ) : (
            <Empty icon="fraud" title="No rule has found anything yet">
              <p>Rules are files in the folder that a fraud node of the flow names.</p>
            </Empty>
          )
        }
      />
    </FraudFrame>
  );
}
