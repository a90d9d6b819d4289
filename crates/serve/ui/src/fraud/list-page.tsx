/** A list of keys: its entries, with how often they mattered, and what is done with them. */
import { useMemo, useState } from "react";

import { gateway } from "../api/gateway";
import { Actions } from "../parts/actions";
import { SelectField } from "../parts/field";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { Empty } from "../parts/page";
import { useMay } from "../parts/session";
import { visible } from "../parts/visible";
import { Link, useWord } from "../router/router";
import { AddEntryDialog, type NamedList } from "./add-entry-dialog";
import { FraudFrame, KeysMasked } from "./fraud-frame";
import { ImportListDialog } from "./import-list-dialog";
import { KeySearch } from "./key-search";
import { entryColumns } from "./list-columns";
import { RemoveEntryDialog } from "./remove-entry-dialog";

type ListDialog = { to: "add" } | { to: "import" } | { to: "remove"; key: string };

export function ListPage({ list }: { list: NamedList }) {
  const { name, node } = list;
  const [dead, setDead] = useWord("dead");
  const [key, setKey] = useWord("key");
  const [isMasked, setMasked] = useState<boolean | null>(null);
  const [dialog, setDialog] = useState<ListDialog | null>(null);
  const pages = usePages(
    async (before) => {
      const found = await gateway.fraudList(name, { node, dead: dead === "true", key, before, limit: 50 });
      setMasked(found.masked === true);
      return { rows: found.entries, more: found.more };
    },
    ({ line }) => line,
    [name, node, dead, key],
  );
  // Changes need a role that sees subscriber data.
  const mayChange = useMay("operator") && isMasked === false;
  const columns = useMemo(
    () => entryColumns(mayChange ? ({ key }) => setDialog({ to: "remove", key }) : null),
    [mayChange],
  );
  const close = () => setDialog(null);
  const done = () => {
    close();
    pages.again();
  };
  return (
    <FraudFrame
      lead="The entries of a list, the last line first. One that never mattered to a rule, or whose time is over, is dead."
      actions={
        mayChange && (
          <Actions
            of={[
              { name: "Import…", run: () => setDialog({ to: "import" }) },
              { name: "Add an entry…", look: "main", run: () => setDialog({ to: "add" }) },
            ]}
          />
        )
      }
    >
      <div className="section-head">
        <h2 className="break">
          {visible(name)} <span className="muted list-node">{node === "" ? "" : `of ${node}`}</span>
        </h2>
        <Link href="/fraud/lists">All lists</Link>
      </div>
      <div className="filters">
        <SelectField label="Entries" value={dead} onValue={setDead}>
          <option value="">all</option>
          <option value="true">dead only</option>
        </SelectField>
        <KeySearch label="Key" value={key} onSearch={setKey} />
      </div>
      <KeysMasked isMasked={isMasked === true} />
      <List
        {...pages}
        label="Entries"
        columns={columns}
        rowKey={({ line }) => line}
        empty={<NoEntry isDead={dead === "true"} isFound={key !== ""} />}
      />
      {dialog?.to === "add" && <AddEntryDialog list={list} onClose={close} onDone={done} />}
      {dialog?.to === "import" && <ImportListDialog into={{ list }} onClose={close} onDone={done} />}
      {dialog?.to === "remove" && <RemoveEntryDialog list={list} of={dialog.key} onClose={close} onDone={done} />}
    </FraudFrame>
  );
}

function NoEntry({ isDead, isFound }: { isDead: boolean; isFound: boolean }) {
  if (isFound)
    return (
      <Empty icon="fraud" title="No such entry">
        <p>{isDead ? "No dead entry is for this key." : "No entry is for this key, alone or with others."}</p>
      </Empty>
    );
  if (isDead)
    return (
      <Empty icon="check" title="No entry is dead">
        <p>Each entry has mattered to a rule, and its time is not over.</p>
      </Empty>
    );
  return (
    <Empty icon="fraud" title="The list is empty">
      <p>Add an entry, or import a file.</p>
    </Empty>
  );
}
