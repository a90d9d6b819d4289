/** Who may use an account, as a mark. */
import type { AccountStanding } from "../api/types";
import { STANDINGS } from "./words";

export function StandingMark({ standing }: { standing: AccountStanding }) {
  const { mark, means } = STANDINGS[standing];
  return (
    <span className={`mark mark-${mark}`} title={means}>
      {standing}
    </span>
  );
}
