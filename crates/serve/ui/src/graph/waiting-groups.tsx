/** The number of groups that wait in a matching node, with a link to them. */
import { useEffect } from "react";

import { gateway } from "../api/gateway";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { counted } from "../parts/numbers";
import { Moment } from "../parts/time";
import { Link } from "../router/router";

/** The interval of requests. It is long because they read the journal. */
const ASKED_MS = 10_000;

export function WaitingGroups({ node }: { node: string }) {
  const { value, problem, again } = useLoad(gateway.matchingNodes, [node]);
  useEffect(() => {
    const timer = setInterval(again, ASKED_MS);
    return () => clearInterval(timer);
  }, [again]);
  if (problem !== null) return <Failure problem={problem} again={again} />;
  if (value === null) return null;
  const own = value.nodes.find((each) => each.node === node);
  return (
    <section className="plain" aria-label="Groups that wait">
      <h3>Groups that wait</h3>
      <p>
        <Link className="button" href={`/matching?node=${encodeURIComponent(node)}`}>
          <Icon name="matching" size={16} />
          {own === undefined
            ? "No group waits"
            : `${counted(own.groups, "group")} ${own.groups === 1 ? "waits" : "wait"}`}
        </Link>
      </p>
      {own !== undefined && (
        <p className="muted">
          The oldest since <Moment at={own.since} />
        </p>
      )}
    </section>
  );
}
