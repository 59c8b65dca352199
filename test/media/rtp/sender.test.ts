import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { RTP_CLEARS_MAX, RTP_SILENCE_PACKETS, RTP_SPEECH_RUNS_MAX } from "../../../src/core/limits/streams/webrtc.ts";
import { readRtp, rtpPacket } from "../../../src/media/rtp/packet.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";

const FIRST = 0xffff_f000;
const OPUS = Uint8Array.of(0xf8, 0xff, 0xfe);

class Stage {
  readonly sender = new RtpSender({ ssrc: 77, payloadType: 111, firstSequence: 65_530, firstTimestamp: FIRST });
  readonly sent: { sequence: number; frame: number; marker: boolean; silent: boolean; atMs: number }[] = [];
  nowMs = 5_000;

  speak(frames = 1): this {
    for (let i = 0; i < frames; i += 1) this.#sent(this.sender.speech(OPUS, monotonicMs(this.nowMs)), false);
    return this;
  }

  /** Ticks until `ms` have passed. */
  wait(ms: number): this {
    for (const untilMs = this.nowMs + ms; this.nowMs < untilMs; ) {
      this.nowMs += 20;
      while (this.sender.isSilenceDue(monotonicMs(this.nowMs))) this.#sent(this.sender.silence(OPUS), true);
    }
    return this;
  }

  /** Speaks a frame at each tick, so much ahead of playout. */
  say(frames: number): this {
    this.speak(Math.min(frames, 4));
    for (let i = 4; i < frames; i += 1) this.wait(20).speak();
    return this;
  }

  /** Frames since the first packet. */
  frameOf(timestamp: number): number {
    return ((timestamp - FIRST) | 0) / 960;
  }

  #sent(bytes: Uint8Array, silent: boolean): void {
    const packet = rtpPacket();
    readRtp(bytes, packet);
    expect(packet).toMatchObject({ payloadType: 111, ssrc: 77 });
    expect(bytes.slice(packet.payloadStart, packet.payloadEnd)).toEqual(OPUS);
    const { sequence, timestamp, marker } = packet;
    this.sent.push({ sequence, frame: this.frameOf(timestamp), marker, silent, atMs: this.nowMs });
  }
}

const numbers = (count: number, first = 0): number[] => Array.from({ length: count }, (_, i) => first + i);

describe("the packets that are sent", () => {
  test("sequence numbers and timestamps count frames over their wraps, the first packet has the marker", () => {
    const { sent } = new Stage().say(40);
    expect(sent.map(({ sequence }) => sequence)).toEqual(numbers(40, 65_530).map((n) => n & 0xffff));
    expect(sent.map(({ frame }) => frame)).toEqual(numbers(40));
    expect(sent.map(({ marker }) => marker)).toEqual(numbers(40).map((n) => n === 0));
    expect(sent.some(({ silent }) => silent)).toBe(false);
  });

  test("ten packets of silence follow the end of speech at the pace of playout, then nothing", () => {
    const stage = new Stage().say(20);
    const before = stage.sent.length;
    stage.wait(2_000);
    const silence = stage.sent.slice(before);
    expect(silence).toHaveLength(RTP_SILENCE_PACKETS);
    expect(silence.every(({ silent, marker }) => silent && !marker)).toBe(true);
    expect(silence.map(({ frame }) => frame)).toEqual(numbers(RTP_SILENCE_PACKETS, 20));
    const stepsMs = silence.slice(1).map(({ atMs }, i) => atMs - (silence[i] as (typeof silence)[number]).atMs);
    expect(Math.max(...stepsMs)).toBeLessThanOrEqual(20);
    // Nothing was late: each came before its own playout.
    for (const { frame, atMs } of silence) expect(5_000 + 20 * frame - atMs).toBeGreaterThanOrEqual(0);
  });

  test("speech after a pause continues by the clock, in whole frames, and has the marker", () => {
    const stage = new Stage().say(20).wait(2_007);
    const before = stage.sent.length;
    stage.speak(2);
    const [first, second] = stage.sent.slice(before);
    expect(first).toMatchObject({ frame: Math.round((stage.nowMs - 5_000) / 20), marker: true });
    expect(second).toMatchObject({ frame: (first?.frame as number) + 1, marker: false });
  });

  test("speech within the silence continues its timestamps, without a marker", () => {
    const stage = new Stage().say(20).wait(100);
    const last = stage.sent.at(-1);
    expect(last?.silent).toBe(true);
    stage.speak();
    expect(stage.sent.at(-1)).toMatchObject({ frame: (last?.frame as number) + 1, marker: false });
  });

  test("no timestamp is used twice or goes backwards, and sequence numbers have no gap", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 900 }))), (turns) => {
        const stage = new Stage();
        for (const [frames, pauseMs] of turns) stage.say(frames).wait(pauseMs);
        for (let i = 1; i < stage.sent.length; i += 1) {
          const [before, after] = stage.sent.slice(i - 1, i + 1) as [Stage["sent"][number], Stage["sent"][number]];
          expect(after.frame).toBeGreaterThan(before.frame);
          expect(after.sequence).toBe((before.sequence + 1) & 0xffff);
          expect(after.marker).toBe(after.frame > before.frame + 1);
        }
      }),
    );
  });

  test("a mark has the timestamp of the first sample after its audio", () => {
    const stage = new Stage();
    expect(stage.sender.nextTimestamp).toBe(FIRST);
    stage.speak(3);
    expect(stage.frameOf(stage.sender.nextTimestamp)).toBe(3);
  });

  test("packets and bytes are counted for the reports, and the clock of the stream follows ours", () => {
    const { sender, frameOf } = new Stage().speak(3);
    expect(sender).toMatchObject({ packets: 3, payloadBytes: 9 });
    expect(frameOf(sender.timestampAt(monotonicMs(5_050)))).toBe(2.5);
  });
});

describe("how much of the speech was played", () => {
  test("pauses and silence do not count", () => {
    const stage = new Stage().say(50).wait(3_000);
    const second = stage.frameOf(stage.sender.nextTimestamp);
    stage.say(50);
    const start = (stage.sent.find(({ frame, silent }) => !silent && frame >= second) as { frame: number }).frame;
    stage.sender.clear();
    // 10 frames of the second reply were played.
    expect(stage.sender.playedMs(20 * (start + 10))).toBe(1_200);
  });

  test("within a pause it is the speech before it, before the first packet nothing, and after the last one all", () => {
    const stage = new Stage().say(50).wait(3_000).say(50);
    expect(stage.sender.playedMs(2_000)).toBe(1_000);
    expect(stage.sender.playedMs(0)).toBe(0);
    expect(stage.sender.playedMs(1e9)).toBe(2_000);
  });

  test("what a clear dropped does not count in the peer's later figures", () => {
    const stage = new Stage().say(50);
    const cleared = stage.frameOf(stage.sender.clear());
    expect(cleared).toBe(50);
    // 45 of 50 frames were played.
    expect(stage.sender.playedMs(900)).toBe(900);
    stage.wait(2_000);
    stage.say(20);
    const start = (stage.sent.findLast(({ marker }) => marker) as { frame: number }).frame;
    stage.sender.clear();
    // By timestamps it has come to 10 frames into the second reply, and dropped 5 frames on the way.
    expect(stage.sender.playedMs(20 * (start + 10 - 5))).toBe(1_200);
  });

  test("a peer that answers no clear, or too many, changes nothing but its own figures", () => {
    const stage = new Stage();
    for (let i = 0; i < 3 * RTP_CLEARS_MAX; i += 1) {
      stage.say(5).wait(400);
      stage.sender.clear();
    }
    for (let i = 0; i < 100; i += 1) {
      const playedMs = stage.sender.playedMs(100 * i);
      expect(playedMs).toBeGreaterThanOrEqual(0);
      expect(playedMs).toBeLessThanOrEqual(5 * 20 * 3 * RTP_CLEARS_MAX);
    }
  });

  test("of replies long ago only the end of their speech is known", () => {
    const stage = new Stage();
    const count = 2 * RTP_SPEECH_RUNS_MAX;
    for (let i = 0; i < count; i += 1) stage.say(5).wait(400);
    expect(stage.sender.playedMs(1e9)).toBe(100 * count);
    expect(stage.sender.playedMs(0)).toBe(100 * (count - RTP_SPEECH_RUNS_MAX));
  });
});
