/** A message in a ladder: its time, its arrow and what it says. It opens to all that it has. */
import { type CSSProperties, memo, useId } from "react";

import type { PeerMessage } from "../api/types";
import { visible } from "../parts/visible";
import { type Rung, clock, precise, saidBy } from "./messages";
import { MessageDetail } from "./message-detail";
import { meaningOf } from "./peers";

interface RungViewProps {
  rung: Rung;
  isOpen: boolean;
  /** Whether its request or its answer is pointed at, or open. */
  isPartner: boolean;
  onToggle: (key: string) => void;
  /** Gets null when the pointer and the focus have left. */
  onPoint: (key: string | null) => void;
}

function Row({ rung, isOpen, isPartner, onToggle, onPoint }: RungViewProps) {
  const id = useId();
  const { key, message, lane, isNewDay } = rung;
  const { at, peer, sent } = message;
  return (
    <li className={isPartner ? "rung is-partner" : "rung"}>
      <button
        type="button"
        className="rung-face"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => onToggle(key)}
        onFocus={() => onPoint(key)}
        onBlur={() => onPoint(null)}
        onMouseEnter={() => onPoint(key)}
        onMouseLeave={() => onPoint(null)}
      >
        <span className="rung-time">
          {isNewDay && <span className="below muted">{precise(at).slice(0, 10)}</span>}
          <time dateTime={at} title={`${precise(at)} UTC`} className="time">
            {clock(at)}
          </time>
        </span>
        <span className="lanes" style={{ "--lane": lane } as CSSProperties}>
          <span className={sent ? "arrow arrow-back" : "arrow"}>
            <span className="arrow-sign" aria-hidden="true">
              {sent ? "←" : "→"}
            </span>
            <Label of={message} />
          </span>
        </span>
        <span className="rung-peer fixed break">
          {sent ? "to" : "from"} {visible(peer)}
        </span>
        <span className="rung-says break">{saidBy(message)}</span>
      </button>
      {isOpen && (
        <div id={id} className="rung-opened">
          <MessageDetail rung={rung} />
        </div>
      )}
    </li>
  );
}

/** A message never changes, and another refresh gives the same ones as other objects. */
export const RungView = memo(
  Row,
  (before, next) =>
    before.rung.key === next.rung.key &&
    before.rung.lane === next.rung.lane &&
    before.rung.isNewDay === next.rung.isNewDay &&
    before.rung.partner === next.rung.partner &&
    before.isOpen === next.isOpen &&
    before.isPartner === next.isPartner,
);

/** The command, and the result of an answer. */
function Label({ of: { command, result } }: { of: PeerMessage }) {
  const { means, mark } = meaningOf(result ?? 0);
  return (
    <span className="arrow-label">
      <strong>{visible(command)}</strong>{" "}
      {result != null && (
        <span className={mark === null ? "muted" : `mark mark-${mark}`} title={means}>
          {result}
        </span>
      )}
    </span>
  );
}
