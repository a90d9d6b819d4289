/** The balances of an account as bars: what is available, and what is reserved for sessions. */
import type { AccountBalance, PrepaidAccount } from "../api/types";
import { Moment } from "../parts/time";
import { Amount } from "./amount";
import { divided, isAny } from "./amounts";
import { balanceName } from "./words";

export function Balances({ account: { balances, currency } }: { account: PrepaidAccount }) {
  return (
    <section className="section" aria-label="Balances">
      <h2>Balances</h2>
      {balances.length === 0 ? (
        <p className="muted">None yet: the first refill makes the main balance.</p>
      ) : (
        <ul className="balances">
          {balances.map((balance) => (
            <li key={balance.bucket}>
              <Balance balance={balance} currency={currency} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Balance({ balance, currency }: { balance: AccountBalance; currency: string }) {
  const { unit, amount, given, reserved, available, rolled_over, from, until } = balance;
  const parts = divided(balance);
  const of = { unit, currency };
  return (
    <article className="balance" aria-label={balanceName(balance)}>
      <h3>{balanceName(balance)}</h3>
      <p className={parts.isOverdrawn ? "balance-amount overdrawn" : "balance-amount"}>
        <Amount of={amount} {...of} />
      </p>
      <svg className="balance-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className="bar-ground" width="100" height="8" />
        {parts.isOverdrawn ? (
          <rect className="bar-overdrawn" width="100" height="8" />
        ) : (
          <>
            <rect className="bar-available" width={parts.available} height="8" />
            <rect className="bar-reserved" x={parts.available} width={parts.reserved} height="8" />
          </>
        )}
      </svg>
      <p>
        <Amount of={available} {...of} /> available
        {given != null && given !== amount && (
          <>
            {" "}
            of <Amount of={given} {...of} />
          </>
        )}
        {isAny(reserved) && (
          <>
            , <Amount of={reserved} {...of} /> reserved
          </>
        )}
        {parts.isOverdrawn && ", overdrawn"}
      </p>
      {rolled_over && <p className="muted">rolled over from an earlier period</p>}
      {(from != null || until != null) && (
        <p className="muted">
          {from != null && (
            <>
              from <Moment at={from} />{" "}
            </>
          )}
          {until != null && (
            <>
              until <Moment at={until} />
            </>
          )}
        </p>
      )}
    </article>
  );
}
