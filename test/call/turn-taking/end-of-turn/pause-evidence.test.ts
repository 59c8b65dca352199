import { expect, test } from "vitest";
import { PauseEvidenceGatherer } from "../../../../src/call/turn-taking/end-of-turn/pause-evidence.ts";
import { callMs } from "../../../../src/core/clocks.ts";

const transcript = (text: string, final: boolean, endOfTurn?: number) => ({ text, final, endOfTurn });

test("an empty final after the real one keeps the STT's signal that the turn is over", () => {
  const gathered = new PauseEvidenceGatherer();
  gathered.transcript(transcript("two loaves", true, 0.9), 100, callMs(1_000));
  gathered.transcript(transcript("", true), 200, callMs(1_100));
  expect(gathered.current).toMatchObject({ provider: 0.9, finalMs: 1_100 });
});

test("a transcript with words or with a signal of its own replaces the signal, and speech forgets it", () => {
  const gathered = new PauseEvidenceGatherer();
  gathered.transcript(transcript("two", false, 0.9), 100, callMs(1_000));
  gathered.transcript(transcript("two loaves", false), 100, callMs(1_100));
  expect(gathered.current.provider).toBeUndefined();
  gathered.transcript(transcript("two loaves", true, 0.9), 100, callMs(1_200));
  gathered.transcript(transcript("", true, 0.1), 100, callMs(1_300));
  expect(gathered.current.provider).toBe(0.1);
  gathered.pauseEnded(300, true, 0);
  expect(gathered.current.provider).toBeUndefined();
});
