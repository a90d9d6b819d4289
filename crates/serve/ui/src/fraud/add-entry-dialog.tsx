/** Adds an entry to a list of keys, with a reason that goes to the list and the audit trail. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { Failure } from "../parts/failure";
import { SelectField, TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { fraudListAddress } from "./address";
import { listsIn, nameAmong } from "./list-words";

/** A list, and a node that reads it. */
export interface NamedList {
  name: string;
  node: string;
}

interface EntryFieldsProps {
  /** The list. Null if the user chooses one. */
  list: NamedList | null;
  /** The key, if it is known. */
  fixedKey?: string;
  onClose: () => void;
  onDone: () => void;
}

export function AddEntryDialog({ list, fixedKey, onClose, onDone }: EntryFieldsProps) {
  const lists = useLoad(async () => (list === null ? listsIn((await gateway.fraudLists()).folders) : []), []);
  const [chosen, setChosen] = useState("");
  const [key, setKey] = useState(fixedKey ?? "");
  const [from, setFrom] = useState("");
  const [until, setUntil] = useState("");
  const [source, setSource] = useState("");
  const [because, setBecause] = useState("");
  const known = lists.value ?? [];
  const listOf = (place: string): NamedList | null => {
    const of = place === "" ? undefined : known[Number(place)];
    return of === undefined ? null : { name: of.name, node: of.nodes[0] ?? "" };
  };
  const into = list ?? listOf(chosen);
  const add = async () => {
    if (into === null) return;
    const { name, node } = into;
    const validity = { ...(from !== "" && { from }), ...(until !== "" && { until }) };
    const more = { ...validity, ...(source.trim() !== "" && { source: source.trim() }) };
    await gateway.addToFraudList(name, { node, key: key.trim(), because: because.trim(), ...more });
    say(`${visible(key.trim())} is in the list ${visible(name)}.`);
    onDone();
  };
  const isReady = into !== null && key.trim() !== "" && because.trim() !== "";
  return (
    <AskDialog
      title={list === null ? "Add to a list" : `Add to ${visible(list.name)}`}
      onClose={onClose}
      answers={[{ word: "Add", busyWord: "Adding…", isReady, deed: add }]}
    >
      {list === null && (
        <SelectField
          label="List"
          value={chosen}
          onValue={setChosen}
          isRequired
          help={
            into === null ? (
              "Rules leave out who is in a list, or are about these alone."
            ) : (
              <Link href={fraudListAddress(into.name, into.node)}>Its entries</Link>
            )
          }
        >
          <option value="">{lists.value === null ? "Asking the gateway…" : "choose one"}</option>
          {known.map((each, place) => (
            <option key={place} value={place} disabled={each.problem != null}>
              {visible(nameAmong(known, each))}
            </option>
          ))}
        </SelectField>
      )}
      {lists.problem !== null && <Failure problem={lists.problem} again={lists.again} />}
      {fixedKey === undefined ? (
        <TextField
          label="Key"
          value={key}
          onValue={setKey}
          isRequired
          help="With * at its end, it is for all keys that begin so."
        />
      ) : (
        <p>
          <span className="muted">Key:</span> <span className="fixed break">{visible(fixedKey)}</span>
        </p>
      )}
      <div className="field-pair">
        <TextField label="From" type="date" value={from} onValue={setFrom} />
        <TextField label="Until" type="date" value={until} onValue={setUntil} />
      </div>
      <p className="help">Days begin in UTC. Without an end, it holds for ever.</p>
      <TextField label="Source" value={source} onValue={setSource} help="Where it comes from, such as support." />
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        help="It stands in the list, and is in the audit trail."
      />
    </AskDialog>
  );
}
