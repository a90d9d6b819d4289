/** Why an entry was made: what the network reported and how it came to its price, or who did it and why. */
import type { ChargedUsage, HistoryEntry, PriceStep, RecordOrigin } from "../api/types";
import { count } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { accountAddress, ownName, voucherAddress } from "./address";
import { Amount } from "./amount";
import { MAIN, bucketName, isOrphan, isRefund, isReversible, makerOf, reversalOf } from "./words";

interface WhyProps {
  entry: HistoryEntry;
  /** The entries that are loaded: one of them may be its reversal. */
  entries: readonly HistoryEntry[];
  currency: string;
  /** Null if the user may not. */
  onReverse: ((entry: HistoryEntry) => void) | null;
}

export function Why({ entry, entries, currency, onReverse }: WhyProps) {
  const { charged, session } = entry;
  const reversal = reversalOf(entry, entries);
  return (
    <>
      {charged == null ? <Done entry={entry} /> : <Charged entry={entry} charged={charged} currency={currency} />}
      {session != null && (
        <p className="muted">
          Session <span className="fixed break">{session}</span>
        </p>
      )}
      {reversal !== undefined ? (
        <p className="muted">It is reversed by entry {reversal.entry}.</p>
      ) : (
        onReverse !== null &&
        isReversible(entry) && (
          <p>
            <button type="button" className="button" onClick={() => onReverse(entry)}>
              Reverse entry {entry.entry}…
            </button>
          </p>
        )
      )}
    </>
  );
}

/** Facts about an entry that a person or the system made. */
function Done({ entry }: { entry: HistoryEntry }) {
  const { remark, system } = entry;
  return (
    <dl className="facts">
      <dt>By</dt>
      <dd>{makerOf(entry)}</dd>
      {remark?.because != null && remark.because !== "" && (
        <>
          <dt>Reason</dt>
          <dd>{visible(remark.because)}</dd>
        </>
      )}
      {remark?.reference != null && remark.reference !== "" && (
        <>
          <dt>Reference</dt>
          <dd className="fixed">{visible(remark.reference)}</dd>
        </>
      )}
      {remark?.voucher != null && (
        <>
          <dt>Voucher</dt>
          <dd>
            <Link href={voucherAddress(remark.voucher.serial)}>{String(remark.voucher.serial)}</Link> of batch{" "}
            {remark.voucher.batch}
          </dd>
        </>
      )}
      {remark?.record != null && <Origin record={remark.record} />}
      {remark?.accounts?.length === 2 && (
        <>
          <dt>Accounts</dt>
          <dd>
            from <AccountLink account={remark.accounts[0]!} /> to <AccountLink account={remark.accounts[1]!} />
          </dd>
        </>
      )}
      <dt>{entry.amount.startsWith("-") ? "Went to" : "Came from"}</dt>
      <dd>{system}</dd>
      {entry.bucket !== MAIN && (
        <>
          <dt>Balance</dt>
          <dd>{bucketName(entry.bucket, entry.bucket_offer)}</dd>
        </>
      )}
    </dl>
  );
}

/** What a record was about that was rated elsewhere, and where it came from. */
function Origin({ record: { file, line, number, other = "", service = "", start } }: { record: RecordOrigin }) {
  return (
    <>
      <dt>Service</dt>
      <dd>
        {service === "" ? "not said" : visible(service)}, began <Moment at={start} />
      </dd>
      <dt>Number</dt>
      <dd>
        {visible(number)}
        {other !== "" && ` to ${visible(other)}`}
      </dd>
      <dt>Record</dt>
      <dd>
        line {count(line)} of <span className="fixed break">{visible(file)}</span>
      </dd>
    </>
  );
}

const AccountLink = ({ account }: { account: number }) => (
  <Link href={accountAddress(ownName(account))}>account {account}</Link>
);

interface ChargedProps {
  entry: HistoryEntry;
  charged: ChargedUsage;
  currency: string;
}

const STEPS: Column<PriceStep>[] = [
  { name: "Step", cell: ({ step }) => <span className="whole">{step}</span> },
  { name: "What it found", isWide: true, cell: ({ found }) => found },
  {
    name: "Says",
    cell: ({ file, line }) =>
      file != null && (
        <span className="fixed break">
          {file}
          {line != null && `:${line}`}
        </span>
      ),
  },
];

function Charged({ entry, charged, currency }: ChargedProps) {
  const {
    service,
    client,
    served,
    other,
    partner,
    start,
    used,
    paid_by_balances,
    part,
    priced,
    billed,
    free,
    total,
    before,
  } = charged;
  return (
    <>
      <dl className="facts">
        <dt>{isRefund(entry) ? "Refund of" : "Service"}</dt>
        <dd>
          {service}, began <Moment at={start} />
        </dd>
        <dt>Number</dt>
        <dd>
          {visible(served)}
          {other !== "" && ` to ${visible(other)}`}
        </dd>
        {partner !== "" && (
          <>
            <dt>Roaming</dt>
            <dd>{visible(partner)}</dd>
          </>
        )}
        <dt>Reported</dt>
        <dd>
          {used === "" ? "nothing with this request" : used}
          {client !== "" && ` by ${visible(client)}`}
        </dd>
        {paid_by_balances > 0 && (
          <>
            <dt>Paid by balances</dt>
            <dd>{count(paid_by_balances)} units of it</dd>
          </>
        )}
        {part != null && (
          <>
            <dt>Paid by this entry</dt>
            <dd>{part} of it</dd>
          </>
        )}
        {entry.bucket !== MAIN && (
          <>
            <dt>From</dt>
            <dd>{bucketName(entry.bucket, entry.bucket_offer)}</dd>
          </>
        )}
        {!isRefund(entry) && (
          <>
            <dt>Priced so far</dt>
            <dd>
              {count(priced)} units, {count(billed)} in intervals that were begun
              {free > 0 && `, ${count(free)} paid by bundles of the plan`}
            </dd>
            <dt>{entry.unit === "money" ? "Price" : "Taken"}</dt>
            <dd>
              {isOrphan(entry) ? (
                <>
                  {total} {currency}, <strong>not charged</strong>, since the session is not known
                </>
              ) : entry.unit === "money" ? (
                <>
                  {total} {currency} so far, {before} {currency} paid before:{" "}
                  <strong>
                    {entry.amount.replace(/^-/, "")} {currency}
                  </strong>{" "}
                  {entry.amount.startsWith("-") ? "paid" : "given back"}
                </>
              ) : (
                <Amount of={entry.amount.replace(/^-/, "")} unit={entry.unit} currency={currency} />
              )}
            </dd>
          </>
        )}
      </dl>
      {!isRefund(entry) && <Steps label={`Steps to the price of entry ${entry.entry}`} steps={charged.steps} />}
    </>
  );
}

/** The steps to a price by the plan. */
export function Steps({ label, steps }: { label: string; steps: PriceStep[] }) {
  if (steps.length === 0) return <p className="muted">The plan priced none of it.</p>;
  return <Table label={label} columns={STEPS} rows={steps} rowKey={(step) => steps.indexOf(step)} />;
}
