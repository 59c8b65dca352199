import { parseChargeBytes } from "../../../src/carriers/parse-charge.ts";
import {
  BACKLOG_MS_MAX,
  INBOUND_AHEAD_MS_MAX,
  INBOUND_STALL_MS_MAX,
} from "../../../src/core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import {
  CARRIER_BYTES_BURST_MAX,
  CARRIER_MESSAGE_BYTES_MAX,
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
  TEXT_MESSAGE_BYTES_MAX,
} from "../../../src/core/limits/streams/messages.ts";
import { differentKeys } from "../../../test/support/wires/costly-json.ts";
import type { BurstLimit } from "../limit.ts";
import { denseEvent } from "./carriers.ts";
import {
  binaryFrame,
  carrierStream,
  decoyMedia,
  EPOCH_MS,
  lateMedia,
  rawStream,
  STREAM_ID,
  staleMedia,
  textFrame,
  unusualMedia,
  usualMedia,
} from "./streams.ts";
import { opusPacket, TOC_CELT_20_MS } from "./websocket.ts";

// What a peer may send at once: each limit's burst, as one write.

const raw = rawStream("pcm_s16le", 16_000);
/** As long as a backlog may be, less the time until the last of these bursts is sent. */
const HELD_UP_MS = BACKLOG_MS_MAX - 10_000;
const CATCH_UP_MS = INBOUND_STALL_MS_MAX + INBOUND_AHEAD_MS_MAX - FRAME_MS;

const times = (count: number, of: (index: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => of(index)));

const texts: readonly BurstLimit[] = [
  // The first are charged twice.
  ["2 results of tools of 64 KiB", 2, CARRIER_MESSAGE_BYTES_MAX, '"type":"toolResult","id":"1"', "result"] as const,
  ["4 messages of 64 KiB", 4, CARRIER_MESSAGE_BYTES_MAX, '"type":"toolResult","id":"1"', "a"] as const,
  ["16 messages of 16 KiB", 16, TEXT_MESSAGE_BYTES_MAX, '"type":"weather"', "a"] as const,
].map(([what, count, bytes, members, list]) => ({
  name: `${what} of different keys`,
  bounds: "TEXT_BYTES_AT_ONCE_MAX",
  stream: raw,
  silentMs: 0,
  burst: () => times(count, (at) => textFrame(differentKeys(bytes, at, members, list))),
}));

/** As many messages as a carrier's burst pays for, and no more than there may be in a second. */
function paidBurst(of: (index: number) => string, countMax: number): Buffer {
  const frames: Buffer[] = [];
  let chargedBytes = 0;
  for (let index = 0; index < countMax; index += 1) {
    const text = of(index);
    chargedBytes += parseChargeBytes(Buffer.from(text));
    if (chargedBytes > CARRIER_BYTES_BURST_MAX) break;
    frames.push(textFrame(text));
  }
  return Buffer.concat(frames);
}

const EVENT = '"event":"weather"';
const long = (filler: string): string => {
  const text = `{${EVENT},"x":"`;
  const count = Math.floor((CARRIER_MESSAGE_BYTES_MAX - text.length - 2) / Buffer.byteLength(filler));
  return `${text}${filler.repeat(count)}"}`;
};

const carriers: readonly BurstLimit[] = (
  [
    ["64 KiB of different keys", (at: number) => differentKeys(CARRIER_MESSAGE_BYTES_MAX, at, EVENT), 500],
    ["4 KiB of different keys", (at: number) => differentKeys(4_096, at, EVENT), 500],
    ["messages of few keys", denseEvent, NON_AUDIO_MESSAGES_PER_SECOND_MAX - 1],
    ["64 KiB of letters of two bytes", () => long("é"), 500],
    ["64 KiB of escapes", () => long("\\n"), 500],
  ] as const
).map(([name, of, countMax]) => ({
  name,
  bounds: "CARRIER_BYTES_AT_ONCE_MAX",
  stream: carrierStream("carrier_a"),
  silentMs: 0,
  burst: () => paidBurst(of, countMax),
}));

/** What was dropped, or not heard, as much as there may be of it at once. */
const unheard: readonly BurstLimit[] = [
  {
    name: "64 KiB of a payload that is not heard",
    bounds: "CARRIER_BYTES_AT_ONCE_MAX",
    stream: carrierStream("carrier_a"),
    silentMs: 0,
    burst: () =>
      times(Math.floor(CARRIER_BYTES_BURST_MAX / CARRIER_MESSAGE_BYTES_MAX), (at) =>
        textFrame(decoyMedia("carrier_a", at + 1)),
      ),
  },
  {
    name: "45 s of late audio",
    bounds: "BACKLOG_MS_MAX",
    stream: carrierStream("carrier_b"),
    silentMs: 0,
    burst: () => times(BACKLOG_MS_MAX / FRAME_MS / 15, (at) => lateMedia(at, 15, 160)),
  },
  {
    name: "45 s of stale audio",
    bounds: "BACKLOG_MS_MAX",
    stream: carrierStream("carrier_c"),
    silentMs: 0,
    burst: () => staleMedia(1, BACKLOG_MS_MAX / FRAME_MS, 160),
  },
];

/** 17 s of audio: what may be made up for, and what may be ahead. */
const caughtUp: readonly BurstLimit[] = [
  ...(
    [
      [rawStream("pcm_s16le", 48_000), (at: number) => binaryFrame(Buffer.alloc(1_920, at))],
      [raw, (at: number) => binaryFrame(Buffer.alloc(640, at))],
      [rawStream("opus", 48_000), (at: number) => binaryFrame(opusPacket(TOC_CELT_20_MS, 160, at))],
      [carrierStream("carrier_a"), (at: number) => textFrame(usualMedia("carrier_a", at + 1, 160))],
      [carrierStream("carrier_b"), (at: number) => textFrame(unusualMedia("carrier_b", at + 1, 160))],
    ] as const
  ).map(([stream, of]) => ({
    name: "17 s of audio",
    bounds: "INGEST_STALL_MS_MAX, INGEST_AHEAD_MS_MAX",
    stream,
    silentMs: INBOUND_STALL_MS_MAX,
    burst: () => times(CATCH_UP_MS / FRAME_MS, of),
  })),
  {
    name: "a backlog of 35 s in an unknown key order",
    bounds: "BACKLOG_MS_MAX, MESSAGES_PER_SECOND_MAX",
    stream: {
      ...carrierStream("carrier_c"),
      // The carrier's clock is known by its first audio.
      opening: [
        ...carrierStream("carrier_c").opening,
        `{"event":"media","sequenceNumber":2,"streamId":"${STREAM_ID}","media":{"track":"inbound","timestamp":"${EPOCH_MS}","chunk":1,"payload":"VVVV"}}`,
      ],
    },
    silentMs: HELD_UP_MS,
    burst: () => times(HELD_UP_MS / FRAME_MS, (at) => textFrame(unusualMedia("carrier_c", at + 1, 160))),
  },
];

export const burstLimits: readonly BurstLimit[] = [...texts, ...carriers, ...unheard, ...caughtUp];
