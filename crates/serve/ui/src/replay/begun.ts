/** The drafts of the replays that this window started, to tell whether they changed since. */
import { draftOf } from "../scripts/drafts";

const begun = new Map<number, ReadonlyMap<string, string>>();

export function keepBegun(replay: number, drafts: readonly { name: string; text: string }[]): void {
  begun.set(replay, new Map(drafts.map(({ name, text }) => [name, text])));
}

/** Returns the drafts that changed since the replay started. */
export function changedSince(replay: number): string[] {
  const then = [...(begun.get(replay) ?? [])];
  return then
    .filter(([name, text]) => {
      const now = draftOf(name);
      return now !== null && now.text !== text;
    })
    .map(([name]) => name);
}
