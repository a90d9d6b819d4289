/** Converts the description of the API (OpenAPI 3.1, from the gateway) to the operations that the reference shows. */

export interface Schema {
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  additionalProperties?: boolean | Schema;
  description?: string;
  format?: string;
  example?: unknown;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface DescribedParameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Described {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: DescribedParameter[];
  requestBody?: Content;
  responses?: Record<string, Content & { description?: string }>;
}

export interface Description {
  info: { title: string; version: string; description?: string };
  paths: Record<string, Record<string, Described>>;
  components?: { schemas?: Record<string, Schema> };
}

export interface Parameter {
  name: string;
  where: string;
  isRequired: boolean;
  sort: string;
  help: string;
}

export interface Answer {
  status: string;
  meaning: string;
  /** The structure of the body. Null if there is none, or if it is not described. */
  shape: string | null;
}

export interface Operation {
  /** The anchor within the page. */
  id: string;
  subject: string;
  method: string;
  path: string;
  summary: string;
  more: string;
  /** The lowest role that may use it; `none` if it needs no login. */
  needs: string;
  parameters: Parameter[];
  body: string | null;
  answers: Answer[];
  curl: string;
}

const METHODS = ["get", "post", "put", "delete"];

const MEANINGS: Record<string, string> = {
  "200": "It is done.",
  "204": "It is done; there is nothing to say.",
};

export function operations(description: Description, origin: string): Operation[] {
  const shapes = new Shapes(description.components?.schemas ?? {});
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const described = methods[method];
      return described === undefined ? [] : [operation(path, method, described, shapes, origin)];
    }),
  );
}

function operation(path: string, method: string, from: Described, shapes: Shapes, origin: string): Operation {
  const body = json(from.requestBody);
  const [summary, ...rest] = [from.summary ?? "", from.description ?? ""].map((text) => text.replaceAll("\n", " "));
  return {
    id: `${method}-${path.replaceAll(/[^a-z]+/gi, "-").replaceAll(/^-|-$/g, "")}`,
    subject: from.tags?.[0] ?? "",
    method: method.toUpperCase(),
    path,
    summary: summary ?? "",
    more: rest.join(" ").trim(),
    needs:
      from.security?.length === 0
        ? "none"
        : (from.security?.flatMap((either) => Object.values(either).flat())[0] ?? "viewer"),
    parameters: (from.parameters ?? []).map((each) => ({
      name: each.name,
      where: each.in,
      isRequired: each.required === true,
      sort: shapes.sort(each.schema ?? {}),
      help: each.description ?? "",
    })),
    body: body === null ? null : shapes.print(body),
    answers: Object.entries(from.responses ?? {}).map(([status, answer]) => {
      const schema = json(answer);
      const said = answer.description ?? "";
      return {
        status,
        meaning: said === "" ? (MEANINGS[status] ?? "") : said,
        shape: schema === null ? null : shapes.print(schema),
      };
    }),
    curl: curl(
      origin,
      method,
      filled(path, from.parameters ?? [], shapes),
      body === null ? null : shapes.example(body),
      from.security?.length === 0,
    ),
  };
}

function json(content: Content | undefined): Schema | null {
  const found = Object.values(content?.content ?? {})[0];
  return found?.schema ?? null;
}

/** The parameters to show where a request needs one of several sets, which OpenAPI cannot express: the first set. */
const ASKED: Record<string, string[]> = {
  "/api/records": ["network_element", "file"],
  "/api/trace": ["file", "record"],
};

/** Fills a path with values for its required parameters. */
function filled(path: string, parameters: DescribedParameter[], shapes: Shapes): string {
  const value = (of: DescribedParameter) => encodeURIComponent(shapes.placeholder(of));
  const values = new Map(parameters.filter((each) => each.in === "path").map((each) => [each.name, value(each)]));
  const query = parameters.filter(
    (each) => each.in === "query" && (each.required === true || ASKED[path]?.includes(each.name) === true),
  );
  const behind = query.map((each) => `${encodeURIComponent(each.name)}=${value(each)}`).join("&");
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name.toUpperCase());
  return behind === "" ? place : `${place}?${behind}`;
}

/** Returns a curl command. The user replaces the words in capitals. */
function curl(origin: string, method: string, address: string, body: unknown, isDoor = false): string {
  const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${quoted(origin + address)}`];
  if (!isDoor) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== null) lines.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The example of a text. */
const ANY_TEXT = "…";

/** The deepest level of nested schemas: the fields of a record have fields. */
const DEPTH_MAX = 6;

class Shapes {
  constructor(private readonly known: Record<string, Schema>) {}

  private found(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return this.known[schema.$ref.replace("#/components/schemas/", "")] ?? {};
  }

  /** Merges the parts of an `allOf`. Of a `oneOf` with null, returns the other part. */
  private whole(given: Schema): { schema: Schema; mayBeNull: boolean } {
    const schema = this.found(given);
    const either = schema.oneOf?.filter((each) => each.type !== "null");
    if (either?.length === 1 && schema.oneOf!.length === 2)
      return { schema: this.whole(either[0]!).schema, mayBeNull: true };
    if (schema.allOf !== undefined) {
      const all = schema.allOf.map((each) => this.whole(each).schema);
      return {
        schema: {
          type: "object",
          properties: Object.assign({}, ...all.map((each) => each.properties ?? {})) as Record<string, Schema>,
          required: all.flatMap((each) => each.required ?? []),
        },
        mayBeNull: false,
      };
    }
    return { schema, mayBeNull: Array.isArray(schema.type) && schema.type.includes("null") };
  }

  /** Describes a type in one or a few words. */
  sort(given: Schema): string {
    const { schema, mayBeNull } = this.whole(given);
    const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
    const word = schema.enum?.map((each) => JSON.stringify(each)).join(" | ") ?? type ?? "anything";
    return mayBeNull ? `${word} | null` : word;
  }

  /** Prints a schema like JSON, with types for values and descriptions as comments. */
  print(given: Schema, indent = "", depth = 0): string {
    const { schema, mayBeNull } = this.whole(given);
    const orNull = mayBeNull ? " | null" : "";
    const either = this.found(given).oneOf ?? [];
    if (either.filter((each) => each.type !== "null").length > 1)
      return either.map((each) => this.print(each, indent, depth)).join(" | ");
    if (depth >= DEPTH_MAX) return "…";
    if (schema.items !== undefined) return `[${this.print(schema.items, indent, depth + 1)}]${orNull}`;
    const properties = Object.entries(schema.properties ?? {});
    if (properties.length > 0) {
      const lines = properties.map(([name, each]) => {
        const isSure = schema.required?.includes(name) === true;
        const help = each.description === undefined ? "" : `  // ${each.description.replaceAll("\n", " ")}`;
        return `${indent}  ${name}${isSure ? "" : "?"}: ${this.print(each, `${indent}  `, depth + 1)}${help}`;
      });
      return `{\n${lines.join("\n")}\n${indent}}${orNull}`;
    }
    if (typeof schema.additionalProperties === "object")
      return `{ [name]: ${this.print(schema.additionalProperties, indent, depth + 1)} }${orNull}`;
    return this.sort(given);
  }

  /** Returns a valid value for a parameter, or its name in capitals if any text is possible. */
  placeholder({ name, schema = {}, example }: DescribedParameter): string {
    const said = example ?? this.whole(schema).schema.example ?? this.example(schema);
    return typeof said === "object" || said === ANY_TEXT ? name.toUpperCase() : String(said);
  }

  /** Returns a valid value, as far as the description tells. */
  example(given: Schema, depth = 0): unknown {
    const { schema } = this.whole(given);
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.oneOf !== undefined) return this.example(schema.oneOf[0]!, depth);
    if (depth >= DEPTH_MAX) return null;
    if (schema.items !== undefined) return [this.example(schema.items, depth + 1)];
    if (schema.properties !== undefined) {
      const sure = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name) === true);
      // If nothing is required, show all properties: an empty request would be no help.
      const shown = sure.length > 0 ? sure : Object.entries(schema.properties);
      return Object.fromEntries(shown.map(([name, each]) => [name, this.example(each, depth + 1)]));
    }
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === "integer" || type === "number") return 1;
    if (type === "boolean") return false;
    return type === "object" ? {} : ANY_TEXT;
  }
}
