import { systemClock } from "../../src/core/clock.ts";
import { TELEPHONE } from "../../src/simulator/audio/format.ts";
import { concatenated, isSpeech, synthesise } from "../../src/simulator/callers/utterance.ts";
import type { Tts, TtsChunk } from "../../src/speech/contracts.ts";
import { createReferenceTts } from "../../src/speech/reference/tts.ts";
import { createEspeak } from "../../src/speech/tts/providers/espeak/adapter.ts";
import { AGENT_SENTENCES, type Rendered, SHORT_ANSWER } from "../rig/speech.ts";

// All speech of the bench is synthesised, before the first call: eSpeak's voices, with or without their words as data.

const INTERRUPTIONS = [
  "Wait, I have a different question.",
  "No, that is not what I meant.",
  "Stop, please.",
  "Sorry, can you say that again?",
  "Excuse me, what does delivery cost?",
  "Actually, I want to cancel my order.",
  "Hold on a second.",
  "But what about tomorrow morning?",
];
const BACK_CHANNELS = ["Mm-hm.", "Uh-huh.", "Yeah.", "Okay.", "Right."];
const SOUNDS_OF_ASSENT = ["Mm-hm.", "Uh-huh.", "Mmm."];
const BYSTANDERS = [
  "We went down to the harbour in the afternoon, and the boats were all coming in before the rain.",
  "She told me that the meeting had been moved, so nobody was there when I arrived with the papers.",
  "If you take the second road on the left, you will see a small house with a green door and two windows.",
];
const VOICES = ["gmw/en-US", "gmw/en", "gmw/en-GB-x-rp", "gmw/en-GB-scotland"];
const AGENT_VOICE = "gmw/en-US";
const LANGUAGE = "en-US";

/** Speech at 8,000 Hz that begins and ends with voice. */
export interface Speech {
  text: string;
  samples: Int16Array;
}

export interface Material {
  /** What the agent may say, and what it answers. */
  agent: readonly Rendered[];
  interruptions: readonly Speech[];
  /** Spoken by the reference TTS: the STT recognizes them. */
  backChannels: readonly Speech[];
  /** Plain speech: speech to the detector and nothing to the STT. */
  assents: readonly Speech[];
  /** Plain speech of other people, for babble. */
  bystanders: readonly Int16Array[];
}

/** Everything in each of `voices`. Takes some seconds. Rejects as `Tts.speak` does. */
export async function renderMaterial(voices: readonly string[] = VOICES): Promise<Material> {
  const plain = createEspeak({ children: 1, clock: systemClock });
  const carrying = createReferenceTts({ children: 1, clock: systemClock });
  try {
    const agent: Rendered[] = [];
    for (const text of [...AGENT_SENTENCES, SHORT_ANSWER]) agent.push(await render(carrying, text));
    const bystanders = await sayAll(plain, BYSTANDERS, voices);
    return {
      agent,
      interruptions: await sayAll(carrying, INTERRUPTIONS, voices),
      backChannels: await sayAll(carrying, BACK_CHANNELS, voices),
      assents: await sayAll(plain, SOUNDS_OF_ASSENT, voices),
      bystanders: bystanders.map(({ samples }) => samples),
    };
  } finally {
    plain.close();
    carrying.close();
  }
}

async function render(voice: Tts, text: string): Promise<Rendered> {
  const chunks: TtsChunk[] = [];
  const request = { text, voiceId: `${voice.provider}/${AGENT_VOICE}`, language: LANGUAGE };
  for await (const chunk of voice.speak(request, new AbortController().signal)) chunks.push(chunk);
  return { text, chunks };
}

/** Each text in each voice. */
async function sayAll(voice: Tts, texts: readonly string[], voices: readonly string[]): Promise<Speech[]> {
  const said: Speech[] = [];
  for (const text of texts) for (const name of voices) said.push(await say(voice, text, name));
  return said;
}

async function say(voice: Tts, text: string, name: string): Promise<Speech> {
  const request = { text, voiceId: `${voice.provider}/${name}`, language: LANGUAGE };
  const format = { ...TELEPHONE, codec: "pcm_s16le" as const };
  const { frames } = await synthesise(voice, request, new AbortController().signal, format);
  const samples = concatenated(
    frames.map((frame) => new Int16Array(frame.buffer, frame.byteOffset, frame.length / Int16Array.BYTES_PER_ELEMENT)),
  );
  // The last frame was filled up.
  return { text, samples: samples.slice(0, samples.findLastIndex(isSpeech) + 1) };
}
