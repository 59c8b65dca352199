import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import type { CallId } from "../../../src/core/ids.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { TURNS } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";

const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

async function create(changes: object = {}): Promise<{ id: CallId; tokenHash: string }> {
  const answer = await api.post({ ...MINIMAL_CALL, greeting: "Good evening.", ...changes });
  const { id, websocketUrl } = answer.body as { id: CallId; websocketUrl: string };
  return { id, tokenHash: hashSecret(websocketUrl.split("/").at(-1) ?? "") };
}

const endOf = (durationMs: number) =>
  ({ status: "ended", endReason: "agent_hangup", endedAtMs: api.clock.epochMs(), durationMs, turns: TURNS }) as const;

/** An ended call of five seconds that was recorded. */
async function ended(changes: object = {}): Promise<string> {
  const { id, tokenHash } = await create(changes);
  api.clock.advance(1_000);
  await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  api.clock.advance(5_000);
  await api.stores.calls.finish(id, { ...endOf(5_000.25), counters: { malformed: 1 } });
  await api.stores.calls.setRecording(id, RECORDING);
  return id;
}

describe("GET /calls/{id}", () => {
  test("shows a new call with its configuration, and without its prompt and greeting", async () => {
    const { id } = await create({
      metadata: { order: 17 },
      selectedTools: [{ toolName: "hang_up" }],
      temperature: 0.2,
    });
    const answer = await api.get(`/api/v1/calls/${id}`);
    expect(answer.body).toEqual({
      id,
      agentId: null,
      agentVersion: null,
      variables: null,
      status: "created",
      connectionType: "carrier_a",
      createdAt: "2026-01-01T00:00:00.000Z",
      startedAt: null,
      endedAt: null,
      durationMs: null,
      heldSince: null,
      endReason: null,
      carrierCallId: null,
      phone: null,
      parameters: null,
      configuration: {
        voice: "fake/en-us",
        language: "en-US",
        languagePinned: false,
        model: "model_b",
        temperature: 0.2,
        firstSpeaker: "agent",
        interruptible: false,
        maxDuration: 3_000,
        inactivityTimeout: 30,
        inactivityAction: "prompt",
        maxCost: null,
        recordingEnabled: true,
        transcriptEnabled: true,
        useParameters: false,
        redact: [],
        analysis: null,
        websocket: null,
        selectedTools: [{ toolName: "hang_up" }],
      },
      metadata: { order: 17 },
      recording: null,
      recordingDeletedAt: null,
      transcriptDeletedAt: null,
      redaction: null,
      recordingPauses: null,
      analysis: null,
      transcriptComplete: null,
      counters: null,
      latency: null,
      network: null,
      usage: null,
      cost: null,
    });
  });

  test("shows how a call ended", async () => {
    const answer = await api.get(`/api/v1/calls/${await ended()}`);
    expect(answer.body).toMatchObject({
      status: "ended",
      startedAt: "2026-01-01T00:00:01.000Z",
      endedAt: "2026-01-01T00:00:06.000Z",
      durationMs: 5_000.25,
      endReason: "agent_hangup",
      recording: RECORDING,
      counters: { malformed: 1 },
      metadata: null,
    });
  });
});

describe("the network of a call", () => {
  test("is in the record of one that had RTP, and null is what was not measured", async () => {
    const { id, tokenHash } = await create({});
    await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    await api.stores.calls.finish(id, { ...endOf(1), network: { lossInPercent: 0.41, jitterInMs: 4.2 } });
    const network = {
      ...{ lossInPercent: 0.41, lossOutPercent: null },
      ...{ jitterInMs: 4.2, jitterOutMs: null, roundTripMs: null },
    };
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ network });
  });
});

describe("the parameters of a start", () => {
  test("are in the record, beside the metadata of the request, and the configuration says whether they are used", async () => {
    const { id, tokenHash } = await create({ metadata: { order: "of the request" }, useParameters: true });
    await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    const parameters = { order: "of the start", constructor: "x", toString: "y" };
    await api.stores.calls.finish(id, { ...endOf(1), parameters });
    const { body } = await api.get(`/api/v1/calls/${id}`);
    expect(body).toMatchObject({ parameters, metadata: { order: "of the request" } });
    expect(body).toMatchObject({ configuration: { useParameters: true } });
    expect((await api.get("/api/v1/calls")).body).toMatchObject({ data: [{ id, parameters }] });
  });
});

describe("GET /calls/{id}/transcript", () => {
  test("F14-2: marks a turn whose end is an estimate", async () => {
    const { id, tokenHash } = await create();
    await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    const turn = {
      role: "agent",
      text: "We are",
      startMs: callMs(1),
      endMs: callMs(2),
      interrupted: true,
      approximate: true,
    } as const;
    const end = { status: "ended", endReason: "caller_hangup", endedAtMs: api.clock.epochMs(), durationMs: 1 } as const;
    await api.stores.calls.finish(id, { ...end, turns: [turn] });
    expect((await api.get(`/api/v1/calls/${id}/transcript`)).body).toEqual({ data: [turn], nextCursor: null });
  });

  test("gives the turns as they were heard; none before the call has ended", async () => {
    const { id } = await create();
    expect((await api.get(`/api/v1/calls/${id}/transcript`)).body).toEqual({ data: [], nextCursor: null });
    expect((await api.get(`/api/v1/calls/${await ended()}/transcript`)).body).toEqual({
      data: TURNS,
      nextCursor: null,
    });
  });

  test("gives times without words with transcriptEnabled false", async () => {
    const answer = await api.get(`/api/v1/calls/${await ended({ transcriptEnabled: false })}/transcript`);
    expect(answer.body).toEqual({ data: TURNS.map(({ text: _, ...turn }) => turn), nextCursor: null });
  });
});

test("A2: another account's call gets exactly the response of an unknown one", async () => {
  const id = await ended();
  const otherAccountId = await api.stores.accounts.ensure("second");
  const { key } = await api.stores.apiKeys.create({ accountId: otherAccountId, name: "other" });
  const unknown = "call_01990000-0000-7000-8000-000000000000";
  for (const rest of ["", "/transcript", "/recording"]) {
    const [theirs, none] = [
      await api.get(`/api/v1/calls/${id}${rest}`, { "x-api-key": key }),
      await api.get(`/api/v1/calls/${unknown}${rest}`, { "x-api-key": key }),
    ];
    expect([theirs.status, none.status]).toEqual([404, 404]);
    expect({ ...errorOf(theirs), requestId: "" }).toEqual({ ...errorOf(none), requestId: "" });
  }
});
