import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { addEcho, addNoise, throughMulaw } from "../../test/support/audio/echo-line.ts";
import { Random } from "../../test/support/random.ts";

const SECONDS = 60;
const PROMPTS_A_REPLY = 3;

export interface Condition {
  name: string;
  /** The echo against what the agent said, dB; -Infinity for a line without one. */
  gainDb: number;
  responseMs?: number;
  driftPpm?: number;
  noiseDb?: number;
  /** Each reply's echo has a delay of its own. */
  newDelays?: boolean;
  /** How late frames of the caller arrive at most, ms. */
  jitterMs?: number;
  /** Somebody speaks over each reply, at this level against the agent's, dB. */
  callerDb?: number;
}

/** Samples from and to. */
export interface Span {
  from: number;
  to: number;
}

/** One call: what was sent and what came back, after mu-law both ways. */
export interface Tape {
  agent: Int16Array;
  caller: Int16Array;
  replies: Span[];
  /** What the caller says, without anything else on the line, and when. */
  speech: Float64Array;
  utterances: Span[];
}

/** A call of a minute in which the agent reads prompts and, by the condition, the caller others over it. */
export function tapeOf(random: Random, condition: Condition, agent: Float64Array[], caller: Float64Array[]): Tape {
  const samples = SECONDS * CARRIER_RATE_HZ;
  const { signal, replies } = repliesOf(random, agent, samples);
  const sent = throughMulaw(signal);
  const line = new Float64Array(samples);
  let delayMs = random.between(40, 300);
  const roomSeed = random.whole(0, 1e9);
  for (const { from, to } of replies) {
    addEcho(new Random(roomSeed), line, sent, { ...condition, delayMs }, { from, to });
    if (condition.newDelays === true) delayMs = random.between(40, 300);
  }
  const { speech, utterances } = utterancesOf(random, condition, caller, replies, samples);
  for (let i = 0; i < samples; i += 1) line[i] = (line[i] as number) + (speech[i] as number);
  if (condition.noiseDb !== undefined) addNoise(random, line, condition.noiseDb);
  return { agent: sent, caller: throughMulaw(line), replies, speech, utterances };
}

function repliesOf(
  random: Random,
  prompts: Float64Array[],
  samples: number,
): { signal: Float64Array; replies: Span[] } {
  const signal = new Float64Array(samples);
  const replies: Span[] = [];
  for (let at = CARRIER_RATE_HZ; ; ) {
    const from = at;
    const said = Array.from({ length: PROMPTS_A_REPLY }, () => random.pick(prompts));
    const length = said.reduce((sum, prompt) => sum + prompt.length, 0);
    if (from + length + CARRIER_RATE_HZ > samples) return { signal, replies };
    for (const prompt of said) {
      signal.set(prompt, at);
      at += prompt.length;
    }
    replies.push({ from, to: at });
    at += Math.round(CARRIER_RATE_HZ * random.between(1, 2.5));
    at = Math.ceil(at / CARRIER_FRAME_SAMPLES) * CARRIER_FRAME_SAMPLES;
  }
}

function utterancesOf(
  random: Random,
  { callerDb }: Condition,
  prompts: Float64Array[],
  replies: readonly Span[],
  samples: number,
): { speech: Float64Array; utterances: Span[] } {
  const speech = new Float64Array(samples);
  const utterances: Span[] = [];
  if (callerDb === undefined) return { speech, utterances };
  for (const reply of replies) {
    const prompt = random.pick(prompts);
    const from = Math.round(random.between(reply.from, Math.max(reply.from, reply.to - CARRIER_RATE_HZ)));
    const previous = utterances.at(-1)?.to ?? 0;
    if (from < previous + CARRIER_RATE_HZ || from + prompt.length > samples) continue;
    prompt.forEach((sample, i) => {
      speech[from + i] = sample * 10 ** (callerDb / 20);
    });
    utterances.push({ from, to: from + prompt.length });
  }
  return { speech, utterances };
}
