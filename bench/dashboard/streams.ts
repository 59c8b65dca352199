import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import { systemClock } from "../../src/core/clock.ts";
import type { AccountId } from "../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import { hashSecret } from "../../src/store/secrets.ts";
import type { Stores } from "../../src/store/stores.ts";
import { processCpuMs } from "../../test/attack/resource-usage.ts";
import { BENCH_SPEC } from "../harness/call-spec.ts";
import { accountName, type BenchService, withService } from "../rig/service.ts";
import type { Scene, StreamRound } from "./result.ts";
import { PROGRAM } from "./service/filled.ts";
import { LiveActivityWorker } from "./service/live-activity.ts";
import { acceptInvitation, inviteOwner, type Person } from "./service/people.ts";

// What the streams of events cost the control process. An account has at most ten streams, so that there are five accounts.

export const STREAMS = 50;
export const LIVE_CALLS = 100;
const ACCOUNTS = 5;
/** Each call changes so often in a second; and so many events of each account are stored. */
export const EVENTS_PER_SECOND = 5;
const SECONDS = { full: 20, reduced: 5 };
const SETTLED_MS = 3_000;
const TOKEN_TTL_MS = 3_600_000;

interface Prepared {
  place: StorePlace;
  accounts: readonly AccountId[];
  owners: readonly Person[];
}

export async function measureStreams({ options, write, problems }: Scene): Promise<StreamRound[]> {
  const seconds = options.reduced ? SECONDS.reduced : SECONDS.full;
  let prepared: Prepared | undefined;
  const prepare = async (place: StorePlace): Promise<void> => {
    prepared = await prepareAccounts(place);
  };
  return await withService({ accounts: ACCOUNTS, program: PROGRAM, prepare }, async ({ apiUrl, pids }) => {
    const { place, accounts, owners } = prepared as Prepared;
    const worker = await LiveActivityWorker.connect(place.dataDir, accounts, LIVE_CALLS, EVENTS_PER_SECOND);
    const stores = await openStores(place, systemClock);
    const rounds: StreamRound[] = [];
    const measure = async (name: string, readers: readonly StreamReader[], events: boolean): Promise<void> => {
      await delay(SETTLED_MS);
      const round = {
        name,
        calls: LIVE_CALLS,
        seconds,
        storesEvents: events,
        ...(await roundOf(pids, readers, seconds, events ? { stores, accounts } : undefined)),
      };
      rounds.push(round);
      write(
        `streams: ${name}: ${(100 * round.cpuShare).toFixed(2)} % of a core, ${round.messagesPerSecond.toFixed(1)} messages/s each`,
      );
    };
    try {
      await measure("no stream", [], false);
      await measure("no stream, events are stored", [], true);
      const readers = await openStreams(apiUrl, owners);
      await measure("live calls change", readers, false);
      await measure("live calls change, events are stored", readers, true);
      const lost = readers.filter(({ isOpen }) => !isOpen).length;
      if (lost > 0) problems.push(`streams: ${lost} of ${readers.length} streams were ended`);
      for (const reader of readers) reader.close();
      return rounds;
    } finally {
      await stores.close();
      await worker.close();
    }
  });
}

async function prepareAccounts(place: StorePlace): Promise<Prepared> {
  const stores = await openStores(place, systemClock);
  const accounts: AccountId[] = [];
  try {
    while (accounts.length < ACCOUNTS) accounts.push(await stores.accounts.ensure(accountName(accounts.length)));
  } finally {
    await stores.close();
  }
  const owners: Person[] = [];
  for (const [at, account] of accounts.entries())
    owners.push(await inviteOwner(place, account, `owner-${at}@example.com`));
  return { place, accounts, owners };
}

async function openStreams(apiUrl: string, owners: readonly Person[]): Promise<StreamReader[]> {
  const sessions: string[] = [];
  for (const owner of owners) sessions.push(await acceptInvitation(apiUrl, owner));
  const readers: StreamReader[] = [];
  while (readers.length < STREAMS)
    readers.push(await StreamReader.open(apiUrl, sessions[readers.length % sessions.length] as string));
  return readers;
}

async function roundOf(
  pids: BenchService["pids"],
  readers: readonly StreamReader[],
  seconds: number,
  stored: { stores: Stores; accounts: readonly AccountId[] } | undefined,
): Promise<Omit<StreamRound, "name" | "calls" | "seconds" | "storesEvents">> {
  const total = (of: "messages" | "bytes"): number => readers.reduce((sum, reader) => sum + reader[of], 0);
  const [messages, bytes, cpuMs, startMs] = [
    total("messages"),
    total("bytes"),
    processCpuMs(pids.control),
    performance.now(),
  ];
  const endMs = startMs + 1_000 * seconds;
  if (stored === undefined) await delay(1_000 * seconds);
  else await storeEvents(stored.stores, stored.accounts, endMs);
  const tookMs = performance.now() - startMs;
  const perReader = readers.length === 0 ? 0 : 1_000 / (tookMs * readers.length);
  return {
    streams: readers.length,
    cpuShare: (processCpuMs(pids.control) - cpuMs) / tookMs,
    messagesPerSecond: (total("messages") - messages) * perReader,
    bytesPerSecond: (total("bytes") - bytes) * perReader,
  };
}

/** Calls of every account are created, so that EVENTS_PER_SECOND events of each are stored: in this process, not by the service. */
async function storeEvents({ calls }: Stores, accounts: readonly AccountId[], endMs: number): Promise<void> {
  const stepMs = 1_000 / (EVENTS_PER_SECOND * accounts.length);
  for (let dueMs = performance.now(), at = 0; dueMs < endMs; dueMs += stepMs, at += 1) {
    await delay(Math.max(0, dueMs - performance.now()));
    const accountId = accounts[at % accounts.length] as AccountId;
    await calls.create({ accountId, spec: BENCH_SPEC, tokenHash: hashSecret(randomUUID()), tokenTtlMs: TOKEN_TTL_MS });
  }
}

/** A stream of events as the dashboard has it, of which only the size is looked at. */
class StreamReader {
  messages = 0;
  bytes = 0;
  isOpen = true;
  readonly #abort = new AbortController();

  static async open(apiUrl: string, cookie: string): Promise<StreamReader> {
    const reader = new StreamReader();
    const { statusCode, body } = await request(`${apiUrl}/dashboard/session/api/v1/events?activity=true`, {
      headers: { cookie },
      signal: reader.#abort.signal,
      bodyTimeout: 0,
    });
    if (statusCode !== 200) throw new Error(`a stream of events was answered with ${statusCode}`);
    body.on("data", (chunk: Buffer) => {
      reader.bytes += chunk.length;
      reader.messages += chunk.toString("latin1").split("event: ").length - 1;
    });
    body.on("close", () => {
      reader.isOpen = false;
    });
    body.on("error", () => {});
    return reader;
  }

  close(): void {
    this.#abort.abort();
  }
}
