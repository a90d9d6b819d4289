/** Vouchers: what became of one, and what is done with a batch. */
import { type FormEvent, useState } from "react";

import { gateway } from "../api/gateway";
import type { Voucher } from "../api/types";
import { type Action, Actions } from "../parts/actions";
import { TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { Await, Empty } from "../parts/page";
import { useMay } from "../parts/session";
import { Moment } from "../parts/time";
import { Link, useWord } from "../router/router";
import { accountAddress, ownName } from "./address";
import { ActivateVouchersDialog, type Blockable, BlockVouchersDialog, MakeVouchersDialog } from "./voucher-dialogs";
import { stateOf, wholeNumber } from "./vouchers";

type VoucherDialog = { what: "make" } | { what: "activate" } | { what: "block"; of: Blockable | null };

export function Vouchers({ currency }: { currency: string }) {
  const mayChange = useMay("operator");
  const mayMake = useMay("administrator");
  const [serial, setSerial] = useWord("serial");
  const [changed, setChanged] = useState(0);
  const [dialog, setDialog] = useState<VoucherDialog | null>(null);
  const of = {
    onClose: () => setDialog(null),
    onDone: () => {
      setDialog(null);
      setChanged(changed + 1);
    },
  };
  const actions: Action[] = [
    { name: "Block vouchers…", look: "grave", run: () => setDialog({ what: "block", of: null }) },
    { name: "Activate a batch…", run: () => setDialog({ what: "activate" }) },
  ];
  if (mayMake) actions.push({ name: "Make vouchers…", run: () => setDialog({ what: "make" }) });
  const number = wholeNumber(serial);
  return (
    <>
      <div className="section-head">
        <Find key={serial} serial={serial} onSerial={setSerial} />
        {mayChange && (
          <span className="actions">
            <Actions of={actions} />
          </span>
        )}
      </div>
      {number === null ? (
        <Empty icon="accounts" title="Which voucher?">
          <p>
            Give the serial number that is printed on it: this page shows whether it can be used, and which account got
            its amount. A PIN cannot be looked up: PINs are not stored.
          </p>
        </Empty>
      ) : (
        <Found
          serial={number}
          since={changed}
          onBlock={mayChange ? (voucher) => setDialog({ what: "block", of: blockable(voucher) }) : null}
        />
      )}
      {dialog?.what === "make" && <MakeVouchersDialog {...of} currency={currency} />}
      {dialog?.what === "activate" && <ActivateVouchersDialog {...of} />}
      {dialog?.what === "block" && <BlockVouchersDialog {...of} of={dialog.of} />}
    </>
  );
}

const blockable = ({ batch, serial }: Voucher): Blockable => ({ batch: String(batch), serial: String(serial) });

function Find({ serial, onSerial }: { serial: string; onSerial: (serial: string) => void }) {
  const [typed, setTyped] = useState(serial);
  const find = (event: FormEvent) => {
    event.preventDefault();
    onSerial(String(wholeNumber(typed) ?? ""));
  };
  return (
    <form className="filters" onSubmit={find}>
      <TextField
        label="Serial number"
        type="search"
        inputMode="numeric"
        value={typed}
        onValue={setTyped}
        pattern="[0-9 ,]*"
        title="Digits are expected"
        placeholder="30064771072"
      />
      <button type="submit" className="button button-main">
        Find
      </button>
    </form>
  );
}

interface FoundProps {
  serial: bigint;
  since: number;
  /** Null if the user may not. */
  onBlock: ((voucher: Voucher) => void) | null;
}

function Found({ serial, since, onBlock }: FoundProps) {
  const loaded = useLoad(() => gateway.voucher(serial), [serial], [since]);
  return (
    <section className="section" aria-label={`Voucher ${serial}`}>
      <Await loaded={loaded}>{(voucher) => <Facts voucher={voucher} onBlock={onBlock} />}</Await>
    </section>
  );
}

function Facts({ voucher, onBlock }: { voucher: Voucher; onBlock: FoundProps["onBlock"] }) {
  const { mark, means } = stateOf(voucher);
  const { account, used_at } = voucher;
  return (
    <>
      <dl className="facts">
        <dt>Serial number</dt>
        <dd className="fixed">{String(voucher.serial)}</dd>
        <dt>State</dt>
        <dd>
          <span className={`mark mark-${mark}`}>{voucher.state}</span> <span className="muted">{means}</span>
        </dd>
        <dt>Batch</dt>
        <dd>{String(voucher.batch)}</dd>
        <dt>Amount</dt>
        <dd>
          {voucher.amount} {voucher.currency}
        </dd>
        <dt>Until</dt>
        <dd>
          <Moment at={voucher.until} />
        </dd>
        {account != null && (
          <>
            <dt>Used for</dt>
            <dd>
              <Link href={accountAddress(ownName(account))}>account {String(account)}</Link>
            </dd>
          </>
        )}
        {used_at != null && (
          <>
            <dt>Used at</dt>
            <dd>
              <Moment at={used_at} />
            </dd>
          </>
        )}
      </dl>
      {onBlock !== null && (voucher.state === "active" || voucher.state === "generated") && (
        <p className="actions">
          <button type="button" className="button button-grave" onClick={() => onBlock(voucher)}>
            Block this voucher…
          </button>
        </p>
      )}
    </>
  );
}
