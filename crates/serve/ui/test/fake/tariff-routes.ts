/** Tariff plans: one in a folder, whose prices are a cent a second, and one as versions in a database. */
import type { Tariff, TariffExplained } from "../../src/api/types.ts";
import { type Route, at, digest, no, note, ok, text } from "./answering.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

const PRICES = `class,valid-from,valid-to,band,from,price,per,interval,set-up,minimum,maximum
mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min,30/30,0.49,,
mobile,2026-01-01 Europe/Stockholm,,low,,0.30,min,30/30,0.49,,
fixed,2026-01-01 Europe/Stockholm,,*,,0.35,min,60/1,0.49,,
`;

const PLAN = `name = "Fjord Mobile 2026"
currency = "SEK"
country = "46"
`;

/** By world: the tables as somebody left them. */
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

/** A price has to be a number. */
function mistakes(file: string, content: string) {
  return content.split("\n").flatMap((line, place) => {
    const price = line.split(",")[5];
    if (!file.endsWith("prices.csv") || place === 0 || line === "" || /^\d+(\.\d+)?$/.test(price ?? "")) return [];
    const message = `this is no price: ${price ?? ""}`;
    return [
      {
        severity: "error" as const,
        file,
        line: place + 1,
        column: 1,
        message,
        hint: null,
        node: null,
        text: `${file}:${place + 1}:1: ${message}`,
      },
    ];
  });
}

function list(world: World): Tariff[] {
  if (world.files.length === 0) return [];
  const ago = (many: number) => minutes(world.now(), many);
  const deed = (many: number, reason: string) => ({ at: ago(many), who: "anna", reason });
  return [
    {
      plan: "tariff",
      nodes: ["price"],
      name: "Fjord Mobile 2026",
      currency: "SEK",
      classes: ["mobile", "fixed"],
      tables: [...of(world)].map(([file, content]) => ({ file, digest: digest(content) })),
      versions: [],
      diagnostics: [],
    },
    {
      plan: "wholesale.db",
      nodes: ["cost"],
      name: "Wholesale 2026",
      currency: "EUR",
      classes: ["transit"],
      tables: [],
      versions: [
        {
          version: 1,
          valid_from: ago(60 * 24 * 300),
          name: "Wholesale 2026",
          loaded: deed(60 * 24 * 301, "prices of 2026"),
          withdrawn: null,
        },
        {
          version: 2,
          valid_from: ago(-60 * 24 * 60),
          name: "Wholesale 2027",
          loaded: deed(60 * 24 * 2, "prices of 2027"),
          withdrawn: deed(60, "the prices are of another year"),
        },
      ],
      diagnostics: [],
    },
  ];
}

function explained(body: Record<string, unknown>): TariffExplained {
  const seconds = Number(text(body.duration));
  const other = text(body.to);
  const steps = [
    { step: "service", found: `"${text(body.service)}"`, file: null, line: null },
    { step: "number analysis", found: `served ${text(body.from)}: zone "Fjord"`, file: "prefixes.csv", line: 2 },
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
      total: (0.68 + seconds / 100).toFixed(2),
      unit: "seconds",
      counted: seconds,
      free: 0,
    },
    problem: null,
  };
}

export const TARIFF_ROUTES: Route[] = [
  ["GET", "/api/tariffs", "viewer", (world) => ok({ tariffs: list(world) })],
  [
    "POST",
    "/api/tariffs",
    "viewer",
    (_, { body }) =>
      /(Z|[+-]\d\d:?\d\d|[A-Z]\w+\/\w+)$/.test(text(body.start))
        ? ok(explained(body))
        : no(422, `start "${text(body.start)}": this time has no zone`),
  ],
  [
    "GET",
    "/api/tariffs/*",
    "viewer",
    (world, _, { rest }) => {
      const found = of(world).get(rest ?? "");
      if (found === undefined) return no(404, `no plan of the flow has a table "${rest}"`);
      return ok({ file: rest, text: found, digest: digest(found) });
    },
  ],
  [
    "POST",
    "/api/tariffs/*",
    "viewer",
    (_, { body }, { rest }) => ok({ diagnostics: mistakes(rest!, text(body.text)) }),
  ],
  [
    "PUT",
    "/api/tariffs/*",
    "operator",
    (world, { body }, { rest }, who) => {
      const before = of(world).get(rest!);
      if (before === undefined || digest(before) !== body.based_on)
        return no(409, "the table was changed by somebody else meanwhile: load it, and look again");
      const found = mistakes(rest!, text(body.text));
      if (found.length > 0)
        return ok({ answer: "mistakes", changed: [], mistakes: found.map((each) => each.text) }, "versions");
      of(world).set(rest!, text(body.text));
      note(world, who, "tariff put", `${rest}, ${at(world)}`, text(body.remark));
      return ok({ answer: "active", changed: [`node "price"`], mistakes: [] }, "flow");
    },
  ],
];
