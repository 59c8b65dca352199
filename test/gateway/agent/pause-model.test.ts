import { expect, test } from "vitest";
import { PauseModel } from "../../../src/gateway/agent/pause-model.ts";
import type { EndOfTurnTask, JobOutcome, LocalSpeech, PendingJob, SpeechTask } from "../../../src/speech/local/jobs.ts";

const FRAME = 160;

/** A pause model over processes that answer when the test says so. */
function listening() {
  const asked: { task: EndOfTurnTask; answer: (outcome: JobOutcome) => Promise<void>; isCancelled: boolean }[] = [];
  const probabilities: number[] = [];
  const speech: Pick<LocalSpeech, "submit"> = {
    submit(task: SpeechTask, urgency, deadline): PendingJob {
      expect([task.kind, urgency, deadline?.pastDeadline]).toEqual(["end-of-turn", "turn", "fail"]);
      let resolve = (_outcome: JobOutcome): void => {};
      const outcome = new Promise<JobOutcome>((settle) => {
        resolve = settle;
      });
      const job = {
        task: task as EndOfTurnTask,
        isCancelled: false,
        answer: async (with_: JobOutcome) => {
          resolve(with_);
          await outcome;
        },
      };
      asked.push(job);
      return { outcome, raise: () => {}, cancel: () => Object.assign(job, { isCancelled: true }) };
    },
  };
  const model = new PauseModel({ speech, rateHz: 8_000, deliver: (probability) => probabilities.push(probability) });
  let level = 0;
  /** Frames whose samples count up, one level a frame. */
  const hear = (frames: number, isSpeech: boolean, isWanted = true): void => {
    for (let frame = 0; frame < frames; frame += 1) {
      level += 1;
      model.frame(new Int16Array(FRAME).fill(level), isSpeech, isWanted);
    }
  };
  return { model, hear, asked, probabilities };
}

const judged = (probability: number): JobOutcome => ({
  ...{ outcome: "judged", probability, waitMs: 1, passMs: 20, lateMs: 0 },
});

test("the turn model is asked once a pause, with the last 8 s of the caller in their order", async () => {
  const { hear, asked, probabilities } = listening();
  hear(30, true);
  hear(4, false);
  expect(asked).toHaveLength(0);
  hear(20, false);
  expect(asked).toHaveLength(1);
  const { samples, rateHz } = asked[0]?.task as EndOfTurnTask;
  expect([samples.length, rateHz]).toEqual([64_000, 8_000]);
  // Silence before the first frame, then frames 1 to 35.
  expect([samples[0], samples.at(-35 * FRAME - 1), samples.at(-35 * FRAME), samples.at(-1)]).toEqual([0, 0, 1, 35]);
  await asked[0]?.answer(judged(0.8));
  expect(probabilities).toEqual([0.8]);
  hear(500, true);
  hear(5, false);
  const later = asked[1]?.task.samples;
  expect([later?.[0], later?.at(-1)]).toEqual([54 + 505 - 399, 54 + 505]);
});

test("an answer that comes after the caller has gone on is dropped, and its job is cancelled", async () => {
  const { hear, asked, probabilities } = listening();
  hear(30, true);
  hear(6, false);
  hear(1, true);
  expect(asked[0]?.isCancelled).toBe(true);
  await asked[0]?.answer(judged(0.9));
  hear(5, false);
  await asked[1]?.answer(judged(0.1));
  expect(probabilities).toEqual([0.1]);
});

test("pauses that are not to be judged are not, and no answer is no event", async () => {
  const { model, hear, asked, probabilities } = listening();
  hear(30, true);
  hear(50, false, false);
  expect(asked).toHaveLength(0);
  hear(1, true);
  hear(5, false);
  await asked[0]?.answer({ outcome: "timed_out" });
  hear(1, true);
  hear(5, false);
  model.close();
  await asked[1]?.answer(judged(0.5));
  expect([asked[1]?.isCancelled, probabilities]).toEqual([true, []]);
});
