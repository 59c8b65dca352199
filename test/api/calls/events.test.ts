import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cursorOf } from "../../../src/api/http/responses/cursor.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { asCorpusId, asDocumentId, asToolCallId, asTurnId, type CallId } from "../../../src/core/ids.ts";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../../../src/core/limits/control-api/api.ts";
import type { ListedEvent } from "../../../src/record/events/event-list.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import type { JournaledCommand, JournaledEvent } from "../../../src/record/journal/records.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

interface List {
  data: ListedEvent[];
  nextCursor: string | null;
}

const listOf = (answer: Answer): List => {
  expect(answer.status).toBe(200);
  return answer.body as List;
};
const ask = (id: string, query = "", headers = {}): Promise<Answer> =>
  api.get(`/api/v1/calls/${id}/events${query}`, headers);

/** An active call, and its journal with its header. */
async function active(): Promise<{ id: CallId; journal: JournalFile }> {
  const tokenHash = hashSecret(mintToken());
  const { accountId, stores } = api;
  await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
  const call = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  if (call === undefined) throw new Error("not redeemed");
  const { callId: id } = call;
  return { id, journal: new JournalFile({ ...START, callId: id, accountId }, journalPath(api.directory, id)) };
}

async function finish(id: CallId, status: "ended" | "failed" = "ended"): Promise<void> {
  const endedAtMs = api.clock.epochMs();
  await api.stores.calls.finish(id, { status, endReason: "caller_hangup", endedAtMs, durationMs: 5_000, turns: [] });
}

/** This many marks: the whole list except the end. */
function mark(journal: JournalFile, from: number, to: number): void {
  for (let number = from; number < to; number += 1) {
    journal.add({ kind: "event", timeMs: callMs(number), event: { kind: "mark", name: `1.${number}` } });
  }
}

const expected = (from: number, to: number): ListedEvent[] =>
  Array.from({ length: to - from }, (_, index) => ({
    atMs: callMs(from + index),
    source: "event" as const,
    kind: "mark" as const,
    name: `1.${from + index}`,
  }));

const END: ListedEvent = { atMs: callMs(9_000), source: "command", kind: "end", reason: "caller_hangup" };

type OfKind<Item, Kind> = Extract<Item, { kind: Kind }>;
const LATENCY = {
  finalTranscriptMs: 310,
  endOfTurnMs: 500,
  llmRequestedMs: 500,
  firstTextMs: 600.25,
  firstSegmentMs: 650,
  firstAudioMs: 700,
  firstFrameMs: 720,
};
type ListedKind = Exclude<JournaledEvent["kind"], "usage" | "network" | "pong" | "finalize-requested">;
type ListedCommand = Exclude<JournaledCommand["kind"], "transcript" | "interim" | "utterance" | "finalize-stt">;
const PASSAGE = {
  corpusId: asCorpusId("cor_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e"),
  documentId: asDocumentId("doc_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e"),
  documentName: "Opening hours",
  ordinal: 0,
  score: 4.2,
};
/** One of each kind with all its fields; the compiler checks that none is missing. */
const EVENTS: { [Kind in ListedKind]: OfKind<JournaledEvent, Kind> } = {
  tick: { kind: "tick" },
  "leg-started": { kind: "leg-started", codec: "mulaw" },
  "leg-detached": { kind: "leg-detached" },
  "dtmf-requested": { kind: "dtmf-requested", digits: "12", chars: 2 },
  "hold-requested": { kind: "hold-requested", msMax: 300_000 },
  "resume-requested": { kind: "resume-requested" },
  "recording-pause-requested": { kind: "recording-pause-requested" },
  "recording-resume-requested": { kind: "recording-resume-requested" },
  "leg-closed": { kind: "leg-closed", reason: "caller_hangup" },
  "end-requested": { kind: "end-requested", reason: "drain_timeout" },
  "internal-error": { kind: "internal-error", code: "internal" },
  "goodbye-requested": { kind: "goodbye-requested", reason: "drain_timeout" },
  mark: { kind: "mark", name: "", chars: 3 },
  cleared: { kind: "cleared", playedMs: 1_240.5 },
  dtmf: { kind: "dtmf", digit: "5", chars: 1 },
  typed: { kind: "typed", text: "", chars: 9 },
  "stt-interim": { kind: "stt-interim", text: "when are", chars: 8, language: "en" },
  "stt-final": { kind: "stt-final", text: "when are you open", chars: 17, language: "en" },
  "stt-failed": { kind: "stt-failed", code: "provider_failed" },
  prosody: {
    kind: "prosody",
    quietMs: 40,
    soundMs: 0,
  },
  "turn-model": { kind: "turn-model", probability: 0.81 },
  "reply-text": { kind: "reply-text", turnId: asTurnId(2), text: "From nine ", chars: 10 },
  "reply-tool-call": {
    kind: "reply-tool-call",
    turnId: asTurnId(2),
    id: "1",
    name: "hang_up",
    argumentsJson: "{}",
    chars: 2,
  },
  "reply-end": { kind: "reply-end", turnId: asTurnId(2) },
  "reply-failed": { kind: "reply-failed", turnId: asTurnId(2), code: "provider_failed" },
  "segment-audio": {
    kind: "segment-audio",
    turnId: asTurnId(2),
    segment: 0,
    samples: 160,
    words: [{ text: "From", startMs: 0, endMs: 180.5 }],
    wordCount: 1,
  },
  "segment-end": { kind: "segment-end", turnId: asTurnId(2), segment: 0, samples: 8_000 },
  "segment-failed": { kind: "segment-failed", turnId: asTurnId(2), segment: 1, code: "provider_failed" },
  "voice-chosen": { kind: "voice-chosen", language: "de", voiceId: "espeak/gmw/de", supportsLanguage: true },
  "phrases-chosen": {
    kind: "phrases-chosen",
    language: "sw",
    origin: "translated",
    phrases: {
      inactivity: "Bado upo?",
      apology: "Samahani?",
      filler: "Subiri.",
      goodbye: "Kwaheri.",
      limit: "Siwezi.",
    },
  },
  "provider-switched": { kind: "provider-switched", stage: "stt", from: "deepgram", to: "openai", code: "timed_out" },
  "detector-changed": { kind: "detector-changed", detector: "fvad2" },
  "context-exceeded": { kind: "context-exceeded", provider: "openai", tokensMax: 8_000, retried: true },
  "limit-reached": { kind: "limit-reached", scope: "call", limit: "llm_requests", action: "refuse" },
  "transfer-started": { kind: "transfer-started", target: "+4930901820", chars: 11 },
  "transfer-failed": { kind: "transfer-failed", target: "+4930901820", outcome: "no_answer", chars: 11 },
  "transfer-refused": { kind: "transfer-refused", text: "Numbers of this country are not called.", chars: 39 },
  passages: {
    kind: "passages",
    retrieval: 1,
    tookMs: 4,
    passages: [{ ...PASSAGE, page: 1, headings: ["Hours"], text: "From nine." }],
  },
  "retrieval-failed": { kind: "retrieval-failed", retrieval: 2, code: "unavailable" },
  "tool-result": {
    kind: "tool-result",
    turnId: asTurnId(2),
    toolCallId: asToolCallId("2.1"),
    result: "open",
    failed: false,
    chars: 4,
  },
};
/** Of passages only where they stand. */
const LISTED = { ...EVENTS, passages: { ...EVENTS.passages, passages: [{ ...PASSAGE, page: 1 }] } };
const COMMANDS: { [Kind in ListedCommand]: OfKind<JournaledCommand, Kind> } = {
  "generate-reply": { kind: "generate-reply", turnId: asTurnId(2), messages: 3, language: "en" },
  "preemptive-start": { kind: "preemptive-start", messages: 3, language: "en" },
  "conversation-trimmed": {
    kind: "conversation-trimmed",
    turnId: asTurnId(2),
    droppedTurns: 4,
    droppedMessages: 8,
    truncatedResults: 1,
    tokens: 12_000,
    tokensMax: 16_000,
  },
  "preemptive-cancel": { kind: "preemptive-cancel" },
  retrieve: { kind: "retrieve", retrieval: 1, question: "when are you open", language: "en", chars: 17 },
  "await-passages": { kind: "await-passages", turnId: asTurnId(2), retrieval: 1, waitMsMax: 8 },
  "passages-used": {
    kind: "passages-used",
    turnId: asTurnId(2),
    retrieval: 1,
    tookMs: 4,
    waitMs: 0,
    passages: [PASSAGE],
  },
  "retrieval-ended": { kind: "retrieval-ended", retrieval: 2, outcome: "failed" },
  held: { kind: "held", msMax: 300_000 },
  resumed: { kind: "resumed", reason: "requested", heldMs: 12_000 },
  "recording-paused": { kind: "recording-paused" },
  "recording-resumed": { kind: "recording-resumed", pausedMs: 9_000 },
  "turn-ended": {
    kind: "turn-ended",
    pauseMs: 184,
    waitMs: 180,
    probability: 0.92,
    reasons: ["question", "falling"],
    summary: "answered after 184 ms: question, falling",
  },
  "request-interim": { kind: "request-interim" },
  speak: { kind: "speak", turnId: asTurnId(2), segment: 0, text: "From nine to five.", reason: "greeting", chars: 18 },
  mark: { kind: "mark", name: "2.0" },
  "cancel-reply": {
    kind: "cancel-reply",
    turnId: asTurnId(2),
    clear: true,
    reason: "words",
    speechMs: 220,
    heardText: "From",
    chars: 4,
  },
  state: { kind: "state", state: "speaking", latency: LATENCY },
  turn: {
    kind: "turn",
    turn: {
      role: "agent",
      text: "From nine",
      startMs: callMs(10.5),
      endMs: callMs(20),
      interrupted: true,
      approximate: true,
      latency: LATENCY,
    },
    chars: 9,
  },
  pause: { kind: "pause", turnId: asTurnId(2) },
  resume: { kind: "resume", turnId: asTurnId(2), reason: "no_words" },
  rewind: { kind: "rewind", turnId: asTurnId(2), samples: 320 },
  ignore: { kind: "ignore", text: "mm-hm", startMs: callMs(10), endMs: callMs(12), chars: 5 },
  "run-tool": {
    kind: "run-tool",
    turnId: asTurnId(2),
    toolCallId: asToolCallId("2.1"),
    name: "opening_hours",
    arguments: { day: "Monday" },
  },
  "send-dtmf": { kind: "send-dtmf", digits: "12", chars: 2 },
  language: { kind: "language", language: "de", reason: "detected" },
  transfer: { kind: "transfer", target: "+4930901820", chars: 11 },
  end: { kind: "end", reason: "agent_hangup" },
};

describe("GET /calls/{id}/events", () => {
  test("lists every kind of event and command with all its fields", async () => {
    const { id, journal } = await active();
    for (const event of Object.values(EVENTS)) journal.add({ kind: "event", timeMs: callMs(10.25), event });
    // Usage and the network are for the record and are not listed.
    journal.add({
      kind: "event",
      timeMs: callMs(10.5),
      event: { kind: "usage", stage: "tts", provider: "espeak", usage: { characters: 8 } },
    });
    const counts = { packetsIn: 500, lostIn: 2, packetsOut: 480, lostOut: 1, jitterInMs: 4 };
    journal.add({ kind: "event", timeMs: callMs(10.5), event: { kind: "network", ...counts } });
    for (const command of Object.values(COMMANDS)) journal.add({ kind: "command", timeMs: callMs(20.75), command });
    await finish(id);
    expect(listOf(await ask(id))).toEqual({
      data: [
        ...Object.values(LISTED).map((event) => ({ atMs: 10, source: "event", ...event })),
        ...Object.values(COMMANDS).map((command) => ({ atMs: 21, source: "command", ...command })),
      ],
      nextCursor: null,
    });
  });

  test("lists the summaries of frames in order of time", async () => {
    const { id, journal } = await active();
    const frame = { audio: new Uint8Array(), audioOmitted: false };
    for (let atMs = 0; atMs < 1_000; atMs += 20) {
      journal.add({ kind: "frame-in", timeMs: callMs(atMs), mediaMs: mediaMs(atMs), isSpeech: atMs >= 500, ...frame });
    }
    for (let number = 0; number < 5; number += 1) {
      journal.add({ kind: "frame-out", timeMs: callMs(1_000), turnId: asTurnId(1), samples: 160, ...frame });
    }
    journal.end(9_000);
    await finish(id);
    expect(listOf(await ask(id)).data).toEqual([
      { atMs: 540, source: "event", kind: "speech-started", startMs: 500 },
      { atMs: 1_000, source: "event", kind: "playout-started", turnId: 1 },
      { atMs: 1_100, source: "event", kind: "playout-ended", turnId: 1, sentMs: 100 },
      { atMs: 9_000, source: "event", kind: "audio-gap", gapMs: 8_020, lostMs: 8_020 },
      { atMs: 9_000, source: "event", kind: "speech-ended", endMs: 980 },
      END,
    ]);
  });

  test("has pages of 200, or of the requested size up to 1,000", async () => {
    const { id, journal } = await active();
    mark(journal, 0, 1_500);
    journal.end(9_000);
    await finish(id);
    expect(listOf(await ask(id)).data).toEqual(expected(0, EVENTS_PAGE_DEFAULT));
    const found: ListedEvent[] = [];
    const lengths: number[] = [];
    for (let query = `?limit=${EVENTS_PAGE_MAX}`; ; ) {
      const { data, nextCursor } = listOf(await ask(id, query));
      found.push(...data);
      lengths.push(data.length);
      if (nextCursor === null) break;
      query = `?cursor=${nextCursor}&limit=${lengths.length === 1 ? 300 : 201}`;
    }
    expect(lengths).toEqual([1_000, 300, 201]);
    expect(found).toEqual([...expected(0, 1_500), END]);
    expect(listOf(await ask(id, "?limit=1")).data).toEqual(expected(0, 1));
  });

  test.each([
    ["?limit=0", ["/limit"]],
    ["?limit=1001", ["/limit"]],
    ["?limit=ten", ["/limit"]],
    ["?limit=1.5", ["/limit"]],
    ["?limit=", ["/limit"]],
    ["?limit=1&limit=2", ["/limit"]],
    ["?cursor=", ["/cursor"]],
    ["?cursor=abc", ["/cursor"]],
    ["?cursor=a&cursor=b", ["/cursor"]],
    ["?offset=3", ["/offset"]],
    ["?limit=0&kind=cut", ["/kind", "/limit"]],
  ])("%s is refused", async (query, paths) => {
    const { id } = await active();
    const answer = await ask(id, query);
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, "invalid_request", paths]);
  });

  test("a modified cursor, or one of another call, account or list, is refused", async () => {
    const [{ id, journal }, other] = [await active(), await active()];
    mark(journal, 0, 3);
    mark(other.journal, 0, 3);
    const cursor = listOf(await ask(id, "?limit=1")).nextCursor ?? "";
    const strange = await api.stores.accounts.ensure("second");
    const foreign = [
      cursorOf("1", ["events", strange, id]),
      cursorOf("1", ["calls", api.accountId, {}]),
      listOf(await ask(other.id, "?limit=1")).nextCursor ?? "",
    ];
    const changed = Array.from(
      cursor,
      (char, at) => `${cursor.slice(0, at)}${char === "A" ? "B" : "A"}${cursor.slice(at + 1)}`,
    );
    // A forged cursor leads only to a position in the same list.
    const made = ["", "-1", "1.5", "1e3", "x", " 1", "9".repeat(16)].map((place) =>
      cursorOf(place, ["events", api.accountId, id]),
    );
    for (const bad of [...foreign, ...changed, ...made, `${cursor}A`, `${cursor}=`, cursor.slice(0, -1)]) {
      const answer = await ask(id, `?cursor=${encodeURIComponent(bad)}`);
      expect([bad, answer.status, pathsOf(answer)]).toEqual([bad, 400, ["/cursor"]]);
    }
    expect(listOf(await ask(id, `?cursor=${cursor}`)).data).toEqual(expected(1, 3));
    const far = cursorOf("999999999999999", ["events", api.accountId, id]);
    expect(listOf(await ask(id, `?cursor=${far}`)).data).toEqual([]);
  });

  test("of an active call, the last cursor leads to later events until the call is over", async () => {
    const { id, journal } = await active();
    let next = listOf(await ask(id)).nextCursor;
    expect(listOf(await ask(id, `?cursor=${next}`))).toEqual({ data: [], nextCursor: next });
    for (let written = 0; written < 30; written += 10) {
      mark(journal, written, written + 10);
      // A partly written record does not count yet.
      const bytes = readFileSync(journal.path);
      mark(journal, written + 10, written + 11);
      truncateSync(journal.path, bytes.length + 20);
      const { data, nextCursor } = listOf(await ask(id, `?cursor=${next}`));
      expect(data).toEqual(expected(written, written + 10));
      expect(nextCursor).toEqual(expect.any(String));
      next = nextCursor;
      writeFileSync(journal.path, bytes);
    }
    journal.end(9_000);
    // The journal has the end before the record does.
    expect(listOf(await ask(id, `?cursor=${next}`))).toEqual({ data: [END], nextCursor: null });
    await finish(id);
    expect(listOf(await ask(id, `?cursor=${next}`))).toEqual({ data: [END], nextCursor: null });
  });

  test("of a lost call, ends with the journal and has no next cursor", async () => {
    const { id, journal } = await active();
    mark(journal, 0, 3);
    await finish(id, "failed");
    expect(listOf(await ask(id))).toEqual({ data: expected(0, 3), nextCursor: null });
    const { nextCursor } = listOf(await ask(id, "?limit=2"));
    expect(listOf(await ask(id, `?cursor=${nextCursor}`))).toEqual({ data: expected(2, 3), nextCursor: null });
    rmSync(journal.path);
    expect(listOf(await ask(id))).toEqual({ data: [], nextCursor: null });
  });

  test("is empty for a call without a stream, and has a next cursor while one may still connect", async () => {
    const { id } = (await api.post(MINIMAL_CALL)).body as { id: string };
    const { data, nextCursor } = listOf(await ask(id));
    expect([data, nextCursor]).toEqual([[], expect.any(String)]);
    api.clock.advance(61_000);
    expect(listOf(await ask(id, `?cursor=${nextCursor}`))).toEqual({ data: [], nextCursor: null });
    expect(listOf(await ask(id))).toEqual({ data: [], nextCursor: null });
  });

  test("an unreadable journal is 503, without its path or content", async () => {
    const { id, journal } = await active();
    writeFileSync(journal.path, "canary ".repeat(100));
    const answer = await ask(id);
    expect([answer.status, errorOf(answer).code]).toEqual([503, "unavailable"]);
    expect(answer.headers).toHaveProperty("retry-after");
    expect(answer.text).not.toContain("canary");
    expect(answer.text).not.toContain(api.directory);
    expect(api.logged.join("")).not.toContain("canary");
    expect(api.logged.join("")).toContain("it is not a journal");
  });

  test("A2, S5: another account's call and malformed ids are the same 404", async () => {
    const { id, journal } = await active();
    mark(journal, 0, 3);
    const otherAccountId = await api.stores.accounts.ensure("second");
    const { key } = await api.stores.apiKeys.create({ accountId: otherAccountId, name: "other" });
    const none = await ask("call_01990000-0000-7000-8000-000000000000", "", { "x-api-key": key });
    const cursor = listOf(await ask(id, "?limit=1")).nextCursor;
    const answers = [
      await ask(id, "", { "x-api-key": key }),
      await ask(id, `?cursor=${cursor}`, { "x-api-key": key }),
      ...(await Promise.all(
        ["a%00b", `..%2f${id}`, `${id}%00`, "x".repeat(5_000), "%2e%2e%2fx"].map((bad) => ask(bad)),
      )),
    ];
    for (const answer of [none, ...answers]) {
      expect(answer.status).toBe(404);
      expect({ ...errorOf(answer), requestId: "" }).toEqual({ ...errorOf(none), requestId: "" });
    }
  });
});
