import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventStream } from "../../../src/api/events/event-stream.ts";
import type { CallActivity } from "../../../src/core/calls/activity.ts";
import { type AccountId, asCallId, asTranscriptionId } from "../../../src/core/ids.ts";
import { EVENT_BUFFER_BYTES_MAX } from "../../../src/core/limits/control-api/events.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { ManualClock } from "../../support/manual-clock.ts";

let api: ApiUnderTest;
let base: string;
const open: IncomingMessage[] = [];
beforeEach(async () => {
  api = await apiUnderTest();
  base = await api.app.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(async () => {
  for (const response of open.splice(0)) response.destroy();
  await api.close();
});

/** What a stream was sent so far. */
interface Followed {
  response: IncomingMessage;
  text: string;
}

async function follow(query: string, key = api.key): Promise<Followed> {
  const request = get(`${base}/api/v1/events${query}`, { headers: { "x-api-key": key } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const followed: Followed = { response, text: "" };
  response.setEncoding("utf8").on("data", (part: string) => {
    followed.text += part;
  });
  response.on("error", () => {});
  open.push(response);
  await expect.poll(() => followed.text).toContain("retry");
  return followed;
}

const CALL = asCallId("call_1");
const activityOf = (accountId: AccountId, changes: Partial<CallActivity> = {}): CallActivity => ({
  callId: CALL,
  accountId,
  state: "listening",
  agentTurns: 1,
  callerTurns: 0,
  ...changes,
});

test("a stream gets what the live calls of its account do if it asks for it, as one message without an id", async () => {
  const one = await follow("?activity=true");
  const plain = await follow("");
  expect(api.activityWatches).toEqual([true]);
  const other = await api.stores.accounts.ensure("other");
  api.reportActivity([
    activityOf(api.accountId, { turnDelayMs: 640, callerTurns: 1 }),
    activityOf(other, { callId: asCallId("call_2") }),
    activityOf(api.accountId, { callId: asCallId("call_3"), state: "opening", agentTurns: 0 }),
  ]);
  await expect.poll(() => one.text).toContain("calls.activity");
  const [message = ""] = one.text.split("\n\n").filter((block) => block.includes("calls.activity"));
  expect(message).toMatch(/^event: calls\.activity\ndata: [^\n]*$/);
  expect(JSON.parse(message.slice(message.indexOf("data: ") + 6))).toEqual({
    type: "calls.activity",
    timestamp: expect.any(String),
    data: {
      calls: [
        { id: CALL, state: "listening", agentTurns: 1, callerTurns: 1, turnDelayMs: 640 },
        { id: "call_3", state: "opening", agentTurns: 0, callerTurns: 0, turnDelayMs: null },
      ],
    },
  });
  api.reportActivity([activityOf(other)]);
  expect(one.text.split("calls.activity")).toHaveLength(3);
  expect(plain.text).not.toContain("activity");
});

test("such a stream gets how far the transcriptions of its account are, in seconds of their audio", async () => {
  const one = await follow("?activity=true");
  const plain = await follow("");
  const other = await api.stores.accounts.ensure("other");
  const progress = { accountId: api.accountId, doneMs: 1_250, durationMs: undefined };
  api.reportTranscriptions([
    { ...progress, transcriptionId: asTranscriptionId("transcription_1"), durationMs: 60_000 },
    { ...progress, transcriptionId: asTranscriptionId("transcription_2") },
    { ...progress, transcriptionId: asTranscriptionId("transcription_3"), accountId: other },
  ]);
  await expect.poll(() => one.text).toContain("transcriptions.activity");
  const [message = ""] = one.text.split("\n\n").filter((block) => block.includes("transcriptions.activity"));
  expect(JSON.parse(message.slice(message.indexOf("data: ") + 6))).toMatchObject({
    type: "transcriptions.activity",
    data: {
      transcriptions: [
        { id: "transcription_1", doneSeconds: 1.25, durationSeconds: 60 },
        { id: "transcription_2", doneSeconds: 1.25, durationSeconds: null },
      ],
    },
  });
  expect(message).not.toContain("transcription_3");
  expect(plain.text).not.toContain("activity");
});

test("workers report only while a stream wants it: each new stream asks for all of it again, and the last one ends it", async () => {
  await follow("");
  await follow("?activity=false");
  await follow("?activity=true&follow=false");
  expect(api.activityWatches).toEqual([]);
  const first = await follow("?activity=true");
  const second = await follow("?activity=true");
  expect(api.activityWatches).toEqual([true, true]);
  first.response.destroy();
  second.response.destroy();
  await expect.poll(() => api.activityWatches).toEqual([true, true, false]);
});

test("activity is never repeated to a client that resumes, and other values of the parameter are refused", async () => {
  const answer = await api.get("/api/v1/events?activity=maybe");
  expect(answer.status).toBe(400);
  const one = await follow("?activity=true");
  api.reportActivity([activityOf(api.accountId)]);
  await expect.poll(() => one.text).toContain("calls.activity");
  const again = await api.get("/api/v1/events?follow=false", { "last-event-id": "0" });
  expect(again.text).not.toContain("activity");
});

test("a client that does not read gets no activity meanwhile, and all of it once it reads again", async () => {
  let missed = 0;
  const clock = new ManualClock();
  const stream = new EventStream({
    accountId: api.accountId,
    position: { last: 0, lostThrough: 0 },
    after: undefined,
    follows: true,
    onActivityMissed: () => {
      missed += 1;
    },
    events: { read: async () => [] },
    documents: { calls: api.stores.calls } as never,
    clock,
    onEnd: () => {},
  });
  const long = `event: calls.activity\ndata: ${"x".repeat(EVENT_BUFFER_BYTES_MAX)}\n\n`;
  stream.activity(long);
  stream.activity("event: calls.activity\ndata: dropped\n\n");
  expect(missed).toBe(0);
  let text = "";
  stream.body.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await expect.poll(() => missed).toBe(1);
  expect(text).toContain("xxx");
  expect(text).not.toContain("dropped");
  stream.end("client");
  expect(stream.hasActivity).toBe(false);
});
