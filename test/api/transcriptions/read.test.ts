import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptedFormat } from "../../../src/api/transcriptions/formats.ts";
import { asTranscriptionId, type TranscriptionId } from "../../../src/core/ids.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import type { NewTranscription } from "../../../src/store/transcription-store.ts";
import { postForm } from "../../support/api/forms.ts";
import { type ApiUnderTest, apiUnderTest, errorOf } from "../../support/api/harness.ts";
import { FAILURE, newTranscription, OUTCOME, PART, RESULT } from "../../support/transcriptions/stored.ts";

const PATH = "/api/v1/transcriptions";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const create = async (more: Partial<NewTranscription> = {}): Promise<TranscriptionId> =>
  (await api.stores.transcriptions.create(newTranscription(api.accountId, more))).id;
const completed = async (): Promise<TranscriptionId> => {
  const id = await create();
  await api.stores.transcriptions.end(id, { status: "completed", result: RESULT });
  return id;
};

describe("GET /transcriptions/{id}", () => {
  test("shows the progress of one in progress, and no result", async () => {
    const id = await create();
    await api.stores.transcriptions.start(id);
    await api.stores.transcriptions.progress(id, 1_250, 60_000);
    expect((await api.get(`${PATH}/${id}`)).body).toMatchObject({
      status: "processing",
      progress: { doneSeconds: 1.25, durationSeconds: 60 },
      result: null,
    });
  });

  test("shows the result, and the cost by the service's prices", async () => {
    const answer = await api.get(`${PATH}/${await completed()}`);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).toMatchObject({
      status: "completed",
      result: RESULT,
      usage: [{ provider: "deepgram", model: "nova-3", audioSeconds: 2.5, cost: 0.00025 }],
      cost: { currency: "USD", total: 0.00025, complete: true },
    });
  });

  test("shows why one has failed, and what it has cost", async () => {
    const id = await create();
    await api.stores.transcriptions.requesting(id, PART, "deepgram");
    await api.stores.transcriptions.transcribed(id, PART, OUTCOME);
    await api.stores.transcriptions.end(id, { status: "failed", failure: FAILURE });
    expect((await api.get(`${PATH}/${id}`)).body).toMatchObject({
      status: "failed",
      failure: FAILURE,
      cost: { total: 0.00025 },
      result: null,
    });
  });

  test.each([
    ["text", "text/plain", /^good evening/],
    ["srt", "application/x-subrip", /^1\r?\n00:00:00,100 --> /],
    ["vtt", "text/vtt", /^WEBVTT/],
  ])("as %s, by the query and by the header Accept", async (format, type, content) => {
    const id = await completed();
    for (const answer of [
      await api.get(`${PATH}/${id}?format=${format}`),
      await api.get(`${PATH}/${id}?format=${format}`, { accept: "application/json" }),
      await api.get(`${PATH}/${id}`, { accept: `${type}, application/json;q=0.5` }),
    ]) {
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, `${type}; charset=utf-8`]);
      expect(answer.text).toMatch(content);
    }
  });

  test("as text before its end is 409, in a format that there is not 406 or 400, and unknown 404", async () => {
    const id = await create();
    const early = await api.get(`${PATH}/${id}?format=srt`);
    expect([early.status, errorOf(early).message]).toEqual([409, "the transcription is queued, so it has no result"]);
    const image = await api.get(`${PATH}/${id}`, { accept: "image/png" });
    expect([image.status, errorOf(image).code]).toEqual([406, "not_acceptable"]);
    expect((await api.get(`${PATH}/${id}?format=png`)).status).toBe(400);
    expect((await api.get(`${PATH}/transcription_unknown`)).status).toBe(404);
  });

  test("once retention has deleted the result there is none, and the record says when", async () => {
    const id = await completed();
    await api.stores.transcriptions.deleteResult(id);
    expect((await api.get(`${PATH}/${id}`)).body).toMatchObject({
      status: "completed",
      result: null,
      resultDeletedAt: expect.any(String),
    });
    expect((await api.get(`${PATH}/${id}?format=text`)).status).toBe(404);
  });
});

test.each([
  [undefined, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["text/*", "text"],
  ["text/vtt;q=0.9, text/plain;q=0.1", "vtt"],
  ["application/json;q=0, */*", "text"],
  ["Application/X-SubRip", "srt"],
  ["image/png, text/html", undefined],
])("the header Accept %j asks for %s", (accept, format) => {
  expect(acceptedFormat(accept)).toBe(format);
});

describe("GET /transcriptions", () => {
  const idsIn = (body: unknown): string[] => (body as { data: { id: string }[] }).data.map(({ id }) => id);

  test("lists pages, newest first, by a cursor that holds for the same filters", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await create());
    const first = (await api.get(`${PATH}?limit=2`)).body as { nextCursor: string };
    expect(idsIn(first)).toEqual(ids.slice(0, 2));
    const second = await api.get(`${PATH}?limit=3&cursor=${first.nextCursor}`);
    expect(second.body).toMatchObject({ nextCursor: null });
    expect(idsIn(second.body)).toEqual(ids.slice(2));
    expect((await api.get(`${PATH}?limit=3&status=queued&cursor=${first.nextCursor}`)).status).toBe(400);
  });

  test("filters, without results", async () => {
    const callId = "call_1" as never;
    const [upload, ofCall, done] = [await create(), await create({ source: "call", callId }), await completed()];
    const listed = async (query: string) => idsIn((await api.get(`${PATH}?${query}`)).body);
    expect(await listed("status=completed")).toEqual([done]);
    expect(await listed("source=call")).toEqual([ofCall]);
    expect(await listed(`callId=${callId}`)).toEqual([ofCall]);
    expect(await listed("source=upload&status=queued")).toEqual([upload]);
    expect(await listed("createdAfter=2999-01-01T00:00:00Z")).toEqual([]);
    expect(await listed("createdBefore=2999-01-01T00:00:00Z")).toHaveLength(3);
    expect((await api.get(`${PATH}?status=over`)).status).toBe(400);
    expect((await api.get(PATH)).text).not.toContain("utterances");
  });
});

describe("the end of a transcription", () => {
  const cancel = (id: string) => api.post({}, {}, `${PATH}/${id}/cancel`);

  test("cancelling ends it, with its job, and can be repeated", async () => {
    const id = await create();
    for (let times = 0; times < 2; times += 1) {
      const answer = await cancel(id);
      expect([answer.status, (answer.body as { status: string }).status]).toEqual([200, "cancelled"]);
    }
    expect(await api.stores.transcriptions.jobOf(id)).toBeUndefined();
    expect(((await cancel(await completed())).body as { status: string }).status).toBe("completed");
    expect((await cancel("transcription_unknown")).status).toBe(404);
  });

  test("deleting leaves nothing: no audio, no record, no job", async () => {
    const uploaded = await postForm(api, [["file", "audio", "a.wav"]]);
    const id = asTranscriptionId((uploaded.body as { id: string }).id);
    const path = new TranscriptionAudio(api.directory).path(id);
    expect(existsSync(path)).toBe(true);
    expect((await api.delete(`${PATH}/${id}`)).status).toBe(204);
    expect(existsSync(path)).toBe(false);
    expect((await api.get(`${PATH}/${id}`)).status).toBe(404);
    expect((await api.delete(`${PATH}/${id}`)).status).toBe(404);
    expect(await api.stores.transcriptions.jobOf(id)).toBeUndefined();
    const { events } = await api.stores.audit.list(api.accountId, { action: "transcription.deleted", limit: 1 });
    expect(events).toMatchObject([{ actor: { kind: "api_key" }, target: { id } }]);
  });
});
