import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { Random } from "../../../test/support/random.ts";
import { noise } from "../../turn-taking/sounds.ts";
import { SPOKEN_KINDS, type Speaker, type SpokenKind, type TimedUtterance } from "./callers.ts";
import { type ObservedPause, pausesOf } from "./pauses.ts";

const NOISE_S = 120;
const TURNS_A_CALL = 6;
/** How many utterances of those kinds are drawn that are not read from a list. */
const DRAWN = 120;
const MIXED_CALLS = 30;

/** The pauses of all that `speakers` say: in calls of one kind each, and in calls of all kinds. */
export function pausesOfSpeakers(
  speakers: readonly Speaker[],
  detection: VoiceActivityDetection,
  seed: number,
): ObservedPause[] {
  const random = new Random(seed);
  const white = noise("white", NOISE_S, random.fork(), []);
  const pauses: ObservedPause[] = [];
  let utterances = 0;
  for (const speaker of speakers) {
    const calls = [
      ...SPOKEN_KINDS.flatMap((kind) => callsOf(saidBy(speaker, kind, random))),
      ...mixedCalls(speaker, random),
    ];
    for (const call of calls) {
      pauses.push(...pausesOf(detection, speaker.language, call, white, utterances));
      utterances += call.length;
    }
  }
  return pauses;
}

function saidBy(speaker: Speaker, kind: SpokenKind, random: Random): readonly TimedUtterance[] {
  if (kind === "single sentence" || kind === "several sentences") return speaker.all(kind);
  return Array.from({ length: DRAWN }, () => speaker.draw(kind, random));
}

const callsOf = (said: readonly TimedUtterance[]): TimedUtterance[][] =>
  Array.from({ length: Math.ceil(said.length / TURNS_A_CALL) }, (_, call) =>
    said.slice(call * TURNS_A_CALL, (call + 1) * TURNS_A_CALL),
  );

const mixedCalls = (speaker: Speaker, random: Random): TimedUtterance[][] =>
  Array.from({ length: MIXED_CALLS }, () =>
    Array.from({ length: TURNS_A_CALL }, () => speaker.draw(random.pick(SPOKEN_KINDS), random)),
  );
