import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { withTraceparent } from "../../../../src/api/http/requests/traceparent.ts";
import { SPEC } from "../../../support/journals/example-call.ts";

const TEXT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const request = (headers: Record<string, string | string[]>, webCall?: object) =>
  ({ headers, webCall }) as unknown as Pick<FastifyRequest, "headers" | "webCall">;

test("a call keeps the span of the client that asked for it", () => {
  expect(withTraceparent(SPEC, request({ traceparent: TEXT }))).toEqual({ ...SPEC, traceparent: TEXT });
});

test("of a header of a later version what version 00 has is kept", () => {
  const later = `cc${TEXT.slice(2)}-what-we-do-not-know`;
  expect(withTraceparent(SPEC, request({ traceparent: later })).traceparent).toBe(TEXT);
});

test.each([
  ["none", request({})],
  ["a malformed one", request({ traceparent: "hello" })],
  ["two", request({ traceparent: [TEXT, TEXT] })],
  ["one of a visitor of a web page", request({ traceparent: TEXT }, {})],
])("%s is ignored", (_, given) => {
  expect(withTraceparent(SPEC, given)).toBe(SPEC);
});
