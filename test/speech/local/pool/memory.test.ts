import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { LOCAL_SPEECH_RSS_MB_MAX } from "../../../../src/core/limits/speech-providers/local-speech.ts";
import { forkSpeechChild } from "../../../../src/speech/local/pool/child.ts";
import { SpeechPool } from "../../../../src/speech/local/pool/pool.ts";
import { builtProgram } from "../../../support/services/build.ts";

// The installed model in a process as it is built, and not from its source, whose compiler needs memory of its own.

const BYTES_PER_MB = 1_048_576;
const RATE_HZ = 16_000;
const WINDOW_S = 8;

test.runIf(process.platform === "linux")(
  "a process with the installed model never takes more than 400 MB, not even while it loads it",
  async () => {
    const pids: number[] = [];
    const pool = new SpeechPool({
      processes: 1,
      start: forkSpeechChild(
        { modelFolder: undefined, turnModelPath: undefined },
        { path: builtProgram("speech/local/pool/program"), execArgv: [] },
      ),
      clock: systemClock,
      observer: { childReady: ({ pid }) => pids.push(pid as number), childEnded: () => {}, jobEnded: () => {} },
    });
    onTestFinished(() => pool.close());
    for (let pass = 0; pass < 3; pass += 1) {
      const task = { kind: "transcribe", samples: longestSpeech(), rateHz: RATE_HZ, language: "en" } as const;
      expect(await pool.submit(task, "final").outcome).toMatchObject({
        outcome: "done",
        hypothesis: { text: expect.stringMatching(/dash/i) },
      });
    }
    const mostBytes = 1_024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pids[0]}/status`, "utf8"))?.[1]);
    process.stderr.write(
      `a process with the installed model took ${Math.round(mostBytes / BYTES_PER_MB)} MB at most\n`,
    );
    expect(mostBytes).toBeLessThanOrEqual(LOCAL_SPEECH_RSS_MB_MAX * BYTES_PER_MB);
  },
  120_000,
);

/** As much as a pass may hear. */
function longestSpeech(): Int16Array {
  const wav = readFileSync(
    new URL("../../../../fixtures/librivox/sense_and_sensibility_01_austen_64kb-0870.wav", import.meta.url),
  );
  const samples = new Int16Array(WINDOW_S * RATE_HZ);
  // After the head of 44 bytes.
  for (let at = 0; 44 + 2 * at + 1 < wav.length && at < samples.length; at += 1)
    samples[at] = wav.readInt16LE(44 + 2 * at);
  return samples;
}
