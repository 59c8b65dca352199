import { expect, test } from "vitest";
import { Finalization } from "../../../src/speech/stt/finalization.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

/** The frames, `v` voiced and `.` not, after which a final is requested; the first `unsent` are not sent to the provider. */
function requests(frames: string, unsent = 0): number[] {
  const finalization = new Finalization();
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
