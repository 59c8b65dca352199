import { readFileSync } from "node:fs";
import alawmulaw from "alawmulaw";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { G711Codec } from "../../../src/wire/wire.ts";
import { linesOf, messageOf, type WireMessage } from "./wire-under-test.ts";

/** Three bytes of audio. */
export const PAYLOAD = "f39/";

/** What carriers have in common: how their audio is written, and that there is but one kind of refusal. */
export function common(lines: readonly string[], inbound: G711Codec) {
  return {
    lines,
    messages: lines.map(messageOf),
    inbound,
    heard: (audio: readonly WireMessage[]) => {
      const payloads = audio.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).media.payload);
      const bytes = new Uint8Array(Buffer.concat(payloads.map((payload) => Buffer.from(payload, "base64"))));
      return { samples: alawmulaw[inbound].decode(bytes), bytes };
    },
    kindKey: "event",
    stopBytesMax: CARRIER_MESSAGE_BYTES_MAX,
    refusals: { notAnObject: "wire_malformed", tooLong: "wire_malformed" },
  };
}

/** Whether a message is the one that `audio` makes of the payload. */
export const holdsAs = (audio: (payload: string) => string) => (message: Uint8Array, bytes: Uint8Array) =>
  Buffer.from(message).toString() === audio(Buffer.from(bytes).toString("base64"));

/** The recorded stream in the folder of a carrier. */
export const carrierLines = (folder: string): string[] =>
  linesOf(readFileSync(new URL(`../../../src/carriers/${folder}/messages.jsonl`, import.meta.url), "utf8"));
