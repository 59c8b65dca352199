import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asCallId, asTranscriptionId } from "../../../src/core/ids.ts";
import { LIVE_END_MS_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";
import { RESULT } from "../../support/transcriptions/stored.ts";

const BASE = "/api/v1";
const PATH = `${BASE}/transcriptions/live`;
const LIVE = { language: "en-US" };

interface Created {
  id: string;
  websocketUrl: string;
  createdAt: string;
  expiresAt: string;
}

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const post = (body: unknown, headers: Record<string, string> = {}) => api.post(body, headers, PATH);
const create = async (body: unknown = LIVE): Promise<Created> => (await post(body)).body as Created;
const connect = async ({ websocketUrl }: Created) =>
  await api.stores.redemptions.redeem(hashSecret(websocketUrl.split("/").at(-1) ?? ""), redeemedBy("worker-1"));
const finish = ({ id }: Pick<Created, "id">) =>
  api.stores.calls.finish(asCallId(id), {
    ...{ status: "ended", endReason: "caller_hangup", endedAtMs: api.clock.epochMs(), durationMs: 5_000, turns: [] },
    transcription: { status: "completed", result: RESULT },
  });

describe("POST /transcriptions/live", () => {
  test("answers with the address of the stream and how long it is valid", async () => {
    const answer = await post({ ...LIVE, metadata: { meeting: "A-17" } });
    expect(answer.status).toBe(201);
    const { id, websocketUrl, createdAt, expiresAt } = answer.body as Created;
    expect(id).toMatch(/^transcription_[0-9a-f-]{36}$/);
    expect(answer.headers.location).toBe(`${BASE}/transcriptions/${id}`);
    expect(websocketUrl).toMatch(/^wss:\/\/media\.test\/stream\/[A-Za-z0-9_-]{64}$/);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(60_000);
    expect((await api.get(`${BASE}/transcriptions/${id}`)).body).toMatchObject({
      id,
      status: "queued",
      source: "live",
      metadata: { meeting: "A-17" },
      hasAudio: false,
      options: { language: "en-US", channels: "mix", timestamps: "word", speakers: false, vocabulary: [] },
      result: null,
    });
    expect(api.logged.filter((line) => line.includes('"msg":"transcription created"'))).toHaveLength(1);
    expect(api.logged.filter((line) => line.includes('"msg":"call created"'))).toEqual([]);
  });

  test.each([
    [{}, { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 }],
    [{ codec: "mulaw" }, { codec: "mulaw", inputRateHz: 8_000, outputRateHz: 8_000 }],
    [
      { codec: "opus", inputSampleRate: 48_000 },
      { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 },
    ],
  ])("makes a call that only transcribes, with the format %j", async (websocket, format) => {
    const created = await create({ language: "EN-us", websocket, maxDuration: 7_200 });
    expect(await connect(created)).toMatchObject({
      callId: created.id,
      spec: {
        mode: "transcription",
        language: "en-US",
        languagePinned: true,
        connectionType: "websocket",
        websocket: format,
        maxDurationMs: 7_200_000,
        recordingEnabled: false,
        transcriptEnabled: true,
      },
    });
  });

  test("is done once for an Idempotency-Key, which a call cannot have at the same time", async () => {
    const headers = { "idempotency-key": "meeting-17" };
    const first = await post(LIVE, headers);
    const second = await post(LIVE, headers);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(second.body).toEqual(first.body);
    const other = await post({ ...LIVE, maxDuration: 60 }, headers);
    expect([other.status, errorOf(other).code]).toEqual([409, "idempotency_mismatch"]);
  });

  test("reports all errors together", async () => {
    const answer = await post({
      ...{ language: "xx", websocket: { codec: "alaw", inputSampleRate: 16_000 }, maxDuration: 1, redact: true },
      ...{ vocabulary: ["Lario’s"], metadata: [], recordingEnabled: true },
    });
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    expect(pathsOf(answer)).toEqual(
      [
        ...["/language", "/maxDuration", "/metadata", "/recordingEnabled", "/redact", "/vocabulary"],
        "/websocket/inputSampleRate",
      ].sort(),
    );
  });

  test("detection of the language is refused in words that say what it is for", async () => {
    expect(errorOf(await post({ language: "auto" })).message).toContain("`auto` is for files");
  });

  test.each([
    ["no language", {}, "invalid_request"],
    ["an unknown language", { language: "tlh" }, "unknown_language"],
    ["detection", { language: "auto" }, "unknown_language"],
    ["a vocabulary", { ...LIVE, vocabulary: ["Lario’s"] }, "invalid_request"],
    ["an unknown kind of redaction", { ...LIVE, redact: ["pii"] }, "invalid_request"],
    ["redaction of variables, which it has none of", { ...LIVE, redact: ["variables"] }, "invalid_request"],
    ["a rate of no codec", { ...LIVE, websocket: { inputSampleRate: 11_025 } }, "invalid_request"],
  ])("%s is 400", async (_, body, code) => {
    const answer = await post(body);
    expect([answer.status, errorOf(answer).code]).toEqual([400, code]);
  });

  test("what is not kept is an option of its record, once, and of the call that it is", async () => {
    const created = await create({ ...LIVE, redact: ["card_number", "email", "card_number"] });
    const redact = ["card_number", "email"];
    expect((await api.get(`${BASE}/transcriptions/${created.id}`)).body).toMatchObject({ options: { redact } });
    expect(await api.stores.calls.isRedacted(asCallId(created.id))).toBe(true);
    expect(await connect(created)).toMatchObject({ spec: { redact } });
    const other = await create({ ...LIVE, redact: [] });
    expect((await api.get(`${BASE}/transcriptions/${other.id}`)).body).toMatchObject({ options: { redact: [] } });
    expect(await api.stores.calls.isRedacted(asCallId(other.id))).toBe(false);
  });

  test("an empty vocabulary is none", async () => {
    expect((await post({ ...LIVE, vocabulary: [] })).status).toBe(201);
  });

  test("is refused as a call is: 503 while there are no slots, 429 at the account's limits", async () => {
    api.state.admit = () => "overloaded";
    const full = await post(LIVE);
    expect([full.status, errorOf(full).code]).toEqual([503, "overloaded"]);
    api.state.admit = () => "account_calls";
    const limited = await post(LIVE);
    expect([limited.status, errorOf(limited).code]).toEqual([429, "rate_limited"]);
  });
});

describe("a live transcription", () => {
  test("is no call: not in the list, and 404 as one", async () => {
    const created = await create();
    await connect(created);
    expect((await api.get(`${BASE}/calls`)).body).toMatchObject({ data: [] });
    for (const path of ["", "/transcript", "/events", "/recording"])
      expect((await api.get(`${BASE}/calls/${created.id}${path}`)).status).toBe(404);
    for (const path of ["end", "hold", "resume"])
      expect((await api.post({}, {}, `${BASE}/calls/${created.id}/${path}`)).status).toBe(404);
    expect((await api.delete(`${BASE}/calls/${created.id}`)).status).toBe(404);
    expect(api.endRequests).toEqual([]);
  });

  test("shows its state from its stream to its result", async () => {
    const created = await create();
    await connect(created);
    const path = `${BASE}/transcriptions/${created.id}`;
    expect((await api.get(path)).body).toMatchObject({ status: "processing", startedAt: expect.any(String) });
    await finish(created);
    expect((await api.get(path)).body).toMatchObject({ status: "completed", result: RESULT });
    expect((await api.get(`${path}?format=text`)).text).toContain("good evening");
    expect((await api.get(`${BASE}/transcriptions?source=live`)).body).toMatchObject({ data: [{ id: created.id }] });
  });

  test("is cancelled at once before its stream connects, whose address is then invalid", async () => {
    const created = await create();
    const answer = await api.post({}, {}, `${BASE}/transcriptions/${created.id}/cancel`);
    expect([answer.status, answer.body]).toMatchObject([200, { status: "cancelled" }]);
    expect(await connect(created)).toBeUndefined();
  });

  test("is ended by its worker where its stream has connected", async () => {
    const created = await create();
    await connect(created);
    const answer = await api.post({}, {}, `${BASE}/transcriptions/${created.id}/cancel`);
    expect([answer.status, answer.body]).toMatchObject([202, { status: "processing" }]);
    expect(api.endRequests).toEqual([{ workerId: "worker-1", callId: created.id }]);
    await finish(created);
    const again = await api.post({}, {}, `${BASE}/transcriptions/${created.id}/cancel`);
    expect([again.status, again.body]).toMatchObject([200, { status: "completed" }]);
    api.state.workerIsAway = true;
    const other = await create();
    await connect(other);
    expect((await api.post({}, {}, `${BASE}/transcriptions/${other.id}/cancel`)).status).toBe(503);
  });

  test("is deleted with its call, in any state", async () => {
    const [waiting, over] = [await create(), await create()];
    await connect(over);
    await finish(over);
    for (const { id } of [waiting, over]) {
      expect((await api.delete(`${BASE}/transcriptions/${id}`)).status).toBe(204);
      expect(await api.stores.calls.get(api.accountId, asCallId(id))).toBeUndefined();
      expect(await api.stores.transcriptions.get(api.accountId, asTranscriptionId(id))).toBeUndefined();
    }
    expect(await connect(waiting)).toBeUndefined();
  });

  test("is ended first when it is deleted while it is live", async () => {
    const created = await create();
    await connect(created);
    const answer = api.delete(`${BASE}/transcriptions/${created.id}`);
    await expect.poll(() => api.endRequests).toHaveLength(1);
    await finish(created);
    expect((await answer).status).toBe(204);
    expect((await api.get(`${BASE}/transcriptions/${created.id}`)).status).toBe(404);
  });

  test("stays where its worker does not end it in time", async () => {
    const created = await create();
    await connect(created);
    const answer = api.delete(`${BASE}/transcriptions/${created.id}`);
    await expect.poll(() => api.endRequests).toHaveLength(1);
    api.clock.advance(LIVE_END_MS_MAX);
    expect([(await answer).status, errorOf(await answer).code]).toEqual([409, "conflict"]);
    expect((await api.get(`${BASE}/transcriptions/${created.id}`)).body).toMatchObject({ status: "processing" });
  });
});
