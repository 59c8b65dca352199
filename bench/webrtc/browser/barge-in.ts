import { systemClock } from "../../../src/core/clock.ts";
import { synthesise } from "../../../src/simulator/callers/utterance.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { Random } from "../../../test/support/random.ts";
import { spreadOf } from "../../harness/statistics.ts";
import type { BargeInResult, Scene } from "../result.ts";
import { withAgent } from "./agent.ts";
import { withBrowser } from "./bench-page.ts";

const RATE_HZ = 48_000;
const WARM_UP_RUNS = 2;
/** How often the browser's own delay is measured. */
const MUTES = 10;
/** How long an agent speaks before it is interrupted. */
const SPEAK_MS = { min: 1_000, max: 2_500 };

/** An interruption that meets a pause of the agent says nothing. More of them than this are a fault of the call. */
const SILENT_RUNS_MAX = 3;

interface Interruption {
  wasSpeaking: boolean;
  silenceMs: number;
  clearMs: number;
}

/** Agents that are interrupted, each in a call of its own. */
export async function measureBargeIn({ options, write, problems }: Scene): Promise<BargeInResult> {
  const random = new Random(options.seed);
  const speech = await callerSpeech();
  const interruptions: Interruption[] = [];
  const outputMs: number[] = [];
  await withBrowser("page", async (browser) => {
    await withAgent(browser.origin, async (session) => {
      const page = await browser.open();
      await page.run(`bench.openStudio(${RATE_HZ}, ${JSON.stringify([...speech])})`);
      for (let mute = 0; mute < MUTES; mute += 1) outputMs.push(await page.run<number>("bench.muted()"));
      let silentRuns = 0;
      for (let run = -WARM_UP_RUNS; run < options.runs; run += 1) {
        const speakMs = random.between(SPEAK_MS.min, SPEAK_MS.max);
        const measured = await page.run<Interruption>(`bench.interrupt(${JSON.stringify(session)}, ${speakMs})`);
        const { silenceMs, clearMs, wasSpeaking } = measured;
        const what = `barge-in: silence after ${silenceMs.toFixed(0)} ms, clear after ${clearMs.toFixed(0)} ms`;
        if (!wasSpeaking && silentRuns < SILENT_RUNS_MAX) {
          write("barge-in: the agent was silent when it was interrupted; once more");
          silentRuns += 1;
          run -= 1;
          continue;
        }
        write(run < 0 ? `${what} (warm-up)` : `${what}, ${run + 1} of ${options.runs}`);
        if (!wasSpeaking) problems.push("barge-in: an agent did not speak when it was interrupted");
        if (run >= 0) interruptions.push(measured);
      }
    });
  });
  const spread = (name: "silenceMs" | "clearMs") => spreadOf(Float32Array.from(interruptions, (each) => each[name]));
  return {
    silenceMs: spread("silenceMs"),
    clearMs: spread("clearMs"),
    outputMs: spreadOf(Float32Array.from(outputMs)),
  };
}

/** What the caller says, from its first sample. */
async function callerSpeech(): Promise<Int16Array> {
  const tts = createReferenceTts({ children: 1, clock: systemClock });
  try {
    const said = {
      text: "What does a birthday cake for ten people cost?",
      voiceId: "reference/gmw/en-US",
      language: "en-US",
    };
    const format = { codec: "pcm_s16le", rateHz: RATE_HZ } as const;
    const { frames } = await synthesise(tts, said, new AbortController().signal, format);
    const bytes = Buffer.concat(frames);
    const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return samples.subarray(samples.findIndex((sample) => Math.abs(sample) > 300));
  } finally {
    tts.close();
  }
}
