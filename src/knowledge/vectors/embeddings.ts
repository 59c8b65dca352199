import { Agent, request } from "undici";
import { TrunklineError } from "../../core/errors.ts";
import type { EmbeddingsSettings } from "../../core/knowledge/embeddings-settings.ts";
import {
  EMBEDDING_ANSWER_BYTES_MAX,
  EMBEDDING_TEXT_CHARS_MAX,
  VECTOR_DIMENSIONS_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import { type QuantizedVector, quantized } from "./quantized.ts";

/** Makes vectors of texts. */
export interface Embeddings {
  /** Vectors of two models are not comparable. */
  readonly model: string;
  /** The vectors in the order of the texts; undefined for a text without one. Rejects with `embeddings_failed`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (QuantizedVector | undefined)[]>;
}

// Time limits are the callers': a question's is short, and that of a batch is not.
const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0, connections: 4 });

/** `detail` has no text and no API key. */
const failed = (detail: string, cause?: unknown): TrunklineError =>
  new TrunklineError("embeddings_failed", "provider", `the embeddings endpoint ${detail}`, { cause });

/** Asks an endpoint with OpenAI's API. Redirects are not followed. */
export class HttpEmbeddings implements Embeddings {
  readonly #settings: EmbeddingsSettings;

  constructor(settings: EmbeddingsSettings) {
    this.#settings = settings;
  }

  get model(): string {
    return this.#settings.model;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (QuantizedVector | undefined)[]> {
    const input = texts.map((text) => text.slice(0, EMBEDDING_TEXT_CHARS_MAX) || " ");
    return vectorsOf(
      await this.#post({ model: this.#settings.model, input, encoding_format: "float" }, signal),
      texts.length,
    );
  }

  async #post(body: object, signal: AbortSignal): Promise<unknown> {
    const { baseUrl, apiKey } = this.#settings;
    try {
      const response = await request(`${baseUrl}/embeddings`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(body),
        dispatcher: agent,
        signal,
      });
      const text = await readText(response.body);
      if (response.statusCode !== 200) throw failed(`answered ${response.statusCode}`);
      return JSON.parse(text) as unknown;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TrunklineError) throw error;
      throw failed("could not be asked, or its answer could not be read", error);
    }
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > EMBEDDING_ANSWER_BYTES_MAX) throw failed(`answered with more than ${EMBEDDING_ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The vectors of an answer. Throws `embeddings_failed` where it is not one of `count` vectors of one length. */
export function vectorsOf(answer: unknown, count: number): readonly (QuantizedVector | undefined)[] {
  const data = isObject(answer) ? answer.data : undefined;
  if (!Array.isArray(data) || data.length !== count) throw failed(`gave no list of ${count} vectors`);
  const vectors: (QuantizedVector | undefined)[] = new Array(count).fill(undefined);
  let dimensions: number | undefined;
  data.forEach((item: unknown, at) => {
    const { embedding, index = at } = isObject(item) ? item : {};
    if (!Array.isArray(embedding) || typeof index !== "number" || !(index in vectors))
      throw failed("gave an item that is no vector");
    dimensions ??= embedding.length;
    if (embedding.length !== dimensions || dimensions === 0 || dimensions > VECTOR_DIMENSIONS_MAX) {
      throw failed(
        `gave vectors of ${embedding.length} numbers; all must have one length, of at most ${VECTOR_DIMENSIONS_MAX}`,
      );
    }
    if (!embedding.every((value) => typeof value === "number"))
      throw failed("gave a vector with something that is no number");
    vectors[index] = quantized(embedding as number[]);
  });
  return vectors;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
