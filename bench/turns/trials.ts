import type { CallCommand } from "../../src/call/events.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { Random } from "../../test/support/random.ts";
import type { LineSounds } from "../turn-taking/caller-line.ts";
import type { SttMode } from "../turn-taking/result.ts";
import { runTrial, type Trial, type TrialTools } from "../turn-taking/trial.ts";
import { idealStt, type Said, TTS_WORD_MS } from "./ideal-providers.ts";
import { samplesOfMs } from "./scenes.ts";
import type { CallerUtterance } from "./script.ts";

// Calls in virtual time, through the whole service but its sockets, with scripted people at the other end.

const PHASE_MS = [0, FRAME_MS] as const;
/** The caller's first words, and how long a caller waits after the end of an utterance, for the answer and a pause. */
const FIRST_MS = 1_000;
const ANSWER = "Yes, that is right.";
const BETWEEN_MS = 2_000 + ANSWER.split(" ").length * TTS_WORD_MS;
const LONG_WORDS = 26;
/** The agent's long reply, of one sentence. */
const LONG_REPLY = `${Array.from({ length: LONG_WORDS }, () => "word").join(" ")}.`;
export const LONG_REPLY_MS = LONG_WORDS * TTS_WORD_MS;
const ONSET_MS = [1_500, 5_500] as const;
export const INACTIVITY_TIMEOUT_MS = 10_000;
const INACTIVITY_UNTIL_MS = 30_000;

/** What came of one utterance. Times are ms. */
export interface TurnFinding {
  /** A frame of an answer was sent before the caller's last clear sample. */
  isEarly: boolean;
  /** From that sample to the answer's first frame; NaN where it was early or never came. */
  answerMs: number;
}

/** A caller who says one utterance after the other, and an agent who answers each. */
export async function runConversation(
  tools: TrialTools,
  sttMode: SttMode,
  utterances: readonly CallerUtterance[],
  line: Pick<LineSounds, "layers" | "echo">,
  random: Random,
): Promise<TurnFinding[]> {
  const phaseMs = random.between(...PHASE_MS);
  const said = schedule(utterances);
  const last = said.at(-1) as Said;
  const length = last.at + last.utterance.samples.length;
  const samples = new Float32Array(length);
  for (const { at, utterance } of said) samples.set(utterance.samples, at);
  const firstFramesMs: number[] = [];
  let lastTurnId = 0;
  await runTrial({
    tools,
    sttMode,
    scene: { sounds: { ...line, utterance: { samples, at: 0 } }, said: "everything" },
    greeting: "",
    answer: ANSWER,
    spec: { firstSpeaker: "user" },
    phaseMs,
    stt: idealStt(said, sttMode),
    untilMs: phaseMs + (length * 1_000) / samplesOfMs(1_000) + BETWEEN_MS,
    onSent: (atMs, turnId) => {
      if (turnId !== lastTurnId) firstFramesMs.push(atMs);
      lastTurnId = turnId;
    },
  });
  return said.map(({ at, utterance }, index) => {
    const msOf = (sample: number): number => phaseMs + (sample * 1_000) / samplesOfMs(1_000);
    const onsetMs = msOf(at);
    const endMs = msOf(at + utterance.samples.length);
    const nextMs = msOf(said[index + 1]?.at ?? Number.POSITIVE_INFINITY);
    const first = firstFramesMs.find((atMs) => atMs >= onsetMs && atMs < nextMs) ?? Number.NaN;
    return { isEarly: first < endMs, answerMs: first < endMs ? Number.NaN : first - endMs };
  });
}

function schedule(utterances: readonly CallerUtterance[]): Said[] {
  let atMs = FIRST_MS;
  return utterances.map((utterance) => {
    const at = samplesOfMs(atMs);
    atMs += (utterance.samples.length * 1_000) / samplesOfMs(1_000) + BETWEEN_MS;
    return { utterance, at };
  });
}

/** A caller who interrupts the agent's long greeting, somewhere. */
export async function runInterruption(
  tools: TrialTools,
  sttMode: SttMode,
  utterance: CallerUtterance,
  line: Pick<LineSounds, "layers" | "echo">,
  random: Random,
): Promise<Trial> {
  const at = samplesOfMs(random.between(...ONSET_MS));
  const trial = await runTrial({
    tools,
    sttMode,
    scene: { sounds: { ...line, utterance: { samples: utterance.samples, at } }, said: "something" },
    greeting: LONG_REPLY,
    answer: ANSWER,
    phaseMs: random.between(...PHASE_MS),
    stt: idealStt([{ utterance, at }], sttMode),
    untilMs: LONG_REPLY_MS + FIRST_MS,
  });
  return untilTheEnd(trial);
}

/** A caller who says nothing during the agent's long greeting. */
export async function runListening(
  tools: TrialTools,
  sttMode: SttMode,
  line: Pick<LineSounds, "layers" | "echo">,
  random: Random,
): Promise<Trial> {
  const trial = await runTrial({
    tools,
    sttMode,
    scene: { sounds: line, said: "" },
    greeting: LONG_REPLY,
    phaseMs: random.between(...PHASE_MS),
    stt: idealStt([], sttMode),
    untilMs: LONG_REPLY_MS + FIRST_MS,
  });
  return untilTheEnd(trial);
}

/** A reply that is still paused when the caller hangs up lasts until then. */
const untilTheEnd = (trial: Trial): Trial => ({
  ...trial,
  overMs: Number.isNaN(trial.overMs) ? LONG_REPLY_MS + FIRST_MS : trial.overMs,
});

/** A line on which no caller says anything: when the inactivity prompt begins, ms of call time; NaN for never. */
export async function runInactivity(
  tools: TrialTools,
  sttMode: SttMode,
  line: Pick<LineSounds, "layers" | "echo">,
  random: Random,
): Promise<number> {
  let promptMs = Number.NaN;
  await runTrial({
    tools,
    sttMode,
    scene: { sounds: line, said: "" },
    greeting: ANSWER,
    spec: { inactivityTimeoutMs: INACTIVITY_TIMEOUT_MS, inactivityAction: "prompt" },
    phaseMs: random.between(...PHASE_MS),
    stt: idealStt([], sttMode),
    untilMs: INACTIVITY_UNTIL_MS,
    onCommand: (atMs: number, command: CallCommand) => {
      const isPrompt = command.kind === "speak" && command.reason === "inactivity";
      if (isPrompt && Number.isNaN(promptMs)) promptMs = atMs;
    },
  });
  return promptMs;
}
