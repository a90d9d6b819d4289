/** The differences between the files of two versions of a plan. */
import { gateway } from "../api/gateway";
import { DiffView } from "../graph/diff-view";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { Waiting } from "../parts/page";

interface DifferencesProps {
  plan: string;
  /** The numbers of the versions, the left one first. */
  before: number;
  after: number;
}

export function VersionDifferences({ plan, before, after }: DifferencesProps) {
  const loaded = useLoad(async () => {
    const [one, other] = await Promise.all([gateway.tariffFiles(plan, before), gateway.tariffFiles(plan, after)]);
    const digests = (files: typeof one.files) => new Map(files.map(({ file, digest }) => [file, digest]));
    const [left, right] = [digests(one.files), digests(other.files)];
    const names = [...new Set([...left.keys(), ...right.keys()])].sort();
    const text = async (version: number, has: boolean, file: string) =>
      has ? (await gateway.tariffFile(plan, version, file)).text : "";
    return Promise.all(
      names
        .filter((file) => left.get(file) !== right.get(file))
        .map(async (file) => ({
          file,
          before: await text(before, left.has(file), file),
          after: await text(after, right.has(file), file),
        })),
    );
  }, [plan, before, after]);
  if (loaded.problem !== null) return <Failure problem={loaded.problem} again={loaded.again} />;
  if (loaded.value === null || loaded.isLoading) return <Waiting />;
  if (loaded.value.length === 0) return <p className="muted">The files of both are the same.</p>;
  return loaded.value.map(({ file, before: left, after: right }) => (
    <section key={file} className="section" aria-label={`Differences of ${file}`}>
      <h3 className="fixed">{file}</h3>
      <DiffView before={left} after={right} names={[`Version ${before}`, `Version ${after}`]} />
    </section>
  ));
}
