/** An account: its balances, its sessions in progress, and its history, with what an operator can do. */
import "../styles/accounts.css";

import { useState } from "react";

import { gateway } from "../api/gateway";
import type { HistoryEntry, OpenSession, PrepaidAccount } from "../api/types";
import { type Action, Actions } from "../parts/actions";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { useHeldFocus } from "../parts/held-focus";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { Await, Page } from "../parts/page";
import { useMay } from "../parts/session";
import { visible } from "../parts/visible";
import { Link, go } from "../router/router";
import { accountAddress, messagesAddress, ownName, plainNumber } from "./address";
import { AdjustDialog } from "./adjust-dialog";
import { Balances } from "./balances";
import { BarringDialog } from "./barring-dialog";
import { BuyDialog } from "./buy-dialog";
import { CancelBundleDialog } from "./cancel-bundle-dialog";
import { CreditLimitDialog } from "./credit-limit-dialog";
import { EndSessionDialog } from "./end-session-dialog";
import { History } from "./history";
import { AddNumberDialog, RemoveNumberDialog } from "./number-dialogs";
import { PriceDialog } from "./price-dialog";
import { RefillDialog } from "./refill-dialog";
import { Notices } from "./notices";
import { Refusals } from "./refusals";
import { ReverseDialog } from "./reverse-dialog";
import { Sessions } from "./sessions";
import { BlockDialog, CloseDialog, UnblockDialog } from "./standing-dialogs";
import { StandingMark } from "./standing-mark";
import { SubscriberTypeDialog } from "./subscriber-type-dialog";
import { Subscriptions } from "./subscriptions";
import { TransferDialog } from "./transfer-dialog";
import { TrialCall } from "./trial-call";
import { TrialDialog } from "./trial-dialog";
import { UseVoucherDialog } from "./use-voucher-dialog";
import { useTrial } from "./use-trial";

/** The interval of the refresh: a reservation changes with each report of the network. */
const REFRESH_MS = 2_000;

export function PrepaidPage({ name }: { name: string }) {
  const loaded = useLoad(() => gateway.account(name), [name]);
  useEvery(REFRESH_MS, loaded);
  if (loaded.value === null && loaded.problem !== null)
    return (
      <Page title={titleOf(name)}>
        <AllAccounts />
        <Failure problem={loaded.problem} again={loaded.again} />
        {loaded.problem.code === "number-unknown" && (
          <p className="muted">The number may have been removed from its account, or has a typing error.</p>
        )}
      </Page>
    );
  return (
    <Await loaded={loaded}>
      {(account) => <Account key={account.account} name={name} account={account} again={loaded.again} />}
    </Await>
  );
}

const AllAccounts = () => (
  <p>
    <Link href="/accounts">All accounts</Link>
  </p>
);

const titleOf = (name: string) => `Account of ${visible(name)}`;

/** A dialog, and what it is about. */
type AccountDialog =
  | { what: Plain }
  | { what: "remove-number"; number: string }
  | { what: "cancel"; bundle: string }
  | { what: "end"; session: OpenSession }
  | { what: "reverse"; entry: HistoryEntry };

interface AccountProps {
  /** The name in the address. */
  name: string;
  account: PrepaidAccount;
  again: () => void;
}

function Account({ name, account, again }: AccountProps) {
  const mayChange = useMay("operator");
  const [dialog, setDialog] = useState<AccountDialog | null>(null);
  const { trial, place, hangUp, forget } = useTrial(again);
  const close = () => setDialog(null);
  const done = () => {
    close();
    again();
  };
  const own = ownName(account.account);
  const of = { account, name: own, onClose: close, onDone: done };
  const removed = (number: string) => {
    // The address may have the number that this account no longer has.
    if (plainNumber(name) === number) go(accountAddress(own), "replace");
    done();
  };
  return (
    <Page
      title={name.startsWith("#") ? `Account ${account.account}` : titleOf(name)}
      actions={<Actions of={actionsOf(account, mayChange, (what) => setDialog({ what }))} />}
    >
      <AllAccounts />
      <dl className="facts">
        <dt>Standing</dt>
        <dd>
          <StandingMark standing={account.standing} />
        </dd>
        <dt>Account</dt>
        <dd>{account.account}</dd>
        <dt>Numbers</dt>
        <dd>
          <Numbers
            numbers={account.numbers}
            onRemove={mayChange ? (number) => setDialog({ what: "remove-number", number }) : null}
          />
        </dd>
        {/[1-9]/.test(account.credit_limit) && (
          <>
            <dt>Credit limit</dt>
            <dd>
              {account.credit_limit} {account.currency}
            </dd>
          </>
        )}
        {account.subscriber_type != null && (
          <>
            <dt>Type</dt>
            <dd>{account.subscriber_type}</dd>
          </>
        )}
        {account.barred.length + account.barred_classes.length > 0 && (
          <>
            <dt>Barred from</dt>
            <dd>{[...account.barred, ...account.barred_classes].join(", ")}</dd>
          </>
        )}
        {account.limits.length > 0 && (
          <>
            <dt>Spent this month</dt>
            <dd>
              <Limits limits={account.limits} currency={account.currency} />
            </dd>
          </>
        )}
        {account.subscriptions.length > 0 && (
          <>
            <dt>Each period</dt>
            <dd>
              <Subscriptions
                subscriptions={account.subscriptions}
                onCancel={mayChange ? (bundle) => setDialog({ what: "cancel", bundle }) : null}
              />
            </dd>
          </>
        )}
      </dl>
      {trial !== null && <TrialCall trial={trial} onHangUp={hangUp} onForget={forget} />}
      <Balances account={account} />
      <Sessions account={account} onEnd={mayChange ? (session) => setDialog({ what: "end", session }) : null} />
      <Refusals name={own} />
      <Notices name={own} />
      <History
        name={own}
        entries={account.entries}
        onReverse={mayChange ? (entry) => setDialog({ what: "reverse", entry }) : null}
      />
      {dialog?.what === "refill" && <RefillDialog {...of} />}
      {dialog?.what === "price" && <PriceDialog {...of} />}
      {dialog?.what === "trial" && (
        <TrialDialog
          {...of}
          onPlace={(plan) => {
            close();
            void place(plan);
          }}
        />
      )}
      {dialog?.what === "voucher" && <UseVoucherDialog {...of} />}
      {dialog?.what === "adjust" && <AdjustDialog {...of} />}
      {dialog?.what === "transfer" && <TransferDialog {...of} />}
      {dialog?.what === "buy" && <BuyDialog {...of} />}
      {dialog?.what === "cancel" && <CancelBundleDialog {...of} bundle={dialog.bundle} />}
      {dialog?.what === "limit" && <CreditLimitDialog {...of} />}
      {dialog?.what === "bar" && <BarringDialog {...of} />}
      {dialog?.what === "type" && <SubscriberTypeDialog {...of} />}
      {dialog?.what === "close" && <CloseDialog {...of} />}
      {dialog?.what === "block" && <BlockDialog {...of} />}
      {dialog?.what === "unblock" && <UnblockDialog {...of} />}
      {dialog?.what === "add-number" && <AddNumberDialog {...of} />}
      {dialog?.what === "remove-number" && (
        <RemoveNumberDialog {...of} number={dialog.number} onDone={() => removed(dialog.number)} />
      )}
      {dialog?.what === "end" && <EndSessionDialog {...of} session={dialog.session} />}
      {dialog?.what === "reverse" && <ReverseDialog {...of} entry={dialog.entry} />}
    </Page>
  );
}

/** Actions on the account as a whole. */
type Plain =
  | "price"
  | "trial"
  | "refill"
  | "voucher"
  | "adjust"
  | "transfer"
  | "block"
  | "unblock"
  | "add-number"
  | "buy"
  | "limit"
  | "bar"
  | "type"
  | "close";

function actionsOf({ standing, numbers }: PrepaidAccount, mayChange: boolean, show: (what: Plain) => void): Action[] {
  if (standing === "closed") return [];
  const calls = numbers.length > 0;
  const price: Action[] = calls ? [{ name: "Price…", run: () => show("price") }] : [];
  if (!mayChange) return price;
  return [
    { name: "Close…", look: "grave", run: () => show("close") },
    { name: "Credit limit…", run: () => show("limit") },
    { name: "Type…", run: () => show("type") },
    { name: "Bar services…", run: () => show("bar") },
    ...price,
    ...(calls ? [{ name: "Place a call…", run: () => show("trial") }] : []),
    { name: "Add a number…", run: () => show("add-number") },
    { name: "Transfer…", run: () => show("transfer") },
    { name: "Adjust…", run: () => show("adjust") },
    standing === "suspended"
      ? { name: "Unblock…", run: () => show("unblock") }
      : { name: "Block…", look: "grave", run: () => show("block") },
    { name: "Buy a bundle…", run: () => show("buy") },
    { name: "Use a voucher…", run: () => show("voucher") },
    { name: "Refill…", look: "main", run: () => show("refill") },
  ];
}

/** What is spent within each limit. */
const Limits = ({ limits, currency }: Pick<PrepaidAccount, "limits" | "currency">) => (
  <ul className="plain">
    {limits.map(({ limit, number, spent, most, consent }) => (
      <li key={`${limit} ${number}`}>
        {spent} of {most} {currency} within the limit {limit}
        {number != null && ` of ${number}`}
        {consent && "; the subscriber agrees to spend more"}
      </li>
    ))}
  </ul>
);

interface NumbersProps {
  numbers: string[];
  /** Null if the user may not. */
  onRemove: ((number: string) => void) | null;
}

function Numbers({ numbers, onRemove }: NumbersProps) {
  const group = useHeldFocus<HTMLUListElement>();
  if (numbers.length === 0) return <span className="muted">none: no network can charge the account</span>;
  return (
    <ul ref={group} className="chips">
      {numbers.map((number) => (
        <li key={number} className={onRemove === null ? "fixed" : "chip"}>
          <span className="fixed">{visible(number)}</span>{" "}
          <Link href={messagesAddress({ number })} aria-label={`messages of the number ${visible(number)}`}>
            messages
          </Link>
          {onRemove !== null && (
            <button
              type="button"
              className="button button-quiet"
              aria-label={`Remove the number ${number}`}
              title="Remove this number"
              onClick={() => onRemove(number)}
            >
              <Icon name="close" size={14} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
