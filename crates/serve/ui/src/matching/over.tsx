/** Shows when a group ends, and which network elements it waits for. */
import { Fragment, type ReactNode } from "react";

import type { GroupOver } from "../api/types";
import { Moment } from "../parts/time";
import { Link } from "../router/router";

/** Joins parts with commas, and the last one with another word. */
function listed(all: ReactNode[], last: string): ReactNode {
  return all.map((each, place) => (
    <Fragment key={place}>
      {place === 0 ? "" : place === all.length - 1 ? ` ${last} ` : ", "}
      {each}
    </Fragment>
  ));
}

export function OverWords({ over }: { over: GroupOver }) {
  const { past, waits_for = [], at, behind_files_of = [], without_files_at, not_before = [] } = over;
  const awaited = waits_for.map(({ network_element, at: reached }) => (
    <>
      {network_element} (
      {reached == null ? (
        "nothing came"
      ) : (
        <>
          now at <Moment at={reached} />
        </>
      )}
      )
    </>
  ));
  const ways: ReactNode[] = [];
  if (past != null) {
    if (awaited.length === 0) ways.push("now");
    else
      ways.push(
        <>
          when {listed(awaited, "and")} {awaited.length === 1 ? "is" : "are"} past <Moment at={past} />
        </>,
      );
  }
  if (at != null) {
    ways.push(
      <>
        at <Moment at={at} />
        {behind_files_of.length > 0 && (
          <>
            , but not before the files of {listed(behind_files_of, "and")} are processed (
            <Link href="/alarms">alarms</Link>)
            {without_files_at != null && (
              <>
                {" "}
                or it is <Moment at={without_files_at} />
              </>
            )}
          </>
        )}
      </>,
    );
  }
  if (ways.length === 0) return null;
  return (
    <>
      {listed(ways, "or")}
      {not_before.length > 0 && (
        <>
          , but not before{" "}
          {listed(
            not_before.map((id) => <Link href={`/suspense/${id}`}>record {id} in suspense</Link>),
            "and",
          )}{" "}
          {not_before.length === 1 ? "is" : "are"} retried or discarded
        </>
      )}
    </>
  );
}
