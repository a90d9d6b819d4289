/** The plan of the examples, to start from: an invented operator's, with every table. */

const FILES = import.meta.glob<string>("../../../../../examples/tariff/*.{toml,csv}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The texts by file name. */
export const EXAMPLE: Record<string, string> = Object.fromEntries(
  Object.entries(FILES).map(([path, text]) => [path.slice(path.lastIndexOf("/") + 1), text]),
);
