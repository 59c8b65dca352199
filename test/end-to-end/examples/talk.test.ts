import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { synthesise } from "../../../src/simulator/callers/utterance.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { WatermarkDecoder } from "../../../src/speech/reference/watermark/decoder.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FORMAT = { codec: "pcm_s16le", rateHz: 16_000 } as const;
const FRAME_MS = 20;
const SILENCE = Buffer.alloc(((FORMAT.rateHz * 2) / 1_000) * FRAME_MS);
const WITHIN_MS = 15_000;

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});

let hangUp = (): void => {};
afterEach(() => hangUp());

/** The example as a process, with somebody at its microphone who is silent between what they `say`. */
function runExample() {
  const client = spawn(process.execPath, [`${ROOT}/examples/talk.mjs`], {
    env: { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey },
  });
  const frames: Uint8Array[] = [];
  const run = { said: "", played: [] as Buffer[], exitCode: undefined as number | null | undefined, frames };
  client.stderr.setEncoding("utf8").on("data", (text: string) => {
    run.said += text;
  });
  client.stdout.on("data", (audio: Buffer) => run.played.push(audio));
  client.on("close", (code) => {
    run.exitCode = code;
  });
  // Gone before it has read all that is said to it.
  client.stdin.on("error", () => {});
  let nextMs = systemClock.nowMs();
  const microphone = setInterval(() => {
    for (; nextMs <= systemClock.nowMs(); nextMs = addMs(nextMs, FRAME_MS))
      client.stdin.write(frames.shift() ?? SILENCE);
  }, FRAME_MS / 2);
  hangUp = () => {
    clearInterval(microphone);
    client.kill();
  };
  return run;
}

/** The words that the reference voice put into what the loudspeaker was given. */
function wordsIn(audio: Buffer): string {
  const words: string[] = [];
  const decoder = new WatermarkDecoder(FORMAT.rateHz, 250, { onWord: (word) => words.push(word), onQuiet() {} });
  const samples = new Int16Array(audio.length / 2 + FORMAT.rateHz);
  for (let at = 0; at < audio.length / 2; at += 1) samples[at] = audio.readInt16LE(at * 2);
  decoder.write(samples);
  return words.join(" ");
}

test("examples/talk.mjs carries a call: audio flows in both directions, and it ends when the agent hangs up", {
  retry: ifMachineStalled,
  timeout: 60_000,
}, async () => {
  const voice = createReferenceTts({ children: 1, clock: systemClock });
  const speak = async (text: string) =>
    await synthesise(
      voice,
      { text, voiceId: "reference/gmw/en-US", language: "en-US" },
      new AbortController().signal,
      FORMAT,
    );
  const [question, goodbye] = await Promise.all([speak("When are you open?"), speak("Goodbye.")]);
  voice.close();
  const run = runExample();
  const printed = (line: string) => until(`"${line}"`, WITHIN_MS, () => run.said.includes(`${line}\n`));
  await printed("agent: Hello, this is the bakery.");
  run.frames.push(...question.frames);
  await printed("agent: The bakery is open from eight to six.");
  run.frames.push(...goodbye.frames);
  await until("the agent to hang up", WITHIN_MS, () => run.exitCode !== undefined);
  expect(run.exitCode).toBe(0);
  expect(run.said.split("\n").filter((line) => /^(user|ended)/.test(line))).toEqual([
    "user: When are you open?",
    "user: Goodbye.",
    "ended: agent_hangup",
  ]);
  expect(wordsIn(Buffer.concat(run.played))).toContain(
    "Hello, this is the bakery. The bakery is open from eight to six.",
  );
});
