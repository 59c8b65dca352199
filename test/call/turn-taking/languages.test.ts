import { describe, expect, test } from "vitest";
import { VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

const SWITCH = { kind: "built_in", name: "switch_language", fixedArguments: {} } as const;

function started(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ answer: () => ({ text: "Fine." }), ...options });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

const languages = (call: VirtualCall): string[] =>
  call.ofKind("language").map(({ language, reason }) => `${language} ${reason}`);
const askedIn = (call: VirtualCall): string[] => call.ofKind("generate-reply").map(({ language }) => language);

describe("the language of a call", () => {
  test("is the detected one, from that answer on, and changes back with the caller", () => {
    const call = started({ spec: { language: "en-GB" } });
    call.says(2_500, "good morning to you", "en");
    call.says(7_000, "guten Morgen zusammen", "de");
    call.says(12_000, "und noch etwas", "de-AT");
    call.says(17_000, "and back to English", "en-US");
    call.run(22_000);
    expect(languages(call)).toEqual(["de detected", "en-GB detected"]);
    expect(askedIn(call)).toEqual(["en-GB", "de", "de", "en-GB"]);
  });

  test("is that of the service phrases", () => {
    const call = started({ answer: (text) => (text === "hallo Sie da" ? "fails" : { text: "Fine." }) });
    call.says(2_500, "hallo Sie da", "de");
    call.run(10_000);
    expect(call.turns.at(-1)?.text).toBe("Entschuldigung, könnten Sie das bitte wiederholen?");
  });

  test("that is pinned stays, whatever is spoken", () => {
    const call = started({ spec: { languagePinned: true } });
    call.says(2_500, "guten Morgen zusammen", "de");
    call.run(10_000);
    expect(languages(call)).toEqual([]);
    expect(askedIn(call)).toEqual(["en"]);
  });

  test("is changed neither by an interim transcript nor by an empty one", () => {
    const call = started();
    call.at(3_000, () => call.handle({ kind: "stt-interim", text: "guten", language: "de" }));
    call.at(3_200, () => call.handle({ kind: "stt-final", text: "", language: "de" }));
    call.run(8_000);
    expect(languages(call)).toEqual([]);
  });

  test("can be changed by the LLM, which continues in it in the same reply", () => {
    const call = started({
      spec: { tools: [SWITCH] },
      answer: (_, { messages }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "Gerne." }
          : { text: "", tools: [{ name: "switch_language", argumentsJson: '{"language":"de"}' }] },
    });
    call.says(2_500, "German please from here on", "en");
    call.run(10_000);
    expect(languages(call)).toEqual(["de tool"]);
    expect(askedIn(call)).toEqual(["en", "de"]);
    expect(call.turns.at(-1)?.text).toBe("Gerne.");
  });

  test("that the LLM chose applies though it is pinned: pinning concerns detection, not the agent", () => {
    const call = started({
      spec: { tools: [SWITCH], languagePinned: true },
      answer: (_, { messages }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "Gerne." }
          : { text: "", tools: [{ name: "switch_language", argumentsJson: '{"language":"de"}' }] },
    });
    call.says(2_500, "German please from here on", "en");
    call.run(10_000);
    expect(languages(call)).toEqual(["de tool"]);
  });
});
