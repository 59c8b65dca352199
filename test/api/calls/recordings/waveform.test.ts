import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PeakMeter, waveformPath } from "../../../../src/record/recording/waveform.ts";
import { type ApiUnderTest, errorOf } from "../../../support/api/harness.ts";
import { Scene } from "../../../support/api/scene.ts";

let scene: Scene;
let api: ApiUnderTest;
beforeEach(async () => {
  scene = await Scene.make();
  api = scene.api;
});
afterEach(() => api.close());

const get = (id: string, query = "", headers = {}) => api.get(`/api/v1/calls/${id}/waveform${query}`, headers);

describe("GET /calls/{id}/waveform", () => {
  test("answers with the peaks of both sides in as many buckets as are asked for", async () => {
    const id = await scene.ended();
    const meter = new PeakMeter(1_600, 8_000);
    meter.take(Int16Array.from({ length: 3_200 }, (_, i) => (i % 2 === 0 ? i : -100)));
    await meter.write({ path: waveformPath(api.recordingPath(id)), key: undefined });
    const two = await get(id, "?buckets=2");
    expect([two.status, two.body]).toEqual([200, { bucketMs: 100, caller: [1_598, 3_198], agent: [100, 100] }]);
    const all = (await get(id)).body as { bucketMs: number; caller: number[]; agent: number[] };
    expect([all.bucketMs, all.caller.length, all.agent.length]).toEqual([20, 10, 10]);
  });

  test("refuses fewer than 1 and more than 8,000 buckets, what is no number, and unknown parameters", async () => {
    const id = await scene.ended();
    for (const query of ["?buckets=0", "?buckets=8001", "?buckets=-1", "?buckets=1.5", "?buckets=", "?bucket=1"]) {
      const answer = await get(id, query);
      expect([query, answer.status]).toEqual([query, 400]);
    }
    expect((await get(id, "?buckets=8000")).status).toBe(200);
  });

  test("is 404 without a recording, and where its files cannot be read, without a path in the answer", async () => {
    for (const id of [await scene.active(), await scene.ended({ recordingEnabled: false })]) {
      expect(errorOf(await get(id)).message).toBe("no such recording");
    }
    const id = await scene.ended();
    const path = waveformPath(api.recordingPath(id));
    writeFileSync(path, "TLKW and nothing else");
    expect((await get(id)).status).toBe(404);
    rmSync(path);
    const answer = await get(id);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain(api.directory);
  });

  test("does not know the calls of other accounts", async () => {
    const id = await scene.ended();
    const accountId = await api.stores.accounts.ensure("other");
    const { key } = await api.stores.apiKeys.create({ accountId, name: "other", scopes: ["read"] });
    expect((await get(id, "", { "x-api-key": key })).status).toBe(404);
  });
});
