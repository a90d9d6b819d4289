/** The areas of the navigation, and the area of an address. */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { AREAS, PAGES, placeOf } from "../../src/router/pages";

const names = (path: string) => {
  const place = placeOf(path);
  return place === null ? null : [place.area.name, place.page.name];
};

describe("the place of an address", () => {
  it("is its page in its area", () => expect(names("/alarms")).toEqual(["Monitor", "Alarms"]));
  it("is the page above it", () => {
    expect(names("/suspense/919")).toEqual(["Repair", "Suspense"]);
    expect(names("/audit/sequences")).toEqual(["Monitor", "Audit"]);
  });
  it("is not that of a longer name", () => expect(names("/alarmsandmore")).toBeNull());
  it("may be none", () => expect(names("/account")).toBeNull());
});

describe("the areas", () => {
  it("have pages, each at one place", () => {
    expect(AREAS.filter((area) => area.pages.length === 0)).toEqual([]);
    expect(new Set(PAGES.map((page) => page.href)).size).toBe(PAGES.length);
  });

  it("have pages that the gateway answers", () => {
    const [, list] = /const PAGES: &\[&str\] = &\[(.*?)\];/s.exec(readFileSync("../src/pages.rs", "utf8"))!;
    const answered = [...list!.matchAll(/"(\w+)"/g)].map(([, name]) => `/${name}`);
    expect(answered.length).toBeGreaterThan(10);
    expect(PAGES.map((page) => page.href).filter((href) => !answered.includes(href))).toEqual([]);
  });
});
