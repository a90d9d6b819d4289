/** What an account pays in each period: bundles that renew, and fees. */
import type { AccountSubscription } from "../api/types";
import { Moment } from "../parts/time";

interface SubscriptionsProps {
  subscriptions: AccountSubscription[];
  /** Null if the user may not. */
  onCancel: ((bundle: string) => void) | null;
}

export function Subscriptions({ subscriptions, onCancel }: SubscriptionsProps) {
  return (
    <ul className="plain" aria-label="Bundles that renew, and fees">
      {subscriptions.map(({ due, is_fee, offer, unpaid }) => (
        <li key={`${is_fee} ${offer}`}>
          {is_fee ? "Fee" : "Bundle"} {offer}: {unpaid ? "could not be paid, and is tried again" : "due"}{" "}
          <Moment at={due} />
          {!is_fee && onCancel !== null && (
            <>
              {" "}
              <button type="button" className="button button-quiet" onClick={() => onCancel(offer)}>
                Cancel {offer}…
              </button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
