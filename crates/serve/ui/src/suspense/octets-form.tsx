/** Corrects the octets of a record that cannot be read. */
import { useEffect, useId, useState } from "react";

import { gateway } from "../api/gateway";
import { Failure } from "../parts/failure";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { CorrectionReason } from "./correction-reason";
import { octetLines } from "./octets";

interface OctetsFormProps {
  id: number;
  hex: string;
  onDone: () => void;
}

const written = (hex: string) =>
  octetLines(hex)
    .map((line) => line.octets.trim())
    .join("\n");

export function OctetsForm({ id, hex, onDone }: OctetsFormProps) {
  const [text, setText] = useState(() => written(hex));
  const [because, setBecause] = useState("");
  const field = useId();
  const deed = useDeed();
  useEffect(() => setText(written(hex)), [hex]);
  const save = () =>
    deed.run(async () => {
      const { problem } = await gateway.correctOctets(id, text, because.trim());
      say(
        problem === null
          ? "The record is corrected, and can be read. Retry it to put it through."
          : `The octets are kept, and cannot be read yet: ${problem}.`,
      );
      setBecause("");
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
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      {text !== written(hex) && (
        <CorrectionReason
          because={because}
          onBecause={setBecause}
          isBusy={deed.isBusy}
          onSave={save}
          onUndo={() => setText(written(hex))}
        />
      )}
    </>
  );
}
