import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CARRIER_NAMES } from "../../../src/carriers/list.ts";
import { SCHEMAS_OF_REQUEST_MS_MAX } from "../../../src/core/limits/agents/tools.ts";
import type { SchemaResult } from "../../../src/core/schemas/checker.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { INLINE_SCHEMAS } from "../../support/stubs/inline-schemas.ts";
import { redeemedBy } from "../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const PARAMETERS = {
  type: "object",
  properties: { order: { type: "string" }, shop: { type: "integer" } },
  required: ["order"],
};
const DEFINITION = { name: "order_status", description: "Tells how far an order is.", parameters: PARAMETERS };
const HTTP = {
  method: "POST",
  url: "https://api.example.com/orders/{order}",
  headers: { Authorization: "Bearer {{SHOP_TOKEN}}", "X-Literal": "canary of a header" },
};
const HTTP_TOOL = { definition: { ...DEFINITION, type: "http", http: HTTP, timeoutMs: 2_000 } };
const CLIENT_TOOL = { definition: { ...DEFINITION, type: "client", name: "show" } };

const create = (selectedTools: unknown, more: object = {}) => api.post({ ...MINIMAL_CALL, selectedTools, ...more });

/** The tools that the gateway receives. */
async function toolsOf({ body }: Answer) {
  const token = (body as { websocketUrl: string }).websocketUrl.slice(-64);
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec.tools;
}

describe("the tools of a call", () => {
  test("of every kind reach the gateway as defined, with secrets by their names", async () => {
    const answer = await create(
      [
        { toolName: "hang_up" },
        { toolName: "transfer", parameterOverrides: { target: "+15550100" } },
        { toolName: "switch_language" },
        { ...HTTP_TOOL, parameterOverrides: { shop: 7 } },
        CLIENT_TOOL,
      ],
      { connectionType: "websocket" },
    );
    const described = { description: DEFINITION.description, parameters: PARAMETERS };
    expect(await toolsOf(answer)).toEqual([
      { kind: "built_in", name: "hang_up", fixedArguments: {} },
      { kind: "built_in", name: "transfer", fixedArguments: { target: "+15550100" } },
      { kind: "built_in", name: "switch_language", fixedArguments: {}, languages: ["de", "en"] },
      { ...described, kind: "http", name: "order_status", fixedArguments: { shop: 7 }, timeoutMs: 2_000, ...HTTP },
      { ...described, kind: "client", name: "show", fixedArguments: {}, timeoutMs: 10_000 },
    ]);
  });

  test("are shown without the values of their headers", async () => {
    const tools = [{ ...HTTP_TOOL, parameterOverrides: { shop: 7 } }, { toolName: "hang_up" }, CLIENT_TOOL];
    const { id } = (await create(tools, { connectionType: "websocket" })).body as { id: string };
    const answer = await api.get(`/api/v1/calls/${id}`);
    const { headers: _, ...http } = HTTP;
    expect(answer.body).toMatchObject({
      configuration: {
        selectedTools: [
          {
            definition: {
              ...HTTP_TOOL.definition,
              http: { ...http, headerNames: ["Authorization", "X-Literal"] },
            },
            parameterOverrides: { shop: 7 },
          },
          { toolName: "hang_up" },
          { definition: { ...CLIENT_TOOL.definition, timeoutMs: 10_000 } },
        ],
      },
    });
    expect(answer.text).not.toContain("canary");
    expect(api.logged.join()).not.toContain("canary");
  });

  test("of a client need a websocket, and DTMF a telephone line: the message names it", async () => {
    const answer = await create([CLIENT_TOOL]);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/connectionType"]]);
    expect(errorOf(answer).message).toBe(
      'connectionType must be websocket or webrtc with the tool show, not "carrier_a"',
    );
    const keys = [{ toolName: "send_dtmf", parameterOverrides: { digits: "123#" } }];
    for (const connectionType of ["websocket", "webrtc"]) {
      expect(errorOf(await create(keys, { connectionType })).message).toBe(
        `connectionType must be ${CARRIER_NAMES.join(" or ")} with the tool send_dtmf, not "${connectionType}"`,
      );
    }
    for (const connectionType of CARRIER_NAMES) expect((await create(keys, { connectionType })).status).toBe(201);
  });

  test("may fix switch_language only to a language that the service serves, or to a region of one", async () => {
    const fixedTo = (language: string) => create([{ toolName: "switch_language", parameterOverrides: { language } }]);
    const answer = await fixedTo("fr");
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/selectedTools/0/parameterOverrides/language"]]);
    expect(answer.text).toContain("must be a language code from GET /languages: de, en, or a region of these");
    expect((await fixedTo("DE-ch")).status).toBe(201);
  });

  test("have unique names", async () => {
    const again = { definition: { ...HTTP_TOOL.definition, name: "switch_language" } };
    const answer = await create([HTTP_TOOL, { toolName: "switch_language" }, HTTP_TOOL, again]);
    expect(pathsOf(answer)).toEqual(["/selectedTools/2/definition/name", "/selectedTools/3/definition/name"]);
  });

  test("must name existing secrets; an unknown one is reported only by its name", async () => {
    const headers = { A: "{{NO_SUCH}}", B: "canary\r\n", Host: "canary", C: "{{SHOP_TOKEN}}" };
    const answer = await create([{ definition: { ...HTTP_TOOL.definition, http: { ...HTTP, headers } } }]);
    const at = "/selectedTools/0/definition/http/headers";
    expect(pathsOf(answer)).toEqual([`${at}/A`, `${at}/B`, `${at}/Host`]);
    expect(answer.text).toContain("NO_SUCH");
    expect(answer.text).not.toContain("canary");
  });

  test("ADV-M8: a secret that the account may not send to the server gets the message of an unknown one", async () => {
    const accountId = await api.stores.accounts.ensure("first");
    const bound = { value: "canary", hosts: ["api.example.com"], accountIds: [accountId] };
    const scoped = await apiUnderTest(undefined, {
      toolSecrets: new Map([
        ["SECRET_A", { ...bound, accountIds: ["account_of_somebody_else"] }],
        ["SECRET_B", { ...bound, hosts: ["other.example.com", "api.example.com:8443"] }],
        ["SECRET_C", { ...bound, hosts: [], accountIds: [] }],
      ]),
    });
    const answerTo = async (secret: string, url = HTTP.url) => {
      const http = { ...HTTP, url, headers: { Authorization: `Bearer {{${secret}}}` } };
      const { status, text, body } = await scoped.post({
        ...MINIMAL_CALL,
        selectedTools: [{ definition: { ...HTTP_TOOL.definition, http } }],
      });
      const { requestId } = (body as { error: { requestId: string } }).error;
      return { status, text: text.replaceAll(requestId, "").replaceAll(secret, "NAME") };
    };
    const unknown = await answerTo("SECRET_X");
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain("must name only secrets that your account may send to this server; NAME is not one");
    for (const secret of ["SECRET_A", "SECRET_B", "SECRET_C"]) expect(await answerTo(secret)).toEqual(unknown);
    // A request without a server does not reveal which names exist either.
    expect(await answerTo("SECRET_A", "no url")).toEqual(await answerTo("SECRET_X", "no url"));
    await scoped.close();
  });

  test("ADV-M8: a secret is sent only over https", async () => {
    const http = { ...HTTP, url: "http://api.example.com/{order}" };
    const answer = await create([{ definition: { ...HTTP_TOOL.definition, http } }]);
    expect(pathsOf(answer)).toEqual(["/selectedTools/0/definition/http/headers/Authorization"]);
  });

  test("are all checked, whatever else is wrong with the request", async () => {
    const parameters = { type: "object", properties: { a: { $ref: "https://x.example/" } } };
    const bad = {
      ...HTTP_TOOL.definition,
      parameters,
      http: { ...HTTP, url: "http://127.0.0.1/{order}", headers: {} },
    };
    const answer = await create([{ definition: bad }, 5], { temperature: 7, voice: "Zelda" });
    expect(pathsOf(answer)).toEqual([
      "/selectedTools/0/definition/http/url",
      "/selectedTools/0/definition/parameters",
      "/selectedTools/1",
      "/temperature",
      "/voice",
    ]);
  });

  test("allow overrides only of their own parameters", async () => {
    const answer = await create([
      { ...HTTP_TOOL, parameterOverrides: { shop: 1, price: 2 } },
      { toolName: "transfer", parameterOverrides: { to: "x" } },
    ]);
    expect(pathsOf(answer)).toEqual([
      "/selectedTools/0/parameterOverrides/price",
      "/selectedTools/1/parameterOverrides/to",
    ]);
  });
});

const tools = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ definition: { ...HTTP_TOOL.definition, name: `tool_${index}` } }));

/** Results of the schema thread, one after the other; the last one repeats. */
async function apiWith(...results: SchemaResult[]) {
  const accountIds: string[] = [];
  const schemas = {
    ...INLINE_SCHEMAS,
    compile: async (accountId: string): Promise<SchemaResult> => {
      accountIds.push(accountId);
      return results[Math.min(accountIds.length, results.length) - 1] as SchemaResult;
    },
  };
  return { accountIds, scripted: await apiUnderTest(undefined, { schemas }) };
}

const fits = (cpuMs: number): SchemaResult => ({ outcome: "answered", answer: { kind: "fits" }, cpuMs });

describe("ADV-H2: schemas that cost too much", () => {
  test("are 400 each, and those after one are not compiled", async () => {
    const { accountIds, scripted } = await apiWith(fits(1), { outcome: "over_budget", cpuMs: 50 });
    const answer = await scripted.post({ ...MINIMAL_CALL, selectedTools: tools(8) });
    expect([answer.status, accountIds.length]).toEqual([400, 2]);
    expect(errorOf(answer).details).toEqual([
      {
        path: "/selectedTools/1/definition/parameters",
        message: expect.stringContaining("must be a JSON Schema that is compiled within 250 ms of CPU time"),
      },
    ]);
    const agent = { name: "Shop", basePrompt: "You sell.", languageId: "en-US", voiceId: "fake/en-us" };
    const saved = await scripted.post({ ...agent, callSettings: { selectedTools: tools(8) } }, {}, "/api/v1/agents");
    expect([saved.status, pathsOf(saved)]).toEqual([400, ["/callSettings/selectedTools/0/definition/parameters"]]);
    await scripted.close();
  });

  test("are 400 together", async () => {
    const { accountIds, scripted } = await apiWith(fits(199));
    expect((await scripted.post({ ...MINIMAL_CALL, selectedTools: tools(10) })).status).toBe(201);
    accountIds.length = 0;
    const answer = await scripted.post({ ...MINIMAL_CALL, selectedTools: tools(32) });
    expect([answer.status, pathsOf(answer), accountIds.length]).toEqual([
      400,
      ["/selectedTools/10/definition/parameters"],
      11,
    ]);
    expect(errorOf(answer).message).toContain("with those before it, within 2000 ms of CPU time");
    await scripted.close();
  });

  test("are compiled for their account, and are 503 with Retry-After when too many of it wait", async () => {
    const { accountIds, scripted } = await apiWith({ outcome: "refused", cpuMs: 0 });
    const answer = await scripted.post({ ...MINIMAL_CALL, selectedTools: tools(2) });
    expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
    expect(accountIds).toEqual([await scripted.stores.accounts.ensure("first")]);
    await scripted.close();
  });

  test("ADV-H2: are not compiled for calls that are refused anyway", async () => {
    const { accountIds, scripted } = await apiWith(fits(1));
    const { id } = await scripted.stores.agents.create(scripted.accountId, {
      ...{ name: "Shop", basePrompt: "You sell.", context: "", customInstructions: "", languageId: "en-US" },
      ...{
        voiceId: "fake/en-us",
        callSettings: { selectedTools: tools(2) },
        toolIds: [],
        corpusIds: [],
        variables: [],
        allowedOverrides: [],
      },
    });
    const codes = async (headers = {}) => {
      const answers = [
        await scripted.post({ ...MINIMAL_CALL, selectedTools: tools(2) }, headers),
        await scripted.post({}, headers, `/api/v1/agents/${id}/calls`),
      ];
      return answers.map((answer) => [answer.status, errorOf(answer).code]);
    };
    for (const reason of ["draining", "insufficient_storage", "database_lost", "unavailable"] as const) {
      scripted.state.newCalls = { accepted: false, reason };
      expect(await codes()).toEqual(Array(2).fill([503, reason]));
    }
    scripted.state.newCalls = { accepted: true };
    scripted.state.accountOver = "llm_requests";
    expect(await codes()).toEqual(Array(2).fill([429, "spend_limit"]));
    expect(accountIds).toEqual([]);
    // The store may have the response of an idempotent request.
    expect(await codes({ "idempotency-key": "one" })).toEqual(Array(2).fill([429, "spend_limit"]));
    expect(accountIds.length).toBe(4);
    await scripted.close();
  });

  test("ADV-H2: share one deadline, after which the response is 503 with Retry-After", async () => {
    const scripted: ApiUnderTest = await apiUnderTest(undefined, {
      schemas: {
        ...INLINE_SCHEMAS,
        // Each waits for less than its limit, after those of other requests.
        compile: async () => {
          await new Promise<void>((resolve) => scripted.clock.after(4_000, resolve));
          return fits(1);
        },
      },
    });
    const answer = scripted.post({ ...MINIMAL_CALL, selectedTools: tools(32) });
    await vi.waitFor(() => expect(scripted.clock.pending).toBeGreaterThan(0));
    await scripted.clock.play(SCHEMAS_OF_REQUEST_MS_MAX);
    const { status, headers } = await answer;
    expect([status, errorOf(await answer).code, headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
    await scripted.close();
  });

  test("of a call of 137 KB are compiled one by one, until the first that is too costly", async () => {
    const compiled: string[] = [];
    const schemas = {
      ...INLINE_SCHEMAS,
      compile: async (_accountId: string, schema: string): Promise<SchemaResult> => {
        compiled.push(schema);
        return { outcome: "over_budget", cpuMs: 50 };
      },
    };
    const scripted = await apiUnderTest(undefined, { schemas });
    const parameters = { type: "object", allOf: Array(600).fill({ not: {} }) };
    const selectedTools = tools(20).map(({ definition }) => ({ definition: { ...definition, parameters } }));
    const answer = await scripted.post({ ...MINIMAL_CALL, selectedTools });
    expect([answer.status, compiled]).toEqual([400, [JSON.stringify(parameters)]]);
    await scripted.close();
  });
});

describe("S6: this machine", () => {
  test("may be called when the installation allows it", async () => {
    const http = { method: "GET", url: "http://localhost:3000/{order}" };
    const tools = [{ definition: { ...HTTP_TOOL.definition, http } }];
    expect((await create(tools)).status).toBe(400);
    const open = await apiUnderTest(undefined, { toolsAllowLoopback: true });
    expect((await open.post({ ...MINIMAL_CALL, selectedTools: tools })).status).toBe(201);
    await open.close();
  });
});

describe("the tools of a saved agent", () => {
  const AGENT = { name: "Shop", basePrompt: "You sell.", languageId: "en-US", voiceId: "fake/en-us" };
  const save = (selectedTools: unknown) =>
    api.post({ ...AGENT, callSettings: { selectedTools, languagePinned: true } }, {}, "/api/v1/agents");

  test("are those of its calls", async () => {
    const saved = await save([HTTP_TOOL]);
    expect(saved.body).toMatchObject({ callSettings: { selectedTools: [HTTP_TOOL] } });
    const { id } = saved.body as { id: string };
    const call = await api.post({}, {}, `/api/v1/agents/${id}/calls`);
    expect(await toolsOf(call)).toMatchObject([{ kind: "http", name: "order_status", ...HTTP }]);
    const { id: callId } = call.body as { id: string };
    expect((await api.get(`/api/v1/calls/${callId}`)).body).toMatchObject({ configuration: { languagePinned: true } });
  });

  test("are refused when it is saved, as POST /calls refuses them", async () => {
    const bad = { definition: { ...HTTP_TOOL.definition, http: { ...HTTP, url: "http://10.0.0.1/{order}" } } };
    const answer = await save([bad]);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/callSettings/selectedTools/0/definition/http/url"]]);
  });

  test("require a transport only when there is a call", async () => {
    const { id } = (await save([CLIENT_TOOL])).body as { id: string };
    const path = `/api/v1/agents/${id}/calls`;
    expect(pathsOf(await api.post({}, {}, path))).toEqual(["/connectionType"]);
    expect((await api.post({ connectionType: "websocket" }, {}, path)).status).toBe(201);
  });

  test("that need a withdrawn secret are a conflict", async () => {
    const { id } = await api.stores.agents.create(api.accountId, {
      ...{
        ...AGENT,
        context: "",
        customInstructions: "",
        toolIds: [],
        corpusIds: [],
        variables: [],
        allowedOverrides: [],
      },
      callSettings: {
        selectedTools: [
          { definition: { ...HTTP_TOOL.definition, http: { ...HTTP, headers: { A: "{{WITHDRAWN}}" } } } },
        ],
      },
    });
    const answer = await api.post({}, {}, `/api/v1/agents/${id}/calls`);
    expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    expect(errorOf(answer).message).toContain("/callSettings/selectedTools/0/definition/http/headers/A");
  });
});
