/** The route for messages of peers of Diameter. */
import type { MessageFile } from "../../src/api/types.ts";
import { type FakeRoute, ok, route } from "./answering.ts";
import { MISSING } from "./charging-routes.ts";
import { of } from "./charging.ts";
import { type FakeMessage, NODE } from "./messages.ts";

const LIMIT = 100;

/** The octets of a file: the beginning of its form, and the command of each message. */
const fileOf = (form: MessageFile, found: readonly FakeMessage[]) =>
  Buffer.concat([
    form === "xml" ? Buffer.from("<messages/>\n") : Buffer.from([0x0a, 0x0d, 0x0d, 0x0a, 0x00, 0xff]),
    ...found.map(({ message }) => Buffer.from(message.command)),
  ]);

export const MESSAGE_ROUTES: FakeRoute[] = [
  route("GET /api/charging/messages", "viewer", (world, { query }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const [number, session, peer] = (["number", "session", "peer"] as const).map((word) => query.get(word));
    const found = charging.messages
      .filter(
        ({ message, key, number: own }) =>
          (number == null || own === number) &&
          (session == null || key === session || message.session === session) &&
          (peer == null || message.peer === peer.toLowerCase()),
      )
      .slice(-Number(query.get("limit") ?? LIMIT));
    const form = query.get("file") as MessageFile | null;
    const file = form === null ? null : fileOf(form, found).toString("base64");
    return ok({ node: NODE, messages: found.map(({ message }) => message), file });
  }),
];
