import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { type Description, type Operation, operations } from "../../src/reference/describe";

const description = JSON.parse(readFileSync("../openapi.json", "utf8")) as Description;
const all = operations(description, "http://gateway:8080");
const one = (method: string, path: string) => all.find((each) => each.method === method && each.path === path)!;

describe("the reference", () => {
  it("has every operation of the description, each at its own place", () => {
    const many = Object.values(description.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    expect(all.length).toBe(many);
    expect(new Set(all.map((each) => each.id)).size).toBe(many);
    expect(all.filter((each) => each.summary === "" || each.subject === "")).toEqual([]);
  });

  it("says who may", () => {
    expect(one("GET", "/api/suspense").needs).toBe("viewer");
    expect(one("POST", "/api/suspense/discard").needs).toBe("operator");
    expect(one("GET", "/api/people").needs).toBe("administrator");
  });

  it("says what is taken, what is meant by it, and what has to be there", () => {
    const { parameters } = one("GET", "/api/suspense");
    expect(parameters).toContainEqual({
      name: "node",
      where: "query",
      isRequired: false,
      sort: "string",
      help: "Only records that this node or system refused; empty for records that could not be decoded.",
    });
    expect(one("GET", "/api/suspense/{id}").parameters[0]).toMatchObject({ where: "path", isRequired: true });
    const body = one("POST", "/api/suspense/retry").body!;
    expect(body).toContain("ids?: [integer]");
    expect(body).toContain("duplicates?: boolean  // Whether to retry duplicates too.");
  });

  it("says what is answered, and what other answers mean", () => {
    const { answers } = one("PUT", "/api/suspense/{id}");
    expect(answers.map((each) => each.status)).toEqual([
      "200",
      "400",
      "401",
      "403",
      "404",
      "408",
      "409",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503",
    ]);
    expect(answers[0]!.shape).toContain("octets: string");
    expect(answers.find((each) => each.status === "404")).toEqual({
      status: "404",
      meaning: "`record-unknown`: there is no record {id} in suspense",
      shape: expect.stringContaining("error: string  // What went wrong, and what to do about it."),
    });
  });

  it("says what is in lists, and of a choice all that can be chosen", () => {
    const listed = (method: string, path: string) => one(method, path).answers[0]!.shape!;
    expect(listed("GET", "/api/alarms")).toContain('severity: "critical" | "major" | "minor"');
    expect(listed("GET", "/api/trace")).toContain("passed: {");
    expect(listed("GET", "/api/audit")).toContain("duplicate_files: integer");
    const { body, curl } = one("POST", "/api/flow/edit");
    for (const word of ["add", "remove", "rename", "connect", "disconnect", "set", "unset"])
      expect(body).toContain(`do: "${word}"`);
    expect(JSON.parse(/-d '(.*)'$/.exec(curl)![1]!)).toMatchObject({ edits: [{ do: "add" }] });
  });

  it("has the doors, which need no login", () => {
    const login = one("POST", "/login");
    expect(login.needs).toBe("none");
    expect(login.curl).not.toContain("Authorization");
    expect(one("POST", "/logout").needs).toBe("none");
  });

  it("has an example that a shell takes", () => {
    expect(one("GET", "/api/suspense").curl).toBe(
      "curl 'http://gateway:8080/api/suspense' \\\n  -H \"Authorization: Bearer $TOKEN\"",
    );
    const { curl } = one("POST", "/api/suspense/discard");
    expect(curl).toContain("curl -X POST 'http://gateway:8080/api/suspense/discard'");
    expect(JSON.parse(/-d '(.*)'$/.exec(curl)![1]!)).toMatchObject({ because: "…" });
  });

  it("has an example that says what has to be said", () => {
    const address = (method: string, path: string) => /'([^']*)'/.exec(one(method, path).curl)![1]!;
    expect(address("GET", "/api/counters")).toBe("http://gateway:8080/api/counters?account=ACCOUNT");
    expect(address("GET", "/api/trace")).toBe("http://gateway:8080/api/trace?file=FILE&record=1");
    expect(address("GET", "/api/records")).toBe(
      "http://gateway:8080/api/records?file=FILE&network_element=NETWORK_ELEMENT",
    );
    expect(address("PUT", "/api/suspense/{id}")).toBe("http://gateway:8080/api/suspense/1");
    expect(address("GET", "/api/tariff-versions/{version}/{file}")).toBe(
      "http://gateway:8080/api/tariff-versions/1/FILE?plan=PLAN",
    );
    const left = (each: Operation) =>
      each.parameters.some(({ name, where, isRequired }) => {
        const has = each.curl.includes(`?${name}=`) || each.curl.includes(`&${name}=`);
        return where === "query" && isRequired && !has;
      });
    expect(all.filter((each) => left(each) || /^curl [^']*'[^']*[{}]/.test(each.curl))).toEqual([]);
  });

  it("takes for its example what the description has as one, or the first of a choice", () => {
    const query = (parameter: object) => {
      const parameters = [{ name: "of", in: "query", required: true, ...parameter }];
      return operations({ info: { title: "", version: "" }, paths: { "/x": { get: { parameters } } } }, "")[0]!.curl;
    };
    expect(query({ example: "a b'c", schema: { type: "string" } })).toContain("'/x?of=a%20b'\\''c'");
    expect(query({ schema: { type: "string", example: "msc" } })).toContain("'/x?of=msc'");
    expect(query({ schema: { type: "string", enum: ["open", "done"] } })).toContain("'/x?of=open'");
    expect(query({})).toContain("'/x?of=OF'");
  });

  it("ends where a schema has itself within", () => {
    const tree: Description = {
      info: { title: "", version: "" },
      paths: {
        "/tree": {
          get: { responses: { "200": { content: { json: { schema: { $ref: "#/components/schemas/Tree" } } } } } },
        },
      },
      components: {
        schemas: {
          Tree: {
            type: "object",
            properties: { below: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
          },
        },
      },
    };
    expect(operations(tree, "")[0]!.answers[0]!.shape).toContain("…");
  });
});
