import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  authenticatedCarriers,
  isFromTelnyx,
  isSignedByPlivo,
  isSignedByTwilio,
  type SignatureHeaders,
  signatureHeaders,
} from "../../../src/gateway/server/signatures.ts";

const headersOf = (headers: Readonly<Record<string, string>>): SignatureHeaders =>
  signatureHeaders((name) => headers[name] ?? "");

const hmac = (hash: "sha1" | "sha256", secret: string, text: string): string =>
  createHmac(hash, secret).update(text).digest("base64");

const NONE = headersOf({});
const SECRET = "auth_token_example";
const URL_A = "wss://gw.example.com/carrier_a/media";
const URL_C = "wss://gw.example.com/carrier_c/media";
const NONCE = "12345678901234567890";

/** A text with one letter changed, at each place in turn. */
const misspellings = (text: string): string[] =>
  Array.from(text, (letter, at) => text.slice(0, at) + (letter === "A" ? "B" : "A") + text.slice(at + 1));

describe("carrier_a", () => {
  const signed = (signature: string): SignatureHeaders => headersOf({ "x-twilio-signature": signature });

  test("the vector of CARRIERS 1.1 is valid, and nothing near it", () => {
    const good = "juotAJr4Ld0PbPXIn2vD+KZ+L0c=";
    expect(isSignedByTwilio(SECRET, URL_A, signed(good))).toBe(true);
    for (const bad of ["", "=", good.slice(0, 20), ...misspellings(good.slice(0, -2))]) {
      expect(isSignedByTwilio(SECRET, URL_A, signed(bad)), bad).toBe(false);
    }
    expect(isSignedByTwilio("another", URL_A, signed(good))).toBe(false);
    expect(isSignedByTwilio(SECRET, `${URL_A}2`, signed(good))).toBe(false);
    expect(isSignedByTwilio(SECRET, URL_A, NONE)).toBe(false);
  });

  test("the address may be written in any form of the closed list, and in no other", () => {
    const url = "wss://GW.example.com/stream/AbC";
    const isGood = (address: string) => isSignedByTwilio(SECRET, url, signed(hmac("sha1", SECRET, address)));
    for (const scheme of ["wss", "https"]) {
      for (const host of ["GW.example.com", "gw.example.com", "GW.example.com:443", "gw.example.com:443"]) {
        for (const end of ["", "/"]) expect(isGood(`${scheme}://${host}/stream/AbC${end}`)).toBe(true);
      }
    }
    for (const other of [
      "http://gw.example.com/stream/AbC",
      "wss://gw.example.com:8443/stream/AbC",
      "wss://gw.example.com/stream/abc",
      "wss://gw.example.com/stream/AbC?a=1",
      "wss://gw.example.com/stream/AbC//",
      "",
    ]) {
      expect(isGood(other), other).toBe(false);
    }
  });

  test("the operator's own port is kept, and an address without TLS counts as it is", () => {
    const at = (url: string, address: string) => isSignedByTwilio(SECRET, url, signed(hmac("sha1", SECRET, address)));
    expect(at("wss://gw.example.com:8443/s/x", "https://gw.example.com:8443/s/x")).toBe(true);
    expect(at("wss://gw.example.com:8443/s/x", "https://gw.example.com/s/x")).toBe(false);
    expect(at("ws://127.0.0.1:8081/s/x", "ws://127.0.0.1:8081/s/x")).toBe(true);
    expect(at("wss://[2001:db8::1]/s/x", "wss://[2001:db8::1]:443/s/x")).toBe(true);
  });
});

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

describe("carrier_c", () => {
  const signed = (signature: string, nonce = NONCE): SignatureHeaders =>
    headersOf({ "x-plivo-signature-v3": signature, "x-plivo-signature-v3-nonce": nonce });
  const good = "lK05+WlLUL1Xjl6K5K3VaRuBvxZUAuH2x+ipTrDL6m0=";

  test("the vector of CARRIERS 3.1 is valid, and nothing near it", () => {
    expect(isSignedByPlivo(SECRET, URL_C, signed(good))).toBe(true);
    for (const bad of misspellings(good.slice(0, -1))) expect(isSignedByPlivo(SECRET, URL_C, signed(bad))).toBe(false);
    for (const nonce of ["", "1", `${NONCE}0`]) expect(isSignedByPlivo(SECRET, URL_C, signed(good, nonce))).toBe(false);
    expect(isSignedByPlivo("another", URL_C, signed(good))).toBe(false);
    expect(isSignedByPlivo(SECRET, URL_A, signed(good))).toBe(false);
    expect(isSignedByPlivo(SECRET, URL_C, NONE)).toBe(false);
  });

  test("both documented forms are valid, with either scheme", () => {
    for (const address of [URL_C, URL_C.replace("wss", "https")]) {
      for (const text of [`${address}.${NONCE}`, `GET${address}${NONCE}`]) {
        expect(isSignedByPlivo(SECRET, URL_C, signed(hmac("sha256", SECRET, text)))).toBe(true);
      }
    }
    for (const text of [`${URL_C}${NONCE}`, `POST${URL_C}${NONCE}`, NONCE]) {
      expect(isSignedByPlivo(SECRET, URL_C, signed(hmac("sha256", SECRET, text)))).toBe(false);
    }
  });

  test("one valid signature among several is enough, also the main account's; signatures beyond the limit are not checked", () => {
    expect(isSignedByPlivo(SECRET, URL_C, signed(`AAAA, ${good}`))).toBe(true);
    const main = headersOf({ "x-plivo-signature-ma-v3": good, "x-plivo-signature-v3-nonce": NONCE });
    expect(isSignedByPlivo(SECRET, URL_C, main)).toBe(true);
    expect(isSignedByPlivo(SECRET, URL_C, signed(`${"AAAA,".repeat(8)}${good}`))).toBe(false);
  });
});

describe("the carriers that an upgrade may come from", () => {
  const secrets = { carrier_a: ["old", SECRET], carrier_b: ["b"], carrier_c: ["c"] };
  const vouching = (headers: Record<string, string>, changed = {}) => [
    ...authenticatedCarriers(URL_A, headersOf(headers), { ...secrets, ...changed }),
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
