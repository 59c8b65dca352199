import { expect, test } from "vitest";
import { epochMs } from "../../../src/core/clocks.ts";
import { TrunklineError, unavailable } from "../../../src/core/errors.ts";
import { asCallId, asJobId } from "../../../src/core/ids.ts";
import { JobFailure } from "../../../src/jobs/handler.ts";
import { deserializeError, serializeError } from "../../../src/process/renderer/messages.ts";
import type { JournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import type { Recording } from "../../../src/record/recording/render.ts";
import { RenderJob } from "../../../src/record/recording/render-job.ts";
import { memoryLog } from "../../support/memory-log.ts";

const RECORDING: Recording = { channels: 2, sampleRateHz: 8_000, durationMs: 1.4, complete: true };
const CALL = asCallId("call_1");

/** An error of the system, as the renderer's process passes it on. */
const systemError = (code: string): Error => deserializeError(serializeError(Object.assign(new Error(code), { code })));

function scene(render: JournalProcessor["render"], isAwaited = true, isStored = true) {
  const steps: unknown[] = [];
  const job = new RenderJob({
    calls: {
      awaitsRecording: async () => isAwaited,
      setRecording: async (_, recording) => {
        steps.push(recording);
        return isStored;
      },
      recordingFailed: async () => void steps.push("failed for ever"),
    },
    journals: { render },
    withFiles: async (_, work) => {
      steps.push("files taken");
      return await work();
    },
    remove: async (callId) => void steps.push(`${callId} removed`),
    log: memoryLog().log,
    onFailed: () => void steps.push("counted"),
  });
  const run = (attempt = 1, signal = new AbortController().signal) =>
    job.run(
      {
        id: asJobId("job_1"),
        kind: "recording.render",
        lane: "recording.render",
        payload: { callId: CALL },
        attempt,
        losses: 0,
        createdAtMs: epochMs(0),
      },
      { signal, reportProgress: (progress) => void steps.push(progress) },
    );
  return { run, steps, attemptsMax: job.retryDelaysMs.length + 1 };
}

test("a recording is rendered while its call's files cannot be deleted, and stored in whole milliseconds", async () => {
  const { run, steps } = scene(async () => RECORDING);
  await run();
  expect(steps).toEqual(["files taken", { ...RECORDING, durationMs: 1 }]);
});

test("a recording whose call was deleted while it was rendered is removed again", async () => {
  const { run, steps } = scene(async () => RECORDING, true, false);
  await run();
  expect(steps).toEqual(["files taken", { ...RECORDING, durationMs: 1 }, "call_1 removed"]);
});

test("how far a long recording is shows in the job", async () => {
  const { run, steps } = scene(async (_, onProgress) => {
    onProgress?.({ renderedMs: 8_000, durationMs: 60_000 });
    return RECORDING;
  });
  await run();
  expect(steps).toContainEqual({ renderedMs: 8_000, durationMs: 60_000 });
});

test("of a call that was deleted meanwhile, or whose recording was, nothing is rendered", async () => {
  const { run, steps } = scene(async () => {
    throw new Error("rendered");
  }, false);
  await run();
  expect(steps).toEqual(["files taken"]);
});

test.each([
  systemError("ENOSPC"),
  systemError("EDQUOT"),
  systemError("EMFILE"),
  unavailable("the renderer ends"),
])("ADV-M4: a recording that fails with %s is rendered later, for a day", async (error) => {
  const { run, steps, attemptsMax } = scene(() => Promise.reject(error));
  await expect(run(attemptsMax - 1)).rejects.toBe(error);
  expect(steps).toEqual(["files taken"]);
  await expect(run(attemptsMax)).rejects.toBeInstanceOf(JobFailure);
  expect(steps).toContain("failed for ever");
});

test.each([
  systemError("EIO"),
  new TrunklineError("renderer_died", "bug", "the renderer died 5 times at this journal"),
])("ADV-M9: a recording that fails with %s is not rendered again, and the record says so", async (error) => {
  const { run, steps } = scene(() => Promise.reject(error));
  await expect(run()).rejects.toMatchObject({ retry: "never" });
  expect(steps).toEqual(["files taken", "failed for ever", "counted"]);
});

test("an attempt that was aborted stores nothing", async () => {
  const abort = new AbortController();
  const { run, steps } = scene(async () => {
    abort.abort();
    return RECORDING;
  });
  await expect(run(1, abort.signal)).rejects.toThrow("aborted");
  expect(steps).toEqual(["files taken"]);
});
