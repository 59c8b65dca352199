import { describe, expect, test } from "vitest";
import type { ChildEvents } from "../../../src/core/child-processes/child-process.ts";
import { HEARTBEAT_MS } from "../../../src/core/limits/service/processes.ts";
import {
  TRANSCRIBER_IDLE_MS_MAX,
  TRANSCRIBER_STALL_MS_MAX,
} from "../../../src/core/limits/transcriptions/transcriptions.ts";
import type { PartKey } from "../../../src/core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import { TranscriberClient } from "../../../src/process/transcriber/client.ts";
import type { FromTranscriber, ToTranscriber } from "../../../src/process/transcriber/messages.ts";
import type { PartsStore, TranscriptionTask } from "../../../src/transcription/transcriber.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const PART: PartKey = { channel: 0, startMs: 0, endMs: 1_000 };
const OUTCOME = { words: [], hasEstimatedTimes: false, provider: "scripted", usage: [] };
const RESULT = { text: "hello" } as TranscriptionResult;
const TASK: TranscriptionTask = {
  path: "audio.wav",
  options: { language: "en", channels: "mix", timestamps: "word", speakers: false, vocabulary: [] },
  account: {},
  parts: [],
};

/** A transcriber process that does what the test says. */
class FakeChild {
  readonly sent: ToTranscriber[] = [];
  isKilled = false;
  /** It takes a while to die: `dies` ends it. */
  diesLater = false;
  readonly #events: ChildEvents<FromTranscriber>;
  readonly pid = 1;

  constructor(events: ChildEvents<FromTranscriber>) {
    this.#events = events;
  }

  send(message: ToTranscriber): void {
    this.sent.push(message);
  }

  kill(): void {
    this.isKilled = true;
    if (!this.diesLater) this.dies();
  }

  dies(): void {
    this.#events.onExit({ exitCode: null, signal: "SIGKILL" });
  }

  says(message: FromTranscriber): void {
    this.#events.onMessage(message);
  }

  /** The ids of the attempts that it was given. */
  get begun(): number[] {
    return this.sent.flatMap((message) => (message.kind === "transcribe" ? [message.id] : []));
  }
}

function scene() {
  const children: FakeChild[] = [];
  const clock = new ManualClock();
  let deaths = 0;
  const client = new TranscriberClient({
    start: (events) => {
      const child = new FakeChild(events);
      children.push(child);
      return child;
    },
    clock,
    log: memoryLog().log,
    onDied: () => {
      deaths += 1;
    },
  });
  return { client, children, clock, deaths: () => deaths, child: () => children.at(-1) as FakeChild };
}

function storeOf(changes: Partial<PartsStore> = {}): PartsStore & { transcribedParts: PartKey[] } {
  const transcribedParts: PartKey[] = [];
  return {
    transcribedParts,
    requesting: async () => true,
    transcribed: async (part) => void transcribedParts.push(part),
    progress: () => {},
    ...changes,
  };
}

const never = (): AbortSignal => new AbortController().signal;
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("the process is started for the first file, transcribes some at once, and is ended when there was none for a while", async () => {
  const { client, children, child, clock } = scene();
  expect(children).toHaveLength(0);
  const done = [1, 2, 3, 4].map(() => client.transcribe(TASK, storeOf(), never()));
  expect(child().begun).toEqual([]);
  child().says({ kind: "ready" });
  expect(child().begun).toEqual([1, 2, 3]);
  child().says({ kind: "completed", id: 1, result: RESULT });
  expect(child().begun).toEqual([1, 2, 3, 4]);
  for (const id of [2, 3, 4]) child().says({ kind: "completed", id, result: RESULT });
  expect(await Promise.all(done)).toEqual([RESULT, RESULT, RESULT, RESULT]);
  for (let ms = 0; ms <= TRANSCRIBER_IDLE_MS_MAX; ms += HEARTBEAT_MS) {
    expect(child().isKilled).toBe(false);
    child().says({ kind: "heartbeat" });
    clock.advance(HEARTBEAT_MS);
  }
  expect(child().isKilled).toBe(true);
  void client.transcribe(TASK, storeOf(), never()).catch(() => {});
  expect(children).toHaveLength(2);
  client.close();
});

test("a file that comes while an idle process is ending is the next one's, and no death is counted", async () => {
  const { client, children, child, clock, deaths } = scene();
  const first = client.transcribe(TASK, storeOf(), never());
  child().says({ kind: "ready" });
  child().says({ kind: "completed", id: 1, result: RESULT });
  await first;
  const [ending] = children;
  child().diesLater = true;
  for (let ms = 0; ms <= TRANSCRIBER_IDLE_MS_MAX; ms += HEARTBEAT_MS) {
    child().says({ kind: "heartbeat" });
    clock.advance(HEARTBEAT_MS);
  }
  expect(ending?.isKilled).toBe(true);
  const second = client.transcribe(TASK, storeOf(), never());
  expect(ending?.begun).toEqual([1]);
  ending?.dies();
  child().says({ kind: "ready" });
  child().says({ kind: "completed", id: 2, result: RESULT });
  expect(await second).toBe(RESULT);
  expect([children.length, deaths()]).toEqual([2, 0]);
  client.close();
});

describe("what it reports", () => {
  test("is stored before the process goes on", async () => {
    const { client, child } = scene();
    const store = storeOf();
    void client.transcribe(TASK, store, never()).catch(() => {});
    child().says({ kind: "ready" });
    child().says({ kind: "requesting", id: 1, number: 7, part: PART, provider: "scripted" });
    child().says({ kind: "transcribed", id: 1, number: 8, part: PART, outcome: OUTCOME });
    await settled();
    expect(child().sent.slice(1)).toEqual([
      { kind: "stored", id: 1, number: 7, isOver: false },
      { kind: "stored", id: 1, number: 8, isOver: false },
    ]);
    expect(store.transcribedParts).toEqual([PART]);
    client.close();
  });

  test("ends the attempt where the transcription is over, or where it cannot be stored", async () => {
    const { client, child } = scene();
    void client.transcribe(TASK, storeOf({ requesting: async () => false }), never()).catch(() => {});
    const failing = storeOf({ transcribed: () => Promise.reject(new Error("the disk is full")) });
    const failed = client.transcribe(TASK, failing, never());
    child().says({ kind: "ready" });
    child().says({ kind: "requesting", id: 1, number: 1, part: PART, provider: "scripted" });
    child().says({ kind: "transcribed", id: 2, number: 2, part: PART, outcome: OUTCOME });
    await expect(failed).rejects.toThrow("the disk is full");
    expect(child().sent).toContainEqual({ kind: "stored", id: 1, number: 1, isOver: true });
    expect(child().sent).toContainEqual({ kind: "stop", id: 2 });
    client.close();
  });
});

test("a failure has the code of the process", async () => {
  const { client, child } = scene();
  const done = client.transcribe(TASK, storeOf(), never());
  child().says({ kind: "ready" });
  child().says({ kind: "failed", id: 1, failure: { code: "audio_unreadable", fault: "caller", message: "no audio" } });
  await expect(done).rejects.toMatchObject({ code: "audio_unreadable", message: "no audio" });
  client.close();
});

test("an abort stops the attempt, and what it still reports has no effect", async () => {
  const { client, child } = scene();
  const abort = new AbortController();
  const store = storeOf();
  const done = client.transcribe(TASK, store, abort.signal);
  child().says({ kind: "ready" });
  abort.abort(new Error("cancelled"));
  await expect(done).rejects.toThrow("cancelled");
  expect(child().sent.at(-1)).toEqual({ kind: "stop", id: 1 });
  child().says({ kind: "transcribed", id: 1, number: 1, part: PART, outcome: OUTCOME });
  await settled();
  expect(store.transcribedParts).toEqual([]);
  client.close();
});

describe("a process that dies", () => {
  test("fails what it had in progress, and the next one gets what waits", async () => {
    const { client, children, child, deaths } = scene();
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => client.transcribe(TASK, storeOf(), never()));
    child().says({ kind: "ready" });
    child().kill();
    await expect(first).rejects.toMatchObject({ code: "transcriber_died" });
    await expect(second).rejects.toMatchObject({ code: "transcriber_died" });
    await expect(third).rejects.toMatchObject({ code: "transcriber_died" });
    expect(children).toHaveLength(2);
    child().says({ kind: "ready" });
    child().says({ kind: "completed", id: 4, result: RESULT });
    expect(await fourth).toBe(RESULT);
    expect(deaths()).toBe(1);
    client.close();
  });

  test("before it is ready fails what waits, so that it is not started again and again", async () => {
    const { client, children, child } = scene();
    const done = client.transcribe(TASK, storeOf(), never());
    child().kill();
    await expect(done).rejects.toMatchObject({ code: "transcriber_died" });
    expect(children).toHaveLength(1);
  });

  test("is one that sends no heartbeats", async () => {
    const { client, child, clock } = scene();
    const done = client.transcribe(TASK, storeOf(), never());
    child().says({ kind: "ready" });
    clock.advance(TRANSCRIBER_STALL_MS_MAX + 2 * HEARTBEAT_MS);
    await expect(done).rejects.toMatchObject({ code: "transcriber_died" });
    client.close();
  });
});

test("what is in progress when the service stops may be attempted again", async () => {
  const { client, child } = scene();
  const done = [client.transcribe(TASK, storeOf(), never()), client.transcribe(TASK, storeOf(), never())];
  child().says({ kind: "ready" });
  client.close();
  for (const attempt of done) await expect(attempt).rejects.toMatchObject({ code: "unavailable" });
  await expect(client.transcribe(TASK, storeOf(), never())).rejects.toMatchObject({ code: "unavailable" });
});
