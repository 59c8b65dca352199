import { systemClock } from "../../src/core/clock.ts";
import { ENGLISH } from "../../src/core/phrases/phrases.ts";
import { type AudioFormat, encodeSamples, frameSamples, TELEPHONE } from "../../src/simulator/audio/format.ts";
import { synthesise, type Utterance } from "../../src/simulator/callers/utterance.ts";
import type { TtsChunk } from "../../src/speech/contracts.ts";
import { createReferenceTts } from "../../src/speech/reference/tts.ts";

// All speech of the bench is made before it begins, by the reference TTS: eSpeak could not keep up with hundreds of calls on
// one core, and it is not what is measured.

/** What an agent of the load says, over and over: one segment each for the splitter of replies, so without clauses. */
export const AGENT_SENTENCES: readonly string[] = [
  "The bakery is open from Tuesday to Saturday and from seven in the morning until half past five in the afternoon.",
  "Birthday cakes are made to order and must be ordered two days ahead.",
  "Sourdough bread is baked every morning and a loaf of it costs four pounds.",
  "The croissants are made with butter from a farm in Devon which the founder has known for thirty years.",
  "Delivery is free within three miles for orders above twenty pounds.",
  "The nearest car park is behind the church and two minutes away on foot.",
];

/** What it answers where answers are to be short. */
export const SHORT_ANSWER = "Certainly, let me look that up.";

/** The full caller's call: it speaks first, and the reference LLM, which must have understood, says goodbye and hangs up. */
export const FULL_CALL = { says: "Thank you very much, goodbye.", hears: "Thank you for calling. Goodbye!" };

/** What the callers of the load say, with pauses in between. */
const CALLER_SENTENCES: readonly string[] = [
  "Good morning, I would like to know when the bakery is open on Saturday.",
  "Do you make birthday cakes to order, and what does one for ten people cost?",
  "Could you also tell me where the nearest car park is?",
];
/** About as much silence as speech: a telephone conversation. */
const PAUSE_FRAMES = 150;

const VOICE = { voiceId: "reference/gmw/en-US", language: "en-US" };

/** Speech as the TTS delivered it. */
export interface Rendered {
  text: string;
  chunks: TtsChunk[];
}

export interface BenchSpeech {
  /** What the agent says. */
  agent: Rendered[];
  /** What a caller of the load says, with its pauses: raw. */
  callerAudio: Uint8Array;
  /** What the full caller says. */
  fullCaller: Utterance;
}

/** Callers speak in `format`. Takes a few seconds. Rejects as `Tts.speak` does. */
export async function renderSpeech(format: AudioFormat = TELEPHONE): Promise<BenchSpeech> {
  const voice = createReferenceTts({ children: 1, clock: systemClock });
  const { signal } = new AbortController();
  try {
    const agent: Rendered[] = [];
    // The service's own phrases, too: where the machine stands still for seconds the agent asks the caller to wait.
    for (const text of [...AGENT_SENTENCES, SHORT_ANSWER, FULL_CALL.hears, ...Object.values(ENGLISH)]) {
      const chunks: TtsChunk[] = [];
      for await (const chunk of voice.speak({ text, ...VOICE }, signal)) chunks.push(chunk);
      agent.push({ text, chunks });
    }
    const parts: Uint8Array[] = [];
    for (const text of CALLER_SENTENCES) {
      const { frames } = await synthesise(voice, { text, ...VOICE }, signal, format);
      parts.push(...frames, lineNoise(PAUSE_FRAMES, format));
    }
    const fullCaller = await synthesise(voice, { text: FULL_CALL.says, ...VOICE }, signal, format);
    return { agent, callerAudio: Buffer.concat(parts), fullCaller };
  } finally {
    voice.close();
  }
}

/** About -55 dBFS: what a quiet line sounds like. Digital silence would spare the voice detector most of its work. */
const NOISE_PEAK = 60;

/** A pause on the line: the same noise every time. */
export function lineNoise(frames: number, format: AudioFormat): Uint8Array {
  const samples = new Int16Array(frames * frameSamples(format));
  // A linear congruential generator (Numerical Recipes); the high bits are the good ones.
  let state = 1;
  for (let at = 0; at < samples.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    samples[at] = Math.round((state / 2 ** 31 - 1) * NOISE_PEAK);
  }
  return encodeSamples(samples, format.codec);
}
