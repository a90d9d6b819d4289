/** A trial call as it goes on: its time, and each request with its answer. */
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icons";
import { type Column, Table } from "../parts/table";
import { visible } from "../parts/visible";
import { type TrialStep, endOf } from "./trial";
import type { Trial } from "./use-trial";

interface TrialCallProps {
  trial: Trial;
  onHangUp: () => void;
  onForget: () => void;
}

const COLUMNS: Column<TrialStep>[] = [
  { name: "Request", cell: ({ request, phase }) => `${request}, ${phase}` },
  { name: "Used", isNumber: true, cell: ({ used, phase }) => (phase === "first" ? "" : `${used} s`) },
  {
    name: "Granted",
    isNumber: true,
    cell: ({ answer: { granted } }) => granted != null && `${granted} s`,
  },
  { name: "Reserved", isNumber: true, cell: ({ answer: { reserved, currency } }) => `${reserved} ${currency}` },
  { name: "Paid so far", isNumber: true, cell: ({ answer: { paid, currency } }) => `${paid} ${currency}` },
  { name: "Remark", isWide: true, cell: remarkOf },
];

function remarkOf({ answer: { refused, final, capped } }: TrialStep): string {
  const remarks = [
    refused?.text,
    final ? "the account pays for no more" : undefined,
    capped ? "more was reported than can have been used in the time: the rest is not charged" : undefined,
  ];
  return remarks.filter((each) => each !== undefined).join("; ");
}

export function TrialCall({ trial: { plan, steps, used, isOver, problem }, onHangUp, onForget }: TrialCallProps) {
  const last = steps.at(-1);
  return (
    <section className="section" aria-label="Trial call">
      <div className="section-head">
        <h2>Trial call</h2>
        {isOver ? (
          <button type="button" className="button" onClick={onForget}>
            Close
          </button>
        ) : (
          <button type="button" className="button button-grave" onClick={onHangUp}>
            Hang up
          </button>
        )}
      </div>
      <p>
        <span className="mark mark-warning">
          <Icon name="error" size={14} />a real charge
        </span>{" "}
        {plan.service} from <span className="fixed">{visible(plan.number)}</span>
        {plan.called !== "" && (
          <>
            {" "}
            to <span className="fixed">{visible(plan.called)}</span>
          </>
        )}
        : {used} of {plan.seconds} seconds
      </p>
      <progress className="trial-progress" max={plan.seconds} value={used} aria-label="Seconds of the trial call" />
      {problem !== null && (
        <>
          <Failure problem={problem} />
          <p className="muted">
            The call is not reported any more. Its session is over when its grant has not been renewed in time; you can
            end it below.
          </p>
        </>
      )}
      {isOver && last !== undefined && problem === null && <p role="status">{endOf(last)}</p>}
      <Table label="Requests of the trial call" columns={COLUMNS} rows={steps} rowKey={({ request }) => request} />
    </section>
  );
}
