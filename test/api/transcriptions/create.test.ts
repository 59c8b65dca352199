import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asTranscriptionId } from "../../../src/core/ids.ts";
import { LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX } from "../../../src/core/limits/control-api/api.ts";
import { UPLOADS_PER_ACCOUNT_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { ANY_BATCH_PROVIDER } from "../../support/api/any-batch-provider.ts";
import { type FormPart, postForm } from "../../support/api/forms.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { Scene } from "../../support/api/scene.ts";

const PATH = "/api/v1/transcriptions";
const URL_BODY = { url: "https://example.com/meeting.mp3" };
const FILE: FormPart = ["file", Buffer.from("RIFF and some audio"), "meeting.wav"];

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const post = (body: unknown, headers: Record<string, string> = {}) => api.post(body, headers, PATH);
const upload = (parts: readonly FormPart[], headers: Record<string, string> = {}) => postForm(api, parts, headers);
const files = (): string[] => {
  const folder = join(api.directory, "transcriptions");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const idOf = ({ body }: Answer): string => (body as { id: string }).id;

describe("POST /transcriptions as JSON", () => {
  test("queues a transcription of a URL with its defaults", async () => {
    const answer = await post(URL_BODY);
    expect(answer.status).toBe(202);
    expect(answer.headers.location).toBe(`${PATH}/${idOf(answer)}`);
    expect(answer.body).toMatchObject({
      status: "queued",
      source: "url",
      url: URL_BODY.url,
      callId: null,
      options: { language: "auto", channels: "mix", timestamps: "word", speakers: false, vocabulary: [] },
      metadata: {},
      deleteAudio: false,
      progress: { doneSeconds: 0, durationSeconds: null },
      usage: null,
      cost: null,
    });
    expect(await api.stores.transcriptions.jobOf(asTranscriptionId(idOf(answer)))).toBeDefined();
    expect(api.logged.filter((line) => line.includes("transcription created"))).toHaveLength(1);
    expect(api.logged.join("")).not.toContain("meeting.mp3");
  });

  test("takes all options, and a language in any case", async () => {
    const asked = {
      ...URL_BODY,
      ...{ language: "EN-us", channels: "separate", timestamps: "segment", speakers: true, vocabulary: ["Lario’s"] },
      ...{ metadata: { meeting: "A-17", nested: [1] }, deleteAudio: true },
    };
    expect((await post(asked)).body).toMatchObject({
      options: {
        language: "en-US",
        channels: "separate",
        timestamps: "segment",
        speakers: true,
        vocabulary: ["Lario’s"],
      },
      metadata: { meeting: "A-17", nested: [1] },
      deleteAudio: true,
    });
  });

  test("reports all errors together", async () => {
    const answer = await post({
      ...{ url: "ftp://example.com/x", callId: 7, language: "xx", channels: "both", timestamps: "letter" },
      ...{
        speakers: "yes",
        vocabulary: ["", "x".repeat(101)],
        metadata: [],
        deleteAudio: 1,
        redact: ["pii"],
        nonsense: 1,
      },
    });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe("invalid_request");
    expect(pathsOf(answer)).toEqual(
      [
        ...[
          "",
          "/callId",
          "/channels",
          "/deleteAudio",
          "/language",
          "/metadata",
          "/nonsense",
          "/redact/0",
          "/speakers",
        ],
        ...["/timestamps", "/url", "/vocabulary/0", "/vocabulary/1"],
      ].sort(),
    );
  });

  test.each([
    ["without a source", {}, "", /either url or callId/],
    ["with two sources", { ...URL_BODY, callId: "call_1" }, "/callId", /recording/],
    [
      "with 300 words",
      { ...URL_BODY, vocabulary: Array(300).fill("word") },
      "/vocabulary",
      /at most 100 items, not 300/,
    ],
    ["with the id of no call", { callId: "call_1" }, "/callId", /whose recording can be downloaded, not "call_1"/],
  ])("%s is 400 and says so", async (_, body, path, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  test("an unknown kind of redaction is refused by name, known ones are options, and an unknown language is refused by name", async () => {
    const redact = await post({ ...URL_BODY, redact: ["pii", "variables"] });
    expect([redact.status, pathsOf(redact)]).toEqual([400, ["/redact/0", "/redact/1"]]);
    const known = await post({ ...URL_BODY, redact: ["card_number", "card_number", "email"] });
    expect(known.body).toMatchObject({ options: { redact: ["card_number", "email"] } });
    const language = await post({ ...URL_BODY, language: "tlh" });
    expect([language.status, errorOf(language).code]).toEqual([400, "unknown_language"]);
    expect(errorOf(language).message).toContain('not "tlh"');
  });

  test("what no configured provider can is 400 that says which could", async () => {
    const able = { ...ANY_BATCH_PROVIDER.able, language: () => ["assemblyai"] };
    const weak = { speakers: false, detectsLanguage: false, servesLanguage: (code: string) => code === "de", able };
    await api.close();
    api = await apiUnderTest(undefined, { batchCapabilities: async () => weak });
    expect((await post(URL_BODY)).body).toMatchObject({ options: { language: "de" } });
    const auto = await post({ ...URL_BODY, language: "auto", speakers: true });
    expect(errorOf(auto).details.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^speakers must be false: no configured provider distinguishes speakers; deepgram would$/),
      expect.stringMatching(
        /^language must be .* no configured provider detects the language; deepgram would, not "auto"$/,
      ),
    ]);
    const english = await post({ ...URL_BODY, language: "en" });
    expect(errorOf(english).message).toMatch(/: de, or a region of these; no configured provider .*; assemblyai would/);
  });

  test("the default language is English where it is transcribed and no provider detects languages", async () => {
    await api.close();
    const capabilities = { ...ANY_BATCH_PROVIDER, detectsLanguage: false, servesLanguage: () => true };
    api = await apiUnderTest(undefined, { batchCapabilities: async () => capabilities });
    const created = await post(URL_BODY);
    expect([created.status, created.body]).toMatchObject([
      202,
      { options: { language: expect.stringMatching(/^en/) } },
    ]);
  });

  test("the recording of a call can be transcribed", async () => {
    const scene = await Scene.make();
    try {
      const callId = await scene.ended();
      const answer = await scene.api.post({ callId, channels: "separate" }, {}, PATH);
      expect(answer.status).toBe(202);
      expect(answer.body).toMatchObject({ source: "call", callId, url: null });
    } finally {
      await scene.api.close();
    }
  });

  test("with an Idempotency-Key the same request creates one, and another one is 409", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await post(URL_BODY, headers);
    const again = await post(URL_BODY, headers);
    expect([again.status, idOf(again)]).toEqual([202, idOf(first)]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    const other = await post({ ...URL_BODY, speakers: true }, headers);
    expect([other.status, errorOf(other).code]).toEqual([409, "idempotency_mismatch"]);
  });

  test.each([
    "draining",
    "insufficient_storage",
    "database_lost",
  ] as const)("is refused as calls are while the service is %s", async (reason) => {
    api.state.newCalls = { accepted: false, reason };
    const answer = await post(URL_BODY);
    expect([answer.status, errorOf(answer).code]).toEqual([503, reason]);
  });

  test("full call slots do not matter", async () => {
    api.state.newCalls = { accepted: false, reason: "overloaded" };
    expect((await post(URL_BODY)).status).toBe(202);
  });
});

describe("POST /transcriptions as a form", () => {
  test("stores the file, which only its owner can read, with fields on both sides of it", async () => {
    const answer = await upload([
      ["language", "en-US"],
      FILE,
      ["vocabulary", "Lario’s"],
      ["vocabulary", "Trunkline"],
      ["speakers", "true"],
      ["metadata", '{"meeting": "A-17"}'],
      ["deleteAudio", "false"],
    ]);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({
      source: "upload",
      fileName: "meeting.wav",
      hasAudio: true,
      options: { language: "en-US", speakers: true, vocabulary: ["Lario’s", "Trunkline"] },
      metadata: { meeting: "A-17" },
    });
    const path = join(api.directory, "transcriptions", `${idOf(answer)}.audio`);
    expect(readFileSync(path)).toEqual(FILE[1]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  const filler = Buffer.alloc(1_000_001);
  test.each<[string, readonly FormPart[], number, RegExp]>([
    ["without a file", [["language", "en"]], 400, /file must be given/],
    ["whose file is a text", [["file", "x"]], 400, /send its part with a filename/],
    ["with an empty file", [["file", "", "a.wav"]], 400, /file must not be empty/],
    ["with a file of another name", [["audio", "x", "a.wav"]], 400, /no file "audio"/],
    ["with two files", [FILE, FILE], 400, /file must be given once/],
    ["with a file that is too large", [["file", filler, "a.wav"]], 413, /larger than 1000000 bytes/],
    ["with an unknown field before the file", [["nonsense", "1"], FILE], 400, /no field "nonsense"/],
    ["with an unknown field after the file", [FILE, ["nonsense", "1"]], 400, /no field "nonsense"/],
    ["with a repeated field", [FILE, ["language", "en"], ["language", "de"]], 400, /language must be given once/],
    ["with a wrong flag", [["speakers", "yes"], FILE], 400, /speakers must be true or false, not "yes"/],
    ["with metadata that is no JSON", [["metadata", "{"], FILE], 400, /metadata must be an object/],
    ["with a url", [["url", "https://example.com/"], FILE], 400, /no field "url"/],
    ["with an unknown kind of redaction", [FILE, ["redact", "true"]], 400, /redact/],
  ])("%s is refused, and leaves no file", async (_, parts, status, message) => {
    const answer = await upload(parts);
    expect([
      answer.status,
      errorOf(answer)
        .details.map((one) => one.message)
        .join() || errorOf(answer).message,
    ]).toEqual([status, expect.stringMatching(message)]);
    expect(files()).toEqual([]);
    expect((await api.get(PATH)).body).toEqual({ data: [], nextCursor: null });
  });

  test("a body that is no form is 400, and another type 415", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    expect((await post("no form", headers)).status).toBe(400);
    expect((await post("x", { "content-type": "multipart/form-data" })).status).toBe(400);
    expect((await post("x", { "content-type": "audio/wav" })).status).toBe(415);
    expect(files()).toEqual([]);
  });

  test("without FFmpeg a file that is no WAV file is 415, and nothing of it stays", async () => {
    await api.close();
    api = await apiUnderTest(undefined, { hasFfmpeg: false });
    for (const file of ["RIFF", "ID3 and the rest of an MP3 file"]) {
      const refused = await upload([["file", file, "a.mp3"]]);
      expect([refused.status, refused.text]).toEqual([415, expect.stringMatching(/must be a WAV file .*FFmpeg/)]);
    }
    expect(files()).toEqual([]);
    expect((await upload([["file", "RIFF1234WAVE and samples", "a.wav"]])).status).toBe(202);
  });

  test("a full disk refuses an upload that is under way", async () => {
    api.state.diskIsLow = true;
    const answer = await upload([FILE]);
    expect([answer.status, errorOf(answer).code]).toEqual([503, "insufficient_storage"]);
    expect(files()).toEqual([]);
  });

  test("with an Idempotency-Key the same file creates one and is stored once; another file is 409", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await upload([FILE], headers);
    const again = await upload([FILE], headers);
    expect([again.status, idOf(again), again.headers["idempotent-replayed"]]).toEqual([202, idOf(first), "true"]);
    expect(files()).toEqual([`${idOf(first)}.audio`]);
    const other = await upload([["file", "other bytes", "meeting.wav"]], headers);
    expect([other.status, errorOf(other).code]).toEqual([409, "idempotency_mismatch"]);
    expect(files()).toHaveLength(1);
  });

  test("an account has a limit of uploads at once", async () => {
    const taken = UPLOADS_PER_ACCOUNT_MAX + LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX;
    for (let count = 0; count < taken; count += 1) api.uploads.begin(api.accountId, () => {}).catch(() => {});
    const answer = await upload([FILE]);
    expect([answer.status, errorOf(answer).code]).toEqual([429, "rate_limited"]);
  });
});
