/** The frame of the fraud pages: their tabs. */
import "../styles/fraud.css";

import type { ReactNode } from "react";

import { Page } from "../parts/page";
import { Link, useAddress } from "../router/router";

const TABS = [
  ["/fraud", "Cases"],
  ["/fraud/alerts", "Alerts"],
  ["/fraud/actions", "Actions"],
  ["/fraud/rules", "Rules"],
  ["/fraud/reports", "Reports"],
] as const;

interface FrameProps {
  lead: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function FraudFrame({ lead, actions, children }: FrameProps) {
  const { path } = useAddress();
  return (
    <Page title="Fraud" lead={lead} actions={actions}>
      <div className="tabs" role="navigation" aria-label="Parts of fraud">
        {TABS.map(([href, name]) => (
          <Link key={href} href={href} aria-current={path === href ? "page" : undefined}>
            {name}
          </Link>
        ))}
      </div>
      {children}
    </Page>
  );
}

/** The note for a user who does not see subscriber data. */
export const KeysMasked = ({ isMasked }: { isMasked: boolean }) =>
  isMasked && <p className="muted">Keys are masked: your role does not see subscriber data.</p>;
