import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { childModule } from "../../../../../src/core/child-module.ts";
import { systemClock } from "../../../../../src/core/clock.ts";
import type { TtsChunk } from "../../../../../src/speech/contracts.ts";
import { EspeakPool, type EspeakPoolOptions } from "../../../../../src/speech/tts/providers/espeak/pool.ts";
import { ManualClock } from "../../../../support/manual-clock.ts";

const open: EspeakPool[] = [];

/** A pool whose programs are those of this directory; closed after the test. */
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

/** The process that spoke. */
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

describe("the pool of voice programs", () => {
  test("a program that dies fails the request it was at, and another takes its place", async () => {
    const replaced: string[] = [];
    const pool = poolOf("troubled-program", { onProcessFailure: (why) => replaced.push(why) });
    const before = await speaker(pool, "hello");
    await expect(speaker(pool, "die")).rejects.toMatchObject({ code: "provider_failed", fault: "provider" });
    const after = await speaker(pool, "hello");
    expect(after).not.toBe(before);
    expect(replaced).toEqual(["ended with code 3"]);
  });

  test("a program that hangs is killed when it gave no answer for 5 s, and another takes its place", async () => {
    const clock = new ManualClock();
    const replaced: string[] = [];
    const pool = poolOf("troubled-program", { clock, onProcessFailure: (why) => replaced.push(why) });
    await pool.voices();
    const chunks = speak(pool, "hang")[Symbol.asyncIterator]();
    const { value: chunk } = await chunks.next();
    const hung = Number(chunk.words[0].text);
    expect(isAlive(hung)).toBe(true);

    const rest = chunks.next();
    const failed = expect(rest).rejects.toThrow("gave no answer for 5000 ms");
    clock.advance(4_999);
    expect(replaced).toEqual([]);
    clock.advance(1);
    await failed;
    expect(await speaker(pool, "hello")).not.toBe(hung);
    await expect.poll(() => isAlive(hung)).toBe(false);
  });

  test("a program that sends something else than frames is replaced", async () => {
    const pool = poolOf("troubled-program");
    const before = await speaker(pool, "hello");
    await expect(speaker(pool, "babble")).rejects.toThrow("sent something that is no frame");
    expect(await speaker(pool, "hello")).not.toBe(before);
  });

  test("requests that wait behind a program in trouble are spoken by the one that takes its place", async () => {
    const pool = poolOf("troubled-program");
    const answers = await Promise.allSettled(
      ["hello", "die", "hello", "die", "hello"].map((text) => speaker(pool, text)),
    );
    expect(answers.map((answer) => answer.status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  test("several programs speak at the same time", async () => {
    const clock = new ManualClock();
    const pool = poolOf("troubled-program", { children: 2, clock });
    const hanging = speak(pool, "hang")[Symbol.asyncIterator]();
    const { value: chunk } = await hanging.next();
    expect(await speaker(pool, "hello")).not.toBe(Number(chunk.words[0].text));
  });

  test("a request that is aborted while it waits is never spoken", async () => {
    const pool = poolOf("troubled-program");
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

  test("programs that cannot be started fail whoever waits, and are tried again after a second", async () => {
    const clock = new ManualClock();
    const pool = poolOf("unstartable-program", { clock });
    await expect(pool.voices()).rejects.toThrow("the voice program ended with code 7");
    expect(clock.pending).toBe(1);
    clock.advance(1_000);
    await expect(speaker(pool, "hello")).rejects.toMatchObject({ code: "provider_failed" });
  });

  test("a program that says nothing for 30 s counts as one that cannot be started", async () => {
    const clock = new ManualClock();
    const pool = poolOf("silent-program", { clock });
    const failed = expect(pool.voices()).rejects.toThrow("gave no answer for 30000 ms");
    clock.advance(30_000);
    await failed;
  });

  test("says what is missing when the optional package is not installed, and does not try again", async () => {
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

  test("close ends the programs and what they were at", async () => {
    const pool = poolOf("troubled-program", { clock: new ManualClock() });
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
