/** The lists of keys that rules go by: who is left out of a rule, or whom alone it is about. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { Actions } from "../parts/actions";
import { Failure } from "../parts/failure";
import { List } from "../parts/list";
import { useLoad } from "../parts/load";
import { Empty } from "../parts/page";
import { useMay } from "../parts/session";
import { visible } from "../parts/visible";
import { go, useAddress } from "../router/router";
import { fraudListAddress } from "./address";
import { FraudFrame } from "./fraud-frame";
import { ImportListDialog } from "./import-list-dialog";
import { LIST_COLUMNS } from "./list-columns";
import { ListPage } from "./list-page";
import { listsIn } from "./list-words";

export function ListsPage() {
  const { query } = useAddress();
  const name = query.get("list");
  const node = query.get("node") ?? "";
  return name === null ? <AllLists /> : <ListPage key={`${node} ${name}`} list={{ name, node }} />;
}

function AllLists() {
  const mayChange = useMay("operator");
  const loaded = useLoad(gateway.fraudLists, []);
  const [isNew, setNew] = useState(false);
  const folders = loaded.value?.folders ?? [];
  return (
    <FraudFrame
      lead="Lists of keys, such as numbers of call centres. A rule leaves out who is in a list, or is about these alone."
      actions={
        mayChange &&
        folders.length > 0 && <Actions of={[{ name: "New list…", look: "main", run: () => setNew(true) }]} />
      }
    >
      {folders.map(
        ({ nodes, problem }) =>
          problem != null && (
            <p key={nodes.join()} className="remark" role="alert">
              {nodes.join(", ")}: {visible(problem)}
            </p>
          ),
      )}
      {loaded.problem !== null && loaded.value === null ? (
        <Failure problem={loaded.problem} again={loaded.again} />
      ) : (
        <List
          problem={loaded.problem}
          again={loaded.again}
          rows={loaded.value === null ? null : listsIn(folders)}
          label="Lists"
          columns={LIST_COLUMNS}
          rowKey={({ name, nodes }) => `${nodes.join()} ${name}`}
          empty={<NoList hasFolder={folders.length > 0} />}
        />
      )}
      {isNew && (
        <ImportListDialog
          into={{ folders: folders.map(({ nodes }) => nodes) }}
          onClose={() => setNew(false)}
          onDone={({ name, node }) => go(fraudListAddress(name, node))}
        />
      )}
    </FraudFrame>
  );
}

function NoList({ hasFolder }: { hasFolder: boolean }) {
  if (hasFolder)
    return (
      <Empty icon="fraud" title="There is no list yet">
        <p>A list is a CSV file with a column for keys. “New list…” makes one of a file that you have.</p>
      </Empty>
    );
  return (
    <Empty icon="fraud" title="No fraud node has lists">
      <p>
        Write <span className="fixed">lists = &quot;lists&quot;</span> into the table of a fraud node: its lists are
        files in that folder.
      </p>
    </Empty>
  );
}
