/** The routes for traces of messages of Diameter to files. */
import type { MessageFile, MessageTrace } from "../../src/api/types.ts";
import { type FakeRoute, no, ok, route } from "./answering.ts";
import { MISSING, NO_REASON } from "./charging-routes.ts";
import { note, of } from "./charging.ts";

const UNITS: Record<string, number> = { minutes: 60_000, hours: 3_600_000, day: 86_400_000 };

/** The parts of a file. */
const PARTS = ["first", "second"];

const unknown = (trace: string) => no(404, `there is no trace ${trace}`, "message-trace-unknown");

export const TRACE_ROUTES: FakeRoute[] = [
  route("GET /api/charging/traces", "viewer", (world) => {
    const charging = of(world);
    return charging === null ? MISSING : ok({ served: true, traces: charging.traces });
  }),
  route("POST /api/charging/traces", "operator", (world, { body }, _, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (body.because === "") return NO_REASON;
    const [many, unit] = (body.length ?? "30 minutes").split(" ") as [string, string];
    const given = (text: string | null | undefined) => (text == null || text === "" ? null : text);
    const trace: MessageTrace = {
      trace: (charging.traces[0]?.trace ?? 0) + 1,
      number: given(body.number),
      session: given(body.session),
      peer: given(body.peer),
      who,
      because: body.because,
      since: new Date(world.now()).toISOString(),
      until: new Date(world.now() + Number(many) * UNITS[unit]!).toISOString(),
      octets_max: 100_000_000,
      ended: null,
      ended_because: null,
      messages: 4,
      dropped: 0,
      octets: 1_500,
    };
    charging.traces.unshift(trace);
    note(charging, world, who, "charging trace start", `trace ${trace.trace}`, body.because);
    return ok(trace);
  }),
  route("GET /api/charging/traces/{trace}", "operator", (world, { query }, { trace }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (!charging.traces.some((each) => String(each.trace) === trace)) return unknown(trace);
    const at = Number(query.get("from") ?? 0);
    const form = query.get("form") as MessageFile | null;
    const octets = Buffer.from(`${form}: ${PARTS[at]}\n`).toString("base64");
    return ok({ octets, next: at + 1 < PARTS.length ? at + 1 : null });
  }),
  route("POST /api/charging/traces/{trace}/end", "operator", (world, { body }, { trace }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (body.because === "") return NO_REASON;
    const found = charging.traces.find((each) => String(each.trace) === trace);
    if (found === undefined) return unknown(trace);
    Object.assign(found, { ended: new Date(world.now()).toISOString(), ended_because: "an operator ended it" });
    note(charging, world, who, "charging trace end", `trace ${trace}`, body.because);
    return ok(found);
  }),
  route("POST /api/charging/traces/{trace}/remove", "administrator", (world, { body }, { trace }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (body.because === "") return NO_REASON;
    charging.traces = charging.traces.filter((each) => String(each.trace) !== trace);
    note(charging, world, who, "charging trace remove", `trace ${trace}`, body.because);
    return ok({ served: true, traces: charging.traces });
  }),
];
