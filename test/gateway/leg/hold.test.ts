import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import wavefile from "wavefile";
import type { HoldRequest } from "../../../src/core/calls/hold.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { EventLister, type ListedEvent } from "../../../src/record/events/event-list.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import { renderRecording } from "../../../src/record/recording/render.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { fromPcm, pcm, websocketLeg } from "../../callers/websocket-leg.ts";
import { samplesOf } from "../../support/audio/samples.ts";
import { toneSnrDb } from "../../support/audio/tone.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const HOLD: HoldRequest = { kind: "hold", msMax: 60_000 };
const RESUME: HoldRequest = { kind: "resume" };
const makeResampler = await loadResampler();
/** The tone of scripted speech, and the first notes of the melody. */
const VOICE_HZ = 250;
const NOTES_HZ = [392, 494, 587, 659, 294];

const rmsOf = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, each) => sum + each ** 2, 0) / Math.max(1, samples.length));
/** In how many windows of 100 ms one of these tones is most of the sound. */
const windowsOf = (tones: readonly number[], samples: Int16Array, rateHz: number): number => {
  const ratios = tones.map((hz) => toneSnrDb(samples, hz, rateHz, 100));
  return (ratios[0] ?? []).filter((_, at) => ratios.some((each) => (each[at] ?? Number.NEGATIVE_INFINITY) > -3)).length;
};

function parts(options: LegOptions = {}) {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, []);
  const llm = new ScriptedLlm(clock, [textReply("I am with you again, thank you for waiting."), textReply("Yes.")]);
  const shared = { clock, ticker: new Ticker(clock) };
  return { ...options, stt, llm, shared, spec: { greeting: "Hello.", ...options.spec } };
}

/** A telephone call of carrier_a, and what its caller has heard since this was asked last. */
function onPhone(options: LegOptions = {}) {
  const given = parts(options);
  const call = leg(given);
  call.start();
  const heardOn =
    (socket: typeof call.socket) =>
    (from = 0): Int16Array => {
      const payloads = socket.sent.slice(from).flatMap((text) => {
        const { event, media } = JSON.parse(text) as { event: string; media?: { payload: string } };
        return event === "media" ? [Buffer.from(media?.payload ?? "", "base64")] : [];
      });
      return samplesOf("mulaw", Buffer.concat(payloads));
    };
  return { ...call, ...given, heardOn, heard: heardOn(call.socket) };
}

describe("a telephone call on hold", () => {
  test("has the melody without a gap, and the agent's words after it", async () => {
    const call = onPhone();
    await call.listen(3_000);
    const before = call.socket.sent.length;
    expect(call.connection.hold(HOLD)).toBe("done");
    await call.listen(4_000);
    const music = call.heard(before);
    expect(music.length / 8_000).toBeGreaterThan(3.9);
    expect(music.length / 8_000).toBeLessThan(4.3);
    expect(rmsOf(music)).toBeGreaterThan(500);
    expect(windowsOf(NOTES_HZ, music, 8_000)).toBeGreaterThan(20);
    const resumed = call.socket.sent.length;
    expect(call.connection.hold(RESUME)).toBe("done");
    expect(call.socket.events.slice(resumed)[0]).toBe("clear");
    await call.listen(2_000);
    const words = call.heard(resumed);
    expect(windowsOf([VOICE_HZ], words, 8_000)).toBeGreaterThan(2);
    expect(windowsOf([VOICE_HZ], music, 8_000)).toBe(0);
    expect(call.llm.requests).toHaveLength(1);
    expect(call.ends()).toEqual([]);
  });

  test("gives the STT the silence that ends an utterance, ends its stream after 5 s, and opens another for what comes after", async () => {
    const call = onPhone();
    await call.listen(3_000);
    const [stream] = call.stt.opened;
    const frames = (): number => stream?.frames ?? 0;
    const before = frames();
    call.connection.hold(HOLD);
    const ending = frames() - before;
    expect(ending).toBeLessThan(100);
    await call.listen(4_000);
    expect(call.stt.signals[0]?.aborted).toBe(false);
    await call.listen(16_000);
    expect(frames() - before).toBe(ending);
    expect(call.stt.signals[0]?.aborted).toBe(true);
    expect(call.stt.opened).toHaveLength(1);
    call.connection.hold(RESUME);
    await call.listen(1_000);
    expect(frames() - before).toBe(ending);
    expect(call.stt.opened[1]?.frames).toBe(50);
  });

  test("keeps the stream of its STT through a hold that is short", async () => {
    const call = onPhone();
    await call.listen(3_000);
    call.connection.hold(HOLD);
    await call.listen(3_000);
    call.connection.hold(RESUME);
    const before = call.stt.opened[0]?.frames ?? 0;
    await call.listen(7_000);
    expect(call.stt.opened.map(({ frames }) => frames - before)).toEqual([350]);
  });

  test("answers requests by its state", async () => {
    const call = leg(parts());
    expect(call.connection.hold(HOLD)).toBe("not_live");
    call.start();
    await call.listen(1_000);
    expect(call.connection.hold(RESUME)).toBe("not_on_hold");
    expect([call.connection.hold(HOLD), call.connection.hold(HOLD)]).toEqual(["done", "on_hold"]);
    expect([call.connection.hold(RESUME), call.connection.hold(RESUME)]).toEqual(["done", "not_on_hold"]);
    call.connection.closed(1_000, false);
    expect([call.connection.hold(HOLD), call.connection.hold(RESUME)]).toEqual(["not_live", "not_live"]);
  });

  test("is transferred, and the agent speaks when that fails", async () => {
    const phone = { request: () => true, mediaChanged: () => {} };
    const call = onPhone({ phone, spec: { phoneControl: true } });
    await call.listen(2_000);
    call.connection.hold(HOLD);
    await call.listen(1_000);
    call.connection.phoneUpdate({ kind: "transferring", target: "+4312345", returnMsMax: 40_000 });
    const ringing = call.socket.sent.length;
    await call.listen(1_000);
    expect(call.heard(ringing)).toHaveLength(0);
    expect(call.connection.hold(HOLD)).toBe("transferring");
    call.connection.phoneUpdate({ kind: "transfer-failed", target: "+4312345", outcome: "busy" });
    await call.listen(2_000);
    expect(windowsOf([VOICE_HZ], call.heard(ringing), 8_000)).toBeGreaterThan(2);
  });

  test("stays on hold on its next leg", async () => {
    const call = onPhone({ mayResume: true });
    await call.listen(2_000);
    call.connection.hold(HOLD);
    await call.listen(1_000);
    call.connection.closed(1_006, false);
    await call.clock.play(3_000);
    const heard = call.heardOn(call.reconnect());
    call.start();
    await call.listen(2_000);
    expect(heard().length / 8_000).toBeGreaterThan(1.9);
    expect(windowsOf(NOTES_HZ, heard(), 8_000)).toBeGreaterThan(8);
    call.connection.hold(RESUME);
    await call.listen(2_000);
    expect(windowsOf([VOICE_HZ], heard(), 8_000)).toBeGreaterThan(2);
  });
});

/** 20 ms of a voice at 16 kHz, from `atMs` on. */
const voiceAt = (atMs: number): Buffer =>
  pcm(Int16Array.from({ length: 320 }, (_, at) => vowelAt(atMs / 1_000 + at / 16_000)));

/** A call of a program, in which the caller speaks while on hold: the greeting, then hold from 2 s to 8 s. */
async function overWebsocket() {
  const given = parts();
  const call = websocketLeg(given);
  const listen = async (forMs: number, frameAt: (atMs: number) => Buffer = () => Buffer.alloc(640)): Promise<void> => {
    for (let at = 0; at < forMs; at += 20) {
      await call.clock.play(20);
      call.audio(frameAt(at));
    }
  };
  await listen(2_000);
  const before = call.socket.audio.length;
  call.connection.hold(HOLD);
  await listen(3_000, voiceAt);
  await listen(3_000);
  const music = fromPcm(Buffer.concat(call.socket.audio.slice(before)));
  call.connection.hold(RESUME);
  await listen(3_000);
  call.hangUp();
  while (call.done() === 0) await call.clock.play(20);
  return { ...call, ...given, music };
}

describe("a call over a raw WebSocket on hold", () => {
  test("has the melody, and its client is sent the state", async () => {
    const call = await overWebsocket();
    expect(call.music.length / 16_000).toBeGreaterThan(5.9);
    expect(windowsOf(NOTES_HZ, call.music, 16_000)).toBeGreaterThan(30);
    expect(call.received("state").map(({ state }) => state)).toEqual(
      expect.arrayContaining(["speaking", "listening", "held", "listening", "thinking", "speaking"]),
    );
    expect(call.received("transcript").filter(({ role }) => role === "user")).toEqual([]);
  });

  test("has the melody in its recording, where it was heard, and what the caller said meanwhile", async () => {
    const { journalPath } = await overWebsocket();
    const path = join(temporaryDirectory(), "call.wav");
    await renderRecording(journalPath, path, makeResampler);
    const [caller, agent] = new wavefile.WaveFile(readFileSync(path)).getSamples(false, Int16Array) as unknown as [
      Int16Array,
      Int16Array,
    ];
    const from = (channel: Int16Array, startS: number, endS: number) =>
      channel.subarray(startS * 16_000, endS * 16_000);
    expect(windowsOf(NOTES_HZ, from(agent, 2.2, 7.9), 16_000)).toBeGreaterThan(30);
    expect(rmsOf(from(agent, 1.5, 1.9))).toBeLessThan(50);
    expect(windowsOf(NOTES_HZ, from(agent, 8, 10), 16_000)).toBeLessThan(3);
    expect(rmsOf(from(caller, 2.5, 4.5))).toBeGreaterThan(500);
  });

  test("has the melody although the last reply was over while it was paused", async () => {
    const call = websocketLeg(
      parts({ spec: { greeting: "Hello there my dear old friend of mine", interruptible: true } }),
    );
    for (let at = 0; at < 3_000; at += 20) {
      await call.clock.play(20);
      // When all of the reply is sent, and its last words are still to be heard.
      call.audio(at >= 960 && at < 1_360 ? voiceAt(at) : Buffer.alloc(640));
    }
    // There was nothing to resume.
    expect(call.received("state").map(({ state }) => state)).toEqual(["speaking", "listening"]);
    const before = call.socket.audio.length;
    call.connection.hold(HOLD);
    await call.clock.play(1_000);
    expect(call.socket.audio.length - before).toBeGreaterThan(49);
  });

  test("can be replayed, and its events say what happened", async () => {
    const { journalPath } = await overWebsocket();
    expect((await compareJournal(journalPath)).difference).toBeUndefined();
    const events: ListedEvent[] = [];
    let lister: EventLister | undefined;
    await readJournal(journalPath, (record) => {
      if (record.kind === "header") lister = new EventLister(record.header, (event) => events.push(event));
      else lister?.take(record);
    });
    const kinds = events.map((event) =>
      "turnId" in event && event.kind.startsWith("playout") ? `${event.kind} ${event.turnId}` : event.kind,
    );
    const about = kinds.filter((kind) => /hold|held|resume|playout|speech/.test(kind));
    expect(about).toEqual([
      "playout-started 1",
      "playout-ended 1",
      "hold-requested",
      "held",
      "playout-started 0",
      "resume-requested",
      "resumed",
      "playout-ended 0",
      "playout-started 2",
      "playout-ended 2",
    ]);
  });
});
