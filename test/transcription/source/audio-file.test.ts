import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SharedFiles } from "../../../src/store/bucket/shared-files.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Transcription } from "../../../src/store/transcription-store.ts";
import { AudioFiles } from "../../../src/transcription/source/audio-file.ts";
import { FaultyBucket } from "../../support/bucket/faulty-bucket.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";
import { newTranscription } from "../../support/transcriptions/stored.ts";

let stores: Stores;
let bucket: FaultyBucket;
let audio: TranscriptionAudio;
let fetches: number;
let files: AudioFiles;
let transcription: Transcription;

beforeEach(async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  bucket = new FaultyBucket();
  audio = new TranscriptionAudio(
    directory,
    new SharedFiles({ bucket, jobs: stores.jobs, clock, requireRoom: () => {} }),
  );
  fetches = 0;
  files = new AudioFiles({
    audio,
    async *fetch() {
      fetches += 1;
      // It goes away between the question whether it has the audio and the answer that it gets it.
      bucket.isAway = fetches === 1;
      yield Buffer.from("audio");
    },
    readRecording: async () => undefined,
  });
  const accountId = await stores.accounts.ensure("acme");
  const url = "https://files.example/meeting.wav";
  transcription = await stores.transcriptions.create(newTranscription(accountId, { source: "url", url }));
});
afterEach(() => stores.close());

test("audio of an address that could not be shared is shared with the next attempt, without another fetch", async () => {
  const { signal } = new AbortController();
  await expect(files.pathOf(transcription, signal)).rejects.toMatchObject({ code: "unavailable" });
  await files.release(transcription);
  bucket.isAway = false;
  await files.pathOf(transcription, signal);
  expect([fetches, await bucket.keys()]).toEqual([1, [`transcriptions/${transcription.id}`]]);
  const puts = bucket.puts.length;
  await files.pathOf(transcription, signal);
  expect(bucket.puts).toHaveLength(puts);
  await files.release(transcription);
  expect(existsSync(audio.path(transcription.id))).toBe(false);
});
