/** The peers of Diameter: those that are or were connected, and those that were refused. */
import { useRef, useState } from "react";

import { gateway } from "../api/gateway";
import type { ConnectedPeer, RefusedPeer } from "../api/types";
import { Count } from "../parts/count";
import { useEvery } from "../parts/every";
import { useHeldFocus } from "../parts/held-focus";
import { Icon } from "../parts/icons";
import { List, Sublist } from "../parts/list";
import { useLoad } from "../parts/load";
import { Await, Empty } from "../parts/page";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { messagesAddress } from "./address";
import { AllowPeerDialog } from "./allow-peer-dialog";
import { NotServed } from "./not-served";
import { type Metered, metered, milliseconds, peerKey, resultOf, roundTripOf, stateOf } from "./peers";

/** The requests and the state of a peer change all the time. */
const REFRESH_MS = 2_000;

export function Peers() {
  const mayAllow = useMay("administrator");
  const meter = useRef<Metered | null>(null);
  const loaded = useLoad(async () => {
    const list = await gateway.peers();
    meter.current = metered(meter.current, list.peers, performance.now());
    return { ...list, rates: meter.current.rates };
  }, []);
  useEvery(REFRESH_MS, loaded);
  const [allowed, setAllowed] = useState<RefusedPeer | null>(null);
  return (
    <Await loaded={loaded}>
      {({ served, peers, refused, profiles, rates }) => (
        <>
          {served ? (
            <List
              label="Peers"
              columns={columnsOf(rates)}
              rows={peers}
              problem={null}
              again={loaded.again}
              rowKey={peerKey}
              rowClass={({ connections }) => (connections.length === 0 ? "row-quiet" : undefined)}
              empty={
                <Empty icon="accounts" title="No peers yet">
                  <p>A peer is here from its first connection. One that is refused is listed with the reason.</p>
                </Empty>
              }
            />
          ) : (
            <NotServed />
          )}
          {refused.length > 0 && <Refused peers={refused} onAllow={mayAllow ? setAllowed : null} />}
          {allowed !== null && (
            <AllowPeerDialog
              peer={allowed}
              profiles={profiles}
              onClose={() => setAllowed(null)}
              onDone={() => {
                setAllowed(null);
                loaded.again();
              }}
            />
          )}
        </>
      )}
    </Await>
  );
}

interface RefusedProps {
  peers: readonly RefusedPeer[];
  /** Null if the user may not. */
  onAllow: ((peer: RefusedPeer) => void) | null;
}

function Refused({ peers, onAllow }: RefusedProps) {
  const group = useHeldFocus<HTMLElement>();
  return (
    <section ref={group} className="section" aria-label="Refused">
      <h2>Refused</h2>
      <Sublist
        label="Refused"
        columns={onAllow === null ? REFUSED : [...REFUSED, allowing(onAllow)]}
        rows={peers}
        rowKey={peerKey}
      />
    </section>
  );
}

const columnsOf = (rates: Metered["rates"]): Column<ConnectedPeer>[] => [
  {
    ...nameColumn<ConnectedPeer>(),
    cell: ({ host }) => (
      <>
        <Name of={host} />
        <Link className="below" href={messagesAddress({ peer: host })} aria-label={`messages of ${visible(host)}`}>
          messages
        </Link>
      </>
    ),
  },
  realmColumn(),
  { name: "State", cell: (peer) => <State of={peer} />, value: (peer) => stateOf(peer).state },
  {
    name: "Connections",
    cell: ({ connections }) => <Connections of={connections} />,
    value: ({ connections }) => connections.length,
  },
  {
    name: "In flight",
    isNumber: true,
    cell: (peer) => <Count of={inFlight(peer)} />,
    value: inFlight,
  },
  {
    name: "Round trip",
    isNumber: true,
    cell: (peer) => <RoundTrip us={roundTripOf(peer)} />,
    value: roundTripOf,
  },
  {
    name: "Requests",
    isNumber: true,
    cell: ({ requests }) => <Count of={requests} />,
    value: ({ requests }) => requests,
  },
  {
    name: "A second",
    isNumber: true,
    cell: (peer) => rates.get(peerKey(peer))?.toFixed(1) ?? "–",
    value: (peer) => rates.get(peerKey(peer)),
  },
  {
    name: "Results",
    cell: ({ results }) => <Results of={results} />,
    value: ({ results }) => results.map((each) => resultOf(each).text).join(", "),
  },
  {
    name: "Discarded",
    isNumber: true,
    cell: ({ discarded }) => <Count of={discarded} />,
    value: ({ discarded }) => discarded,
  },
  {
    name: "Orphans",
    isNumber: true,
    isSpare: true,
    cell: ({ orphans }) => <Count of={orphans} />,
    value: ({ orphans }) => orphans,
  },
  {
    name: "Unequal octets",
    isNumber: true,
    isSpare: true,
    cell: ({ unequal_octets }) => <Count of={unequal_octets} />,
    value: ({ unequal_octets }) => unequal_octets,
  },
];

const REFUSED: Column<RefusedPeer>[] = [
  nameColumn(),
  realmColumn(),
  {
    name: "Address",
    cell: ({ address }) => <Address of={address} />,
    value: ({ address }) => address,
  },
  { name: "Last time", cell: ({ at }) => <Moment at={at} />, value: ({ at }) => at, isDescendingFirst: true },
  {
    name: "Attempts",
    isNumber: true,
    cell: ({ attempts }) => <Count of={attempts} />,
    value: ({ attempts }) => attempts,
  },
  {
    name: "Why",
    isWide: true,
    cell: ({ why }) => <span className="break">{visible(why)}</span>,
    value: ({ why }) => why,
  },
];

/** The button that lets a peer in. One that a table names is refused for another reason. */
const allowing = (onAllow: (peer: RefusedPeer) => void): Column<RefusedPeer> => ({
  name: "What to do",
  cell: (peer) =>
    peer.unknown && (
      <button type="button" className="button" onClick={() => onAllow(peer)}>
        Allow…
      </button>
    ),
});

function nameColumn<T extends { host: string }>(): Column<T> {
  return {
    name: "Peer",
    isWide: true,
    cell: ({ host }) => <Name of={host} />,
    value: ({ host }) => host,
  };
}

const Name = ({ of }: { of: string }) => <span className="fixed break">{visible(of)}</span>;

function realmColumn<T extends { realm: string | null; product: string | null }>(): Column<T> {
  return {
    name: "Realm, product",
    cell: ({ realm, product }) =>
      realm != null && (
        <>
          <span className="fixed break">{visible(realm)}</span>
          <span className="below muted break">{visible(product ?? "")}</span>
        </>
      ),
    value: ({ realm, product }) => [realm, product].filter((each) => each != null).join(", "),
  };
}

function State({ of }: { of: ConnectedPeer }) {
  const { mark, state } = stateOf(of);
  const isSuspect = of.connections.some(({ suspect }) => suspect);
  return (
    <>
      <span className={`mark mark-${mark}`} title={isSuspect ? "The watchdog has no answer" : undefined}>
        {isSuspect && <Icon name="error" size={14} />}
        {state}
      </span>
      {of.connections.length === 0 && of.ended != null && (
        <span className="below">
          <Moment at={of.ended} />
          {of.ended_because != null && <span className="below break">{visible(of.ended_because)}</span>}
        </span>
      )}
    </>
  );
}

/** An address of IPv6 does not fit into one line. */
const Address = ({ of }: { of: string }) => (
  <span className={of.startsWith("[") ? "fixed break" : "fixed"}>{visible(of)}</span>
);

function Connections({ of: [first, ...others] }: { of: ConnectedPeer["connections"] }) {
  if (first === undefined) return <Count of={0} />;
  const titles = others.map(({ address, transport, since }) => `${visible(address)} over ${transport}, since ${since}`);
  return (
    <>
      {1 + others.length}
      <span className="below muted">
        <Address of={first.address} /> over {first.transport}, <Moment at={first.since} isAgo />
      </span>
      {others.length > 0 && (
        <span className="below muted" title={titles.join("\n")}>
          and {others.length} more
        </span>
      )}
    </>
  );
}

const inFlight = ({ connections }: ConnectedPeer) => connections.reduce((sum, { in_flight }) => sum + in_flight, 0);

function RoundTrip({ us }: { us: number | null }) {
  if (us === null) return null;
  return <span title="The time between the last question of the watchdog and its answer">{milliseconds(us)}</span>;
}

function Results({ of }: { of: ConnectedPeer["results"] }) {
  if (of.length === 0) return null;
  return (
    <ul className="plain">
      {of.map((each) => {
        const { text, means, mark } = resultOf(each);
        return (
          <li key={each.code}>
            <span className={mark === null ? "whole" : `mark mark-${mark}`} title={means}>
              {text}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
