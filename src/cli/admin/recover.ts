import { readdirSync } from "node:fs";
import { systemClock } from "../../core/clock.ts";
import { epochMs } from "../../core/clocks.ts";
import { asCallId, type CallId } from "../../core/ids.ts";
import { createLogger } from "../../core/log/logger.ts";
import { loadResampler } from "../../media/resampler.ts";
import { CallFinalizer } from "../../record/finalization/finalizer.ts";
import { localJournalProcessor } from "../../record/finalization/journal-processor.ts";
import { JournalReader, journalDirectory, journalPath } from "../../record/journal/reader.ts";
import type { JournalHeader } from "../../record/journal/records.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { lockDataDir } from "../../store/sqlite/database/data-dir-lock.ts";

/** Progress is said every so many journals. */
const PROGRESS_JOURNALS = 1_000;
const SUFFIX = ".tlj";

/**
 * Makes the records of all journals that have none: after the database was restored from an older backup, calls have
 * journals and no rows. The service must not run. Recordings are rendered when it starts.
 */
export async function recover(place: StorePlace, dryRun: boolean, say: (line: string) => void): Promise<void> {
  const { dataDir } = place;
  const lock = lockDataDir(dataDir);
  const stores = await openStores(place, systemClock);
  try {
    const finalizer = new CallFinalizer({
      calls: stores.calls,
      dataDir,
      journals: localJournalProcessor(dataDir, await loadResampler()),
      clock: systemClock,
      log: createLogger("control", "error"),
      onFinalized: () => {},
    });
    const found = { whole: 0, restored: 0, finished: 0, unknown: 0, unreadable: 0 };
    const names = readdirSync(journalDirectory(dataDir)).filter((name) => name.endsWith(SUFFIX));
    for (const [at, name] of names.entries()) {
      if (at > 0 && at % PROGRESS_JOURNALS === 0) say(`${at} of ${names.length} journals`);
      const callId = asCallId(name.slice(0, -SUFFIX.length));
      const header = await headerOf(dataDir, callId);
      if (header === undefined) {
        found.unreadable += 1;
        continue;
      }
      const call = await stores.calls.get(header.accountId, callId);
      if (call !== undefined && call.status !== "active") {
        found.whole += 1;
        continue;
      }
      if (call === undefined && header.spec === undefined) {
        found.unknown += 1;
        continue;
      }
      found[call === undefined ? "restored" : "finished"] += 1;
      if (dryRun) continue;
      if (call === undefined && header.spec !== undefined) {
        const { accountId, spec } = header;
        await stores.accounts.restore(accountId);
        await stores.calls.restore({ id: callId, accountId, spec, startedAtMs: epochMs(Date.parse(header.startedAt)) });
      }
      finalizer.finalize(callId);
      await finalizer.idle();
    }
    const verb = dryRun ? "would be" : "were";
    say(`${names.length} journals: ${found.whole} calls have their records`);
    say(`${found.restored} calls without a row ${verb} restored, ${found.finished} without an end ${verb} ended`);
    if (found.unknown > 0)
      say(`${found.unknown} calls without a row are not recorded: their journals do not say what they were`);
    if (found.unreadable > 0) say(`${found.unreadable} journals cannot be read`);
  } finally {
    await stores.close();
    lock.release();
  }
}

/** The first record of a journal; undefined where it cannot be read. */
async function headerOf(dataDir: string, callId: CallId): Promise<JournalHeader | undefined> {
  let header: JournalHeader | undefined;
  try {
    await new JournalReader(journalPath(dataDir, callId), (record) => {
      if (record.kind === "header") header = record.header;
    }).readMore(() => header !== undefined);
  } catch {
    return undefined;
  }
  return header;
}
