/** The actions that rules and people have requested: what waits for people, what is being sent, and what is finished. */
import { type ReactNode, useCallback, useState } from "react";

import { gateway } from "../api/gateway";
import type { RequestedAction } from "../api/types";
import { type Action, Actions } from "../parts/actions";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { TextField } from "../parts/field";
import { List, Sublist } from "../parts/list";
import { useLoad, usePages } from "../parts/load";
import { count, counted } from "../parts/numbers";
import { Empty } from "../parts/page";
import { useMay, useSession } from "../parts/session";
import type { Choice } from "../parts/table";
import { visible } from "../parts/visible";
import { useWord } from "../router/router";
import { finishedColumns, sendingColumns, waitingColumns } from "./action-columns";
import { ActionDialog, type MeantActions } from "./action-dialog";
import { type ActionDeed, DEEDS, isMoving, mayDo, stageOf } from "./action-words";
import { FraudFrame, KeysMasked } from "./fraud-frame";
import { KeySearch } from "./key-search";
import { StopDialog, Stopped } from "./stop-actions";

/** The most actions that the gateway lists at once. More that wait are not looked through in a day. */
const OPEN_MAX = 1_000;

/** The interval of the refresh, and that while an action is about to change. */
const REFRESH_MS = 10_000;
const REFRESH_MOVING_MS = 2_000;

type Query = Parameters<typeof gateway.actions>[0];

/** Loads the next actions that are finished. Open ones are among them in the gateway, and are listed above. */
async function loadFinished(query: Query, last: number | undefined) {
  let before = last;
  for (;;) {
    const found = await gateway.actions({ ...query, before, limit: 50 });
    const rows = found.actions.filter((action) => stageOf(action) === "finished");
    if (rows.length > 0 || !found.more) return { rows, more: found.more };
    before = found.actions.at(-1)?.id;
  }
}

export function ActionsPage() {
  const mayChange = useMay("operator");
  const [action, setAction] = useWord("action");
  const [key, setKey] = useWord("key");
  const [isStopping, setStopping] = useState(false);
  const open = useLoad(() => gateway.actions({ open: true, action, key, limit: OPEN_MAX }), [action, key]);
  const finished = usePages(
    (before) => loadFinished({ action, key }, before),
    ({ id }) => id,
    [action, key],
  );
  const all = useCallback(() => {
    open.again();
    finished.again();
  }, [open.again, finished.again]);
  // Another first page of what is finished would drop the older rows.
  const again = finished.hasOlder ? open.again : all;
  const rows = open.value?.actions ?? [];
  const stopped = open.value?.stopped;
  const isQuick = rows.some((each) => isMoving(each, stopped != null));
  // A search by a key is in the audit trail: it is not repeated by itself.
  useEvery(isQuick ? REFRESH_MOVING_MS : REFRESH_MS, { again, isLoading: open.isLoading || key !== "" });
  const waiting = rows.filter((each) => stageOf(each) === "people");
  const sending = rows.filter((each) => stageOf(each) === "sending");
  const isMasked = open.value?.masked === true;
  return (
    <FraudFrame
      lead="What rules and people want done, such as barring a number. An action goes on once as many people have approved it as the flow file says."
      actions={
        mayChange && (
          <Actions
            of={[
              {
                name: "Stop all actions…",
                look: "grave",
                isDisabled: open.value === null || stopped != null,
                title: stopped == null ? undefined : "They are stopped",
                run: () => setStopping(true),
              },
            ]}
          />
        )
      }
    >
      <Stopped stopped={stopped} again={all} />
      <div className="filters">
        <TextField label="Action" type="search" value={action} onValue={setAction} placeholder="the whole name" />
        <KeySearch label="Key" value={key} onSearch={setKey} />
      </div>
      <KeysMasked isMasked={isMasked} />
      {open.problem !== null && <Failure problem={open.problem} again={open.again} />}
      {open.value?.more === true && (
        <p className="muted">There are more. These are the last {count(OPEN_MAX)} that are not finished.</p>
      )}
      {open.value !== null && (
        <>
          <Part title="Waiting for people" rows={waiting} deeds={["approve", "refuse"]} onDone={all}>
            {(choice) =>
              waiting.length === 0 ? (
                <p className="muted">Nothing waits for people.</p>
              ) : (
                <Sublist
                  label="Waiting for people"
                  columns={waitingColumns(isMasked)}
                  rows={waiting}
                  rowKey={({ id }) => id}
                  choice={choice}
                />
              )
            }
          </Part>
          <Part title="Being sent" those=" being sent" rows={sending} deeds={["refuse"]} onDone={all}>
            {(choice) =>
              sending.length === 0 ? (
                <p className="muted">Nothing is being sent.</p>
              ) : (
                <Sublist
                  label="Being sent"
                  columns={sendingColumns(isMasked)}
                  rows={sending}
                  rowKey={({ id }) => id}
                  choice={choice}
                />
              )
            }
          </Part>
        </>
      )}
      <Part title="Finished" rows={finished.rows ?? []} deeds={["undo"]} onDone={all}>
        {(choice) => (
          <List
            {...finished}
            again={all}
            label="Finished"
            columns={finishedColumns(isMasked)}
            rowKey={({ id }) => id}
            choice={choice}
            empty={<NothingFinished isFiltered={action !== "" || key !== ""} />}
          />
        )}
      </Part>
      {isStopping && (
        <StopDialog
          onClose={() => setStopping(false)}
          onDone={() => {
            setStopping(false);
            all();
          }}
        />
      )}
    </FraudFrame>
  );
}

function NothingFinished({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon="fraud" title="No such action is finished">
        <p>Names and keys are compared as a whole.</p>
      </Empty>
    );
  return (
    <Empty icon="fraud" title="No action is finished yet">
      <p>Actions are in the flow file. A rule requests them, or a person on the page of a case.</p>
    </Empty>
  );
}

interface PartProps {
  title: string;
  /** What the buttons say after the number of actions, where another part has the same button. */
  those?: string;
  rows: readonly RequestedAction[];
  /** What may be done with actions of this part. */
  deeds: readonly ActionDeed[];
  onDone: () => void;
  children: (choice: Choice<RequestedAction> | undefined) => ReactNode;
}

/** A part of the page, with buttons for its chosen actions. */
function Part({ title, those = "", rows, deeds, onDone, children }: PartProps) {
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [meant, setMeant] = useState<MeantActions | null>(null);
  const buttons = deeds.map((deed): Action => {
    // An action may have changed since it was chosen.
    const actions = rows.filter((row) => chosen.has(row.id) && mayDo(deed, row, me));
    const { word } = DEEDS[deed];
    return {
      name: actions.length === 0 ? `${word}…` : `${word} ${counted(actions.length, "action")}${those}…`,
      isDisabled: actions.length === 0,
      ...(deed === "approve" ? { look: "main" } : {}),
      run: () => setMeant({ deed, actions }),
    };
  });
  const choice: Choice<RequestedAction> = {
    chosen,
    change: setChosen,
    number: ({ id }) => id,
    name: ({ id, action, key }) => `action ${id}: ${visible(action)} ${visible(key)}`,
    may: (action) => deeds.some((deed) => mayDo(deed, action, me)),
  };
  return (
    <section className="section" aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        {mayChange && rows.length > 0 && (
          <div className="actions">
            <Actions of={buttons} />
          </div>
        )}
      </div>
      {children(mayChange ? choice : undefined)}
      {meant !== null && (
        <ActionDialog
          meant={meant}
          onClose={() => setMeant(null)}
          onDone={() => {
            setMeant(null);
            setChosen(new Set([...chosen].filter((id) => meant.actions.every((action) => action.id !== id))));
            onDone();
          }}
        />
      )}
    </section>
  );
}
