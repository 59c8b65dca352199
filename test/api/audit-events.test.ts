import { afterEach, beforeEach, expect, test } from "vitest";
import { existingId, openapiDocument, sendRequest } from "../support/api/requests.ts";
import { Scene } from "../support/api/scene.ts";

const AUDIT = "/api/v1/audit-events";

interface Item {
  id: string;
  actor: { kind: string; id: string };
  action: string;
  target: { kind: string; id: string };
  details: object;
  requestId: string | null;
}

/** Operations of the scopes `write` and `admin` that leave no event, each with the reason. */
const WITHOUT_EVENT: Readonly<Record<string, string>> = {
  replayWebhookDelivery: "it sends again what was sent before, and the deliveries show it",
  testTool: "it changes nothing of the account, and the runs of the tool show it",
  replayWebhook: "it sends again what was sent before, and the deliveries show it",
};

const document = await openapiDocument();
const ACTS = document.operations.filter(
  ({ method, scope = "" }) => method !== "GET" && method !== "HEAD" && ["write", "admin"].includes(scope),
);

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.make();
});
afterEach(() => scene.api.close());

async function events(query = "limit=100"): Promise<Item[]> {
  const answer = await scene.api.get(`${AUDIT}?${query}`);
  expect(answer.status).toBe(200);
  return (answer.body as { data: Item[] }).data;
}

test("there are acts to record, and every exception is one of them", () => {
  expect(ACTS.length).toBeGreaterThan(10);
  const ids = ACTS.map(({ operationId }) => operationId);
  expect(ids).toEqual(expect.arrayContaining(Object.keys(WITHOUT_EVENT)));
});

test.each(
  ACTS.map((operation) => [operation.operationId, operation] as const),
)("%s leaves one event with the API key and the request, and none when it is refused", async (operationId, operation) => {
  const { api } = scene;
  const given = await existingId(scene, operation);
  const before = await events();
  expect((await sendRequest(scene, operation, { ...given, query: "nonsense=1" })).status).toBe(400);
  expect((await sendRequest(scene, operation, { ...given, key: null })).status).toBe(401);
  expect(await events()).toEqual(before);
  const answer = await sendRequest(scene, operation, given);
  expect(Math.floor(answer.status / 100)).toBe(2);
  const added = (await events()).slice(0, -before.length || undefined);
  if (operationId in WITHOUT_EVENT) return expect(added).toEqual([]);
  const made = JSON.parse(answer.text || "{}");
  // Of a document `given.id` is its corpus.
  const id =
    (operationId.endsWith("Document") ? (made.id ?? given.others?.documentId) : undefined) ??
    given.id ??
    made.id ??
    made.data[0].id;
  expect(added).toEqual([
    expect.objectContaining({
      actor: { kind: "api_key", id: api.apiKeyId },
      target: { kind: expect.any(String), id },
      requestId: answer.headers["x-request-id"],
    }),
  ]);
  expect(added[0]?.action.split(".")[0]).toBe(added[0]?.target.kind);
});

test("the log is newest first, in pages, and filters find what matches", async () => {
  const agentId = await scene.agent();
  scene.api.clock.advance(1_000);
  const webhook = await scene.webhook();
  const [newest, ...older] = await events();
  expect([newest, ...older].slice(0, 3).map((event) => event?.action)).toEqual([
    "webhook.created",
    "agent.updated",
    "agent.created",
  ]);
  const ids = async (query: string): Promise<string[]> => (await events(query)).map(({ target }) => target.id);
  expect(await ids(`targetId=${agentId}`)).toEqual([agentId, agentId]);
  expect(await ids("action=webhook.created")).toEqual([webhook.id]);
  expect(await ids(`actorId=${scene.api.apiKeyId}`)).toEqual([webhook.id, agentId, agentId]);
  expect(await ids("actorKind=service")).toEqual([scene.api.apiKeyId]);
  expect(await ids("createdAfter=2026-01-01T00:00:01Z&targetKind=webhook")).toEqual([webhook.id]);
  expect(await ids("createdBefore=2026-01-01T00:00:01Z&targetKind=webhook")).toEqual([]);
  const first = (await scene.api.get(`${AUDIT}?limit=1`)).body as { data: Item[]; nextCursor: string };
  expect(await events(`cursor=${first.nextCursor}`)).toEqual(older);
  expect((await scene.api.get(`${AUDIT}?actorKind=user&cursor=${first.nextCursor}`)).status).toBe(400);
  for (const wrong of ["action=shrug", "actorKind=robot", "createdAfter=today", "targetKind=moon", "actor=1"]) {
    expect((await scene.api.get(`${AUDIT}?${wrong}`)).status).toBe(400);
  }
});

test("L1: neither secrets nor texts that somebody wrote are in the log", async () => {
  const { api } = scene;
  const canary = "canary7f3a";
  const secrets: string[] = [];
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await api.post(body, {}, path);
    expect(Math.floor(answer.status / 100)).toBe(2);
    const made = answer.body as { id: string; key?: string; secret?: string };
    secrets.push(...[made.key ?? [], made.secret ?? []].flat());
    return made;
  };
  const agent = { basePrompt: canary, context: canary, voiceId: "espeak/gmw/en-US", languageId: "en-US" };
  await post("/api/v1/agents", { ...agent, name: canary });
  const apiKey = await post("/api/v1/api-keys", { name: canary });
  await post(`/api/v1/api-keys/${apiKey.id}/rotate`, {});
  const url = `https://example.com/${canary}`;
  const webhook = await post("/api/v1/webhooks", { url, description: canary, eventTypes: ["call.ended"] });
  await post(`/api/v1/webhooks/${webhook.id}/rotate-secret`, {});
  const changes = { url, description: canary };
  const headers = { "x-api-key": api.key };
  await api.app.inject({ method: "PATCH", url: `/api/v1/webhooks/${webhook.id}`, headers, payload: changes });
  expect(secrets).toHaveLength(4);
  const log = JSON.stringify(await events());
  expect(log).toContain('"changed":["url","description"]');
  for (const secret of [api.key, canary, ...secrets]) expect(log).not.toContain(secret);
});
