import { describe, expect, test } from "vitest";
import { CallPhrases } from "../../src/call/phrases.ts";
import { PHRASE_LANGUAGES_PER_CALL_MAX } from "../../src/core/limits/agents/phrases.ts";
import { builtInPhrases, ENGLISH } from "../../src/core/phrases/phrases.ts";
import { VirtualCall, type VirtualCallOptions } from "../support/calls/virtual-call.ts";
import { SWAHILI } from "../support/stubs/swahili.ts";

function started(language: string, options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ answer: () => ({ text: "Fine." }), ...options, spec: { language, ...options.spec } });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

const given = (call: VirtualCall, atMs: number, language: string): void =>
  call.at(atMs, () => call.handle({ kind: "phrases-chosen", language, origin: "translated", phrases: SWAHILI }));

/** The service phrases that were spoken, and why; a phrase of two sentences is spoken in two segments. */
function said(call: VirtualCall): string[] {
  const whole = new Map<string, string>();
  for (const { turnId, segment, text, reason } of call.ofKind("speak")) {
    if (reason === undefined || reason === "greeting") continue;
    const key = `${turnId} ${reason}`;
    whole.set(key, segment === 0 ? `${reason}: ${text}` : `${whole.get(key)} ${text}`);
  }
  return [...whole.values()];
}

describe("a service phrase", () => {
  test.each(["ja", "ko-KR", "ar", "uk", "zh-TW", "yue"])("is in the language of the call: %s", (language) => {
    const phrases = builtInPhrases(language);
    const call = started(language, { spec: { inactivityTimeoutMs: 10_000 } });
    call.run(15_000);
    expect(said(call)).toEqual([`inactivity: ${phrases?.inactivity}`]);
    call.handle({ kind: "goodbye-requested", reason: "drain_timeout" });
    expect(said(call).at(-1)?.replaceAll(" ", "")).toBe(`goodbye:${phrases?.goodbye.replaceAll(" ", "")}`);
    const slow = started(language, { answer: () => "hangs" });
    slow.says(4_000, "moshi moshi");
    slow.run(16_000);
    expect(said(slow)).toEqual([`filler: ${phrases?.filler}`, `apology: ${phrases?.apology}`]);
  });

  test("is the one that was set for the call's language, from then on", () => {
    const call = started("sw", { spec: { inactivityTimeoutMs: 10_000 } });
    given(call, 15_000, "sw");
    call.run(28_000);
    expect(said(call)).toEqual([`inactivity: ${ENGLISH.inactivity}`, `inactivity: ${SWAHILI.inactivity}`]);
  });

  test("is not the one that was set for another language than the current one", () => {
    const call = started("de", { spec: { inactivityTimeoutMs: 10_000 } });
    given(call, 200, "sw");
    call.run(15_000);
    expect(said(call)).toEqual([`inactivity: ${builtInPhrases("de")?.inactivity}`]);
  });

  test("stays when a translation for the previous language arrives late", () => {
    const german = { ...SWAHILI, inactivity: "Hallo?" };
    const call = started("sw", { spec: { inactivityTimeoutMs: 10_000 } });
    call.says(3_000, "und jetzt wieder deutsch", "de");
    call.at(5_000, () => call.handle({ kind: "phrases-chosen", language: "de", origin: "file", phrases: german }));
    given(call, 6_000, "sw");
    call.run(18_000);
    expect(said(call)).toEqual(["inactivity: Hallo?"]);
    call.says(19_000, "unaweza kunisaidia tafadhali", "sw");
    call.run(33_000);
    expect(said(call).at(-1)).toBe(`inactivity: ${SWAHILI.inactivity}`);
  });

  test("is stored in bounded memory, for the newest languages of a call", () => {
    const phrases = new CallPhrases();
    for (let index = 0; index < 1_000; index += 1) phrases.set(`x${index}`, { ...SWAHILI, filler: `${index}` });
    expect(phrases.in(`x${1_000 - PHRASE_LANGUAGES_PER_CALL_MAX}`).filler).toBe(
      `${1_000 - PHRASE_LANGUAGES_PER_CALL_MAX}`,
    );
    expect(phrases.in(`x${999 - PHRASE_LANGUAGES_PER_CALL_MAX}`)).toBe(ENGLISH);
  });

  test("follows the caller into another language, and back", () => {
    const call = started("de", { spec: { inactivityTimeoutMs: 10_000 } });
    call.says(3_000, "unaweza kunisaidia tafadhali", "sw");
    given(call, 5_000, "sw");
    call.run(18_000);
    expect(said(call)).toEqual([`inactivity: ${SWAHILI.inactivity}`]);
    call.says(19_000, "und jetzt wieder deutsch", "de");
    call.run(33_000);
    expect(said(call).at(-1)).toBe(`inactivity: ${builtInPhrases("de")?.inactivity}`);
  });
});
