/** The outputs that wait at a post-processing system to be merged into one file. */
import { useEffect } from "react";

import { gateway } from "../api/gateway";
import type { GatheringFile } from "../api/types";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { count, counted, octets } from "../parts/numbers";
import { Moment } from "../parts/time";

/** The interval of requests. It is long because they read the journal. */
const ASKED_MS = 10_000;

export function Gathering({ system }: { system: string }) {
  const { value, problem, again } = useLoad(() => gateway.gathering(system), [system]);
  useEffect(() => {
    const timer = setInterval(again, ASKED_MS);
    return () => clearInterval(timer);
  }, [again]);
  if (problem !== null) return <Failure problem={problem} again={again} />;
  const file = value?.gathering.find((each) => each.post_processing_system === system);
  return file === undefined ? null : <Open file={file} />;
}

function Open({ file }: { file: GatheringFile }) {
  return (
    <section aria-label="The file that is gathered">
      <h3>The file that is gathered</h3>
      <dl className="facts">
        <div className="fact">
          <dt>Outputs in it</dt>
          <dd>{count(file.outputs)}</dd>
        </div>
        <div className="fact">
          <dt>Records</dt>
          <dd>{count(file.records)}</dd>
        </div>
        <div className="fact">
          <dt>Size</dt>
          <dd>{octets(file.octets)}</dd>
        </div>
        <div className="fact">
          <dt>The first waits since</dt>
          <dd>
            <Moment at={file.since} />
          </dd>
        </div>
        <div className="fact">
          <dt>Closed</dt>
          <dd>
            <Closing file={file} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Closing({ file: { closes } }: { file: GatheringFile }) {
  if (closes == null) return "as soon as it is carried: the flow merges no more";
  const enough = [
    counted(closes.outputs_max, "output"),
    ...(closes.records_max == null ? [] : [counted(closes.records_max, "record")]),
    ...(closes.octets_max == null ? [] : [octets(closes.octets_max)]),
  ];
  return (
    <>
      at <Moment at={closes.at} />, or before that with {enough.join(", ")}
    </>
  );
}
