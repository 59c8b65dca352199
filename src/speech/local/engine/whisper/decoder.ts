import { strict as assert } from "node:assert";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { Tensor } from "onnxruntime-web/wasm";

/** What is used of a session of onnxruntime. */
export type Session = Pick<InferenceSession, "run">;

/** The sizes of a decoder, as its `config.json` has them. */
export interface DecoderSizes {
  readonly layers: number;
  readonly heads: number;
  /** Numbers of each head. */
  readonly headSize: number;
}

interface DecoderTokens {
  readonly suppressed: readonly number[];
  readonly endOfText: number;
  readonly noSpeech: number;
}

/** A token and the natural logarithm of its probability. */
export interface LikelyToken {
  readonly id: number;
  readonly logProbability: number;
}

const SIDES = ["key", "value"] as const;

/**
 * Whisper's decoder as one ONNX file for the first pass and the following ones ("merged", as Hugging Face's Optimum exports it): the
 * keys and values of earlier tokens are outputs of a pass and inputs of the next.
 */
export class WhisperDecoder {
  readonly #session: Session;
  readonly #sizes: DecoderSizes;
  readonly #tokens: DecoderTokens;

  constructor(session: Session, sizes: DecoderSizes, tokens: DecoderTokens) {
    this.#session = session;
    this.#sizes = sizes;
    this.#tokens = tokens;
  }

  /** Begins a text: reads the prompt. One text at a time. */
  async begin(hiddenStates: Tensor, prompt: readonly number[]): Promise<WhisperText> {
    const text = new WhisperText(this.#session, this.#sizes, this.#tokens, hiddenStates);
    await text.begin(prompt);
    return text;
  }
}

/** A text that grows by one token after the other. */
export class WhisperText {
  /** That the audio has no speech, by the model's own estimate. */
  noSpeechProbability = 0;
  readonly #session: Session;
  readonly #tokens: DecoderTokens;
  readonly #hiddenStates: Tensor;
  readonly #layers: readonly number[];
  /** Keys and values so far, by the name of their input. */
  #past: Record<string, Tensor>;
  /** The logits of the next token, which this object owns. */
  #logits: Float32Array = new Float32Array(0);

  constructor(
    session: Session,
    { layers, heads, headSize }: DecoderSizes,
    tokens: DecoderTokens,
    hiddenStates: Tensor,
  ) {
    this.#session = session;
    this.#tokens = tokens;
    this.#hiddenStates = hiddenStates;
    this.#layers = Array.from({ length: layers }, (_, layer) => layer);
    const names = [...this.#names("past_key_values", "decoder"), ...this.#names("past_key_values", "encoder")];
    const none = new Tensor("float32", new Float32Array(0), [1, heads, 0, headSize]);
    this.#past = Object.fromEntries(names.map((name) => [name, none]));
  }

  async begin(prompt: readonly number[]): Promise<void> {
    const logits = await this.#run(prompt, ["decoder", "encoder"]);
    const size = logits.length / prompt.length;
    this.noSpeechProbability = Math.exp(logProbability(logits.subarray(0, size), this.#tokens.noSpeech));
    this.#logits = logits.subarray(logits.length - size);
  }

  /** Continues the text with a token. */
  async add(id: number): Promise<void> {
    this.#logits = await this.#run([id], ["decoder"]);
  }

  /** The likeliest next token that is text or the end of it, but for those never chosen and those in `suppressed`. */
  likeliest(suppressed: readonly number[]): LikelyToken {
    // The tokens after the end of text are marks of languages, tasks and times.
    const logits = this.#logits.subarray(0, this.#tokens.endOfText + 1);
    for (const id of [...this.#tokens.suppressed, ...suppressed])
      if (id < logits.length) logits[id] = Number.NEGATIVE_INFINITY;
    let id = 0;
    for (let i = 1; i < logits.length; i += 1) if ((logits[i] as number) > (logits[id] as number)) id = i;
    return { id, logProbability: logProbability(logits, id) };
  }

  /** One pass over `ids`. Stores the keys and values of `parts`; those of the encoder change only in the first pass. */
  async #run(ids: readonly number[], parts: readonly ("decoder" | "encoder")[]): Promise<Float32Array> {
    const isFirst = parts.includes("encoder");
    const fetched = parts.flatMap((part) => this.#names("present", part));
    const outputs = await this.#session.run(
      {
        input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
        encoder_hidden_states: this.#hiddenStates,
        use_cache_branch: new Tensor("bool", Uint8Array.of(isFirst ? 0 : 1), [1]),
        ...this.#past,
      },
      ["logits", ...fetched],
    );
    for (const name of fetched) {
      const present = outputs[name];
      assert.ok(present !== undefined, "a fetched output");
      this.#past[name.replace("present", "past_key_values")] = present as Tensor;
    }
    return outputs.logits?.data as Float32Array;
  }

  #names(prefix: string, part: "decoder" | "encoder"): string[] {
    return this.#layers.flatMap((layer) => SIDES.map((side) => `${prefix}.${layer}.${part}.${side}`));
  }
}

/** The natural logarithm of the softmax of `logits` at `id`. */
function logProbability(logits: Float32Array, id: number): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > largest) largest = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - largest);
  return (logits[id] as number) - largest - Math.log(sum);
}
