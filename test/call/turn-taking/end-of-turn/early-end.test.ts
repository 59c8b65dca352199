import { describe, expect, test } from "vitest";
import { PREEMPTIVE_TURN_PARAMETERS } from "../../../../src/call/parameters.ts";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";
import { asked, HASTY, hasty, SPEC, saidByCaller, speak } from "../../../support/calls/hasty-call.ts";

/** Later than the caller goes on. */
const SLOW_LLM_MS = 1_500;

describe("an early end of the turn", () => {
  test("comes before the hangover, on interim words, and ends the speech for everything that depends on it", () => {
    const call = hasty();
    const endMs = speak(call, 1_000, "two loaves please", { final: "Two loaves, please." });
    call.run(endMs + 230);
    expect(asked(call)).toEqual([{ atMs: expect.any(Number), text: "two loaves please" }]);
    expect(Number(asked(call)[0]?.atMs) - endMs).toBeLessThan(HASTY.hangoverMs);
    expect(call.call.callerSpeech.isSpeaking).toBe(false);
    call.run(6_000);
    expect(saidByCaller(call)).toEqual(["two loaves please"]);
    expect(call.ofKind("cancel-reply")).toEqual([]);
    expect(asked(call)).toHaveLength(1);
  });

  test("says how long was waited, and why", () => {
    const call = hasty();
    const endMs = speak(call, 1_000, "two loaves please");
    call.run(6_000);
    const [ended] = call.ofKind("turn-ended");
    expect(ended).toMatchObject({ probability: expect.any(Number) });
    expect(ended?.waitMs).toBeGreaterThanOrEqual(HASTY.turnWaitMsMin);
    expect(ended?.pauseMs).toBeGreaterThanOrEqual(Number(ended?.waitMs));
    expect(Number(asked(call)[0]?.atMs) - endMs).toBeLessThanOrEqual(Number(ended?.pauseMs));
    expect(ended?.summary).toBe(
      [`answered after ${ended?.pauseMs} ms`, ended?.reasons.join(", ")].filter(Boolean).join(": "),
    );
  });

  test("does not come before the words of the last speech, unless the STT signals the end or they are final", () => {
    const waits = [{}, { endOfTurn: 0.9 }, { final: "two loaves please", finalAfterMs: 110 }].map((spoken) => {
      const call = hasty({ parameters: { ...HASTY, turnWaitMsMax: 160 } });
      const endMs = speak(call, 1_000, "two loaves please", spoken);
      call.run(3_000);
      return Number(asked(call)[0]?.atMs) - endMs;
    });
    const [unknown = 0, signalled = 0, final = 0] = waits;
    // The first pause of a call waits for the lag that is assumed.
    expect(unknown).toBeGreaterThanOrEqual(200);
    expect(signalled).toBeLessThan(180);
    expect(final).toBeLessThan(180);
  });

  test("waits for an STT that is slower than assumed from its second turn on", () => {
    const call = hasty({ answer: () => ({ text: "Good.", afterMs: 600 }) });
    speak(call, 1_000, "two loaves please", { lagMs: 380, final: "two loaves please" });
    const endMs = speak(call, 6_000, "and three rolls", { lagMs: 380, final: "and three rolls" });
    call.run(12_000);
    expect(saidByCaller(call)).toEqual(["two loaves please", "and three rolls"]);
    const [last] = asked(call).slice(-1);
    expect(Number(last?.atMs) - endMs).toBeGreaterThanOrEqual(380);
    expect(call.ofKind("turn-ended").at(-1)?.reasons).toContain("waited for words");
  });

  test("waits for the final, however late interims were so far, where the STT sends one for each utterance", () => {
    const call = hasty({ sttFinalPerUtterance: true });
    const endMs = speak(call, 1_000, "two loaves", { final: "Two loaves, please.", finalAfterMs: 900 });
    call.run(6_000);
    expect(asked(call)).toEqual([{ atMs: endMs + 900, text: "Two loaves, please." }]);
    expect(saidByCaller(call)).toEqual(["Two loaves, please."]);
  });

  test("comes without the final of an STT that owes it, after 3 s", () => {
    const call = hasty({ sttFinalPerUtterance: true });
    const endMs = speak(call, 1_000, "two loaves");
    call.run(6_000);
    const lastVoicedMs = endMs - FRAME_MS;
    expect(asked(call)).toEqual([{ atMs: lastVoicedMs + HASTY.finalWaitMs, text: "two loaves" }]);
  });

  test("does not wait again for a cough once the STT has understood no word in it", () => {
    const call = hasty({ sttFinalPerUtterance: true });
    const endMs = speak(call, 1_000, "two loaves", { final: "Two loaves.", finalAfterMs: 500 });
    call.coughs(endMs + 400, 200);
    call.at(endMs + 1_000, () => call.handle({ kind: "stt-final", text: "" }));
    call.run(6_000);
    expect(asked(call)).toEqual([{ atMs: endMs + 1_000, text: "Two loaves." }]);
  });

  test("does not come before the hangover where the STT has no interim transcripts", () => {
    const call = hasty({ sttHasInterims: false });
    const endMs = 2_000;
    call.coughs(1_000, endMs - 1_000);
    call.at(endMs + 450, () => call.handle({ kind: "stt-final", text: "two loaves" }));
    call.run(endMs + 310);
    expect(call.call.callerSpeech.isSpeaking).toBe(false);
    expect(asked(call)).toEqual([]);
    call.run(endMs + 500);
    expect(asked(call)).toHaveLength(1);
  });

  test("does not come while frames are late, which is no silence", () => {
    const call = hasty({ isMuted: (nowMs) => nowMs >= 1_900 && nowMs < 2_300 });
    speak(call, 1_000, "two loaves please now");
    call.run(2_290);
    expect(asked(call)).toEqual([]);
  });
});

describe("a caller who goes on before the answer is audible", () => {
  const slow = { answer: () => ({ text: "Good.", afterMs: SLOW_LLM_MS }) };

  test("has one turn with all its words, each once", () => {
    const call = hasty(slow);
    const endMs = speak(call, 1_000, "my number is");
    speak(call, endMs + 500, "zero one seven", { utterance: "my number is", final: "My number is zero, one, seven." });
    call.run(12_000);
    expect(asked(call).map(({ text }) => text)).toEqual(["my number is", "my number is zero one seven"]);
    expect(call.ofKind("cancel-reply")).toMatchObject([{ reason: "words", clear: false, heardText: "" }]);
    expect(saidByCaller(call)).toEqual(["my number is zero one seven"]);
  });

  test("has one turn also where the STT has ended its utterance in between", () => {
    const call = hasty(slow);
    const endMs = speak(call, 1_000, "my number is", { final: "My number is", finalAfterMs: 300 });
    speak(call, endMs + 500, "zero one seven", { final: "zero one seven" });
    call.run(12_000);
    expect(saidByCaller(call)).toEqual(["my number is zero one seven"]);
  });

  test("does not hear the answer: it is held while the caller speaks, though no word has come", () => {
    const call = hasty({ answer: () => ({ text: "Good.", afterMs: 300 }) });
    const endMs = speak(call, 1_000, "my number is");
    // The words come long after the answer is ready.
    speak(call, endMs + 300, "zero one seven", { lagMs: 600, utterance: "my number is" });
    call.run(endMs + 1_100);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(call.heardWords).toEqual([]);
    call.run(12_000);
    expect(saidByCaller(call)).toEqual(["my number is zero one seven"]);
  });

  test("has one turn also where the agent's first message cannot be interrupted", () => {
    const call = hasty({ ...slow, spec: { ...SPEC, interruptible: false } });
    const endMs = speak(call, 1_000, "my number is");
    speak(call, endMs + 500, "zero one seven", { utterance: "my number is", final: "my number is zero one seven" });
    call.run(12_000);
    expect(saidByCaller(call)).toEqual(["my number is zero one seven"]);
  });

  test("and only coughs hears the answer soon after, without another request", () => {
    const call = hasty({ answer: () => ({ text: "Good.", afterMs: 300 }) });
    const endMs = speak(call, 1_000, "two loaves please");
    call.coughs(endMs + 300, 200);
    call.run(endMs + 1_500);
    expect(asked(call)).toHaveLength(1);
    expect(call.ofKind("resume")).toMatchObject([{ reason: "no_words" }]);
    const states = call.ofKind("state").map(({ state }) => state);
    expect(states.slice(0, 4)).toEqual(["thinking", "listening", "thinking", "speaking"]);
    expect(call.heardWords).toEqual(["Good."]);
  });

  test("does not reopen a turn for which a tool has run", () => {
    const call = hasty({
      spec: { ...SPEC, tools: [{ kind: "built_in", name: "switch_language", fixedArguments: {} }] },
      answer: (_, { messages }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "Good.", afterMs: SLOW_LLM_MS }
          : { text: "", tools: [{ name: "switch_language", argumentsJson: '{"language":"de"}' }] },
    });
    const endMs = speak(call, 1_000, "two loaves please", { final: "two loaves please", finalAfterMs: 210 });
    speak(call, endMs + 600, "and three rolls", { final: "and three rolls" });
    call.run(14_000);
    expect(saidByCaller(call)).toEqual(["two loaves please", "and three rolls"]);
  });
});

describe("a final transcript that differs from the interim words that were answered", () => {
  test("is what is answered, while the answer is not audible", () => {
    const call = hasty({ answer: (text) => ({ text: `You want ${text}.`, afterMs: 600 }) });
    speak(call, 1_000, "fifteen loaves", { final: "Fifty loaves.", finalAfterMs: 400 });
    call.run(9_000);
    expect(asked(call).map(({ text }) => text)).toEqual(["fifteen loaves", "Fifty loaves."]);
    expect(saidByCaller(call)).toEqual(["Fifty loaves."]);
  });

  test("does not interrupt the audible answer, unless it has more words", () => {
    const finals = ["Call 017 please.", "call oh seventeen please and soon enough"].map((final) => {
      const call = hasty({ answer: () => ({ text: "I will call you back soon, thank you." }) });
      speak(call, 1_000, "call zero one seven please", { final, finalAfterMs: 700 });
      call.run(9_000);
      return call.ofKind("cancel-reply").length;
    });
    expect(finals).toEqual([0, 1]);
  });
});

describe("preemptive generation by the score", () => {
  test("starts at a pause that probably ends the turn, once its words are there, and is used", () => {
    const parameters = { ...PREEMPTIVE_TURN_PARAMETERS, turnWaitMsMin: 700, turnWaitMsMax: 800 };
    const call = hasty({ parameters, answer: () => ({ text: "Good.", afterMs: 300 }) });
    const endMs = speak(call, 1_000, "two loaves please", { endOfTurn: 0.95 });
    call.run(8_000);
    const started = call.commands.find(({ command }) => command.kind === "preemptive-start");
    expect(Number(started?.atMs)).toBeLessThan(endMs + 300);
    expect(Number(asked(call)[0]?.atMs)).toBeGreaterThanOrEqual(endMs + 680);
    expect(call.ofKind("preemptive-cancel")).toEqual([]);
    const audible = call.commands.find(({ command }) => command.kind === "state" && command.state === "speaking");
    expect(Number(audible?.atMs) - Number(asked(call)[0]?.atMs)).toBeLessThan(100);
  });

  test("does not start at a pause that probably does not, and is discarded when the caller goes on", () => {
    const parameters = { ...PREEMPTIVE_TURN_PARAMETERS, turnWaitMsMin: 900, turnWaitMsMax: 1_000 };
    const call = hasty({ parameters });
    const endMs = speak(call, 1_000, "two loaves and", { endOfTurn: 0.02 });
    const goneOnMs = speak(call, endMs + 600, "three rolls", { utterance: "two loaves and", endOfTurn: 0.95 });
    speak(call, goneOnMs + 600, "please", { utterance: "two loaves and three rolls", endOfTurn: 0.95 });
    call.run(9_000);
    const kinds = call.commands.map(({ command }) => command.kind).filter((kind) => kind.startsWith("preemptive"));
    expect(kinds).toEqual(["preemptive-start", "preemptive-cancel", "preemptive-start"]);
    expect(saidByCaller(call)).toEqual(["two loaves and three rolls please"]);
  });
});
