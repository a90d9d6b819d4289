/** Starts a trace of messages: of what, for how long, and why. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { SelectField, TextField } from "../parts/field";
import { say } from "../parts/notices";
import { moment } from "../parts/numbers";
import { ReasonDialog } from "../parts/reason-dialog";
import { plainNumber } from "./address";
import type { TraceOf } from "./traced";

const LENGTHS = ["10 minutes", "30 minutes", "2 hours", "1 day"] as const;
const SIZES = ["10 MB", "100 MB", "1 GB"] as const;

interface TraceProps {
  filter: TraceOf;
  onClose: () => void;
  onDone: () => void;
}

export function TraceDialog({ filter, onClose, onDone }: TraceProps) {
  const [number, setNumber] = useState(filter.number ?? "");
  const [session, setSession] = useState(filter.session ?? "");
  const [peer, setPeer] = useState(filter.peer ?? "");
  const [length, setLength] = useState<string>(LENGTHS[1]);
  const [size, setSize] = useState<string>(SIZES[1]);
  const start = async (because: string) => {
    const of = { number: plainNumber(number), session: session.trim(), peer: peer.trim() };
    const { trace, until } = await gateway.startTrace({ ...of, length, size, because });
    say(`Trace ${trace} runs until ${moment(until)} UTC at the latest.`);
    onDone();
  };
  const fields = (
    <>
      <TextField label="Number" inputMode="tel" value={number} onValue={setNumber} placeholder="46701234567" />
      <TextField label="Session" value={session} onValue={setSession} placeholder="its key, or its Session-Id" />
      <TextField label="Peer" value={peer} onValue={setPeer} placeholder="its whole name" />
      <SelectField label="For" value={length} onValue={setLength} help="Then it ends by itself.">
        {LENGTHS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <SelectField label="Size" value={size} onValue={setSize} help="With that many octets, it ends, too.">
        {SIZES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
    </>
  );
  return (
    <ReasonDialog
      title="Start a trace?"
      onClose={onClose}
      word="Start"
      busyWord="Starting…"
      deed={start}
      fields={fields}
    >
      All messages of a number, a session or a peer are written to a file from now on. Without any of them, those of all
      subscribers are.
    </ReasonDialog>
  );
}
