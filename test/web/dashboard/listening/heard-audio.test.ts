import { expect, test } from "vitest";
import { endOf } from "../../../../web/dashboard/app/listening/ends.ts";
import { HeardAudio } from "../../../../web/dashboard/app/listening/heard-audio.ts";

const RATE_HZ = 8_000;
/** As a browser asks for it. */
const BLOCK = 128;

/** A message of 100 ms in which the caller has one value and the agent another. */
function message(caller: number, agent: number): Int16Array {
  const samples = new Int16Array((2 * RATE_HZ) / 10);
  for (let at = 0; at < samples.length; at += 2) samples.set([caller, agent], at);
  return samples;
}

/** Plays for a time, and returns what was heard. The rate of the loudspeaker is that of the call, so that no filter blurs it. */
function play(audio: HeardAudio, ms: number): { caller: number[]; agent: number[] } {
  const heard = { caller: [] as number[], agent: [] as number[] };
  for (let played = 0; played < (RATE_HZ * ms) / 1_000; played += BLOCK) {
    const outputs = { caller: new Float32Array(BLOCK), agent: new Float32Array(BLOCK) };
    audio.read(outputs);
    heard.caller.push(...outputs.caller);
    heard.agent.push(...outputs.agent);
  }
  return heard;
}

const loudest = (samples: readonly number[]): number => Math.max(...samples.map(Math.abs));

test("the sides do not mix: the caller is heard on one and the agent on the other", () => {
  const audio = new HeardAudio(RATE_HZ, RATE_HZ);
  for (let count = 0; count < 3; count += 1) audio.push(message(16_384, 0));
  const { caller, agent } = play(audio, 250);
  expect([loudest(caller), loudest(agent)]).toEqual([0.5, 0]);
});

test("playback waits until 200 ms are there, and again after it has run dry", () => {
  const audio = new HeardAudio(RATE_HZ, RATE_HZ);
  audio.push(message(16_384, 16_384));
  expect(loudest(play(audio, 80).caller)).toBe(0);
  audio.push(message(16_384, 16_384));
  expect(loudest(play(audio, 80).caller)).toBe(0.5);
  play(audio, 400);
  expect(audio.waitingMs).toBe(0);
  audio.push(message(16_384, 16_384));
  expect(loudest(play(audio, 80).agent)).toBe(0);
});

test("what is too late is dropped: a device that was asleep hears the call as it is now", () => {
  const audio = new HeardAudio(RATE_HZ, RATE_HZ);
  for (let count = 1; count <= 20; count += 1) audio.push(message(count * 1_000, 0));
  expect(audio.waitingMs).toBeLessThanOrEqual(600);
  const { caller } = play(audio, 700);
  expect(audio.waitingMs).toBe(0);
  // The newest message is among what is heard, the oldest is not.
  expect(caller).toContain(20_000 / 32_768);
  expect(caller).not.toContain(1_000 / 32_768);
});

test("a loudspeaker of another rate plays for as long", () => {
  const audio = new HeardAudio(RATE_HZ, 48_000);
  for (let count = 0; count < 5; count += 1) audio.push(message(8_192, 8_192));
  const outputs = { caller: new Float32Array(4_800), agent: new Float32Array(4_800) };
  audio.read(outputs);
  audio.read(outputs);
  // The filter wants some input of what comes next.
  expect(audio.waitingMs).toBeGreaterThan(280);
  expect(audio.waitingMs).toBeLessThanOrEqual(300);
  expect(outputs.caller[4_000]).toBeCloseTo(0.25, 3);
});

test("an end is explained by the reason of the service; without one the connection was lost", () => {
  expect(endOf("call_ended")).toEqual({ text: "The call is over.", isRepeatable: false });
  expect(endOf("slow_consumer").isRepeatable).toBe(true);
  expect(endOf("")).toEqual({ text: "The connection was lost. The call may go on.", isRepeatable: true });
  expect(endOf("toString").text).toContain("was lost");
});
