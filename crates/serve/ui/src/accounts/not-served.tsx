/** Says that no system has peers of Diameter, and how to get one. */
import { Empty } from "../parts/page";

export function NotServed() {
  return (
    <Empty icon="accounts" title="No peers of Diameter">
      <p>
        No charging system with <code>[diameter]</code> runs. Networks reach one by Diameter if{" "}
        <code>charging.toml</code> has this table, from its next start on.
      </p>
    </Empty>
  );
}
