import type { DeclaredReader } from "../../core/configuration/variable.ts";
import type { EmbeddingsSettings } from "../../core/knowledge/embeddings-settings.ts";
import { apiKeyProblems, httpAddressProblems, trimmedAddress } from "../../speech/server-settings.ts";

/** The endpoint of embeddings; undefined where none is configured. Problems are added to `problems`. */
export function readEmbeddings({ text }: DeclaredReader, problems: string[]): EmbeddingsSettings | undefined {
  const baseUrl = trimmedAddress(text("EMBEDDINGS_BASE_URL", ""));
  const model = text("EMBEDDINGS_MODEL", "");
  const apiKey = text("EMBEDDINGS_API_KEY", "") || undefined;
  if (baseUrl === "" && model === "") {
    if (apiKey !== undefined)
      problems.push("EMBEDDINGS_API_KEY is set without EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL");
    return undefined;
  }
  if (baseUrl === "" || model === "") {
    problems.push("EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL must be set together");
    return undefined;
  }
  problems.push(
    ...httpAddressProblems("EMBEDDINGS_BASE_URL", baseUrl),
    ...apiKeyProblems("EMBEDDINGS_API_KEY", apiKey, undefined),
  );
  return { baseUrl, model, apiKey };
}
