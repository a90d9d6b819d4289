/** Chooses the change to try, and the files to try it on. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ReplayAsked, Version } from "../api/types";
import { useLive } from "../live/live";
import { Failure } from "../parts/failure";
import { SelectField, TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { since } from "../parts/period";
import { useWord } from "../router/router";
import { draftNames, draftOf } from "../scripts/drafts";
import { keepBegun } from "./begun";

/** The default number of files. */
const FILES = "100";

/** The prefixes of the values of the field. */
const VERSION = "version ";
const DRAFT = "draft ";
const ALL = "drafts";

interface FormProps {
  versions: Version[];
  filesMax: number;
  /** Whether a replay runs already. */
  isRunning: boolean;
  onStarted: () => void;
}

export function ReplayForm({ versions, filesMax, isRunning, onStarted }: FormProps) {
  const [draft, setDraft] = useWord("draft");
  const [version, setVersion] = useWord("version");
  const [days, setDays] = useState("2");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [limit, setLimit] = useState(FILES);
  const [elements, setElements] = useState<ReadonlySet<string>>(new Set());
  const graph = useLive((live) => live.graph);
  const names = graph?.nodes.filter(({ kind }) => kind === "network-element").map(({ name }) => name) ?? [];
  const deed = useDeed();
  const drafts = draftNames();
  const isLost = draft !== "" && draftOf(draft) === null;
  const usual = drafts.length > 1 ? ALL : drafts[0] === undefined ? "" : DRAFT + drafts[0];
  const named = version !== "" ? VERSION + version : draft !== "" && !isLost ? DRAFT + draft : "";
  const [chosen, setChosen] = useState(named === "" ? usual : named);
  const choose = (value: string) => {
    setChosen(value);
    setDraft(value.startsWith(DRAFT) ? value.slice(DRAFT.length) : "");
    setVersion(value.startsWith(VERSION) ? value.slice(VERSION.length) : "");
  };
  const isOwn = days === "own";
  const start = () =>
    deed.run(async () => {
      const period = isOwn ? { from, to } : { from: since(days, Date.now()), to: "" };
      const files = (chosen === ALL ? drafts : [chosen.slice(DRAFT.length)]).flatMap((name) => {
        const text = draftOf(name)?.text;
        return text === undefined ? [] : [{ name, text }];
      });
      const isVersion = chosen.startsWith(VERSION);
      const tried: Partial<ReplayAsked> = isVersion ? { version: Number(chosen.slice(VERSION.length)) } : { files };
      const { replay } = await gateway.startReplay({
        ...tried,
        network_elements: [...elements],
        ...(period.from === "" ? {} : { from: period.from }),
        ...(period.to === "" ? {} : { to: period.to }),
        limit: Math.min(filesMax, Math.max(1, Number(limit) || 1)),
      });
      if (replay != null && !isVersion) keepBegun(replay.id, files);
      onStarted();
    });
  const tick = (name: string) => {
    const next = new Set(elements);
    if (!next.delete(name)) next.add(name);
    setElements(next);
  };
  // A version in the address can be older than those in the list.
  const isListed = versions.some((each) => chosen === VERSION + String(each.version));
  return (
    <form
      className="section replay-form"
      aria-label="What is to be tried"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {isLost && (
        <p className="remark" role="status">
          <span>
            The draft of <span className="fixed">{draft}</span> is not there any more: it was saved or given up, or the
            page was loaded anew. Change it again, or choose a version.
          </span>
        </p>
      )}
      <div className="filters">
        <SelectField label="What is tried" value={chosen} onValue={choose} isRequired>
          {chosen === "" && <option value="">choose…</option>}
          {drafts.length > 1 && <option value={ALL}>all {drafts.length} drafts</option>}
          {drafts.map((name) => (
            <option key={name} value={DRAFT + name}>
              draft of {name}
            </option>
          ))}
          {chosen.startsWith(VERSION) && !isListed && <option value={chosen}>{chosen}</option>}
          {versions.map((each) => (
            <option key={each.version} value={VERSION + String(each.version)}>
              version {each.version}
              {each.active ? ", active" : ""}
              {each.remark === "" ? "" : `: ${each.remark}`}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Files that came"
          value={days}
          onValue={(value) => {
            setDays(value);
            if (value === "own" && from === "") setFrom(since("2", Date.now()));
          }}
        >
          <option value="1">today</option>
          <option value="2">since yesterday</option>
          <option value="7">in 7 days</option>
          <option value="31">in 31 days</option>
          <option value="">at any time</option>
          <option value="own">on days of your own</option>
        </SelectField>
        {isOwn && (
          <>
            <TextField label="From (UTC)" type="date" value={from} onValue={setFrom} />
            <TextField label="To, not included" type="date" value={to} onValue={setTo} />
          </>
        )}
        <TextField
          label="Files at most"
          type="number"
          min={1}
          max={filesMax}
          value={limit}
          onValue={setLimit}
          isRequired
        />
      </div>
      {names.length > 1 && (
        <fieldset className="replay-elements">
          <legend>Network elements; all, if none is chosen</legend>
          {names.map((name) => (
            <label key={name}>
              <input type="checkbox" checked={elements.has(name)} onChange={() => tick(name)} /> {name}
            </label>
          ))}
        </fieldset>
      )}
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <div className="actions">
        <button
          type="submit"
          className="button button-main"
          disabled={deed.isBusy || isRunning || chosen === "" || Number(limit) < 1}
        >
          {deed.isBusy ? "Beginning…" : "Try it"}
        </button>
        <span className="muted">Nothing is delivered by it, and the gateway goes on.</span>
      </div>
    </form>
  );
}
