/** What waits for a second person: what one user asked for above an amount, and another one approves or rejects. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ApprovalRequest } from "../api/types";
import { Cut } from "../parts/cut";
import { useEvery } from "../parts/every";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Await, Empty } from "../parts/page";
import { ReasonDialog } from "../parts/reason-dialog";
import { useMay } from "../parts/session";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";

/** Requests of others come while the page is open. */
const REFRESH_MS = 5_000;

const COLUMNS: Column<ApprovalRequest>[] = [
  { name: "Request", isNumber: true, cell: ({ request }) => request, value: ({ request }) => request },
  { name: "When", cell: ({ at }) => <Moment at={at} />, value: ({ at }) => at },
  { name: "Who", cell: ({ who }) => who, value: ({ who }) => who },
  { name: "What", cell: ({ action }) => <span className="whole">{action}</span>, value: ({ action }) => action },
  { name: "To what", cell: ({ subject }) => <Cut text={subject} />, value: ({ subject }) => subject },
  { name: "Why", isWide: true, cell: ({ because }) => because, value: ({ because }) => because },
];

type Decision = "approve" | "reject";

export function ApprovalsTab({ currency, onDecided }: { currency: string; onDecided: () => void }) {
  const mayDecide = useMay("operator");
  const loaded = useLoad(gateway.approvals, []);
  useEvery(REFRESH_MS, loaded);
  const [decided, setDecided] = useState<{ decision: Decision; request: ApprovalRequest } | null>(null);
  const close = () => setDecided(null);
  const done = () => {
    close();
    loaded.again();
    onDecided();
  };
  const decide = (decision: Decision, request: ApprovalRequest) => () => setDecided({ decision, request });
  const decisions: Column<ApprovalRequest> = {
    name: "Decision",
    cell: (request) => (
      <span className="whole">
        <button type="button" className="button" onClick={decide("approve", request)}>
          Approve {request.request}…
        </button>{" "}
        <button type="button" className="button" onClick={decide("reject", request)}>
          Reject {request.request}…
        </button>
      </span>
    ),
  };
  return (
    <Await loaded={loaded}>
      {({ above, requests }) => (
        <>
          {requests.length === 0 ? (
            <Empty icon="accounts" title="Nothing waits for approval">
              {above == null ? (
                <p>
                  No amount needs a second person. Write <code>[approval]</code> with <code>above</code> in{" "}
                  <code>charging.toml</code> to change that.
                </p>
              ) : (
                <p>
                  A refill, adjustment, transfer or reversal above {above} {currency} waits here for a second person.
                </p>
              )}
            </Empty>
          ) : (
            <Table
              label="Approvals"
              columns={mayDecide ? [...COLUMNS, decisions] : COLUMNS}
              rows={requests}
              rowKey={({ request }) => request}
            />
          )}
          {decided?.decision === "approve" && <ApproveDialog {...decided} onClose={close} onDone={done} />}
          {decided?.decision === "reject" && <RejectDialog {...decided} onClose={close} onDone={done} />}
        </>
      )}
    </Await>
  );
}

interface DecisionProps {
  request: ApprovalRequest;
  onClose: () => void;
  onDone: () => void;
}

function ApproveDialog({ request: { action, request, subject, who }, onClose, onDone }: DecisionProps) {
  const approve = async (because: string) => {
    await gateway.approveRequest(request, because);
    say(`Request ${request} is approved and done.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Approve request ${request}?`}
      onClose={onClose}
      word="Approve"
      busyWord="Approving…"
      deed={approve}
    >
      What {who} asked for is done at once: {action}, {subject}.
    </ReasonDialog>
  );
}

function RejectDialog({ request: { action, request, subject, who }, onClose, onDone }: DecisionProps) {
  const reject = async (because: string) => {
    await gateway.rejectRequest(request, because);
    say(`Request ${request} is rejected.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Reject request ${request}?`}
      onClose={onClose}
      word="Reject"
      busyWord="Rejecting…"
      look="grave"
      deed={reject}
    >
      What {who} asked for is not done: {action}, {subject}.
    </ReasonDialog>
  );
}
