import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { callMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { codeOf } from "../../../src/core/errors.ts";
import { BufferedReply } from "../../../src/gateway/agent/buffered-reply.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import type { LlmEvent } from "../../../src/speech/contracts.ts";
import { leg } from "../../callers/leg.ts";
import { FIXED_PAUSES_PREEMPTIVE } from "../../support/calls/fixed-pauses.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";

const REQUEST = { messages: [], tools: [], temperature: 0, language: "en" };
const FAILING: LlmStep[] = [{ afterMs: 100, event: { kind: "fail" } }];

function request(steps: readonly LlmStep[]) {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, [steps]);
  const received: string[] = [];
  const firstMs: number[] = [];
  const reply = new BufferedReply({
    open: (signal) => llm.reply(REQUEST, signal),
    onFirst: (tookMs) => firstMs.push(tookMs),
    onOverlong: () => received.push("too much"),
    nowMs: () => callMs(millisecondsOf(clock.nowMs())),
  });
  const answer = (): void =>
    reply.deliverTo(
      (event: LlmEvent) => received.push(event.kind === "text" ? event.text : event.kind),
      (error) => received.push(codeOf(error)),
    );
  return { clock, llm, reply, answer, received, firstMs };
}

describe("a preemptive reply", () => {
  test("is buffered until a consumer attaches, and then delivered completely, in order, in a later microtask", async () => {
    const { clock, answer, received } = request(textReply("one two three", { firstMs: 100, perWordMs: 100 }));
    await clock.play(250);
    expect(received).toEqual([]);
    answer();
    expect(received).toEqual([]);
    await settled();
    expect(received).toEqual(["one", " two"]);
    await clock.play(200);
    expect(received).toEqual(["one", " two", " three", "end"]);
  });

  test("delivers nothing after it was cancelled, not even what it has buffered", async () => {
    const { clock, llm, reply, answer, received } = request(
      textReply("one two three", { firstMs: 100, perWordMs: 100 }),
    );
    await clock.play(250);
    answer();
    reply.cancel();
    await clock.play(500);
    expect([received, llm.aborted]).toEqual([[], 1]);
  });

  test("reports an early failure before a consumer attaches, and to a consumer that has attached", async () => {
    const early = request(FAILING);
    await early.clock.play(150);
    expect(early.reply.hasFailed).toBe(true);
    const late = request(FAILING);
    late.answer();
    await late.clock.play(150);
    expect(late.received).toEqual(["provider_failed"]);
  });

  test("reports once how long its first event took, and nothing of a request that fails before it", async () => {
    const { clock, firstMs } = request(textReply("one two", { firstMs: 100, perWordMs: 100 }));
    await clock.play(500);
    expect(firstMs).toEqual([100]);
    const failing = request(FAILING);
    await failing.clock.play(500);
    expect(failing.firstMs).toEqual([]);
  });
});

/** A call whose caller says something and pauses; records the LLM requests and the call's events. */
async function conversation(finalText: string, replies: readonly (readonly LlmStep[])[]) {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, replies);
  const events: CallEvent[] = [];
  const call = leg({
    shared: { clock, ticker: new Ticker(clock) },
    spec: { firstSpeaker: "user" },
    parameters: FIXED_PAUSES_PREEMPTIVE,
    stt: new ScriptedStt(clock, [
      { atMs: 1_000, event: { kind: "interim", text: "when are you open" } },
      { atMs: 1_600, event: { kind: "final", text: finalText } },
    ]),
    llm,
    tamper: ({ journal }) => {
      const { event } = journal;
      journal.event = (atMs, journaled) => {
        events.push(journaled);
        event.call(journal, atMs, journaled);
      };
    },
  });
  call.start();
  await call.listen(4_000);
  call.connection.closed(1_006, false);
  const texts = events.flatMap((journaled) => (journaled.kind === "reply-text" ? [journaled.text] : []));
  return { llm, said: texts.join(""), events, call };
}

describe("a call with preemptive replies", () => {
  test("sends one request when the final transcript agrees, and delivers the reply only then", async () => {
    const { llm, said, events } = await conversation("When are you open?", [textReply("At nine.", { firstMs: 100 })]);
    expect([llm.requests.length, said]).toEqual([1, "At nine."]);
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.indexOf("reply-text")).toBeGreaterThan(kinds.indexOf("stt-final"));
  });

  test("cancels the first reply and sends another request when the final transcript differs", async () => {
    const replies = [textReply("At nine", { firstMs: 100, perWordMs: 2_000 }), textReply("On Main Street.")];
    const { llm, said } = await conversation("Where are you open?", replies);
    expect([llm.requests.length, llm.aborted, said]).toEqual([2, 1, "On Main Street."]);
  });

  test("sends another request when the preemptive one has failed", async () => {
    const { llm, said, call } = await conversation("When are you open?", [FAILING, textReply("At nine.")]);
    expect([llm.requests.length, said]).toEqual([2, "At nine."]);
    expect(call.ends()).toMatchObject([{ stageFailures: 0 }]);
  });

  test("cancels the preemptive request when the call ends", async () => {
    const clock = new ManualClock();
    const llm = new ScriptedLlm(clock, [textReply("At nine.", { firstMs: 60_000 })]);
    const call = leg({
      shared: { clock, ticker: new Ticker(clock) },
      spec: { firstSpeaker: "user" },
      parameters: FIXED_PAUSES_PREEMPTIVE,
      stt: new ScriptedStt(clock, [{ atMs: 1_000, event: { kind: "interim", text: "when are you open" } }]),
      llm,
    });
    call.start();
    await call.listen(1_400);
    expect([llm.requests.length, llm.aborted]).toEqual([1, 0]);
    call.connection.closed(1_006, false);
    await settled();
    expect(llm.aborted).toBe(1);
  });
});
