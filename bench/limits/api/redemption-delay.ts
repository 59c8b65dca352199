import { setTimeout as delay } from "node:timers/promises";
import { LARGE_RESPONSES_MAX, LARGE_RESPONSES_PER_ACCOUNT_MAX } from "../../../src/core/limits/control-api/api.ts";
import { RawWs } from "../../../test/support/network/raw-ws.ts";
import { Child } from "../../rig/child-process.ts";
import { type BenchService, sendRequest, withService } from "../../rig/service.ts";
import type { RedemptionDelay } from "../result.ts";
import { makeLargeCalls } from "./large-lists.ts";
import type { ListQuestions } from "./list-clients.ts";

// How long redemptions take while everybody lists the largest calls there can be: as many lists as may be under way at once.

const REDEMPTIONS = 300;
const EVERY_MS = 20;
const ACCOUNTS = LARGE_RESPONSES_MAX / LARGE_RESPONSES_PER_ACCOUNT_MAX;
const NEW_CALL = JSON.stringify({
  ...{ systemPrompt: "x", voice: "reference/gmw/en-US", language: "en-US" },
  ...{ connectionType: "websocket", firstSpeaker: "user" },
});

/** Redeems tokens, with a service of its own, before lists are asked for and meanwhile; ms from the connection to its answer, 101. */
export const measureRedemptions = (write: (line: string) => void): Promise<RedemptionDelay[]> =>
  withService({ accounts: ACCOUNTS + 1 }, async (service) => {
    const [key, ...others] = service.keys;
    for (const other of others) await makeLargeCalls(service, other);
    const paths: string[] = [];
    while (paths.length < 2 * REDEMPTIONS) paths.push(await newPath(service, key));
    const quiet = await redeem(service, paths.splice(0, REDEMPTIONS));
    const clients = await Child.start<ListQuestions>(import.meta.url, "./list-clients");
    try {
      const { apiUrl } = service;
      await clients.ask("begin", { apiUrl, keys: others, perKey: LARGE_RESPONSES_PER_ACCOUNT_MAX });
      const during = await redeem(service, paths);
      const lists = await clients.ask("end", undefined);
      const beside = `${LARGE_RESPONSES_MAX} lists of the largest calls at once, ${lists} in all`;
      return [delayOf("nothing else", quiet, quiet, write), delayOf(beside, during, quiet, write)];
    } finally {
      clients.stop();
    }
  });

async function newPath(service: BenchService, key: string): Promise<string> {
  const call = JSON.parse((await sendRequest({ ...service, key }, "POST", "/api/v1/calls", 201, NEW_CALL)).toString());
  return new URL((call as { websocketUrl: string }).websocketUrl).pathname;
}

async function redeem({ mediaUrl }: BenchService, paths: readonly string[]): Promise<number[]> {
  const timesMs: number[] = [];
  for (const path of paths) {
    const startMs = performance.now();
    const ws = await RawWs.connect(mediaUrl);
    const answer = await ws.upgrade(path);
    timesMs.push(performance.now() - startMs);
    ws.destroy();
    if (answer?.status !== 101) throw new Error(`a good token was answered with ${answer?.status}, not 101`);
    await delay(EVERY_MS);
  }
  return timesMs.sort((a, b) => a - b);
}

/** Of a sorted list. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;

function delayOf(
  beside: string,
  sortedMs: readonly number[],
  quietMs: readonly number[],
  write: (line: string) => void,
): RedemptionDelay {
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => quantile(sortedMs, share)) as [number, number, number];
  const result = { beside, count: sortedMs.length, p50Ms, p99Ms, maxMs, delayMs: p99Ms - quantile(quietMs, 0.99) };
  write(`redemptions beside ${beside}: ${result.p50Ms.toFixed(1)} ms p50, ${result.p99Ms.toFixed(1)} ms p99`);
  return result;
}
