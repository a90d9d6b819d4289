/** All that is stored about a subject of rules: for analysts, and for people who have the right to know. */
import "../styles/fraud.css";

import { type ReactNode, useState } from "react";

import { gateway } from "../api/gateway";
import type { ForgottenFraudSubject, FraudSubject } from "../api/types";
import { Actions } from "../parts/actions";
import { fileName, save } from "../parts/export";
import { Sublist } from "../parts/list";
import { useLoad } from "../parts/load";
import { counted } from "../parts/numbers";
import { Await, Empty } from "../parts/page";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { visible } from "../parts/visible";
import { Link, useAddress } from "../router/router";
import { stageOf } from "./action-words";
import { AddEntryDialog } from "./add-entry-dialog";
import { subjectAddress } from "./address";
import { SUBJECT_ALERT_COLUMNS } from "./alert-columns";
import { CaseActions } from "./case-actions";
import { ForgetDialog } from "./forget-dialog";
import { Forgotten } from "./forgotten";
import { FraudFrame } from "./fraud-frame";
import { LISTED_COLUMNS, SUBJECT_CASE_COLUMNS, VIEW_COLUMNS } from "./subject-columns";
import { SubjectRecords } from "./subject-records";
import { isNothing } from "./subject-words";
import { TimeLineView } from "./time-line-view";

/** More marks would lie over each other. */
const MARKS_MAX = 500;

/** The rows of a part that are shown at first, and with each “Show more”. */
const ROWS = 100;

export function SubjectPage() {
  const key = useAddress().query.get("key") ?? "";
  if (key === "")
    return (
      <FraudFrame lead={LEAD}>
        <Empty icon="search" title="Whom is it about?">
          <p>Write a key into the field above, such as a number, as alerts have it.</p>
        </Empty>
      </FraudFrame>
    );
  return <Subject key={key} of={key} />;
}

const LEAD = "All that is stored about a key. That you look at it is in the audit trail.";

function Subject({ of }: { of: string }) {
  const loaded = useLoad(() => gateway.aboutFraud(of), [of]);
  const stopped = useLoad(async () => (await gateway.actions({ open: true, limit: 1 })).stopped ?? null, [of]);
  const [forgotten, setForgotten] = useState<ForgottenFraudSubject | null>(null);
  const again = () => {
    loaded.again();
    stopped.again();
  };
  return (
    <FraudFrame
      lead={LEAD}
      actions={loaded.value !== null && <Deeds of={loaded.value} again={again} onForgotten={setForgotten} />}
    >
      <h2 className="break subject-key">
        <span className="fixed">{visible(of)}</span>
      </h2>
      {forgotten !== null && <Forgotten of={forgotten} />}
      <Await loaded={loaded}>
        {(subject) => <Stored of={subject} stopped={stopped.value} again={again} isForgotten={forgotten !== null} />}
      </Await>
    </FraudFrame>
  );
}

interface DeedsProps {
  of: FraudSubject;
  again: () => void;
  onForgotten: (forgotten: ForgottenFraudSubject) => void;
}

function Deeds({ of, again, onForgotten }: DeedsProps) {
  const mayChange = useMay("operator");
  const mayErase = useMay("administrator");
  const [dialog, setDialog] = useState<"list" | "erase" | null>(null);
  const close = () => setDialog(null);
  const download = () =>
    save(fileName("Subject", "json", new Date()), "application/json", `${JSON.stringify(of, null, 2)}\n`);
  const isPrefix = of.key.endsWith("*");
  return (
    <>
      <Actions
        of={[
          { name: "Download report", title: "As JSON", run: download },
          ...(mayChange
            ? [
                {
                  name: "Add to a list…",
                  isDisabled: isPrefix,
                  title: isPrefix ? "A key that ends with * would be for all keys that begin so" : undefined,
                  run: () => setDialog("list" as const),
                },
              ]
            : []),
          ...(mayErase ? [{ name: "Erase…", look: "grave" as const, run: () => setDialog("erase") }] : []),
        ]}
      />
      {dialog === "list" && (
        <AddEntryDialog
          list={null}
          fixedKey={of.key}
          onClose={close}
          onDone={() => {
            close();
            again();
          }}
        />
      )}
      {dialog === "erase" && (
        <ForgetDialog
          of={of.key}
          open={of.actions.filter((each) => stageOf(each) !== "finished").map(({ id }) => id)}
          onClose={close}
          onDone={(forgotten) => {
            close();
            onForgotten(forgotten);
            again();
          }}
        />
      )}
    </>
  );
}

interface StoredProps {
  of: FraudSubject;
  stopped: Parameters<typeof CaseActions>[0]["stopped"];
  again: () => void;
  isForgotten: boolean;
}

function Stored({ of, stopped, again, isForgotten }: StoredProps) {
  const { alerts, cases, actions, lists, unread_lists, views, other_keys, indexed, more } = of;
  if (isNothing(of))
    return (
      <Empty icon={isForgotten ? "check" : "fraud"} title="Nothing is stored about this key">
        <p>No alert, case, action, list or index has it. Keys are compared as a whole.</p>
      </Empty>
    );
  return (
    <>
      {more && <p className="remark">There is more than is shown: these are the newest.</p>}
      {unread_lists.length > 0 && (
        <p className="remark">Lists that cannot be read: {visible(unread_lists.join(", "))}.</p>
      )}
      <Part title={counted(alerts.length, "alert")} label="Alerts" columns={SUBJECT_ALERT_COLUMNS} rows={alerts}>
        {alerts.length > 1 && <TimeLineView alerts={alerts.slice(0, MARKS_MAX)} />}
      </Part>
      <Part title={counted(cases.length, "case")} label="Cases" columns={SUBJECT_CASE_COLUMNS} rows={cases} />
      <CaseActions of={of} stopped={actions.length > 0 ? stopped : null} again={again} />
      <Part
        title={lists.length === 0 ? "In no list" : "In lists"}
        label="Entries of lists"
        columns={LISTED_COLUMNS}
        rows={lists}
      />
      <SubjectRecords key={String(isForgotten)} of={of.key} indexed={indexed} />
      {other_keys.length > 0 && (
        <section className="section">
          <h2>Other keys that have this one as a part</h2>
          <ul className="chips">
            {other_keys.map((key) => (
              <li key={key}>
                <Link className="fixed break" href={subjectAddress(key)}>
                  {visible(key)}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Part title="Who looked at it" label="Views" columns={VIEW_COLUMNS} rows={views} />
    </>
  );
}

interface PartProps<T> {
  title: string;
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  children?: ReactNode;
}

/** A part of the report, with its rows if there are any. */
function Part<T>({ title, label, columns, rows, children }: PartProps<T>) {
  const [shown, setShown] = useState(ROWS);
  return (
    <section className="section" aria-label={label}>
      <h2>{title}</h2>
      {children}
      {rows.length > 0 && (
        <Sublist
          label={label}
          columns={columns}
          rows={rows.slice(0, shown)}
          rowKey={(row) => rows.indexOf(row)}
          hasMore={rows.length > shown}
          more={() => setShown(shown + ROWS)}
        />
      )}
    </section>
  );
}
