import { epochMs } from "../core/clocks.ts";
import { wireTooLarge, wireWrongData } from "../core/errors.ts";
import { TURN_TEXT_CHARS_MAX } from "../core/limits/calls/calls.ts";
import { JSON_DEPTH_MAX } from "../core/limits/control-api/api.ts";
import { CARRIER_MESSAGE_BYTES_MAX, TEXT_MESSAGE_BYTES_MAX } from "../core/limits/streams/messages.ts";
import { type ClientMessageType, isClientMessageType, type ServiceMessageType } from "./client-messages.ts";
import { CLEARED, readDigit, STOP, UNKNOWN_EVENT } from "./events.ts";
import { Fields } from "./json.ts";
import type { ClientMessage, ParseCharge, WireEvent } from "./wire.ts";

// The text messages of our own clients, JSON objects with a `type`: see docs/stream-protocol.md. A raw WebSocket and a
// WebRTC call have the same ones, whatever carries their audio.

/** A text of the service. */
export const encodeText = (type: ServiceMessageType, fields: object = {}): string =>
  JSON.stringify({ type, ...fields });

/** As `Wire.encodeClientMessage`; `negotiated` are the fields of `ready` after its `callId`. */
export function encodeClientMessage(message: ClientMessage, negotiated: object): string | undefined {
  switch (message.kind) {
    case "interim":
    case "utterance":
      return undefined;
    case "ready":
      return encodeText("ready", { callId: message.callId, ...negotiated, resumeUrl: message.resumeUrl });
    case "state":
      return encodeText("state", { state: message.state, latency: message.latency });
    case "transcript": {
      const { role, text, final, turnId, approximate } = message;
      return encodeText("transcript", { role, text, final, turnId, approximate });
    }
    case "tool-call": {
      const { id, name, arguments: given } = message;
      return encodeText("toolCall", { id, name, arguments: given });
    }
    case "error":
      return encodeText("error", { code: message.code, message: message.message });
    case "ended":
      return encodeText("ended", { reason: message.reason });
  }
}

/** The types whose messages may have the maximum length. */
const LONG_TYPES: readonly unknown[] = ["text", "toolResult"] satisfies ClientMessageType[];

/** Reads a text of a client, as `Wire.decode` does; `wire` names the wire in errors. */
export function readClientText(wire: string, message: Uint8Array, charge?: ParseCharge): WireEvent {
  if (message.length > CARRIER_MESSAGE_BYTES_MAX) {
    throw wireTooLarge(wire, `a text message must not be over ${CARRIER_MESSAGE_BYTES_MAX} bytes`);
  }
  charge?.(message.length);
  const fields = Fields.parse(wire, message, wireWrongData);
  const type = fields.get("type");
  if (message.length > TEXT_MESSAGE_BYTES_MAX && !LONG_TYPES.includes(type)) {
    throw wireTooLarge(wire, `only text and toolResult may be over ${TEXT_MESSAGE_BYTES_MAX} bytes`);
  }
  if (typeof type !== "string") throw fields.malformed("type must be a string");
  if (!isClientMessageType(type)) return UNKNOWN_EVENT;
  switch (type) {
    case "mark":
      return { kind: "mark", name: fields.text("name") };
    case "cleared":
      return readCleared(fields);
    case "dtmf":
      return readDigit(fields, epochMs(Number.NaN));
    case "text":
      return { kind: "text", text: readTyped(fields) };
    case "toolResult":
      return readToolResult(fields, message.length, charge);
    case "end":
      return STOP;
  }
}

/** `playedMs` is optional, but must be a valid number where it is present. */
function readCleared(fields: Fields): WireEvent {
  if (fields.get("playedMs") === undefined) return CLEARED;
  const playedMs = fields.number("playedMs");
  if (Number.isNaN(playedMs)) throw fields.malformed("playedMs must be a number of milliseconds");
  return { kind: "cleared", playedMs };
}

/** The typed text, unchanged. */
function readTyped(fields: Fields): string {
  const text = fields.get("text");
  if (typeof text === "string" && text.length <= TURN_TEXT_CHARS_MAX && text.trim() !== "") return text;
  throw fields.malformed(`text must be a string of 1 to ${TURN_TEXT_CHARS_MAX} characters, and not blank`);
}

/** The LLM gets `result`, a text unchanged and anything else as JSON; or `error`, a text. */
function readToolResult(fields: Fields, messageBytes: number, charge?: ParseCharge): WireEvent {
  const id = fields.text("id");
  const [result, error] = [fields.get("result"), fields.get("error")];
  if (error !== undefined) {
    if (typeof error !== "string") throw fields.malformed("error must be a string");
    return { kind: "tool-result", id, result: error, failed: true };
  }
  // The parsed value is serialized again, which costs as much.
  if (typeof result === "object") charge?.(messageBytes);
  return {
    kind: "tool-result",
    id,
    result: typeof result === "string" ? result : readJson(fields, result),
    failed: false,
  };
}

/** Serializing JSON that is nested thousands of levels deep is slow, and then fails. */
function readJson(fields: Fields, value: unknown): string {
  if (isDeeperThan(JSON_DEPTH_MAX, value)) throw fields.malformed(`result must have at most ${JSON_DEPTH_MAX} levels`);
  return JSON.stringify(value ?? null);
}

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((child) => isDeeperThan(levels - 1, child)));
