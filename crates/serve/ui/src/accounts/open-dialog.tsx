/** Opens an account for one or more numbers of a subscriber. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { AccountStanding, PrepaidAccount } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { SelectField, TextField } from "../parts/field";
import { say } from "../parts/notices";
import { plainNumber } from "./address";

interface OpenProps {
  currency: string;
  onClose: () => void;
  onOpened: (account: PrepaidAccount) => void;
}

/** The stages that an account may begin with. */
const BEGINNINGS: [AccountStanding, string][] = [
  ["active", "active"],
  ["pre-active", "pre-active: until its first use"],
  ["suspended", "suspended"],
];

export function OpenDialog({ currency, onClose, onOpened }: OpenProps) {
  const [typed, setTyped] = useState("");
  const [standing, setStanding] = useState<AccountStanding>("active");
  const [limit, setLimit] = useState("");
  const numbers = numbersIn(typed);
  const open = async () => {
    const credit_limit = limit.trim() === "" ? {} : { credit_limit: limit.trim() };
    const account = await gateway.openAccount({ numbers, standing, ...credit_limit });
    say(`Account ${account.account} is opened for ${account.numbers.join(", ")}.`);
    onOpened(account);
  };
  return (
    <AskDialog
      title="Open an account"
      onClose={onClose}
      answers={[{ word: "Open", busyWord: "Opening…", isReady: numbers.length > 0, deed: open }]}
    >
      <TextField
        label="Numbers"
        value={typed}
        onValue={setTyped}
        isRequired
        help="The numbers that the account pays for, with commas between them: 46701234567, 46701234568"
      />
      <SelectField label="Standing" value={standing} onValue={(value) => setStanding(value as AccountStanding)}>
        {BEGINNINGS.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </SelectField>
      <TextField
        label={`Credit limit in ${currency}`}
        value={limit}
        onValue={setLimit}
        inputMode="decimal"
        help="How far the main balance may be overdrawn. Leave it empty for a prepaid account."
      />
    </AskDialog>
  );
}

const numbersIn = (typed: string) =>
  typed
    .split(",")
    .map(plainNumber)
    .filter((number) => number !== "");
