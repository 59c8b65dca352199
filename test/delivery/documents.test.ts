import { describe, expect, test } from "vitest";
import { epochMs } from "../../src/core/clocks.ts";
import { type AccountId, asAccountId, asCallId, asDocumentId, asTranscriptionId } from "../../src/core/ids.ts";
import { EVENT_BYTES_MAX } from "../../src/core/limits/control-api/webhooks.ts";
import { eventIdOf } from "../../src/core/new-id.ts";
import type { TranscriptionResult } from "../../src/core/transcriptions/result.ts";
import { EventDocuments } from "../../src/delivery/documents.ts";
import type { CallRecord } from "../../src/store/calls/call-store.ts";
import type { Document } from "../../src/store/corpora/document-store.ts";
import type { Transcription } from "../../src/store/transcription-store.ts";
import type { WebhookEvent } from "../../src/store/webhooks/webhook-store.ts";

const CALL = asCallId("call_1");
const DOCUMENT = asDocumentId("doc_1");
const TRANSCRIPTION = asTranscriptionId("transcription_1");
const ADDRESS = "https://api.example/api/v1/calls/call_1";
const LINKS = { call: ADDRESS, recording: `${ADDRESS}/recording`, events: `${ADDRESS}/events` };
const ENDED: WebhookEvent = {
  id: eventIdOf("call.ended call_1"),
  accountId: asAccountId("account_1"),
  type: "call.ended",
  callId: CALL,
  createdAtMs: epochMs(0),
};

/** The documents of a call with this text in its transcript and its tool runs, or of one that was deleted. */
const documentsFor = (said: string, returned: string, isDeleted = false, onRead = () => {}): EventDocuments =>
  new EventDocuments({
    calls: {
      get: async (accountId: AccountId) => {
        onRead();
        return isDeleted || accountId !== ENDED.accountId ? undefined : ({ id: CALL } as CallRecord);
      },
      transcript: async () => [],
    },
    callDocument: ({ id }) => ({ id }),
    turnDocuments: () => [{ role: "user", text: said }],
    toolRuns: async () => [{ name: "lookup", result: returned }],
    transcriptions: {
      get: async () => (isDeleted ? undefined : ({ id: TRANSCRIPTION } as Transcription)),
      result: async () => ({ text: said }) as TranscriptionResult,
    },
    transcriptionDocument: ({ id }, result) => ({ id, text: result?.text }),
    documents: {
      find: async () => (isDeleted ? undefined : ({ id: DOCUMENT, corpusId: "cor_1" } as Document)),
    },
    documentDocument: ({ id }) => ({ id }),
    apiUrl: "https://api.example/api/v1",
  });

const bodyFor = (said: string, returned: string, isDeleted = false): Promise<string | undefined> =>
  documentsFor(said, returned, isDeleted).bodyOf(ENDED);

/** So many bytes that the body with them in the transcript has `bytes`. */
async function fillerFor(bytes: number, returned = ""): Promise<string> {
  return "x".repeat(bytes - Buffer.byteLength((await bodyFor("", returned)) ?? ""));
}
const dataOf = (body: string | undefined): Record<string, unknown> =>
  (JSON.parse(body ?? "") as { data: Record<string, unknown> }).data;

describe("the body of call.ended", () => {
  test("is the whole document: the call, its transcript, its tool runs, and links", async () => {
    expect(JSON.parse((await bodyFor("a table", "17")) ?? "")).toEqual({
      type: "call.ended",
      timestamp: "1970-01-01T00:00:00.000Z",
      data: {
        call: { id: CALL },
        transcript: [{ role: "user", text: "a table" }],
        toolRuns: [{ name: "lookup", result: "17" }],
        links: LINKS,
        truncated: [],
      },
    });
  });

  test("is made once for deliveries that begin together, and again for a later attempt", async () => {
    let reads = 0;
    const documents = documentsFor("a table", "17", false, () => {
      reads += 1;
    });
    const bodies = await Promise.all(Array.from({ length: 20 }, () => documents.bodyOf(ENDED)));
    expect(new Set(bodies)).toEqual(new Set([await bodyFor("a table", "17")]));
    expect(reads).toBe(1);
    await documents.bodyOf(ENDED);
    expect(reads).toBe(2);
  });

  test("H11: is whole with exactly 256 KiB, and one byte more replaces the longest part by a link", async () => {
    const filler = await fillerFor(EVENT_BYTES_MAX, "17");
    const whole = await bodyFor(filler, "17");
    expect(Buffer.byteLength(whole ?? "")).toBe(256 * 1_024);
    expect(dataOf(whole)).toMatchObject({
      transcript: [{ text: filler }],
      toolRuns: [{ result: "17" }],
      truncated: [],
    });
    expect(dataOf(await bodyFor(`${filler}x`, "17"))).toEqual({
      call: { id: CALL },
      transcript: null,
      toolRuns: [{ name: "lookup", result: "17" }],
      links: { ...LINKS, transcript: `${ADDRESS}/transcript` },
      truncated: ["transcript"],
    });
  });

  test("H11: replaces long tool runs first where they are longer, and leaves the transcript", async () => {
    const half = "x".repeat(EVENT_BYTES_MAX / 2);
    expect(dataOf(await bodyFor(half, `${half}xxxxxxxxxxxx`))).toMatchObject({
      transcript: [{ text: half }],
      toolRuns: null,
      links: { ...LINKS, toolRuns: `${ADDRESS}/events` },
      truncated: ["toolRuns"],
    });
  });

  test("H11: replaces both where one is not enough, the longest first", async () => {
    const long = "x".repeat(EVENT_BYTES_MAX);
    for (const [said, returned, truncated] of [
      [`${long}xxxxxxxxxxxx`, long, ["transcript", "toolRuns"]],
      [long, `${long}xxxxxxxxxxxx`, ["toolRuns", "transcript"]],
    ] as const) {
      const body = await bodyFor(said, returned);
      expect(dataOf(body)).toEqual({
        call: { id: CALL },
        transcript: null,
        toolRuns: null,
        links: { ...LINKS, transcript: `${ADDRESS}/transcript`, toolRuns: `${ADDRESS}/events` },
        truncated,
      });
    }
  });

  test("H11: is measured in bytes, not in characters", async () => {
    // Three bytes each: fewer characters than the tool runs have, and more bytes.
    const said = "好".repeat(EVENT_BYTES_MAX / 4);
    const returned = "x".repeat(EVENT_BYTES_MAX / 2);
    expect(dataOf(await bodyFor(said, returned))).toMatchObject({ transcript: null, truncated: ["transcript"] });
    const emoji = await fillerFor(EVENT_BYTES_MAX);
    const fitting = emoji.replace(/^x{4}/, "👋");
    expect(dataOf(await bodyFor(fitting, ""))).toMatchObject({ transcript: [{ text: fitting }] });
    expect(dataOf(await bodyFor(emoji.replace(/^x{3}/, "👋"), ""))).toMatchObject({ transcript: null });
  });

  test("of a call that was deleted there is none", async () => {
    expect(await bodyFor("a", "b", true)).toBeUndefined();
  });
});

describe("the body of transcription.completed", () => {
  const COMPLETED: WebhookEvent = {
    id: eventIdOf("transcription.completed transcription_1"),
    accountId: ENDED.accountId,
    type: "transcription.completed",
    transcriptionId: TRANSCRIPTION,
    createdAtMs: epochMs(0),
  };
  const links = { transcription: "https://api.example/api/v1/transcriptions/transcription_1" };

  test("is the transcription with its text", async () => {
    expect(dataOf(await documentsFor("good evening", "").bodyOf(COMPLETED))).toEqual({
      transcription: { id: TRANSCRIPTION, text: "good evening" },
      links,
      truncated: [],
    });
  });

  test("has a link instead of a text that is too long, and none of a deleted transcription is sent", async () => {
    const body = await documentsFor("x".repeat(EVENT_BYTES_MAX), "").bodyOf(COMPLETED);
    expect(dataOf(body)).toEqual({ transcription: { id: TRANSCRIPTION, text: null }, links, truncated: ["text"] });
    expect(await documentsFor("", "", true).bodyOf(COMPLETED)).toBeUndefined();
  });
});

test("the body of document.ready is the document, with its address; none of a deleted document is sent", async () => {
  const ready: WebhookEvent = {
    id: eventIdOf("document.ready doc_1 1"),
    accountId: ENDED.accountId,
    type: "document.ready",
    documentId: DOCUMENT,
    createdAtMs: epochMs(0),
  };
  expect(dataOf(await documentsFor("", "").bodyOf(ready))).toEqual({
    document: { id: DOCUMENT },
    links: { document: "https://api.example/api/v1/corpora/cor_1/documents/doc_1" },
    truncated: [],
  });
  expect(await documentsFor("", "", true).bodyOf(ready)).toBeUndefined();
});
