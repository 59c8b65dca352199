import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { VECTOR_DIMENSIONS_MAX } from "../../../src/core/limits/knowledge/retrieval.ts";
import { HttpEmbeddings, vectorsOf } from "../../../src/knowledge/vectors/embeddings.ts";

/** A server that answers every request with `status` and `body`. */
async function endpoint(status: number, body: string) {
  const requests: { headers: IncomingMessage["headers"]; url: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      requests.push({ headers: request.headers, url: request.url, body: text });
      response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { requests, embeddings: new HttpEmbeddings({ baseUrl, model: "small", apiKey: "key-1" }) };
}

const life = (): AbortSignal => new AbortController().signal;

describe("an endpoint of embeddings", () => {
  test("is asked as OpenAI's, and gives vectors in the order of the texts", async () => {
    const data = [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [3, 0] },
    ];
    const { embeddings, requests } = await endpoint(200, JSON.stringify({ data }));
    const vectors = await embeddings.embed(["first", ""], life());
    expect(vectors.map((vector) => [...(vector?.values ?? [])])).toEqual([
      [127, 0],
      [0, 127],
    ]);
    expect(requests[0]).toMatchObject({ url: "/v1/embeddings", headers: { authorization: "Bearer key-1" } });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      model: "small",
      input: ["first", " "],
      encoding_format: "float",
    });
  });

  test.each([
    [500, "{}", "answered 500"],
    [302, "{}", "answered 302"],
    [200, "no JSON", "could not be read"],
    [200, '{"data":[]}', "gave no list of 1 vectors"],
  ])("with status %i and body %s the request fails, without the text and the key in the error", async (status, body, what) => {
    const { embeddings } = await endpoint(status, body);
    const error = await embeddings.embed(["secret words"], life()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "embeddings_failed", message: expect.stringContaining(what) });
    expect(String(error)).not.toMatch(/secret|key-1/);
  });

  test("an abort rejects with its reason", async () => {
    const { embeddings } = await endpoint(200, "{}");
    const aborter = new AbortController();
    aborter.abort(new Error("late"));
    await expect(embeddings.embed(["text"], aborter.signal)).rejects.toThrow("late");
  });
});

describe("an answer with vectors", () => {
  const item = (embedding: unknown, index?: unknown) => ({ embedding, ...(index !== undefined && { index }) });

  test.each([
    ["no object", 7],
    ["no data", {}],
    ["a vector that is none", { data: [item("AAAA")] }],
    ["an index that is out of range", { data: [item([1], 5)] }],
    ["an index that is no number", { data: [item([1], "0")] }],
    ["an empty vector", { data: [item([])] }],
    ["too many dimensions", { data: [item(Array.from({ length: VECTOR_DIMENSIONS_MAX + 1 }, () => 1))] }],
    ["something that is no number", { data: [item([1, null])] }],
  ])("with %s is refused", (_, answer) => {
    expect(() => vectorsOf(answer, 1)).toThrow(expect.objectContaining({ code: "embeddings_failed" }));
  });

  test("with two lengths is refused", () => {
    expect(() => vectorsOf({ data: [item([1, 2]), item([1])] }, 2)).toThrow("one length");
  });

  test("a vector without a direction is none", () => {
    expect(vectorsOf({ data: [item([0, 0]), item([1, 0])] }, 2)).toMatchObject([undefined, { scale: 1 / 127 }]);
  });
});
