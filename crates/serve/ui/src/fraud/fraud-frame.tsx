/** The frame of the fraud pages: their tabs. */
import "../styles/fraud.css";

import type { ReactNode } from "react";

import { Page } from "../parts/page";
import { Link, go, useAddress } from "../router/router";
import { subjectAddress } from "./address";
import { useIsOnDuty } from "./duty";
import { KeySearch } from "./key-search";

/** The page of all about a key. */
const SUBJECT = "/fraud/subject";

const TABS = [
  ["/fraud", "Cases"],
  ["/fraud/alerts", "Alerts"],
  ["/fraud/actions", "Actions"],
  ["/fraud/rules", "Rules"],
  ["/fraud/lists", "Lists"],
  ["/fraud/reports", "Reports"],
] as const;

const SHIFT = ["/fraud/shift", "Shift"] as const;

interface FrameProps {
  lead: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function FraudFrame({ lead, actions, children }: FrameProps) {
  const { path, query } = useAddress();
  const isOnDuty = useIsOnDuty();
  const tabs = isOnDuty ? [SHIFT, ...TABS] : [...TABS, SHIFT];
  return (
    <Page title="Fraud" lead={lead} actions={actions}>
      <div className="fraud-head">
        <div className="tabs" role="navigation" aria-label="Parts of fraud">
          {tabs.map(([href, name]) => (
            <Link key={href} href={href} aria-current={path === href ? "page" : undefined}>
              {name}
            </Link>
          ))}
        </div>
        <KeySearch
          label="Subject"
          placeholder="All about a key"
          value={path === SUBJECT ? (query.get("key") ?? "") : ""}
          onSearch={(key) => key !== "" && go(subjectAddress(key))}
        />
      </div>
      {children}
    </Page>
  );
}

/** The note for a user who does not see subscriber data. */
export const KeysMasked = ({ isMasked }: { isMasked: boolean }) =>
  isMasked && <p className="muted">Keys are masked: your role does not see subscriber data.</p>;
