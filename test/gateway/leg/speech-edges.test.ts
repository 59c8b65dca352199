import { expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { elapsedMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { EventLister } from "../../../src/record/events/event-list.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import type { Stt } from "../../../src/speech/contracts.ts";
import { leg } from "../../callers/leg.ts";
import { mediaMessage } from "../../callers/twilio-stream.ts";
import { Random } from "../../support/random.ts";

const FRAME_MS = 20;
const STEPS = 60;

type Edge = readonly [edge: string, atMs: number];

/** A call whose carrier sends speech and silence, loses frames, delays them and stops sending, as `seed` decides. */
async function edgesOfCall(seed: number): Promise<{ inCall: Edge[]; inStt: Edge[] }> {
  const random = new Random(seed);
  const inStt: Edge[] = [];
  let voicedChance = 0;
  const stt: Stt = {
    provider: "recording",
    capabilities: { ratesHz: [8_000], interimTranscripts: true },
    open: () => ({
      write: (_frame, activity) => {
        if (activity !== undefined && activity.edge !== "same")
          inStt.push([activity.edge, elapsedMs(startMs, call.clock.nowMs())]);
      },
      events: (async function* () {})(),
    }),
  };
  const vad = { isSpeech: () => random.chance(voicedChance), destroy: () => {} };
  // The STT gets silence after 500 ms without a frame, whenever the call takes the speech for over.
  const parameters = { ...DEFAULT_TURN_PARAMETERS, frameLossMs: random.pick([300, 500, 700]) };
  const call = leg({ stt, vad, parameters, spec: { firstSpeaker: "user", maxDurationMs: 600_000 } });
  const startMs = call.clock.nowMs();
  call.start();
  let chunk = 0;
  const send = (frames: number): void => {
    for (let frame = 0; frame < frames; frame += 1) call.json(mediaMessage(++chunk));
  };
  for (let step = 0; step < STEPS; step += 1) {
    voicedChance = random.pick([0, 0.02, 0.5, 0.9, 1]);
    for (let frames = random.whole(1, 40); frames > 0; frames -= 1) {
      await call.clock.play(FRAME_MS);
      send(1);
    }
    const pauseFrames = random.whole(0, 45);
    await call.clock.play(pauseFrames * FRAME_MS);
    // The frames of the pause are lost, or were never sent; or they are late and come at once.
    if (random.chance(0.6)) chunk += pauseFrames;
    else send(pauseFrames);
  }
  await call.clock.play(2_000);
  call.json({ event: "stop" });
  await expect.poll(call.done).toBe(1);
  return { inCall: await edgesInJournal(call.journalPath), inStt };
}

async function edgesInJournal(path: string): Promise<Edge[]> {
  const edges: Edge[] = [];
  let lister: EventLister | undefined;
  await readJournal(path, (record) => {
    if (record.kind === "header")
      lister = new EventLister(record.header, (event) => {
        if (event.kind === "speech-started") edges.push(["started", millisecondsOf(event.atMs)]);
        if (event.kind === "speech-ended") edges.push(["ended", millisecondsOf(event.atMs)]);
      });
    else lister?.take(record);
  });
  return edges;
}

test.each(
  Array.from({ length: 12 }, (_, n) => n + 1),
)("the STT gets each edge of speech when the call has it, also where frames are lost, late or not sent (seed %i)", async (seed) => {
  const { inCall, inStt } = await edgesOfCall(seed);
  expect(inStt).toEqual(inCall);
  expect(inCall.length).toBeGreaterThan(10);
});
