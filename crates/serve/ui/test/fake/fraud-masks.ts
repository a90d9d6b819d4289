/** What a user sees of subscribers, in the pretended gateway. */
import type { World } from "./world.ts";

/** Returns whether a user sees no subscriber data, as viewers do not by default. */
export const isMasked = (world: World, who: string) => world.people.find(({ name }) => name === who)?.role === "viewer";

export const hidden = (key: string) => `${key.slice(0, 3)}…${key.slice(-2)}`;
