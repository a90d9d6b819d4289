/**
 * Writes `src/api/schema.ts`, the types of the API, from its description. With `--check` it writes nothing, and fails
 * if the file is not what the description gives. The generator needs TypeScript 5, and the interface another one, so
 * this folder is a workspace with its own.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import generate, { astToString } from "openapi-typescript";
import prettier from "prettier";

const DESCRIPTION = new URL("../../../openapi.json", import.meta.url);
const TYPES = fileURLToPath(new URL("../../src/api/schema.ts", import.meta.url));

const HEADER = `/**
 * The types of the API. \`npm run api-types\` generates them from its description, \`crates/serve/openapi.json\`: do not
 * edit this file. Refusals are not in it: \`client.ts\` makes a sentence of every one.
 */

`;

/** Removes the refusals from the description. They are half of all, and the client treats them alike. */
function withoutRefusals(description) {
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    const { responses } = operation;
    operation.responses = Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2")));
  }
  delete description.components.responses;
  return description;
}

const description = withoutRefusals(JSON.parse(readFileSync(DESCRIPTION, "utf8")));
// A member with a default may be left out of a request. An object without described members may have any.
const types = await generate(description, { defaultNonNullable: false, emptyObjectsUnknown: true });
const options = await prettier.resolveConfig(TYPES);
const text = await prettier.format(HEADER + astToString(types), { ...options, filepath: TYPES });

if (!process.argv.includes("--check")) {
  writeFileSync(TYPES, text);
} else if (readFileSync(TYPES, "utf8") !== text) {
  console.error("src/api/schema.ts is not what crates/serve/openapi.json gives: `npm run api-types` writes it");
  process.exit(1);
}
