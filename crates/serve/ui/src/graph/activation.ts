/** The result of activating a flow, in words. */
import { Refusal } from "../api/client";
import type { Activation } from "../api/types";

/** Returns a sentence if the flow is active, pending or proposed. Throws a refusal if it has mistakes or the gateway stops. */
export function activationInWords({ answer, changed, mistakes }: Activation, what: string): string {
  switch (answer) {
    case "active": {
      const files = changed.length === 0 ? "nothing in it is different" : `changed: ${changed.join(", ")}`;
      return `${what} is active; ${files}.`;
    }
    case "pending":
      return `${what} becomes active when the files in work are done.`;
    case "proposed":
      return `${what} is proposed. It becomes active when another user activates it, too.`;
    case "stopping":
      throw new Refusal(0, "The gateway is stopping.", `${what} becomes active when it is started again.`);
    case "mistakes":
      throw new Refusal(0, `${what} was not taken: the flow that runs goes on.`, mistakes.join("\n"));
  }
}
