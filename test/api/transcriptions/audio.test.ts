import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TranscriptionId } from "../../../src/core/ids.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import type { NewTranscription } from "../../../src/store/transcription-store.ts";
import { type ApiUnderTest, apiUnderTest, errorOf } from "../../support/api/harness.ts";
import { newTranscription, RESULT } from "../../support/transcriptions/stored.ts";

const WAV = Buffer.from("RIFF....WAVE and as many bytes as a test needs");

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

async function stored(more: Partial<NewTranscription> = {}, bytes = WAV): Promise<TranscriptionId> {
  const { id } = await api.stores.transcriptions.create(newTranscription(api.accountId, more));
  const file = await new TranscriptionAudio(api.directory).create(id);
  await file.writeFile(bytes);
  await file.close();
  return id;
}

async function ask(id: string, headers: Record<string, string> = {}) {
  const url = `/api/v1/transcriptions/${id}/audio`;
  const answer = await api.app.inject({ method: "GET", url, headers: { "x-api-key": api.key, ...headers } });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload };
}

describe("GET /transcriptions/{id}/audio", () => {
  test("sends the file as it came, with the media type of its content and a name that the client has not chosen", async () => {
    const id = await stored({ fileName: '"; x=<script>.html' });
    const answer = await ask(id);
    expect([answer.status, answer.bytes]).toEqual([200, WAV]);
    expect(answer.headers).toMatchObject({
      "content-type": "audio/wav",
      "content-length": String(WAV.length),
      "content-disposition": `attachment; filename="${id}.wav"`,
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
    });
  });

  test("a page that was uploaded as audio is a stream of bytes to save", async () => {
    const answer = await ask(await stored({}, Buffer.from("<html><script>alert(1)</script>")));
    expect(answer.headers).toMatchObject({ "content-type": "application/octet-stream" });
    expect(answer.headers["content-disposition"]).toMatch(/^attachment; /);
  });

  test("sends a range, as players ask for it, and 304 and 416 where they are right", async () => {
    const id = await stored();
    const part = await ask(id, { range: "bytes=4-7" });
    expect([part.status, part.bytes.toString()]).toEqual([206, "...."]);
    expect(part.headers).toMatchObject({ "content-range": `bytes 4-7/${WAV.length}`, "content-length": "4" });
    expect((await ask(id, { "if-none-match": String(part.headers.etag) })).status).toBe(304);
    expect((await ask(id, { range: `bytes=${WAV.length}-` })).status).toBe(416);
  });

  test("is 404 with redaction, for live ones, before it is fetched, and once it is deleted", async () => {
    const { options } = newTranscription(api.accountId);
    const redacted = await stored({ options: { ...options, redact: ["card_number"] } });
    const url = await api.stores.transcriptions.create(
      newTranscription(api.accountId, { source: "url", url: "https://example.com/a.mp3" }),
    );
    const deleted = await stored();
    await api.stores.transcriptions.end(deleted, { status: "completed", result: RESULT });
    await api.stores.transcriptions.audioDeleted(deleted);
    for (const id of [redacted, url.id, deleted]) {
      const answer = await api.get(`/api/v1/transcriptions/${id}/audio`);
      expect([answer.status, errorOf(answer).message]).toEqual([404, expect.stringContaining("audio")]);
    }
  });
});
