/** An endpoint of OpenAI's API for embeddings, as the operator has configured it. */
export interface EmbeddingsSettings {
  /** Without a slash at its end; `/embeddings` follows. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}
