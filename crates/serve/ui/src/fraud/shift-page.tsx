/** What waits for a person now, and the alerts as they come: one screen that is read from afar. */
import "../styles/shift.css";

import { useRef, useState } from "react";

import { gateway } from "../api/gateway";
import { useLive } from "../live/live";
import { Actions } from "../parts/actions";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { Await } from "../parts/page";
import { ActionDialog, type MeantActions } from "./action-dialog";
import { ApproveRuleDialog, type ApprovedRule } from "./approve-rule-dialog";
import { setOnDuty, useIsOnDuty } from "./duty";
import { FraudFrame, KeysMasked } from "./fraud-frame";
import { type Shift, shiftOf } from "./shift";
import { LastAlerts } from "./shift-alerts";
import { ShiftRows } from "./shift-rows";
import { ShiftTiles } from "./shift-tiles";
import { Stopped } from "./stop-actions";

/** The intervals of the refresh. */
const REFRESH_MS = 10_000;
const REFRESH_ALERTS_MS = 5_000;

/** The most rows that the gateway lists at once. */
const LIMIT_MAX = 1_000;

/** Older alerts are among all alerts. */
const ALERTS = 20;

/** Proposals are among the last versions. */
const VERSIONS = 50;

async function found() {
  // The figures of rules are not needed: none of their alerts is later than now.
  const from = new Date().toISOString();
  const [cases, actions, rules, versions, alarms] = await Promise.all([
    gateway.fraudCases({ state: "open", limit: LIMIT_MAX }),
    gateway.actions({ open: true, limit: LIMIT_MAX }),
    gateway.fraudRules({ from }),
    gateway.versions({ limit: VERSIONS }),
    gateway.alarms(false, { limit: LIMIT_MAX }),
  ]);
  return {
    cases: cases.cases,
    actions: actions.actions,
    rules: rules.rules,
    versions: versions.versions,
    alarms: alarms.alarms,
    stopped: actions.stopped ?? null,
    isMasked: cases.masked === true,
    hasMore: cases.more,
  };
}

export function ShiftPage() {
  const graph = useLive((live) => live.graph);
  const loaded = useLoad(found, []);
  useEvery(REFRESH_MS, loaded);
  const alerts = useLoad(() => gateway.fraudAlerts({ limit: ALERTS }), []);
  useEvery(REFRESH_ALERTS_MS, alerts);
  const isOn = useIsOnDuty();
  const screen = useRef<HTMLDivElement>(null);
  const [meant, setMeant] = useState<MeantActions | null>(null);
  const [approved, setApproved] = useState<ApprovedRule | null>(null);
  const again = () => {
    setMeant(null);
    setApproved(null);
    loaded.again();
    alerts.again();
  };
  const whole = () => void screen.current?.requestFullscreen?.();
  return (
    <FraudFrame
      lead="What waits for a person now, and the alerts as they come."
      actions={
        <>
          <label className="duty">
            <input type="checkbox" checked={isOn} onChange={(event) => setOnDuty(event.target.checked)} />
            On duty: this tab comes first
          </label>
          <Actions of={[{ name: "Full screen", run: whole }]} />
        </>
      }
    >
      <div className="shift" ref={screen}>
        {loaded.value !== null && loaded.problem !== null && <Failure problem={loaded.problem} again={loaded.again} />}
        <Await loaded={loaded.value === null ? loaded : { ...loaded, problem: null }}>
          {({ stopped, isMasked, hasMore, ...of }) => {
            const shift: Shift = shiftOf(of, graph);
            return (
              <>
                <Stopped stopped={stopped} again={again} />
                <KeysMasked isMasked={isMasked} />
                <ShiftTiles of={shift} open={of.cases.length} hasMore={hasMore} />
                <div className="shift-parts">
                  <ShiftRows
                    of={shift}
                    onAction={(deed, action) => setMeant({ deed, actions: [action] })}
                    onRule={({ node, rule, running }) => setApproved({ node, rule, running })}
                  />
                  <LastAlerts loaded={alerts} />
                </div>
              </>
            );
          }}
        </Await>
      </div>
      {meant !== null && <ActionDialog meant={meant} onClose={() => setMeant(null)} onDone={again} />}
      {approved !== null && <ApproveRuleDialog of={approved} onClose={() => setApproved(null)} onDone={again} />}
    </FraudFrame>
  );
}
