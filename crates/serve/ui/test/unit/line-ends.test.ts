import { expect, it } from "vitest";

import { asEdited, asInFile, lineEndOf } from "../../src/scripts/line-ends";

it("a file goes back with the line ends it came with", () => {
  for (const file of ["a;b\r\n1;2\r\n", "a;b\n1;2\n", "", "\r\n\r\n", "no end"])
    expect(asInFile(asEdited(file), lineEndOf(file))).toBe(file);
});

it("what is written is ended as the first line is", () => {
  expect(lineEndOf("one\r\ntwo\n")).toBe("\r\n");
  expect(lineEndOf("one\ntwo\r\n")).toBe("\n");
  expect(asInFile("a\nb\n", "\r\n")).toBe("a\r\nb\r\n");
});
