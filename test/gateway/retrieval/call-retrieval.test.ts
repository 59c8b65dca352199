import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { unavailable } from "../../../src/core/errors.ts";
import { PASSAGES_CHARS_MAX, RETRIEVAL_MS_MAX } from "../../../src/core/limits/knowledge/call-knowledge.ts";
import { CallRetrieval } from "../../../src/gateway/retrieval/call-retrieval.ts";
import { CORPUS_ID, FENCE, knowledge, passage } from "../../support/knowledge/passages.ts";
import { type ScriptedAnswer, ScriptedRetriever } from "../../support/knowledge/scripted-retriever.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const answered = (texts: readonly string[], afterMs = 10): ScriptedAnswer => ({
  passages: texts.map((text, ordinal) => passage(text, { ordinal })),
  tookMs: afterMs,
  afterMs,
});

function scene(answer: () => ScriptedAnswer = () => answered(["two euros"]), hasRetriever = true) {
  const clock = new ManualClock();
  const retriever = new ScriptedRetriever(clock, answer);
  const delivered: CallEvent[] = [];
  const counted: string[] = [];
  const times: number[] = [];
  const retrieval = new CallRetrieval({
    knowledge: knowledge({ passagesMax: 3 }),
    retriever: hasRetriever ? retriever : undefined,
    metrics: {
      retrievalEnded: (mode, outcome) => counted.push(`${mode} ${outcome}`),
      retrievalAnswered: (tookMs) => times.push(tookMs),
    },
    deliver: (event) => delivered.push(event),
    clock,
  });
  const ask = (number: number, question = "What does a canary cost?"): void =>
    retrieval.retrieve({ kind: "retrieve", retrieval: number, question, language: "en" });
  return { clock, retriever, delivered, counted, times, retrieval, ask };
}

describe("a question for a turn", () => {
  test("goes to the corpora of the call, and its answer to the call with the time that it took", async () => {
    const { clock, retriever, delivered, times, ask } = scene();
    ask(1);
    expect(delivered).toEqual([]);
    await clock.play(50);
    expect(retriever.questions).toEqual([
      { corpora: [CORPUS_ID], text: "What does a canary cost?", languageId: "en", passagesMax: 3 },
    ]);
    expect(delivered).toEqual([{ kind: "passages", retrieval: 1, tookMs: 10, passages: [passage("two euros")] }]);
    expect(times).toEqual([10]);
    expect(clock.pending).toBe(0);
  });

  test("is aborted by the next one, and its answer is not delivered", async () => {
    const { clock, retriever, delivered, ask } = scene();
    ask(1);
    ask(2);
    await clock.play(50);
    expect(retriever.aborted).toBe(1);
    expect(delivered.map((event) => "retrieval" in event && event.retrieval)).toEqual([2]);
  });

  test("is aborted when the answer to the caller waits no longer, and at the end of the call", async () => {
    const { clock, retriever, delivered, counted, retrieval, ask } = scene();
    ask(1);
    retrieval.ended({ kind: "retrieval-ended", retrieval: 1, outcome: "late" });
    ask(2);
    retrieval.close();
    await clock.play(50);
    expect([retriever.aborted, delivered, counted]).toEqual([2, [], ["always late"]]);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ["a retriever that fails", () => unavailable("no index"), "unavailable"],
    ["one that hangs", () => "hangs" as const, "unavailable"],
  ])("%s costs an event", async (_, answer, code) => {
    const { clock, delivered, ask } = scene(answer);
    ask(1);
    await clock.play(RETRIEVAL_MS_MAX + 10);
    expect(delivered).toEqual([{ kind: "retrieval-failed", retrieval: 1, code }]);
  });

  test("fails in a process without an index", async () => {
    const { clock, delivered, ask } = scene(undefined, false);
    ask(1);
    await clock.play(1);
    expect(delivered).toEqual([{ kind: "retrieval-failed", retrieval: 1, code: "unavailable" }]);
  });

  test("has no more passages than asked for, and than a prompt takes", async () => {
    const long = "word ".repeat(PASSAGES_CHARS_MAX / 10);
    const { clock, delivered, ask } = scene(() => answered([long, long, "short", "one too many"]));
    ask(1);
    await clock.play(50);
    const [event] = delivered;
    expect(event?.kind === "passages" && event.passages.map(({ ordinal }) => ordinal)).toEqual([0]);
  });
});

describe("a question of the LLM", () => {
  test("has the passages between the fences of the call as its result", async () => {
    const { clock, counted, retrieval } = scene();
    const asked = retrieval.query("What does a loaf cost?", "en", new AbortController().signal);
    await clock.play(50);
    const { text, retrieval: found, fault } = await asked;
    expect(text).toContain(`----- ${FENCE} -----\n{"document":"Price list"`);
    expect(found).toMatchObject({ tookMs: 10, passages: [{ corpusId: CORPUS_ID, page: 3 }] });
    expect([fault, counted]).toEqual([undefined, ["tool used"]]);
  });

  test("of a corpus that was deleted while the call uses it finds nothing, and says so", async () => {
    let isDeleted = false;
    const { clock, retrieval } = scene(() => answered(isDeleted ? [] : ["two euros"]));
    isDeleted = true;
    const asked = retrieval.query("What does a loaf cost?", "en", new AbortController().signal);
    await clock.play(50);
    expect(await asked).toEqual({
      text: "Nothing was found in the documents.",
      retrieval: { tookMs: 10, passages: [] },
    });
  });

  test("that fails is an error for the LLM, and no exception", async () => {
    const { clock, counted, retrieval } = scene(() => unavailable("no index"));
    const asked = retrieval.query("What does a loaf cost?", "en", new AbortController().signal);
    await clock.play(50);
    expect(await asked).toMatchObject({
      text: "Error: the documents cannot be searched at present.",
      fault: "unreachable",
    });
    expect(counted).toEqual(["tool failed"]);
  });
});
