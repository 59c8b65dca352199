import { describe, expect, test } from "vitest";
import { isSignedByPlivo, PLIVO_HEADERS } from "../../../src/carriers/plivo/signature.ts";
import type { UpgradeHeaders } from "../../../src/wire/upgrade.ts";
import { headersFor, hmac, misspellings, SECRET } from "../../support/wires/signatures.ts";

const headersOf = headersFor(PLIVO_HEADERS);
const NONE = headersOf({});
const URL_A = "wss://gw.example.com/carrier_a/media";
const URL_C = "wss://gw.example.com/carrier_c/media";
const NONCE = "12345678901234567890";

describe("carrier_c", () => {
  const signed = (signature: string, nonce = NONCE): UpgradeHeaders => ({
    "x-plivo-signature-v3": signature,
    "x-plivo-signature-v3-nonce": nonce,
  });
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
