/** The figures of the charging system, and the account of every amount: what subscribers have, and where it came from. */
import type { AmountUnit, ChargingFigures, SystemBalance } from "../api/types";
import { Icon } from "../parts/icons";
import { count } from "../parts/numbers";
import { Amount } from "./amount";
import { Books } from "./books";
import { PeerAlarms } from "./peer-alarms";
import { Tile } from "./tile";
import { Traffic } from "./traffic";

const UNITS: [AmountUnit, string][] = [
  ["money", "Money"],
  ["octets", "Octets"],
  ["seconds", "Seconds"],
  ["events", "Events"],
];

/** What each sum is, as its title. */
const MEANS: Record<string, string> = {
  subscribers: "What all subscribers have",
  revenue: "What was charged",
  refill: "What came in by refills. It is negative, as the operator owes it",
  adjustment: "What users added or took",
  transfer: "What was transferred between accounts",
  expired: "What was not used in its time",
  bonus: "What was given as a bonus",
  fee: "Fees",
  bundle: "What was paid for bundles, and what these consist of",
};

export function Figures({ figures }: { figures: ChargingFigures }) {
  const {
    accounts,
    numbers,
    open_sessions,
    reserved,
    traffic,
    unfolded_batches,
    currency,
    balances,
    balanced,
    notices,
    peer_alarms,
  } = figures;
  return (
    <section className="section" aria-label="Figures of the charging system">
      <dl className="tiles">
        <Tile name="Accounts">{count(accounts)}</Tile>
        <Tile name="Numbers">{count(numbers)}</Tile>
        <Tile name="Open sessions">{count(open_sessions)}</Tile>
        <Tile name="Reserved" title="Money that is reserved for sessions">
          {reserved} {currency}
        </Tile>
        {notices != null && (
          <Tile name="Notices" title={notices.failing ?? "Notices to subscribers that wait to be sent"}>
            {notices.failing != null && <Icon name="error" size={14} />} {count(notices.waiting)} wait
          </Tile>
        )}
      </dl>
      {notices?.failing != null && (
        <div className="failure" role="alert">
          <Icon name="error" />
          <p>{notices.failing}</p>
        </div>
      )}
      <PeerAlarms of={peer_alarms} />
      {traffic != null && <Traffic traffic={traffic} unfolded={unfolded_batches} currency={currency} />}
      <Books>
        <h2>The account of every amount</h2>
        <Balanced is={balanced} />
      </Books>
      {UNITS.map(([unit, name]) => {
        const sums = balances.filter((each) => each.unit === unit);
        return sums.length === 0 ? null : <Sums key={unit} name={name} sums={sums} currency={currency} />;
      })}
    </section>
  );
}

function Balanced({ is }: { is: boolean }) {
  return (
    <span
      className={`mark mark-${is ? "fine" : "critical"}`}
      title="The sum of what subscribers have, and of where it came from and went"
    >
      <Icon name={is ? "check" : "error"} size={14} />
      {is ? "the sum is zero" : "the sum is not zero"}
    </span>
  );
}

function Sums({ name, sums, currency }: { name: string; sums: SystemBalance[]; currency: string }) {
  return (
    <dl className="tiles" aria-label={name}>
      {sums.map(({ of, unit, amount }) => (
        <Tile key={of} name={of} title={MEANS[of]}>
          <Amount of={amount} unit={unit} currency={currency} />
        </Tile>
      ))}
    </dl>
  );
}
