/** The traces of all records that match an expression, one page at a time. */
import { gateway } from "../api/gateway";
import { useLoad } from "../parts/load";
import { counted } from "../parts/numbers";
import { Await, Empty } from "../parts/page";
import { Link } from "../router/router";
import { Trace } from "./traces";

interface FittingProps {
  where: string;
  files: string;
  /** The end of the previous page. */
  after: string;
}

export function Fitting({ where, files, after }: FittingProps) {
  const loaded = useLoad(() => gateway.tracedWhere({ where, file: files, after }), [where, files, after]);
  const onward = (next: string) => `/trace?${new URLSearchParams({ where, files, after: next }).toString()}`;
  return (
    <Await loaded={loaded}>
      {({ traced, looked }) =>
        looked != null && (
          <>
            {traced.length === 0 && looked.next == null && <Empty icon="trace" title="No such record" />}
            <p className="muted" role="status">
              {counted(traced.length, "record")} found in {counted(looked.records, "record")} of{" "}
              {counted(looked.files, "file")}
              {looked.next != null && "; there may be more"}
            </p>
            {looked.problems.length > 0 && (
              <ul className="plain">
                {looked.problems.map((problem) => (
                  <li key={problem} className="remark">
                    {problem}
                  </li>
                ))}
                {looked.problems_more > 0 && <li className="remark">and {looked.problems_more} more</li>}
              </ul>
            )}
            {traced.map((each) => (
              <Trace key={`${each.job} ${each.record}`} traced={each} />
            ))}
            {looked.next != null && (
              <p className="actions">
                <Link className="button" href={onward(looked.next)}>
                  Look further
                </Link>
              </p>
            )}
          </>
        )
      }
    </Await>
  );
}
