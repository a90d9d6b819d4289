/** Files on their way to remote post-processing systems. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Delivery } from "../api/types";
import { Actions } from "../parts/actions";
import { Count } from "../parts/count";
import { SelectField, TextField } from "../parts/field";
import { List } from "../parts/list";
import { useDeed, usePages } from "../parts/load";
import { NodeFilter } from "../parts/node-filter";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { ReasonCode } from "../parts/reason-code";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { recordsAddress } from "../records/address";
import { Link, useWord } from "../router/router";
import { DiscardDialog } from "./discard-dialog";

const STATES: [Delivery["state"], string, string][] = [
  ["waiting", "waiting", "warning"],
  ["unacknowledged", "not acknowledged", "minor"],
  ["given-up", "given up", "critical"],
  ["delivered", "delivered", "fine"],
  ["discarded", "discarded", "quiet"],
];

/** Returns whether a delivery needs no more attention. */
const isOver = (state: Delivery["state"]) => state === "delivered" || state === "discarded";

/** Returns whether a delivery can be retried or discarded. The gateway itself retries those that wait. */
const isGivenUp = ({ state }: Delivery) => state === "given-up";

const COLUMNS: Column<Delivery>[] = [
  {
    name: "State",
    cell: ({ state }) => {
      const known = STATES.find(([name]) => name === state);
      return <span className={`mark mark-${known?.[2] ?? "quiet"}`}>{known?.[1] ?? state}</span>;
    },
    value: ({ state }) => STATES.find(([name]) => name === state)?.[1] ?? state,
  },
  {
    name: "System",
    cell: (delivery) => delivery.post_processing_system,
    value: (delivery) => delivery.post_processing_system,
  },
  {
    name: "File",
    isWide: true,
    cell: (delivery) => (
      <>
        {delivery.lies == null ? (
          <span className="fixed">{visible(delivery.file)}</span>
        ) : (
          <Link className="fixed" href={recordsAddress({ delivery: delivery.id })} title="Look at its records">
            {visible(delivery.file)}
          </Link>
        )}
        {delivery.problem != null && <span className="below">{visible(delivery.problem)}</span>}
        <ReasonCode code={delivery.code} values={delivery.values} page="/deliveries" />
        {delivery.problem != null && delivery.lies != null && (
          <span className="below muted fixed">{delivery.lies}</span>
        )}
      </>
    ),
    value: (delivery) => delivery.file,
  },
  {
    name: "Since",
    cell: (delivery) => <Moment at={delivery.since} />,
    value: (delivery) => delivery.since,
    isDescendingFirst: true,
  },
  {
    name: "Records",
    isNumber: true,
    cell: (delivery) => <Count of={delivery.records} />,
    value: (delivery) => delivery.records,
  },
  {
    name: "Failures",
    isNumber: true,
    cell: (delivery) => <Count of={delivery.failures} />,
    value: (delivery) => delivery.failures,
  },
  { name: "Problem", isSpare: true, cell: (delivery) => delivery.problem, value: (delivery) => delivery.problem },
  {
    name: "Code",
    isSpare: true,
    cell: (delivery) => <span className="fixed">{delivery.code}</span>,
    value: (delivery) => delivery.code,
  },
];

export function DeliveriesPage() {
  const mayChange = useMay("operator");
  const [state, setState] = useWord("state");
  const [system, setSystem] = useWord("system");
  const period = usePeriod();
  const [code, setCode] = useWord("code");
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const deed = useDeed();
  const pages = usePages(
    async (before) => {
      const wanted = STATES.find(([name]) => name === state)?.[0];
      const found = await gateway.deliveries({
        state: wanted,
        all: state === "all" || (wanted !== undefined && isOver(wanted)),
        post_processing_system: system,
        ...period.bounds(Date.now()),
        code,
        before,
        limit: 100,
      });
      return { rows: found.deliveries, more: found.more };
    },
    (delivery) => delivery.id,
    [state, system, code, period.key],
  );
  const [isDiscarding, setDiscarding] = useState(false);
  const picked = pages.rows?.filter((delivery) => chosen.has(delivery.id) && isGivenUp(delivery)) ?? [];
  const retry = () =>
    deed.run(async () => {
      const { files } = await gateway.retryDeliveries(picked.map((delivery) => delivery.id));
      say(
        files === 0 ? "They were retried or discarded already." : `${counted(files, "file")} will be delivered again.`,
      );
      setChosen(new Set());
      pages.again();
    });
  return (
    <Page
      title="Deliveries"
      lead="Files that are carried to systems on other machines, or that wait to be. What is written into folders here is not among them."
      actions={
        mayChange && (
          <Actions
            of={[
              { name: "Discard…", isDisabled: picked.length === 0, run: () => setDiscarding(true) },
              {
                name: picked.length === 0 ? "Retry" : `Retry ${counted(picked.length, "file")}`,
                look: "main",
                isDisabled: picked.length === 0 || deed.isBusy,
                run: () => void retry(),
              },
            ]}
          />
        )
      }
    >
      <div className="filters">
        <SelectField label="State" value={state} onValue={setState}>
          <option value="">open</option>
          <option value="all">all</option>
          {STATES.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </SelectField>
        <NodeFilter
          label="Post-processing system"
          kinds={["post-processing-system"]}
          value={system}
          onValue={setSystem}
        />
        <TextField label="Code" type="search" value={code} onValue={setCode} />
        <PeriodFilter />
      </div>
      <List
        {...pages}
        problem={pages.problem ?? deed.problem}
        label="Deliveries"
        columns={COLUMNS}
        rowKey={(delivery) => delivery.id}
        rowClass={(delivery) => (isOver(delivery.state) ? "row-quiet" : undefined)}
        choice={
          mayChange
            ? {
                chosen,
                change: setChosen,
                number: (delivery) => delivery.id,
                name: (delivery) => delivery.file,
                may: isGivenUp,
              }
            : undefined
        }
        empty={
          <Empty
            icon="deliveries"
            title={
              state === "" && system === "" && code === "" && !period.isChosen
                ? "Nothing is to be delivered"
                : "No such delivery"
            }
          >
            <p>
              A post-processing system whose “deliver” has a “url” gets its files over the network; they are listed
              here.
            </p>
          </Empty>
        }
      />
      {isDiscarding && (
        <DiscardDialog
          deliveries={picked}
          onClose={() => setDiscarding(false)}
          onDone={() => {
            setDiscarding(false);
            setChosen(new Set());
            pages.again();
          }}
        />
      )}
    </Page>
  );
}
