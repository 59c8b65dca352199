import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { asCallId, asNodeName } from "../../../src/core/ids.ts";
import { audioFiles } from "../../../src/record/retention/call-files.ts";
import { CallFilesJob, FilesElsewhere } from "../../../src/record/retention/elsewhere.ts";
import type { ClaimedJob, NewJob } from "../../../src/store/job-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const CALL = asCallId("call_1");

test("files of another node's call are its job; those of an own call, or of no node's, are none", async () => {
  const jobs: NewJob[] = [];
  const nodes = new Map([
    [CALL, asNodeName("two")],
    [asCallId("call_2"), asNodeName("one")],
  ]);
  const elsewhere = new FilesElsewhere({
    own: asNodeName("one"),
    calls: { nodeOf: async (callId) => nodes.get(callId) },
    jobs: { enqueue: async (job) => void jobs.push(job) },
  });
  for (const id of ["call_1", "call_2", "call_3"]) await elsewhere.delete(asCallId(id), "recording");
  const payload = { callId: CALL, part: "recording" };
  expect(jobs).toEqual([{ kind: "call.delete-files", payload, key: "call_1 recording", node: "two" }]);
});

test("the job deletes what goes with the part, again and again", async () => {
  const dataDir = temporaryDirectory();
  const write = (): void => {
    for (const path of audioFiles(dataDir, CALL)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "x");
    }
  };
  const left = (): number => audioFiles(dataDir, CALL).filter((path) => existsSync(path)).length;
  const shared: string[] = [];
  const job = new CallFilesJob({
    dataDir,
    withFiles: (_, work) => work(),
    removeShared: async (callId, part) => void shared.push(`${callId} ${part}`),
  });
  const run = async (part: string): Promise<void> => {
    const claimed = { payload: { callId: CALL, part } } as ClaimedJob;
    await job.run(claimed, { signal: new AbortController().signal, reportProgress: () => {} });
  };
  write();
  await run("transcript");
  expect(left()).toBe(2);
  await run("recording");
  await run("recording");
  expect(left()).toBe(0);
  // This node may have shipped them after the other one had deleted them in the bucket.
  expect(shared).toEqual(["call_1 transcript", "call_1 recording", "call_1 recording"]);
});
