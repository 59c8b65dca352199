import { afterEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest, MINIMAL_CALL } from "../../support/api/harness.ts";

const PAGE = "http://localhost:5173";
const CALLS = "/api/v1/calls";

let api: ApiUnderTest;
afterEach(() => api.close());

const allowed = (headers: Readonly<Record<string, unknown>>) => headers["access-control-allow-origin"];

const preflight = (url: string, origin: string) =>
  api.app.inject({
    method: "OPTIONS",
    url,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,idempotency-key,x-api-key",
    },
  });

test("without CORS_ORIGINS no page may read a response, and a preflight allows no origin", async () => {
  api = await apiUnderTest();
  for (const { headers } of [await api.get("/healthz", { origin: PAGE }), await preflight(CALLS, PAGE)]) {
    const names = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
    expect([names, headers.vary]).toEqual([[], undefined]);
  }
});

describe("with CORS_ORIGINS", () => {
  const start = async () => {
    api = await apiUnderTest(undefined, { corsOrigins: ["https://app.example.com", PAGE] });
  };

  test("a preflight of an allowed page needs no API key, and returns the methods and headers of this API", async () => {
    await start();
    for (const url of [CALLS, `${CALLS}/`, `${CALLS}/call_1/end`]) {
      const answer = await preflight(url, PAGE);
      expect([url, answer.statusCode, answer.body]).toEqual([url, 204, ""]);
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": PAGE,
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers":
          "X-API-Key, Content-Type, Idempotency-Key, Range, If-Range, If-None-Match, If-Match, Last-Event-ID",
        "access-control-max-age": "600",
        vary: "Origin",
        allow: expect.stringContaining("POST"),
      });
      expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
    }
    expect((await preflight("/nowhere", PAGE)).statusCode).toBe(404);
  });

  test("a page of another origin is allowed nothing", async () => {
    await start();
    for (const origin of ["http://localhost:5174", `${PAGE}.evil.example`, "null", "*"]) {
      expect([origin, allowed((await preflight(CALLS, origin)).headers)]).toEqual([origin, undefined]);
      const { headers } = await api.get("/api/v1/voices", { origin });
      expect([origin, allowed(headers), headers.vary]).toEqual([origin, undefined, "Origin"]);
    }
  });

  test("an allowed page reads every response, including errors, with the documented headers", async () => {
    await start();
    const origin = { origin: PAGE };
    const answers = [
      await api.post(MINIMAL_CALL, origin),
      await api.post({}, origin),
      await api.get("/api/v1/voices", { ...origin, "x-api-key": "wrong" }),
      await api.get("/nowhere", origin),
      await api.delete("/healthz", origin),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 401, 404, 405]);
    for (const { headers } of answers) {
      expect(allowed(headers)).toBe(PAGE);
      const exposed = String(headers["access-control-expose-headers"]).split(", ");
      expect(exposed).toEqual(
        expect.arrayContaining(["X-Request-Id", "Location", "Retry-After", "WWW-Authenticate", "Allow"]),
      );
    }
  });
});
