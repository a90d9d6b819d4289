/** What networks asked of the charging system, and how fast it answered. */
import type { ChargingTraffic } from "../api/types";
import { count } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { Tile } from "./tile";

type Request = ChargingTraffic["requests"][number];
type Refused = ChargingTraffic["refused"][number];

const REQUESTS: Column<Request>[] = [
  { name: "Requests", isWide: true, cell: ({ kind }) => kind, value: ({ kind }) => kind },
  {
    name: "A second",
    isNumber: true,
    cell: ({ per_second }) => per_second.toFixed(1),
    value: ({ per_second }) => per_second,
  },
  { name: "Total", isNumber: true, cell: (of) => count(of.count), value: (of) => of.count },
];

const REFUSED: Column<Refused>[] = [
  { name: "Refused", isWide: true, cell: ({ code }) => code, value: ({ code }) => code },
  { name: "Total", isNumber: true, cell: (of) => count(of.count), value: (of) => of.count },
];

interface TrafficProps {
  traffic: ChargingTraffic;
  unfolded: number;
  currency: string;
}

export function Traffic({ traffic, unfolded, currency }: TrafficProps) {
  const { since, requests, refused, answers, commits, batch_size, revenue_per_minute } = traffic;
  const some = requests.filter((each) => each.count > 0);
  return (
    <details className="traffic">
      <summary>
        Requests of networks: {requests.reduce((sum, each) => sum + each.per_second, 0).toFixed(1)} a second
        {answers != null && `, answered within ${milliseconds(answers.p99_ms)} (p99)`}
      </summary>
      <p className="muted">
        Totals since <Moment at={since} />; rates and times of the last minute.
      </p>
      <dl className="tiles">
        <Times name="Answers" title="The time between a request and its answer" times={answers} />
        <Times name="Disk" title="The time that the disk took for a transaction" times={commits} />
        <Tile name="Batch" title="How many requests shared a transaction, on average">
          {batch_size.toFixed(1)}
        </Tile>
        <Tile name="Revenue" title="What was charged in the last minute">
          {revenue_per_minute} {currency}/min
        </Tile>
        <Tile name="To be folded" title="Batches of changes that the tables of accounts and entries do not have yet">
          {count(unfolded)}
        </Tile>
        <Tile name="Repeated" title="Requests that came again, and got the answer of the first time">
          {count(traffic.repeated)}
        </Tile>
        <Tile name="Unknown sessions" title="Requests with usage of sessions that are not known">
          {count(traffic.unknown_sessions)}
        </Tile>
        <Tile name="Replaced sessions" title="Sessions that ended since another one with their name began">
          {count(traffic.replaced_sessions)}
        </Tile>
        <Tile name="Lapsed sessions" title="Sessions whose network reported nothing in time">
          {count(traffic.lapsed_sessions)}
        </Tile>
      </dl>
      {some.length > 0 && (
        <Table label="Requests of networks" columns={REQUESTS} rows={some} rowKey={({ kind }) => kind} />
      )}
      {refused.length > 0 && <Table label="Refusals" columns={REFUSED} rows={refused} rowKey={({ code }) => code} />}
    </details>
  );
}

interface TimesProps {
  name: string;
  title: string;
  times: ChargingTraffic["answers"];
}

function Times({ name, title, times }: TimesProps) {
  return (
    <Tile name={`${name}, p50 and p99`} title={`${title}: half of them took less, and 1 % longer`}>
      {times == null ? "–" : `${milliseconds(times.p50_ms)}, ${milliseconds(times.p99_ms)}`}
    </Tile>
  );
}

const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
