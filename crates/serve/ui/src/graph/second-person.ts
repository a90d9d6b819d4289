/** Whether the flow wants a second person: then a save is a proposal. */
import { gateway } from "../api/gateway";
import { useLive } from "../live/live";
import { useLoad } from "../parts/load";

/** Returns it for a change of a file, and false until it is known. `isWanted` says whether to ask the gateway at all. */
export function useNeedsSecondPerson(isWanted: boolean): boolean {
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(async () => isWanted && (await needsSecondPerson()), [isWanted], [changes.flow]);
  return loaded.value ?? false;
}

async function needsSecondPerson(): Promise<boolean> {
  const { text } = await gateway.flow();
  return (await gateway.consequences({ text })).needs_second_person;
}
