import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AccountId, TranscriptionId } from "../../../src/core/ids.ts";
import { KEEP_ALL } from "../../../src/core/retention.ts";
import { TranscriptionRetention } from "../../../src/record/retention/transcriptions.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";
import { newTranscription, RESULT } from "../../support/transcriptions/stored.ts";

const DAY_MS = 86_400_000;

let stores: Stores;
let clock: ManualClock;
let audio: TranscriptionAudio;
let accountId: AccountId;

beforeEach(async () => {
  clock = new ManualClock();
  const directory = temporaryDirectory();
  stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  audio = new TranscriptionAudio(directory);
  accountId = await stores.accounts.ensure("acme");
});
afterEach(() => stores.close());

const retention = (
  days = { recording: 1, transcript: 2, record: 3 },
  remove = (id: TranscriptionId) => audio.remove(id),
) =>
  new TranscriptionRetention({
    rules: { days: { ...KEEP_ALL, ...days }, accounts: new Map() },
    accounts: stores.accounts,
    transcriptions: stores.transcriptions,
    audio: { bytes: (id) => audio.bytes(id), remove },
    store: stores.retention,
    clock,
    log: memoryLog().log,
  });

async function completed(): Promise<TranscriptionId> {
  const { id } = await stores.transcriptions.create(newTranscription(accountId));
  const file = await audio.create(id);
  await file.write("audio");
  await file.close();
  await stores.transcriptions.end(id, { status: "completed", result: RESULT });
  return id;
}

test("the audio, the result and the record of a transcription are deleted one after the other", async () => {
  const id = await completed();
  const state = async () => [
    existsSync(audio.path(id)),
    (await stores.transcriptions.result(accountId, id)) !== undefined,
    (await stores.transcriptions.find(id)) !== undefined,
  ];
  expect(await retention().run()).toEqual([]);
  expect(await state()).toEqual([true, true, true]);
  clock.advance(DAY_MS + 1);
  expect(await retention().preview()).toEqual([
    { accountName: "acme", part: "recording", transcriptions: 1, bytes: 5 },
  ]);
  expect(await state()).toEqual([true, true, true]);
  expect(await retention().run()).toEqual([{ accountName: "acme", part: "recording", transcriptions: 1, bytes: 5 }]);
  expect(await state()).toEqual([false, true, true]);
  clock.advance(DAY_MS);
  expect(await retention().run()).toMatchObject([{ part: "transcript", transcriptions: 1 }]);
  expect(await state()).toEqual([false, false, true]);
  clock.advance(DAY_MS);
  expect(await retention().run()).toMatchObject([{ part: "record", transcriptions: 1 }]);
  expect(await state()).toEqual([false, false, false]);
});

test("one that is not over stays, and all stay where nothing is to be deleted", async () => {
  const { id } = await stores.transcriptions.create(newTranscription(accountId));
  const done = await completed();
  clock.advance(10 * DAY_MS);
  expect(await retention(KEEP_ALL as never).run()).toEqual([]);
  await retention().run();
  expect(await stores.transcriptions.find(id)).toBeDefined();
  expect(await stores.transcriptions.find(done)).toBeUndefined();
});

test("the days of an account count where they are fewer", async () => {
  const id = await completed();
  await stores.accounts.update(accountId, { retention: { record: 1 } });
  clock.advance(DAY_MS + 1);
  await retention().run();
  expect(await stores.transcriptions.find(id)).toBeUndefined();
});

test("a file that cannot be deleted stays due, and others are deleted", async () => {
  const [stuck, other] = [await completed(), await completed()];
  clock.advance(DAY_MS + 1);
  const failing = retention(undefined, (id) => (id === stuck ? Promise.reject(new Error("EIO")) : audio.remove(id)));
  expect(await failing.run()).toMatchObject([{ transcriptions: 1 }]);
  expect([existsSync(audio.path(stuck)), existsSync(audio.path(other))]).toEqual([true, false]);
  expect(await retention().run()).toMatchObject([{ transcriptions: 1 }]);
});
