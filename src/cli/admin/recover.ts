import { existsSync, readdirSync } from "node:fs";
import { systemClock } from "../../core/clock.ts";
import { epochMs } from "../../core/clocks.ts";
import { asCallId, type CallId } from "../../core/ids.ts";
import { createLogger } from "../../core/log/logger.ts";
import { loadResampler, type ResamplerFactory } from "../../media/resampler.ts";
import { CallFinalizer } from "../../record/finalization/finalizer.ts";
import { type FindMediaKey, localJournalProcessor } from "../../record/finalization/journal-processor.ts";
import { journalDirectory, journalFileOf, journalHeaderOf, journalPath } from "../../record/journal/reader.ts";
import type { JournalHeader } from "../../record/journal/records.ts";
import type { CallStatus } from "../../store/calls/call-store.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { hasOtherPrograms } from "../../store/postgres/other-programs.ts";
import { lockDataDir } from "../../store/sqlite/database/data-dir-lock.ts";
import type { Stores } from "../../store/stores.ts";
import { openBucket } from "./bucket.ts";
import { mediaKeysOf } from "./media-key.ts";
import type { AdminOutput } from "./output.ts";
import { SharedCalls } from "./shared-calls.ts";

const SUFFIX = ".tlj";
const LOG = createLogger("control", "error");
/** A call that has a journal has begun. In these it has no end yet. */
const UNFINISHED: readonly CallStatus[] = ["created", "active", "expired"];

/** How many journals were found in which state; `failed` of those that were to be recorded could not be. */
type Found = Record<"whole" | "restored" | "finished" | "unknown" | "unreadable" | "failed", number>;

/**
 * Makes the records of all journals that have none, on this disk and in the bucket: after the database was restored from an older backup,
 * calls have journals and no rows. The service must not run, nor any node on this database. Recordings are rendered when it starts. Throws
 * when a record could not be made.
 */
export async function recover(place: StorePlace, dryRun: boolean, output: AdminOutput): Promise<void> {
  const lock = lockDataDir(place.dataDir);
  try {
    await refuseWhileOthersWork(place);
    await recoverAlone(place, dryRun, output);
  } finally {
    lock.release();
  }
}

async function recoverAlone(place: StorePlace, dryRun: boolean, output: AdminOutput): Promise<void> {
  const stores = await openStores(place, systemClock, { migrates: false });
  const found: Found = { whole: 0, restored: 0, finished: 0, unknown: 0, unreadable: 0, failed: 0 };
  try {
    await refuseWhileNodesRun(stores);
    const { dataDir } = place;
    const findKey = await mediaKeysOf(dataDir, stores);
    const bucket = await openBucket(stores);
    const shared = bucket && new SharedCalls({ bucket, dataDir, stores, findKey, log: LOG });
    const recovery = new Recovery({ dataDir, stores, findKey, shared, makeResampler: await loadResampler(), found });
    const local = journaledCalls(dataDir);
    const elsewhere = await callsElsewhere(shared, local, output);
    const recorded = (await shared?.recorded(elsewhere)) ?? new Set();
    // Nothing is fetched of those.
    found.whole = recorded.size;
    const journals = local.length + elsewhere.length;
    for (const [at, callId] of [...local, ...elsewhere.filter((id) => !recorded.has(id))].entries()) {
      output.progress(() => `${recorded.size + at} of ${journals} journals`);
      await recovery.recover(callId, dryRun);
    }
    if (shared !== undefined) output.say(`${elsewhere.length} of the journals are in the bucket alone`);
    report(found, journals, dryRun, output.say);
  } finally {
    await stores.close();
  }
  if (found.failed > 0) throw new Error(`the records of ${found.failed} calls could not be made: run this again`);
}

/** The calls that have a journal. */
function journaledCalls(dataDir: string): readonly CallId[] {
  const folder = journalDirectory(dataDir);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith(SUFFIX)).map((name) => asCallId(name.slice(0, -SUFFIX.length)));
}

/** The calls that have a journal in the bucket and none on this disk. */
async function callsElsewhere(
  shared: SharedCalls | undefined,
  local: readonly CallId[],
  output: AdminOutput,
): Promise<readonly CallId[]> {
  if (shared === undefined) return [];
  const isHere = new Set(local);
  return (await shared.calls(output)).filter((callId) => !isHere.has(callId));
}

/** Live calls would be given their ends while a service carries them that has no NODE_NAME, and so no row, and another data directory. */
async function refuseWhileOthersWork({ databaseUrl }: StorePlace): Promise<void> {
  if (databaseUrl !== undefined && (await hasOtherPrograms(databaseUrl)))
    throw new Error("stop the service and all nodes first: a program of Trunkline works on this database");
}

/** A live call would be given its end while its node carries it. */
async function refuseWhileNodesRun({ nodes }: Pick<Stores, "nodes">): Promise<void> {
  const running = (await nodes.list()).filter(({ leaseLeftMs }) => leaseLeftMs > 0).map(({ name }) => name);
  if (running.length > 0) throw new Error(`stop all nodes first: ${running.join(", ")} run on this database`);
}

interface RecoveryOptions {
  dataDir: string;
  stores: Stores;
  findKey: FindMediaKey;
  /** What the bucket has; undefined where there is none. */
  shared: SharedCalls | undefined;
  makeResampler: ResamplerFactory;
  found: Found;
}

class Recovery {
  readonly #dataDir: string;
  readonly #stores: Stores;
  readonly #findKey: FindMediaKey;
  readonly #finalizer: CallFinalizer;
  readonly #shared: SharedCalls | undefined;
  readonly #found: Found;

  constructor({ dataDir, stores, findKey, shared, makeResampler, found }: RecoveryOptions) {
    this.#dataDir = dataDir;
    this.#stores = stores;
    this.#findKey = findKey;
    this.#shared = shared;
    this.#found = found;
    const local = localJournalProcessor(dataDir, makeResampler, findKey);
    this.#finalizer = new CallFinalizer({
      calls: stores.calls,
      dataDir,
      journals: shared?.media.processing(local) ?? local,
      clock: systemClock,
      log: LOG,
      onFinalized: () => {},
    });
  }

  /** Counts the call, and makes its record where it has none. */
  async recover(callId: CallId, dryRun: boolean): Promise<void> {
    const isHere = existsSync(journalPath(this.#dataDir, callId));
    const header = await this.#headerOf(callId, isHere);
    const state = header === undefined ? "unreadable" : await this.#stateOf(callId, header);
    this.#found[state] += 1;
    if (dryRun || header === undefined || (state !== "restored" && state !== "finished")) return;
    await this.#restore(callId, header);
    this.#finalizer.finalize(callId);
    await this.#finalizer.idle();
    // The store, the disk or the bucket may have refused.
    if ((await this.#stateOf(callId, header)) !== "whole") this.#found.failed += 1;
    else if (!isHere) await this.#shared?.release(callId);
  }

  async #headerOf(callId: CallId, isHere: boolean): Promise<JournalHeader | undefined> {
    const key = await this.#findKey(callId);
    if (isHere || this.#shared === undefined) return await journalHeaderOf(journalFileOf(this.#dataDir, callId, key));
    return await this.#shared.withHead(callId, (path) => journalHeaderOf({ path, key }));
  }

  async #stateOf(callId: CallId, { accountId, spec }: JournalHeader): Promise<Exclude<keyof Found, "failed">> {
    const call = await this.#stores.calls.get(accountId, callId);
    // A database from before its stream was connected takes it for one that waits, or that has expired.
    if (call !== undefined) return UNFINISHED.includes(call.status) ? "finished" : "whole";
    return spec === undefined ? "unknown" : "restored";
  }

  async #restore(id: CallId, { accountId, spec, startedAt }: JournalHeader): Promise<void> {
    await this.#stores.accounts.restore(accountId);
    await this.#stores.calls.restore({ id, accountId, spec, startedAtMs: epochMs(Date.parse(startedAt)) });
  }
}

function report(found: Found, journals: number, dryRun: boolean, say: AdminOutput["say"]): void {
  const verb = dryRun ? "would be" : "were";
  say(`${journals} journals: ${found.whole} calls have their records`);
  say(`${found.restored} calls without a row ${verb} restored, ${found.finished} without an end ${verb} ended`);
  if (found.unknown > 0)
    say(`${found.unknown} calls without a row have no words stored: their journals do not say what they were`);
  if (found.unreadable > 0) say(`${found.unreadable} journals cannot be read`);
}
