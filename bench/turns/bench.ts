import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadResampler } from "../../src/media/resampler.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { Random } from "../../test/support/random.ts";
import { describeMachine } from "../harness/machine.ts";
import { median } from "../harness/statistics.ts";
import { makeSounds, type Sounds } from "../hearing/conditions.ts";
import { DETECTORS } from "../hearing/detectors.ts";
import { fetchPackages, requirePackages } from "../hearing/packages.ts";
import { LANGUAGES, type Prompt, readMusic, readPrompts, TUNING_LANGUAGES } from "../hearing/prompts.ts";
import { figuresOf, findingsOf, type ObservedTrial } from "../turn-taking/case-results.ts";
import { STT_MODES, type SttMode } from "../turn-taking/result.ts";
import type { Trial, TrialTools } from "../turn-taking/trial.ts";
import { benchEndOfTurn } from "./end-of-turn/bench.ts";
import { humanTts } from "./ideal-providers.ts";
import type { InactivityRow, InterruptionRow, ListeningRow, TurnEndRow, TurnsOnSpeechResult } from "./result.ts";
import { echoAfter, LINES, type LineCondition, lineWith, quietLine } from "./scenes.ts";
import { type CallerUtterance, KINDS, type UtteranceKind, utterancesOf } from "./script.ts";
import {
  LONG_REPLY_MS,
  runConversation,
  runInactivity,
  runInterruption,
  runListening,
  type TurnFinding,
} from "./trials.ts";

export interface TurnsOnSpeechOptions {
  /** Of calls in each case, with each STT and each detector. */
  minutes: number;
  seed: number;
  cacheDir: string;
  fetches: boolean;
}

/** The turns of one call, and how long one takes on average, s. */
const TURNS_A_CALL = 6;
const TURN_S = 6;
const ECHO_DELAYS_MS = [40, 100, 200, 300];
const SILENCE = "silence";
const INACTIVITY_LINES = [
  { name: "music -26 dBov", sound: "music", dbov: -26 },
  { name: "music -41 dBov", sound: "music", dbov: -41 },
  { name: "pink -36 dBov", sound: "pink", dbov: -36 },
  { name: "white -36 dBov", sound: "white", dbov: -36 },
] as const;
const INACTIVITY_CALLS = 3;

/** What the cases share; `detector` is the name of the one that listens. */
interface Stage {
  detector: string;
  tools: TrialTools;
  sounds: Sounds;
  utterances: Record<UtteranceKind, (random: Random) => CallerUtterance>;
  minutes: number;
  seed: number;
  write: (line: string) => void;
}

/** Places all calls; the same seed gives the same figures. Each detector and STT gets the same callers. */
export async function runTurnsOnSpeech(
  { minutes, seed, cacheDir, fetches }: TurnsOnSpeechOptions,
  write: (line: string) => void,
): Promise<TurnsOnSpeechResult> {
  const startMs = performance.now();
  if (fetches) fetchPackages(cacheDir, write);
  requirePackages(cacheDir, "turns");
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
  try {
    const makeResampler = await loadResampler();
    const prompts = LANGUAGES.flatMap((language) => readPrompts(cacheDir, language, makeResampler));
    const sounds = makeSounds(prompts.filter(isForTuning), readMusic(cacheDir), new Random(seed));
    const common = { makeResampler, inbound: inboundAudio(), tts: humanTts(agentSpeech(prompts)), dataDir };
    const utterances = utterancesOf(prompts.filter(({ language }) => language !== AGENT_LANGUAGE));
    const result: TurnsOnSpeechResult = {
      machine: describeMachine(),
      minutes,
      seed,
      tookS: 0,
      detectors: [],
      turnEnds: [],
      interruptions: [],
      listening: [],
      inactivity: [],
      endOfTurn: undefined,
    };
    for (const { name, load } of DETECTORS.filter(isCompared)) {
      const voiceActivity = await load();
      result.detectors.push({ name, version: voiceActivity.version });
      const tools = { ...common, voiceActivity };
      if (isOwn(name)) result.endOfTurn = await benchEndOfTurn({ tools, sounds, cacheDir, minutes, seed, write });
      await runStage({ detector: name, tools, sounds, utterances, minutes, seed, write }, result);
    }
    return { ...result, tookS: (performance.now() - startMs) / 1_000 };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The agent speaks with another person's voice than the callers. */
const AGENT_LANGUAGE = "fr";
const isForTuning = ({ language }: Prompt): boolean => TUNING_LANGUAGES.includes(language);
const isOwn = (detector: string): boolean => detector === DETECTORS.at(-1)?.name;
/** The first one, which is today's, and the service's own. */
const isCompared = (_: unknown, at: number): boolean => at === 0 || at === DETECTORS.length - 1;

const agentSpeech = (prompts: readonly Prompt[]): Float32Array => {
  const spoken = prompts.filter(({ language, samples }) => language === AGENT_LANGUAGE && samples.length > 16_000);
  const [one] = utterancesOf(spoken)["single sentence"](new Random(1)).phrases;
  if (one === undefined) throw new Error(`there must be prompts in ${AGENT_LANGUAGE}`);
  const parts = spoken.slice(0, 60).flatMap(({ samples }) => [...samples]);
  return Float32Array.from(parts);
};

async function runStage(stage: Stage, result: TurnsOnSpeechResult): Promise<void> {
  for (const sttMode of STT_MODES) {
    for (const line of LINES) {
      for (const kind of isOwn(stage.detector) ? KINDS : []) {
        result.turnEnds.push(await turnEnds(stage, sttMode, line, kind));
      }
      result.interruptions.push(await interruptions(stage, sttMode, line));
      if (line.kind !== "echo") result.listening.push(await listening(stage, sttMode, line, undefined));
      else for (const delayMs of ECHO_DELAYS_MS) result.listening.push(await listening(stage, sttMode, line, delayMs));
    }
    result.inactivity.push(...(await inactivity(stage, sttMode)));
  }
}

/** Callers say the same whatever is on their line, so that has a chance of its own. */
function chanceOf(seed: number): { random: Random; lineRandom: Random } {
  const random = new Random(seed);
  return { random, lineRandom: random.fork() };
}

async function turnEnds(
  { detector, tools, sounds, utterances, minutes, seed, write }: Stage,
  sttMode: SttMode,
  line: LineCondition,
  kind: UtteranceKind,
): Promise<TurnEndRow> {
  const { random, lineRandom } = chanceOf(seed);
  const calls = Math.max(1, Math.round((minutes * 60) / (TURNS_A_CALL * TURN_S)));
  const findings: TurnFinding[] = [];
  for (let call = 0; call < calls; call += 1) {
    const said = Array.from({ length: TURNS_A_CALL }, () => utterances[kind](random));
    findings.push(...(await runConversation(tools, sttMode, said, line.draw(sounds, lineRandom), random)));
  }
  const early = findings.filter(({ isEarly }) => isEarly).length;
  const answerMs = figuresOf(findings.map((finding) => finding.answerMs));
  const unanswered = findings.length - early - answerMs.count;
  write(
    `${detector}, STT with ${sttMode}, ${line.name}, ${kind}: ${early} of ${findings.length} answered early, p50 ${answerMs.p50.toFixed(0)} ms`,
  );
  return {
    detector,
    sttMode,
    line: line.name,
    lineKind: line.kind,
    kind,
    turns: findings.length,
    early,
    unanswered,
    answerMs,
  };
}

async function interruptions(
  { detector, tools, sounds, utterances, minutes, seed, write }: Stage,
  sttMode: SttMode,
  line: LineCondition,
): Promise<InterruptionRow> {
  const { random, lineRandom } = chanceOf(seed);
  const watched: ObservedTrial[] = [];
  for (let call = 0; call < callsIn(minutes); call += 1) {
    const utterance = utterances["single sentence"](random);
    const trial = await runInterruption(tools, sttMode, utterance, line.draw(sounds, lineRandom), random);
    watched.push({ trial, greeting: "", said: "" });
  }
  const found = findingsOf({ group: "interruptions", title: line.name, wantsTurn: true }, sttMode, watched);
  const { calls: free = 0, stopped: noticed = 0, toLastSentMs = figuresOf([]) } = found.interruption ?? {};
  const falselyStopped = watched.filter(({ trial }) => trial.stops.some(({ atMs }) => atMs < trial.onsetMs)).length;
  write(
    `${detector}, STT with ${sttMode}, ${line.name}, interruptions: ${noticed} of ${free} noticed, p50 ${toLastSentMs.p50.toFixed(0)} ms`,
  );
  return {
    detector,
    sttMode,
    line: line.name,
    lineKind: line.kind,
    calls: watched.length,
    falselyStopped,
    free,
    noticed,
    toLastSentMs,
  };
}

async function listening(
  { detector, tools, sounds, minutes, seed, write }: Stage,
  sttMode: SttMode,
  line: LineCondition,
  echoDelayMs: number | undefined,
): Promise<ListeningRow> {
  const random = new Random(seed);
  const trials: Trial[] = [];
  const calls = Math.ceil(callsIn(minutes) / (echoDelayMs === undefined ? 1 : 2));
  for (let call = 0; call < calls; call += 1) {
    const drawn = line.draw(sounds, random);
    const echo = echoDelayMs === undefined ? {} : { echo: echoAfter(echoDelayMs) };
    trials.push(await runListening(tools, sttMode, { ...drawn, ...echo }, random));
  }
  const count = (kind: "paused" | "interrupted"): number =>
    trials.reduce((sum, { stops }) => sum + stops.filter((stop) => stop.kind === kind).length, 0);
  const [pauses, cut] = [count("paused"), count("interrupted")];
  const after = echoDelayMs === undefined ? "" : ` after ${echoDelayMs} ms`;
  write(
    `${detector}, STT with ${sttMode}, ${line.name}${after}, the caller listens: ${pauses} pauses in ${calls} replies`,
  );
  return { detector, sttMode, line: line.name, lineKind: line.kind, echoDelayMs, calls, pauses, interruptions: cut };
}

const callsIn = (minutes: number): number => Math.max(2, Math.round((minutes * 60_000) / LONG_REPLY_MS));

async function inactivity({ detector, tools, sounds, seed, write }: Stage, sttMode: SttMode): Promise<InactivityRow[]> {
  const rows: InactivityRow[] = [];
  const lines = [
    { name: SILENCE, draw: (random: Random) => quietLine(sounds, random) },
    ...INACTIVITY_LINES.map(({ name, sound, dbov }) => ({
      name,
      draw: (random: Random) => lineWith(sounds, sound, dbov, random),
    })),
  ];
  for (const { name, draw } of lines) {
    const random = new Random(seed);
    const promptsMs: number[] = [];
    for (let call = 0; call < INACTIVITY_CALLS; call += 1) {
      promptsMs.push(await runInactivity(tools, sttMode, { layers: draw(random) }, random));
    }
    // One that never came makes the row one that never comes.
    const promptMs = promptsMs.some(Number.isNaN) ? Number.NaN : median(promptsMs);
    write(`${detector}, STT with ${sttMode}, ${name}: inactivity prompt after ${(promptMs / 1_000).toFixed(1)} s`);
    rows.push({ detector, sttMode, line: name, promptMs });
  }
  return rows;
}
