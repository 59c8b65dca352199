/** The server and the model of an LLM adapter. */
export interface LlmOptions {
  /** The provider's own name of the model, for example `gpt-4o-mini`. */
  model: string;
  apiKey: string;
  baseUrl: string;
}
