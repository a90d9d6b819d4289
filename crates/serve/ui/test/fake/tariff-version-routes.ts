/** Versions of a plan in a database: a past one, the valid one, and a coming one. */
import type { Activation, Diagnostic, TariffDraft, TariffVersion } from "../../src/api/types.ts";
import { type FakeRoute, at, digest, no, note, ok, route } from "./answering.ts";
import { mistakesOf } from "./flow-file.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

export const PRICES = `class,valid-from,valid-to,band,from,price,per,interval,set-up,minimum,maximum
mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min,30/30,0.49,,
mobile,2026-01-01 Europe/Stockholm,,low,,0.30,min,30/30,0.49,,
fixed,2026-01-01 Europe/Stockholm,,*,,0.35,min,60/1,0.49,,
`;

const SETTINGS = (name: string) => `name = "${name}"\ncurrency = "EUR"\ncountry = "46"\n`;

type Kept = Omit<TariffVersion, "standing" | "valid_to"> & { files: Record<string, string> };

/** The versions of each world. */
const versions = new WeakMap<World, Kept[]>();

function of(world: World): Kept[] {
  const ago = (days: number) => minutes(world.now(), 60 * 24 * days);
  const version = (number: number, from: number, name: string, prices: string): Kept => ({
    version: number,
    valid_from: ago(from),
    name,
    loaded: { at: ago(from + 30), who: "anna", reason: `prices of ${name}` },
    withdrawn: null,
    files: { "prices.csv": prices, "tariff.toml": SETTINGS(name) },
  });
  const known = versions.get(world) ?? [
    version(1, 500, "Wholesale 2025", PRICES.replace(",0.60,", ",0.70,")),
    version(2, 200, "Wholesale 2026", PRICES),
    version(3, -60, "Wholesale 2027", PRICES.replace(",0.35,", ",0.40,")),
  ];
  versions.set(world, known);
  return known;
}

export function listed(world: World): TariffVersion[] {
  const now = at(world);
  const all = [...of(world)].sort((one, other) => (one.valid_from < other.valid_from ? -1 : 1));
  return all.map(({ files: _, ...version }) => {
    const next = all.find((each) => each.withdrawn == null && each.valid_from > version.valid_from);
    const valid_to = version.withdrawn == null ? (next?.valid_from ?? null) : null;
    const standing =
      version.withdrawn != null
        ? "withdrawn"
        : version.valid_from > now
          ? "coming"
          : valid_to !== null && valid_to <= now
            ? "past"
            : "valid";
    return { ...version, valid_to, standing };
  });
}

/** Returns the mistakes of a file: a price must be a number. */
export function mistakes(file: string, content: string): Diagnostic[] {
  return content.split("\n").flatMap((line, place) => {
    const price = line.split(",")[5];
    if (!file.endsWith("prices.csv") || place === 0 || line === "" || /^\d+(\.\d+)?$/.test(price ?? "")) return [];
    const message = `this is no price: ${price ?? ""}`;
    return [
      {
        severity: "error",
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

function filesOf(world: World, { based_on, files = {} }: TariffDraft): Record<string, string> {
  const all = { ...of(world).find((each) => each.version === based_on)?.files };
  for (const [name, content] of Object.entries(files)) {
    if (content === null) delete all[name];
    else all[name] = content;
  }
  return all;
}

const found = (files: Record<string, string>) =>
  Object.entries(files).flatMap(([name, content]) => mistakes(name, content));

const PLAN = "wholesale.db";

/** The databases that tests began in each world, each with one version. */
const begun = new WeakMap<World, Map<string, TariffVersion>>();

export function databases(world: World): Map<string, TariffVersion> {
  const known = begun.get(world) ?? new Map<string, TariffVersion>();
  begun.set(world, known);
  return known;
}
const unknown = (plan: string) => no(404, `no node of the flow rates by a plan "${plan}"`);

export const VERSION_ROUTES: FakeRoute[] = [
  route("POST /api/tariff-versions/check", "viewer", (world, { body }) =>
    ok(mistakesOf(found(filesOf(world, body.draft)))),
  ),
  route("POST /api/tariff-versions", "operator", (world, { body }, _, who) => {
    const plan = body.plan;
    const isFirst = body.draft.based_on == null && plan.endsWith(".db") && plan !== PLAN;
    if (plan !== PLAN && !isFirst) return unknown(plan);
    const [civil, zone] = body.valid_from.split(" ");
    if (zone === undefined) return no(422, `valid from "${body.valid_from}": this time has no zone`);
    const valid_from = `${civil}:00Z`;
    if (!isFirst && valid_from <= at(world)) return no(409, "this moment is past; choose a moment to come");
    const files = filesOf(world, body.draft);
    const mistaken = mistakesOf(found(files));
    if (mistaken.diagnostics.length > 0)
      return ok({ version: null, name: null, valid_from: null, ...mistaken, gateway: null });
    const version = of(world).length + 1;
    const name = /name = "(.*)"/.exec(files["tariff.toml"] ?? "")?.[1] ?? "";
    const loaded = { at: at(world), who, reason: body.because };
    const gateway: Activation = { answer: "active", changed: [], mistakes: [] };
    if (isFirst) {
      const first = { version: 1, valid_from, valid_to: null, standing: "valid" as const, name, loaded };
      databases(world).set(plan, { ...first, withdrawn: null });
      note(world, who, "tariff load", `${plan}, version 1`, loaded.reason);
      return ok({ version: 1, name, valid_from, ...mistaken, gateway }, "flow");
    }
    of(world).push({ version, valid_from, name, loaded, withdrawn: null, files });
    note(world, who, "tariff load", `${PLAN}, version ${version}`, loaded.reason);
    return ok({ version, name, valid_from, ...mistaken, gateway }, "flow");
  }),
  route("GET /api/tariff-versions/{version}", "viewer", (world, { query }, { version }) => {
    const kept = of(world).find((each) => String(each.version) === version);
    if (query.get("plan") !== PLAN || kept === undefined) return unknown(query.get("plan") ?? "");
    const files = Object.entries(kept.files).map(([file, content]) => ({
      file,
      octets: content.length,
      digest: digest(content),
    }));
    return ok({ files });
  }),
  route("GET /api/tariff-versions/{version}/{file}", "viewer", (world, _, { version, file }) => {
    const content = of(world).find((each) => String(each.version) === version)?.files[file!];
    return content === undefined ? no(404, `version ${version} has no file "${file}"`) : ok({ text: content });
  }),
  route("POST /api/tariff-versions/{version}/withdraw", "operator", (world, { body }, { version }, who) => {
    const kept = of(world).find((each) => String(each.version) === version);
    if (body.plan !== PLAN || kept === undefined) return unknown(body.plan);
    if (kept.valid_from <= at(world)) return no(409, `version ${version} has begun, so it cannot be withdrawn`);
    kept.withdrawn = { at: at(world), who, reason: body.because };
    note(world, who, "tariff withdraw", `${PLAN}, version ${version}`, body.because);
    const { name } = kept;
    return ok({ version: kept.version, name, answer: "active", changed: [], mistakes: [] }, "flow");
  }),
];
