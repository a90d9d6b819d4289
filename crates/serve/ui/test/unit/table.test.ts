/** The order of a table, its columns, and saved views. */
import { describe, expect, it } from "vitest";

import { columnId, compare } from "../../src/parts/table-model";
import { sortOf, sortText } from "../../src/parts/table-view";
import { type SavedView, VIEWS_MAX, viewAddress, viewsOf, withView, withoutView } from "../../src/parts/views";

it("the order of a table is in its address", () => {
  const sort = [
    { column: "records", isDescending: true },
    { column: "file", isDescending: false },
  ];
  expect(sortText(sort)).toBe("-records,file");
  expect(sortOf("-records,file")).toEqual(sort);
  expect(sortOf("")).toEqual([]);
});

it("a column has an identifier without spaces", () => {
  expect(columnId({ name: "Network element" })).toBe("network_element");
  expect(columnId({ name: "Is it lost?" })).toBe("is_it_lost");
});

it("values are compared as numbers, also within text", () => {
  const sorted = (...values: (string | number | boolean)[]) => values.sort(compare);
  expect(sorted(10, 9, 100)).toEqual([9, 10, 100]);
  expect([9007199254740993n, 5, 9007199254740992n].sort(compare)).toEqual([5, 9007199254740992n, 9007199254740993n]);
  expect(sorted("boston-10", "boston-9")).toEqual(["boston-9", "boston-10"]);
  expect(sorted("2026-11-27T09:00:00Z", "2026-11-26T10:00:00Z")[0]).toBe("2026-11-26T10:00:00Z");
});

describe("saved views", () => {
  const view = (name: string, query = "sort=-done"): SavedView => ({ path: "/files", name, query });

  it("are replaced by one of the same name and list", () => {
    const views = withView([view("night"), view("day")], view("night", "sort=file"));
    expect(views).toEqual([view("day"), view("night", "sort=file")]);
    expect(withView(views, { ...view("day"), path: "/trail" }).length).toBe(3);
  });
  it("are removed", () => expect(withoutView([view("night"), view("day")], view("night"))).toEqual([view("day")]));
  it("are no more than the browser can hold", () => {
    let views: SavedView[] = [];
    for (let place = 0; place <= VIEWS_MAX; place += 1) views = withView(views, view(`view ${place}`));
    expect(views.length).toBe(VIEWS_MAX);
    expect(views[0]!.name).toBe("view 1");
  });
  it("are links", () => {
    expect(viewAddress(view("night"))).toBe("/files?sort=-done");
    expect(viewAddress(view("all", ""))).toBe("/files");
  });
  it("are left out if they are none", () => {
    const stored = [view("night"), { name: 1 }, null, { ...view("other"), path: "//elsewhere.example" }];
    expect(viewsOf(JSON.stringify(stored))).toEqual([view("night")]);
    expect(viewsOf("{")).toEqual([]);
    expect(viewsOf(null)).toEqual([]);
  });
});
