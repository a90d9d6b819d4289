/** The last messages between peers of Diameter and the charging system. */
import { gateway } from "../api/gateway";
import { useOffer } from "../parts/actions";
import { useEvery } from "../parts/every";
import { SelectField, TextField } from "../parts/field";
import { Icon } from "../parts/icons";
import { type Loaded, useLoad } from "../parts/load";
import { counted } from "../parts/numbers";
import { Await, Empty } from "../parts/page";
import { useQuiet } from "../parts/quiet";
import { visible } from "../parts/visible";
import { useWord } from "../router/router";
import { plainNumber } from "./address";
import { LadderView } from "./ladder";
import { MessageFiles } from "./message-files";
import { type Ladder, type MessageFilter, ladderOf } from "./messages";
import { NotServed } from "./not-served";
import { Traces } from "./traces";

const REFRESH_MS = 2_000;

/** The pause in typing after which messages are looked for. Each look is in the audit trail, with what it is for. */
const QUIET_MS = 600;

const LIMITS = [100, 300, 1_000] as const;

const limitOf = (word: string) => LIMITS.find((each) => String(each) === word) ?? LIMITS[0];

export function Messages() {
  const { filter, fields } = useFilter();
  const [follow, setFollow] = useWord("follow");
  const isFollowed = follow !== "false";
  const loaded = useLoad(async () => {
    const { node, messages } = await gateway.messages(filter);
    return { node, ...ladderOf(messages) };
  }, Object.values(filter));
  const isHidden = loaded.problem?.code === "subscriber-data-hidden";
  useEvery(REFRESH_MS, { ...loaded, isLoading: loaded.isLoading || !isFollowed || isHidden });
  useOffer([
    { name: "Look again", run: loaded.again },
    { name: isFollowed ? "Stop following" : "Follow", run: () => setFollow(isFollowed ? "false" : "") },
  ]);
  if (isHidden) return <Hidden />;
  return (
    <>
      <div className="filters">
        <Fields of={fields} hosts={loaded.value?.hosts ?? []} />
        <label className="tick">
          <input
            type="checkbox"
            checked={isFollowed}
            onChange={({ target }) => setFollow(target.checked ? "" : "false")}
          />
          follow
        </label>
      </div>
      {loaded.problem?.code === "no-peers" ? (
        <NotServed />
      ) : (
        <Found loaded={loaded} filter={filter} isFollowed={isFollowed} />
      )}
      <Traces filter={filter} />
    </>
  );
}

type Fields = Record<"number" | "session" | "peer" | "limit", readonly [string, (value: string) => void]>;

function useFilter(): { filter: MessageFilter; fields: Fields } {
  const fields = {
    number: useWord("number"),
    session: useWord("session"),
    peer: useWord("peer"),
    limit: useWord("limit"),
  };
  const filter = {
    number: plainNumber(useQuiet(fields.number[0], QUIET_MS)),
    session: useQuiet(fields.session[0], QUIET_MS).trim(),
    peer: useQuiet(fields.peer[0], QUIET_MS).trim(),
    limit: limitOf(fields.limit[0]),
  };
  return { filter, fields };
}

function Fields({ of: { number, session, peer, limit }, hosts }: { of: Fields; hosts: readonly string[] }) {
  return (
    <>
      <TextField
        label="Number"
        type="search"
        inputMode="tel"
        value={number[0]}
        onValue={number[1]}
        placeholder="46701234567"
      />
      <TextField
        label="Session"
        type="search"
        value={session[0]}
        onValue={session[1]}
        placeholder="its key, or its Session-Id"
      />
      <TextField
        label="Peer"
        type="search"
        value={peer[0]}
        onValue={peer[1]}
        placeholder="its whole name"
        known={hosts.filter((host) => host === visible(host))}
      />
      <SelectField label="Newest" value={String(limitOf(limit[0]))} onValue={limit[1]}>
        {LIMITS.map((each) => (
          <option key={each} value={each}>
            {counted(each, "message")}
          </option>
        ))}
      </SelectField>
    </>
  );
}

interface FoundProps {
  loaded: Loaded<Ladder & { node: string }>;
  filter: MessageFilter;
  isFollowed: boolean;
}

function Found({ loaded, filter, isFollowed }: FoundProps) {
  const isAll = filter.number + filter.session + filter.peer === "";
  const many = loaded.value?.rungs.length ?? 0;
  return (
    <div className="list">
      <div className="list-tools" role="group" aria-label="Messages: tools">
        <span className="list-count muted" role="status">
          {many > 0 && counted(many, "message")}
        </span>
        <button type="button" className="button" aria-label="Look again" title="Look again" onClick={loaded.again}>
          <Icon name="again" size={16} />
        </button>
        <MessageFiles filter={filter} isEmpty={many === 0} />
      </div>
      <Await loaded={loaded}>
        {(ladder) =>
          ladder.rungs.length === 0 ? (
            <NoMessages isAll={isAll} />
          ) : (
            <LadderView ladder={ladder} node={ladder.node} isFollowed={isFollowed} />
          )
        }
      </Await>
    </div>
  );
}

const NoMessages = ({ isAll }: { isAll: boolean }) => (
  <Empty icon="trace" title={isAll ? "No messages yet" : "No such messages"}>
    {!isAll && <p>No message in memory is of what you look for.</p>}
    <p>
      The last messages of each connection are in memory: those of the time before the last start of the charging system
      are gone. <code>message-log</code> in <code>[diameter]</code> says how much room they have.
    </p>
  </Empty>
);

const Hidden = () => (
  <Empty icon="trace" title="Messages have subscriber data">
    <p>
      Your role does not see subscriber data, and so no messages. An administrator can change that in{" "}
      <code>[privacy]</code> of the flow file.
    </p>
  </Empty>
);
