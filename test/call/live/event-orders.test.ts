import { expect, test } from "vitest";
import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { createCallMachine } from "../../../src/call/machine.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";

import { TRANSCRIPTION_SPEC } from "../../support/calls/virtual-transcription.ts";
import { Random } from "../../support/random.ts";

const RUNS = 300;
const STEPS = 400;

/** A live transcription in which anything happens at any time; returns its commands. */
function run(seed: number): CallCommand[] {
  const random = new Random(seed);
  const commands: CallCommand[] = [];
  const machine = createCallMachine({
    spec: TRANSCRIPTION_SPEC,
    rateHz: CARRIER_RATE_HZ,
    sttHasInterim: true,
    sttFinalPerUtterance: random.chance(0.5),
    sink: (command) => commands.push(command),
  });
  let nowMs = 0;
  let positionMs = 0;
  const text = (): string => random.pick(["", "one", "one two", "one two three", "Four."]);
  const event = (): CallEvent => {
    if (random.chance(0.7)) {
      positionMs += random.chance(0.02) ? 10 * FRAME_MS : FRAME_MS;
      return { kind: "frame-in", isSpeech: random.chance(0.6), mediaMs: mediaMs(positionMs) };
    }
    return random.pick<CallEvent>([
      { kind: "tick" },
      { kind: "stt-interim", text: text() },
      { kind: "stt-final", text: text() },
      { kind: "finalize-requested" },
      { kind: "leg-detached" },
      { kind: "leg-started", codec: "pcm_s16le" },
      { kind: "typed", text: "hello" },
      { kind: "detector-changed", detector: "fvad3" },
      ...(random.chance(0.01) ? [{ kind: "finalize-requested", endReason: "caller_hangup" } as const] : []),
      ...(random.chance(0.01) ? [{ kind: "leg-closed", reason: "connection_lost" } as const] : []),
    ]);
  };
  machine.handle({ kind: "leg-started", codec: "pcm_s16le" }, callMs(0));
  for (let step = 0; step < STEPS; step += 1) {
    const next = event();
    if (next.kind === "leg-started") positionMs = 0;
    machine.handle(next, callMs(nowMs));
    nowMs += random.chance(0.05) ? 500 : FRAME_MS;
    if (machine.isDue(callMs(nowMs))) machine.handle({ kind: "tick" }, callMs(nowMs));
  }
  machine.handle({ kind: "end-requested", reason: "api_hangup" }, callMs(nowMs));
  return commands;
}

test(`in ${RUNS} random orders of events utterances are in order, do not overlap, and the end is one and last`, () => {
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const commands = run(seed);
    const ends = commands.filter((command) => command.kind === "end");
    expect([seed, ends.length, commands.at(-1)?.kind]).toEqual([seed, 1, "end"]);
    const audioMs = ends[0]?.audioMs ?? 0;
    let untilMs = 0;
    for (const command of commands) {
      // An empty one is a position, or takes words back.
      if (command.kind !== "utterance" || command.text === "") continue;
      const { startMs, endMs } = command;
      expect([seed, startMs >= untilMs, endMs >= startMs, endMs <= audioMs]).toEqual([seed, true, true, true]);
      untilMs = endMs;
    }
  }
});
