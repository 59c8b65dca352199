import type { LocatedModel } from "../model-manifest.ts";
import type { Hypothesis, SpeechModel, TranscribeOptions } from "../speech-model.ts";
import { refusalOf, SPEECH_MS_MIN } from "./invented-words.ts";
import { readModelFile } from "./model-files.ts";
import { MoonshineNetwork } from "./moonshine-pass.ts";
import { openSessions } from "./onnx.ts";
import { llamaVocabulary, readVocabulary, textOfTokens, type Vocabulary } from "./sentence-tokens.ts";
import { SpeechFinder } from "./speech-parts.ts";

const ENCODER_FILE = "encoder_model.onnx";
const DECODER_FILE = "decoder_model_merged.onnx";
/** In folders of models whose vocabulary is not the installed package's. */
const VOCABULARY_FILE = "tokenizer.json";

const RATE_HZ = 16_000;
const SAMPLES_PER_MS = RATE_HZ / 1_000;
/** The model's own limit of tokens; a short word may take more than its share. */
const TOKENS_PER_S_MAX = 6.5;
const TOKENS_MORE = 2;
/** Audio is kept this long before and after the speech; more costs time. */
const MARGIN_MS = 300;
/** Silence is added at both ends: without it the model misses a word at the edge more often, and with more of it a word alone. */
const SILENCE_MS = 100;
/** Of the first pass. */
const WARM_UP_SAMPLES = RATE_HZ;
const WARM_UP_TOKENS = 3;

/**
 * Loads a Moonshine model and compiles it with a first pass, so that the first caller does not wait for that. Throws `bad_configuration`
 * for a file that is missing, truncated or another one.
 */
export async function loadMoonshine(model: LocatedModel): Promise<SpeechModel> {
  // First of all: what reading it takes is garbage before the sessions need memory.
  const vocabulary = await vocabularyOf(model);
  const { decoder, encoder } = await openSessions({
    decoder: () => readModelFile(model, DECODER_FILE),
    encoder: () => readModelFile(model, ENCODER_FILE),
  });
  const network = new MoonshineNetwork(encoder, decoder);
  await network.transcribe(new Float32Array(WARM_UP_SAMPLES), WARM_UP_TOKENS, () => false);
  return new Moonshine(model, network, vocabulary, await SpeechFinder.load());
}

const vocabularyOf = async (model: LocatedModel): Promise<Vocabulary> =>
  model.manifest.files.some(({ path }) => path === VOCABULARY_FILE)
    ? readVocabulary(readModelFile(model, VOCABULARY_FILE).toString("utf8"))
    : await llamaVocabulary();

const NO_WORDS = { text: "", averageLogProbability: 0 } as const;

class Moonshine implements SpeechModel {
  readonly name: string;
  readonly languages: readonly string[];
  readonly #network: MoonshineNetwork;
  readonly #vocabulary: Vocabulary;
  readonly #speech: SpeechFinder;

  constructor({ manifest }: LocatedModel, network: MoonshineNetwork, vocabulary: Vocabulary, speech: SpeechFinder) {
    this.name = manifest.name;
    this.languages = manifest.languages;
    this.#network = network;
    this.#vocabulary = vocabulary;
    this.#speech = speech;
  }

  async transcribe(samples: Float32Array, { shouldStop }: TranscribeOptions): Promise<Hypothesis> {
    const { startMs, endMs, speechMs } = this.#speech.find(samples);
    if (speechMs < SPEECH_MS_MIN) return { ...NO_WORDS, isStopped: false };
    const spoken = betweenSilence(samples, Math.max(0, startMs - MARGIN_MS), endMs + MARGIN_MS);
    const tokensMax = TOKENS_MORE + Math.ceil((TOKENS_PER_S_MAX * spoken.length) / RATE_HZ);
    const { tokens, logProbabilities, end } = await this.#network.transcribe(spoken, tokensMax, shouldStop);
    const averageLogProbability = meanOf(logProbabilities);
    const isStopped = end === "stopped";
    const refusal = refusalOf({ speechMs, tokens, averageLogProbability, isAtLimit: end === "limit" });
    const text = refusal === undefined ? textOfTokens(tokens, this.#vocabulary) : "";
    return text === "" ? { ...NO_WORDS, isStopped } : { text, averageLogProbability, isStopped };
  }
}

function betweenSilence(audio: Float32Array, fromMs: number, toMs: number): Float32Array {
  const spoken = audio.subarray(fromMs * SAMPLES_PER_MS, toMs * SAMPLES_PER_MS);
  const padded = new Float32Array(spoken.length + 2 * SILENCE_MS * SAMPLES_PER_MS);
  padded.set(spoken, SILENCE_MS * SAMPLES_PER_MS);
  return padded;
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
