import { beforeEach, expect, test } from "vitest";
import { NodeActivity } from "../../src/cluster/node-activity.ts";
import type { NodeMessages } from "../../src/cluster/node-messages.ts";
import type { CallActivity } from "../../src/core/calls/activity.ts";
import { asAccountId, asCallId, asNodeName, asTranscriptionId } from "../../src/core/ids.ts";
import { ACTIVITY_WANTED_LASTS_MS, ACTIVITY_WANTED_MS } from "../../src/core/limits/cluster/node-messages.ts";
import type { TranscriptionProgress } from "../../src/core/transcriptions/progress.ts";
import { MemoryCluster } from "../support/cluster/memory-node-messages.ts";
import { ManualClock, settled } from "../support/manual-clock.ts";

function nodeWith(messages: NodeMessages, clock: ManualClock) {
  const watches: boolean[] = [];
  const seen: CallActivity[] = [];
  const progress: TranscriptionProgress[] = [];
  let report: (calls: readonly CallActivity[]) => void = () => {};
  let reportProgress: (transcriptions: readonly TranscriptionProgress[]) => void = () => {};
  const activity = new NodeActivity({
    calls: {
      watch: (isOn) => void watches.push(isOn),
      subscribe: (onReported) => {
        report = onReported;
      },
    },
    transcriptions: {
      subscribe: (onReported) => {
        reportProgress = onReported;
      },
    },
    ...{ messages, clock },
  });
  activity.subscribe((calls) => void seen.push(...calls));
  activity.transcriptions.subscribe((all) => void progress.push(...all));
  activity.start();
  return {
    ...{ activity, watches, seen, progress },
    report: (calls: readonly CallActivity[]) => report(calls),
    reportProgress: (all: readonly TranscriptionProgress[]) => reportProgress(all),
  };
}

const callOf = (number: number): CallActivity => ({
  ...{ callId: asCallId(`call_${number}`), accountId: asAccountId("account_1"), state: "listening" },
  ...{ agentTurns: number, callerTurns: 0 },
});

let clock: ManualClock;
let a: ReturnType<typeof nodeWith>;
let b: ReturnType<typeof nodeWith>;
beforeEach(() => {
  clock = new ManualClock();
  const cluster = new MemoryCluster(clock);
  a = nodeWith(cluster.join(asNodeName("a")), clock);
  b = nodeWith(cluster.join(asNodeName("b")), clock);
});

test("a node with a stream gets what calls of all nodes do, however many they are", async () => {
  a.activity.watch(true);
  await settled();
  expect([a.watches, b.watches]).toEqual([[true], [true]]);
  const calls = Array.from({ length: 105 }, (_, number) => callOf(number));
  b.report(calls);
  a.report([callOf(1_000)]);
  await settled();
  expect(a.seen.map(({ agentTurns }) => agentTurns).toSorted((one, other) => one - other)).toEqual([
    ...calls.keys(),
    1_000,
  ]);
});

test("nothing is sent where no node has a stream", async () => {
  b.report([callOf(1)]);
  await settled();
  expect([a.seen, b.seen.length]).toEqual([[], 1]);
});

test("a node goes on reporting for as long as another one has a stream, and then stops", async () => {
  a.activity.watch(true);
  await clock.play(3 * ACTIVITY_WANTED_LASTS_MS);
  expect(b.watches).toEqual([true]);
  a.activity.watch(false);
  await clock.play(ACTIVITY_WANTED_LASTS_MS + ACTIVITY_WANTED_MS);
  expect(b.watches.at(-1)).toBe(false);
  expect(a.watches.at(-1)).toBe(false);
  b.report([callOf(1)]);
  await settled();
  expect(a.seen).toEqual([]);
});

test("a stream that comes later gets all calls again, and one here keeps the workers reporting", async () => {
  a.activity.watch(true);
  b.activity.watch(true);
  await settled();
  a.activity.watch(true);
  await settled();
  expect(b.watches.filter((isOn) => isOn).length).toBeGreaterThanOrEqual(3);
  a.activity.watch(false);
  await clock.play(2 * ACTIVITY_WANTED_LASTS_MS);
  expect(b.watches).not.toContain(false);
});

test("how far transcriptions of another node are reaches the streams, too", async () => {
  const progress = {
    ...{ transcriptionId: asTranscriptionId("transcription_1"), accountId: asAccountId("account_1") },
    ...{ doneMs: 1_000, durationMs: 2_000 },
  } as TranscriptionProgress;
  b.reportProgress([progress]);
  a.activity.watch(true);
  await settled();
  b.reportProgress([progress]);
  await settled();
  expect(a.progress).toEqual([progress]);
});
