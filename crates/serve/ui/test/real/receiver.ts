/** An HTTP receiver of files that does what a test chooses: it takes files, refuses them, or does not answer. */
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll } from "vitest";

export interface Receiver {
  address: string;
  does: "take" | "refuse" | "hold";
  /** The names of the files that it has taken. */
  taken: string[];
  /** Takes all files that it held. */
  letGo: () => void;
}

/** Starts a receiver. Call it before `useGateway`, whose flow needs the address. */
export function useReceiver(): Receiver {
  const held: (() => void)[] = [];
  const receiver: Receiver = { address: "", does: "take", taken: [], letGo: () => {} };
  receiver.letGo = () => {
    receiver.does = "take";
    for (const take of held.splice(0)) take();
  };
  const answer = (response: ServerResponse, status: number) => response.writeHead(status).end();
  const server = createServer((request, response) => {
    const take = () => {
      receiver.taken.push(request.url!.replace(/^.*\//, ""));
      answer(response, 201);
    };
    request.resume().on("end", () => {
      if (receiver.does === "hold") held.push(take);
      else if (receiver.does === "refuse") answer(response, 422);
      else take();
    });
  });
  beforeAll(async () => {
    await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
    receiver.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
