import { describe, expect, test } from "vitest";
import { isSignedByTwilio, TWILIO_HEADERS } from "../../../src/carriers/twilio/signature.ts";
import type { UpgradeHeaders } from "../../../src/wire/upgrade.ts";
import { headersFor, hmac, misspellings, SECRET } from "../../support/wires/signatures.ts";

const headersOf = headersFor(TWILIO_HEADERS);
const NONE = headersOf({});
const URL_A = "wss://gw.example.com/carrier_a/media";

describe("carrier_a", () => {
  const signed = (signature: string): UpgradeHeaders => headersOf({ "x-twilio-signature": signature });

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
