/** What a version changes: the flow file, and each script that is another by now. */
import { gateway } from "../api/gateway";
import type { VersionText } from "../api/types";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { Waiting } from "../parts/page";
import { DiffView } from "./diff-view";

interface ChangesProps {
  /** The flow file now. */
  text: string;
  version: VersionText;
}

export function VersionChanges({ text, version }: ChangesProps) {
  const name = `Version ${version.version}`;
  const loaded = useLoad(async () => {
    const { scripts } = await gateway.scripts();
    const there = new Set(scripts.map((script) => script.file));
    const pairs = version.files.map(async ({ name: file, text: after }) => ({
      file,
      after,
      before: there.has(file) ? (await gateway.script(file)).text : null,
    }));
    return Promise.all(pairs);
  }, [version]);
  const others = loaded.value?.filter(({ before, after }) => before !== null && before !== after) ?? [];
  const unknown = loaded.value?.filter(({ before }) => before === null) ?? [];
  return (
    <>
      <DiffView before={text} after={version.text} names={["The flow file now", name]} />
      {loaded.problem !== null && <Failure problem={loaded.problem} again={loaded.again} />}
      {loaded.value === null && loaded.problem === null && <Waiting />}
      {others.map(({ file, before, after }) => (
        <section key={file} className="section" aria-label={file}>
          <h3 className="fixed">{file}</h3>
          <DiffView before={before ?? ""} after={after} names={[`${file} now`, name]} />
        </section>
      ))}
      {unknown.length > 0 && (
        <p className="muted">
          With it come {unknown.map(({ file }) => file).join(", ")}, as they were when it was saved.
        </p>
      )}
    </>
  );
}
