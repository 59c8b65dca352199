import { describe, expect, test } from "vitest";
import { authenticatedCarriers, upgradeAuthentication } from "../../src/carriers/authentication.ts";
import { CARRIER_NAMES } from "../../src/carriers/list.ts";
import { hmac, SECRET } from "../support/wires/signatures.ts";

const URL_A = "wss://gw.example.com/carrier_a/media";

describe("the carriers that an upgrade may come from", () => {
  const others = Object.fromEntries(CARRIER_NAMES.map((name) => [name, ["another"]]));
  const secrets = { ...others, carrier_a: ["old", SECRET], carrier_b: ["b"], carrier_c: ["c"] };
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
    expect([...authenticatedCarriers(URL_A, {}, {})]).toEqual(CARRIER_NAMES);
  });
});

describe("the transports that an upgrade may belong to", () => {
  const URL = "wss://gw.example.com/stream/token";

  test("are all where no carrier has a secret", () => {
    expect(upgradeAuthentication({}).allowedTypes(URL, {})).toBeUndefined();
  });

  test("always include websocket, whose clients have only the token", () => {
    const { allowedTypes, headerNames } = upgradeAuthentication({ carrier_b: ["b"] });
    const unsigned = CARRIER_NAMES.filter((name) => name !== "carrier_b");
    expect(allowedTypes(URL, {})).toEqual(["websocket", ...unsigned]);
    expect(headerNames).toContain("authorization");
    expect(allowedTypes(URL, { authorization: "Bearer b" })).toBeUndefined();
  });
});
