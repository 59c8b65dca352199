import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isoTime, systemClock } from "../../../src/core/clock.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { journalDirectory, journalPath } from "../../../src/record/journal/reader.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { sendRequest } from "../../rig/service.ts";
import { asJournalOf, type LongJournal } from "./journal.ts";

const TOKEN_TTL_MS = 600_000;
const READY_MS_MAX = 180_000;
const POLL_MS = 500;

/**
 * Leaves a call as a worker does that ends before its control process learns that the call is over: an active record, and its whole
 * journal. The service then makes everything else of it when it starts: the record's end, the transcript, recording and waveform.
 */
export async function placeLongCall(
  place: StorePlace,
  accountId: AccountId,
  journal: LongJournal,
  agoMs: number,
): Promise<CallId> {
  const { spec } = journal.header;
  if (spec === undefined) throw new Error("the journal of the long call is of no call");
  const startMs = addMs(systemClock.epochMs(), -agoMs);
  const stores = await openStores(place, { ...systemClock, epochMs: () => startMs });
  try {
    const tokenHash = hashSecret(randomUUID());
    const made = await stores.calls.create({ accountId, spec, tokenHash, tokenTtlMs: TOKEN_TTL_MS });
    if (made.kind !== "created") throw new Error("the long call could not be created");
    const callId = made.call.id;
    // Of a start before the first one: no worker of the service claims it.
    const gone = { workerId: asWorkerId("worker-that-is-gone"), connection: 1, epoch: 0, nonce: randomUUID() };
    if ((await stores.redemptions.redeem(tokenHash, gone)) === undefined)
      throw new Error("the long call did not start");
    asJournalOf(journal, { callId, accountId, startedAt: isoTime(startMs) });
    mkdirSync(journalDirectory(place.dataDir), { recursive: true, mode: 0o700 });
    writeFileSync(journalPath(place.dataDir, callId), journal.bytes, { mode: 0o600 });
    return callId;
  } finally {
    await stores.close();
  }
}

/** Resolves when the service has rendered the recording. Rejects when it does not. */
export async function untilRendered(service: { apiUrl: string; key: string }, callId: CallId): Promise<void> {
  const endMs = performance.now() + READY_MS_MAX;
  while (performance.now() < endMs) {
    const answer = await sendRequest(service, "GET", `/api/v1/calls/${callId}`, 200);
    const { recording } = JSON.parse(answer.toString()) as { recording: object | null };
    if (recording !== null) return;
    await delay(POLL_MS);
  }
  throw new Error("the recording of the long call was not rendered");
}
