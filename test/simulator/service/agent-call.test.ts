import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TrunklineClient } from "#client";
import { createAgentCall } from "../../../src/simulator/service/api-calls.ts";

const VARIABLES = [
  { name: "customer", type: "string" },
  { name: "loaves", type: "number" },
  { name: "paid", type: "boolean" },
];
const AGENT = { variables: [], draftVersion: 3 };

let server: Server;
let api: TrunklineClient;
let requests: { path: string; body: unknown }[];
beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (data) => {
      text += data;
    });
    request.on("end", () => {
      const path = request.url ?? "";
      requests.push({ path, body: text === "" ? undefined : JSON.parse(text) });
      const answer = path.includes("/versions/") ? { variables: VARIABLES } : AGENT;
      response.end(JSON.stringify(path.endsWith("/calls") ? { id: "call_1", websocketUrl: "ws://x/" } : answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  api = new TrunklineClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key" });
});
afterEach(() => {
  server.close();
});

test("values are sent in the types that the version of the agent declares; others stay texts", async () => {
  const variables = { customer: "7", loaves: "2.5", paid: "true", unknown: "1" };
  const line = { wire: "carrier_b", parameters: { order: "A-17" } } as const;
  expect(await createAgentCall(api, { id: "agent_1", version: 2, variables, line })).toMatchObject({ id: "call_1" });
  expect(requests.map(({ path }) => path)).toEqual([
    "/api/v1/agents/agent_1",
    "/api/v1/agents/agent_1/versions/2",
    "/api/v1/agents/agent_1/calls",
  ]);
  expect(requests.at(-1)?.body).toEqual({
    connectionType: "carrier_b",
    version: 2,
    variables: { customer: "7", loaves: 2.5, paid: true, unknown: "1" },
  });
  await createAgentCall(api, { id: "agent_1", version: "draft", variables: { loaves: "two", paid: "1" }, line });
  expect(requests.at(-2)?.path).toBe("/api/v1/agents/agent_1/versions/3");
  expect(requests.at(-1)?.body).toMatchObject({ version: "draft", variables: { loaves: "two", paid: "1" } });
});

test("without a version the variables are those of the live one", async () => {
  await createAgentCall(api, { id: "a/b", variables: {}, line: { wire: "carrier_a" } });
  expect(requests.map(({ path }) => path)).toEqual(["/api/v1/agents/a%2Fb", "/api/v1/agents/a%2Fb/calls"]);
  expect(requests.at(-1)?.body).toEqual({ connectionType: "carrier_a", variables: {} });
});
