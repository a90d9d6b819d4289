/**
 * The changes of a version: the flow file, each other file that differs, and the files that versions do not include.
 */
import type { LeftOut, VersionContent } from "../api/types";
import { DiffView } from "./diff-view";

interface ChangesProps {
  /** The current flow file. */
  text: string;
  version: VersionContent;
}

export function VersionChanges({ text, version }: ChangesProps) {
  const name = `Version ${version.version}`;
  const others = version.files.filter((file) => file.is_other);
  const large = others.filter((file) => file.text == null);
  const unchanged = version.files.filter((file) => !file.is_other);
  return (
    <>
      <DiffView
        before={text}
        after={version.text}
        names={["The flow file now", name]}
        {...(others.length > 0 && { same: "The flow file is the same." })}
      />
      {others.map(({ name: file, text: after, now }) =>
        after == null ? null : (
          <section key={file} className="section" aria-label={file}>
            <h3 className="fixed">{file}</h3>
            <DiffView before={now ?? ""} after={after} names={[`${file} now`, name]} same="It has the same lines." />
          </section>
        ),
      )}
      {large.length > 0 && (
        <p>
          {large.map((file) => file.name).join(", ")} would be others than now; they are too large to be compared here.
        </p>
      )}
      {unchanged.length > 0 && (
        <p className="muted">With it come {unchanged.map((file) => file.name).join(", ")}, which are the same now.</p>
      )}
      <LeftOutFiles leftOut={version.left_out} />
    </>
  );
}

export function LeftOutFiles({ leftOut }: { leftOut: LeftOut[] }) {
  if (leftOut.length === 0) return null;
  return (
    <div className="remark">
      <div>
        <p>The flow names these, and they are part of no version. Going back to one leaves them as they are:</p>
        <ul>
          {leftOut.map(({ name, why }) => (
            <li key={name}>
              <span className="fixed">{name}</span>: {why}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
