import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { hashSecret } from "../../../src/store/secrets.ts";
import { SPEC, TURNS } from "../calls/stored-calls.ts";
import { mintToken, redeemedBy } from "../tokens.ts";
import type { ApiUnderTest } from "./harness.ts";

/** A call that is over; its recording holds `bytes`. */
export async function recordedIn(api: ApiUnderTest, bytes: Buffer): Promise<string> {
  const tokenHash = hashSecret(mintToken());
  const { accountId, stores, clock } = api;
  await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
  const call = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  if (call === undefined) throw new Error("not redeemed");
  await stores.calls.finish(call.callId, {
    status: "ended",
    endReason: "agent_hangup",
    endedAtMs: clock.epochMs(),
    durationMs: 5_000,
    turns: TURNS,
  });
  await stores.calls.setRecording(call.callId, { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true });
  writeFileSync(api.recordingPath(call.callId), bytes);
  return call.callId;
}

/** What is open of a call's recording in this process; also what has been deleted meanwhile. */
export function openFilesOf(api: ApiUnderTest, id: string): number {
  const path = api.recordingPath(id);
  let open = 0;
  for (const fd of readdirSync("/proc/self/fd")) {
    try {
      if (readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)) open += 1;
    } catch {
      // The one that the list itself was read through is closed by now.
    }
  }
  return open;
}

/** Whether nothing of it is open any more within so many ms: a stream closes its file shortly after its last byte. */
export async function filesClosedIn(api: ApiUnderTest, id: string, ms: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < ms && openFilesOf(api, id) > 0; waitedMs += 10) await delay(10);
  return openFilesOf(api, id) === 0;
}
