import { StringStream } from "@codemirror/language";
import { expect, it } from "vitest";

import { token } from "../../src/scripts/dup-language";

function check(line: string, expected: string): void {
  const stream = new StringStream(line, 2, 2);
  const found: string[] = [];
  while (!stream.eol()) {
    stream.start = stream.pos;
    const kind = token(stream);
    if (kind !== null && kind !== "operator") found.push(`${stream.current()}:${kind}`);
  }
  expect(found.join(" ")).toBe(expected);
}

it("colours words by what they are", () => {
  check(
    "BOOLEAN isRoaming(cdr CONST CallDataRecord)",
    "BOOLEAN:typeName isRoaming:variableName.function cdr:variableName CONST:keyword CallDataRecord:typeName",
  );
  check("return cause IN [0, 4];", "return:controlKeyword cause:variableName IN:operatorKeyword 0:number 4:number");
  check(
    'if (in.details.roaming == "a\\"b") -- why -- x',
    'if:controlKeyword in:variableName .details:propertyName .roaming:propertyName "a\\"b":string -- why --:comment x:variableName',
  );
  check("x := 'A0 FF'H; y := TRUE;", "x:variableName 'A0 FF'H:number y:variableName TRUE:atom");
  check('"never ends', '"never ends:string');
});
