import type { StreamFormat } from "../../src/core/calls/spec.ts";
import { asCallId } from "../../src/core/ids.ts";
import { createWebsocketWire } from "../../src/wire/websocket/wire.ts";
import { opus } from "../support/audio/opus-codecs.ts";
import { type LegOptions, leg } from "./leg.ts";

/** The codec and the rates that a call is created with that requests none. */
export const DEFAULT_FORMAT: StreamFormat = { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 };

export const WEBSOCKET_CALL_ID = asCallId("call_01980000-0000-7000-8000-000000000001");

export interface WebsocketLegOptions extends Omit<LegOptions, "wire"> {
  format?: Partial<StreamFormat>;
}

/** A leg of connectionType `websocket`: its stream begins with the socket. */
export function websocketLeg({ format, spec, ...options }: WebsocketLegOptions = {}) {
  const negotiated = { ...DEFAULT_FORMAT, ...format };
  const call = leg({
    ...options,
    spec: { connectionType: "websocket", websocket: negotiated, ...spec },
    wire: createWebsocketWire({
      format: negotiated,
      callId: WEBSOCKET_CALL_ID,
      opus,
      transcribes: spec?.mode === "transcription" ? (spec.language ?? "en") : undefined,
    }),
  });
  return {
    ...call,
    /** The messages of one type. */
    received: (type: string) => call.socket.messages.filter((message) => message.type === type),
    /** The transcripts so far, a line for each message: turn, role, text, `.` when final and `...` before. */
    transcripts: () =>
      call.socket.messages
        .filter((message) => message.type === "transcript")
        .map(({ turnId, role, text, final }) => `${turnId} ${role}: ${text}${final === true ? " ." : " ..."}`),
    audio: (bytes: Uint8Array) => call.connection.message(bytes, true),
    type: (text: string) => call.json({ type: "text", text }),
    /** The peer disconnects; returns the log line of the call's end. */
    hangUp: (): Record<string, unknown> => {
      call.connection.closed(1_006, false);
      return call.ends()[0] ?? {};
    },
  };
}

/** Samples as `pcm_s16le`. */
export function pcm(samples: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (let i = 0; i < samples.length; i += 1) bytes.writeInt16LE(samples[i] as number, 2 * i);
  return bytes;
}

/** The samples of `pcm_s16le`. */
export const fromPcm = (bytes: Buffer): Int16Array =>
  Int16Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readInt16LE(2 * i));
