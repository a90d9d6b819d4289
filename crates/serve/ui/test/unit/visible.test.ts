import { expect, it } from "vitest";

import { visible } from "../../src/parts/visible";

it("writes out what is not seen, as the gateway does", () => {
  for (const [text, wanted] of [
    ["calls-00001.ber", "calls-00001.ber"],
    ["Gespräch 東京 😀 م‌ن", "Gespräch 東京 😀 م‌ن"],
    ["invoice-\u202evsc.exe", "invoice-\\u202evsc.exe"],
    ["a\u001b[31m\u2067b\u2069\u200b\ufeff", "a\\u001b[31m\\u2067b\\u2069\\u200b\\ufeff"],
    ["two\nlines\tand a tab", "two\\nlines\\tand a tab"],
    ["a\u2028b\u{e0041}\u007f\u0000", "a\\u2028b\\udb40\\udc41\\u007f\\u0000"],
  ] as const) {
    expect(visible(text)).toBe(wanted);
    expect(visible(visible(text))).toBe(wanted);
  }
});
