/** The actions of a page: buttons in its head, which the command palette offers, too. */
import { useEffect, useRef } from "react";

export interface Action {
  name: string;
  run: () => void;
  look?: "main" | "grave";
  isDisabled?: boolean;
  title?: string | undefined;
}

export function Actions({ of }: { of: readonly Action[] }) {
  useOffer(of);
  return of.map(({ name, run, look, isDisabled = false, title }) => (
    <button
      key={name}
      type="button"
      className={`button ${look === undefined ? "" : `button-${look}`}`}
      disabled={isDisabled}
      title={title}
      onClick={run}
    >
      {name}
    </button>
  ));
}

const offers = new Set<() => readonly Action[]>();

/** Offers actions to the command palette as long as the component is shown. */
export function useOffer(actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const offer = () => latest.current;
    offers.add(offer);
    return () => void offers.delete(offer);
  }, []);
}

/** Returns the actions of the current page that can be run now. */
export const offeredActions = (): Action[] =>
  [...offers].flatMap((offer) => offer()).filter((action) => action.isDisabled !== true);
