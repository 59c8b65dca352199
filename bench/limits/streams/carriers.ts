import { parseChargeBytes } from "../../../src/carriers/parse-charge.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import {
  CARRIER_BYTES_PER_SECOND_MAX,
  CARRIER_MESSAGE_BYTES_MAX,
  DTMF_PER_SECOND_MAX,
  MALFORMED_PER_SECOND_MAX,
  MARKS_PER_SECOND_MAX,
  MESSAGES_PER_SECOND_MAX,
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
} from "../../../src/core/limits/streams/messages.ts";
import { differentKeys, padded } from "../../../test/support/wires/costly-json.ts";
import type { RateLimit } from "../limit.ts";
import {
  CARRIER_NAMES,
  type CarrierName,
  carrierStream,
  decoyMedia,
  EPOCH_MS,
  lateMedia,
  STREAM_ID,
  staleMedia,
  textFrame,
  unusualMedia,
  usualMedia,
} from "./streams.ts";

// What a carrier's stream may keep up.

const STREAM_KEY: Readonly<Record<CarrierName, string>> = {
  carrier_a: "streamSid",
  carrier_b: "stream_id",
  carrier_c: "streamId",
};

const chargeOf = (text: string): number => parseChargeBytes(Buffer.from(text));
/** How many such messages a second the token bucket of bytes admits, at most `most`. */
const paid = (text: string, most: number): number => Math.min(most, CARRIER_BYTES_PER_SECOND_MAX / chargeOf(text));

/** Different keys, as many of them as are not charged beside their bytes: 7 objects. */
export const denseEvent = (seed: number): string => differentKeys(105, seed, '"event":"weather"');

const manyKeys = (seed: number): string => differentKeys(4_096, seed, '"event":"weather"');

/** The slowest messages of one event that the token bucket of bytes admits at the rate of their kind. */
const event = (name: CarrierName, members: string): string => `{"${STREAM_KEY[name]}":"${STREAM_ID}",${members}}`;

function markOf(name: CarrierName, at: number): string {
  if (name === "carrier_c") return event(name, `"event":"playedStream","name":"m${at}"`);
  return event(name, `"event":"mark","mark":{"name":"m${at}"}`);
}

function errorOf(name: CarrierName): string {
  return name === "carrier_b"
    ? event(name, '"event":"error","payload":{"code":100003}')
    : event(name, '"event":"playFailed","reason":"unknown"');
}

function dtmfOf(name: CarrierName, at: number): string {
  const occurredAt = new Date(EPOCH_MS + at * 50).toISOString();
  return event(name, `"event":"dtmf","occurred_at":"${occurredAt}","dtmf":{"digit":"${at % 10}"}`);
}

function limitsOf(name: CarrierName): RateLimit[] {
  const stream = carrierStream(name);
  const limit = (
    what: string,
    bounds: string,
    perSecond: number,
    of: (index: number) => string,
    atOnce?: number,
  ): RateLimit => ({
    name: what,
    bounds,
    stream,
    perSecond,
    unit: (index) => textFrame(of(index + 1)),
    ...(atOnce !== undefined && { atOnce }),
  });
  const fewSamples = Math.floor(CARRIER_RATE_HZ / MESSAGES_PER_SECOND_MAX);
  const unusualPerSecond = paid(unusualMedia(name, 100_000, fewSamples), MESSAGES_PER_SECOND_MAX);
  const unusualSamples = Math.floor(CARRIER_RATE_HZ / unusualPerSecond);
  const othersBytes = Math.floor(CARRIER_BYTES_PER_SECOND_MAX / NON_AUDIO_MESSAGES_PER_SECOND_MAX);
  return [
    limit("audio in messages of 20 ms", "INGEST_AHEAD_MS_MAX", 1_000 / FRAME_MS, (at) => usualMedia(name, at, 160)),
    limit(`audio in messages of ${fewSamples} samples`, "MESSAGES_PER_SECOND_MAX", MESSAGES_PER_SECOND_MAX, (at) =>
      usualMedia(name, at, fewSamples),
    ),
    limit("audio in an unknown key order", "CARRIER_BYTES_PER_SECOND_MAX", unusualPerSecond, (at) =>
      unusualMedia(name, at, unusualSamples),
    ),
    limit(
      "different keys",
      "CARRIER_BYTES_PER_SECOND_MAX, OTHER_MESSAGES_PER_SECOND_MAX",
      NON_AUDIO_MESSAGES_PER_SECOND_MAX,
      (at) => padded(denseEvent(at), othersBytes),
    ),
    limit(
      "4 KiB of different keys",
      "CARRIER_BYTES_PER_SECOND_MAX",
      paid(manyKeys(1), NON_AUDIO_MESSAGES_PER_SECOND_MAX),
      manyKeys,
      8,
    ),
    limit(
      "64 KiB of a payload that is not heard",
      "CARRIER_BYTES_PER_SECOND_MAX",
      CARRIER_BYTES_PER_SECOND_MAX / CARRIER_MESSAGE_BYTES_MAX,
      (at) => decoyMedia(name, at),
      16,
    ),
    limit("the outbound track", "OTHER_MESSAGES_PER_SECOND_MAX", NON_AUDIO_MESSAGES_PER_SECOND_MAX, (at) =>
      padded(unusualMedia(name, at, 3, "outbound"), othersBytes),
    ),
    limit("malformed messages", "MALFORMED_PER_SECOND_MAX", MALFORMED_PER_SECOND_MAX, (at) =>
      padded(differentKeys(105, at, '"event":5'), Math.floor(CARRIER_BYTES_PER_SECOND_MAX / MALFORMED_PER_SECOND_MAX)),
    ),
    limit("marks", "MARKS_PER_SECOND_MAX", MARKS_PER_SECOND_MAX, (at) => markOf(name, at)),
    limit("keys", "DTMF_PER_SECOND_MAX", DTMF_PER_SECOND_MAX, (at) => dtmfOf(name, at)),
    ...(name === "carrier_a"
      ? []
      : [
          limit("complaints", "OTHER_MESSAGES_PER_SECOND_MAX", NON_AUDIO_MESSAGES_PER_SECOND_MAX, () =>
            padded(errorOf(name), othersBytes),
          ),
        ]),
  ];
}

/** This many dropped messages follow one that is not dropped. */
const DROPPED_RUN = 15;
const LONG_SAMPLES = 48_000;

/** Audio that is dropped may be as long as the time that goes by: in as many messages as there may be, and in the longest. */
const droppedLimits: readonly RateLimit[] = (
  [
    ["carrier_b", "late audio", lateMedia],
    ["carrier_c", "stale audio", staleMedia],
  ] as const
).flatMap(([name, what, of]) => [
  {
    name: `15 messages of 3 samples of ${what}`,
    bounds: "MESSAGES_PER_SECOND_MAX",
    stream: carrierStream(name),
    perSecond: MESSAGES_PER_SECOND_MAX / (1 + DROPPED_RUN),
    unit: (index) => of(index, DROPPED_RUN, 3),
  },
  {
    name: `6 s of ${what} in a message`,
    bounds: "BACKLOG_MS_MAX",
    stream: carrierStream(name),
    perSecond: CARRIER_RATE_HZ / LONG_SAMPLES,
    atOnce: 7,
    unit: (index) => of(index, 1, LONG_SAMPLES),
  },
]);

export const carrierLimits: readonly RateLimit[] = [...CARRIER_NAMES.flatMap(limitsOf), ...droppedLimits];
