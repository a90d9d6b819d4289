/** Corrects the content of a record. This does not process it again; a retry does. */
import { useState } from "react";

import { Refusal } from "../api/client";
import { type Exact, JsonMistake, parse, place, print } from "../api/exact-json";
import { gateway } from "../api/gateway";
import { Failure } from "../parts/failure";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { CorrectionReason } from "./correction-reason";
import { keepCorrection, useCorrection } from "./corrections";
import { OctetsForm } from "./octets-form";
import { RecordForm, mistakeIn } from "./record-form";
import type { Types } from "./shape";

interface CorrectProps {
  id: number;
  json: Exact | null;
  /** The types that the record can contain, if they are known. */
  types: Types | null;
  /** The octets of the record. */
  hex: string;
  problem: string | null;
  isEdited: boolean;
  onDone: () => void;
}

export function CorrectForm({ id, json, types, hex, problem, isEdited, onDone }: CorrectProps) {
  const written = useCorrection(id);
  const [isText, setText] = useState((written?.text ?? null) !== null);
  const [because, setBecause] = useState("");
  const deed = useDeed();
  if (json === null) {
    return (
      <section className="section">
        <h2>What it says</h2>
        <p className="remark">
          It cannot be read{problem === null ? "." : `: ${problem}.`} Where its octets say what it should be they can be
          corrected; when nothing helps it is discarded.
        </p>
        {isEdited && <OctetsForm id={id} hex={hex} onDone={onDone} />}
      </section>
    );
  }
  const record = written?.record ?? json;
  const text = isText ? (written?.text ?? print(record, true)) : null;
  /** A record that is written back unchanged is no correction. */
  const write = (record: Exact, text: string | null) => {
    const isChanged = text !== null ? text !== print(json, true) : print(record) !== print(json);
    keepCorrection(id, isChanged ? { basedOn: written?.basedOn ?? hex, record, text } : null);
  };
  const read = (): Exact => {
    if (text === null) {
      const mistake = mistakeIn(record);
      if (mistake !== null) throw new Refusal(0, mistake);
      return record;
    }
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof JsonMistake)
        throw new Refusal(0, `The JSON cannot be read: ${error.message}.`, `In ${place(text, error.at)}.`);
      throw error;
    }
  };
  const leave = () => {
    keepCorrection(id, null);
    setText(false);
    setBecause("");
    onDone();
  };
  const undo = () => {
    deed.forget();
    leave();
  };
  const save = () =>
    deed.run(async () => {
      await gateway.correct(id, read(), written?.basedOn ?? hex, because.trim());
      say("The record is corrected. Retry it to put it through.");
      leave();
    });
  const turn = () =>
    deed.run(async () => {
      const next = read();
      if (written !== null) write(next, text === null ? print(next, true) : null);
      setText(text === null);
    });
  return (
    <section className="section">
      <div className="section-head">
        <h2>What it says</h2>
        <button type="button" className="button" onClick={turn}>
          {text === null ? "As JSON" : "As fields"}
        </button>
      </div>
      {text === null ? (
        <RecordForm record={record} types={types} isEdited={isEdited} onChange={(next) => write(next, null)} />
      ) : (
        <textarea
          className="fixed"
          aria-label="The record as JSON"
          rows={18}
          readOnly={!isEdited}
          spellCheck={false}
          value={text}
          onChange={(event) => write(record, event.target.value)}
        />
      )}
      {deed.problem !== null && <Failure problem={deed.problem} />}
      {isEdited && written !== null && (
        <CorrectionReason
          because={because}
          onBecause={setBecause}
          isOvertaken={written.basedOn !== hex}
          isBusy={deed.isBusy}
          onSave={save}
          onUndo={undo}
        />
      )}
    </section>
  );
}
