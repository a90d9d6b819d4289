/** A table of a plan: its text, the plan's mistakes with it, and its activation. */
import { gateway } from "../api/gateway";
import type { TariffText } from "../api/types";
import { useLoad } from "../parts/load";
import { Await } from "../parts/page";
import { ScriptProblems } from "../scripts/script-problems";
import { useSource } from "../scripts/source";
import { SourceSection } from "../scripts/source-section";

interface PanelProps {
  file: string;
  /** The digest of the current table. */
  digest: string | null;
  onSaved: () => void;
}

export function TablePanel({ file, digest, onSaved }: PanelProps) {
  const loaded = useLoad(() => gateway.tariffTable(file), [file]);
  const saved = () => {
    loaded.again();
    onSaved();
  };
  return (
    <Await loaded={loaded}>
      {(table) => (
        <Written
          key={table.digest}
          table={table}
          isOld={digest !== null && digest !== table.digest}
          onSaved={saved}
          again={loaded.again}
        />
      )}
    </Await>
  );
}

interface WrittenProps {
  table: TariffText;
  isOld: boolean;
  onSaved: () => void;
  again: () => void;
}

function Written({ table, isOld, onSaved, again }: WrittenProps) {
  const { file } = table;
  const source = useSource(table, gateway.lookAtTable, again);
  const here = source.diagnostics.filter((each) => each.file.endsWith(file));
  const elsewhere = source.diagnostics.filter((each) => !each.file.endsWith(file));
  return (
    <SourceSection
      kind="table"
      source={source}
      diagnostics={here}
      isOld={isOld}
      save={(text, basedOn, remark) => gateway.saveTable(file, text, basedOn, remark)}
      onSaved={onSaved}
    >
      <ScriptProblems label="Check of the plan" diagnostics={here} onSought={source.seek} />
      {elsewhere.map((each, place) => (
        <pre key={place} className="remark fixed break">
          {each.text}
        </pre>
      ))}
    </SourceSection>
  );
}
