import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, errorOf } from "../../../support/api/harness.ts";
import { Scene } from "../../../support/api/scene.ts";

let scene: Scene;
let api: ApiUnderTest;
beforeEach(async () => {
  scene = await Scene.make();
  api = scene.api;
});
afterEach(() => api.close());

const listen = (id: string, key = api.key) => api.post({}, { "x-api-key": key }, `/api/v1/calls/${id}/listen`);
const audited = async () =>
  (await api.stores.audit.list(api.accountId, { action: "call.listened", limit: 10 })).events.map(
    ({ action, target, actor, requestId }) => ({ action, target, actor, hasRequest: requestId !== undefined }),
  );

describe("POST /calls/{id}/listen", () => {
  test("answers with an address of the call's worker and until when it is good, and the audit log has who asked", async () => {
    const id = await scene.active();
    api.state.listenAnswer = { kind: "address", url: "wss://media.test/stream/l_secret", validMs: 60_000 };
    const answer = await listen(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      url: "wss://media.test/stream/l_secret",
      expiresAt: new Date(Number(api.clock.epochMs()) + 60_000).toISOString(),
    });
    expect(await audited()).toEqual([
      {
        action: "call.listened",
        target: { kind: "call", id },
        actor: { kind: "api_key", id: api.apiKeyId },
        hasRequest: true,
      },
    ]);
    expect(JSON.stringify(api.logged)).not.toContain("l_secret");
  });

  test("refuses calls whose audio may not be recorded, and those that are redacted, before a worker is asked", async () => {
    for (const settings of [{ recordingEnabled: false }, { redact: ["card_number"] }]) {
      const answer = await listen(await scene.active(settings));
      expect([answer.status, errorOf(answer).code]).toEqual([403, "listening_not_allowed"]);
    }
    expect((await listen(await scene.active({ transcriptEnabled: false }))).status).toBe(200);
    expect(await audited()).toHaveLength(1);
  });

  test("refuses calls that are not live, and one listener too many", async () => {
    for (const id of [await scene.created(), await scene.ended()]) {
      const answer = await listen(id);
      expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    }
    const id = await scene.active();
    for (const reason of ["not_live", "too_many_listeners"] as const) {
      api.state.listenAnswer = { kind: "refused", reason };
      expect((await listen(id)).status).toBe(409);
    }
    api.state.listenAnswer = { kind: "refused", reason: "unavailable" };
    expect((await listen(id)).status).toBe(503);
    api.state.workerIsAway = true;
    expect((await listen(id)).status).toBe(503);
    expect(await audited()).toEqual([]);
  });

  test("does not know the calls of other accounts, and needs the scope calls", async () => {
    const id = await scene.active();
    expect((await listen(id, await scene.keyWith(["read", "write", "admin"]))).status).toBe(403);
    const other = await api.stores.accounts.ensure("other");
    const { key } = await api.stores.apiKeys.create({ accountId: other, name: "other", scopes: ["calls"] });
    expect((await listen(id, key)).status).toBe(404);
  });

  test("gives no address that the audit log does not have", async () => {
    const id = await scene.active();
    api.stores.audit.append = () => Promise.reject(new Error("the disk is full"));
    const answer = await listen(id);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("l_secret");
  });
});
