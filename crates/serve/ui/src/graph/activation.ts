/** What the gateway says when it is to take a flow. */
import { Refusal } from "../api/client";
import type { Activation } from "../api/types";

/** A sentence where it was taken; a refusal with the mistakes where it was not. */
export function activationInWords({ answer, changed, mistakes }: Activation, what: string): string {
  switch (answer) {
    case "active": {
      const files = changed.length === 0 ? "nothing in it is different" : `changed: ${changed.join(", ")}`;
      return `${what} is active; ${files}.`;
    }
    case "pending":
      return `${what} becomes active when the files in work are done.`;
    case "stopping":
      throw new Refusal(0, "The gateway is stopping.", `${what} becomes active when it is started again.`);
    case "mistakes":
      throw new Refusal(0, `${what} was not taken: the flow that runs goes on.`, mistakes.join("\n"));
  }
}
