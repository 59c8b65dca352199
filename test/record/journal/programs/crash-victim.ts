// A program that a test kills: it journals a call in real time, and says on standard output what it has handed to the writer.
import { strict as assert } from "node:assert";
import { writeSync } from "node:fs";
import { pino } from "pino";
import { systemClock } from "../../../../src/core/clock.ts";
import { callMs, elapsedMs, mediaMs } from "../../../../src/core/clocks.ts";
import { asTurnId } from "../../../../src/core/ids.ts";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";
import { JournalWriters } from "../../../../src/gateway/journal/writers.ts";
import { START } from "../../../support/journals/example-call.ts";

const [, , dataDir] = process.argv;
assert.ok(dataDir !== undefined);
const STDOUT = 1;
const LOUD = new Uint8Array(160).fill(0x80);

const journals = new JournalWriters({ dataDir, software: "victim", clock: systemClock, log: pino() });
const startMs = systemClock.nowMs();
const writer = journals.open(START);
writer.event(callMs(0), { kind: "leg-started", codec: "mulaw" });
let frames = 0;

function speak(): void {
  const nowMs = elapsedMs(startMs, systemClock.nowMs());
  for (; (frames + 1) * FRAME_MS <= nowMs; frames += 1) {
    writer.frameIn(callMs(nowMs), mediaMs(frames * FRAME_MS), true, LOUD);
    writer.frameOut(callMs(nowMs), asTurnId(1), LOUD.length, LOUD);
    writer.event(callMs(nowMs), { kind: "stt-interim", text: `word ${frames}` });
  }
  writeSync(STDOUT, `${frames}\n`);
  systemClock.after(FRAME_MS, speak);
}
speak();
