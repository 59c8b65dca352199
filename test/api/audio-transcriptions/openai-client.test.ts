import { createReadStream, readdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TRANSCRIPTION_POLL_MS } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { ANY_BATCH_PROVIDER } from "../../support/api/any-batch-provider.ts";
import { formOf, postForm } from "../../support/api/forms.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { FAILURE, RESULT } from "../../support/transcriptions/stored.ts";

const PATH = "/api/v1/audio/transcriptions";

let api: ApiUnderTest;
let file: string;
/** What becomes of each transcription that is created. */
let end: (id: never) => Promise<unknown>;

beforeEach(async () => {
  api = await apiUnderTest();
  file = join(api.directory, "speech.wav");
  writeFileSync(file, "RIFF and some audio");
  end = (id) => api.stores.transcriptions.end(id, { status: "completed", result: RESULT });
  const { create } = api.stores.transcriptions;
  vi.spyOn(api.stores.transcriptions, "create").mockImplementation(async (transcription) => {
    const created = await create.call(api.stores.transcriptions, transcription);
    setImmediate(() => void end(created.id as never));
    return created;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await api.close();
});

async function client(apiKey = api.key): Promise<OpenAI> {
  if (api.app.server.address() === null) await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  return new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${port}/api/v1`, maxRetries: 0 });
}
const audio = () => createReadStream(file);
/** Neither a record nor a file is left. */
const nothingIsLeft = async (): Promise<void> => {
  expect((await api.stores.transcriptions.list({ accountId: api.accountId, limit: 1 })).transcriptions).toEqual([]);
  expect(readdirSync(join(api.directory, "transcriptions"))).toEqual([]);
};

describe("the official client of OpenAI with another base URL", () => {
  test("gets the text, from a streamed file, and nothing is left of it", async () => {
    const answer = await (await client()).audio.transcriptions.create({ file: audio(), model: "whisper-1" });
    expect(answer).toEqual({ text: RESULT.text });
    await nothingIsLeft();
  });

  test("gets text and subtitles", async () => {
    const { audio: api_ } = await client();
    const as = async (response_format: "text" | "srt" | "vtt") =>
      await api_.transcriptions.create({ file: audio(), model: "whisper-1", response_format });
    expect(await as("text")).toMatch(/^good evening/);
    expect(await as("srt")).toMatch(/^1\r?\n00:00:00,100 --> /);
    expect(await as("vtt")).toMatch(/^WEBVTT/);
  });

  test("gets words and segments with their times in seconds", async () => {
    const answer = await (await client()).audio.transcriptions.create({
      ...{ file: audio(), model: "whisper-1", response_format: "verbose_json", language: "en", temperature: 0.2 },
      timestamp_granularities: ["word", "segment"],
    });
    expect(answer).toMatchObject({
      language: "english",
      duration: 2.5005,
      text: "good evening",
      words: [
        { word: "good", start: 0.1, end: 0.3 },
        { word: "evening", start: 0.35, end: 0.8 },
      ],
      segments: [{ id: 0, start: 0.1, end: 0.8, text: "good evening", tokens: [] }],
    });
  });

  test("hands the prompt and the model on", async () => {
    const openai = await client();
    await openai.audio.transcriptions.create({ file: audio(), model: "any", prompt: "ZyntriQix, Digique Plus" });
    expect(api.stores.transcriptions.create).toHaveBeenCalledWith(
      expect.objectContaining({
        deletesAudio: true,
        metadata: { model: "any" },
        options: expect.objectContaining({ vocabulary: ["ZyntriQix", "Digique Plus"] }),
      }),
    );
  });

  test.each([
    ["stream", { stream: true }, "stream"],
    ["log probabilities", { include: ["logprobs"] }, "include"],
    ["an unknown format", { response_format: "diarized_json" }, "response_format"],
    ["a wrong temperature", { temperature: 3 }, "temperature"],
    ["granularities without verbose_json", { timestamp_granularities: ["word"] }, "timestamp_granularities"],
    ["an unknown language", { language: "tlh" }, "language"],
  ])("is refused with the parameter: %s", async (_, more, param) => {
    const asked = (await client()).audio.transcriptions.create({ file: audio(), model: "whisper-1", ...more } as never);
    await expect(asked).rejects.toMatchObject({ status: 400, param, type: "invalid_request_error" });
    await nothingIsLeft();
  });

  test("learns why a file could not be transcribed, or that the service could not", async () => {
    const openai = await client();
    const create = () => openai.audio.transcriptions.create({ file: audio(), model: "whisper-1" });
    end = (id) => api.stores.transcriptions.end(id, { status: "failed", failure: FAILURE });
    await expect(create()).rejects.toMatchObject({ status: 400, message: expect.stringContaining(FAILURE.message) });
    for (const [code, status] of [
      ["provider_failed", 503],
      ["transcriber_died", 503],
      ["abandoned", 503],
      ["internal", 500],
    ] as const) {
      const failure = { code, message: "it was not transcribed" };
      end = (id) => api.stores.transcriptions.end(id, { status: "failed", failure });
      await expect(create()).rejects.toMatchObject({ status, type: "server_error" });
    }
    await nothingIsLeft();
  });

  test("gets its answer even where the transcription cannot be deleted", async () => {
    vi.spyOn(api.stores.transcriptions, "remove").mockRejectedValue(new Error("no disk"));
    const answer = await (await client()).audio.transcriptions.create({ file: audio(), model: "whisper-1" });
    expect(answer).toEqual({ text: RESULT.text });
    expect(api.logged.join("")).toContain("an answered transcription could not be deleted");
  });

  test("is refused with a wrong API key", async () => {
    const asked = (await client("wrong")).audio.transcriptions.create({ file: audio(), model: "whisper-1" });
    await expect(asked).rejects.toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("that goes away cancels its transcription, of which nothing is left", async () => {
    let cancelled: unknown;
    end = async () => {};
    api.stores.transcriptions.onOver((_id, transcription) => {
      cancelled ??= transcription?.status;
    });
    const abort = new AbortController();
    const asked = (await client()).audio.transcriptions.create(
      { file: audio(), model: "whisper-1" },
      { signal: abort.signal },
    );
    await vi.waitFor(() => expect(api.stores.transcriptions.create).toHaveBeenCalled());
    abort.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitFor(() => expect(cancelled).toBe("cancelled"));
    await vi.waitFor(nothingIsLeft);
  });

  test("waits for a transcription that another process ends", async () => {
    const before = api.stores.transcriptions.get.bind(api.stores.transcriptions);
    let looksUp = 0;
    // The end is not reported to this store's listeners: only a look-up finds it.
    end = async () => {};
    vi.spyOn(api.stores.transcriptions, "get").mockImplementation(async (accountId, id) => {
      looksUp += 1;
      const found = await before(accountId, id);
      return looksUp < 3 ? found : found && { ...found, status: "completed", endedAtMs: api.clock.epochMs() };
    });
    vi.spyOn(api.stores.transcriptions, "result").mockImplementation(async () => RESULT);
    const asked = (await client()).audio.transcriptions.create({ file: audio(), model: "whisper-1" });
    for (let polls = 1; polls < 3; polls += 1) {
      await vi.waitFor(() => expect(looksUp).toBe(polls));
      await new Promise((resolve) => setImmediate(resolve));
      api.clock.advance(TRANSCRIPTION_POLL_MS);
    }
    expect(await asked).toEqual({ text: RESULT.text });
  });
});

describe("the API key of POST /audio/transcriptions", () => {
  async function post(headers: Record<string, string>): Promise<{ status: number; body: unknown }> {
    const { baseURL } = await client();
    const form = formOf([
      ["model", "x"],
      ["file", "audio", "a.wav"],
    ]);
    const answer = await fetch(`${baseURL}/audio/transcriptions`, {
      method: "POST",
      headers: { ...form.headers, ...headers },
      body: new Uint8Array(form.body),
    });
    return { status: answer.status, body: await answer.json() };
  }

  test("may be in X-API-Key, or as Bearer, or the same in both", async () => {
    const [own, bearer] = [{ "x-api-key": api.key }, { authorization: `Bearer ${api.key}` }];
    for (const headers of [own, bearer, { ...own, ...bearer }]) expect((await post(headers)).status).toBe(200);
  });

  test("must not differ between the two, nor have another scheme", async () => {
    for (const authorization of ["Bearer another", `Basic ${api.key}`]) {
      const answer = await post({ "x-api-key": api.key, authorization });
      expect([answer.status, answer.body]).toMatchObject([401, { error: { code: "unauthorized", param: null } }]);
    }
  });

  test("is not read as Bearer anywhere else", async () => {
    const headers = { authorization: `Bearer ${api.key}` };
    for (const url of ["/api/v1/calls", "/api/v1/transcriptions", "/api/v1/account"]) {
      expect((await api.app.inject({ url, headers })).statusCode).toBe(401);
    }
  });
});

test("without FFmpeg a file that is no WAV file is 415 in OpenAI's shape", async () => {
  await api.close();
  api = await apiUnderTest(undefined, { hasFfmpeg: false });
  const parts = [
    ["model", "x"],
    ["file", "ID3 and the rest of an MP3 file", "a.mp3"],
  ] as const;
  const refused = await postForm(api, parts, {}, PATH);
  expect([refused.status, refused.body]).toMatchObject([415, { error: { code: "unsupported_media_type" } }]);
  await nothingIsLeft();
});

test("other bodies, and what no provider can, are errors in OpenAI's shape", async () => {
  const answer = await api.post({}, {}, PATH);
  expect([answer.status, answer.body]).toEqual([
    415,
    {
      error: {
        message: "the body must be sent as multipart/form-data, without a Content-Encoding",
        type: "invalid_request_error",
        param: null,
        code: "unsupported_media_type",
      },
    },
  ]);
  await api.close();
  const weak = { ...ANY_BATCH_PROVIDER, detectsLanguage: false, servesLanguage: () => false };
  api = await apiUnderTest(undefined, { batchCapabilities: async () => weak });
  const refused = await postForm(
    api,
    [
      ["model", "x"],
      ["file", "audio", "a.wav"],
    ],
    {},
    PATH,
  );
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { error: { param: "language", code: "unknown_language" } },
  ]);
});
