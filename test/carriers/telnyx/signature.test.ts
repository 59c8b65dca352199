import { describe, expect, test } from "vitest";
import { isFromTelnyx, TELNYX_HEADERS } from "../../../src/carriers/telnyx/signature.ts";
import { headersFor, misspellings, SECRET } from "../../support/wires/signatures.ts";

const headersOf = headersFor(TELNYX_HEADERS);

describe("carrier_b", () => {
  test("its token is valid in either header, complete and exact", () => {
    const good = (headers: Record<string, string>) => isFromTelnyx(SECRET, "", headersOf(headers));
    expect(good({ "x-telnyx-streaming-auth-token": SECRET })).toBe(true);
    expect(good({ authorization: `Bearer ${SECRET}` })).toBe(true);
    expect(good({ authorization: `bearer ${SECRET}` })).toBe(true);
    for (const bad of [
      ...misspellings(SECRET),
      "",
      `${SECRET} `,
      `${SECRET}x`,
      SECRET.slice(1),
      SECRET.toUpperCase(),
    ]) {
      expect(good({ "x-telnyx-streaming-auth-token": bad })).toBe(false);
    }
    for (const bad of [SECRET, `Basic ${SECRET}`, `Bearer ${SECRET} x`, "Bearer", "Bearer "]) {
      expect(good({ authorization: bad })).toBe(false);
    }
  });
});
