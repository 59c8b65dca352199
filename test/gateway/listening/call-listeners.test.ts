import { describe, expect, test } from "vitest";
import { addMs, callMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { LISTENER_BUFFERED_BYTES_MAX } from "../../../src/core/limits/calls/listening.ts";
import { CONTROL_FRAMES_PER_SECOND_MAX } from "../../../src/core/limits/streams/connections.ts";
import { CallListeners } from "../../../src/gateway/listening/call-listeners.ts";
import type { Transport, TransportListener } from "../../../src/gateway/transport/transport.ts";
import { mulawEncode } from "../../../src/media/g711.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { JournaledLeg } from "../../../src/record/journal/records.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

const makeResampler = await loadResampler();
const CALL = asCallId("call_1");
const TELEPHONE: JournaledLeg = { inboundRateHz: 8_000, outboundRateHz: 8_000, outboundCodec: "mulaw" };
const WIDE: JournaledLeg = { inboundRateHz: 16_000, outboundRateHz: 24_000, outboundCodec: "pcm_s16le" };

/** A peer that answers pings unless it is not to. */
class Peer implements Transport {
  readonly liveness = DEFAULT_LIVENESS;
  bufferedBytes = 0;
  takes = true;
  answers = true;
  texts: string[] = [];
  audio: Int16Array[] = [];
  pings = 0;
  closes: [number, string][] = [];
  listener: TransportListener | undefined;

  send(message: Uint8Array | string, isBinary = false): boolean {
    if (typeof message === "string") this.texts.push(message);
    else {
      expect(isBinary).toBe(true);
      this.audio.push(new Int16Array(message.buffer, message.byteOffset, message.length / 2).slice());
    }
    return this.takes;
  }

  ping(): void {
    this.pings += 1;
    if (this.answers) this.listener?.ponged();
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }

  /** The largest amplitude of a channel in each 20 ms of what it got. */
  levels(channel: 0 | 1, rateHz: number): number[] {
    const samples = this.audio.flatMap((message) => [...message.filter((_, i) => i % 2 === channel)]);
    const frame = rateHz / 50;
    return Array.from({ length: samples.length / frame }, (_, i) =>
      Math.max(...samples.slice(i * frame, (i + 1) * frame).map(Math.abs)),
    );
  }
}

function listened(format = TELEPHONE) {
  const ended: string[] = [];
  const empty: number[] = [];
  const call = new CallListeners({
    callId: CALL,
    format,
    makeResampler,
    onEnded: (end) => ended.push(end),
    onEmpty: (dropped) => empty.push(dropped),
  });
  const join = (): Peer => {
    const peer = new Peer();
    peer.listener = call.add(peer);
    return peer;
  };
  let nowMs = callMs(1_000);
  /** Lets so many ticks pass; `before` is called before each. */
  const play = (ticks: number, before: () => void = () => {}): void => {
    for (let tick = 0; tick < ticks; tick += 1) {
      before();
      call.tick(nowMs);
      nowMs = addMs(nowMs, 20);
    }
  };
  const stall = (ms: number): void => {
    nowMs = addMs(nowMs, ms);
  };
  return { call, ended, empty, join, play, stall };
}

const frame = (value: number, length = 160): Int16Array => new Int16Array(length).fill(value);

function mulaw(value: number): Uint8Array {
  const bytes = new Uint8Array(160);
  mulawEncode(frame(value), bytes);
  return bytes;
}

describe("those who listen to a call", () => {
  test("get a description first, and then 100 ms of both sides in each message: the caller left, the agent right", () => {
    const { call, join, play } = listened();
    const peer = join();
    expect(peer.texts.map((text) => JSON.parse(text))).toEqual([
      { type: "listening", callId: CALL, sampleRate: 8_000, channels: 2, encoding: "pcm_s16le" },
    ]);
    play(25, () => {
      call.caller(frame(1_000));
      call.agent(mulaw(-8_000));
    });
    expect(peer.audio.map(({ length }) => length)).toEqual([1_600, 1_600, 1_600, 1_600, 1_600]);
    expect(peer.levels(0, 8_000)).toEqual([...Array(5).fill(0), ...Array(20).fill(1_000)]);
    const agent = peer.levels(1, 8_000);
    expect(agent.slice(0, 5)).toEqual(Array(5).fill(0));
    for (const level of agent.slice(5)) expect(level).toBeCloseTo(8_000, -3);
  });

  test("get wideband calls at the rate of their recording, whatever the rate of the agent's audio", () => {
    const { call, join, play } = listened(WIDE);
    const peer = join();
    expect(JSON.parse(peer.texts[0] ?? "")).toMatchObject({ sampleRate: 16_000 });
    const agent = Buffer.from(frame(4_000, 480).buffer);
    play(50, () => {
      call.caller(frame(1_000, 320));
      call.agent(agent);
    });
    expect(peer.audio.map(({ length }) => length)).toEqual(Array(10).fill(3_200));
    expect(peer.levels(0, 16_000).slice(5)).toEqual(Array(45).fill(1_000));
    for (const level of peer.levels(1, 16_000).slice(10)) expect(level).toBeCloseTo(4_000, -3);
  });

  test("do not hear what the caller was not played", () => {
    const { call, join, play } = listened();
    const peer = join();
    for (let i = 0; i < 15; i += 1) call.agent(mulaw(8_000));
    call.agentCleared();
    play(20);
    expect(peer.levels(1, 8_000).map((level) => level > 0)).toEqual([
      ...Array(5).fill(false),
      ...Array(5).fill(true),
      ...Array(10).fill(false),
    ]);
  });

  test("all get the same audio, each from when it came", () => {
    const { call, join, play } = listened();
    const first = join();
    play(10, () => call.caller(frame(1_000)));
    const second = join();
    play(10, () => call.caller(frame(2_000)));
    expect([first.audio.length, second.audio.length]).toEqual([4, 2]);
    expect(second.audio).toEqual(first.audio.slice(2));
  });

  test("are not sent the time of a long stall of the event loop", () => {
    const { call, join, play, stall } = listened();
    const peer = join();
    play(5, () => call.caller(frame(1_000)));
    stall(10_000);
    play(10, () => call.caller(frame(1_000)));
    expect(peer.audio).toHaveLength(3);
  });

  test("are sent away when they send anything, whatever it is", () => {
    for (const isBinary of [true, false]) {
      const { join, ended, empty } = listened();
      const peer = join();
      peer.listener?.message(Buffer.from("x"), isBinary);
      expect(peer.closes).toEqual([[1_008, "read_only"]]);
      expect([ended, empty]).toEqual([["sent"], [0]]);
      // The close that follows ends nothing twice.
      peer.listener?.closed(1_005, false);
      expect(ended).toEqual(["sent"]);
    }
  });

  test("are dropped when they read too slowly: their buffer fills, or they do not take a message", () => {
    for (const slow of [{ bufferedBytes: LISTENER_BUFFERED_BYTES_MAX + 1 }, { takes: false }]) {
      const { join, play, ended } = listened();
      const peer = join();
      const other = join();
      Object.assign(peer, slow);
      play(10);
      expect(peer.closes).toEqual([[1_008, "slow_consumer"]]);
      expect(peer.audio).toHaveLength(1);
      expect([ended, other.audio.length]).toEqual([["slow"], 2]);
    }
  });

  test("are dropped when their answer to a ping is 2 s late", () => {
    const { join, play, ended } = listened();
    const peer = join();
    play(500);
    expect(peer.pings).toBe(10);
    peer.answers = false;
    play(200);
    expect(peer.closes).toEqual([[1_008, "slow_consumer"]]);
    expect(ended).toEqual(["slow"]);
  });

  test("may send pings, but not a flood of them", () => {
    const { join, play, ended } = listened();
    const peer = join();
    for (let second = 0; second < 5; second += 1) {
      for (let i = 0; i < CONTROL_FRAMES_PER_SECOND_MAX - 1; i += 1) peer.listener?.pinged();
      play(50);
    }
    expect(ended).toEqual([]);
    for (let i = 0; i <= CONTROL_FRAMES_PER_SECOND_MAX; i += 1) peer.listener?.pinged();
    expect(ended).toEqual(["sent"]);
  });

  test("hear a call to its end: what is held back is sent before the connection closes", () => {
    const { call, join, play } = listened();
    const peer = join();
    play(2);
    for (let i = 0; i < 3; i += 1) {
      call.caller(frame(1_000));
      call.agent(mulaw(-8_000));
    }
    call.callOver();
    const levels = [0, 1].map((channel) => peer.levels(channel as 0 | 1, 8_000).filter((level) => level > 0));
    expect(levels.map(({ length }) => length)).toEqual([3, 3]);
    expect(peer.closes).toEqual([[1_000, "call_ended"]]);
  });

  test("end with the call, and what was dropped for them is counted when the last one is gone", () => {
    const { call, join, ended, empty } = listened();
    const [first, second] = [join(), join()];
    for (let i = 0; i < 21; i += 1) call.caller(frame(1));
    first.listener?.closed(1_001, false);
    expect([ended, empty]).toEqual([["left"], []]);
    call.callOver();
    expect(second.closes).toEqual([[1_000, "call_ended"]]);
    expect([ended, empty, call.count]).toEqual([["left", "call_ended"], [15], 0]);
  });

  test("cannot harm the call when their connection fails", () => {
    const { join, play, ended } = listened();
    const peer = join();
    peer.send = () => {
      throw new Error("it is broken");
    };
    play(10);
    expect([ended, peer.closes]).toEqual([["failed"], [[1_011, "internal_error"]]]);
  });
});

test("the audio of a call that is listened to leaves no object on the heap", () => {
  const { call, join, play } = listened();
  const peer = join();
  peer.send = () => true;
  const [caller, agent] = [frame(1_000), mulaw(1_000)];
  const bytes = heapBytesPerRun(() => {
    call.caller(caller);
    call.agent(agent);
    play(1);
  }, 200);
  expect(bytes).toBeLessThan(150);
});
