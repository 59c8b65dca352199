import { expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor, ttsWithBreaker } from "../../support/providers/breakers.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

/** The call's events from its providers, in order; of transcripts only the words. */
function trailOf(event: CallEvent): string[] {
  switch (event.kind) {
    case "stt-interim":
    case "stt-final":
    case "reply-text":
      return [`${event.kind}: ${event.text.trim()}`];
    case "segment-audio":
      return event.words.map(({ text }) => `spoken: ${text}`);
    case "reply-end":
    case "stt-failed":
    case "reply-failed":
    case "segment-failed":
      return [event.kind];
    case "provider-switched":
      return [`${event.stage}: ${event.from} to ${event.to}: ${event.code}`];
    default:
      return [];
  }
}

test("P3: STT, LLM and TTS fail in the middle of a sentence: fallbacks continue, and no word is lost", {
  tags: ["stt", "llm", "tts"],
}, async () => {
  const clock = new ManualClock();
  const stts = [
    new ScriptedStt(clock, [
      { atMs: 1_000, event: { kind: "interim", text: "I would" } },
      { atMs: 1_200, event: { kind: "fail" } },
    ]),
    new ScriptedStt(clock, [
      { atMs: 300, event: { kind: "interim", text: "I would like" } },
      { atMs: 900, event: { kind: "final", text: "I would like a loaf" } },
    ]),
  ];
  const [first, second] = [
    new ScriptedLlm(clock, [
      [
        { afterMs: 100, event: { kind: "text", text: "We have" } },
        { afterMs: 100, event: { kind: "fail" } },
      ],
    ]),
    new ScriptedLlm(clock, [textReply("rye and wheat.", { firstMs: 100 })]),
  ];
  const ttss = [new ScriptedTts(clock, { failing: { request: 0, afterChunks: 3 } }), new ScriptedTts(clock)];
  const trail: string[] = [];
  const counted: unknown[] = [];
  const call = leg({
    shared: { clock, ticker: new Ticker(clock) },
    spec: { firstSpeaker: "user" },
    stt: new FallbackStt(
      stts.map((stt, index) => ({ stt, circuitBreaker: breakerFor("stt", `stt-${index}`, clock).circuitBreaker })),
      clock,
    ),
    llm: new FallbackLlm(
      [first, second].map((llm, index) => ({
        llm,
        circuitBreaker: breakerFor("llm", `llm-${index}`, clock).circuitBreaker,
      })),
      clock,
    ),
    tts: new FallbackTts(
      ttss.map((tts, index) => ttsWithBreaker(`tts-${index}`, tts, clock)),
      new TtsCache(),
      clock,
    ),
    tamper: ({ journal, metrics }) => {
      metrics.providerFailedOver = (...switched) => counted.push(switched);
      const event = journal.event.bind(journal);
      journal.event = (atMs, journaled) => {
        trail.push(...trailOf(journaled));
        event(atMs, journaled);
      };
    },
  });
  call.start();
  await call.listen(6_000);
  expect(trail).toEqual([
    "stt-interim: I would",
    "stt: stt-0 to stt-1: failed",
    "stt-interim: I would like",
    "stt-final: I would like a loaf",
    "reply-text: We have",
    "llm: llm-0 to llm-1: failed",
    "reply-text: rye",
    "reply-text: and",
    "reply-text: wheat.",
    "reply-end",
    "spoken: We",
    "spoken: have",
    "tts: tts-0 to tts-1: failed",
    "spoken: rye",
    "spoken: and",
    "spoken: wheat.",
  ]);
  expect(second.requests[0]?.messages.slice(-3)).toMatchObject([
    { role: "user", text: "I would like a loaf" },
    { role: "assistant", text: "We have" },
    { role: "user" },
  ]);
  expect(ttss.map(({ requests }) => requests[0]?.text)).toEqual(["We have rye and wheat.", "rye and wheat."]);
  const switches = [
    ["stt", "stt-0", "stt-1"],
    ["llm", "llm-0", "llm-1"],
    ["tts", "tts-0", "tts-1"],
  ];
  expect(counted).toEqual(switches);
  const warned = call.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(warned.filter(({ msg }) => msg === "provider switched")).toMatchObject(
    switches.map(([stage, from, to]) => ({ stage, from, to, code: "failed" })),
  );
  expect(call.ends()).toEqual([]);
  call.connection.closed(1_006, false);
  expect(call.ends()).toMatchObject([
    { providers: { stt: ["scripted", "stt-1"], llm: ["scripted", "llm-1"], tts: ["tts-0", "tts-1"] } },
  ]);
});
