/** Tariff plans: one in a folder, with prices of a cent per second, and one as versions in a database. */
import type { Tariff, TariffExplained, TariffUsage } from "../../src/api/types.ts";
import { type FakeRoute, at, digest, no, note, ok, route } from "./answering.ts";
import { mistakesOf } from "./flow-file.ts";
import { PRICES, VERSION_ROUTES, databases, listed, mistakes } from "./tariff-version-routes.ts";
import type { World } from "./world.ts";

const PLAN = `name = "Fjord Mobile 2026"
currency = "SEK"
country = "46"
`;

/** The edited tables of each world. */
const tables = new WeakMap<World, Map<string, string>>();

function of(world: World): Map<string, string> {
  const known =
    tables.get(world) ??
    new Map([
      ["tariff/prices.csv", PRICES],
      ["tariff/tariff.toml", PLAN],
    ]);
  tables.set(world, known);
  return known;
}

function list(world: World): Tariff[] {
  const plans = world.files.length === 0 ? [] : named(world);
  const loaded = [...databases(world)].map(([plan, version]): Tariff => {
    const known = plans.find((each) => each.plan === plan);
    const rest = {
      tables: [],
      ...mistakesOf([]),
      problem: null,
      classes: ["mobile"],
      services: ["telephony"],
      currency: "SEK",
    };
    return { ...rest, plan, nodes: known?.nodes ?? [], name: version.name, versions: [version] };
  });
  return [...plans.filter((each) => !databases(world).has(each.plan)), ...loaded];
}

/** Returns the plans that the flow names. */
function named(world: World): Tariff[] {
  return [
    {
      plan: "tariff",
      nodes: ["price"],
      name: "Fjord Mobile 2026",
      currency: "SEK",
      classes: ["mobile", "fixed"],
      services: ["telephony", "sms", "data"],
      tables: [...of(world)].map(([file, content]) => ({ file, digest: digest(content) })),
      versions: null,
      ...mistakesOf([]),
      problem: null,
    },
    {
      plan: "wholesale.db",
      nodes: ["cost"],
      name: "Wholesale 2026",
      currency: "EUR",
      classes: ["transit"],
      services: ["telephony"],
      tables: [],
      versions: listed(world),
      ...mistakesOf([]),
      problem: null,
    },
    {
      plan: "partners.db",
      nodes: ["clearing"],
      name: null,
      currency: null,
      classes: [],
      services: [],
      tables: [],
      versions: [],
      ...mistakesOf([]),
      problem: `"partners.db" has no version of a tariff plan`,
    },
  ];
}

function explained(body: TariffUsage): TariffExplained {
  const seconds = Number(body.duration);
  const isDear = body.draft?.files?.["prices.csv"]?.includes(",9.99,") === true;
  const other = body.to ?? "";
  const steps = [
    { step: "service", found: `"${body.service}"`, file: null, line: null },
    { step: "number analysis", found: `served ${body.from}: zone "Fjord"`, file: "prefixes.csv", line: 2 },
  ];
  if (other.startsWith("0999"))
    return {
      plan: "Fjord Mobile 2026",
      steps,
      price: null,
      problem: `no tariff: number analysis: no prefix of the other number "${other}" is in prefixes.csv`,
    };
  return {
    plan: "Fjord Mobile 2026",
    steps: [
      ...steps,
      { step: "set-up", found: "0.49", file: "prices.csv", line: 2 },
      { step: "interval", found: `units 1 to ${seconds} at 0.01`, file: "prices.csv", line: 2 },
    ],
    price: {
      class: "mobile",
      currency: "SEK",
      net: (0.49 + seconds / 100).toFixed(2),
      tax: "0.19",
      total: isDear ? "10.67" : (0.68 + seconds / 100).toFixed(2),
      unit: "seconds",
      counted: seconds,
      free: 0,
    },
    problem: null,
  };
}

export const TARIFF_ROUTES: FakeRoute[] = [
  ...VERSION_ROUTES,
  route("GET /api/tariffs", "viewer", (world) => ok({ tariffs: list(world) })),
  route("POST /api/tariffs", "viewer", (_, { body }) =>
    /(Z|[+-]\d\d:?\d\d|[A-Z]\w+\/\w+)$/.test(body.start)
      ? ok(explained(body))
      : no(422, `start "${body.start}": this time has no zone`),
  ),
  route("GET /api/tariffs/{file}", "viewer", (world, _, { file }) => {
    const found = of(world).get(file);
    if (found === undefined) return no(404, `no plan of the flow has a table "${file}"`);
    return ok({ file, text: found, digest: digest(found) });
  }),
  route("POST /api/tariffs/{file}", "viewer", (_, { body }, { file }) => ok(mistakesOf(mistakes(file, body.text)))),
  route("PUT /api/tariffs/{file}", "operator", (world, { body }, { file }, who) => {
    const before = of(world).get(file);
    if (before === undefined || digest(before) !== body.based_on)
      return no(409, "the table was changed by another user meanwhile: load it, and look again");
    const found = mistakes(file, body.text);
    if (found.length > 0)
      return ok({ answer: "mistakes", changed: [], mistakes: found.map((each) => each.text) }, "versions");
    of(world).set(file, body.text);
    note(world, who, "tariff put", `${file}, ${at(world)}`, body.remark ?? "");
    return ok({ answer: "active", changed: [`node "price"`], mistakes: [] }, "flow");
  }),
];
