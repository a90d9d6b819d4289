/** The groups that wait in matching nodes. */
import type { GroupPart, MatchingGroup } from "../../src/api/types.ts";
import { type FakeRoute, at, isWithin, no, note, ok, route } from "./answering.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

const CALLS = 60;

/** The waiting groups of each world. */
const groups = new WeakMap<World, MatchingGroup[]>();

function of(world: World): MatchingGroup[] {
  const known = groups.get(world) ?? (world.files.length === 0 ? [] : begun(world));
  groups.set(world, known);
  return known;
}

function begun(world: World): MatchingGroup[] {
  const ago = (many: number) => minutes(world.now(), many);
  const part = (file: string, record: number, came: number): GroupPart => ({
    came: ago(came),
    network_element: "msc-boston",
    file,
    record,
    offset: (record - 1) * 212,
    made: ago(came + 3),
  });
  const group = (id: number, key: string, parts: GroupPart[]): MatchingGroup => ({
    id,
    node: "calls",
    key,
    since: parts[0]!.came!,
    first: parts[0]!.made ?? null,
    last: parts.at(-1)!.made ?? null,
    records: parts.length,
    over: {
      past: ago(-120),
      waits_for: [
        { network_element: "msc-boston", at: ago(2) },
        { network_element: "msc-new-york", at: null },
      ],
      at: ago(-24 * 60),
    },
    release: null,
    released: null,
    released_by: null,
    parts,
  });
  const early = group(17, "4711", [part("boston-10001.ber", 5, 6000), part("boston-10002.ber", 9, 5990)]);
  const { over: _, ...ended } = early;
  return [
    { ...ended, release: "complete", released: ago(5990), released_by: "boston-10002.ber" },
    { ...group(40, "4711", [part("boston-10431.ber", 7, 50), part("boston-10432.ber", 3, 20)]) },
    {
      ...group(41, "46701234567/17", [part("boston-10431.ber", 8, 50)]),
      node: "sessions",
      over: { past: null, at: ago(-600), not_before: [919] },
    },
    ...Array.from({ length: CALLS }, (_, place) =>
      group(100 + place, String(5000 + place), [part("boston-10432.ber", 20 + place, 20)]),
    ),
  ];
}

const BECOMES = { release: "expired", suspend: "suspended", drop: "dropped" } as const;

export const MATCHING_ROUTES: FakeRoute[] = [
  route("GET /api/matching", "viewer", (world, { query }) => {
    const [node, key] = [query.get("node"), query.get("key")];
    const after = Number(query.get("after") ?? 0);
    const limit = Number(query.get("limit") ?? 50);
    const found = of(world).filter(
      (each) =>
        each.id > after &&
        isWithin(query.get("from"), query.get("to"), each.since) &&
        (node === null || each.node === node) &&
        (key === null ? each.release == null : each.key === key),
    );
    const rows = found.slice(0, limit).map(({ parts: _, ...group }) => group);
    return ok({ groups: rows, more: found.length > limit });
  }),
  route("GET /api/matching/nodes", "viewer", (world) => {
    const open = of(world).filter((each) => each.release == null);
    const nodes = [...new Set(open.map((each) => each.node))].map((node) => {
      const own = open.filter((each) => each.node === node);
      return { node, groups: own.length, since: own[0]!.since };
    });
    return ok({ nodes });
  }),
  route("POST /api/matching/end", "operator", (world, { body }, _, who) => {
    const because = body.because;
    if (because === "") return no(422, "say why, for who reads it later");
    const meant = of(world).filter(
      (each) =>
        each.release == null &&
        (body.ids?.includes(each.id) ?? each.node === body.node) &&
        (body.key == null || each.key === body.key),
    );
    if (meant.length === 0) return no(409, "none of these groups waits any more", "groups-not-waiting");
    const { end } = body;
    for (const each of meant) {
      Object.assign(each, { release: BECOMES[end], released: at(world), released_by: `calls~expired-${each.id}` });
      each.asked = { end, who, because };
      delete each.over;
    }
    note(world, who, `matching ${end}`, `${meant.length} groups`, because);
    return ok({
      groups: meant.length,
      records: meant.reduce((sum, each) => sum + each.records, 0),
      released: 0,
      suspended: 0,
      dropped: 0,
      completed: 0,
      waiting: 0,
      [end === "release" ? "released" : BECOMES[end]]: meant.length,
      refused: [],
      more: false,
      problems: [],
    });
  }),
  route("GET /api/matching/{id}", "viewer", (world, _, { id }) => {
    const group = of(world).find((each) => String(each.id) === id);
    return group === undefined ? no(404, `no group ${id} waits, or did as long as that is remembered`) : ok({ group });
  }),
];
