import { describe, expect, it } from "vitest";

import { first, match } from "../../src/router/match";

describe("an address", () => {
  it("is a page's", () => expect(match("/audit", "/audit")).toEqual({}));
  it("may end with a slash", () => expect(match("/audit", "/audit/")).toEqual({}));
  it("has parts", () => expect(match("/suspense/:id", "/suspense/17")).toEqual({ id: "17" }));
  it("has a rest", () =>
    expect(match("/scripts/*", "/scripts/scripts/is_roaming.dup")).toEqual({ rest: "scripts/is_roaming.dup" }));
  it("is no page's without the rest", () => expect(match("/scripts/*", "/scripts")).toBeNull());
  it("is no page's where it goes on", () => expect(match("/audit", "/audit/more")).toBeNull());
  it("is no page's where it ends too early", () => expect(match("/suspense/:id", "/suspense")).toBeNull());
  it("has names as they are meant", () =>
    expect(match("/people/:name", "/people/J%C3%B6rg%2FB")).toEqual({ name: "Jörg/B" }));
  it("may have what is no escape", () => expect(match("/people/:name", "/people/100%")).toEqual({ name: "100%" }));
});

it("the first that fits is it", () => {
  const routes = [
    ["/suspense", "all"],
    ["/suspense/:id", "one"],
  ] as const;
  expect(first(routes, "/suspense/17")).toEqual({ found: "one", parts: { id: "17" } });
  expect(first(routes, "/nothing")).toBeNull();
});
