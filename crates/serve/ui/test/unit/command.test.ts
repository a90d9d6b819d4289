/** The command palette: what it offers, and what it finds first. */
import { describe, expect, it } from "vitest";

import type { Graph, GraphNode } from "../../src/api/types";
import { type Offer, SHOWN_MAX, commandsOf, found, searchesFor } from "../../src/command/commands";
import { score } from "../../src/command/fuzzy";

describe("a score", () => {
  const best = (typed: string, ...texts: string[]) =>
    texts
      .map((text) => ({ text, score: score(text, typed) }))
      .filter((each) => each.score !== null)
      .sort((one, other) => other.score! - one.score!)
      .map((each) => each.text);

  it("is highest at the start of a word", () =>
    expect(best("bil", "mobile", "home-billing", "billing")).toEqual(["billing", "home-billing", "mobile"]));
  it("needs each word, in any order", () =>
    expect(best("billing home", "home-billing", "home", "billing")).toEqual(["home-billing"]));
  it("allows gaps, but few", () => {
    expect(best("rmng", "roaming-v8", "msc-boston")).toEqual(["roaming-v8"]);
    expect(score("a long text that has every letter", "alxr")).toBeNull();
    expect(score(`a${"-".repeat(12)}b`, "ab")).not.toBeNull();
    expect(score(`a${"-".repeat(13)}b`, "ab")).toBeNull();
  });
  it("is higher for the shorter text", () => expect(best("msc", "msc-boston", "msc")).toEqual(["msc", "msc-boston"]));
  it("takes signs as they are", () => expect(best("(.*", "a (.*) b", "abc")).toEqual(["a (.*) b"]));
});

const node = (name: string, kind: string): GraphNode => ({
  name,
  kind,
  table: kind,
  from: [],
  streams: [],
  settings: {},
  script: null,
  line: 1,
});

const offer = (more: Partial<Offer> = {}): Offer => ({
  role: "administrator",
  hasCharging: false,
  graph: { nodes: [node("msc", "network-element"), node("billing", "post-processing-system")] } as Graph,
  scripts: ["scripts/is_roaming.dup"],
  actions: [],
  views: [],
  ...more,
});

const names = (typed: string, more: Partial<Offer> = {}) =>
  found(commandsOf(offer(more)), typed).map(({ name }) => name);

describe("the command palette", () => {
  it("offers actions and pages before anything is typed", () => {
    const shown = names("", { actions: [{ name: "Retry 3 files", run: () => {} }] });
    expect(shown.slice(0, 2)).toEqual(["Retry 3 files", "Graph"]);
    expect(shown).not.toContain("msc");
  });
  it("finds a page by another word for it", () => expect(names("users")[0]).toBe("People"));
  it("offers no page that the role may not open", () => expect(names("people", { role: "viewer" })).toEqual([]));
  it("finds a node, and its lists", () => expect(names("msc")).toEqual(["msc", "msc: files", "msc: suspense"]));
  it("finds a receiver by its kind", () => expect(names("receiver bill")).toEqual(["billing", "billing: deliveries"]));
  it("finds a script", () => expect(names("roaming.dup")).toEqual(["scripts/is_roaming.dup"]));
  it("shows no more than can be read", () => {
    const nodes = Array.from({ length: 2_000 }, (_, place) => node(`msc-${place}`, "filter"));
    expect(names("msc", { graph: { nodes } as Graph }).length).toBe(SHOWN_MAX);
  });
  it("names each command once", () => {
    const keys = commandsOf(offer()).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
  it("searches for what is typed", () => {
    const without = { hasCharging: false, graph: null };
    expect(searchesFor(" a&b ", without).map(({ does }) => does)).toEqual([
      "/files?name=a%26b",
      "/suspense?file=a%26b",
      "/matching?key=a%26b",
    ]);
    expect(searchesFor("919", without)[0]?.does).toBe("/suspense/919");
    expect(searchesFor("  ", without)).toEqual([]);
    expect(searchesFor("46701234567", without)[0]?.does).toBe("/suspense/46701234567");
  });
  it("searches for cases of fraud where the flow has rules", () => {
    const graph = { nodes: [node("calls", "fraud")] } as Graph;
    const found = searchesFor("17", { hasCharging: false, graph }).map(({ does }) => does);
    expect(found).toContain("/fraud/cases/17");
    expect(found).toContain("/fraud?state=all&key=17");
    expect(names("calls", { graph })).toEqual(["calls", "calls: alerts"]);
  });
  it("has accounts where there is a charging system", () => {
    expect(names("accounts")).toEqual([]);
    expect(names("prepaid", { hasCharging: true })).toEqual(["Accounts"]);
  });
  it("goes to the account of a number", () => {
    const first = (typed: string) => searchesFor(typed, { hasCharging: true, graph: null })[0]?.does;
    expect(first("46701234567")).toBe("/accounts/46701234567");
    expect(first("+46 70-123 45 67")).toBe("/accounts/46701234567");
    expect(first("#17")).toBe("/accounts/%2317");
    expect(first("sip:anna@example.org")).toBe("/accounts/sip%3Aanna%40example.org");
    // A short number is one of a record.
    expect(first("919")).toBe("/suspense/919");
  });
});
