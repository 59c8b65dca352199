import { afterEach, describe, expect, test } from "vitest";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { callMs, monotonicMs } from "../../../src/core/clocks.ts";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";
import { MetricsAggregator } from "../../../src/core/metrics/aggregation.ts";
import { OPUS_REFUSALS } from "../../../src/core/metrics/labels.ts";
import type { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { CallCounters } from "../../../src/gateway/metrics/call-counters.ts";
import { addCounts, zeroCounts } from "../../../src/gateway/metrics/total-counters.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { TtsRouter } from "../../../src/speech/tts/router.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { STREAM_ID } from "../../callers/twilio-stream.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { type MediaService, type MediaServiceOptions, mediaService } from "../../support/services/media-service.ts";
import { mintToken } from "../../support/tokens.ts";

let service: MediaService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const start = async (options?: MediaServiceOptions): Promise<MediaService> => {
  service = await mediaService(options);
  return service;
};

/** The worker's metrics, read over the handoff socket as the control process does. */
const scrape = async ({ ipc }: MediaService) =>
  readExposition((await new MetricsAggregator().aggregate(await ipc.metrics(AbortSignal.timeout(1_000)))).exposition);

const CARRIER_A = { connection_type: "carrier_a" };

describe("the call metrics of a worker", () => {
  test("count frames and messages while a call is live, keep the counts after its end, and match its record", async () => {
    const media = await start();
    const { callId, token } = await media.create();
    const call = await RawCaller.start(`${media.url}/stream/${token}`);
    call.sendFrames(10);
    call.ws.sendText("no JSON");
    // The first of them is a ping.
    for (let frames = 0; frames < 11; frames += 1) await call.ws.readFrame();
    const during = await scrape(media);
    expect(sampleOf(during, "trunkline_frames_total", { direction: "in", ...CARRIER_A })).toBe(10);
    expect(sampleOf(during, "trunkline_frames_total", { direction: "out", ...CARRIER_A })).toBeGreaterThanOrEqual(10);
    expect(sampleOf(during, "trunkline_messages_dropped_total", { cause: "malformed", ...CARRIER_A })).toBe(1);
    expect(sampleOf(during, "trunkline_calls", { state: "speaking" })).toBe(1);
    const added = sampleOf(during, "trunkline_added_latency_seconds_count", { direction: "in" });
    expect(added).toBe(10);
    expect(sampleOf(during, "trunkline_added_latency_seconds_count", { direction: "out" })).toBeGreaterThan(0);
    expect(sampleOf(during, "trunkline_tick_lateness_seconds_count")).toBeGreaterThan(0);
    expect(sampleOf(during, "trunkline_stage_failures_total", { stage: "tts", provider: "scripted" })).toBe(0);
    call.hangUp();
    const record = await media.ended(callId);
    const after = await scrape(media);
    const [line] = media.logged.filter((text) => text.includes('"call ended"')).map((text) => JSON.parse(text));
    expect(line).toMatchObject({ addedLatencyInMaxMs: expect.any(Number), addedLatencyOutMaxMs: expect.any(Number) });
    expect(line.addedLatencyInMaxMs).toBeGreaterThan(0);
    for (const state of ["opening", "listening", "thinking", "speaking", "held"]) {
      expect(sampleOf(after, "trunkline_calls", { state })).toBe(0);
    }
    expect(sampleOf(after, "trunkline_frames_total", { direction: "out", ...CARRIER_A })).toBe(
      record.counters?.framesOut,
    );
    expect(sampleOf(after, "trunkline_calls_started_total", CARRIER_A)).toBe(1);
    expect(sampleOf(after, "trunkline_calls_ended_total", { reason: "caller_hangup" })).toBe(1);
    expect(sampleOf(after, "trunkline_journal_written_bytes_total")).toBeGreaterThan(1_000);
    expect(sampleOf(after, "trunkline_journal_pending_bytes")).toBe(0);
    expect(sampleOf(after, "trunkline_journal_failures_total")).toBe(0);

    const second = await media.create();
    const next = await RawCaller.start(`${media.url}/stream/${second.token}`);
    next.sendFrames(5);
    await next.ws.readFrame();
    expect(sampleOf(await scrape(media), "trunkline_frames_total", { direction: "in", ...CARRIER_A })).toBe(15);
    next.ws.destroy();
  });

  test("use the TTS provider that the voice's id names, where there are several", async () => {
    const scripted = new ScriptedTts(new ManualClock());
    const speak: Tts["speak"] = (request, signal) => scripted.speak(request, signal);
    const voices = ["first", "scripted"].map((provider) => ({
      provider,
      capabilities: scripted.capabilities,
      voices: () => scripted.voices(),
      speak,
      close: () => {},
    }));
    const chained = voices.map((tts) => ({
      tts,
      circuitBreaker: breakerFor("tts", tts.provider, systemClock).circuitBreaker,
    }));
    const media = await start({ ttsPool: new TtsRouter(chained, systemClock) });
    const { token } = await media.create({ voiceId: "scripted/one" });
    const call = await RawCaller.start(`${media.url}/stream/${token}`);
    await call.ws.readFrame();
    const metrics = await scrape(media);
    const count = "trunkline_provider_latency_seconds_count";
    expect(sampleOf(metrics, count, { stage: "tts", provider: "scripted" })).toBe(1);
    expect(sampleOf(metrics, count, { stage: "tts", provider: "first" })).toBe(0);
    expect(scripted.requests[0]).toMatchObject({ voiceId: "scripted/one", rateHz: 8_000 });
    call.ws.destroy();
  });

  test("report a call that has not begun to stream as opening", async () => {
    const media = await start();
    const { token } = await media.create();
    const { caller: call, status } = await RawCaller.connect(`${media.url}/stream/${token}`);
    expect(status).toBe(101);
    expect(sampleOf(await scrape(media), "trunkline_calls", { state: "opening" })).toBe(1);
    call.ws.destroy();
  });

  test("ADV-M5: count tokens by the outcome of their redemption, and refused streams by status", async () => {
    let fails = false;
    const media = await start({
      async beforeRedeem() {
        if (fails) throw new Error("planted");
      },
    });
    const { token } = await media.create();
    const connect = async (path: string): Promise<void> => {
      const ws = await RawWs.connect(media.url);
      await ws.upgrade(`/stream/${path}`);
      ws.destroy();
    };
    await connect(token);
    await connect(token);
    await connect("malformed");
    fails = true;
    await connect(mintToken());
    const metrics = await scrape(media);
    for (const [outcome, count] of [
      ["redeemed", 1],
      ["refused", 1],
      ["failed", 1],
      ["unsigned", 1],
    ] as const) {
      expect(sampleOf(metrics, "trunkline_token_redemptions_total", { outcome }), outcome).toBe(count);
    }
    expect(sampleOf(metrics, "trunkline_upgrades_refused_total", { status: "401" })).toBe(2);
    expect(sampleOf(metrics, "trunkline_upgrades_refused_total", { status: "503" })).toBe(1);
  });
});

test("the log line `call ended` names the account, how the call went, and where the time of the slowest answer went", async () => {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, [
    { atMs: 1_000, event: { kind: "interim", text: "hello" } },
    { atMs: 1_100, event: { kind: "final", text: "hello" } },
  ]);
  const llm = new ScriptedLlm(clock, [textReply("Good day to you.", { firstMs: 300 })]);
  const call = leg({ stt, llm, shared: { clock, ticker: new Ticker(clock) }, spec: { firstSpeaker: "user" } });
  call.start();
  for (let atMs = 0; atMs < 4_000; atMs += 20) {
    await clock.play(20);
    call.media();
    for (const text of call.socket.sent.splice(0)) if (text.includes('"mark"')) call.text(text);
  }
  call.json({ event: "dtmf", streamSid: STREAM_ID, dtmf: { track: "inbound_track", digit: "7" } });
  call.connection.closed(1_006, false);
  for (let turns = 0; turns < 1_000 && call.done() === 0; turns += 1) await settled();
  const { level: _, time: _time, pid: _pid, hostname: _host, ...line } = call.ends()[0] ?? {};
  expect(line).toEqual({
    msg: "call ended",
    reason: "caller_hangup",
    durationMs: 4_000,
    closeCode: 1_006,
    accountId: "account_01980000-0000-7000-8000-000000000002",
    carrierCallId: "CA0",
    connectionType: "carrier_a",
    model: "model_b",
    recorded: true,
    transcriptEnabled: true,
    providers: { stt: ["scripted"], llm: ["scripted"], tts: ["scripted"] },
    firstAudioMs: expect.any(Number),
    agentTurns: 1,
    // What was said, and the digit that was being entered.
    callerTurns: 2,
    interrupted: 0,
    replies: 1,
    meanReplyLatencyMs: expect.any(Number),
    slowestReply: {
      finalTranscriptMs: expect.any(Number),
      endOfTurnMs: expect.any(Number),
      llmRequestedMs: expect.any(Number),
      firstTextMs: expect.any(Number),
      firstSegmentMs: expect.any(Number),
      firstAudioMs: expect.any(Number),
      firstFrameMs: expect.any(Number),
    },
    framesIn: 200,
    framesOut: expect.any(Number),
    unsentFrames: 0,
    framesLate: 0,
    underruns: 0,
    // This leg has no ticker and no server of a process.
    addedLatencyInMaxMs: 0,
    addedLatencyOutMaxMs: 0,
    malformed: 0,
    ignored: 1,
    flooded: 0,
    early: 0,
    lateAudio: 0,
    duplicateAudio: 0,
    staleAudio: 0,
    parametersDropped: 0,
    echoFrames: 0,
    pauses: expect.any(Number),
    echoesIgnored: 0,
    interimRequests: 0,
    inactivityPrompts: 0,
    turnsReopened: 0,
    preemptiveStarts: 0,
    preemptiveCancels: 0,
    detachments: 0,
    marksSent: 1,
    marksReturned: 1,
    pings: 1,
    pongs: 1,
    dtmfDigits: 1,
    dtmfRefused: 0,
    cleared: 0,
    carrierErrors: 0,
    stageFailures: 0,
  });
});

test("the latency of each stage is recorded by provider: of an STT from the caller's last voiced frame, of the others from the request", async () => {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, [
    { atMs: 700, event: { kind: "interim", text: "hello" } },
    { atMs: 1_100, event: { kind: "final", text: "hello" } },
    // No speech since then: there is no time to measure.
    { atMs: 1_300, event: { kind: "final", text: "there" } },
  ]);
  const llm = new ScriptedLlm(clock, [textReply("Good day to you.", { firstMs: 300 })]);
  const tts = new ScriptedTts(clock, { firstMs: 120 });
  const vad = { isSpeech: () => clock.nowMs() <= monotonicMs(800), destroy: () => {} };
  const registries: WorkerMetrics["registry"][] = [];
  const tamper: LegOptions["tamper"] = ({ metrics }) => registries.push(metrics.registry);
  const shared = { clock, ticker: new Ticker(clock) };
  const call = leg({ stt, llm, tts, vad, shared, tamper, spec: { firstSpeaker: "user" } });
  call.start();
  await call.listen(4_000);
  const metrics = readExposition((await registries[0]?.metrics()) ?? "");
  for (const [stage, tookS] of [
    ["stt", 0.3],
    ["llm", 0.3],
    ["tts", 0.12],
  ] as const) {
    const labels = { stage, provider: "scripted" };
    expect(sampleOf(metrics, "trunkline_provider_latency_seconds_count", labels), stage).toBe(1);
    expect(sampleOf(metrics, "trunkline_provider_latency_seconds_sum", labels), stage).toBeCloseTo(tookS);
  }
});

describe("a call's counters", () => {
  const turn: TranscriptTurn = {
    role: "agent",
    text: "words",
    startMs: callMs(0),
    endMs: callMs(1),
    interrupted: false,
  };
  const redeemed = { callId: asCallId("call_1"), accountId: asAccountId("account_1"), spec: SPEC };
  const answer = (firstFrameMs: number): TranscriptTurn => ({
    ...turn,
    latency: { endOfTurnMs: 500, firstAudioMs: firstFrameMs - 10, firstFrameMs },
  });

  test("have the mean latency of its replies and the slowest reply, and no words", () => {
    const counters = new CallCounters();
    for (const ms of [700, 1_900, 801]) counters.turn(answer(ms));
    counters.turn({ ...turn, interrupted: true });
    counters.turn({ ...turn, role: "user" });
    const summary = counters.summary(redeemed);
    expect(summary).toMatchObject({
      replies: 3,
      meanReplyLatencyMs: 1_134,
      slowestReply: { endOfTurnMs: 500, firstAudioMs: 1_890, firstFrameMs: 1_900 },
      agentTurns: 4,
      callerTurns: 1,
      interrupted: 1,
    });
    expect(JSON.stringify(summary)).not.toContain("words");
  });

  test("have the time when the caller first heard the agent, and the stage that failed last with its code", () => {
    const counters = new CallCounters();
    for (const startMs of [412.345_6, 9_000]) counters.turn({ ...turn, startMs: callMs(startMs) });
    counters.providerFailed("stt", "provider_failed");
    counters.providerFailed("tts", "provider_timeout");
    expect(counters.summary(redeemed)).toMatchObject({
      firstAudioMs: 412.35,
      stageFailures: 2,
      lastFailure: { stage: "tts", code: "provider_timeout" },
    });
  });

  test("have no mean latency without replies", () => {
    const line = JSON.parse(JSON.stringify(new CallCounters().summary(redeemed)));
    expect(line).not.toHaveProperty("meanReplyLatencyMs");
    expect(line).not.toHaveProperty("slowestReply");
    expect(line).not.toHaveProperty("firstAudioMs");
  });

  test("add up to the sums of the worker", () => {
    const sum = zeroCounts();
    const counters = new CallCounters();
    const { opusRefused, ...plain } = sum;
    const names = Object.keys(plain) as (keyof typeof plain)[];
    for (const [index, name] of names.entries()) counters[name] = index + 1;
    for (const [index, reason] of OPUS_REFUSALS.entries()) counters.opusRefused[reason] = index + 1;
    addCounts(sum, counters);
    addCounts(sum, counters);
    expect(names.map((name) => sum[name])).toEqual(names.map((_, index) => 2 * (index + 1)));
    expect(opusRefused).toEqual({ too_large: 2, too_long: 4, no_frames: 6, corrupted: 8 });
  });
});
