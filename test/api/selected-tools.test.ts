import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashSecret } from "../../src/store/secrets.ts";
import { by } from "../support/tokens.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, LEAST, pathsOf } from "./harness.ts";

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

const create = (selectedTools: unknown, more: object = {}) => api.post({ ...LEAST, selectedTools, ...more });

/** What the gateway is given. */
async function toolsOf({ body }: Answer) {
  const token = (body as { websocketUrl: string }).websocketUrl.slice(-64);
  return (await api.stores.redemptions.redeem(hashSecret(token), by("worker-1")))?.spec.tools;
}

describe("the tools of a call", () => {
  test("of every kind go to the gateway as they were defined, with secrets by their names", async () => {
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
      { kind: "built_in", name: "switch_language", fixedArguments: {} },
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

  test("of a client need a websocket, and keys a carrier that can press them: the answer names it", async () => {
    const answer = await create([CLIENT_TOOL]);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/connectionType"]]);
    expect(errorOf(answer).message).toBe('connectionType must be websocket with the tool show, not "carrier_a"');
    const keys = [{ toolName: "send_dtmf", parameterOverrides: { digits: "123#" } }];
    for (const connectionType of ["carrier_a", "carrier_b", "websocket"]) {
      expect(errorOf(await create(keys, { connectionType })).message).toBe(
        `connectionType must be carrier_c with the tool send_dtmf, not "${connectionType}"`,
      );
    }
    expect((await create(keys, { connectionType: "carrier_c" })).status).toBe(201);
  });

  test("have names of their own", async () => {
    const again = { definition: { ...HTTP_TOOL.definition, name: "switch_language" } };
    const answer = await create([HTTP_TOOL, { toolName: "switch_language" }, HTTP_TOOL, again]);
    expect(pathsOf(answer)).toEqual(["/selectedTools/2/definition/name", "/selectedTools/3/definition/name"]);
  });

  test("name secrets that there are; what is not one is told by its name alone", async () => {
    const headers = { A: "{{NO_SUCH}}", B: "canary\r\n", Host: "canary", C: "{{SHOP_TOKEN}}" };
    const answer = await create([{ definition: { ...HTTP_TOOL.definition, http: { ...HTTP, headers } } }]);
    const at = "/selectedTools/0/definition/http/headers";
    expect(pathsOf(answer)).toEqual([`${at}/A`, `${at}/B`, `${at}/Host`]);
    expect(answer.text).toContain("NO_SUCH");
    expect(answer.text).not.toContain("canary");
  });

  test("are all looked at, whatever else is wrong with the request", async () => {
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

  test("may be overridden in what they take, and in nothing else", async () => {
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

describe("S6: this machine", () => {
  test("may be called where the installation allows it", async () => {
    const http = { method: "GET", url: "http://localhost:3000/{order}" };
    const tools = [{ definition: { ...HTTP_TOOL.definition, http } }];
    expect((await create(tools)).status).toBe(400);
    const open = await apiUnderTest(undefined, { toolsAllowLoopback: true });
    expect((await open.post({ ...LEAST, selectedTools: tools })).status).toBe(201);
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

  test("ask for a transport only when there is a call", async () => {
    const { id } = (await save([CLIENT_TOOL])).body as { id: string };
    const path = `/api/v1/agents/${id}/calls`;
    expect(pathsOf(await api.post({}, {}, path))).toEqual(["/connectionType"]);
    expect((await api.post({ connectionType: "websocket" }, {}, path)).status).toBe(201);
  });

  test("that need what is gone are a conflict", async () => {
    const { id } = await api.stores.agents.create(api.accountId, {
      ...{ ...AGENT, context: "", customInstructions: "", toolIds: [], corpusIds: [] },
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
