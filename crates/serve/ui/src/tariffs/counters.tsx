/** The counters of a subscriber in rating nodes: the use of bundles, and the amounts spent. */
import { type FormEvent, useState } from "react";

import { gateway } from "../api/gateway";
import type { SubscriberCounter } from "../api/types";
import { TextField } from "../parts/field";
import { Sublist } from "../parts/list";
import { useLoad } from "../parts/load";
import { NodeFilter } from "../parts/node-filter";
import { Await, Empty } from "../parts/page";
import type { Column } from "../parts/table";
import { Link, go, useAddress } from "../router/router";

export function countersAddress(account: string, node: string): string {
  const words = new URLSearchParams({ view: "counters" });
  if (account !== "") words.set("account", account);
  if (node !== "") words.set("node", node);
  return `/tariffs?${words.toString()}`;
}

export function Counters() {
  const { query } = useAddress();
  const account = query.get("account") ?? "";
  const node = query.get("node") ?? "";
  return (
    <section className="section" aria-label="Counters of a subscriber">
      <h2>Counters of a subscriber</h2>
      <Asked key={`${account} ${node}`} account={account} node={node} />
      {account === "" ? (
        <Empty icon="rating" title="Whose counters?">
          <p>
            Give the served number in its international form, digits alone: 46701234567. Where “account” of the rating
            node names a field, give what that has.
          </p>
        </Empty>
      ) : (
        <Found account={account} node={node} />
      )}
    </section>
  );
}

function Asked(before: { account: string; node: string }) {
  const [account, setAccount] = useState(before.account);
  const [node, setNode] = useState(before.node);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    go(countersAddress(account.trim(), node));
  };
  return (
    <form className="filters" onSubmit={ask}>
      <TextField label="Subscriber" value={account} onValue={setAccount} required />
      <NodeFilter label="Node" kinds={["rating"]} value={node} onValue={setNode} />
      <button type="submit" className="button button-main">
        Show
      </button>
    </form>
  );
}

const COLUMNS: Column<SubscriberCounter>[] = [
  { name: "Node", cell: (counter) => counter.node, value: (counter) => counter.node },
  {
    name: "What counts",
    isWide: true,
    cell: (counter) => (
      <>
        {counter.name} <span className="muted">{counter.of}</span>
      </>
    ),
    value: (counter) => counter.name,
  },
  { name: "Period", cell: (counter) => counter.period, value: (counter) => counter.period },
  {
    name: "Of",
    isSpare: true,
    cell: (counter) => counter.of,
    value: (counter) => counter.of,
  },
  {
    name: "Used",
    isNumber: true,
    cell: (counter) => `${counter.used} ${counter.unit}`,
    value: (counter) => `${counter.used} ${counter.unit}`,
  },
  {
    name: "Counted last by",
    cell: ({ changed_by }) =>
      changed_by == null ? (
        <span className="muted">a file that is forgotten</span>
      ) : (
        <Link className="fixed" href={`/files?name=${encodeURIComponent(changed_by)}`}>
          {changed_by}
        </Link>
      ),
    value: ({ changed_by }) => changed_by,
  },
];

function Found({ account, node }: { account: string; node: string }) {
  const loaded = useLoad(() => gateway.counters(account, node), [account, node]);
  return (
    <Await loaded={loaded}>
      {({ counters }) =>
        counters.length === 0 ? (
          <Empty icon="rating" title={`Nothing was counted of ${account}`}>
            <p>
              A subscriber is named by the served number in its international form, digits alone, or as “account” of the
              rating node says. Nodes count where their “counters” are kept.
            </p>
          </Empty>
        ) : (
          <Sublist
            label={`Counters of ${account}`}
            columns={COLUMNS}
            rows={counters}
            rowKey={(counter) => [counter.node, counter.of, counter.name, counter.period].join("\n")}
          />
        )
      }
    </Await>
  );
}
