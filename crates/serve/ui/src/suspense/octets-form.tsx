/** Corrects the octets of a record that cannot be read. */
import { useId, useState } from "react";

import { gateway } from "../api/gateway";
import { Failure } from "../parts/failure";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { CorrectionReason } from "./correction-reason";
import { keepCorrection, useCorrection } from "./corrections";
import { octetLines } from "./octets";

interface OctetsFormProps {
  id: number;
  hex: string;
  onDone: () => void;
}

const inLines = (hex: string) =>
  octetLines(hex)
    .map((line) => line.octets.trim())
    .join("\n");

export function OctetsForm({ id, hex, onDone }: OctetsFormProps) {
  const written = useCorrection(id);
  const text = written?.text ?? inLines(hex);
  const [because, setBecause] = useState("");
  const field = useId();
  const deed = useDeed();
  const write = (text: string) =>
    keepCorrection(id, text === inLines(hex) ? null : { basedOn: written?.basedOn ?? hex, record: null, text });
  const undo = () => {
    deed.forget();
    keepCorrection(id, null);
    onDone();
  };
  const save = () =>
    deed.run(async () => {
      const { problem } = await gateway.correctOctets(id, text, written?.basedOn ?? hex, because.trim());
      say(
        problem == null
          ? "The record is corrected, and can be read. Retry it to put it through."
          : `The octets are kept, and cannot be read yet: ${problem}.`,
      );
      setBecause("");
      keepCorrection(id, null);
      onDone();
    });
  return (
    <>
      <div className="field">
        <label htmlFor={field}>Its octets, in hexadecimal</label>
        <textarea
          id={field}
          className="fixed"
          rows={Math.min(18, text.split("\n").length + 1)}
          spellCheck={false}
          value={text}
          onChange={(event) => write(event.target.value)}
        />
      </div>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      {written !== null && (
        <CorrectionReason
          because={because}
          onBecause={setBecause}
          isOvertaken={written.basedOn !== hex}
          isBusy={deed.isBusy}
          onSave={save}
          onUndo={undo}
        />
      )}
    </>
  );
}
