/** Builds the explanation of a name. The editor needs DOM elements, outside of React. */
import type { NameDefinition } from "../api/types";

interface Explained {
  code: string;
  text: string;
  definitions?: NameDefinition[];
}

export function explained({ code, text, definitions = [] }: Explained): HTMLElement {
  const all = document.createElement("div");
  all.className = "cm-explained";
  all.append(element("pre", code));
  if (text !== "") all.append(element("p", text));
  for (const { file, line, text: defined } of definitions) {
    all.append(element("pre", defined), element("p", `${file}:${line}`));
  }
  return all;
}

function element(name: "pre" | "p", text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
