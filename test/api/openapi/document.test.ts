import type { AddressInfo } from "node:net";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { generalStatusesOf, provocationOf } from "../../support/api/provocations.ts";
import {
  DOCUMENT_URL,
  existingId,
  openapiDocument,
  pathOf,
  sendRequest,
  unknownId,
} from "../../support/api/requests.ts";
import { Scene } from "../../support/api/scene.ts";
import { exchange, head } from "../../support/network/raw-http.ts";
import {
  codesOf,
  type Described,
  examplesOf,
  type GivenAnswer,
  type Operation,
  routesOf,
  type Schema,
} from "../../support/openapi/document.ts";

const document = await openapiDocument();

/** Documented responses that no request can cause, each with the reason. */
const NOT_PROVOKED: Readonly<Record<string, string>> = {
  500: "a bug, which no request can cause; app.test.ts tests its shape",
};

/** Whether a part is a schema with a default. The properties of a schema can have the names `default` and `type`. */
function hasDefault(part: object): boolean {
  const { type } = part as { type?: unknown };
  return "default" in part && (type === undefined || typeof type === "string" || Array.isArray(type));
}

const REQUEST_MS_MAX = 300;
const OPTIONS = { requestMsMax: REQUEST_MS_MAX, requestLimits: { perApiKey: 500, perAccount: 1_000 } };
let made: Scene[] = [];
/** A scene for one test. */
async function newScene(): Promise<Scene> {
  const scene = await Scene.make(OPTIONS);
  made.push(scene);
  return scene;
}
afterEach(async () => {
  for (const { api } of made) await api.close();
  made = [];
});

/** Requests of these statuses change nothing that another request sees, so all of them share one scene. */
const HARMLESS: readonly number[] = [400, 401, 403, 404, 408, 413, 415];
let shared: Scene;
beforeAll(async () => {
  shared = await Scene.make({ requestMsMax: REQUEST_MS_MAX });
});
afterAll(() => shared.api.close());

/** Sends a body that never ends. */
async function askEndlessly(scene: Scene, operation: Operation): Promise<GivenAnswer> {
  const { app, key } = scene.api;
  const given = await existingId(scene, operation);
  if (app.server.address() === null) await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const headers = { "X-API-Key": key, "Content-Type": "application/json", "Content-Length": "100" };
  const request = head(`${operation.method} ${pathOf(operation, given)}`, headers);
  const { text, statuses } = await exchange(port, [`${request}{`], 20 * REQUEST_MS_MAX);
  const [lines = "", body = ""] = text.split("\r\n\r\n");
  const fields = lines
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(": "));
  const lowered = fields.map(([name = "", value]) => [name.toLowerCase(), value]);
  return { status: statuses[0] ?? 0, headers: Object.fromEntries(lowered), text: body };
}

test("is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document.json))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("needs no API key, has our headers, and names the server it came from", async () => {
  const answer = await shared.api.app.inject({ url: DOCUMENT_URL });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
  expect(document.json.servers).toEqual([{ url: "/api/v1" }]);
});

test("names the configured addresses", async () => {
  const publicApiUrls = ["https://api.example.com/api/v1", "https://example.com/voice/api/v1"];
  const { api } = await Scene.make({ publicApiUrls });
  const { servers, paths } = (await api.get(DOCUMENT_URL)).body as Record<
    string,
    Record<string, Record<string, object>>
  >;
  await api.close();
  expect(servers).toEqual(publicApiUrls.map((url) => ({ url })));
  expect(paths?.["/healthz"]?.get).toMatchObject({
    servers: [{ url: "https://api.example.com" }, { url: "https://example.com/voice" }],
  });
});

describe("every route", () => {
  /** "GET /api/v1/calls/{id}" and so on, for all routes of the app. */
  async function routes(): Promise<string[]> {
    const { api } = await Scene.make();
    const found = routesOf(api.app);
    await api.app.ready();
    await api.close();
    return found.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, "{$1}")}`);
  }

  test("is documented, and nothing else is", async () => {
    const documented = document.operations.map(({ method, path }) => `${method} ${path}`);
    const follows = (route: string): boolean =>
      route.startsWith("HEAD ") && !documented.includes(route) && documented.includes(route.replace("HEAD", "GET"));
    expect((await routes()).filter((route) => !follows(route)).sort()).toEqual(documented.sort());
  });

  test("with GET also has HEAD, without a body", async () => {
    for (const operation of document.operations.filter(({ method }) => method === "GET")) {
      const given = await existingId(shared, operation);
      const [get, headed] = [
        await sendRequest(shared, operation, given),
        await sendRequest(shared, { ...operation, method: "HEAD" }, given),
      ];
      expect([operation.path, headed.status, headed.text]).toEqual([operation.path, get.status, ""]);
    }
  });
});

describe("for a new reader", () => {
  test("every operation, parameter, field and header has a description", () => {
    const silent = document.operations.flatMap((operation) => [
      ...[operation.summary, operation.description].filter((text) => !text).map(() => operation.operationId),
      ...operation.parameters
        .filter(({ description }) => !description)
        .map(({ name }) => `${operation.operationId} ${name}`),
      ...Object.values(operation.responses)
        .flatMap(({ headers = {} }) => Object.entries(headers))
        .filter(([, { description }]) => !description)
        .map(([name]) => name),
    ]);
    const { schemas } = document.json.components as { schemas: Record<string, Schema> };
    const sent = Object.entries(schemas).filter(([name]) => name.endsWith("Input"));
    const silentFields = sent.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { $ref, description }]) => $ref === undefined && !description)
        .map(([field]) => `${name}.${field}`),
    );
    expect([...silent, ...silentFields]).toEqual([]);
  });

  test("ids of operations are unique, and tags and paths are declared in full", () => {
    const ids = document.operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = (document.json.tags as { name: string }[]).map(({ name }) => name);
    for (const { path, parameters, tags: used, operationId } of document.operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([operationId, parameters.filter((one) => one.in === "path").map(({ name }) => name)]).toEqual([
        operationId,
        inPath,
      ]);
      expect(tags).toEqual(expect.arrayContaining(used));
    }
  });

  test("every union has named members and one discriminator property", () => {
    const { schemas } = document.json.components as { schemas: Record<string, Schema> };
    const unions: string[] = [];
    const memberOf = (part: unknown, where: string): void => {
      if (typeof part !== "object" || part === null) return;
      for (const [key, child] of Object.entries(part)) memberOf(child, `${where}/${key}`);
      if (!("oneOf" in part)) return;
      const { discriminator } = part as Schema & { discriminator?: { propertyName: string; mapping: object } };
      const members = (part.oneOf as Schema[]).map(({ $ref }) => $ref);
      expect([where, Object.values(discriminator?.mapping ?? {})]).toEqual([where, members]);
      for (const [value, reference] of Object.entries(discriminator?.mapping ?? {})) {
        const { oneOf = [reference], properties } = document.at(reference) as Schema;
        const [first] = oneOf as Schema[];
        const { properties: own = properties } = first?.$ref ? (document.at(String(first.$ref)) as Schema) : {};
        expect([reference, own?.[discriminator?.propertyName ?? ""]?.const]).toEqual([reference, value]);
      }
      unions.push(where);
    };
    memberOf(schemas, "");
    expect(unions.sort()).toEqual(["/CallEvent", "/CommandEvent", "/InputEvent"]);
  });

  test("only request schemas have defaults: responses have every field, and schemas of their own", () => {
    const { schemas } = document.json.components as { schemas: Record<string, Schema> };
    const withDefault = (part: unknown): boolean =>
      typeof part === "object" &&
      part !== null &&
      (hasDefault(part) || Object.entries(part).some(([key, child]) => !/^examples?$/.test(key) && withDefault(child)));
    const names = Object.keys(schemas).filter((name) => withDefault(schemas[name]));
    expect(names).toContain("NewCallMaxDurationInput");
    expect(names.filter((name) => !name.endsWith("Input"))).toEqual([]);
    const answers = document.operations.flatMap(({ responses }) => Object.values(responses));
    expect(answers.filter(({ content }) => JSON.stringify(content)?.includes("Input"))).toEqual([]);
    expect(document.operations.filter(({ responses }) => withDefault(responses))).toEqual([]);
  });

  test("every example and every default matches its schema", () => {
    const wrong: string[] = [];
    let count = 0;
    const check = (where: string, schema: Schema, value: unknown): void => {
      count += 1;
      wrong.push(...document.problems(schema, value).map((problem) => `${where}: ${problem}`));
    };
    const look = (where: string, part: unknown): void => {
      if (typeof part !== "object" || part === null) return;
      const { schema, ...described } = part as Described;
      if (schema !== undefined) for (const example of examplesOf(described)) check(where, schema, example);
      if ("examples" in part && Array.isArray(part.examples)) {
        const { examples, ...itself } = part as Schema & { examples: unknown[] };
        for (const example of examples) check(where, itself, example);
      }
      if (hasDefault(part)) check(where, part as Schema, (part as Schema).default);
      for (const [key, child] of Object.entries(part))
        if (!/^(examples?|default)$/.test(key)) look(`${where}/${key}`, child);
    };
    look("#", document.json);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(30);
  });
});

test("an undocumented field, status or type of a response is reported, and a missing field", async () => {
  const operation = document.operation("getCall");
  const good = await sendRequest(shared, operation, await existingId(shared, operation));
  const refused = await sendRequest(shared, operation, unknownId(operation));
  const call = JSON.parse(good.text);
  const { error } = JSON.parse(refused.text);
  const { id: _, ...nameless } = call;
  const wrong: GivenAnswer[] = [
    { ...good, text: JSON.stringify({ ...call, secret: 1 }) },
    { ...good, text: JSON.stringify({ ...call, configuration: { ...call.configuration, systemPrompt: "x" } }) },
    { ...good, text: JSON.stringify(nameless) },
    { ...good, status: 202 },
    { ...good, headers: { ...good.headers, "content-type": "text/plain" } },
    { ...good, headers: { "content-type": "application/json" } },
    { ...refused, text: JSON.stringify({ error: { ...error, stack: "at" } }) },
    { ...refused, text: JSON.stringify({ error, stack: "at" }) },
    { ...refused, text: JSON.stringify({ error: { ...error, code: "conflict" } }) },
  ];
  for (const answer of [good, refused]) expect(document.answerProblems(operation, answer)).toEqual([]);
  for (const answer of wrong) expect(document.answerProblems(operation, answer)).not.toEqual([]);
});

/** Headers in addition to those of every response and those of the connection. */
function undocumentedHeaders(operation: Operation, answer: GivenAnswer, everywhere: readonly string[]): string[] {
  const documented = Object.keys(operation.responses[answer.status]?.headers ?? {}).map((name) => name.toLowerCase());
  const known = [...documented, ...everywhere, "transfer-encoding"];
  return Object.keys(answer.headers)
    .filter((name) => !known.includes(name))
    .map((name) => `the header ${name} is not documented`);
}

describe.each(
  document.operations.map((operation) => [operation.operationId, operation] as const),
)("%s", (_id, operation) => {
  test.each(
    Object.keys(operation.responses).filter((status) => !(status in NOT_PROVOKED)),
  )("responds with %s as documented", async (documented) => {
    const status = Number(documented);
    const scene = HARMLESS.includes(status) ? shared : await newScene();
    const answers: GivenAnswer[] = [];
    if (status === 408) answers.push(await askEndlessly(scene, operation));
    else {
      const provoke = provocationOf(operation, status);
      if (provoke === undefined) throw new Error("there is no request for this response yet");
      for await (const given of provoke(scene, operation)) answers.push(await sendRequest(scene, operation, given));
    }
    const everywhere = Object.keys((await scene.api.get("/healthz")).headers);
    const judged = answers.map((answer) => [
      answer.status,
      [...document.answerProblems(operation, answer), ...undocumentedHeaders(operation, answer, everywhere)],
    ]);
    expect(judged).toEqual(answers.map(() => [status, []]));
    const codes = codesOf(operation, status);
    const seen = codes.length === 0 ? [] : answers.map(({ text }) => JSON.parse(text).error.code);
    expect(new Set(seen)).toEqual(new Set(codes));
  });

  test("has no other responses", async () => {
    const scene = await newScene();
    for (const status of generalStatusesOf(operation)) {
      for await (const given of provocationOf(operation, status)?.(scene, operation) ?? []) {
        expect(document.answerProblems(operation, await sendRequest(scene, operation, given))).toEqual([]);
      }
      Object.assign(scene.api.state, { storeIsAway: false, newCalls: { accepted: true }, admit: () => undefined });
    }
  });
});

/** Parameters whose examples can be sent: path parameters name resources that do not exist. */
const EXAMPLES = document.operations.flatMap((operation) =>
  operation.parameters
    .filter((parameter) => parameter.in !== "path")
    .flatMap((parameter) =>
      examplesOf(parameter).map(
        (example) => [operation.operationId, parameter.name, { operation, parameter, example }] as const,
      ),
    ),
);

test.each(EXAMPLES)("%s accepts %s as in the example", async (_id, _name, { operation, parameter, example }) => {
  const { name } = parameter;
  // A header may name a request that was made before.
  const scene = parameter.in === "query" ? shared : await newScene();
  const given = await existingId(scene, operation);
  const query =
    typeof example === "object" && example !== null
      ? Object.entries(example)
          .map(([key, value]) => `${name}[${key}]=${value}`)
          .join("&")
      : `${name}=${example}`;
  const answer = await sendRequest(scene, operation, {
    ...given,
    ...(parameter.in === "query" ? { query } : { headers: { [name]: String(example) } }),
  });
  expect([Math.floor(answer.status / 100), document.answerProblems(operation, answer)]).toEqual([2, []]);
});
