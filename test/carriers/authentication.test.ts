import { describe, expect, test } from "vitest";
import { authenticatedCarriers } from "../../src/carriers/authentication.ts";
import { hmac, SECRET } from "../support/wires/signatures.ts";

const URL_A = "wss://gw.example.com/carrier_a/media";

describe("the carriers that an upgrade may come from", () => {
  const secrets = { carrier_a: ["old", SECRET], carrier_b: ["b"], carrier_c: ["c"] };
  const vouching = (headers: Record<string, string>, changed = {}) => [
    ...authenticatedCarriers(URL_A, headers, { ...secrets, ...changed }),
  ];

  test("are those whose secrets it knows, old or new, and those without a secret", () => {
    expect(vouching({})).toEqual([]);
    expect(vouching({ "x-twilio-signature": hmac("sha1", SECRET, URL_A) })).toEqual(["carrier_a"]);
    expect(vouching({ "x-twilio-signature": hmac("sha1", "old", URL_A), authorization: "Bearer b" })).toEqual([
      "carrier_a",
      "carrier_b",
    ]);
    expect(vouching({}, { carrier_c: [] })).toEqual(["carrier_c"]);
    expect(vouching({}, { carrier_a: [], carrier_b: [], carrier_c: [] })).toHaveLength(3);
  });
});
