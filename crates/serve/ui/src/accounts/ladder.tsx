/** A ladder of messages: a life line for each peer and one for this node, and an arrow for each message. */
import "../styles/ladder.css";

import { type CSSProperties, useCallback, useEffect, useRef, useState } from "react";

import { visible } from "../parts/visible";
import type { Ladder } from "./messages";
import { RungView } from "./rung";

/** The distance from the end, in pixels, at which a list counts as being there. */
const END_PX = 24;

interface LadderViewProps {
  ladder: Ladder;
  /** The name of this node. */
  node: string;
  /** Whether new messages are scrolled to. */
  isFollowed: boolean;
}

export function LadderView({ ladder: { hosts, rungs }, node, isFollowed }: LadderViewProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [pointed, setPointed] = useState<string | null>(null);
  const toggle = useCallback((key: string) => setOpen((before) => toggled(before, key)), []);
  // What a user reads does not move.
  const { frame, onScroll } = useEnd(rungs.at(-1)?.key, isFollowed && open.size === 0);
  return (
    <div ref={frame} className="ladder-frame" onScroll={onScroll}>
      <div className="ladder" style={{ "--lanes": hosts.length + 1 } as CSSProperties}>
        <div className="ladder-head">
          <span className="lanes">
            {[...hosts, node].map((host, lane) => (
              <span key={lane} className="fixed break">
                {visible(host)}
              </span>
            ))}
          </span>
        </div>
        <ol aria-label="Messages">
          {rungs.map((rung) => (
            <RungView
              key={rung.key}
              rung={rung}
              isOpen={open.has(rung.key)}
              isPartner={rung.partner !== null && (rung.partner === pointed || open.has(rung.partner))}
              onToggle={toggle}
              onPoint={setPointed}
            />
          ))}
        </ol>
      </div>
    </div>
  );
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Scrolls to the end when there is another last row, unless the user has scrolled away from there. */
function useEnd(last: string | undefined, isFollowed: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = frame.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
  };
  useEffect(() => {
    if (isFollowed && isAtEnd.current) frame.current!.scrollTop = frame.current!.scrollHeight;
  }, [last]);
  return { frame, onScroll };
}
