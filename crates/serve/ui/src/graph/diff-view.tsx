/** Two texts side by side, or as one text with its changes in a narrow window. */
import "../styles/diff.css";

import { Suspense, lazy } from "react";

import { Catch } from "../parts/catch";
import { useIsNarrow } from "../parts/media";
import { Waiting } from "../parts/page";
import { asCompared } from "../scripts/line-ends";

const Differences = lazy(async () => ({ default: (await import("./differences")).Differences }));

interface DiffProps {
  before: string;
  after: string;
  /** The headings of the two sides. */
  names: [string, string];
  /** The text if both sides are the same. */
  same?: string;
}

export function DiffView({ before, after, names, same = "Nothing is different." }: DiffProps) {
  const isNarrow = useIsNarrow();
  const [one, other] = [asCompared(before), asCompared(after)];
  if (one === other) return <p className="muted">{same}</p>;
  return (
    <Catch>
      <Suspense fallback={<Waiting />}>
        <Differences before={one} after={other} names={names} isUnified={isNarrow} />
      </Suspense>
    </Catch>
  );
}
