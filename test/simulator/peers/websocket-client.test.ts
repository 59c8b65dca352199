import fc from "fast-check";
import { expect, test } from "vitest";
import { STREAM_RATES_HZ, type StreamFormat } from "../../../src/core/calls/spec.ts";
import { wireMalformed } from "../../../src/core/errors.ts";
import { seededRandom } from "../../../src/core/seeded-random.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import type { OpusCodecs } from "../../../src/media/opus/codecs.ts";
import { Chunker } from "../../../src/simulator/peers/chunker.ts";
import type { Violation } from "../../../src/simulator/peers/peer.ts";
import { type ServiceMessage, WebsocketClient } from "../../../src/simulator/peers/websocket-client.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const PCM: StreamFormat = { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 24_000 };
const FRAME_BYTES = 960;

/** Packets that are the samples' bytes; a packet of one byte is invalid. */
const fakeOpus = (closed: string[] = []): OpusCodecs => ({
  implementation: "wasm",
  encoder: () => ({
    encode: (samples) => pcmBytes(samples).slice(),
    close: () => closed.push("encoder"),
  }),
  decoder: () => ({
    decode: (packet, into) => {
      if (packet.length === 1) throw wireMalformed("websocket", "no packet");
      pcmBytes(into).set(packet);
      return packet.length / 2;
    },
    close: () => closed.push("decoder"),
  }),
});

const readyOf = ({ codec, inputRateHz, outputRateHz }: StreamFormat) => ({
  type: "ready",
  callId: "call_1",
  input: { codec, sampleRate: inputRateHz },
  output: { codec, sampleRate: outputRateHz },
});

/** A client in virtual time, and everything that it sent; the service has sent `ready` by default. */
function openStream({ format = PCM, ready = true, shuffleSeed }: Scene = {}) {
  const clock = new ManualClock();
  const sent: (object | Uint8Array)[] = [];
  const played: { samples: number; bytes: Uint8Array; atMs: number }[] = [];
  const received: ServiceMessage[] = [];
  const closed: string[] = [];
  const inputBytes = (format.inputRateHz / 50) * (format.codec === "mulaw" || format.codec === "alaw" ? 1 : 2);
  const line = { microphone: (): Uint8Array | undefined => new Uint8Array(inputBytes), closes: 0 };
  const client = new WebsocketClient({
    clock,
    format,
    opus: fakeOpus(closed),
    ...(shuffleSeed === undefined ? {} : { shuffleSeed }),
    send: (message) => sent.push(typeof message === "string" ? (JSON.parse(message) as object) : message.slice()),
    close: () => {
      line.closes += 1;
    },
    microphone: () => line.microphone(),
    earphone: (frame, samples, atMs) => played.push({ samples, bytes: frame.slice(), atMs }),
    onServiceMessage: (message) => received.push(message),
  });
  client.start();
  const tell = (message: object): void => client.receive(JSON.stringify(message));
  if (ready) tell(readyOf(format));
  const audio = () => sent.filter((message): message is Uint8Array => message instanceof Uint8Array);
  const texts = () => sent.filter((message) => !(message instanceof Uint8Array));
  return { clock, client, played, received, line, tell, audio, texts, closed };
}

interface Scene {
  format?: StreamFormat;
  ready?: boolean;
  shuffleSeed?: number;
}

/** Distinct bytes that are never silence. */
const tones = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, i) => 1 + (i % 250));

test("its stream starts with the socket: a frame every 20 ms, and no text message", () => {
  const { clock, audio, texts } = openStream({ ready: false });
  clock.advance(100);
  expect(audio().map((bytes) => bytes.length)).toEqual([640, 640, 640, 640, 640]);
  expect(texts()).toEqual([]);
});

test("a microphone that gives nothing sends nothing", () => {
  const { clock, line, audio } = openStream();
  line.microphone = () => undefined;
  clock.advance(100);
  expect(audio()).toEqual([]);
});

test.each(
  STREAM_RATES_HZ,
)("frames of %d Hz are played one after the other in real time, and then silence", (rateHz) => {
  const { clock, client, played } = openStream({ format: { ...PCM, outputRateHz: rateHz } });
  const bytes = tones(rateHz / 25);
  client.receive(bytes);
  client.receive(bytes.map((byte) => byte + 1));
  clock.advance(60);
  expect(client.violations.size).toBe(0);
  expect(played.map(({ samples, atMs }) => ({ samples, atMs }))).toEqual([
    { samples: rateHz / 50, atMs: 20 },
    { samples: rateHz / 50, atMs: 40 },
    { samples: 0, atMs: 60 },
  ]);
  expect(played.map(({ bytes: [first] }) => first)).toEqual([1, 2, 0]);
  expect(client.playedSamples).toBe(rateHz / 25);
});

test("DTMF and typed text are sent, and a hang-up is sent before the socket is closed", () => {
  const { client, texts, line } = openStream();
  client.pressDigit("5");
  client.typeText("Hello?");
  client.stop();
  client.typeText("too late");
  expect(texts()).toEqual([{ type: "dtmf", digit: "5" }, { type: "text", text: "Hello?" }, { type: "end" }]);
  expect(line.closes).toBe(1);
  client.closed();
  expect(client.violations.size).toBe(0);
});

test("a mark is returned when everything before it has been played, and at once when the buffer is empty", () => {
  const { clock, client, tell, texts } = openStream();
  tell({ type: "mark", name: "nothing before" });
  expect(texts()).toEqual([{ type: "mark", name: "nothing before" }]);
  client.receive(tones(FRAME_BYTES));
  client.receive(tones(FRAME_BYTES));
  tell({ type: "mark", name: "said" });
  clock.advance(59);
  expect(texts()).toHaveLength(1);
  clock.advance(1);
  expect(texts().slice(1)).toEqual([{ type: "mark", name: "said" }]);
});

test("a clear is confirmed with the playback position, and the marks before it are dropped", () => {
  const { clock, client, tell, texts, played } = openStream();
  for (let frame = 0; frame < 5; frame += 1) client.receive(tones(FRAME_BYTES));
  tell({ type: "mark", name: "cleared" });
  clock.advance(50);
  tell({ type: "clear" });
  // 20 ms have been played, and 20 ms have begun and are played to their end.
  expect(texts()).toEqual([{ type: "cleared", playedMs: 20 }]);
  client.receive(tones(FRAME_BYTES));
  tell({ type: "mark", name: "after" });
  clock.advance(1_000);
  expect(texts().slice(1)).toEqual([{ type: "mark", name: "after" }]);
  expect(played.reduce((sum, { samples }) => sum + samples, 0)).toBe(3 * 480);
  expect({ clears: client.clears, played: client.playedSamples }).toEqual({ clears: 1, played: 3 * 480 });
});

test("the service's text messages are passed on unchanged", () => {
  const { client, tell, received } = openStream();
  const messages = [
    { type: "state", state: "thinking" },
    { type: "transcript", role: "user", text: "Open on Mon", final: false, turnId: 2 },
    { type: "transcript", role: "agent", text: "", final: true, turnId: 3 },
    { type: "error", code: "unknown_type", message: "there is no such message" },
    { type: "ended", reason: "agent_hangup" },
  ];
  for (const message of messages) tell(message);
  client.closed();
  expect(received).toEqual([readyOf(PCM), ...messages]);
  expect({ callId: client.callId, endReason: client.endReason }).toEqual({
    callId: "call_1",
    endReason: "agent_hangup",
  });
  expect(client.violations.size).toBe(0);
});

test("the client encodes Opus, one packet a message, and decodes it at 16,000 Hz at most", () => {
  const format: StreamFormat = { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 };
  const { clock, client, line, audio, played } = openStream({ format });
  line.microphone = () => tones(1_920);
  client.receive(tones(640));
  clock.advance(20);
  expect(audio()).toEqual([tones(1_920)]);
  expect(played).toEqual([{ samples: 320, bytes: tones(640), atMs: 20 }]);
  client.receive(tones(320));
  client.receive(tones(1));
  expect([...client.violations]).toEqual([
    ["bad_length", 1],
    ["bad_payload", 1],
  ]);
});

test.each([
  ["it hangs up", (client: WebsocketClient) => client.stop()],
  ["the socket is closed", (client: WebsocketClient) => client.closed()],
])("frees its Opus codecs when %s", (_, end) => {
  const format: StreamFormat = { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 };
  const { clock, client, closed } = openStream({ format });
  clock.advance(1_000);
  expect(closed).toEqual([]);
  end(client);
  expect(closed).toEqual(expect.arrayContaining(["encoder", "decoder"]));
});

test("shuffled chunks contain every byte of the caller's audio", () => {
  const { clock, client, line, audio, texts } = openStream({ shuffleSeed: 3 });
  let frames = 0;
  line.microphone = () => {
    frames += 1;
    return new Uint8Array(640).fill(frames);
  };
  clock.advance(20_000);
  client.stop();
  const chunks = audio();
  const spoken = Buffer.concat(Array.from({ length: 1_000 }, (_, i) => new Uint8Array(640).fill(i + 1)));
  // Compared directly: `toEqual` takes seconds for so many bytes.
  expect(Buffer.concat(chunks).equals(spoken)).toBe(true);
  expect(texts()).toEqual([{ type: "end" }]);
  const lengths = chunks.map(({ length }) => length);
  expect(Math.min(...lengths)).toBeLessThan(100);
  expect(Math.max(...lengths)).toBeGreaterThan(16_000);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(32_000);
  expect(lengths.some((length) => length % 2 === 1)).toBe(true);
});

test("chunks contain every byte, and the same seed gives the same chunks", () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(fc.uint8Array({ maxLength: 200 })), (seed, parts) => {
      const cut = (): Buffer[] => {
        const chunks: Buffer[] = [];
        const chunker = new Chunker(seededRandom(seed), 2, 100, (chunk) => chunks.push(Buffer.from(chunk)));
        for (const part of parts) chunker.push(part);
        chunker.flush();
        return chunks;
      };
      const chunks = cut();
      expect(Buffer.concat(chunks)).toEqual(Buffer.concat(parts));
      for (const { length } of chunks.slice(0, -1)) expect(length >= 2 && length <= 100).toBe(true);
      expect(cut()).toEqual(chunks);
    }),
  );
});

const READY = readyOf(PCM);
const TRANSCRIPT = { type: "transcript", role: "user", text: "When?", final: true, turnId: 2 };

test.each<[Violation, string | object]>([
  ["bad_length", tones(FRAME_BYTES - 1)],
  ["bad_length", tones(2 * FRAME_BYTES)],
  ["bad_length", tones(0)],
  ["not_json", "[1]"],
  ["not_json", "clear"],
  ["too_large", `{"type":"mark","name":"${"x".repeat(64 * 1_024)}"}`],
  ["unknown_event", { type: "media" }],
  ["unknown_event", { event: "clear" }],
  ["unknown_field", { type: "clear", all: true }],
  ["unknown_field", { ...TRANSCRIPT, language: "en" }],
  ["bad_field", { type: "mark" }],
  ["bad_mark", { type: "mark", name: "" }],
  ["bad_field", { type: "state", state: "idle" }],
  ["bad_field", { ...TRANSCRIPT, role: "assistant" }],
  ["bad_field", { ...TRANSCRIPT, turnId: "2" }],
  ["bad_field", { ...TRANSCRIPT, final: undefined }],
  ["bad_field", { type: "error", code: "unknown_type" }],
  ["bad_field", { type: "ended", reason: "because" }],
  ["repeated", READY],
])("%s: %j is counted and changes nothing", (violation, message) => {
  const { clock, client, played, received, texts } = openStream();
  client.receive(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message));
  clock.advance(40);
  expect([...client.violations]).toEqual([[violation, 1]]);
  expect(played.map(({ samples }) => samples)).toEqual([0, 0]);
  expect({ received, texts: texts(), clears: client.clears }).toEqual({ received: [READY], texts: [], clears: 0 });
});

test.each<[Violation, object]>([
  ["not_ready", tones(FRAME_BYTES)],
  ["not_ready", { type: "state", state: "speaking" }],
  ["not_ready", { type: "ended", reason: "agent_hangup" }],
  ["bad_field", { ...READY, input: undefined }],
  ["unknown_field", { ...READY, output: { ...READY.output, channels: 1 } }],
  ["wrong_format", { ...READY, input: { codec: "mulaw", sampleRate: 16_000 } }],
  ["wrong_format", { ...READY, output: { codec: "pcm_s16le", sampleRate: 16_000 } }],
])("%s: %j is not allowed before ready", (violation, message) => {
  const { client, received } = openStream({ ready: false });
  client.receive(message instanceof Uint8Array ? message : JSON.stringify(message));
  expect([...client.violations]).toEqual([[violation, 1]]);
  expect(received).toEqual([]);
});

test("after the end only the close is allowed, and never without the end", () => {
  const { clock, client, tell, played } = openStream();
  tell({ type: "ended", reason: "inactivity" });
  tell({ type: "ended", reason: "inactivity" });
  tell({ type: "clear" });
  client.receive(tones(FRAME_BYTES));
  clock.advance(40);
  expect([...client.violations]).toEqual([
    ["repeated", 1],
    ["after_end", 2],
  ]);
  expect(played.map(({ samples }) => samples)).toEqual([0, 0]);

  const broken = openStream();
  broken.client.closed();
  broken.client.closed();
  expect([...broken.client.violations]).toEqual([["no_end", 1]]);
});
