import { writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { recover } from "../../../src/cli/admin/recover.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { type AccountId, asAccountId, asCallId, type CallId } from "../../../src/core/ids.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { RENDER_JOB } from "../../../src/store/job-kinds.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { lockDataDir } from "../../../src/store/sqlite/database/data-dir-lock.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { recordedOutput } from "../../support/admin-output.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { NOT_RECORDED, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { redeemedBy } from "../../support/tokens.ts";

const sqlite = async (): Promise<StorePlace> => ({ dataDir: temporaryDirectory(), databaseUrl: undefined });
const postgres = async (): Promise<StorePlace> => ({
  dataDir: temporaryDirectory(),
  databaseUrl: await migratedDatabase(),
});

let output = recordedOutput();
beforeEach(() => {
  output = recordedOutput();
});

async function withStores<T>(place: StorePlace, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(place, systemClock);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** The journal of a call that has ended, in which the caller has said "canary". */
function writeJournal({ dataDir }: StorePlace, callId: CallId, accountId: AccountId, spec = START.spec): void {
  const turn = { role: "user" as const, text: "canary", startMs: callMs(1), endMs: callMs(2), interrupted: false };
  new JournalFile({ ...START, callId, accountId, spec }, journalPath(dataDir, callId))
    .frameIn(20, 0, new Uint8Array(160))
    .add({ kind: "command", timeMs: callMs(30), command: { kind: "turn", turn } })
    .end(50);
}

/** A call whose stream is connected, as the database knows it. */
async function activeCall(stores: Stores, accountId: AccountId, spec?: CallSpec): Promise<CallId> {
  const { id, tokenHash } = await createCall(stores, accountId, spec);
  await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  return id;
}

const LOST = asCallId("call_01980000-0000-7000-8000-00000000000a");
const LOST_UNRECORDED = asCallId("call_01980000-0000-7000-8000-00000000000b");
const UNREADABLE = asCallId("call_01980000-0000-7000-8000-00000000000c");
const LOST_ACCOUNT = asAccountId("account_01980000-0000-7000-8000-00000000000d");

/** A database restored from an older backup: it does not know the last calls, nor how earlier ones have gone on. */
async function restoredDatabase(
  place: StorePlace,
): Promise<Record<"unfinished" | "waiting", CallId> & { accountId: AccountId }> {
  const known = await withStores(place, async (stores) => {
    const accountId = await stores.accounts.ensure("first");
    const { id: waiting } = await createCall(stores, accountId);
    return { accountId, waiting, unfinished: await activeCall(stores, accountId) };
  });
  for (const id of [known.unfinished, known.waiting]) writeJournal(place, id, known.accountId);
  writeJournal(place, LOST, LOST_ACCOUNT);
  writeJournal(place, LOST_UNRECORDED, LOST_ACCOUNT, NOT_RECORDED.spec);
  writeFileSync(journalPath(place.dataDir, UNREADABLE), "no journal");
  return known;
}

describe.each([
  ["SQLite", true, sqlite],
  ["Postgres (only where postgresql is installed)", hasPostgres, postgres],
] as const)("npm run admin -- recover on %s", (_, isHere, makePlace) => {
  test.skipIf(!isHere)("makes the records of journals that have none, once, and says how far it is", async () => {
    const place = await makePlace();
    const { accountId, unfinished, waiting } = await restoredDatabase(place);
    await recover(place, true, output);
    expect(output.said).toEqual([
      "5 journals: 0 calls have their records",
      "1 calls without a row would be restored, 2 without an end would be ended",
      "1 calls without a row have no words stored: their journals do not say what they were",
      "1 journals cannot be read",
    ]);
    await withStores(place, async ({ calls }) => {
      expect(await calls.get(LOST_ACCOUNT, LOST)).toBeUndefined();
      expect(await calls.get(accountId, unfinished)).toMatchObject({ status: "active" });
    });

    output = recordedOutput();
    await recover(place, false, output);
    expect(output.progressed).toEqual([0, 1, 2, 3, 4].map((at) => `${at} of 5 journals`));
    expect(output.said[1]).toBe("1 calls without a row were restored, 2 without an end were ended");
    await withStores(place, async ({ calls, jobs }) => {
      for (const [account, id] of [
        [LOST_ACCOUNT, LOST],
        [accountId, unfinished],
        [accountId, waiting],
      ] as const) {
        expect(await calls.get(account, id)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
        expect(await calls.transcript(account, id)).toMatchObject([{ text: "canary" }]);
      }
      const rendering = (await jobs.list({ kind: RENDER_JOB, limit: 5 })).jobs.map(({ payload }) => payload);
      expect(rendering).toEqual(
        expect.arrayContaining([{ callId: LOST }, { callId: unfinished }, { callId: waiting }]),
      );
      expect(rendering).toHaveLength(3);
    });

    output = recordedOutput();
    await recover(place, false, output);
    expect(output.said.slice(0, 2)).toEqual([
      "5 journals: 3 calls have their records",
      "0 calls without a row were restored, 0 without an end were ended",
    ]);
  });
});

test("npm run admin -- recover refuses while a service uses the data directory", async () => {
  const place = await sqlite();
  await withStores(place, async () => {});
  const lock = lockDataDir(place.dataDir);
  try {
    await expect(recover(place, false, output)).rejects.toThrow("is in use by another service");
  } finally {
    lock.release();
  }
});

test("npm run admin -- recover finds nothing to do in a data directory without journals", async () => {
  await recover(await sqlite(), false, output);
  expect(output.said).toEqual([
    "0 journals: 0 calls have their records",
    "0 calls without a row were restored, 0 without an end were ended",
  ]);
});

test.skipIf(!hasPostgres)(
  "a service without NODE_NAME that runs elsewhere is not recovered from (only where postgresql is installed)",
  async () => {
    const place = await postgres();
    await withStores({ ...place, dataDir: temporaryDirectory() }, async (stores) => {
      const callId = await activeCall(stores, await stores.accounts.ensure("first"));
      await expect(recover(place, false, output)).rejects.toThrow("stop the service and all nodes first");
      expect((await stores.calls.listActive()).map(({ id }) => id)).toEqual([callId]);
    });
    await recover(place, false, output);
  },
);
