import { afterEach, describe, expect, test } from "vitest";
import type { CallRecord } from "../../../src/store/calls/call-store.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { FillingDisk } from "../../support/services/filling-disk.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";

const FRAMES = 40;
const FRAME_MS = 20;
/** The header and some frames of a call. */
const ROOM_BYTES = 3_000;

let service: MediaService;
afterEach(() => service.close());

/** A caller who sends FRAMES frames, one every FRAME_MS, and hangs up. */
async function holdCall(journalFiles: FillingDisk): Promise<{ record: CallRecord; turns: number }> {
  const clock = new ManualClock();
  service = await mediaService({ journalFiles, clock });
  const { callId, token } = await service.create({ firstSpeaker: "user" });
  const caller = await RawCaller.start(`${service.url}/stream/${token}`);
  while (service.gateway.callIds().length === 0) await settled();
  for (let frame = 0; frame < FRAMES; frame += 1) {
    caller.sendFrames(1);
    await clock.play(FRAME_MS);
  }
  caller.hangUp();
  while (service.gateway.callIds().length > 0) await settled();
  const record = await clock.drive(service.ended(callId));
  const transcript = await service.stores.calls.transcript(service.accountId, callId);
  return { record, turns: transcript?.length ?? Number.NaN };
}

describe("ADV-M4: the record of a call on a full disk", () => {
  test("has the reason, the duration and the counts of the call's end though its journal is truncated", async () => {
    const { record } = await holdCall(new FillingDisk(ROOM_BYTES));
    expect(record).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      counters: { framesIn: FRAMES, framesOut: 0 },
      transcriptComplete: false,
      recording: { complete: false },
    });
    expect(record.durationMs).toBeGreaterThanOrEqual((FRAMES - 1) * FRAME_MS);
    // The existing journal is shorter than the call.
    expect(record.recording?.durationMs).toBeLessThan(record.durationMs ?? 0);
  });

  test("has them though there is no journal at all", async () => {
    const { record, turns } = await holdCall(new FillingDisk(0, false));
    expect(record).toMatchObject({
      status: "ended",
      endReason: "caller_hangup",
      counters: { framesIn: FRAMES, framesOut: 0 },
      transcriptComplete: false,
    });
    expect(record.durationMs).toBeGreaterThanOrEqual((FRAMES - 1) * FRAME_MS);
    expect([record.recording, turns]).toEqual([undefined, 0]);
  });

  test("is made from the journal where that is complete", async () => {
    const { record } = await holdCall(new FillingDisk(10 * 1024 * 1024));
    expect(record).toMatchObject({
      endReason: "caller_hangup",
      transcriptComplete: true,
      recording: { complete: true },
    });
  });
});
