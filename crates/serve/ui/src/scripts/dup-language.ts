/** Colours DUP by its words (editors/vscode/syntaxes has the same words). The gateway checks the language itself. */
import { StreamLanguage, type StreamParser } from "@codemirror/language";

const CONTROL = words("if else switch case default for while return break continue delete assert");
const DECLARATION = words("declare test TABLE TARIFF WITHOUT COUNTERS CONST OPTIONAL");
const TYPE = words(
  "OCTET TBCD BIT STRING SEQUENCE SET OF BOOLEAN INTEGER REAL ENUMERATED CHOICE UTF8String NumericString PrintableString " +
    "TeletexString T61String VideotexString IA5String GraphicString VisibleString ISO646String GeneralString " +
    "ObjectDescriptor UTCTime GeneralizedTime TIME-OF-DAY TIME DATE-TIME DATE DURATION",
);
const CONSTANT = words("TRUE FALSE NULL");

function words(all: string): Set<string> {
  return new Set(all.split(" "));
}

const WORD = /^[A-Za-z_](?:-(?=[A-Za-z0-9])|[A-Za-z0-9_])*/;

/** Returns the name of a CodeMirror tag. */
export function token(stream: Parameters<StreamParser<null>["token"]>[0]): string | null {
  if (stream.eatSpace()) return null;
  // A comment ends at the next two hyphens or at the end of the line.
  if (stream.match(/^--+(?:(?!--).)*(?:--)?/)) return "comment";
  if (stream.match(/^"(?:[^"\\]|\\.)*(?:"|$)/)) return "string";
  if (stream.match(/^'[0-9A-Fa-f\s]*'[HhBb]/)) return "number";
  if (stream.match(/^[0-9]+/)) return "number";
  if (stream.match(/^\.(?=[A-Za-z_])/)) {
    stream.match(WORD);
    return "propertyName";
  }
  const word = stream.match(WORD);
  if (word === null || typeof word === "boolean") {
    stream.next();
    return "operator";
  }
  const name = word[0];
  if (CONTROL.has(name)) return "controlKeyword";
  if (DECLARATION.has(name)) return "keyword";
  if (CONSTANT.has(name)) return "atom";
  if (TYPE.has(name)) return "typeName";
  if (name === "IN") return "operatorKeyword";
  if (stream.match(/^\s*\(/, false)) return "variableName.function";
  return /^[A-Z]/.test(name) ? "typeName" : "variableName";
}

export const dup = StreamLanguage.define<null>({
  name: "dup",
  startState: () => null,
  token: (stream) => token(stream),
  languageData: { commentTokens: { line: "--" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});
