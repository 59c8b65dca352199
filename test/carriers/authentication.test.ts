import { describe, expect, test } from "vitest";
import { authenticatedCarriers, isStreamOfAccount, upgradeAuthentication } from "../../src/carriers/authentication.ts";
import { CARRIER_NAMES, CARRIERS, type CarrierName } from "../../src/carriers/list.ts";
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

describe("the stream of a telephone call", () => {
  const URL = "wss://gw.example.com/stream/token";
  const NONCE = "12345";
  /** What each carrier sends that knows the secret. */
  const signed: Readonly<Record<CarrierName, (secret: string) => Record<string, string>>> = {
    carrier_a: (secret) => ({ "x-twilio-signature": hmac("sha1", secret, URL) }),
    carrier_b: (secret) => ({ "x-telnyx-streaming-auth-token": secret }),
    carrier_c: (secret) => ({
      "x-plivo-signature-v3": hmac("sha256", secret, `${URL}.${NONCE}`),
      "x-plivo-signature-v3-nonce": NONCE,
    }),
  };

  test.each(
    CARRIERS.map((carrier) => [carrier.connectionType, carrier] as const),
  )("of %s is proven by the credentials of its own account, and by nothing else", (name, { telephony }) => {
    const credentials = Object.fromEntries(telephony.credentialFields.map((field) => [field.name, field.example]));
    const headers = signed[name](telephony.streamSecret(credentials));
    expect(isStreamOfAccount(name, credentials, { url: URL, headers })).toBe(true);
    expect(isStreamOfAccount(name, credentials, { url: URL, headers: {} })).toBe(false);
    expect(isStreamOfAccount(name, credentials, { url: URL, headers: signed[name]("another") })).toBe(false);
    for (const other of CARRIER_NAMES.filter((one) => one !== name)) {
      const { telephony: others } = CARRIERS.find(({ connectionType }) => connectionType === other) ?? { telephony };
      const theirs = Object.fromEntries(others.credentialFields.map((field) => [field.name, field.example]));
      expect(isStreamOfAccount(other, theirs, { url: URL, headers })).toBe(false);
    }
    expect(isStreamOfAccount("carrier_unknown", credentials, { url: URL, headers })).toBe(false);
  });
});
