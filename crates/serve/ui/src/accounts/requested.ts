/** Operations above an amount: they become requests, which another user approves or rejects. */
import { Refusal } from "../api/client";
import { say } from "../parts/notices";

/**
 * Returns a deed that ends well, too, where it has become a request: what it asked for is stored, and `onDone` closes the
 * dialog. A second try would ask for nothing else.
 */
export const orRequested =
  (deed: (because: string) => Promise<void>, onDone: () => void) => async (because: string) => {
    try {
      await deed(because);
    } catch (problem) {
      if (!(problem instanceof Refusal) || problem.code !== "approval-needed") throw problem;
      say(problem.message);
      onDone();
    }
  };
