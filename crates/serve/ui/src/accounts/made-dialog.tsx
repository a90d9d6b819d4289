/** The vouchers of a new batch, with their PINs: shown once, and saved for the printer. */
import { useState } from "react";

import type { NewVoucher } from "../api/types";
import { Dialog } from "../parts/dialog";
import { FORMATS, fileName, save } from "../parts/export";
import { count } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { type MadeBatch, keepMade } from "./made-vouchers";
import { printed, vouchersOf } from "./vouchers";

/** The vouchers that are shown. The file has all. */
const SHOWN_MAX = 100;

const COLUMNS: Column<NewVoucher>[] = [
  {
    name: "Serial number",
    cell: ({ serial }) => <span className="fixed">{String(serial)}</span>,
    value: ({ serial }) => serial,
  },
  { name: "PIN", isWide: true, cell: ({ pin }) => <span className="fixed">{pin}</span>, value: ({ pin }) => pin },
];

export function MadeDialog({ made }: { made: MadeBatch }) {
  const { batch, vouchers, isSaved } = made;
  /** How often the user wanted to leave without the file. */
  const [asked, setAsked] = useState(0);
  const close = () => keepMade(null);
  const ask = () => (isSaved ? close() : setAsked(asked + 1));
  const store = () => {
    save(fileName(`vouchers of batch ${batch}`, "csv", new Date()), FORMATS.csv.type, printed(vouchers));
    keepMade({ ...made, isSaved: true });
  };
  const isAsked = asked > 0 && !isSaved;
  return (
    // A browser closes a dialog by a second Escape, whatever the page says: so each question is a new one.
    <Dialog
      key={asked}
      title={vouchersOf(vouchers.length, batch)}
      onClose={ask}
      actions={
        <>
          {isAsked && (
            <button type="button" className="button button-grave" onClick={close}>
              Close without the PINs
            </button>
          )}
          {isSaved && (
            <button type="button" className="button" onClick={close}>
              Done
            </button>
          )}
          <button type="button" className="button button-main" onClick={store}>
            Save as CSV
          </button>
        </>
      }
    >
      <div className="remark" role="alert">
        <p>
          The PINs are shown only now: they are stored nowhere. Save them, and keep the file as you would keep money.
          {isAsked && " They are not saved yet: without them, no voucher of this batch can be used."}
        </p>
      </div>
      <p>
        The vouchers can be used once the batch is activated.{" "}
        <span role="status">{isSaved && "The file is handed to the browser: look whether it is there."}</span>
      </p>
      <Table
        label="Vouchers"
        columns={COLUMNS}
        rows={vouchers.slice(0, SHOWN_MAX)}
        rowKey={({ serial }) => String(serial)}
      />
      {vouchers.length > SHOWN_MAX && (
        <p className="muted">and {count(vouchers.length - SHOWN_MAX)} more, which the file has.</p>
      )}
    </Dialog>
  );
}
