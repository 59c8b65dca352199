import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

// An STT without interim transcripts, such as STT=openai: sound over the agent holds it, and only words cut it.

const { interimRequestMs, interimIntervalMs, pauseMsMax, steadyNoiseMs } = DEFAULT_TURN_PARAMETERS;

const GREETING =
  "Hello and thank you for calling the bakery, we have fresh bread and rolls every morning from six until noon.";

/** A greeting of some six seconds from about 130 ms on, and an STT that answers requests as given. */
function greeted(options: Partial<VirtualCallOptions> = {}): VirtualCall {
  const call = new VirtualCall({
    sttHasInterims: false,
    interim: () => ({ text: "", afterMs: 300 }),
    ...options,
    spec: { greeting: GREETING, interruptible: true, ...options.spec },
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** What became of the greeting, without the routine of a reply. */
const decisions = (call: VirtualCall): string[] =>
  call.commands.flatMap(({ atMs, command }) => {
    switch (command.kind) {
      case "pause":
      case "request-interim":
        return [`${atMs} ${command.kind}`];
      case "resume":
      case "cancel-reply":
        return [`${atMs} ${command.kind} ${command.reason}`];
      default:
        return [];
    }
  });

describe("sound over the agent, where the STT has no interim transcripts", () => {
  test.each([
    ["music from 5.0 s on", 5_000, 60_000],
    ["white noise from 2.2 s on", 2_200, 60_000],
    ["a sound of 1.5 s at 3.9 s", 3_900, 1_500],
    ["noise that was there before the greeting", 0, 60_000],
  ])("%s does not cut the greeting: it is heard to its end", (_, fromMs, forMs) => {
    const call = greeted();
    call.coughs(fromMs, forMs);
    call.run(14_000);
    expect(call.turns[0]).toMatchObject({ role: "agent", text: GREETING, interrupted: false });
    expect(call.heardWords.join(" ")).toBe(GREETING);
  });

  test("holds it, asks for the words when it has lasted for a word, and lets it resume when there are none", () => {
    const call = greeted();
    call.coughs(2_000, 1_200);
    call.run(3_000);
    const requestMs = 2_000 + interimRequestMs;
    expect(decisions(call)).toEqual([
      "2040 pause",
      `${requestMs} request-interim`,
      `${requestMs + 300} resume no_words`,
    ]);
  });

  test.each([
    ["a word", "stop", "cancel-reply words"],
    ["a back-channel", "mm-hm", "resume back_channel"],
  ])("that turns out to be %s decides with the answer", (_, text, decision) => {
    const call = greeted({ interim: () => ({ text, afterMs: 300 }) });
    call.coughs(2_000, 900);
    call.run(3_000);
    expect(decisions(call).at(-1)).toBe(`${2_000 + interimRequestMs + 300} ${decision}`);
  });

  test("lets it resume at a deadline when the STT does not answer, and a later final with words cuts it", () => {
    const call = greeted({ interim: () => undefined });
    call.coughs(2_000, 1_000);
    call.at(4_500, () => call.handle({ kind: "stt-final", text: "wait a moment" }));
    call.run(6_000);
    expect(decisions(call).slice(-2)).toEqual([`${2_040 + pauseMsMax} resume no_words`, "4500 cancel-reply words"]);
    expect(call.turns.at(-1)).toMatchObject({ role: "user", text: "wait a moment" });
  });

  test("that ends before it is asked for is decided by its final transcript, also an empty one", () => {
    const short = greeted();
    short.coughs(2_000, 140);
    short.at(3_000, () => short.handle({ kind: "stt-final", text: "" }));
    short.run(4_000);
    expect(decisions(short)).toEqual(["2040 pause", "3000 resume no_words"]);
    const word = greeted();
    word.coughs(2_000, 140);
    word.at(3_000, () => word.handle({ kind: "stt-final", text: "stop" }));
    word.run(4_000);
    expect(decisions(word)).toEqual(["2040 pause", "3000 cancel-reply words"]);
  });

  test.each(["yeah", ""])("goes on holding it when a final of the speech before it arrives: %j", (text) => {
    const call = greeted({ interim: () => ({ text: "wait a moment", afterMs: 300 }) });
    call.coughs(2_000, 140);
    call.coughs(2_600, 1_200);
    call.at(2_900, () => call.handle({ kind: "stt-final", text }));
    call.run(4_000);
    const requestMs = 2_600 + interimRequestMs;
    expect(decisions(call)).toEqual([
      "2040 pause",
      `${requestMs} request-interim`,
      `${requestMs + 300} cancel-reply words`,
    ]);
  });

  test("with a word that comes only later is noticed: the STT is asked again while the speech goes on", () => {
    const call = greeted({ interim: (nowMs) => ({ text: nowMs < 3_000 ? "" : "no wait", afterMs: 300 }) });
    call.coughs(2_000, 3_000);
    call.run(5_000);
    const first = 2_000 + interimRequestMs;
    expect(decisions(call).slice(1)).toEqual([
      `${first} request-interim`,
      `${first + 300} resume no_words`,
      `${first + interimIntervalMs} request-interim`,
      `${first + interimIntervalMs + 300} cancel-reply words`,
    ]);
  });

  test("without end is asked about no more once it has lasted like a noise of the line", () => {
    const call = greeted();
    call.coughs(1_000, 60_000);
    call.run(9_000);
    const requests = decisions(call).filter((line) => line.endsWith("request-interim"));
    expect(requests).toHaveLength(Math.ceil((steadyNoiseMs - interimRequestMs) / interimIntervalMs));
    expect(call.turns[0]?.interrupted).toBe(false);
  });

  test("that comes and goes is asked about at a bounded rate and number", () => {
    const call = greeted({
      parameters: { ...DEFAULT_TURN_PARAMETERS, interimRequestsMax: 3 },
      spec: { greeting: Array(6).fill(GREETING).join(" ") },
    });
    for (let atMs = 1_000; atMs < 30_000; atMs += 1_000) call.coughs(atMs, 620);
    call.run(31_000);
    const requestsMs = decisions(call).flatMap((line) =>
      line.endsWith("request-interim") ? [Number.parseInt(line, 10)] : [],
    );
    expect(requestsMs).toHaveLength(3);
    const gapsMs = requestsMs.slice(1).map((atMs, index) => atMs - (requestsMs[index] ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(interimIntervalMs);
  });

  test("is not asked about where it cannot interrupt, in silence, or where the STT has interim transcripts", () => {
    const deaf = greeted({ spec: { interruptible: false, inactivityTimeoutMs: 60_000 } });
    deaf.coughs(2_000, 2_000);
    deaf.run(9_000);
    const silent = greeted();
    silent.run(9_000);
    const interims = greeted({ sttHasInterims: true });
    interims.coughs(2_000, 2_000);
    interims.run(9_000);
    expect([deaf, silent, interims].map((call) => call.ofKind("request-interim"))).toEqual([[], [], []]);
  });
});
