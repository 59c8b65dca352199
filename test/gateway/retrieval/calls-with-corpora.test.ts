import { describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { unavailable } from "../../../src/core/errors.ts";
import type { CallKnowledge } from "../../../src/core/knowledge/call-knowledge.ts";
import type { RetrievalQuestion } from "../../../src/core/knowledge/passages.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { EventLister, type ListedEvent } from "../../../src/record/events/event-list.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { CORPUS_ID, DOCUMENT_ID, FENCE, passage, queryCorpus } from "../../support/knowledge/passages.ts";
import { type ScriptedAnswer, ScriptedRetriever } from "../../support/knowledge/scripted-retriever.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";

const asks: LlmStep[] = [
  {
    afterMs: 0,
    event: {
      kind: "tool-call",
      id: "a",
      name: "query_corpus",
      argumentsJson: '{"question":"What does a canary cost?"}',
    },
  },
  { afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: 1 } },
];

const found = (): ScriptedAnswer => ({ passages: [passage("A canary costs two euros.")], tookMs: 8, afterMs: 8 });

/** A call whose caller types, and whose LLM answers these steps. */
function scene(
  rest: Partial<CallKnowledge>,
  steps: LlmStep[][],
  answer: (question: RetrievalQuestion) => ScriptedAnswer = found,
  spec: Partial<CallSpec> = {},
) {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, steps);
  const retriever = new ScriptedRetriever(clock, answer);
  const call = websocketLeg({
    spec: { firstSpeaker: "user", tools: [queryCorpus(rest)], ...spec },
    llm,
    retriever: () => retriever,
    shared: { clock, ticker: new Ticker(clock) },
  });
  return { call, llm, retriever };
}

const REFERENCE = { corpusId: CORPUS_ID, documentId: DOCUMENT_ID, score: 1.5 };
const NAMED = { ...REFERENCE, documentName: "Price list", page: 3, ordinal: 0 };

/** The events of a journal that concern passages. */
async function listed(path: string): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  let lister: EventLister | undefined;
  await readJournal(path, (record) => {
    if (record.kind === "header") lister = new EventLister(record.header, (event) => events.push(event));
    else lister?.take(record);
  });
  return events.filter(({ kind }) =>
    ["retrieve", "await-passages", "passages", "passages-used", "retrieval-ended", "tool-result"].includes(kind),
  );
}

describe("a call whose corpora are asked for every turn", () => {
  test("gives the LLM the passages, and its events and record say which", async () => {
    const { call, llm, retriever } = scene({ retrieval: "always" }, [textReply("Two euros.")]);
    call.type("What does a canary cost?");
    await call.clock.play(4_000);
    expect(retriever.questions).toEqual([
      { corpora: [CORPUS_ID], text: "What does a canary cost?", languageId: "en", passagesMax: 5 },
    ]);
    const texts = llm.requests[0]?.messages.map(({ text }) => text) ?? [];
    expect(texts.at(-2)).toContain(`----- ${FENCE} -----\n{"document":"Price list","page":3`);
    expect(texts.at(-1)).toBe("What does a canary cost?");
    call.hangUp();
    await call.clock.play(1_000);
    expect((await listed(call.journalPath)).map(({ atMs: _, source: __, ...event }) => event)).toEqual([
      { kind: "retrieve", retrieval: 1, question: "What does a canary cost?", language: "en" },
      { kind: "await-passages", turnId: 1, retrieval: 1, waitMsMax: 150 },
      { kind: "passages", retrieval: 1, tookMs: 8, passages: [NAMED] },
      { kind: "passages-used", turnId: 1, retrieval: 1, tookMs: 8, waitMs: 8, passages: [NAMED] },
    ]);
    const { turns } = await projectJournal(call.journalPath);
    expect(turns.at(-1)).toMatchObject({ role: "agent", retrieval: { tookMs: 8, passages: [NAMED] } });
  });

  test("its journal gives the same call again", async () => {
    const { call } = scene({ retrieval: "always" }, [textReply("Two euros.")]);
    call.type("What does a canary cost?");
    await call.clock.play(4_000);
    call.type("And a parrot?");
    await call.clock.play(4_000);
    call.hangUp();
    await call.clock.play(1_000);
    const { journaled, replayed } = await replayJournal(call.journalPath);
    expect(replayed).toEqual(journaled);
    expect(journaled.filter(({ command }) => command.kind === "passages-used")).toHaveLength(2);
  });

  test("without a transcript its journal has ids and scores, and no word of a document", async () => {
    const { call } = scene({ retrieval: "always" }, [textReply("Two euros.")], found, { transcriptEnabled: false });
    call.type("What does a canary cost?");
    await call.clock.play(4_000);
    call.hangUp();
    await call.clock.play(1_000);
    const events = await listed(call.journalPath);
    expect(JSON.stringify(events)).not.toMatch(/canary|Price list|Bread/);
    expect(events).toContainEqual(expect.objectContaining({ kind: "passages", passages: [REFERENCE] }));
    const { turns } = await projectJournal(call.journalPath);
    expect(turns.at(-1)?.retrieval).toEqual({ tookMs: 8, passages: [REFERENCE] });
    expect(call.logged.join()).not.toMatch(/canary|Price list/);
  });

  test("a corpus that is deleted while the call uses it, and an index that fails, cost an answer nothing", async () => {
    const answers = [found(), { passages: [], tookMs: 1 }, unavailable("the index is being rebuilt")];
    const { call, llm } = scene({ retrieval: "always" }, [textReply("Two euros.")], () => answers.shift() ?? "hangs");
    for (const text of ["What does a canary cost?", "And a parrot?", "And a finch?"]) {
      call.type(text);
      await call.clock.play(4_000);
    }
    expect(llm.requests.map(({ messages }) => messages.some(({ text }) => text.includes(FENCE)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(call.done()).toBe(0);
    call.hangUp();
  });

  test("a question is aborted when the caller hangs up", async () => {
    const { call, retriever } = scene({ retrieval: "always" }, [textReply("Two euros.")], () => "hangs");
    call.type("What does a canary cost?");
    await call.clock.play(50);
    call.hangUp();
    await call.clock.play(1_000);
    expect(retriever.aborted).toBe(1);
  });
});

describe("a call whose LLM asks corpora", () => {
  test("has the passages as the tool's result, and events and record say which", async () => {
    const { call, llm } = scene({ retrieval: "tool" }, [asks, textReply("Two euros.")]);
    call.type("What does a canary cost?");
    await call.clock.play(4_000);
    expect(llm.requests[0]?.tools).toMatchObject([
      { name: "query_corpus", description: expect.stringContaining("- Bakery: Prices and opening hours.") },
    ]);
    expect(llm.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      name: "query_corpus",
      text: expect.stringContaining(`----- ${FENCE} -----\n{"document":"Price list","page":3`),
    });
    call.hangUp();
    await call.clock.play(1_000);
    expect(await listed(call.journalPath)).toMatchObject([
      { kind: "tool-result", failed: false, retrieval: { tookMs: 8, passages: [NAMED] } },
    ]);
    const { turns } = await projectJournal(call.journalPath);
    expect(turns.at(-1)).toMatchObject({ role: "agent", retrieval: { tookMs: 8, passages: [NAMED] } });
    const { journaled, replayed } = await replayJournal(call.journalPath);
    expect(replayed).toEqual(journaled);
  });
});
