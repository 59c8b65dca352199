import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RtpAudio } from "../../../web/sdk/src/rtp-audio.ts";

const PACKET = 960;

/** The timestamp of the packet that the browser plays; undefined before the first. */
let playing: number | undefined;
let marks: string[];
let audio: RtpAudio;

beforeEach(() => {
  playing = undefined;
  marks = [];
  const receiver = {
    getSynchronizationSources: () => (playing === undefined ? [] : [{ rtpTimestamp: playing }]),
  };
  class FakePeer {
    readonly connectionState = "connected";
    addTransceiver = (): object => ({ receiver });
    close(): void {}
  }
  vi.useFakeTimers();
  vi.stubGlobal("RTCPeerConnection", FakePeer);
  vi.stubGlobal("Audio", class {});
  vi.stubGlobal("document", { hidden: false });
  audio = new RtpAudio([], {} as MediaStreamTrack, {
    onOffer: () => {},
    onTrack: () => {},
    onMark: (name) => marks.push(name),
    onBlocked: () => {},
    onFailed: () => {},
  });
});
afterEach(() => {
  audio.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The browser plays up to this packet, in real time. */
function playTo(packet: number): void {
  while ((playing ?? 0) < packet * PACKET) {
    playing = (playing ?? 0) + PACKET;
    vi.advanceTimersByTime(20);
  }
}

test("a clear reports what was played since the first packet, although no mark waits", () => {
  playTo(1);
  playTo(101);
  expect(audio.clear(110 * PACKET)).toBe(2_000);
});

test("a clear returns the marks that were played until then, and no others", () => {
  playTo(1);
  audio.mark("played", 11 * PACKET);
  audio.mark("dropped", 50 * PACKET);
  playing = 11 * PACKET;
  expect(audio.clear(60 * PACKET)).toBe(200);
  playTo(70);
  expect(marks).toEqual(["played"]);
});
