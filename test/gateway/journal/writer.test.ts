import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { CHUNK_OVERHEAD_BYTES, newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { asCallId, asTurnId } from "../../../src/core/ids.ts";
import {
  JOURNAL_BACKLOG_BYTES_MAX,
  JOURNAL_FLUSH_MS,
  JOURNAL_PENDING_BYTES_MAX,
  JOURNAL_SKIPPED_FRAMES_BYTES_MAX,
  JOURNAL_SYNCS_MAX,
  JOURNAL_SYNCS_WAITING_MAX,
} from "../../../src/core/limits/storage/storage.ts";
import { JournalSyncQueue } from "../../../src/gateway/journal/sync-queue.ts";
import type { JournalFiles } from "../../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../../src/gateway/journal/writers.ts";
import { JournalDecoder } from "../../../src/record/journal/format.ts";
import { JournalReader, journalPath, readJournal } from "../../../src/record/journal/reader.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import { TURN_WEIGHTS } from "../../../src/record/journal/turn-weights.ts";
import { JOURNAL_VERSION } from "../../../src/record/journal/versions.ts";
import { heapBytesPerRun } from "../../support/heap.ts";
import { NOT_RECORDED, START } from "../../support/journals/example-call.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const AUDIO = Uint8Array.from({ length: 160 }, (_, i) => i);

interface World {
  journals: JournalWriters;
  clock: ManualClock;
  dataDir: string;
  /** The log, one parsed line each. */
  logged: Record<string, unknown>[];
}

function world(files?: JournalFiles): World {
  const dataDir = temporaryDirectory();
  const clock = new ManualClock();
  const logged: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line) => logged.push(JSON.parse(line)) });
  const journals = new JournalWriters({
    dataDir,
    software: "trunkline test",
    clock,
    log,
    ...(files === undefined ? {} : { files }),
  });
  return { journals, clock, dataDir, logged };
}

async function recordsOf(dataDir: string, callId = START.callId): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  const { torn } = await readJournal(journalPath(dataDir, callId), (record) => records.push(structuredClone(record)));
  expect(torn).toBe(false);
  return records;
}

/** A disk in memory under the test's control: it answers when it is released, and fails when it should. */
class FakeFiles implements JournalFiles {
  readonly written = new Map<number, Buffer[]>();
  readonly synced: number[] = [];
  readonly closed: number[] = [];
  writes = 0;
  /** The next results: an error, or how many bytes a write takes at most. */
  createError: Error | undefined;
  writeError: Error | undefined;
  syncError: Error | undefined;
  bytesPerWriteMax = Number.POSITIVE_INFINITY;
  /** While it hangs, its callbacks wait here. */
  hangs = false;
  hangsAtSync = false;
  #waiting: (() => void)[] = [];

  create(_path: string, done: (error: Error | null, fd: number) => void): void {
    const fd = this.written.size + 3;
    this.written.set(fd, []);
    this.#answer(() => done(this.createError ?? null, fd));
  }

  write(fd: number, bytes: Uint8Array, done: (error: Error | null, writtenBytes: number) => void): void {
    this.writes += 1;
    this.#answer(() => {
      if (this.writeError !== undefined) {
        done(this.writeError, 0);
        return;
      }
      const taken = Math.min(bytes.length, this.bytesPerWriteMax);
      this.written.get(fd)?.push(Buffer.from(bytes.subarray(0, taken)));
      done(null, taken);
    });
  }

  sync(fd: number, done: (error: Error | null) => void): void {
    this.synced.push(fd);
    this.hangs ||= this.hangsAtSync;
    this.#answer(() => done(this.syncError ?? null));
  }

  close(fd: number, done: (error: Error | null) => void): void {
    this.closed.push(fd);
    this.#answer(() => done(null));
  }

  goOn(): void {
    this.hangs = false;
    for (const answer of this.#waiting.splice(0)) queueMicrotask(answer);
  }

  records(fd = 3): JournalRecord[] {
    const records: JournalRecord[] = [];
    const bytes = Buffer.concat(this.written.get(fd) ?? []);
    const used = new JournalDecoder((record) => records.push(structuredClone(record))).push(bytes);
    expect(used).toBe(bytes.length);
    return records;
  }

  #answer(answer: () => void): void {
    if (this.hangs) this.#waiting.push(answer);
    else queueMicrotask(answer);
  }
}

const noSpace = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });

describe("ADV-L9: the journal of an ended call", () => {
  test("is flushed to disk once, when all of it is in the file, before it counts as complete", async () => {
    const files = new FakeFiles();
    const { journals, clock } = world(files);
    const writer = journals.open(START);
    await clock.play(10 * JOURNAL_FLUSH_MS);
    expect(files.synced).toEqual([]);
    writer.command(callMs(31), { kind: "end", reason: "api_hangup" });
    files.hangsAtSync = true;
    let isComplete = false;
    const closed = writer.close().then(() => {
      isComplete = true;
    });
    await settled();
    expect([files.synced, files.closed, isComplete]).toEqual([[3], [], false]);
    files.goOn();
    await closed;
    expect(files.records().at(-1)).toMatchObject({ kind: "command", command: { kind: "end" } });
    expect(files.closed).toEqual([3]);
    expect(journals.unsynced).toBe(0);
  });

  test("has failed where the disk does not take it, and its file is closed", async () => {
    const files = new FakeFiles();
    const { journals, logged } = world(files);
    files.syncError = Object.assign(new Error("input/output error"), { code: "EIO" });
    const writer = journals.open(START);
    await writer.close();
    expect([writer.failed, journals.failures, files.closed]).toEqual([true, 1, [3]]);
    expect(logged).toMatchObject([{ code: "EIO", msg: "journal failed, the call continues" }]);
  });

  test("waits for at most two others, in a queue of 256; further ones are left to the system and counted", async () => {
    const started: number[] = [];
    const answers: (() => void)[] = [];
    const done: number[] = [];
    const sync = new JournalSyncQueue((fd, answer) => {
      started.push(fd);
      answers.push(() => answer(null));
    });
    for (let fd = 0; fd < JOURNAL_SYNCS_MAX + JOURNAL_SYNCS_WAITING_MAX + 3; fd += 1) sync.run(fd, () => done.push(fd));
    expect([started, done.length, sync.skipped]).toEqual([[0, 1], 3, 3]);
    answers[0]?.();
    expect([started, done.at(-1)]).toEqual([[0, 1, 2], 0]);
    for (let at = 1; at < answers.length; at += 1) answers[at]?.();
    expect(done).toHaveLength(JOURNAL_SYNCS_MAX + JOURNAL_SYNCS_WAITING_MAX + 3);
    expect(started).toHaveLength(JOURNAL_SYNCS_MAX + JOURNAL_SYNCS_WAITING_MAX);
  });
});

describe("journal writer", () => {
  test("writes a call's header, frames, events and commands into a file that only its owner may read", async () => {
    const { journals, dataDir } = world();
    const writer = journals.open(START);
    writer.event(callMs(1), { kind: "leg-started", codec: "mulaw" });
    writer.command(callMs(1), { kind: "speak", turnId: asTurnId(1), segment: 0, text: "Hello." });
    writer.frameIn(callMs(21.5), mediaMs(102), true, AUDIO);
    writer.frameOut(callMs(22), asTurnId(1), 160, AUDIO);
    writer.command(callMs(30), {
      kind: "generate-reply",
      turnId: asTurnId(2),
      messages: [{ role: "user", text: "Hi." }],
      tools: [],
      language: "en",
    });
    writer.command(callMs(31), { kind: "end", reason: "api_hangup" });
    const closed = writer.close();
    writer.event(callMs(32), { kind: "tick" });
    await closed;

    const { spec, ...start } = START;
    expect(await recordsOf(dataDir)).toEqual([
      {
        kind: "header",
        timeMs: 0,
        version: JOURNAL_VERSION,
        header: { software: "trunkline test", icu: process.versions.icu, turnWeights: TURN_WEIGHTS, ...start, spec },
      },
      { kind: "event", timeMs: 1, event: { kind: "leg-started", codec: "mulaw" } },
      { kind: "command", timeMs: 1, command: { kind: "speak", turnId: 1, segment: 0, text: "Hello." } },
      { kind: "frame-in", timeMs: 21.5, mediaMs: 102, isSpeech: true, audio: AUDIO, audioOmitted: false },
      { kind: "frame-out", timeMs: 22, turnId: 1, samples: 160, audio: AUDIO, audioOmitted: false },
      { kind: "command", timeMs: 30, command: { kind: "generate-reply", turnId: 2, messages: 1, language: "en" } },
      { kind: "command", timeMs: 31, command: { kind: "end", reason: "api_hangup" } },
    ]);
    expect(statSync(journalPath(dataDir, START.callId)).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, "journals")).mode & 0o777).toBe(0o700);
    expect(journals.failures).toBe(0);
  });

  test("writes neither audio nor words of a call that is not recorded", async () => {
    const { journals, dataDir } = world();
    const writer = journals.open(NOT_RECORDED);
    writer.frameIn(callMs(20), mediaMs(0), true, AUDIO);
    writer.frameOut(callMs(21), asTurnId(1), 160, AUDIO);
    writer.event(callMs(22), { kind: "stt-final", text: "canary" });
    writer.event(callMs(23), { kind: "dtmf", digit: "7" });
    writer.command(callMs(24), { kind: "speak", turnId: asTurnId(1), segment: 0, text: "canary" });
    await writer.close();
    const [header, frameIn, frameOut] = await recordsOf(dataDir);
    expect(header).not.toHaveProperty("header.spec");
    expect(frameIn).toMatchObject({ kind: "frame-in", isSpeech: true, audio: new Uint8Array(), audioOmitted: false });
    expect(frameOut).toMatchObject({ kind: "frame-out", audio: new Uint8Array(), audioOmitted: false });
    const bytes = readFileSync(journalPath(dataDir, START.callId));
    for (const said of ["canary", '"7"', "dentist"]) expect(bytes.includes(said)).toBe(false);
    expect(bytes.includes(Buffer.from(AUDIO.subarray(0, 8)))).toBe(false);
  });

  test.each([true, false])("writes audio without words, and words without audio (words: %s)", async (hasWords) => {
    const { journals, dataDir } = world();
    const spec = { ...START.spec, recordingEnabled: !hasWords, transcriptEnabled: hasWords };
    const writer = journals.open({ ...START, spec });
    writer.frameIn(callMs(20), mediaMs(0), true, AUDIO);
    writer.frameOut(callMs(21), asTurnId(1), 160, AUDIO);
    writer.event(callMs(22), { kind: "stt-final", text: "canary" });
    writer.event(callMs(23), { kind: "leg-started", codec: "mulaw", parameters: { order: "canary" } });
    writer.command(callMs(24), { kind: "speak", turnId: asTurnId(1), segment: 0, text: "canary" });
    await writer.close();
    const [header, frameIn, frameOut] = await recordsOf(dataDir);
    const { connectionType, maxDurationMs } = spec;
    if (hasWords) expect(header).toMatchObject({ header: { spec } });
    else expect(header).toMatchObject({ header: { audio: { connectionType, maxDurationMs } } });
    const audio = hasWords ? new Uint8Array() : AUDIO;
    expect([frameIn, frameOut]).toMatchObject([
      { kind: "frame-in", audio, audioOmitted: false },
      { kind: "frame-out", audio, audioOmitted: false },
    ]);
    const bytes = readFileSync(journalPath(dataDir, START.callId));
    for (const said of ["canary", "dentist"]) expect(bytes.includes(said)).toBe(hasWords);
  });

  test("with a key writes nothing that can be read without it, in chunks that can be read while it is written", async () => {
    const { journals, dataDir, clock } = world();
    const key = newMediaKey(START.callId);
    const path = journalPath(dataDir, START.callId);
    const writer = journals.open(START, key);
    const records: JournalRecord[] = [];
    const reader = new JournalReader({ path, key }, (record) => records.push(structuredClone(record)));
    await expect.poll(() => existsSync(path) && reader.readMore()).toBe("torn");
    expect(records.map(({ kind }) => kind)).toEqual(["header"]);
    writer.event(callMs(22), { kind: "stt-final", text: "canary" });
    writer.frameIn(callMs(23), mediaMs(0), true, AUDIO);
    clock.advance(JOURNAL_FLUSH_MS);
    await expect.poll(() => reader.readMore().then(() => records.length)).toBe(3);
    writer.command(callMs(24), { kind: "end", reason: "api_hangup" });
    await writer.close();
    expect(await reader.readMore()).toBe("end");
    expect(records.map(({ kind }) => kind)).toEqual(["header", "event", "frame-in", "command"]);
    expect(await readJournal({ path, key }, () => {})).toEqual({ torn: false });
    const bytes = readFileSync(path);
    for (const plain of ["canary", "dentist", "TLKJ", "api_hangup", Buffer.from(AUDIO.subarray(0, 8))]) {
      expect(bytes.includes(plain)).toBe(false);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(readJournal(path, () => {})).rejects.toThrow("its key is missing");
    await expect(readJournal({ path, key: newMediaKey(START.callId) }, () => {})).rejects.toThrow("of another key");
  });

  test("with a key gives a journal that is cut anywhere as far as its complete chunks go", async () => {
    const { journals, dataDir } = world();
    const key = newMediaKey(START.callId);
    const path = journalPath(dataDir, START.callId);
    const writer = journals.open(START, key);
    const sizes: number[] = [];
    const nextSize = async (): Promise<void> => {
      await expect.poll(() => existsSync(path) && statSync(path).size > (sizes.at(-1) ?? 0)).toBe(true);
      sizes.push(statSync(path).size);
    };
    await nextSize();
    for (let at = 1; at <= 4; at += 1) {
      writer.event(callMs(at), { kind: "tick" });
      // Nothing is flushed while the write before is still in progress.
      await expect.poll(() => writer.flush() ?? writer.pendingBytes).toBe(0);
      await nextSize();
    }
    await writer.close();
    const bytes = readFileSync(path);
    expect(bytes.length).toBe((sizes.at(-1) ?? 0) + CHUNK_OVERHEAD_BYTES);
    for (let length = 0; length <= bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      let records = 0;
      const { torn } = await readJournal({ path, key }, () => {
        records += 1;
      });
      expect([torn, records]).toEqual([length < bytes.length, sizes.filter((size) => size <= length).length]);
    }
  });

  test("with a key writes the end of the file once, whatever waits when the journal is closed", async () => {
    for (const waits of [true, false]) {
      const { journals, dataDir } = world();
      const key = newMediaKey(START.callId);
      const writer = journals.open(START, key);
      if (waits) writer.event(callMs(1), { kind: "tick" });
      await Promise.all([writer.close(), writer.close()]);
      const path = journalPath(dataDir, START.callId);
      expect(await readJournal({ path, key }, () => {})).toEqual({ torn: false });
    }
  });

  test("writes the header before anything else happens", async () => {
    const { journals, dataDir } = world();
    journals.open(START);
    await expect.poll(() => existsSync(journalPath(dataDir, START.callId)) && recordsOf(dataDir)).toHaveLength(1);
  });

  test("flushes every open journal in each flush interval, not all at once, and leaves no timer", async () => {
    const files = new FakeFiles();
    const { journals, clock } = world(files);
    const writers = Array.from({ length: 200 }, (_, i) => journals.open({ ...START, callId: asCallId(`call_${i}`) }));
    await settled();
    let writesMax = 0;
    for (let round = 0; round < 4; round += 1) {
      for (const writer of writers) writer.event(callMs(round), { kind: "tick" });
      const writes = files.writes;
      for (let elapsedMs = 0; elapsedMs < JOURNAL_FLUSH_MS; elapsedMs += 10) {
        const before = files.writes;
        clock.advance(10);
        writesMax = Math.max(writesMax, files.writes - before);
        await settled();
      }
      expect(files.writes - writes).toBe(writers.length);
    }
    expect(writesMax).toBeLessThan(writers.length / 10);
    await Promise.all(writers.map((writer) => writer.close()));
    clock.advance(JOURNAL_FLUSH_MS);
    expect(clock.pending).toBe(0);
    expect(files.closed).toHaveLength(writers.length);
  });

  test("writes a single journal no more often than needed, and flushes again with the next call", async () => {
    const files = new FakeFiles();
    const { journals, clock } = world(files);
    for (let call = 0; call < 2; call += 1) {
      const writer = journals.open({ ...START, callId: asCallId(`call_${call}`) });
      await settled();
      const writes = files.writes;
      for (let elapsedMs = 0; elapsedMs < 2_500; elapsedMs += 10) {
        writer.event(callMs(elapsedMs), { kind: "tick" });
        clock.advance(10);
        await settled();
      }
      expect(files.writes - writes).toBeGreaterThanOrEqual(10);
      expect(files.writes - writes).toBeLessThanOrEqual(11);
      await writer.close();
    }
  });

  test("lets frames alone wait for up to three flushes, unless they are many, and writes them with anything else", async () => {
    const files = new FakeFiles();
    const { journals, clock } = world(files);
    const writer = journals.open(START);
    await settled();
    /** Writes in each of `flushes` flush intervals, after `each` has run in it. */
    const writesIn = async (flushes: number, each: (flush: number) => void): Promise<number[]> => {
      const counts: number[] = [];
      for (let flush = 0; flush < flushes; flush += 1) {
        const before = files.writes;
        each(flush);
        for (let elapsedMs = 0; elapsedMs < JOURNAL_FLUSH_MS; elapsedMs += 10) {
          clock.advance(10);
          await settled();
        }
        counts.push(files.writes - before);
      }
      return counts;
    };
    const silent = new Uint8Array(0);
    const loud = new Uint8Array(JOURNAL_SKIPPED_FRAMES_BYTES_MAX);
    expect(await writesIn(6, () => writer.frameOut(callMs(0), asTurnId(1), 160, silent))).toEqual([0, 0, 1, 0, 0, 1]);
    expect(await writesIn(3, () => writer.frameOut(callMs(0), asTurnId(1), 160, loud))).toEqual([1, 1, 1]);
    expect(
      await writesIn(5, (flush) => {
        writer.frameOut(callMs(0), asTurnId(1), 160, silent);
        if (flush === 1) writer.event(callMs(0), { kind: "tick" });
      }),
    ).toEqual([0, 1, 0, 0, 1]);
    await writer.close();
  });

  test("writes the rest when the disk takes only part of a write", async () => {
    const files = new FakeFiles();
    files.bytesPerWriteMax = 7;
    const { journals } = world(files);
    const writer = journals.open(START);
    writer.frameIn(callMs(20), mediaMs(0), true, AUDIO);
    await writer.close();
    expect(files.records().map(({ kind }) => kind)).toEqual(["header", "frame-in"]);
  });

  test("omits audio when the disk hangs, counts that and marks each frame, but loses no event", async () => {
    const files = new FakeFiles();
    const { journals, logged } = world(files);
    const writer = journals.open(START);
    await settled();
    files.hangs = true;
    let frames = 0;
    for (; writer.framesWithoutAudio < 100; frames += 1) {
      writer.frameIn(callMs(frames * 20), mediaMs(frames * 20), false, AUDIO);
      if (frames % 100 === 0) writer.flush();
    }
    writer.event(callMs(frames * 20), { kind: "stt-final", text: "still here" });
    files.goOn();
    await settled();
    writer.flush();
    await settled();
    writer.frameIn(callMs(frames * 20), mediaMs(frames * 20), false, AUDIO);
    await writer.close();

    const records = files.records();
    const read = records.filter((record) => record.kind === "frame-in");
    expect(read).toHaveLength(frames + 1);
    const audioBytes = read.filter(({ audioOmitted }) => !audioOmitted).length * (AUDIO.length + 22);
    expect(audioBytes).toBeLessThan(JOURNAL_PENDING_BYTES_MAX + 1_000);
    expect(audioBytes).toBeGreaterThan(JOURNAL_PENDING_BYTES_MAX - 2_000);
    expect(read.slice(-101, -1).every(({ audioOmitted, audio }) => audioOmitted && audio.length === 0)).toBe(true);
    expect(read.at(-1)).toMatchObject({ audio: AUDIO, audioOmitted: false });
    expect(records).toContainEqual(expect.objectContaining({ event: { kind: "stt-final", text: "still here" } }));
    expect(logged).toEqual([]);
  });

  test("gives up the journal when the disk never recovers, without using more memory and without affecting the call", async () => {
    const files = new FakeFiles();
    const { journals, logged } = world(files);
    const writer = journals.open(START);
    await settled();
    files.hangs = true;
    const events = Math.ceil(JOURNAL_BACKLOG_BYTES_MAX / 1_000) + 1;
    for (let i = 0; i < events; i += 1) {
      writer.event(callMs(i), { kind: "stt-interim", text: "x".repeat(1_000) });
      writer.flush();
    }
    expect(writer.failed).toBe(true);
    expect(journals.failures).toBe(1);
    expect(logged).toEqual([
      expect.objectContaining({ callId: START.callId, code: "journal backlog exceeds its limit", fault: "service" }),
    ]);
    await writer.close();
    expect(files.closed).toEqual([]);
    files.goOn();
    await settled();
    // Only now does the write complete that still needs its file.
    expect(files.closed).toEqual([3]);
    expect(logged).toHaveLength(1);
  });

  test("fails the journal, which stays readable, on an event that no record can hold", async () => {
    const files = new FakeFiles();
    const { journals } = world(files);
    const writer = journals.open(START);
    writer.event(callMs(1), { kind: "leg-started", codec: "mulaw" });
    await settled();
    writer.event(callMs(2), { kind: "reply-text", turnId: asTurnId(1), text: "x".repeat(JOURNAL_BACKLOG_BYTES_MAX) });
    expect(writer.failed).toBe(true);
    await writer.close();
    await settled();
    expect(files.records()).toHaveLength(2);
    expect(files.closed).toEqual([3]);
  });

  test("fails the journal once when the disk is full, with one log line, and the call continues", async () => {
    const files = new FakeFiles();
    const { journals, logged, clock } = world(files);
    const writer = journals.open(START);
    await settled();
    files.writeError = noSpace;
    for (let i = 0; i < 200; i += 1) {
      writer.frameIn(callMs(i * 20), mediaMs(i * 20), false, AUDIO);
      writer.event(callMs(i * 20), { kind: "tick" });
      clock.advance(20);
      await settled();
    }
    expect(writer.failed).toBe(true);
    await writer.close();
    await writer.close();
    expect(journals.failures).toBe(1);
    expect(logged).toEqual([expect.objectContaining({ callId: START.callId, code: "ENOSPC", fault: "service" })]);
    expect(files.records()).toHaveLength(1);
    expect(files.closed).toEqual([3]);
    expect(clock.pending).toBe(0);
  });

  test("fails the journal and not the call when the file cannot be created", async () => {
    const files = new FakeFiles();
    files.createError = noSpace;
    const { journals, logged } = world(files);
    const writer = journals.open(START);
    writer.event(callMs(1), { kind: "leg-started", codec: "mulaw" });
    await writer.close();
    expect(writer.failed).toBe(true);
    expect(logged).toHaveLength(1);
    expect(files.writes).toBe(0);
  });

  test("never overwrites an existing journal", async () => {
    const { journals, dataDir, logged } = world();
    writeFileSync(journalPath(dataDir, START.callId), "precious");
    const writer = journals.open(START);
    writer.frameIn(callMs(20), mediaMs(0), true, AUDIO);
    await writer.close();
    expect(readFileSync(journalPath(dataDir, START.callId), "utf8")).toBe("precious");
    expect(logged).toEqual([expect.objectContaining({ code: "EEXIST" })]);
  });

  test("allocates nothing for a frame in steady state", () => {
    const { journals } = world({
      create: (_path, done) => done(null, 3),
      write: (_fd, bytes, done) => done(null, bytes.length),
      sync: (_fd, done) => done(null),
      close: (_fd, done) => done(null),
    });
    const writer = journals.open(START);
    let frames = 0;
    const bytesPerFrame = heapBytesPerRun(() => {
      frames += 1;
      writer.frameIn(callMs(1.5), mediaMs(2.5), true, AUDIO);
      writer.frameOut(callMs(1.5), asTurnId(1), 160, AUDIO);
      // A flush may allocate: it falls into one in four of the measured windows.
      if (frames % 20 === 0) writer.flush();
    }, 5);
    expect(bytesPerFrame).toBe(0);
    expect(writer.framesWithoutAudio).toBe(0);
  });

  test("runs on the system's clock as well", async () => {
    const dataDir = temporaryDirectory();
    const journals = new JournalWriters({ dataDir, software: "t", clock: systemClock, log: pino({ enabled: false }) });
    const writer = journals.open(START);
    writer.event(callMs(1), { kind: "leg-started", codec: "mulaw" });
    await expect.poll(() => recordsOf(dataDir).catch(() => [])).toHaveLength(2);
    await writer.close();
  });
});
