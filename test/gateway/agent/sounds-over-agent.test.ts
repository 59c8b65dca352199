import { expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedStt, type SttStep } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { Random } from "../../support/random.ts";

const GREETING = "Hello, this is the bakery, and we are open until six.";
const SILENCE = Buffer.alloc(640);
/** Louder than any echo of the agent, in every band. */
const SOUND = noise(new Random(1));

function noise(random: Random): Buffer {
  return Buffer.from(Int16Array.from({ length: 320 }, () => random.between(-20_000, 20_000)).buffer);
}

/**
 * A leg whose agent speaks a greeting of some seconds, and whose caller makes a sound from 1,000 ms on for `soundMs`.
 */
async function sounding(soundMs: number, transcripts: readonly SttStep[] = []) {
  const clock = new ManualClock();
  const isSounding = (): boolean => clock.nowMs() >= monotonicMs(1_000) && clock.nowMs() < monotonicMs(1_000 + soundMs);
  const call = websocketLeg({
    stt: new ScriptedStt(clock, transcripts),
    tts: new ScriptedTts(clock, { msPerChar: 70 }),
    vad: { isSpeech: isSounding, destroy: () => {} },
    shared: { clock, ticker: new Ticker(clock) },
    spec: { greeting: GREETING, interruptible: true },
  });
  /** The number of frames sent, every 20 ms. */
  const sent: number[] = [];
  let answered = 0;
  for (let atMs = 0; atMs < 6_000; atMs += 20) {
    await clock.play(20);
    call.audio(isSounding() ? SOUND : SILENCE);
    for (const mark of call.received("mark").slice(answered)) call.json(mark);
    answered = call.received("mark").length;
    sent.push(call.socket.audio.length);
  }
  return {
    ...call,
    sentUntil: (ms: number) => sent[ms / 20 - 1] ?? 0,
    states: () => call.received("state").map(({ state }) => state),
  };
}

test("a cough pauses the agent, who listens meanwhile and then resumes the same turn without losing a frame", async () => {
  const call = await sounding(300);
  expect(call.states()).toEqual(["speaking", "listening", "speaking", "listening"]);
  expect(call.received("clear")).toEqual([]);
  expect(call.sentUntil(2_000)).toBe(call.sentUntil(1_100));
  expect(call.sentUntil(2_500)).toBeGreaterThan(call.sentUntil(2_000));
  expect(call.transcripts()).toEqual([`1 agent: ${GREETING} ...`, `1 agent: ${GREETING} .`]);
  const undisturbed = await sounding(0);
  expect(call.socket.audio).toEqual(undisturbed.socket.audio);
  expect([call.hangUp(), undisturbed.hangUp()]).toMatchObject([{ interrupted: 0 }, { interrupted: 0 }]);
});

test("a word pauses the agent and then interrupts it: one change of state, a clear, and the turn ends at the last word heard", async () => {
  const call = await sounding(600, [{ atMs: 1_400, event: { kind: "interim", text: "stop" } }]);
  expect(call.states().slice(0, 2)).toEqual(["speaking", "listening"]);
  expect(call.received("clear")).toHaveLength(1);
  expect(call.transcripts().slice(0, 3)).toEqual([
    `1 agent: ${GREETING} ...`,
    "2 user: stop ...",
    "1 agent: Hello, this is the .",
  ]);
  expect(call.hangUp()).toMatchObject({ interrupted: 1 });
});
