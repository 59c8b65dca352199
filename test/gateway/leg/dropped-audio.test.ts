import { expect, test } from "vitest";
import { createPlivoWire } from "../../../src/carriers/plivo/wire.ts";
import { createTelnyxWire } from "../../../src/carriers/telnyx/wire.ts";
import { BACKLOG_MS_MAX } from "../../../src/core/limits/streams/caller-audio.ts";
import { MESSAGES_PER_SECOND_MAX } from "../../../src/core/limits/streams/messages.ts";
import { leg } from "../../callers/leg.ts";

// Audio that is dropped before its amount is counted: late, duplicate or stale.

const QUIET = { spec: { firstSpeaker: "user" as const, inactivityTimeoutMs: 3_600_000, maxDurationMs: 7_200_000 } };
const FLOOD = { code: 1_008, reason: "audio_flood" };
const STREAM_ID = "stream";
const EPOCH_MS = 1_763_631_012_000;
/** The longest audio that fits into a carrier's message, 6 s. */
const LONG_SAMPLES = 48_000;
const payloadOf = (samples: number): string => Buffer.alloc(samples, 0xff).toString("base64");

function carrierB() {
  const call = leg({ ...QUIET, wire: createTelnyxWire({ outboundCodec: "mulaw" }) });
  const format = { encoding: "PCMU", sample_rate: 8_000, channels: 1 };
  call.json({ event: "start", stream_id: STREAM_ID, start: { call_control_id: "v3:0", media_format: format } });
  const send = (chunk: number, samples: number): void =>
    call.text(
      `{"event":"media","sequence_number":"${chunk}","media":{"track":"inbound","chunk":"${chunk}","timestamp":"1",` +
        `"payload":"${payloadOf(samples)}"},"stream_id":"${STREAM_ID}"}`,
    );
  return { call, send };
}

function carrierC() {
  const call = leg({ ...QUIET, wire: createPlivoWire() });
  call.json({ event: "start", start: { streamId: STREAM_ID, callId: "call" } });
  const send = (atMs: number, samples: number): void =>
    call.text(
      `{"event":"media","sequenceNumber":1,"streamId":"${STREAM_ID}","media":{"track":"inbound",` +
        `"timestamp":"${EPOCH_MS + atMs}","chunk":1,"payload":"${payloadOf(samples)}"}}`,
    );
  return { call, send };
}

test("ADV-H1: late messages of 6 s of audio end the call when as much was dropped as the longest backlog holds", async () => {
  const { call, send } = carrierB();
  let dropped = 0;
  send(1, 160);
  for (let chunk = 2; chunk < 200 && call.socket.ended === undefined; chunk += 1) {
    send(chunk, 160);
    await call.clock.play(20);
    send(chunk - 1, LONG_SAMPLES);
    dropped += 1;
  }
  expect(call.socket.ended).toEqual(FLOOD);
  expect(dropped).toBe(Math.ceil(BACKLOG_MS_MAX / 6_000));
  expect(call.ends()).toMatchObject([{ reason: "audio_flood" }]);
});

test("ADV-H1: stale messages of 6 s of audio end the call when as much was dropped as the longest backlog holds", () => {
  const { call, send } = carrierC();
  send(20_000, 160);
  let dropped = 0;
  for (; dropped < 200 && call.socket.ended === undefined; dropped += 1) send(0, LONG_SAMPLES);
  expect(call.socket.ended).toEqual(FLOOD);
  expect(dropped).toBe(Math.ceil(BACKLOG_MS_MAX / 6_000));
});

test("ADV-H1: each message sent twice, and 45 s held up minute after minute, end no call", async () => {
  const twice = carrierB();
  for (let chunk = 1; chunk <= 3_000; chunk += 1) {
    twice.send(chunk, 160);
    twice.send(chunk, 160);
    await twice.call.clock.play(20);
  }
  expect(twice.call.socket.ended).toBeUndefined();
  twice.call.connection.closed(1_006, false);
  expect(twice.call.ends()).toMatchObject([{ duplicateAudio: 3_000 }]);

  const heldUp = carrierC();
  const messages = BACKLOG_MS_MAX / 20;
  expect(messages).toBeLessThan(MESSAGES_PER_SECOND_MAX);
  heldUp.send(0, 160);
  for (let stall = 1; stall <= 4; stall += 1) {
    await heldUp.call.clock.play(BACKLOG_MS_MAX);
    for (let at = 1; at <= messages; at += 1) heldUp.send((stall - 1) * BACKLOG_MS_MAX + at * 20, 160);
    expect(heldUp.call.socket.ended).toBeUndefined();
  }
  heldUp.call.connection.closed(1_006, false);
  const [end] = heldUp.call.ends();
  expect(end?.staleAudio).toBeGreaterThan(4 * 1_400);
});
