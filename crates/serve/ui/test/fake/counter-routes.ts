/** The counters of a subscriber, and counters that need a decision. */
import type { DoubtedNode, SubscriberCounter } from "../../src/api/types.ts";
import { type FakeRoute, no, note, ok, route } from "./answering.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

const KEEPING = ["price", "cost"];

/** The undecided counters of each world. */
const doubted = new WeakMap<World, DoubtedNode[]>();

function of(world: World): DoubtedNode[] {
  const ago = (many: number) => minutes(world.now(), many);
  const known =
    doubted.get(world) ??
    (world.files.length === 0
      ? []
      : ([
          { node: "clearing", why: "keyed-otherwise", subscribers: 12, since: ago(15), asked: null },
          { node: "old-price", why: "orphaned", subscribers: 48_211, since: ago(200), asked: null },
          {
            node: "older-price",
            why: "orphaned",
            subscribers: 1,
            since: ago(4000),
            asked: { deed: "move", to: "price", who: "otto", because: "renamed in spring" },
          },
        ] satisfies DoubtedNode[]));
  doubted.set(world, known);
  return known;
}

export const COUNTER_ROUTES: FakeRoute[] = [
  route("GET /api/counters", "viewer", (_, { query }) => {
    const counter = { node: "price", period: "2026-11", changed_by: "boston-10432.ber" };
    const counters: SubscriberCounter[] = [
      { ...counter, of: "bundle", name: "plus-100", used: "5940", unit: "seconds" },
      { ...counter, of: "discount", name: "loyal", used: "184.50", unit: "spent" },
    ];
    const isKnown = query.get("account") === "46701234567" && (query.get("node") ?? "price") === "price";
    return ok({ counters: isKnown ? counters : [] });
  }),
  route("GET /api/counters/in-doubt", "viewer", (world) => ok({ nodes: of(world), keeping: KEEPING })),
  route("POST /api/counters/change", "operator", (world, { body }, _, who) => {
    const { deed, node, to, because } = body;
    if (because === "") return no(422, "say why, for who reads it later");
    const found = of(world).find((each) => each.node === node);
    if (found === undefined) return no(404, `the journal has no counters of "${node}"; there are none`);
    if (because === "refused")
      return no(409, `"${node}" is a node of the flow, and its counters count: nothing was changed`);
    const all = { waiting: false, subscribers: found.subscribers, added_up: 0, left: 0 };
    if (because === "a file is in work") {
      found.asked = { deed, to: to ?? null, who, because };
      return ok({ ...all, waiting: true, subscribers: 0 });
    }
    of(world).splice(of(world).indexOf(found), 1);
    note(world, who, `counters ${deed}`, `${found.subscribers} subscribers of "${node}"`, because);
    return ok(deed === "move" ? { ...all, added_up: 17 } : deed === "forget" ? { ...all, left: 1 } : all);
  }),
];
