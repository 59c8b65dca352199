import { describe, expect, test } from "vitest";
import { asCallId } from "../../../src/core/ids.ts";
import { LISTEN_ADDRESS_MS, LISTEN_ADDRESSES_PER_CALL_MAX } from "../../../src/core/limits/calls/listening.ts";
import { TOKEN_CHARS } from "../../../src/core/limits/service/admission.ts";
import { mintToken } from "../../../src/core/stream-token.ts";
import { isListenToken, ListenAddresses } from "../../../src/gateway/listening/addresses.ts";
import { isResumeToken } from "../../../src/gateway/resumption/resumptions.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const KEY = Buffer.alloc(32, 7);
const TAG = "0123456789abcdef";
const CALL = asCallId("call_1");
const OTHER = asCallId("call_2");

function under(keys: readonly Uint8Array[] = [KEY], workerTag = TAG) {
  const clock = new ManualClock();
  const mediaUrl = () => "wss://media.example.com";
  const addresses = new ListenAddresses({ workerTag, tokenKeys: () => keys, mediaUrl, clock });
  const issue = (callId = CALL): string => new URL(addresses.issue(callId) ?? "").pathname.slice("/stream/".length);
  return { addresses, issue, clock };
}

describe("the addresses at which a call is listened to", () => {
  test("are good once, several at a time", () => {
    const { addresses, issue } = under();
    const [first, second] = [issue(), issue(OTHER)];
    expect(isListenToken(first)).toBe(true);
    expect(isResumeToken(first)).toBe(false);
    expect(addresses.take(second)).toBe(OTHER);
    expect(addresses.take(first)).toBe(CALL);
    expect(addresses.take(first)).toBeUndefined();
    expect(addresses.hasValid).toBe(false);
  });

  test("expire", () => {
    const { addresses, issue, clock } = under();
    const early = issue();
    clock.advance(1);
    const late = issue();
    clock.advance(LISTEN_ADDRESS_MS - 1);
    expect(addresses.take(early)).toBeUndefined();
    expect(addresses.hasValid).toBe(true);
    expect(addresses.take(late)).toBe(CALL);
  });

  test("are few for one call: the oldest gives way, and those of other calls stay", () => {
    const { addresses, issue } = under();
    const other = issue(OTHER);
    const issued = Array.from({ length: LISTEN_ADDRESSES_PER_CALL_MAX + 1 }, () => issue());
    expect(issued.map((token) => addresses.take(token))).toEqual([
      undefined,
      ...Array<unknown>(LISTEN_ADDRESSES_PER_CALL_MAX).fill(CALL),
    ]);
    expect(addresses.take(other)).toBe(OTHER);
  });

  test("are gone with the call", () => {
    const { addresses, issue } = under();
    const token = issue();
    addresses.forget(CALL);
    expect(addresses.take(token)).toBeUndefined();
  });

  test("name their worker, so that another one knows where the call is", () => {
    const { addresses, issue } = under();
    expect(addresses.issuerOf(issue())).toEqual({ workerTag: TAG, isOwn: true });
    const elsewhere = under([KEY], "fedcba9876543210").addresses;
    expect(elsewhere.issuerOf(issue())).toEqual({ workerTag: TAG, isOwn: false });
  });

  test("that the service did not sign are invalid: forged, of another key, and the tokens of streams and resumptions", () => {
    const { addresses } = under();
    const forged = [
      `l_${TAG}${"x".repeat(TOKEN_CHARS)}`,
      `l_${TAG}${mintToken(Buffer.alloc(32, 8), "listen")}`,
      `l_${TAG}${mintToken(KEY)}`,
      `l_${TAG}${mintToken(KEY, "resume")}`,
      `l_${"../../../control"}${mintToken(KEY, "listen")}`,
      "l_",
    ];
    expect(forged.map((token) => addresses.issuerOf(token))).toEqual(Array(6).fill(undefined));
    expect(isListenToken(`l_${"x".repeat(TOKEN_CHARS - 2)}`)).toBe(false);
  });

  test("need a token key", () => {
    expect(under([]).addresses.issue(CALL)).toBeUndefined();
  });
});
