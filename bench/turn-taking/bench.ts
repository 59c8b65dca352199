import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import { loadFvadDetection } from "../../src/media/voice-activity/fvad.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { Random } from "../../test/support/random.ts";
import { describeMachine } from "../harness/machine.ts";
import { AGENT_SENTENCES } from "../rig/speech.ts";
import { replayTts } from "../worker/providers.ts";
import { findingsOf, type ObservedTrial } from "./case-results.ts";
import { type Case, makeCases } from "./cases.ts";
import { type Material, renderMaterial } from "./material.ts";
import { type CaseResult, STT_MODES, type SttMode, type TurnsResult } from "./result.ts";
import { runTrial, type TrialTools } from "./trial.ts";

/** Ten to thirteen seconds of the agent: whatever the caller does falls into it. */
const GREETING_SENTENCES = 2;
const SEED_MAX = 2 ** 31;

export interface TurnsOptions {
  /** For each case and STT; half as many where there is noise, whose cases are many. */
  calls: number;
  seed: number;
}

/** Places all calls; the same `seed` gives the same figures. Rejects when a call ends otherwise than it should. */
export async function runTurnsBench(
  { calls, seed }: TurnsOptions,
  write: (line: string) => void,
): Promise<TurnsResult> {
  const startMs = performance.now();
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  try {
    write("rendering what is said");
    const material = await renderMaterial();
    const tools = await loadTools(material, dataDir);
    const random = new Random(seed);
    const cases = makeCases(material, random.fork());
    const results: CaseResult[] = [];
    for (const [at, one] of cases.entries()) {
      const length = one.group === "noise" || one.group === "in noise" ? Math.ceil(calls / 2) : calls;
      const seeds = Array.from({ length }, () => random.whole(1, SEED_MAX));
      for (const sttMode of STT_MODES) {
        const result = await measure(one, sttMode, seeds, tools);
        results.push(result);
        write(
          `${String(at + 1).padStart(2)} of ${cases.length}  ${one.title}, STT with ${sttMode}: ${inShort(result)}`,
        );
      }
    }
    const tookS = (performance.now() - startMs) / 1_000;
    return { machine: describeMachine(), calls, seed, tookS, cases: results };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export const loadTools = async (material: Material, dataDir: string): Promise<TrialTools> => ({
  voiceActivity: await loadFvadDetection(),
  makeResampler: await loadResampler(),
  inbound: inboundAudio(),
  tts: replayTts(material.agent),
  dataDir,
});

/** Both STTs get the same calls, as far as the agent's replies allow. */
async function measure(one: Case, sttMode: SttMode, seeds: readonly number[], tools: TrialTools): Promise<CaseResult> {
  const watched: ObservedTrial[] = [];
  for (const seed of seeds) {
    const chance = new Random(seed);
    const scene = one.draw(chance);
    const greeting = Array.from({ length: GREETING_SENTENCES }, () => chance.pick(AGENT_SENTENCES)).join(" ");
    const trial = await runTrial({ tools, sttMode, scene, greeting, phaseMs: chance.between(0, FRAME_MS) });
    watched.push({ trial, greeting, said: scene.said });
  }
  return findingsOf(one, sttMode, watched);
}

function inShort({ interruption, calls, falselyPaused, falselyInterrupted }: CaseResult): string {
  const falseStops = `${falselyPaused} falsely paused and ${falselyInterrupted} falsely interrupted`;
  if (interruption === undefined) return `of ${calls} calls ${falseStops}`;
  const { stopped, interrupted, toLastSentMs } = interruption;
  return (
    `of ${calls} calls ${stopped} stopped, ${interrupted} interrupted, ${falseStops}; ` +
    `to the last sample p50 ${toLastSentMs.p50.toFixed(0)} ms, p90 ${toLastSentMs.p90.toFixed(0)} ms`
  );
}
