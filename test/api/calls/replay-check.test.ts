import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { unavailable } from "../../../src/core/errors.ts";
import { journalUnreadable } from "../../../src/record/journal/records.ts";
import { type ApiUnderTest, errorOf } from "../../support/api/harness.ts";
import { Scene } from "../../support/api/scene.ts";

let scene: Scene;
let api: ApiUnderTest;
beforeEach(async () => {
  scene = await Scene.make();
  api = scene.api;
});
afterEach(() => api.close());

const get = (id: string) => api.get(`/api/v1/calls/${id}/replay-check`);

describe("GET /calls/{id}/replay-check", () => {
  test("says whether the journal gives the same commands again, and where not, by their kinds and without words", async () => {
    const id = await scene.ended();
    const answer = await get(id);
    expect(answer.status).toBe(200);
    const body = answer.body as { identical: boolean; difference: { journaled: string | null } | null };
    expect(body.identical).toBe(body.difference === null);
    expect(Object.keys(body.difference ?? { after: 1, atMs: 1, journaled: 1, replayed: 1 }).sort()).toEqual([
      "after",
      "atMs",
      "journaled",
      "replayed",
    ]);
  });

  test("is 409 for a call that is not over, or whose words are not in its journal", async () => {
    for (const id of [await scene.created(), await scene.active(), await scene.ended({ transcriptEnabled: false })]) {
      const answer = await get(id);
      expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    }
  });

  test("is 404 where there is no journal that can be read", async () => {
    const id = await scene.ended();
    writeFileSync(`${api.directory}/journals/${id}.tlj`, "no journal");
    const answer = await get(id);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain(api.directory);
    expect((await get("call_01990000-0000-7000-8000-000000000000")).status).toBe(404);
  });
});

test("a replay that takes too long is 503, and one that cannot be read is 404, whatever the reason", async () => {
  const failing = await Scene.make({ checkReplay: () => Promise.reject(unavailable("the replay was aborted")) });
  expect((await failing.api.get(`/api/v1/calls/${await failing.ended()}/replay-check`)).status).toBe(503);
  await failing.api.close();
  const unreadable = await Scene.make({ checkReplay: () => Promise.reject(journalUnreadable("it is gone")) });
  expect((await unreadable.api.get(`/api/v1/calls/${await unreadable.ended()}/replay-check`)).status).toBe(404);
  await unreadable.api.close();
});
