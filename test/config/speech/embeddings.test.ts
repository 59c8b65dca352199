import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";

const read = (env: Record<string, string>) => readConfig(env, { checksFiles: false }).embeddings;

describe("the endpoint of embeddings", () => {
  test("is none by default", () => {
    expect(read({})).toBeUndefined();
  });

  test("has an address without slashes at its end, a model, and an API key where one is needed", () => {
    const env = { EMBEDDINGS_BASE_URL: "http://localhost:11434/v1/", EMBEDDINGS_MODEL: "nomic-embed-text" };
    expect(read(env)).toEqual({ baseUrl: "http://localhost:11434/v1", model: "nomic-embed-text", apiKey: undefined });
    expect(read({ ...env, EMBEDDINGS_API_KEY: "key-1" })?.apiKey).toBe("key-1");
  });

  test.each([
    [{ EMBEDDINGS_MODEL: "a" }, "EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL must be set together"],
    [{ EMBEDDINGS_BASE_URL: "http://localhost/v1" }, "EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL must be set together"],
    [{ EMBEDDINGS_API_KEY: "key-1" }, "EMBEDDINGS_API_KEY is set without"],
    [{ EMBEDDINGS_BASE_URL: "ftp://a", EMBEDDINGS_MODEL: "a" }, "EMBEDDINGS_BASE_URL must be an http://"],
    [
      { EMBEDDINGS_BASE_URL: "http://a/v1", EMBEDDINGS_MODEL: "a", EMBEDDINGS_API_KEY: "two words" },
      "EMBEDDINGS_API_KEY must be printable ASCII",
    ],
  ])("%o is refused", (env, problem) => {
    expect(() => read(env as Record<string, string>)).toThrow(problem);
  });
});
