import { describe, expect, test } from "vitest";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import { MESSAGES_PER_SECOND_MAX } from "../../../src/core/limits/streams/messages.ts";
import { DEFAULT_SEGMENTATION } from "../../../src/media/voice-activity/segmentation.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { leg } from "../../callers/leg.ts";
import { STREAM_ID } from "../../callers/twilio-stream.ts";
import { aborted, ManualClock } from "../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

/** Waits for the journal's file in real time: turns of the event loop pass faster than a busy disk writes. */
async function journalClosed(done: () => number): Promise<void> {
  await expect.poll(done, { interval: 1, timeout: 10_000 }).toBeGreaterThan(0);
}

describe("what a peer may do before its stream has begun", () => {
  test("C1: media, marks, DTMF and stop before start are dropped, and the stream can still begin", async () => {
    const call = leg();
    call.media();
    call.json({ event: "mark", streamSid: STREAM_ID, mark: { name: "1.0" } });
    call.json({ event: "dtmf", streamSid: STREAM_ID, dtmf: { track: "inbound_track", digit: "1" } });
    call.json({ event: "stop", streamSid: STREAM_ID, stop: {} });
    expect(call.socket.ended).toBeUndefined();
    call.start();
    await call.clock.play(1_000);
    expect(call.socket.events).toContain("media");
    call.connection.closed(1_006, false);
    expect(call.ends()).toMatchObject([{ reason: "caller_hangup", early: 4 }]);
  });

  test("D1: a peer that never sends start is closed after five seconds", async () => {
    const call = leg();
    await call.clock.play(4_990);
    expect(call.socket.ended).toBeUndefined();
    await call.clock.play(30);
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
  });
});

describe("what a peer may do in its stream", () => {
  test("C2: a second start of the same stream is ignored; one of another stream ends the call", async () => {
    const call = leg();
    call.start();
    call.start();
    await call.clock.play(500);
    expect(call.socket.ended).toBeUndefined();
    call.start("MZ00000000000000000000000000000002");
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
    expect(call.ends()).toHaveLength(1);
  });

  test("C3: stop ends the call once; media, marks, a second stop and the closed socket after it change nothing", async () => {
    const call = leg();
    call.start();
    await call.clock.play(300);
    call.json({ event: "stop", streamSid: STREAM_ID, stop: { accountSid: "AC0", callSid: "CA0" } });
    const { sent } = call.socket;
    const before = sent.length;
    call.media();
    call.json({ event: "mark", streamSid: STREAM_ID, mark: { name: "1.0" } });
    call.json({ event: "stop", streamSid: STREAM_ID, stop: {} });
    call.connection.closed(1_006, false);
    await call.clock.play(1_000);
    expect(sent).toHaveLength(before);
    expect(call.ends()).toMatchObject([{ reason: "caller_hangup" }]);
    await journalClosed(call.done);
    expect(call.done()).toBe(1);
  });

  test("C10: unknown events, unknown fields and events of another kind are ignored and counted", () => {
    const call = leg();
    call.start();
    for (const event of ["weather", "MEDIA", "Start", "", "__proto__", "constructor"]) call.json({ event, media: 1 });
    call.json({
      event: "dtmf",
      extra: { deep: [1] },
      streamSid: STREAM_ID,
      dtmf: { track: "inbound_track", digit: "5", duration: 3 },
    });
    call.connection.closed(1_006, false);
    expect(call.ends()[0]).toMatchObject({ malformed: 0 });
    expect(call.ends()[0]?.ignored).toBeGreaterThanOrEqual(6);
  });

  test("M1: broken base64 and broken JSON are dropped and counted, and the frames around them are used", () => {
    const call = leg();
    call.start();
    call.media();
    for (const payload of ["!!!!", "AAAAA", "AA=A", "AA-_", "A A A", "////\n"]) call.media(payload);
    for (const text of ["", "{", "null", "[]", '"media"', "{}}", "\u0000"]) call.text(text);
    call.media();
    expect(call.socket.ended).toBeUndefined();
    call.connection.closed(1_006, false);
    expect(call.ends()[0]).toMatchObject({ framesIn: 2, malformed: 13 });
  });

  test("M1: more than fifty malformed messages within a second end the call, fifty do not", async () => {
    const call = leg();
    call.start();
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 50; i += 1) call.text("{");
      await call.clock.play(1_000);
    }
    expect(call.socket.ended).toBeUndefined();
    for (let i = 0; i < 51; i += 1) call.text("{");
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
  });

  test("M3: a frame of an hour is too large for a message and ends the call with 1009", () => {
    const call = leg();
    call.start();
    call.media(Buffer.alloc(60 * 60 * 8_000).toString("base64"));
    expect(call.socket.ended).toEqual({ code: 1_009, reason: "protocol_error" });
  });

  test("B14: a binary message ends the call with 1003", () => {
    const call = leg();
    call.start();
    call.connection.message(new Uint8Array(160), true);
    expect(call.socket.ended).toEqual({ code: 1_003, reason: "protocol_error" });
  });

  test("M4: two seconds of audio at once are accepted, more than that ahead of the clock is a flood", async () => {
    const call = leg();
    call.start();
    const second = Buffer.alloc(8_000, 0xff).toString("base64");
    call.media(second);
    call.media(second);
    expect(call.socket.ended).toBeUndefined();
    await call.clock.play(1_000);
    call.media(second);
    expect(call.socket.ended).toBeUndefined();
    call.media(second);
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "audio_flood" });
  });

  test("M4: a stall of the network may be made up for, but a minute of silence gives no credit for audio", async () => {
    const second = Buffer.alloc(8_000, 0xff).toString("base64");
    const stalled = leg({ spec: { firstSpeaker: "user", inactivityTimeoutMs: 300_000 } });
    stalled.start();
    await stalled.clock.play(14_000);
    for (let i = 0; i < 15; i += 1) stalled.media(second);
    expect(stalled.socket.ended).toBeUndefined();
    const silent = leg({ spec: { firstSpeaker: "user", inactivityTimeoutMs: 300_000 } });
    silent.start();
    await silent.clock.play(60_000);
    for (let i = 0; i < 18; i += 1) silent.media(second);
    expect(silent.socket.ended).toEqual({ code: 1_008, reason: "audio_flood" });
  });

  test("M5: a flood of small messages ends the call, whatever they are", () => {
    for (const message of [
      { event: "weather" },
      { event: "mark", streamSid: STREAM_ID, mark: { name: "x".repeat(256) } },
    ]) {
      const call = leg();
      call.start();
      for (let i = 0; i < MESSAGES_PER_SECOND_MAX + 100; i += 1) call.json(message);
      expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
      expect(call.logged.join()).not.toContain("journal failed");
    }
  });

  test("a carrier that sends nothing in silence makes the STT get silence once the caller has stopped", async () => {
    const clock = new ManualClock();
    const stt = new ScriptedStt(clock, []);
    const call = leg({ stt, spec: { firstSpeaker: "user" } });
    call.start();
    await call.listen(200);
    const heard = stt.opened[0]?.samples ?? 0;
    await call.clock.play(480);
    expect(stt.opened[0]?.samples).toBe(heard);
    await call.clock.play(2_000);
    expect(stt.opened[0]?.samples).toBe(heard + 25 * 160);
  });

  test("the STT gets the VAD's decision with each of the caller's frames, once the VAD has settled", async () => {
    const stt = new ScriptedStt(new ManualClock(), []);
    let frames = 0;
    const isSpeech = (): boolean => {
      frames += 1;
      return frames % 4 === 0;
    };
    const call = leg({ stt, vad: { isSpeech, destroy: () => {} }, spec: { firstSpeaker: "user" } });
    call.start();
    await call.listen(800);
    const settlingFrames = DEFAULT_SEGMENTATION.settleMs / 20;
    const voicedFrames = Math.floor(frames / 4) - Math.floor(settlingFrames / 4);
    expect(stt.opened[0]).toMatchObject({ samples: frames * 160, voicedFrames });
    expect(frames).toBeGreaterThan(20);
  });

  test("D3: a peer that misses a mark or a clear is a slow consumer, too", async () => {
    const call = leg();
    call.start();
    const send = call.socket.send.bind(call.socket);
    call.socket.send = (message) => (typeof message === "string" ? false : send(message));
    await call.listen(3_000);
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "slow_consumer" });
  });

  test("D3: a peer that does not read what is sent ends its call as a slow consumer", async () => {
    const call = leg();
    call.socket.stuck = true;
    call.start();
    await call.clock.play(500);
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "slow_consumer" });
  });

  test("C9: digits pressed faster than twenty a second are ignored", () => {
    const call = leg();
    call.start();
    for (let i = 0; i < 400; i += 1) {
      call.json({ event: "dtmf", streamSid: STREAM_ID, dtmf: { track: "inbound_track", digit: "1" } });
    }
    call.connection.closed(1_006, false);
    expect(call.ends()[0]?.ignored).toBeGreaterThanOrEqual(380);
  });
});

describe("outbound audio", () => {
  test("frames run ahead of real time by the lead, before and after each tick, and by little more", async () => {
    const call = leg({ tts: new ScriptedTts(new ManualClock(), { msPerChar: 100 }) });
    call.start();
    for (let atMs = 20; atMs <= 2_000; atMs += 20) {
      await call.clock.play(20);
      const frames = call.socket.events.filter((event) => event === "media").length;
      expect(frames * 20).toBeLessThanOrEqual(atMs + OUTPUT_LEAD_MS + 2.5 * FRAME_MS);
      if (atMs > 100) expect(frames * 20).toBeGreaterThanOrEqual(atMs + OUTPUT_LEAD_MS);
    }
  });

  test("a stall of the loop up to the lead is not heard; a longer one is, is counted, and is caught up to the lead and not beyond", async () => {
    const call = leg({ tts: new ScriptedTts(new ManualClock(), { msPerChar: 100 }) });
    call.start();
    await call.clock.play(500);
    const before = call.socket.events.length;
    call.clock.stall(80);
    await call.clock.play(20);
    call.clock.stall(1_000);
    await call.clock.play(20);
    expect(call.socket.events.length - before).toBeLessThanOrEqual(13);
    call.connection.closed(1_006, false);
    expect(call.ends()[0]).toMatchObject({ framesLate: 1, underruns: 0 });
  });

  test("after a stall, due frames are sent before pending input is read, and no caller is taken for silent because of it", async () => {
    const stt = new ScriptedStt(new ManualClock(), []);
    const call = leg({ stt, tts: new ScriptedTts(new ManualClock(), { msPerChar: 100 }) });
    call.start();
    await call.listen(400);
    const [sentBefore, sttSamplesBefore] = [call.socket.events.length, stt.opened[0]?.samples];
    call.clock.stall(1_000);
    call.connection.catchUp();
    expect(call.socket.events.slice(sentBefore)).toEqual(Array(7).fill("media"));
    expect(stt.opened[0]?.samples).toBe(sttSamplesBefore);
    call.connection.tick();
    expect(call.socket.events.length).toBe(sentBefore + 7);
    expect(stt.opened[0]?.samples).toBeGreaterThan(sttSamplesBefore ?? Number.NaN);
  });

  test("catching up does not take audio that is not ready yet for an underrun", async () => {
    const tts: Tts = {
      provider: "scripted",
      capabilities: { wordTimestamps: true },
      voices: async () => [],
      async *speak(_request, signal) {
        yield { samples: new Int16Array(15 * 160), rateHz: 8_000, words: [] };
        await aborted(signal);
      },
    };
    const call = leg({ tts });
    call.start();
    await call.clock.play(20);
    const media = (): number => call.socket.events.filter((event) => event === "media").length;
    const sent = media();
    call.clock.stall(1_000);
    for (const sentNow of [15, 15]) {
      call.connection.catchUp();
      call.clock.stall(100);
      call.connection.catchUp();
      expect(media()).toBe(sentNow);
    }
    expect(sent).toBeLessThan(15);
    expect(call.connection.read().counts.underruns).toBe(0);
    call.connection.tick();
    expect(call.connection.read().counts.underruns).toBe(1);
    call.connection.closed(1_006, false);
  });

  test("every spoken segment is followed by its mark, and a returned mark makes the reply count as heard", async () => {
    const call = leg();
    call.start();
    await call.listen(3_000);
    const marks = call.socket.sent.filter((text) => text.includes('"mark"')).map((text) => JSON.parse(text));
    expect(marks).toEqual([{ event: "mark", streamSid: STREAM_ID, mark: { name: "1.0" } }]);
    call.connection.closed(1_006, false);
  });

  test("a word over the agent sends clear, and no frame of the interrupted reply after it", async () => {
    const clock = new ManualClock();
    const stt = new ScriptedStt(clock, [{ atMs: 400, event: { kind: "interim", text: "stop" } }]);
    const call = leg({
      spec: { interruptible: true },
      stt,
      tts: new ScriptedTts(new ManualClock(), { msPerChar: 100 }),
    });
    call.start();
    for (let atMs = 0; atMs < 1_000; atMs += 20) {
      await call.clock.play(20);
      await clock.play(20);
    }
    const { events } = call.socket;
    expect(events.filter((event) => event === "clear")).toHaveLength(1);
    expect(events.slice(events.indexOf("clear") + 1)).toEqual([]);
  });
});

describe("the end of a call", () => {
  test("C15: a hang-up aborts the STT, the LLM and the TTS, and leaves no timer", async () => {
    const clock = new ManualClock();
    const stt = new ScriptedStt(clock, []);
    const llm = new ScriptedLlm(clock, [textReply("I will go on for a long time.", { firstMs: 10_000 })]);
    const call = leg({ spec: { firstSpeaker: "agent" }, stt, llm });
    call.start();
    await call.listen(200);
    call.connection.closed(1_006, false);
    await journalClosed(call.done);
    const before = stt.opened[0]?.samples;
    call.media();
    await clock.play(20_000);
    await call.clock.play(1_000);
    expect(stt.opened[0]?.samples).toBe(before);
    expect([clock.pending, call.clock.pending]).toEqual([0, 0]);
    expect(call.done()).toBe(1);
  });

  test("C18: a call without any media and one of 50 ms end with their counters logged", async () => {
    const none = leg();
    none.connection.closed(1_006, false);
    expect(none.ends()).toMatchObject([{ reason: "caller_hangup", framesIn: 0, framesOut: 0 }]);
    const short = leg();
    short.start();
    await short.listen(60);
    short.connection.closed(1_006, false);
    expect(short.ends()).toMatchObject([{ reason: "caller_hangup", framesIn: 3 }]);
  });
});
