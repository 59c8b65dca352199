import { existsSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CONNECTION_TYPES } from "../../../../src/carriers/list.ts";
import { type AccountId, asCallId, type JobId, type TranscriptionId } from "../../../../src/core/ids.ts";
import { ControlMetrics } from "../../../../src/core/metrics/control-metrics.ts";
import { newId } from "../../../../src/core/new-id.ts";
import { TranscriptionEnds } from "../../../../src/process/control/transcriptions/transcription-ends.ts";
import { TranscriptionAudio } from "../../../../src/store/data-dir/transcription-audio.ts";
import { openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../../src/store/stores.ts";
import type { NewTranscription } from "../../../../src/store/transcription-store.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { memoryLog } from "../../../support/memory-log.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";
import { ageClockOf } from "../../../support/tokens.ts";
import { FAILURE, newTranscription, RESULT } from "../../../support/transcriptions/stored.ts";

let stores: Stores;
let clock: ManualClock;
let audio: TranscriptionAudio;
let accountId: AccountId;
let metrics: ControlMetrics;
let logged: string[];

beforeEach(async () => {
  clock = new ManualClock();
  const directory = temporaryDirectory();
  stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  audio = new TranscriptionAudio(directory);
  accountId = await stores.accounts.ensure("acme");
  metrics = new ControlMetrics(CONNECTION_TYPES);
});
afterEach(() => stores.close());

async function start(encryptsMedia = false): Promise<void> {
  const { log, lines } = memoryLog();
  logged = lines;
  const { transcriptions } = stores;
  await new TranscriptionEnds({ transcriptions, audio, encryptsMedia, metrics, clock, log }).start();
}

async function withAudio(deletesAudio: boolean, more: Partial<NewTranscription> = {}): Promise<TranscriptionId> {
  const { id } = await stores.transcriptions.create(newTranscription(accountId, { deletesAudio, ...more }));
  await (await audio.create(id)).close();
  return id;
}
const complete = (id: TranscriptionId) => stores.transcriptions.end(id, { status: "completed", result: RESULT });
const hasFile = (id: TranscriptionId): boolean => existsSync(audio.path(id));

test("audio that is not kept is deleted when its transcription is over, other audio stays", async () => {
  await start();
  const [kept, unkept, cancelled] = [await withAudio(false), await withAudio(true), await withAudio(true)];
  await complete(kept);
  await complete(unkept);
  await stores.transcriptions.cancel(accountId, cancelled);
  await vi.waitFor(async () => {
    for (const id of [unkept, cancelled]) {
      expect([hasFile(id), (await stores.transcriptions.find(id))?.hasAudio]).toEqual([false, false]);
    }
  });
  expect([hasFile(kept), (await stores.transcriptions.find(kept))?.hasAudio]).toEqual([true, true]);
});

test("the end of one whose job is cancelled is logged, and its audio deleted", async () => {
  await start();
  const id = await withAudio(true);
  await stores.jobs.cancel((await stores.transcriptions.jobOf(id)) as JobId);
  await vi.waitFor(() => expect(hasFile(id)).toBe(false));
  expect(logged.join("")).toContain('"code":"abandoned"');
});

test("with encrypted media no audio is kept: it is not encrypted", async () => {
  await start(true);
  const id = await withAudio(false);
  await complete(id);
  await vi.waitFor(() => expect(hasFile(id)).toBe(false));
});

test("no audio of a redacted transcription is kept: what was said is still in it", async () => {
  await start();
  const options = { ...newTranscription(accountId).options, redact: ["card_number"] as const };
  const id = await withAudio(false, { options });
  await complete(id);
  await vi.waitFor(() => expect(hasFile(id)).toBe(false));
});

test("no copy of a call's recording is kept", async () => {
  await start();
  const id = await withAudio(false, { source: "call", callId: asCallId("call_1") });
  await complete(id);
  await vi.waitFor(async () => {
    expect([hasFile(id), (await stores.transcriptions.find(id))?.hasAudio]).toEqual([false, false]);
  });
});

test("a start deletes audio that was written after it had been deleted, and files that were not complete", async () => {
  const [late, kept, open] = [await withAudio(false), await withAudio(false), await withAudio(false)];
  await stores.transcriptions.cancel(accountId, late);
  await stores.transcriptions.audioDeleted(late);
  await complete(kept);
  const partial = `${audio.path(open)}.part`;
  writeFileSync(partial, "half");
  await start();
  expect([late, kept, open].map(hasFile)).toEqual([false, true, true]);
  expect(existsSync(partial)).toBe(false);
});

test("audio is removed with what was fetched of it", async () => {
  const id = await withAudio(false);
  writeFileSync(`${audio.path(id)}.part`, "half");
  await audio.remove(id);
  expect([hasFile(id), existsSync(`${audio.path(id)}.part`)]).toEqual([false, false]);
});

test("a start deletes audio without a transcription, and what an earlier process has left", async () => {
  const [orphan, left, open] = [newId("transcription"), await withAudio(true), await withAudio(true)];
  await (await audio.create(orphan)).close();
  await complete(left);
  await start();
  expect([orphan, left, open].map(hasFile)).toEqual([false, false, true]);
  expect(logged.join("")).toContain('"files":1');
});

test("each end is counted and logged, without words", async () => {
  await start();
  await complete(await withAudio(false));
  await stores.transcriptions.end(await withAudio(false), { status: "failed", failure: FAILURE });
  await vi.waitFor(() => expect(logged.filter((line) => line.includes("transcription finished"))).toHaveLength(2));
  expect(logged.join("")).toContain(FAILURE.code);
  expect(logged.join("")).not.toMatch(/good evening|Lario/);
  const exposition = await metrics.registry.metrics();
  expect(exposition).toMatch(/trunkline_transcriptions_total\{[^}]*status="completed"[^}]*\} 1/);
  expect(exposition).toMatch(/trunkline_transcription_audio_seconds_total\{[^}]*provider="deepgram"[^}]*\} 2\.5/);
});
