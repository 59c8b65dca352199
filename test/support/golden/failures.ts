import { readPrices } from "../../../src/config/speech/prices.ts";
import type { Spend, SpendSettings } from "../../../src/core/billing/spend.ts";
import { refusalFrom } from "../../../src/speech/resilience/provider-error.ts";
import { type LlmStep, textReply } from "../providers/scripted-llm.ts";
import { NO_SPEND_LIMITS } from "../stubs/no-limits.ts";
import { conversation, LONG } from "./conversations.ts";
import { askingFor, type Scene } from "./scene.ts";
import { clientTool, serverTool } from "./tools.ts";

const NEVER_MS = 10_000_000;
const NEVER: readonly LlmStep[] = [{ afterMs: NEVER_MS, event: { kind: "text", text: "late" } }];
const FAILS: readonly LlmStep[] = [{ afterMs: 200, event: { kind: "fail" } }];
const refusing = (status: number): readonly LlmStep[] => [
  { afterMs: 50, event: { kind: "fail", cause: refusalFrom(status) } },
];
const question = (scene: Scene): Scene => scene.says(2_400, "what do you sell");

/** STT, LLM and TTS fail in the middle of a sentence, and another provider of each continues it. */
export const failover = (scene: Scene): Scene =>
  scene
    .with({ firstSpeaker: "user" })
    .speaks({ failing: { request: 0, afterChunks: 3 } }, {})
    .sounds(2_400, 4_000)
    .recognizes(3_000, { kind: "interim", text: "I would" })
    .recognizes(3_200, { kind: "fail" })
    .recognizes(3_500, { kind: "interim", text: "I would like" }, 1)
    .recognizes(4_200, { kind: "final", text: "I would like a loaf" }, 1)
    .replies([
      { afterMs: 100, event: { kind: "text", text: "We have" } },
      { afterMs: 100, event: { kind: "fail" } },
    ])
    .replies(textReply("rye and wheat and spelt today.", { firstMs: 100 }), 1)
    .hangsUp(11_000);

/** An LLM that refuses, one that is silent, and a third that answers. */
export const llmFailover = (scene: Scene): Scene =>
  question(scene.replies(refusing(401)).replies(NEVER, 1).replies("We have bread.", 2)).hangsUp(12_000);

/** The first provider of each kind is busy: the second is asked instead. */
export function providersFull(scene: Scene): void {
  scene.providers.firstAreFull = true;
  scene
    .speaks({}, {})
    .replies("I am busy.")
    .replies("We have bread.", 1)
    .says(2_400, "what do you sell", { by: 1 })
    .hangsUp(7_000);
}

/** An LLM fails until its circuit breaker opens, and is not asked any more. */
export const llmCircuitOpen = (scene: Scene): Scene =>
  question(scene.replies(FAILS).replies("We have bread.", 1))
    .says(6_500, "what else do you sell")
    .says(11_500, "is that all")
    .hangsUp(16_000);

/** The caller is asked whether anybody is there while the LLM is still silent. */
export const llmSilentInactivity = (scene: Scene): Scene =>
  question(scene.with({ inactivityTimeoutMs: 3_500, inactivityAction: "prompt" }).replies(NEVER)).hangsUp(12_500);

/** Every LLM fails: an apology; the second time the call ends. */
export const llmFails = (scene: Scene): Scene => question(scene.replies(FAILS)).says(8_000, "what do you sell");

/** The LLM fails after it has spoken. */
export const llmFailsInReply = (scene: Scene): Scene =>
  question(
    scene.replies([
      { afterMs: 100, event: { kind: "text", text: "We have bread and rolls. And" } },
      { afterMs: 900, event: { kind: "fail" } },
    ]),
  ).hangsUp(12_000);

/** An LLM that never answers: a filler, an apology; the second time the call ends. */
export const llmSilent = (scene: Scene): Scene => question(scene.replies(NEVER)).says(18_000, "what do you sell");

/** An STT provider that fails for good. */
export function sttFails(scene: Scene): void {
  for (let atMs = 1_000; atMs <= 12_000; atMs += 250) scene.recognizes(atMs, { kind: "fail" });
  scene.replies("I see.").hangsUp(25_000);
}

/** An STT provider that recognizes nothing of the caller's speech, and another that does. */
export const sttSilent = (scene: Scene): Scene =>
  scene
    .replies("We have bread.")
    .sounds(2_400, 11_000)
    .recognizes(11_500, { kind: "interim", text: "what do you sell" }, 1)
    .recognizes(12_000, { kind: "final", text: "what do you sell" }, 1)
    .hangsUp(16_000);

/** The only TTS provider fails in the middle of a segment, which ends the call. */
export const ttsFails = (scene: Scene): Scene =>
  question(scene.speaks({ failing: { request: 2, afterChunks: 2 } }).replies(LONG));

/** A TTS provider that never answers. */
export const ttsSilent = (scene: Scene): Scene => question(scene.speaks({ firstMs: NEVER_MS }).replies(LONG));

/** TTS without word timestamps, slower than it is played. */
export const ttsSlow = (scene: Scene): Scene =>
  question(scene.speaks({ wordTimes: false, firstMs: 150, perChunkMs: 130 }).replies(LONG))
    .says(8_000, "wait a moment please")
    .hangsUp(12_000);

/** A prompt that grows beyond its bound, and an LLM that refuses one as longer than its context. */
export function trimmed(scene: Scene): void {
  scene.historyTokensMax = 60;
  const tooLong: readonly LlmStep[] = [{ afterMs: 50, event: { kind: "fail", cause: refusalFrom(400, "", true) } }];
  scene.replies("One.").replies("Two.").replies(tooLong).replies("Three.").replies("Four.");
  for (let n = 0; n < 4; n += 1) scene.says(2_400 + n * 4_200, `and what about the day number ${n} of the week`);
  scene.hangsUp(21_000);
}

/** An LLM refuses a prompt as longer than its context, and is asked the same at once with less history. */
export const contextExceeded = (scene: Scene): Scene =>
  scene
    .replies("We have bread and rolls.")
    .replies("We are open until six.")
    .replies([{ afterMs: 50, event: { kind: "fail", cause: refusalFrom(400, "", true) } }])
    .replies("On Sundays, too.")
    .says(2_400, "what do you sell")
    .says(7_000, "until when are you open?")
    .says(11_500, "and on Sundays?")
    .hangsUp(16_000);

/** A peer that answers no ping: what it has played is known by its marks alone. */
export function noPongs(scene: Scene): void {
  scene.answersPings = false;
  conversation(scene);
}

const limited = (call: Partial<Spend>, action: SpendSettings["action"]): SpendSettings => ({
  ...NO_SPEND_LIMITS,
  action,
  call: { ...NO_SPEND_LIMITS.call, ...call },
});

/** A spend limit of the call: the second turn is refused. */
export function spendRefused(scene: Scene): void {
  scene.spend = limited({ llm_requests: 1 }, "refuse");
  conversation(scene);
}

/** A spend limit that ends the call. */
export function spendEnds(scene: Scene): void {
  scene.spend = limited({ llm_requests: 1 }, "end");
  question(scene.replies("We have bread and rolls.")).says(7_000, "until when are you open?");
}

/** The account has reached its limit. */
export function accountLimit(scene: Scene): void {
  scene.spend = limited({}, "refuse");
  conversation(scene).at(1_000, (call) => call.accountIsOver());
}

/** The call has cost what it may. */
export function costLimit(scene: Scene): void {
  scene.prices = readPrices('{"currency":"USD","llm-1":{"inputTokensMillion":100000}}', ["llm-1"], []);
  scene.with({ maxCost: 0.001 });
  conversation(scene);
}

/** The network is gone in the middle of an answer: nothing arrives, no ping is answered. */
export const connectionLost = (scene: Scene): Scene =>
  question(scene.with({ inactivityTimeoutMs: 300_000 }).replies(LONG)).at(6_000, (call) => call.lineDies());

/** The socket is closed without a word. */
export const socketGone = (scene: Scene): Scene =>
  question(scene.replies(LONG)).at(6_000, (call) => call.closes(1_006, false));

/** The peer breaks the framing of the WebSocket. */
export const framingBroken = (scene: Scene): Scene =>
  question(scene.replies(LONG)).at(6_000, (call) => call.closes(1_006, true));

/** A peer that does not read. */
export const slowConsumer = (scene: Scene): Scene =>
  question(scene.replies(LONG)).at(6_000, (call) => call.stopsReading());

/** Messages that are none: a few are counted, and too many end the call. */
export const malformed = (scene: Scene): Scene =>
  scene
    .replies(LONG)
    .at(1_500, (call) => call.sends("{}"))
    .at(3_000, (call) => {
      for (let n = 0; n < 60; n += 1) call.sends('{"event":"dtmf","type":"text"}');
    });

/** A peer whose stream never begins. */
export function noStart(scene: Scene): void {
  scene.starts = false;
  scene.replies(LONG);
}

/** More messages than a peer may send. */
export const messageFlood = (scene: Scene): Scene =>
  scene.replies(LONG).at(2_000, (call) => {
    const unknown = JSON.stringify({ event: "unknown", type: "unknown", more: "x".repeat(12_000) });
    for (let n = 0; n < 450; n += 1) call.sends(unknown);
  });

/** More audio than a person can speak in the time. */
export const audioFlood = (scene: Scene): Scene => scene.replies(LONG).at(2_000, (call) => call.floodsAudio(400));

/** Somebody ends the call through the API, in the middle of an answer. */
export const endedByApi = (scene: Scene): Scene => question(scene.replies(LONG)).at(6_000, (call) => call.endedByApi());

/** The worker is drained: the agent says goodbye; words over that are recorded and not answered. */
export const drained = (scene: Scene): Scene =>
  question(scene.replies(LONG))
    .at(6_000, (call) => call.drains())
    .says(6_300, "but I want cakes");

/** The service fails: the call ends, and no other. */
export function internalError(scene: Scene): void {
  scene.detectorFailsAtFrame = 300;
  question(scene.replies(LONG));
}

/** A call that is not recorded: an interruption, a back-channel, keys, a tool, and a change of language. */
export function unrecorded(scene: Scene): void {
  scene
    .with({
      recordingEnabled: false,
      tools: [
        { kind: "built_in", name: "switch_language", fixedArguments: {} },
        { kind: "built_in", name: "hang_up", fixedArguments: {} },
      ],
    })
    .replies(LONG)
    .replies(askingFor([["switch_language", '{"language":"de"}']], "Gladly."))
    .replies("Auf Deutsch also.")
    .replies(FAILS)
    .says(2_400, "what do you sell")
    .says(5_500, "mm-hm")
    .says(8_500, "please speak German")
    .presses(13_500, "7#")
    .hangsUp(20_000);
}

/** The same with a tool of the service, a preemptive reply, and a failover. */
export function unrecordedTool(scene: Scene): void {
  serverTool(scene.preempts());
  scene
    .with({ recordingEnabled: false })
    .replies("Not used.", 1)
    .speaks({ failing: { request: 1, afterChunks: 2 } }, {});
}

/** The same with typed text and a tool of the client. */
export function unrecordedTyped(scene: Scene): void {
  clientTool(scene);
  scene.with({ recordingEnabled: false }).at(6_000, (call) => call.types("I type a secret"));
}
