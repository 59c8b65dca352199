import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { API_BASE_PATH } from "../../../src/api/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { type ApiUnderTest, apiUnderTest, MINIMAL_CALL } from "../../support/api/harness.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

/** The same service under several host names, and headers with which clients may forge a request's origin. */
const SURROUNDINGS: readonly Readonly<Record<string, string>>[] = [
  { host: "voice.example.com" },
  { host: "api.example.org:8443" },
  { host: "[::1]" },
  { host: "evil.example/?<script>" },
  {
    host: "voice.example.com",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "javascript",
    "x-forwarded-port": "0",
    "x-forwarded-prefix": "/evil",
    "x-forwarded-for": "203.0.113.9, evil",
    forwarded: "for=_evil;host=evil.example;proto=ftp",
    "x-real-ip": "203.0.113.9",
    "x-original-url": "/healthz",
    "x-rewrite-url": "/healthz",
    "x-http-method-override": "DELETE",
  },
];

const REQUESTS = [
  ["GET", "/voices"],
  ["GET", "/openapi.json"],
  ["GET", "/calls/call_01a1fd9c-b56e-7159-a78e-8b0433f9cf99"],
  ["GET", "/nowhere"],
  ["POST", "/calls", MINIMAL_CALL],
  ["POST", "/calls", { ...MINIMAL_CALL, maxDuration: 1 }],
] as const;

/** Without the parts that differ in every response. */
const masked = (text: string): string =>
  text
    .replaceAll(/(req|call)_[0-9a-f-]{36}/g, "$1_ID")
    .replaceAll(/stream\/[\w-]{64}/g, "stream/TOKEN")
    .replaceAll(/"date":"[^"]*"/g, "")
    .replaceAll(/"ratelimit":"(?:[^"\\]|\\.)*"/g, "");

describe("several addresses", () => {
  test("the service responds alike under each, whatever origin and proxies the request claims", async () => {
    for (const [method, path, body] of REQUESTS) {
      const answers = new Set<string>();
      for (const headers of SURROUNDINGS) {
        const answer = await api.app.inject({
          method,
          url: `${API_BASE_PATH}${path}`,
          headers: { "x-api-key": api.key, ...headers },
          ...(body && { payload: body }),
        });
        answers.add(masked(JSON.stringify([answer.statusCode, answer.headers, answer.body])));
      }
      expect([path, answers.size]).toEqual([path, 1]);
    }
  });

  test("a new call's Location is valid under each, and its stream has the configured address", async () => {
    for (const headers of SURROUNDINGS) {
      const answer = await api.post(MINIMAL_CALL, headers);
      const { id, websocketUrl } = answer.body as { id: string; websocketUrl: string };
      expect([answer.status, answer.headers.location]).toEqual([201, `${API_BASE_PATH}/calls/${id}`]);
      expect(websocketUrl).toMatch(/^wss:\/\/media\.test\/stream\//);
    }
  });
});

describe("PUBLIC_API_URL", () => {
  const urlsOf = (PUBLIC_API_URL: string): readonly string[] => readConfig({ PUBLIC_API_URL }).publicApiUrls;

  test("holds any number of addresses in order, each with the base path, given or not", () => {
    expect(urlsOf("")).toEqual([]);
    expect(urlsOf("https://voice.example.com")).toEqual([`https://voice.example.com${API_BASE_PATH}`]);
    expect(urlsOf(" https://b.example/api/v1/ ,http://a.example:8080/,https://c.example/voice")).toEqual([
      "https://b.example/api/v1",
      "http://a.example:8080/api/v1",
      "https://c.example/voice/api/v1",
    ]);
  });

  test("all invalid addresses are reported", () => {
    expect(() =>
      urlsOf("ftp://a.example,https://b.example?x=1,,https://user:word@c.example,https://d.example"),
    ).toThrow(
      [
        "bad configuration:",
        ...["ftp://a.example", "https://b.example?…", "", "https://…@c.example"].map(
          (shown) =>
            `  PUBLIC_API_URL must be http:// or https:// addresses without a query or a password, not "${shown}"`,
        ),
      ].join("\n"),
    );
  });
});
