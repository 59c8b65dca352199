import { callMs, mediaMs } from "../../src/core/clocks.ts";
import { ChunkSealer, newMediaKey } from "../../src/core/encryption/chunks.ts";
import { asCallId, asTurnId } from "../../src/core/ids.ts";
import { JOURNAL_FLUSH_MS } from "../../src/core/limits/storage/storage.ts";
import { CARRIER_FRAME_SAMPLES, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { JournalEncoder } from "../../src/record/journal/format.ts";
import { collectGarbage } from "../../test/support/heap.ts";
import { median } from "../harness/statistics.ts";
import type { EncryptionCost } from "./result.ts";
import { timeRounds } from "./timing.ts";

// Question: what do ENCRYPT_MEDIA=true and its chunks cost a frame, and how much memory a call?

/** Frames in and out between two flushes. */
const PAIRS = Math.floor(JOURNAL_FLUSH_MS / FRAME_MS);
const CALLS = 1_000;
const TURN = asTurnId(1);
const CALL_ID = asCallId("call_bench");

export function measureEncryption(): EncryptionCost {
  const audio = new Uint8Array(CARRIER_FRAME_SAMPLES).fill(0x55);
  const journal = new JournalEncoder();
  const sealer = new ChunkSealer(newMediaKey(CALL_ID), "journal");
  const flush = (): Uint8Array => {
    journal.reset();
    for (let pair = 0; pair < PAIRS; pair += 1) {
      journal.frameIn(callMs(12.25), mediaMs(12.25), false, audio, false);
      journal.frameOut(callMs(12.25), TURN, CARRIER_FRAME_SAMPLES, audio, false);
    }
    return journal.written();
  };
  const [plainNs = [], encryptedNs = []] = timeRounds([flush, () => void sealer.seal(flush(), false)]);
  const addedNs = median(encryptedNs.map((ns, round) => ns - (plainNs[round] as number)));
  return { addedFrameNs: addedNs / (2 * PAIRS), addedCallBytes: bytesPerCall() };
}

/** What the journal of a live call holds on to so that it can encrypt. */
function bytesPerCall(): number {
  const keep: ChunkSealer[] = [];
  const grow = (): void => {
    for (let call = 0; call < CALLS; call += 1) {
      const sealer = new ChunkSealer(newMediaKey(CALL_ID), "journal");
      sealer.seal(new Uint8Array(0), false);
      keep.push(sealer);
    }
  };
  grow();
  const before = usedBytes();
  grow();
  const bytes = (usedBytes() - before) / CALLS;
  if (keep.length !== 2 * CALLS) throw new Error("the sealers were collected");
  return bytes;
}

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
