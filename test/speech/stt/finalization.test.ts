import { expect, test } from "vitest";
import { Finalization } from "../../../src/speech/stt/finalization.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

/** The frames, `v` voiced and `.` not, after which a final is requested; the first `unsent` are not sent to the provider. */
function requests(frames: string, unsent = 0, finalization = new Finalization()): number[] {
  const activityOf = activityOfStream();
  return [...frames].flatMap((letter, index) => {
    const activity = activityOf(letter === "v");
    return index >= unsent && finalization.frame(activity) ? [index] : [];
  });
}

test("a final is requested after a pause of 200 ms in speech, once", () => {
  expect(requests(`vvvvv${".".repeat(100)}`)).toEqual([14]);
});

test("a final is requested again after further speech, also where the call took the pause for a part of it", () => {
  expect(requests(`vvvvv${".".repeat(12)}vv${".".repeat(12)}`)).toEqual([14, 28]);
});

test("no final is requested for clicks, nor for a pause whose speech another stream was sent", () => {
  expect(requests(`v${".".repeat(30)}vv${".".repeat(30)}`)).toEqual([]);
  expect(requests(`vvvvv${".".repeat(30)}`, 5)).toEqual([]);
});

/** A call that ends speech by itself after this pause. */
function requestsOfTurns(frames: string, pauseMs: number): number[] {
  const finalization = new Finalization({ detectsTurns: true });
  const activityOf = activityOfStream({ settleMs: 0, hangoverMs: pauseMs });
  return [...frames].flatMap((letter, index) => (finalization.frame(activityOf(letter === "v")) ? [index] : []));
}

test("a provider that finds the end of a turn itself is asked after a pause of 500 ms, and not when speech ends", () => {
  expect(requestsOfTurns(`vvvvv${".".repeat(100)}`, 300)).toEqual([29]);
  expect(requestsOfTurns(`vvvvv${".".repeat(20)}vv${".".repeat(30)}`, 300)).toEqual([51]);
});

test("it is asked at once where the call ends the speech early", () => {
  expect(requestsOfTurns(`vvvvv${".".repeat(100)}`, 180)).toEqual([13]);
  expect(requestsOfTurns(`vvvvv${".".repeat(9)}vvv${".".repeat(100)}`, 180)).toEqual([13, 25]);
});

test("it is not asked for what it has sent a final of by itself", () => {
  const finalization = new Finalization({ detectsTurns: true });
  const activityOf = activityOfStream();
  const frames = (letters: string): boolean[] =>
    [...letters].map((letter) => finalization.frame(activityOf(letter === "v")));
  frames("vvvvv..........");
  finalization.finished();
  expect(frames(".".repeat(60)).some(Boolean)).toBe(false);
  expect(frames(`vvvvv${".".repeat(30)}`).filter(Boolean)).toHaveLength(1);
});
