import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { stepDurations } from "../../../src/core/calls/latency.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

/** Of the virtual STT, LLM and TTS, ms. */
const MODEL_MS = 40;
const VOICE_MS = 30;

/** What the first answer of a call took, whose caller asks something at 3 s. */
function answered(options: VirtualCallOptions) {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  call.says(3_000, "are you open");
  call.run(20_000);
  const latency = call.turns.find((turn) => turn.latency !== undefined)?.latency;
  if (latency === undefined) throw new Error("there is no answered utterance");
  return { call, latency, stages: stepDurations(latency) };
}

describe("the latency of an answer", () => {
  test("has each of its timestamps, counted from the caller's last voiced frame, and they are in order", () => {
    const { latency, stages } = answered({ answer: () => ({ text: "From eight to six, every day." }) });
    const {
      finalTranscriptMs = 0,
      endOfTurnMs,
      llmRequestedMs = 0,
      firstTextMs = 0,
      firstSegmentMs = 0,
      firstAudioMs,
    } = latency;
    const timestamps = [
      finalTranscriptMs,
      endOfTurnMs,
      llmRequestedMs,
      firstTextMs,
      firstSegmentMs,
      firstAudioMs,
      latency.firstFrameMs,
    ];
    expect(timestamps).toEqual([...timestamps].sort((a, b) => a - b));
    expect(finalTranscriptMs).toBeGreaterThan(0);
    expect(stages).toMatchObject({
      endOfTurn: DEFAULT_TURN_PARAMETERS.endpointMs,
      llmFirstToken: MODEL_MS,
      firstSegment: 0,
      ttsFirstByte: VOICE_MS,
    });
    expect(stages.firstFrame).toBeLessThanOrEqual(20);
  });

  test("is emitted with the state when the answer becomes audible, and is the same in its turn later", () => {
    const { call, latency } = answered({ answer: () => ({ text: "From eight to six, every day." }) });
    const reported = call
      .ofKind("state")
      .flatMap(({ state, latency }) => (latency === undefined ? [] : [[state, latency]]));
    expect(reported).toEqual([["speaking", latency]]);
  });

  test("does not count the time of tools as the LLM's", () => {
    const { latency, stages } = answered({
      spec: { tools: [LOOKUP] },
      answer: (_text, { messages }) =>
        messages.at(-1)?.role === "tool" ? { text: "Yes, we are." } : { text: "", tools: [{ name: LOOKUP.name }] },
      tool: () => ({ result: "open", afterMs: 700 }),
    });
    expect(latency.llmRequestedMs).toBe(latency.endOfTurnMs + MODEL_MS + 700);
    expect(stages.llmFirstToken).toBe(MODEL_MS);
    expect(stages.total).toBeGreaterThan(latency.endOfTurnMs + 700);
  });

  test("of an answer after a filler is that of the filler", () => {
    const { latency, stages } = answered({
      answer: () => ({ text: "From eight to six, every day.", afterMs: 4_000 }),
    });
    const { fillerMs } = DEFAULT_TURN_PARAMETERS;
    expect(latency.firstSegmentMs).toBe(latency.endOfTurnMs + fillerMs);
    expect(stages).toMatchObject({ llmFirstToken: 4_000, ttsFirstByte: VOICE_MS });
    expect(stages.firstSegment).toBeUndefined();
    expect(stages.total).toBeLessThan(latency.endOfTurnMs + fillerMs + 100);
  });

  test.each([
    ["0 where the transcript was final before speech ended", [["stt-final", 3_800]], 0],
    [
      "that of the last one",
      [
        ["stt-final", 3_500],
        ["stt-interim", 3_900],
        ["stt-final", 4_300],
      ],
      300,
    ],
    [
      "not that of an empty one which comes again and again",
      [
        ["stt-final", 4_200],
        ["stt-final", 4_300, ""],
      ],
      200,
    ],
    [
      "none where the last of it was answered without",
      [
        ["stt-final", 3_500],
        ["stt-interim", 3_900],
      ],
      undefined,
    ],
  ] as const)("has for the final text %s", (_, transcripts, finalMs) => {
    const call = new VirtualCall({ answer: () => ({ text: "From eight to six, every day." }) });
    call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    // Voice until 4 s.
    call.coughs(3_000, 1_000);
    for (const [kind, atMs, text = `words of ${atMs}`] of transcripts) call.at(atMs, () => call.handle({ kind, text }));
    call.run(20_000);
    const { latency } = call.turns.find((turn) => turn.latency !== undefined) ?? {};
    expect(latency).toBeDefined();
    const { finalTranscriptMs: took } = latency ?? {};
    if (finalMs === undefined) expect(took).toBeUndefined();
    else expect(Math.abs((took ?? Number.NaN) - finalMs)).toBeLessThanOrEqual(20);
  });

  test("has no final transcript where the caller typed, and there is none for a reply that answers no utterance", () => {
    const call = new VirtualCall({ answer: () => ({ text: "From eight to six, every day." }) });
    call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    call.at(3_000, () => call.handle({ kind: "typed", text: "are you open" }));
    call.run(20_000);
    expect(call.turns[0]?.latency).toBeUndefined();
    const { latency } = call.turns.find(({ role, startMs }) => role === "agent" && startMs > callMs(3_000)) ?? {};
    expect(latency).toMatchObject({ endOfTurnMs: 0, llmRequestedMs: 0 });
    expect(latency?.finalTranscriptMs).toBeUndefined();
  });
});

const LOOKUP = {
  kind: "client",
  name: "lookup",
  description: "",
  parameters: { type: "object" },
  timeoutMs: 5_000,
  fixedArguments: {},
} as const;
