/** What the command palette offers: places to go to, and actions. */
import { accountAddress, isAccountName } from "../accounts/address";
import type { Graph, GraphNode, Role } from "../api/types";
import { caseAddress, subjectAddress } from "../fraud/address";
import { hasFraudNode } from "../fraud/presence";
import { kindName } from "../graph/shown";
import type { Action } from "../parts/actions";
import type { IconName } from "../parts/icons";
import { mayAs } from "../parts/session";
import { type SavedView, viewAddress } from "../parts/views";
import { AREAS, isWith, placeOf } from "../router/pages";
import { scriptAddress } from "../scripts/address";
import { score } from "./fuzzy";

export interface Command {
  /** Identifies the command in a list. */
  key: string;
  name: string;
  /** What it is: an area, the kind of a node. It is shown beside the name, and also found. */
  kind: string;
  /** Other words that find it. */
  alias?: string;
  icon: IconName;
  /** An address to go to, or an action. */
  does: string | (() => void);
}

/** The most commands that a list shows. Typing one more letter is quicker than reading more. */
export const SHOWN_MAX = 40;

export interface Offer {
  role: Role;
  hasCharging: boolean;
  graph: Graph | null;
  scripts: readonly string[];
  actions: readonly Action[];
  views: readonly SavedView[];
}

export function commandsOf({ role, hasCharging, graph, scripts, actions, views }: Offer): Command[] {
  return [
    ...actions.map(({ name, run }): Command => ({
      key: `action ${name}`,
      name,
      kind: "This page",
      icon: "run",
      does: run,
    })),
    ...AREAS.flatMap((area) =>
      area.pages
        .filter((page) => mayAs(role, page.needs) && isWith(page, { hasCharging, hasFraud: hasFraudNode(graph) }))
        .map(({ href, name, icon, alias }): Command => ({
          key: href,
          name,
          kind: area.name,
          alias: `${alias} page`,
          icon,
          does: href,
        })),
    ),
    ...views.map((view): Command => ({
      key: `view ${viewAddress(view)} ${view.name}`,
      name: view.name,
      kind: `View of ${placeOf(view.path)?.page.name ?? view.path}`,
      icon: "bookmark",
      does: viewAddress(view),
    })),
    ...(graph?.nodes ?? []).flatMap(commandsOfNode),
    ...scripts.map((file): Command => ({
      key: `script ${file}`,
      name: file,
      kind: "Script",
      icon: "scripts",
      does: scriptAddress(file),
    })),
  ];
}

/** The lists that have a filter for nodes of a kind. */
const LISTS: Record<string, { name: string; icon: IconName; address: string }[]> = {
  "network-element": [
    { name: "files", icon: "files", address: "/files?network_element=" },
    { name: "suspense", icon: "suspense", address: "/suspense?network_element=" },
  ],
  "post-processing-system": [{ name: "deliveries", icon: "deliveries", address: "/deliveries?system=" }],
  matching: [{ name: "groups", icon: "matching", address: "/matching?node=" }],
  fraud: [{ name: "alerts", icon: "fraud", address: "/fraud/alerts?node=" }],
};

function commandsOfNode({ name, kind }: GraphNode): Command[] {
  const part = encodeURIComponent(name);
  const alias = [kind === "post-processing-system" ? "receiver" : "", "node"].join(" ");
  const node = { name, kind: kindName(kind), alias, icon: "graph" as const };
  return [
    { ...node, key: `node ${name}`, does: `/graph?node=${part}` },
    ...(LISTS[kind] ?? []).map((list) => ({
      key: `${list.name} ${name}`,
      name: `${name}: ${list.name}`,
      kind: kindName(kind),
      alias,
      icon: list.icon,
      does: list.address + part,
    })),
  ];
}

/** Returns searches for the typed text on pages that can search by name. */
export function searchesFor(typed: string, { hasCharging, graph }: Pick<Offer, "hasCharging" | "graph">): Command[] {
  const text = typed.trim();
  if (text === "") return [];
  const part = encodeURIComponent(text);
  const search = (name: string, icon: IconName, does: string): Command => ({
    key: does,
    name,
    kind: "Search",
    icon,
    does,
  });
  const hasFraud = hasFraudNode(graph);
  const isNumber = /^\d{1,15}$/.test(text);
  return [
    ...(hasCharging && isAccountName(text) ? [search(`Account of ${text}`, "accounts", accountAddress(text))] : []),
    ...(isNumber ? [search(`Record ${text} in suspense`, "suspense", `/suspense/${text}`)] : []),
    ...(isNumber && hasFraud ? [search(`Fraud case ${text}`, "fraud", caseAddress(Number(text)))] : []),
    search(`Files with “${text}” in their name`, "files", `/files?name=${part}`),
    search(`Suspense of the file “${text}”`, "suspense", `/suspense?file=${part}`),
    search(`Groups with the key “${text}”`, "matching", `/matching?key=${part}`),
    ...(hasFraud ? [search(`Fraud: all about “${text}”`, "fraud", subjectAddress(text))] : []),
    ...(hasFraud ? [search(`Fraud cases with the key “${text}”`, "fraud", `/fraud?state=all&key=${part}`)] : []),
  ];
}

/** Returns the commands that match, the best first. Without a text these are the actions and the pages. */
export function found(commands: readonly Command[], typed: string): Command[] {
  if (typed.trim() === "")
    return commands.filter(({ does, key }) => typeof does !== "string" || key === does).slice(0, SHOWN_MAX);
  return commands
    .flatMap((command) => {
      const byName = score(command.name, typed);
      // A match in the other words counts less than one in the name alone. There, letters with gaps match by chance.
      const byAll = score(`${command.name} ${command.kind} ${command.alias ?? ""}`, typed, 0);
      const best = byName ?? (byAll === null ? null : byAll / 2);
      return best === null ? [] : [{ command, best }];
    })
    .sort((one, other) => other.best - one.best)
    .slice(0, SHOWN_MAX)
    .map(({ command }) => command);
}
