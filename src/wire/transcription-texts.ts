import { wireTooLarge, wireWrongData } from "../core/errors.ts";
import { TEXT_MESSAGE_BYTES_MAX } from "../core/limits/streams/messages.ts";
import { estimateWordTimes } from "../core/transcriptions/estimated-times.ts";
import { isTranscriptionClientMessage, type TranscriptionMessageType } from "./client-messages.ts";
import { UNKNOWN_EVENT } from "./events.ts";
import { Fields } from "./json.ts";
import type { ClientMessage, ParseCharge, WireEvent } from "./wire.ts";

// The text messages of live transcriptions, JSON objects with a `type`: see docs/transcribe.md.

const FINALIZE: WireEvent = { kind: "finalize", isLast: false };
const FINISH: WireEvent = { kind: "finalize", isLast: true };
const KEEP_ALIVE: WireEvent = { kind: "keep-alive" };

const encodeText = (type: TranscriptionMessageType, fields: object): string => JSON.stringify({ type, ...fields });

/** As `Wire.encodeClientMessage`; `language` is that of the transcription, and `input` the format that was negotiated. */
export function encodeTranscriptionMessage(
  message: ClientMessage,
  { language, input }: { language: string; input: object },
): string | undefined {
  switch (message.kind) {
    case "ready":
      return encodeText("ready", {
        transcriptionId: message.callId,
        input,
        durationMs: message.audioMs ?? 0,
        resumeUrl: message.resumeUrl,
      });
    case "interim":
      return encodeText("interim", { text: message.text, startMs: message.startMs });
    case "utterance": {
      const { index, text, startMs, endMs, language: detected } = message;
      const words = estimateWordTimes(text, [{ startMs, endMs }], detected ?? language);
      return encodeText("final", { index, text, startMs, endMs, words, language: detected });
    }
    case "error":
      return encodeText("error", { code: message.code, message: message.message });
    case "ended":
      return encodeText("end", { reason: message.reason, durationMs: message.audioMs ?? 0 });
    case "state":
    case "transcript":
    case "tool-call":
      return undefined;
  }
}

/** Reads a text of a client, as `Wire.decode` does; `wire` names the wire in errors. */
export function readTranscriptionText(wire: string, message: Uint8Array, charge?: ParseCharge): WireEvent {
  if (message.length > TEXT_MESSAGE_BYTES_MAX) {
    throw wireTooLarge(wire, `a text message must not be over ${TEXT_MESSAGE_BYTES_MAX} bytes`);
  }
  charge?.(message.length);
  const fields = Fields.parse(wire, message, wireWrongData);
  const type = fields.get("type");
  if (typeof type !== "string") throw fields.malformed("type must be a string");
  if (!isTranscriptionClientMessage(type)) return UNKNOWN_EVENT;
  switch (type) {
    case "finalize":
      return FINALIZE;
    case "keepAlive":
      return KEEP_ALIVE;
    case "end":
      return FINISH;
  }
}
