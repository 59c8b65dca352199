import { type InferenceSession, Tensor } from "onnxruntime-web/wasm";

/** What one pass of the model has understood of one window. */
export interface Pass {
  /** Without the marks of the beginning and of the end. */
  readonly tokens: readonly number[];
  /** The natural logarithm of the probability of each token, and of the end where it was reached. */
  readonly logProbabilities: readonly number[];
  /** Why it ended: the model's end of text, the limit of tokens, or `shouldStop`. */
  readonly end: "complete" | "limit" | "stopped";
}

const START = 1;
const END = 2;
const CACHE = "past_key_values";

/** The encoder and the decoder of a Moonshine model, which transcribe one window of audio at a time. */
export class MoonshineNetwork {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  /** Inputs of the decoder that carry its state from token to token. */
  readonly #cacheNames: readonly string[];
  readonly #heads: number;
  readonly #headSize: number;
  /** What later tokens need of the decoder's outputs: the state of the encoder's side stays as the first token made it. */
  readonly #laterOutputs: readonly string[];

  constructor(encoder: InferenceSession, decoder: InferenceSession) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#cacheNames = decoder.inputNames.filter((name) => name.startsWith(CACHE));
    [this.#heads, this.#headSize] = cacheSizeOf(decoder);
    this.#laterOutputs = decoder.outputNames.filter((name) => !name.includes(".encoder."));
  }

  /** Greedy decoding of `samples`, 16,000 Hz, -1 to 1, borrowed until the promise settles. */
  async transcribe(
    samples: Float32Array,
    tokensMax: number,
    shouldStop: () => boolean | Promise<boolean>,
  ): Promise<Pass> {
    const heard = await this.#encoder.run({ input_values: new Tensor("float32", samples, [1, samples.length]) });
    const feeds: Record<string, Tensor> = {
      encoder_hidden_states: heard.last_hidden_state as Tensor,
      ...Object.fromEntries(this.#cacheNames.map((name) => [name, this.#emptyCache()])),
    };
    const tokens: number[] = [];
    const logProbabilities: number[] = [];
    let token = START;
    while (tokens.length < tokensMax) {
      if (await shouldStop()) return { tokens, logProbabilities, end: "stopped" };
      const isFirst = tokens.length === 0;
      feeds.input_ids = new Tensor("int64", BigInt64Array.of(BigInt(token)), [1, 1]);
      feeds.use_cache_branch = new Tensor("bool", [!isFirst]);
      const outputs = await this.#decoder.run(feeds, isFirst ? this.#decoder.outputNames : this.#laterOutputs);
      const best = mostProbable((outputs.logits as Tensor).data as Float32Array);
      logProbabilities.push(best.logProbability);
      token = best.token;
      if (token === END) return { tokens, logProbabilities, end: "complete" };
      tokens.push(token);
      this.#carryOver(outputs, feeds);
    }
    return { tokens, logProbabilities, end: "limit" };
  }

  #carryOver(outputs: InferenceSession.OnnxValueMapType, feeds: Record<string, Tensor>): void {
    for (const name of this.#cacheNames) {
      const next = outputs[name.replace(CACHE, "present")];
      if (next !== undefined) feeds[name] = next as Tensor;
    }
  }

  readonly #emptyCache = (): Tensor => new Tensor("float32", [], [0, this.#heads, 1, this.#headSize]);
}

/** The number and the size of the heads of attention: tiny and base models, and those of other languages, differ in them. */
function cacheSizeOf(decoder: InferenceSession): [heads: number, headSize: number] {
  const cache = decoder.inputMetadata.find(({ name }) => name.startsWith(CACHE));
  const shape = cache?.isTensor ? cache.shape : [];
  const [, heads, , headSize] = shape;
  if (typeof heads !== "number" || typeof headSize !== "number") {
    throw new Error("the decoder has no inputs of a Moonshine model");
  }
  return [heads, headSize];
}

/** The token of the greatest logit, and the logarithm of its probability. */
function mostProbable(logits: Float32Array): { token: number; logProbability: number } {
  let token = 0;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < logits.length; at += 1) {
    const logit = logits[at] as number;
    if (logit > greatest) {
      greatest = logit;
      token = at;
    }
  }
  let sum = 0;
  for (let at = 0; at < logits.length; at += 1) sum += Math.exp((logits[at] as number) - greatest);
  return { token, logProbability: -Math.log(sum) };
}
