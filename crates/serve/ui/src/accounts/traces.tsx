/** Traces of messages: files to which messages between peers and the charging system are written from now on. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { MessageTrace } from "../api/types";
import { Count } from "../parts/count";
import { useEvery } from "../parts/every";
import { useHeldFocus } from "../parts/held-focus";
import { Sublist } from "../parts/list";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { octets } from "../parts/numbers";
import { Await } from "../parts/page";
import { ReasonDialog } from "../parts/reason-dialog";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { TraceDialog } from "./trace-dialog";
import { TraceFiles } from "./trace-files";
import type { TraceOf } from "./traced";
import { traceOf } from "./traced";

/** A trace that runs gets messages all the time. */
const REFRESH_MS = 2_000;

type Deed = { word: "start" } | { word: "end" | "remove"; trace: number };

/** `filter` is what messages are looked for, which a trace begins with. */
export function Traces({ filter }: { filter: TraceOf }) {
  const [mayStart, mayRemove] = [useMay("operator"), useMay("administrator")];
  const loaded = useLoad(() => gateway.traces(), []);
  useEvery(REFRESH_MS, loaded);
  const [deed, setDeed] = useState<Deed | null>(null);
  const group = useHeldFocus<HTMLElement>();
  const done = () => {
    setDeed(null);
    loaded.again();
  };
  return (
    <section ref={group} className="section" aria-label="Traces">
      <h2>Traces</h2>
      <Await loaded={loaded}>
        {({ traces, served }) => (
          <>
            {mayStart && served && (
              <p className="actions">
                <button type="button" className="button" onClick={() => setDeed({ word: "start" })}>
                  Start a trace…
                </button>
              </p>
            )}
            {traces.length === 0 ? (
              <p className="muted">
                No traces. A trace writes messages to a file from its start on, and ends by itself.
              </p>
            ) : (
              <Sublist
                label="Traces"
                columns={[...COLUMNS, ...(mayStart ? [actions(mayRemove, setDeed)] : [])]}
                rows={traces}
                rowKey={({ trace }) => trace}
                rowClass={({ ended }) => (ended == null ? undefined : "row-quiet")}
              />
            )}
          </>
        )}
      </Await>
      {deed?.word === "start" && <TraceDialog filter={filter} onClose={() => setDeed(null)} onDone={done} />}
      {deed !== null && deed.word !== "start" && <EndDialog {...deed} onClose={() => setDeed(null)} onDone={done} />}
    </section>
  );
}

interface EndProps {
  word: "end" | "remove";
  trace: number;
  onClose: () => void;
  onDone: () => void;
}

function EndDialog({ word, trace, onClose, onDone }: EndProps) {
  const act = async (because: string) => {
    if (word === "end") await gateway.endTrace(trace, because);
    else await gateway.removeTrace(trace, because);
    say(word === "end" ? `Trace ${trace} has ended.` : `Trace ${trace} is removed.`);
    onDone();
  };
  const isEnd = word === "end";
  return (
    <ReasonDialog
      title={isEnd ? `End trace ${trace}?` : `Remove trace ${trace}?`}
      onClose={onClose}
      word={isEnd ? "End" : "Remove"}
      busyWord={isEnd ? "Ending…" : "Removing…"}
      look={isEnd ? "main" : "grave"}
      deed={act}
    >
      {isEnd ? "No more messages are written to its file, which stays." : "Its file is deleted for good."}
    </ReasonDialog>
  );
}

const COLUMNS: Column<MessageTrace>[] = [
  { name: "Trace", isNumber: true, cell: ({ trace }) => trace, value: ({ trace }) => trace },
  {
    name: "Of",
    isWide: true,
    cell: (trace) => <span className="fixed break">{visible(traceOf(trace))}</span>,
    value: traceOf,
  },
  { name: "State", cell: (trace) => <State of={trace} />, value: ({ ended }) => (ended == null ? "runs" : "ended") },
  {
    name: "Since",
    cell: ({ since, ended, until }) => (
      <>
        <Moment at={since} />
        <span className="below">
          until <Moment at={ended ?? until} />
        </span>
      </>
    ),
    value: ({ since }) => since,
  },
  {
    name: "Messages",
    isNumber: true,
    cell: ({ messages }) => (messages == null ? "–" : <Count of={messages} />),
    value: ({ messages }) => messages ?? null,
  },
  {
    name: "Missing",
    isNumber: true,
    cell: ({ dropped }) => (dropped == null ? "–" : <Count of={dropped} />),
    value: ({ dropped }) => dropped ?? null,
  },
  { name: "Size", isNumber: true, cell: (of) => octets(of.octets), value: (of) => of.octets },
  {
    name: "Reason",
    isWide: true,
    cell: ({ because, who }) => (
      <>
        {visible(because)}
        <span className="below">{visible(who)}</span>
      </>
    ),
    value: ({ because, who }) => `${because} (${who})`,
  },
];

function State({ of: { ended, ended_because } }: { of: MessageTrace }) {
  if (ended == null) return <span className="mark mark-fine">runs</span>;
  return (
    <>
      ended
      <span className="below">{visible(ended_because ?? "")}</span>
    </>
  );
}

const actions = (mayRemove: boolean, onDeed: (deed: Deed) => void): Column<MessageTrace> => ({
  name: "Actions",
  cell: ({ trace, ended }) => (
    <div className="actions">
      <TraceFiles trace={trace} />
      {ended == null && (
        <button type="button" className="button" onClick={() => onDeed({ word: "end", trace })}>
          End trace {trace}…
        </button>
      )}
      {ended != null && mayRemove && (
        <button type="button" className="button" onClick={() => onDeed({ word: "remove", trace })}>
          Remove trace {trace}…
        </button>
      )}
    </div>
  ),
});
