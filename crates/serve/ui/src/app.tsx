/** Chooses what to show: the login, or a page of the gateway. */
import { Suspense, lazy, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

import { Refusal, onLoggedOut, setToken } from "./api/client";
import { AlarmsPage } from "./alarms/alarms-page";
import { gateway } from "./api/gateway";
import type { Session } from "./api/types";
import { AuditPage } from "./audit/audit-page";
import { DeliveriesPage } from "./deliveries/deliveries-page";
import { FilesPage } from "./files/files-page";
import { GraphPage } from "./graph/graph-page";
import { listen, stop } from "./live/live";
import { LoginPage } from "./login/login-page";
import { WelcomePage } from "./login/welcome-page";
import { GroupPage } from "./matching/group-page";
import { MatchingPage } from "./matching/matching-page";
import { Catch } from "./parts/catch";
import { Failure } from "./parts/failure";
import { GiveUpDialog } from "./parts/give-up-dialog";
import { asRefusal } from "./parts/load";
import { Page, Waiting } from "./parts/page";
import { SessionContext, mayAs, useSession } from "./parts/session";
import { askBeforeClosing, giveUpAll, isAnythingUnsaved } from "./parts/unsaved";
import { AccountPage } from "./people/account-page";
import { PeoplePage } from "./people/people-page";
import { first, type Parts } from "./router/match";
import { PAGES } from "./router/pages";
import { Link, go, useAddress } from "./router/router";
import { ScriptsPage } from "./scripts/scripts-page";
import { Shell } from "./shell/shell";
import { SuspenseRecordPage } from "./suspense/record-page";
import { SuspensePage } from "./suspense/suspense-page";
import { TracePage } from "./trace/trace-page";
import { TrailPage } from "./trail/trail-page";

const ThroughputPage = lazy(async () => ({ default: (await import("./plots/throughput-page")).ThroughputPage }));

const CasesPage = lazy(async () => ({ default: (await import("./fraud/cases-page")).CasesPage }));
const CasePage = lazy(async () => ({ default: (await import("./fraud/case-page")).CasePage }));
const AlertsPage = lazy(async () => ({ default: (await import("./fraud/alerts-page")).AlertsPage }));
const ActionsPage = lazy(async () => ({ default: (await import("./fraud/actions-page")).ActionsPage }));
const ReportsPage = lazy(async () => ({ default: (await import("./fraud/reports-page")).ReportsPage }));
const RulesPage = lazy(async () => ({ default: (await import("./fraud/rules-page")).RulesPage }));
const ListsPage = lazy(async () => ({ default: (await import("./fraud/lists-page")).ListsPage }));
const SubjectPage = lazy(async () => ({ default: (await import("./fraud/subject-page")).SubjectPage }));
const ShiftPage = lazy(async () => ({ default: (await import("./fraud/shift-page")).ShiftPage }));
const AccountsPage = lazy(async () => ({ default: (await import("./accounts/accounts-page")).AccountsPage }));
const PrepaidPage = lazy(async () => ({ default: (await import("./accounts/prepaid-page")).PrepaidPage }));
const RecordsPage = lazy(async () => ({ default: (await import("./records/records-page")).RecordsPage }));
const TariffsPage = lazy(async () => ({ default: (await import("./tariffs/tariffs-page")).TariffsPage }));
const ReplayPage = lazy(async () => ({ default: (await import("./replay/replay-page")).ReplayPage }));
const ReferencePage = lazy(async () => ({ default: (await import("./reference/reference-page")).ReferencePage }));

const ROUTES: readonly (readonly [string, (parts: Parts) => ReactNode])[] = [
  ["/graph", () => <GraphPage />],
  ["/alarms", () => <AlarmsPage />],
  ["/suspense", () => <SuspensePage />],
  ["/suspense/:id", ({ id = "" }) => (/^\d+$/.test(id) ? <SuspenseRecordPage id={id} /> : <NoPage />)],
  ["/matching", () => <MatchingPage />],
  ["/matching/:id", ({ id }) => <GroupPage id={id ?? ""} />],
  ["/files", () => <FilesPage />],
  ["/records", () => <RecordsPage />],
  ["/deliveries", () => <DeliveriesPage />],
  ["/fraud", () => <CasesPage />],
  ["/fraud/alerts", () => <AlertsPage />],
  ["/fraud/actions", () => <ActionsPage />],
  ["/fraud/rules", () => <RulesPage />],
  ["/fraud/lists", () => <ListsPage />],
  ["/fraud/subject", () => <SubjectPage />],
  ["/fraud/shift", () => <ShiftPage />],
  ["/fraud/reports", () => <ReportsPage />],
  ["/fraud/cases/:id", ({ id = "" }) => (/^\d{1,15}$/.test(id) ? <CasePage id={id} /> : <NoPage />)],
  ["/audit", () => <AuditPage />],
  ["/audit/sequences", () => <AuditPage />],
  ["/throughput", () => <ThroughputPage />],
  ["/trace", () => <TracePage />],
  ["/scripts", () => <ScriptsPage />],
  ["/accounts", () => <AccountsPage />],
  ["/accounts/:account", ({ account }) => <PrepaidPage name={account ?? ""} />],
  ["/tariffs", () => <TariffsPage />],
  ["/replay", () => <ReplayPage />],
  ["/trail", () => <TrailPage />],
  ["/reference", () => <ReferencePage />],
  ["/people", () => <PeoplePage />],
  ["/account", () => <AccountPage />],
];

type Known = { session: Session } | "logged-out" | "asking" | Refusal;

export function App() {
  const [known, setKnown] = useState<Known>("asking");
  const { path } = useAddress();
  const last = useRef<string | null>(null);
  const enter = useCallback((session: Session) => {
    // Another user logged in. The previous user's unsaved changes must not stay in this window.
    if (last.current !== null && last.current !== session.name) {
      giveUpAll();
      return window.location.reload();
    }
    last.current = session.name;
    setToken(session.csrf);
    setKnown({ session });
  }, []);
  const askAgain = useCallback(() => {
    gateway.session().then(enter, (error: unknown) => {
      const problem = asRefusal(error);
      setKnown((before) => {
        if (problem.status === 401) return "logged-out";
        // While the gateway is unreachable for a moment, the user stays logged in.
        return typeof before === "object" && "session" in before ? before : problem;
      });
    });
  }, [enter]);
  useEffect(() => {
    // A wrong password is refused with the same status as an expired session, so the session is asked for.
    onLoggedOut(askAgain);
    askAgain();
  }, [askAgain]);
  const session = typeof known === "object" && "session" in known ? known.session : null;
  useEffect(() => {
    if (session === null) return stop();
    listen(askAgain);
    return stop;
  }, [session?.name, askAgain]);
  useEffect(() => {
    if (session !== null && (path === "/" || path === "/login")) go("/graph", "replace");
  }, [session, path]);
  useEffect(askBeforeClosing, []);
  const [isAsked, setAsked] = useState(false);
  const logOut = useCallback(() => {
    giveUpAll();
    gateway.logout().finally(() => window.location.assign("/login"));
  }, []);
  const leave = useCallback(() => (isAnythingUnsaved() ? setAsked(true) : logOut()), [logOut]);
  const held = useMemo(() => (session === null ? null : { session, leave }), [session, leave]);

  if (path === "/welcome") return <WelcomePage onSession={enter} />;
  if (known === "asking") return <Waiting />;
  if (known instanceof Refusal)
    return (
      <main className="gate">
        <Failure problem={known} again={askAgain} />
      </main>
    );
  if (held === null) return <LoginPage onSession={enter} />;
  return (
    <SessionContext value={held}>
      <Shell>
        <Catch key={path}>
          <Suspense fallback={<Waiting />}>
            <Found path={path} />
          </Suspense>
        </Catch>
      </Shell>
      {isAsked && (
        <GiveUpDialog onClose={() => setAsked(false)} onGivenUp={logOut}>
          You wrote something that is saved nowhere: the flow, a script, a table, a rule, a tariff or a record. Logging
          out loses it.
        </GiveUpDialog>
      )}
    </SessionContext>
  );
}

function Found({ path }: { path: string }) {
  const { role } = useSession().session;
  const entry = PAGES.find((each) => each.href === path);
  if (entry !== undefined && !mayAs(role, entry.needs))
    return (
      <Page title={entry.name}>
        <p>
          This page needs the role {entry.needs}; yours is {role}.
        </p>
      </Page>
    );
  const found = first(ROUTES, path);
  if (found !== null) return found.found(found.parts);
  return <NoPage />;
}

function NoPage() {
  return (
    <Page title="There is no such page">
      <p>
        <Link href="/graph">To the graph</Link>
      </p>
    </Page>
  );
}
