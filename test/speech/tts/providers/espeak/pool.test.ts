import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { childModule } from "../../../../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../../../../src/core/clock.ts";
import type { TtsChunk } from "../../../../../src/speech/contracts.ts";
import { EspeakPool, type EspeakPoolOptions } from "../../../../../src/speech/tts/providers/espeak/pool.ts";
import { ManualClock } from "../../../../support/manual-clock.ts";

const open: EspeakPool[] = [];

/** A pool that runs a program of ./programs; closed after the test. */
function poolOf(program: string, options: Partial<EspeakPoolOptions> = {}): EspeakPool {
  const pool = new EspeakPool({
    children: 1,
    clock: systemClock,
    program: childModule(import.meta.url, `./programs/${program}`),
    ...options,
  });
  open.push(pool);
  return pool;
}

afterEach(() => {
  for (const pool of open.splice(0)) pool.close();
});

const speak = (pool: EspeakPool, text: string, signal = new AbortController().signal): AsyncIterable<TtsChunk> =>
  pool.speak({ text, voice: "one", watermark: false }, signal);

/** The id of the process that handled the request. */
async function speaker(pool: EspeakPool, text: string): Promise<number> {
  let pid = Number.NaN;
  for await (const chunk of speak(pool, text)) pid = Number(chunk.words[0]?.text);
  return pid;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("the pool of eSpeak processes", () => {
  test("a process that dies fails its request and is replaced", async () => {
    const replaced: string[] = [];
    const pool = poolOf("failing", { onProcessFailure: (reason) => replaced.push(reason) });
    const before = await speaker(pool, "hello");
    await expect(speaker(pool, "die")).rejects.toMatchObject({ code: "provider_failed", fault: "provider" });
    const after = await speaker(pool, "hello");
    expect(after).not.toBe(before);
    expect(replaced).toEqual(["ended with code 3"]);
  });

  test("a process that does not respond for 5 s is killed and replaced", async () => {
    const clock = new ManualClock();
    const replaced: string[] = [];
    const pool = poolOf("failing", { clock, onProcessFailure: (reason) => replaced.push(reason) });
    await pool.voices();
    const chunks = speak(pool, "hang")[Symbol.asyncIterator]();
    const { value: chunk } = await chunks.next();
    const hung = Number(chunk.words[0].text);
    expect(isAlive(hung)).toBe(true);

    const rest = chunks.next();
    const failed = expect(rest).rejects.toThrow("did not respond for 5000 ms");
    clock.advance(4_999);
    expect(replaced).toEqual([]);
    clock.advance(1);
    await failed;
    expect(await speaker(pool, "hello")).not.toBe(hung);
    await expect.poll(() => isAlive(hung)).toBe(false);
  });

  test("a process that sends an invalid frame is replaced", async () => {
    const pool = poolOf("failing");
    const before = await speaker(pool, "hello");
    await expect(speaker(pool, "babble")).rejects.toThrow("sent an invalid frame");
    expect(await speaker(pool, "hello")).not.toBe(before);
  });

  test("queued requests are handled by the replacement of a process that died", async () => {
    const pool = poolOf("failing");
    const results = await Promise.allSettled(
      ["hello", "die", "hello", "die", "hello"].map((text) => speaker(pool, text)),
    );
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  test("several processes handle requests concurrently", async () => {
    const clock = new ManualClock();
    const pool = poolOf("failing", { children: 2, clock });
    const hanging = speak(pool, "hang")[Symbol.asyncIterator]();
    const { value: chunk } = await hanging.next();
    expect(await speaker(pool, "hello")).not.toBe(Number(chunk.words[0].text));
  });

  test("a request that is aborted in the queue is never sent", async () => {
    const pool = poolOf("failing");
    const life = new AbortController();
    const first = speaker(pool, "hello");
    const dying = (async () => {
      for await (const _ of speak(pool, "die", life.signal)) expect.fail("spoke");
    })();
    life.abort();
    const pid = await first;
    await dying;
    expect(await speaker(pool, "hello")).toBe(pid);
  });

  test("processes that cannot be started fail the pending requests and are restarted after a second", async () => {
    const clock = new ManualClock();
    const pool = poolOf("unstartable", { clock });
    await expect(pool.voices()).rejects.toThrow("the eSpeak process ended with code 7");
    expect(clock.pending).toBe(1);
    clock.advance(1_000);
    await expect(speaker(pool, "hello")).rejects.toMatchObject({ code: "provider_failed" });
  });

  test("a process without a frame for 30 s counts as one that cannot be started", async () => {
    const clock = new ManualClock();
    const pool = poolOf("silent", { clock });
    const failed = expect(pool.voices()).rejects.toThrow("did not respond for 30000 ms");
    clock.advance(30_000);
    await failed;
  });

  test("if the optional package is not installed, the error says so and nothing is restarted", async () => {
    const clock = new ManualClock();
    const { path, execArgv } = childModule(
      new URL("../../../../../src/speech/tts/providers/espeak/x.ts", import.meta.url).href,
      "./program",
    );
    const without = fileURLToPath(new URL("./programs/without-espeak.ts", import.meta.url));
    const pool = new EspeakPool({
      children: 2,
      clock,
      program: { path, execArgv: [...execArgv, "--import", without] },
    });
    open.push(pool);
    await expect(pool.voices()).rejects.toThrow("optional package @echogarden/espeak-ng-emscripten");
    await expect(speaker(pool, "hello")).rejects.toThrow("optional package @echogarden/espeak-ng-emscripten");
    expect(clock.pending).toBe(0);
  });

  test("close ends the processes and fails their requests", async () => {
    const pool = poolOf("failing", { clock: new ManualClock() });
    const pid = await speaker(pool, "hello");
    const hanging = speaker(pool, "hang");
    const waiting = speaker(pool, "hello");
    const failed = Promise.all([
      expect(hanging).rejects.toMatchObject({ code: "provider_failed" }),
      expect(waiting).rejects.toMatchObject({ code: "provider_failed" }),
    ]);
    pool.close();
    await failed;
    await expect.poll(() => isAlive(pid)).toBe(false);
    await expect(pool.voices()).rejects.toMatchObject({ code: "provider_failed" });
  });
});
