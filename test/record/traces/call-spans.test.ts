import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { asCallId, asCorpusId, asDocumentId, asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import type { CallKnowledge } from "../../../src/core/knowledge/call-knowledge.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import { redactJournal } from "../../../src/record/redaction/redact-journal.ts";
import { CallSpans } from "../../../src/record/traces/call-spans.ts";
import { LiveSpans } from "../../../src/record/traces/live-spans.ts";
import { type CallSpan, spanIdOf, traceIdOf } from "../../../src/record/traces/spans.ts";
import { CORPUS } from "../../support/journals/corpus.ts";
import { SPEC, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";

const ALL = { afterNumber: 0, hasWords: true };
const FOLDER = fileURLToPath(CORPUS);
const JOURNALS = readdirSync(FOLDER).filter((name) => name.endsWith(".tlj"));

const at = (ms: number) => callMs(ms);
const children = (spans: readonly CallSpan[], parent: CallSpan): CallSpan[] =>
  spans.filter((span) => span.parent === parent.number);
const speech = (spans: readonly CallSpan[], name: string) =>
  spans
    .filter((span) => span.name === name)
    .map(({ startMs, endMs, attributes }) => ({
      startMs,
      endMs,
      text: attributes["trunkline.speech.text"] ?? "",
      interrupted: attributes["trunkline.speech.interrupted"],
    }));
const ofRole = (turns: readonly TranscriptTurn[], role: TranscriptTurn["role"]) =>
  turns
    .filter((turn) => turn.role === role)
    .map(({ startMs, endMs, text, interrupted }) => ({ startMs, endMs, text, interrupted }));

/** The milestones of a turn, as the attributes of its span name them. */
const milestonesOf = ({ attributes }: CallSpan) =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name.startsWith("trunkline.latency."))
      .map(([name, ms]) => [
        name.slice("trunkline.latency.".length).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        ms,
      ]),
  );

describe.each(JOURNALS)("%s", (name) => {
  test("its spans say of each turn what its record says, to the millisecond", async () => {
    const { spans, turns } = await projectJournal(FOLDER + name, ALL);
    expect(speech(spans, "caller speech")).toEqual(ofRole(turns, "user"));
    expect(speech(spans, "agent speech")).toEqual(ofRole(turns, "agent"));
    const replies = turns.filter(({ latency }) => latency !== undefined);
    const traced = spans.filter((span) => Object.keys(milestonesOf(span)).length > 0);
    expect(traced.map(milestonesOf)).toEqual(replies.map(({ latency }) => latency));
    for (const turn of traced) {
      const below = children(spans, turn);
      const span = (wanted: string) => below.find((child) => child.name === wanted) as CallSpan;
      const { endOfTurnMs, firstFrameMs, firstAudioMs } = milestonesOf(turn) as Record<string, number>;
      const spokenUntilMs = millisecondsOf(span("first frame sent").endMs) - (firstFrameMs as number);
      expect(millisecondsOf(span("first frame sent").startMs)).toBe(spokenUntilMs + (firstAudioMs as number));
      expect(millisecondsOf(span("end of turn").endMs)).toBe(spokenUntilMs + (endOfTurnMs as number));
      expect(span("first frame heard").endMs).toBe(span("agent speech").startMs);
    }
  });

  test("its spans are one tree, and lie within their turns", async () => {
    const { spans } = await projectJournal(FOLDER + name, ALL);
    expect(spans.map(({ number }) => number)).toEqual(spans.map((_, index) => index + 1));
    for (const span of spans) {
      expect(span.endMs >= span.startMs).toBe(true);
      expect(Number.isInteger(span.startMs) && Number.isInteger(span.endMs)).toBe(true);
      if (span.parent === 0) continue;
      const turn = spans[span.parent - 1] as CallSpan;
      expect(turn.name).toBe("turn");
      expect(turn.startMs <= span.startMs && turn.endMs >= span.endMs).toBe(true);
    }
  });

  test("read in steps it gives the same spans, and after a restart the rest of them", async () => {
    const { spans } = await projectJournal(FOLDER + name, ALL);
    const live = new LiveSpans();
    const first = await live.read(asCallId("call"), FOLDER + name, ALL);
    const known = first?.spans.at(-1)?.number ?? 0;
    expect([
      ...(first?.spans ?? []),
      ...(await projectJournal(FOLDER + name, { ...ALL, afterNumber: known })).spans,
    ]).toEqual(spans);
    const again = await new LiveSpans().read(asCallId("call"), FOLDER + name, { ...ALL, afterNumber: 1 });
    expect(again?.spans).toEqual((first?.spans ?? []).slice(1));
  });

  test("without words no span has any", async () => {
    const { turns } = await projectJournal(FOLDER + name);
    const { spans } = await projectJournal(FOLDER + name, { ...ALL, hasWords: false });
    for (const { text } of turns) if (text.length > 3) expect(JSON.stringify(spans)).not.toContain(text);
  });
});

const event = (timeMs: number, fields: Extract<JournalRecord, { kind: "event" }>["event"]): JournalRecord => ({
  kind: "event",
  timeMs: at(timeMs),
  event: fields,
});
const command = (timeMs: number, fields: Extract<JournalRecord, { kind: "command" }>["command"]): JournalRecord => ({
  kind: "command",
  timeMs: at(timeMs),
  command: fields,
});
const TURN = asTurnId(2);
const TOOL = asToolCallId("tool_1");

/** A turn with a tool, and without anything that is heard of the reply. */
const WITH_TOOL: readonly JournalRecord[] = [
  event(900, { kind: "stt-final", text: "Where is my order?" }),
  command(1_000.4, { kind: "generate-reply", turnId: TURN, messages: 2, language: "en" }),
  event(1_300.4, { kind: "reply-end", turnId: TURN }),
  event(1_301, {
    kind: "usage",
    stage: "llm",
    provider: "openai",
    usage: { inputTokens: 100, outputTokens: 12, model: "gpt-4o-mini" },
  }),
  command(1_302, { kind: "run-tool", turnId: TURN, toolCallId: TOOL, name: "find_order", arguments: { id: "C-3" } }),
  event(1_500, { kind: "tool-result", turnId: TURN, toolCallId: TOOL, result: "on its way", failed: false }),
  command(1_500, { kind: "generate-reply", turnId: TURN, messages: 4, language: "en" }),
  event(1_800, { kind: "reply-failed", turnId: TURN, code: "provider_failed" }),
  command(2_000, { kind: "end", reason: "provider_error" }),
];

function spansOf(records: readonly JournalRecord[], request = ALL): CallSpan[] {
  const spans = new CallSpans(request);
  for (const record of records) spans.take(record);
  return spans.completed();
}

test("each round of the LLM and each tool has its span, by the names of the semantic conventions", () => {
  expect(spansOf(WITH_TOOL).map(({ name, startMs, endMs, errorType }) => [name, startMs, endMs, errorType])).toEqual([
    ["turn", 1_000, 1_800, undefined],
    ["chat gpt-4o-mini", 1_000, 1_300, undefined],
    ["execute_tool find_order", 1_302, 1_500, undefined],
    ["chat", 1_500, 1_800, "provider_failed"],
  ]);
  const [, chat, tool] = spansOf(WITH_TOOL);
  expect(chat?.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 12,
  });
  expect(tool?.attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "find_order",
    "gen_ai.tool.call.id": TOOL,
    "gen_ai.tool.call.arguments": '{"id":"C-3"}',
    "gen_ai.tool.call.result": "on its way",
  });
});

test("a tool's arguments and its result are words", () => {
  const tool = spansOf(WITH_TOOL, { ...ALL, hasWords: false }).find(({ name }) => name.startsWith("execute_tool"));
  expect(Object.keys(tool?.attributes ?? {})).toEqual([
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
  ]);
});

test("a reply that was dropped before the caller heard it is part of the turn that goes on", () => {
  const spans = spansOf([
    command(1_000, { kind: "generate-reply", turnId: asTurnId(1), messages: 2, language: "en" }),
    command(1_200, {
      kind: "cancel-reply",
      turnId: asTurnId(1),
      clear: false,
      reason: "words",
      speechMs: 0,
      heardText: "",
    }),
    command(2_000, { kind: "generate-reply", turnId: TURN, messages: 2, language: "en" }),
    event(2_500, { kind: "reply-end", turnId: TURN }),
    command(3_000, { kind: "end", reason: "caller_hangup" }),
  ]);
  expect(spans.map(({ name, startMs, endMs, parent }) => [name, startMs, endMs, parent])).toEqual([
    ["turn", 1_000, 2_500, 0],
    ["chat", 1_000, 1_200, 1],
    ["chat", 2_000, 2_500, 1],
  ]);
});

test("a preemptive reply begins when it was requested, and one that is not used is shown as discarded", () => {
  const spans = spansOf([
    command(100, { kind: "preemptive-start", messages: 2, language: "en" }),
    command(200, { kind: "preemptive-cancel" }),
    command(300, { kind: "preemptive-start", messages: 2, language: "en" }),
    command(500, { kind: "generate-reply", turnId: TURN, messages: 2, language: "en" }),
    event(510, { kind: "reply-end", turnId: TURN }),
    event(520, { kind: "usage", stage: "llm", provider: "openai", usage: { inputTokens: 5 }, preemptive: 2 }),
    command(600, { kind: "end", reason: "caller_hangup" }),
  ]);
  const chats = spans.filter(({ name }) => name === "chat");
  expect(chats.map(({ startMs, endMs, events }) => [startMs, endMs, events?.map(({ name }) => name)])).toEqual([
    [100, 200, undefined],
    [300, 510, ["preemptive reply used"]],
  ]);
  expect(chats.map(({ attributes }) => attributes["trunkline.llm.discarded"])).toEqual([true, undefined]);
  expect(chats[1]?.attributes["gen_ai.usage.input_tokens"]).toBe(5);
});

const DOCUMENT = asDocumentId("doc_1");
const passages = [{ corpusId: asCorpusId("cor_1"), documentId: DOCUMENT, documentName: "a.pdf", score: 2.5 }];

const WITH_QUESTIONS = [
  command(100, { kind: "retrieve", retrieval: 1, question: "Where", language: "en" }),
  command(200, { kind: "retrieval-ended", retrieval: 1, outcome: "cancelled" }),
  command(200, { kind: "retrieve", retrieval: 2, question: "Where is my order?", language: "en" }),
  event(230, {
    kind: "passages",
    retrieval: 2,
    tookMs: 30,
    passages: [{ ...passages[0], ordinal: 0, headings: [], page: undefined, text: "In the van." } as never],
  }),
  command(500, { kind: "passages-used", turnId: TURN, retrieval: 2, tookMs: 30, waitMs: 0, passages }),
  command(500, { kind: "generate-reply", turnId: TURN, messages: 3, language: "en" }),
  command(600, { kind: "retrieve", retrieval: 3, question: "And", language: "en" }),
  event(700, { kind: "reply-end", turnId: TURN }),
  event(710, { kind: "retrieval-failed", retrieval: 3, code: "unavailable" }),
  command(710, { kind: "retrieval-ended", retrieval: 3, outcome: "failed" }),
  command(800, { kind: "generate-reply", turnId: asTurnId(3), messages: 5, language: "en" }),
  event(900, { kind: "reply-end", turnId: asTurnId(3) }),
  command(1_000, { kind: "end", reason: "caller_hangup" }),
];

test("each question to the corpora has its span in the turn that it was asked for", () => {
  const spans = spansOf(WITH_QUESTIONS);
  expect(spans.map(({ name, startMs, endMs, parent, errorType }) => [name, startMs, endMs, parent, errorType])).toEqual(
    [
      ["turn", 100, 700, 0, undefined],
      ["retrieval", 100, 200, 1, undefined],
      ["retrieval", 200, 230, 1, undefined],
      ["chat", 500, 700, 1, undefined],
      ["turn", 600, 900, 0, undefined],
      ["retrieval", 600, 710, 5, "unavailable"],
      ["chat", 800, 900, 5, undefined],
    ],
  );
  expect(spans[2]?.attributes).toEqual({
    "gen_ai.operation.name": "retrieval",
    "gen_ai.retrieval.query.text": "Where is my order?",
    "gen_ai.retrieval.documents": '[{"id":"doc_1","score":2.5}]',
    "trunkline.language": "en",
    "trunkline.retrieval.outcome": "used",
    "trunkline.retrieval.wait_ms": 0,
  });
  expect(spans[1]?.attributes["trunkline.retrieval.outcome"]).toBe("cancelled");
  expect(JSON.stringify(spansOf(WITH_QUESTIONS, { ...ALL, hasWords: false }))).not.toMatch(/Where|van|a\.pdf/);
});

test("while a call with one corpus is live, its questions have the corpus as their source, as they have afterwards", async () => {
  const corpora = [{ id: asCorpusId("cor_1"), name: "Orders", description: "" }];
  const knowledge: CallKnowledge = { retrieval: "always", corpora, passagesMax: 3, fence: "f" };
  const tools: CallSpec["tools"] = [{ kind: "built_in", name: "query_corpus", fixedArguments: {}, knowledge }];
  const journal = new JournalFile({ ...START, spec: { ...SPEC, tools } });
  journal.add(...(WITH_QUESTIONS as Exclude<JournalRecord, { kind: "header" }>[]));
  const live = await new LiveSpans().read(START.callId, journal.path, ALL);
  const { spans } = await projectJournal(journal.path, ALL);
  expect(live?.spans).toEqual(spans.slice(0, live?.spans.length));
  const questions = live?.spans.filter(({ name }) => name.startsWith("retrieval")) ?? [];
  expect(questions.length).toBeGreaterThan(1);
  for (const { attributes } of questions) expect(attributes["gen_ai.data_source.id"]).toBe("cor_1");
});

test("a question of the LLM has a span within that of its tool", () => {
  const records = WITH_TOOL.map((record) =>
    record.kind === "event" && record.event.kind === "tool-result"
      ? event(1_500, { ...record.event, retrieval: { tookMs: 40, passages } })
      : record,
  );
  const span = spansOf(records).find(({ name }) => name === "retrieval");
  expect([span?.startMs, span?.endMs, span?.attributes["trunkline.retrieval.outcome"]]).toEqual([1_460, 1_500, "used"]);
});

test("a live transcription has a span for each utterance, in the time of the call", () => {
  const spans = spansOf([
    event(250, { kind: "leg-started", codec: "mulaw" }),
    command(2_000, { kind: "utterance", text: "Hello.", startMs: 100, endMs: 900 }),
    command(2_500, { kind: "utterance", text: "", startMs: 1_000, endMs: 1_000 }),
    command(3_000, { kind: "end", reason: "caller_hangup", audioMs: 2_500 }),
  ]);
  expect(spans.map(({ name, startMs, endMs, parent }) => [name, startMs, endMs, parent])).toEqual([
    ["utterance", 350, 1_150, 0],
  ]);
});

test("a journal without an end closes what is open, and its trace is complete", async () => {
  const journal = new JournalFile().add(...(WITH_TOOL.slice(0, -2) as Exclude<JournalRecord, { kind: "header" }>[]));
  const { spans, hasEnd } = await projectJournal(journal.path, ALL);
  expect(hasEnd).toBe(false);
  expect(spans.map(({ name }) => name)).toContain("execute_tool find_order");
});

test("a call that will be redacted has no words in its spans while it is live, and the same spans afterwards", async () => {
  const spec: CallSpec = { ...SPEC, redact: ["card_number"] };
  const journal = new JournalFile({ ...START, spec });
  journal.add(...(WITH_TOOL as Exclude<JournalRecord, { kind: "header" }>[]));
  const live = await new LiveSpans().read(START.callId, journal.path, ALL);
  const words = /on its way|C-3|Where is/;
  expect(JSON.stringify(live?.spans)).not.toMatch(words);
  await redactJournal({ path: journal.path, key: undefined });
  const { spans } = await projectJournal(journal.path, ALL);
  expect(JSON.stringify(spans)).toMatch(words);
  const placesOf = (of: readonly CallSpan[] = []) =>
    of.map(({ number, name, startMs, endMs }) => [number, name, startMs, endMs]);
  expect(placesOf(spans)).toEqual(placesOf(live?.spans));
});

test("the trace id of a call is its id without dashes", () => {
  const id = asCallId("call_01980000-0000-7000-8000-000000000001");
  expect(traceIdOf(id)).toBe("01980000000070008000000000000001");
  expect(traceIdOf(asCallId("call_of_another_form"))).toMatch(/^[0-9a-f]{32}$/);
  expect(spanIdOf(traceIdOf(id), 0)).toBe("0000000100000001");
  expect(spanIdOf("0".repeat(32), 255)).toBe("0000000000000100");
});
