/** The prepaid accounts: found by any digits of a number, with the figures of the charging system above them. */
import "../styles/accounts.css";

import { useState } from "react";

import { gateway } from "../api/gateway";
import type { AccountLine } from "../api/types";
import { Actions } from "../parts/actions";
import { Count } from "../parts/count";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { TextField } from "../parts/field";
import { Icon } from "../parts/icons";
import { List } from "../parts/list";
import { useLoad, usePages } from "../parts/load";
import { Empty, Page, Waiting } from "../parts/page";
import { useQuiet } from "../parts/quiet";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Link, go, useAddress, useWord } from "../router/router";
import { accountAddress, plainNumber } from "./address";
import { compareAmounts } from "./amounts";
import { ApprovalsTab } from "./approvals-tab";
import { Changes } from "./changes";
import { Figures } from "./figures";
import { ImportDialog } from "./import-dialog";
import { MadeDialog } from "./made-dialog";
import { useMade } from "./made-vouchers";
import { Messages } from "./messages-tab";
import { OpenDialog } from "./open-dialog";
import { Peers } from "./peers-tab";
import { chargingFigures, isMissing } from "./presence";
import { AllSessions } from "./sessions-tab";
import { StandingMark } from "./standing-mark";
import { Versions } from "./versions-tab";
import { Vouchers } from "./vouchers-tab";

/** The figures are sums over all accounts, which need not follow each call. */
const FIGURES_MS = 5_000;

/** The pause in typing after which a number is looked for. */
const QUIET_MS = 150;

const COLUMNS: Column<AccountLine>[] = [
  {
    name: "Number",
    isWide: true,
    cell: ({ number }) => (
      <Link className="fixed break" href={accountAddress(number)}>
        {number}
      </Link>
    ),
    value: ({ number }) => number,
  },
  {
    name: "Standing",
    cell: ({ standing }) => <StandingMark standing={standing} />,
    value: ({ standing }) => standing,
  },
  {
    name: "Available",
    isNumber: true,
    cell: ({ available, currency }) => `${available} ${currency}`,
    value: ({ available }) => available,
    compare: (one, other) => compareAmounts(one.available, other.available),
  },
  {
    name: "Reserved",
    isNumber: true,
    cell: ({ reserved, currency }) => `${reserved} ${currency}`,
    value: ({ reserved }) => reserved,
    compare: (one, other) => compareAmounts(one.reserved, other.reserved),
  },
  {
    name: "Open sessions",
    isNumber: true,
    cell: ({ sessions }) => <Count of={sessions} />,
    value: ({ sessions }) => sessions,
  },
  { name: "Account", isSpare: true, cell: ({ account }) => account, value: ({ account }) => account },
];

/** The parts of the page, by their word in the address. */
const VIEWS = [
  { word: "", name: "Accounts" },
  { word: "sessions", name: "Sessions" },
  { word: "peers", name: "Peers" },
  { word: "messages", name: "Messages" },
  { word: "vouchers", name: "Vouchers" },
  { word: "approvals", name: "Approvals" },
  { word: "changes", name: "Changes" },
  { word: "versions", name: "Versions" },
] as const;

/** Says that the definition as it is now is not in use, and why. */
function Unused({ why }: { why: string }) {
  return (
    <div className="failure" role="alert">
      <Icon name="error" />
      <div>
        <p>
          The definition as it is now is not in use, but its last version. Mend it, or{" "}
          <Link href="/accounts?view=versions">put a version back</Link>.
        </p>
        <pre className="failure-lines">{why}</pre>
      </div>
    </div>
  );
}

export function AccountsPage() {
  const mayChange = useMay("operator");
  const { query } = useAddress();
  const view = VIEWS.find(({ word }) => word === query.get("view"))?.word ?? "";
  const made = useMade();
  const [dialog, setDialog] = useState<"open" | "import" | null>(null);
  const [changed, setChanged] = useState(0);
  const figures = useLoad(chargingFigures, [], [changed]);
  useEvery(FIGURES_MS, figures);
  const isThere = figures.value !== null && !isMissing(figures.problem);
  const close = () => setDialog(null);
  return (
    <Page
      title="Accounts"
      lead="Prepaid accounts of the charging system: what subscribers have, what is reserved, and what they paid for."
      actions={
        mayChange &&
        isThere && (
          <Actions
            of={[
              { name: "Import…", run: () => setDialog("import") },
              { name: "Open an account…", look: "main", run: () => setDialog("open") },
            ]}
          />
        )
      }
    >
      {isMissing(figures.problem) ? (
        <NoSystem />
      ) : (
        <>
          {figures.problem !== null && <Failure problem={figures.problem} again={figures.again} />}
          {figures.value === null && figures.problem === null && <Waiting />}
          {figures.value !== null && (
            <>
              {figures.value.unused != null && <Unused why={figures.value.unused} />}
              <Figures figures={figures.value} />
              <div className="tabs" role="navigation" aria-label="Parts of the accounts">
                {VIEWS.map(({ word, name }) => (
                  <Link
                    key={word}
                    href={word === "" ? "/accounts" : `/accounts?view=${word}`}
                    aria-current={word === view ? "page" : undefined}
                  >
                    {name}
                  </Link>
                ))}
              </div>
              {view === "" && <Accounts since={changed} />}
              {view === "sessions" && <AllSessions services={figures.value.services} />}
              {view === "peers" && <Peers />}
              {view === "messages" && <Messages />}
              {view === "vouchers" && <Vouchers currency={figures.value.currency} />}
              {view === "approvals" && (
                <ApprovalsTab currency={figures.value.currency} onDecided={() => setChanged(changed + 1)} />
              )}
              {view === "changes" && <Changes since={changed} />}
              {view === "versions" && <Versions />}
            </>
          )}
        </>
      )}
      {made !== null && <MadeDialog made={made} />}
      {dialog === "open" && figures.value !== null && (
        <OpenDialog
          currency={figures.value.currency}
          onClose={close}
          onOpened={({ numbers }) => {
            close();
            go(accountAddress(numbers[0]!));
          }}
        />
      )}
      {dialog === "import" && (
        <ImportDialog
          onClose={close}
          onImported={() => {
            close();
            setChanged(changed + 1);
          }}
        />
      )}
    </Page>
  );
}

function Accounts({ since }: { since: number }) {
  const [part, setPart] = useWord("part");
  const quiet = plainNumber(useQuiet(part, QUIET_MS));
  const pages = usePages(
    async (after: string | undefined) => {
      const found = await gateway.accounts({ part: quiet, after, limit: 50 });
      return { rows: found.accounts, more: found.more };
    },
    ({ number }) => number,
    [quiet],
    [since],
  );
  return (
    <>
      <div className="filters">
        <TextField
          label="Number"
          type="search"
          inputMode="tel"
          value={part}
          onValue={setPart}
          placeholder="any digits of it: 12345"
        />
      </div>
      <List
        {...pages}
        label="Accounts"
        columns={COLUMNS}
        rowKey={({ number }) => number}
        rowClass={({ standing }) => (standing === "closed" ? "row-quiet" : undefined)}
        empty={
          quiet === "" ? (
            <Empty icon="accounts" title="No accounts yet">
              <p>
                Open an account for the number of a subscriber, or import many with their first amounts from a CSV file.
              </p>
            </Empty>
          ) : (
            <Empty icon="accounts" title="No such number">
              <p>No number of an account has {quiet} in it. Numbers have their international form, digits alone.</p>
            </Empty>
          )
        }
      />
    </>
  );
}

function NoSystem() {
  return (
    <Empty icon="accounts" title="No charging system">
      <p>
        A charging system has the accounts of prepaid subscribers, and answers networks that ask whether a call may go
        on. Write <code>charging.toml</code> beside the flow file, with the tariff plan and the services, and start it:
      </p>
      <p>
        <code>tollgate charge run</code>
      </p>
      <p>This page shows its accounts as soon as it is there.</p>
    </Empty>
  );
}
