import { describe, expect, test, vi } from "vitest";
import { STREAM_CODECS, STREAM_RATES_HZ } from "../../../../src/core/calls/spec.ts";
import { STT_SILENCE_FRAMES } from "../../../../src/core/limits/streams/caller-audio.ts";
import {
  FINALIZE_PER_SECOND_MAX,
  LIVE_PAUSE_MS_MIN,
} from "../../../../src/core/limits/transcriptions/transcriptions.ts";
import { Ticker } from "../../../../src/gateway/event-loop/ticker.ts";
import { loadFvadDetection } from "../../../../src/media/voice-activity/fvad.ts";
import { compareJournal } from "../../../../src/record/replay/comparison.ts";
import { replayJournal } from "../../../../src/record/replay/replay.ts";
import { createWebsocketWire } from "../../../../src/wire/websocket/wire.ts";
import { FakeSocket } from "../../../callers/leg.ts";
import {
  DEFAULT_FORMAT,
  pcm,
  WEBSOCKET_CALL_ID,
  type WebsocketLegOptions,
  websocketLeg,
} from "../../../callers/websocket-leg.ts";
import { inboundAudio } from "../../../support/audio/inbound-audio.ts";
import { opus } from "../../../support/audio/opus-codecs.ts";
import { vowelAt } from "../../../support/audio/vowel.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../../support/providers/scripted-llm.ts";
import { ScriptedStt, type SttStep } from "../../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../../support/providers/scripted-tts.ts";

const SPEC = {
  mode: "transcription",
  language: "en-US",
  languagePinned: true,
  recordingEnabled: false,
  transcriptEnabled: true,
} as const;
/** How much longer than the sound the detector hears it, ms. */
const VAD_TAIL_MS = 120;
const voiceActivity = await loadFvadDetection();
const FRAME_SAMPLES = 320;
const SILENCE = Buffer.alloc(2 * FRAME_SAMPLES);

const vowel = (frame: number): Buffer =>
  pcm(Int16Array.from({ length: FRAME_SAMPLES }, (_, n) => vowelAt((frame * FRAME_SAMPLES + n) / 16_000)));

/** A live transcription whose STT and clients are scripted. */
function transcription(transcripts: readonly SttStep[], options: WebsocketLegOptions = {}) {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, transcripts);
  const llm = new ScriptedLlm(clock, [textReply("I must not be asked.")]);
  const tts = new ScriptedTts(clock);
  const { spec, ...rest } = options;
  const live = websocketLeg({
    stt,
    llm,
    tts,
    shared: { clock, ticker: new Ticker(clock) },
    spec: { ...SPEC, ...spec },
    ...rest,
  });
  let frames = 0;
  return {
    ...live,
    stt,
    llm,
    tts,
    /** The client sends audio for so long; it speaks between these times of the audio. */
    async sends(forMs: number, speech: readonly [fromMs: number, untilMs: number] = [0, 0]): Promise<void> {
      for (let at = 0; at < forMs; at += 20, frames += 1) {
        await clock.play(20);
        const audioMs = 20 * frames;
        live.audio(audioMs >= speech[0] && audioMs < speech[1] ? vowel(frames) : SILENCE);
      }
    },
  };
}

/** The client connects again; the messages that it gets there. */
function reconnected(live: Pick<ReturnType<typeof transcription>, "connection">): FakeSocket {
  const transport = new FakeSocket();
  const wire = createWebsocketWire({ format: DEFAULT_FORMAT, callId: WEBSOCKET_CALL_ID, opus, transcribes: "en-US" });
  live.connection.reconnect({ transport, wire, vad: voiceActivity.open(16_000), inbound: inboundAudio() });
  return transport;
}

const said = (atMs: number, kind: "interim" | "final", text: string): SttStep => ({ atMs, event: { kind, text } });

describe("a live transcription on a WebSocket", () => {
  test("sends what was negotiated, interims and finals with the times of words, and never asks the LLM or the TTS", async () => {
    const live = transcription([said(1_500, "interim", "good"), said(2_500, "final", "Good morning.")]);
    await live.sends(4_000, [1_000, 2_000]);
    live.json({ type: "end" });
    const [ready, interim, final, end] = live.socket.messages;
    expect(ready).toEqual({
      type: "ready",
      transcriptionId: WEBSOCKET_CALL_ID,
      input: { codec: "pcm_s16le", sampleRate: 16_000 },
      durationMs: 0,
    });
    expect(interim).toEqual({ type: "interim", text: "good", startMs: expect.closeTo(1_000, -2) });
    expect(final).toEqual({
      type: "final",
      index: 0,
      text: "Good morning.",
      startMs: expect.closeTo(1_000, -2),
      endMs: expect.any(Number),
      words: [
        { text: "Good", startMs: final?.startMs, endMs: expect.any(Number) },
        { text: "morning.", startMs: expect.any(Number), endMs: final?.endMs },
      ],
    });
    expect(final?.endMs).toBeGreaterThanOrEqual(2_000);
    expect(final?.endMs).toBeLessThanOrEqual(2_000 + VAD_TAIL_MS);
    expect(end).toEqual({ type: "end", reason: "caller_hangup", durationMs: 4_000 });
    expect(live.socket.messages).toHaveLength(4);
    expect(live.socket.ended).toEqual({ code: 1_000, reason: "caller_hangup" });
    expect([live.llm.requests.length, live.tts.requests.length, live.socket.audio.length]).toEqual([0, 0, 0]);
    await vi.waitFor(() => expect(live.done()).toBe(1));
    expect(live.ends()).toMatchObject([
      { reason: "caller_hangup", providers: { stt: ["scripted"], llm: [], tts: [] } },
    ]);
    expect(await compareJournal(live.journalPath)).toMatchObject({ difference: undefined, truncated: false });
  });

  test("finalize ends the speech for the STT with silence, and is answered where nothing was said", async () => {
    const live = transcription([said(1_400, "interim", "one"), said(2_100, "final", "one two")]);
    live.json({ type: "finalize" });
    expect(live.received("final")).toEqual([{ type: "final", index: 0, text: "", startMs: 0, endMs: 0, words: [] }]);
    await live.sends(2_000, [1_000, 5_000]);
    const { frames, edges } = live.stt.opened[0] ?? {};
    expect(frames).toBe(100);
    live.json({ type: "finalize" });
    expect(live.stt.opened[0]?.frames).toBe(100 + STT_SILENCE_FRAMES);
    expect(live.stt.opened[0]?.edges.slice(edges?.length ?? 0).map(([edge]) => edge)).toEqual([]);
    expect(live.stt.opened[0]?.edges.map(([edge]) => edge)).toEqual(["started", "ended"]);
    await live.sends(200, [1_000, 5_000]);
    expect(live.received("final").slice(1)).toMatchObject([{ text: "one two", endMs: expect.closeTo(2_000, -2) }]);
  });

  test("end waits for the final of what was said", async () => {
    const live = transcription([said(1_400, "interim", "one"), said(2_100, "final", "one two")]);
    await live.sends(2_000, [1_000, 5_000]);
    live.json({ type: "end" });
    expect(live.socket.ended).toBeUndefined();
    await live.clock.play(1_000);
    expect(live.socket.messages.slice(-2)).toMatchObject([{ type: "final", text: "one two" }, { type: "end" }]);
    expect(live.socket.ended?.code).toBe(1_000);
  });

  test("audio or keepAlive in time keep it for an hour; without both MEDIA_TIMEOUT_S ends it", async () => {
    const liveness = { mediaTimeoutMs: 30_000 };
    const live = transcription([], { liveness, spec: { maxDurationMs: 7_200_000 } });
    for (let minute = 0; minute < 60; minute += 1) {
      await live.clock.play(20_000);
      live.json({ type: "keepAlive" });
      await live.clock.play(20_000);
      live.audio(SILENCE);
      await live.clock.play(20_000);
      live.json({ type: "keepAlive" });
    }
    expect(live.socket.ended).toBeUndefined();
    await live.clock.play(35_000);
    expect(live.socket.messages.at(-1)).toMatchObject({ type: "end", reason: "connection_lost" });
  });

  test("messages of conversations are unknown: the first is answered with an error", async () => {
    const live = transcription([]);
    for (const type of ["text", "dtmf", "mark", "cleared", "toolResult"])
      live.json({ type, text: "hello", digit: "5" });
    expect(live.received("error")).toMatchObject([{ code: "unknown_type" }]);
    expect(live.digits()).toBe("");
    live.hangUp();
    expect(live.ends()).toMatchObject([{ ignored: 5, reason: "caller_hangup" }]);
  });

  test("a client that closes has the words so far in the record", async () => {
    const live = transcription([said(1_400, "interim", "one two")]);
    await live.sends(2_000, [1_000, 5_000]);
    live.hangUp();
    expect(live.ends()).toMatchObject([{ reason: "caller_hangup" }]);
    expect(live.socket.messages.filter(({ type }) => type === "final")).toEqual([]);
    await vi.waitFor(() => expect(live.done()).toBe(1));
    const { journaled } = await replayJournal(live.journalPath);
    expect(journaled.map(({ command }) => command).slice(-2)).toMatchObject([
      { kind: "utterance", text: "one two" },
      { kind: "end", reason: "caller_hangup" },
    ]);
  });

  test.each([
    ["that is no JSON object", "[]", 1_003, "protocol_error"],
    [
      "that is longer than its texts may be",
      JSON.stringify({ type: "finalize", pad: "x".repeat(20_000) }),
      1_009,
      "protocol_error",
    ],
  ])("a text %s ends it with a typed end", (_, text, code, reason) => {
    const live = transcription([]);
    live.text(text);
    expect(live.socket.messages.at(-1)).toMatchObject({ type: "end", reason });
    expect(live.socket.ended).toEqual({ code, reason });
  });

  test("audio far ahead of real time ends it with audio_flood", () => {
    const live = transcription([]);
    for (let n = 0; n < 200; n += 1) live.audio(SILENCE);
    expect(live.socket.messages.at(-1)).toMatchObject({ type: "end", reason: "audio_flood" });
  });

  test("too many texts end it with protocol_error", () => {
    const live = transcription([]);
    for (let n = 0; n < 2_000; n += 1) live.json({ type: "finalize" });
    expect(live.socket.messages.at(-1)).toMatchObject({ type: "end", reason: "protocol_error" });
  });

  test("bytes that are no Opus are answered with an error, and end it where they go on", () => {
    const live = transcription([], { format: { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 } });
    for (let n = 0; n < 100; n += 1) live.audio(Buffer.from([0xff, n, 0x00]));
    expect(live.received("error")[0]).toMatchObject({ code: "wire_malformed" });
    expect(live.socket.messages.at(-1)).toMatchObject({ type: "end", reason: "protocol_error" });
  });

  test("a client that comes back is sent the finals that it has missed", async () => {
    const live = transcription([said(1_400, "interim", "one"), said(2_500, "final", "one two")], { mayResume: true });
    await live.sends(2_000, [1_000, 5_000]);
    live.connection.closed(1_006, false);
    await live.clock.play(1_000);
    expect(live.received("final")).toEqual([]);
    const transport = reconnected(live);
    expect(transport.messages.map(({ type, text }) => [type, text])).toEqual([
      ["ready", undefined],
      ["final", "one two"],
    ]);
    live.json({ type: "end" });
    expect(transport.messages.at(-1)).toEqual({ type: "end", reason: "caller_hangup", durationMs: 2_000 });
  });
});

describe("audio that does not come in real time", () => {
  test("a stall in the middle of speech gives the STT no silence between what was delayed", async () => {
    const live = transcription([said(9_000, "final", "one two three")]);
    await live.sends(1_500, [1_000, 4_000]);
    const before = live.stt.opened[0]?.frames ?? 0;
    await live.clock.play(1_800);
    for (let n = 0; n < 90; n += 1) live.audio(vowel(75 + n));
    expect((live.stt.opened[0]?.frames ?? 0) - before).toBe(90);
    expect(live.stt.opened[0]?.edges.map(([edge]) => edge)).toEqual(["started"]);
    live.json({ type: "end" });
    await live.clock.play(5_000);
    expect(live.socket.messages.at(-1)).toMatchObject({ type: "end", durationMs: 3_300 });
  });

  test("a client that stops sending has its final after a pause of silence", async () => {
    const live = transcription([said(3_800, "final", "one two")]);
    await live.sends(1_500, [1_000, 4_000]);
    const before = live.stt.opened[0]?.frames ?? 0;
    await live.clock.play(LIVE_PAUSE_MS_MIN - 100);
    expect(live.stt.opened[0]?.frames).toBe(before);
    await live.clock.play(200);
    expect(live.stt.opened[0]?.frames).toBe(before + STT_SILENCE_FRAMES);
    expect(live.stt.opened[0]?.edges.map(([edge]) => edge)).toEqual(["started", "ended"]);
    await live.clock.play(1_000);
    expect(live.received("final")).toMatchObject([{ index: 0, text: "one two" }]);
  });

  test("without audio the stream of the STT is ended, and there is another one when audio comes again", async () => {
    const live = transcription([said(1_400, "interim", "one"), said(1_900, "final", "one two")]);
    await live.sends(3_000, [1_000, 1_600]);
    for (let n = 0; n < 30; n += 1) {
      live.json({ type: "keepAlive" });
      await live.clock.play(1_000);
    }
    expect(live.stt.signals.map(({ aborted }) => aborted)).toEqual([true]);
    await live.sends(3_000, [3_500, 4_000]);
    expect(live.stt.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(live.received("final").map(({ index, text }) => [index, text])).toEqual([
      [0, "one two"],
      [1, "one two"],
    ]);
    expect(live.socket.ended).toBeUndefined();
  });

  test("what was spoken while the connection was lost may come at once, and ready says how much there was before", async () => {
    const live = transcription([], { mayResume: true });
    await live.sends(2_000);
    live.connection.closed(1_006, false);
    await live.clock.play(10_000);
    const next = reconnected(live);
    expect(next.messages).toEqual([expect.objectContaining({ type: "ready", durationMs: 2_000 })]);
    for (let n = 0; n < 500; n += 1) live.audio(SILENCE);
    expect(next.ended).toBeUndefined();
    for (let n = 0; n < 800; n += 1) live.audio(SILENCE);
    expect(next.messages.at(-1)).toMatchObject({ type: "end", reason: "audio_flood" });
  });

  test("finals that went to a connection that was lost unnoticed are sent again, with their numbers", async () => {
    const live = transcription([said(1_400, "final", "one"), said(1_800, "final", "two")], { mayResume: true });
    await live.sends(2_500, [1_000, 1_700]);
    const next = reconnected(live);
    expect(next.messages.map(({ type, index, text }) => [type, index, text])).toEqual([
      ["ready", undefined, undefined],
      ["final", 0, "one"],
      ["final", 1, "two"],
    ]);
  });

  test("more requests for a final than there may be are refused, and answered no more", async () => {
    const live = transcription([]);
    await live.sends(100);
    for (let n = 0; n < 100; n += 1) live.json({ type: "finalize" });
    expect(live.received("final")).toHaveLength(FINALIZE_PER_SECOND_MAX);
    expect(live.received("error")[0]).toMatchObject({ code: "rate_limited" });
    live.json({ type: "end" });
    expect(live.socket.ended).toEqual({ code: 1_000, reason: "caller_hangup" });
  });
});

describe("every format of the raw protocol", () => {
  const formats = STREAM_CODECS.flatMap((codec) =>
    STREAM_RATES_HZ.filter((rateHz) => rateHz === 8_000 || codec === "pcm_s16le" || codec === "opus").map(
      (rateHz) => [codec, rateHz] as const,
    ),
  );

  test.each(formats)("%s at %d Hz reaches the STT", async (codec, rateHz) => {
    const live = transcription([], { format: { codec, inputRateHz: rateHz, outputRateHz: rateHz } });
    const encoder = codec === "opus" ? opus.encoder(rateHz) : undefined;
    const samples = new Int16Array(rateHz / 50);
    for (let n = 0; n < 50; n += 1) {
      await live.clock.play(20);
      live.audio(
        encoder?.encode(samples) ??
          Buffer.alloc(codec === "pcm_s16le" ? 2 * samples.length : samples.length, codec === "pcm_s16le" ? 0 : 0xff),
      );
    }
    encoder?.close();
    expect(live.ends()).toEqual([]);
    expect(live.stt.opened[0]?.frames).toBeGreaterThanOrEqual(48);
    expect(live.socket.messages[0]).toMatchObject({ input: { codec, sampleRate: rateHz } });
  });
});
