import { describe, expect, test } from "vitest";
import { asCallId } from "../../../src/core/ids.ts";
import { TOKEN_CHARS } from "../../../src/core/limits/service/admission.ts";
import { RESUME_ADDRESSES_MAX } from "../../../src/core/limits/streams/connections.ts";
import { mintToken } from "../../../src/core/stream-token.ts";
import { isResumeToken, Resumptions } from "../../../src/gateway/resumption/resumptions.ts";

const KEY = Buffer.alloc(32, 7);
const TAG = "0123456789abcdef";
const CALL = asCallId("call_1");

function under(keys: readonly Uint8Array[] = [KEY], workerTag = TAG) {
  const resumptions = new Resumptions({ workerTag, tokenKeys: () => keys, mediaUrl: () => "wss://media.example.com" });
  const tokenOf = (url: string | undefined): string => new URL(url ?? "").pathname.slice("/stream/".length);
  return { resumptions, issue: () => tokenOf(resumptions.issue(CALL)) };
}

describe("the addresses at which a call is resumed", () => {
  test("are good once, and only the newest one", () => {
    const { resumptions, issue } = under();
    const first = issue();
    const second = issue();
    expect(isResumeToken(second)).toBe(true);
    expect(resumptions.take(first)).toEqual({ kind: "used" });
    expect(resumptions.take(second)).toEqual({ kind: "call", callId: CALL });
    expect(resumptions.take(second)).toEqual({ kind: "used" });
  });

  test("are the same for one connection of a telephone call as often as they are asked for, until the call is over", () => {
    const { resumptions } = under();
    const first = resumptions.addressOf(CALL, 2);
    expect(resumptions.addressOf(CALL, 2)).toBe(first);
    const second = resumptions.addressOf(CALL, 3);
    expect(second).not.toBe(first);
    expect(resumptions.find(new URL(first ?? "").pathname.slice("/stream/".length))).toEqual({ kind: "used" });
    resumptions.forget(CALL);
    expect(resumptions.addressOf(CALL, 3)).not.toBe(second);
    // An older version asks without a number.
    expect(resumptions.addressOf(CALL, undefined)).not.toBe(resumptions.addressOf(CALL, undefined));
  });

  test("name their worker, so that another one knows where the call is", () => {
    const workerTag = "fedcba9876543210";
    expect(under([KEY], workerTag).resumptions.take(under().issue())).toEqual({ kind: "elsewhere", workerTag: TAG });
  });

  test("are no tokens of streams, of which some begin like them", () => {
    expect(isResumeToken(`r_${"x".repeat(TOKEN_CHARS - 2)}`)).toBe(false);
    expect(isResumeToken(`r_${TAG}${"x".repeat(TOKEN_CHARS)}`)).toBe(true);
  });

  test("are gone with the call", () => {
    const { resumptions, issue } = under();
    const token = issue();
    resumptions.forget(CALL);
    expect(resumptions.take(token)).toEqual({ kind: "used" });
  });

  test("that the service did not sign are invalid: forged, of another key, and the token of a stream", () => {
    const { resumptions } = under();
    const forged = [
      `r_${TAG}${"x".repeat(64)}`,
      `r_${TAG}${mintToken(Buffer.alloc(32, 8), "resume")}`,
      `r_${TAG}${mintToken(KEY)}`,
      `r_${"../../../control"}${mintToken(KEY, "resume")}`,
      "r_",
    ];
    expect(forged.map((token) => resumptions.take(token).kind)).toEqual(Array(5).fill("invalid"));
  });

  test("need a token key, and have a limit for each call", () => {
    expect(under([]).resumptions.issue(CALL)).toBeUndefined();
    const { resumptions } = under();
    for (let count = 0; count < RESUME_ADDRESSES_MAX; count += 1) expect(resumptions.issue(CALL)).toBeDefined();
    expect(resumptions.issue(CALL)).toBeUndefined();
    expect(resumptions.issue(asCallId("call_2"))).toBeDefined();
  });
});
