import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../../src/core/calls/spec.ts";
import { RESUME_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { busRateHz } from "../../../src/media/bus-rate.ts";
import { loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { createWebsocketWire } from "../../../src/wire/websocket/wire.ts";
import { FakeSocket } from "../../callers/leg.ts";
import { DEFAULT_FORMAT, pcm, WEBSOCKET_CALL_ID, websocketLeg } from "../../callers/websocket-leg.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";

const voiceActivity = await loadFvadDetection();
const FRAME = new Uint8Array(640);
const SHOW: ToolSpec = {
  ...{ kind: "client", name: "show", description: "Shows it.", fixedArguments: {}, timeoutMs: 10_000 },
  parameters: { type: "object", properties: {} },
};
const SPEECH_MS = 3_000;
/** 20 ms of a voice at 16 kHz, from `atMs` on. */
const voiceAt = (atMs: number): Buffer =>
  pcm(Int16Array.from({ length: 320 }, (_, at) => vowelAt(atMs / 1_000 + at / 16_000)));

/** It speaks for SPEECH_MS, and no two of its frames are equal. */
const countingTts: Tts = {
  provider: "counting",
  capabilities: { wordTimestamps: false },
  voices: async () => [],
  async *speak({ rateHz = DEFAULT_FORMAT.outputRateHz }) {
    const samples = Int16Array.from({ length: (SPEECH_MS * rateHz) / 1_000 }, (_, index) => index % 30_000);
    yield { samples, rateHz, words: [] };
  },
};

/** A call whose client may resume, and whose agent speaks from the beginning. */
function resumable(options: Parameters<typeof websocketLeg>[0] = {}) {
  const call = websocketLeg({
    mayResume: true,
    tts: countingTts,
    spec: { greeting: "one two three four five six seven eight nine ten" },
    ...options,
  });
  const played = async (forMs: number): Promise<void> => {
    for (let at = 0; at < forMs; at += 20) {
      await call.clock.play(20);
      call.audio(FRAME);
    }
  };
  return { ...call, played, reconnect: () => reconnected(call) };
}

/** The client of the call is back, on another socket. */
function reconnected({ connection }: Pick<ReturnType<typeof websocketLeg>, "connection">): FakeSocket {
  const socket = new FakeSocket();
  const wire = createWebsocketWire({ format: DEFAULT_FORMAT, callId: WEBSOCKET_CALL_ID, opus });
  const vad = voiceActivity.open(busRateHz(wire.inboundRateHz));
  connection.reconnect({ transport: socket, wire, vad, inbound: inboundAudio() });
  return socket;
}

const framesOf = (socket: Pick<FakeSocket, "audio">): string[] =>
  socket.audio.map((bytes) => Buffer.from(bytes).toString("hex"));

describe("a client that may resume", () => {
  test("gets the audio that it did not hear again on its next connection, and then the rest", async () => {
    const undisturbed = resumable();
    await undisturbed.played(4_000);
    const whole = framesOf(undisturbed.socket);

    const call = resumable();
    await call.played(1_000);
    const before = framesOf(call.socket);
    call.connection.closed(1_006, false);
    await call.clock.play(3_000);
    expect(call.ends()).toEqual([]);
    const socket = call.reconnect();
    expect(socket.messages[0]).toMatchObject({ type: "ready" });
    for (let at = 0; at < 4_000; at += 20) {
      await call.clock.play(20);
      call.audio(FRAME);
    }
    const after = framesOf(socket);
    const first = whole.indexOf(after[0] ?? "");
    expect(first).toBeGreaterThan(0);
    // The lead of the sender: that much may not have been played.
    expect(before.length - first).toBeGreaterThan(0);
    expect(before.length - first).toBeLessThanOrEqual(10);
    expect([...before.slice(0, first), ...after]).toEqual(whole);
  });

  test("gets the rest of a reply although the reply before it was over while it was paused", async () => {
    const llm = new ScriptedLlm(new ManualClock(), [
      textReply("The bakery is open from eight to six on every day but Monday."),
    ]);
    const call = websocketLeg({
      mayResume: true,
      llm,
      spec: { greeting: "Hello there my dear old friend of mine", interruptible: true },
    });
    for (let at = 0; at < 3_000; at += 20) {
      await call.clock.play(20);
      // When all of the greeting is sent, and its last words are still to be heard.
      call.audio(at >= 960 && at < 1_360 ? voiceAt(at) : FRAME);
    }
    call.json({ type: "text", text: "When are you open?" });
    await call.clock.play(500);
    expect(call.received("state").at(-1)).toMatchObject({ state: "speaking" });
    call.connection.closed(1_006, false);
    const socket = reconnected(call);
    await call.clock.play(2_000);
    expect(socket.audio.length).toBeGreaterThan(50);
  });

  test("that gives its connection up to connect again, with code 4000, does not hang up", async () => {
    const call = resumable();
    await call.played(500);
    call.connection.closed(4_000, false);
    await call.clock.play(1_000);
    expect(call.ends()).toEqual([]);
  });

  test("that does not come back ends its call with connection_lost after RESUME_MS_MAX", async () => {
    const call = resumable();
    await call.played(500);
    call.connection.closed(1_006, false);
    await call.clock.play(RESUME_MS_MAX - 100);
    expect(call.ends()).toEqual([]);
    await call.clock.play(200);
    expect(call.ends()).toMatchObject([{ reason: "connection_lost", detachments: 1 }]);
  });

  test("that is back has the time of its new connection to get a leg, and RESUME_MS_MAX again after that is cut", async () => {
    const call = resumable();
    await call.played(500);
    call.connection.closed(1_006, false);
    await call.clock.play(RESUME_MS_MAX - 100);
    call.connection.returned();
    await call.clock.play(2 * RESUME_MS_MAX);
    expect(call.ends()).toEqual([]);
    call.connection.closedWithoutLeg(true);
    await call.clock.play(RESUME_MS_MAX - 100);
    expect(call.ends()).toEqual([]);
    await call.clock.play(200);
    expect(call.ends()).toMatchObject([{ reason: "connection_lost" }]);
  });

  test("that is back gets the present state, and the transcripts that it may have missed", async () => {
    const call = resumable();
    await call.played(1_000);
    call.connection.closed(1_006, false);
    const socket = call.reconnect();
    expect(socket.messages.slice(0, 3)).toMatchObject([
      { type: "ready" },
      { type: "transcript", role: "agent", final: false },
      { type: "state", state: "speaking" },
    ]);
    expect(call.socket.messages.filter(({ type }) => type === "transcript").at(-1)).toEqual(socket.messages[1]);
    expect(socket.messages[2]).not.toHaveProperty("latency");
  });

  test.each([
    ["closes its connection", (call: ReturnType<typeof resumable>) => call.connection.closed(1_000, false)],
    ["says that it ends", (call: ReturnType<typeof resumable>) => call.json({ type: "end" })],
    ["breaks the rules of its transport", (call: ReturnType<typeof resumable>) => call.connection.closed(1_006, true)],
  ])("that %s ends the call at once", async (_how, end) => {
    const call = resumable();
    await call.played(500);
    end(call);
    expect(call.ends()).toHaveLength(1);
  });

  test("that connects again before the loss of its first connection was noticed takes the call over", async () => {
    const call = resumable();
    await call.played(500);
    const socket = call.reconnect();
    expect(call.socket.ended).toEqual({ code: 1_000, reason: "detached" });
    expect(call.socket.messages.at(-1)).not.toMatchObject({ type: "ended" });
    await call.played(2_000);
    expect(framesOf(socket).length).toBeGreaterThan(0);
    expect(call.ends()).toEqual([]);
  });

  test("without the wish to resume the call ends with its connection, as ever", async () => {
    const call = websocketLeg();
    await call.clock.play(500);
    expect(call.hangUp()).toMatchObject({ reason: "caller_hangup", detachments: 0 });
  });

  test("gets a tool call that was due meanwhile on its next connection, and its result counts", async () => {
    const clock = new ManualClock();
    const event = { kind: "tool-call" as const, id: "a", name: "show", argumentsJson: "{}" };
    const steps = [
      { afterMs: 200, event },
      { afterMs: 0, event: { kind: "end" as const, inputTokens: 1, outputTokens: 1 } },
    ];
    const call = resumable({
      llm: new ScriptedLlm(clock, [steps, textReply("That is fine.")]),
      shared: { clock, ticker: new Ticker(clock) },
      spec: { firstSpeaker: "user", tools: [SHOW] },
    });
    call.type("Where is my order?");
    await call.clock.play(100);
    call.connection.closed(1_006, false);
    await call.clock.play(1_000);
    const socket = call.reconnect();
    expect(socket.messages.map(({ type }) => type)).toEqual(["ready", "transcript", "state", "toolCall"]);
    const { id } = socket.messages[3] as { id: string };
    call.json({ type: "toolResult", id, result: "on its way" });
    await call.clock.play(500);
    expect(socket.messages.filter(({ type }) => type === "error")).toEqual([]);
    expect(socket.messages.at(-1)).toMatchObject({ type: "state", state: "speaking" });
  });

  test("a reply that is paused stays paused on the next connection, until the call resumes it", async () => {
    let isSpeech = false;
    const call = resumable({
      vad: { isSpeech: () => isSpeech, destroy: () => {} },
      spec: { greeting: "one two three four", interruptible: true },
    });
    await call.played(1_000);
    isSpeech = true;
    await call.played(400);
    const socket = call.reconnect();
    await call.clock.play(300);
    expect(framesOf(socket)).toEqual([]);
    await call.clock.play(2_000);
    expect(framesOf(socket).length).toBeGreaterThan(0);
  });
});
