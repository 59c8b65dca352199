import { expect, test } from "vitest";
import { TrunklineClient } from "#client";
import { scriptedApi } from "../support/api/scripted-api.ts";

const PAGE = { data: [], nextCursor: null };

test("a request has the API key, the values of its path and its query, and its body as JSON", async () => {
  const { baseUrl, requests } = await scriptedApi([{ body: PAGE }, { status: 201, body: { id: "call_1" } }]);
  const client = new TrunklineClient({ baseUrl: `${baseUrl}/`, apiKey: "tk_1" });
  const query = { status: "ended", limit: 10, metadata: { order: "A 17", "x&y": "1" } } as const;
  expect(await client.get("/calls", { query })).toEqual(PAGE);
  const body = { autoPublish: false };
  await client.post("/agents/{id}/versions/{version}/restore", { path: { id: "Zoë/1", version: 2 }, body });
  const [listed, created] = requests;
  expect(listed).toMatchObject({ method: "GET", body: "", headers: { "x-api-key": "tk_1" } });
  expect(listed?.headers).not.toHaveProperty("content-type");
  const url = new URL(listed?.url ?? "", baseUrl);
  expect([url.pathname, ...url.searchParams]).toEqual([
    "/api/v1/calls",
    ["status", "ended"],
    ["limit", "10"],
    ["metadata[order]", "A 17"],
    ["metadata[x&y]", "1"],
  ]);
  expect(created).toMatchObject({ method: "POST", url: "/api/v1/agents/Zo%C3%AB%2F1/versions/2/restore" });
  expect(created?.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(created?.body ?? "")).toEqual(body);
});

test("request() also gives the status and the headers; headers of a request are sent", async () => {
  const { baseUrl, requests } = await scriptedApi([{ headers: { ETag: '"3"' }, body: { id: "agent_1" } }]);
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  const options = { path: { id: "agent_1" }, headers: { "If-Match": '"2"' }, body: { name: "Desk" } };
  const { status, headers, body } = await client.request("patch", "/agents/{id}", options);
  expect([status, headers.get("etag"), body.id]).toEqual([200, '"3"', "agent_1"]);
  expect(requests[0]).toMatchObject({ method: "PATCH", headers: { "if-match": '"2"' } });
});

test("an answer without a body is undefined", async () => {
  const { baseUrl, requests } = await scriptedApi([{ status: 204 }]);
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  expect(await client.delete("/calls/{id}", { path: { id: "call_1" } })).toBeUndefined();
  expect(requests[0]?.method).toBe("DELETE");
});

test.each(["", ".", ".."])("an id %j, which would name another path, is sent nowhere", async (id) => {
  const { baseUrl, requests } = await scriptedApi([{ status: 204 }]);
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  await expect(client.delete("/calls/{id}", { path: { id } })).rejects.toThrow(
    new TypeError(`/calls/{id}: ${JSON.stringify(id)} is no value of id`),
  );
  expect(requests).toEqual([]);
});

test("a redirect is an error, and the API key goes to no other host", async () => {
  const other = await scriptedApi([{ body: PAGE }]);
  const { baseUrl } = await scriptedApi([{ status: 307, headers: { Location: `${other.baseUrl}/api/v1/calls` } }]);
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  await expect(client.get("/calls")).rejects.toMatchObject({ code: "unexpected_answer", status: 307 });
  expect(other.requests).toEqual([]);
});

test("a list gives the items of all pages, and requests a page when the one before is taken", async () => {
  const pages = [
    { data: [{ id: "call_3" }, { id: "call_2" }], nextCursor: "c/2" },
    { data: [], nextCursor: "c3" },
    { data: [{ id: "call_1" }], nextCursor: null },
  ];
  const { baseUrl, requests } = await scriptedApi(pages.map((body) => ({ body })));
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  const seen: [id: string, requests: number][] = [];
  for await (const { id } of client.list("/calls", { query: { status: "ended", limit: 2 } })) {
    seen.push([id, requests.length]);
  }
  expect(seen).toEqual([
    ["call_3", 1],
    ["call_2", 1],
    ["call_1", 3],
  ]);
  expect(requests.map(({ url }) => url)).toEqual([
    "/api/v1/calls?status=ended&limit=2",
    "/api/v1/calls?status=ended&limit=2&cursor=c%2F2",
    "/api/v1/calls?status=ended&limit=2&cursor=c3",
  ]);
});

test("a loop that leaves a list early requests no further page", async () => {
  const { baseUrl, requests } = await scriptedApi([{ body: { data: [{ id: "agent_1" }], nextCursor: "next" } }]);
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  for await (const { id } of client.list("/agents")) if (id === "agent_1") break;
  expect(requests.length).toBe(1);
});

test("a download is a stream: its headers arrive before its bytes are read; a range is sent", async () => {
  const { baseUrl, requests } = await scriptedApi([
    { status: 206, headers: { "Content-Range": "bytes 0-3/44" }, body: "RIFF" },
    { status: 304, headers: { ETag: '"a"' } },
  ]);
  const client = new TrunklineClient({ baseUrl, apiKey: "tk_1" });
  const options = { path: { id: "call_1" }, headers: { Range: "bytes=0-3" } };
  const part = await client.download("/calls/{id}/recording", options);
  expect([part.status, part.headers.get("content-range"), part.bodyUsed]).toEqual([206, "bytes 0-3/44", false]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of part.body ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("RIFF");
  expect(requests[0]?.headers.range).toBe("bytes=0-3");
  const known = { path: { id: "call_1" }, headers: { "If-None-Match": '"a"' } };
  expect(await client.download("/calls/{id}/recording", known)).toMatchObject({ status: 304, body: null });
});

test("another fetch is used in place of the global one", async () => {
  const urls: string[] = [];
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    urls.push(String(url));
    return Response.json(PAGE);
  };
  const client = new TrunklineClient({ baseUrl: "https://voice.example.com/trunkline", apiKey: "tk_1", fetch });
  await client.get("/agents");
  expect(urls).toEqual(["https://voice.example.com/trunkline/api/v1/agents"]);
});

test("requests with fields and paths that the API does not have do not compile", () => {
  const client = new TrunklineClient({ baseUrl: "http://127.0.0.1:1", apiKey: "tk_1" });
  const requests = [
    // @ts-expect-error There is no such path.
    () => client.get("/call"),
    // @ts-expect-error The path has no such method.
    () => client.delete("/calls"),
    // @ts-expect-error The id is missing.
    () => client.get("/calls/{id}"),
    // @ts-expect-error A field of the body that is required is missing.
    () => client.post("/calls", { body: { systemPrompt: "x", voice: "y" } }),
    // @ts-expect-error The body has no such field.
    () => client.post("/calls", { body: { systemPrompt: "x", voice: "y", language: "en", tone: 1 } }),
    // @ts-expect-error A filter has other values.
    () => client.list("/calls", { query: { status: "over" } }),
    // @ts-expect-error It is no list.
    () => client.list("/calls/{id}", { path: { id: "call_1" } }),
    // @ts-expect-error A recording is a file, no JSON.
    () => client.get("/calls/{id}/recording", { path: { id: "call_1" } }),
    // @ts-expect-error A call is JSON, no file.
    () => client.download("/calls/{id}", { path: { id: "call_1" } }),
  ];
  // The compiler has checked them; they are not sent.
  expect(requests.length).toBe(9);
});
