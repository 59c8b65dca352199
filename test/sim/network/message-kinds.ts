import type { ConnectionType } from "../../../src/core/calls/spec.ts";
import type { Wire, WireEvent } from "../../../src/wire/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";

/** What a message on the wire is, as far as the simulation handles or watches it. Binary messages are audio. */
export type MessageKind = "media" | "mark" | "clear" | "start" | "stop" | "other";

const RECEIVED: Readonly<Partial<Record<WireEvent["kind"], MessageKind>>> = {
  audio: "media",
  mark: "mark",
  start: "start",
  stop: "stop",
};

/** Tells what the messages of one stream are, by a wire of its own, which is given each message of the far end in its order. */
export class MessageKinds {
  readonly #wire: Wire;
  readonly #into = inboundAudio();

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Of a message of the far end, as it was sent. */
  received(message: string | Uint8Array): MessageKind {
    if (typeof message !== "string") return "media";
    return RECEIVED[this.#wire.decode(Buffer.from(message), this.#into).kind] ?? "other";
  }

  /** Of a message of the service, as the wire has encoded it: audio alone is bytes. */
  sent(message: string | Uint8Array): MessageKind {
    if (typeof message !== "string") return "media";
    if (message === this.#wire.encodeClear()) return "clear";
    const [before = "", after = ""] = this.#wire.encodeMark("@").split("@");
    return message.startsWith(before) && message.endsWith(after) ? "mark" : "other";
  }
}

/** Messages that must be tolerated. */
interface Nuisances {
  nonsense: readonly string[];
  unknown: readonly string[];
}

const OF_CARRIERS: Nuisances = {
  nonsense: [
    "",
    "{",
    "null",
    "[1,2]",
    '{"event":17}',
    '{"event":"media"}',
    '{"event":"media","media":{"payload":"!!!!"}}',
    '{"event":"mark","mark":{}}',
    '{"event":"start","start":{}}',
    '{"event":"dtmf","streamSid":"somebody else","dtmf":{"digit":"no digit"}}',
  ],
  unknown: [
    '{"event":"weather","sunny":true}',
    '{"event":"MEDIA"}',
    '{"event":"__proto__"}',
    '{"event":"dtmf","dtmf":{"digit":"EE"}}',
  ],
};

/** Here what is no JSON object at all is the wrong kind of data, and ends the call. */
const OF_CLIENTS: Nuisances = {
  nonsense: ["{}", '{"type":17}', '{"type":"mark"}', '{"type":"text","text":" "}', '{"type":"cleared","playedMs":"x"}'],
  unknown: ['{"type":"weather","sunny":true}', '{"type":"MARK"}', '{"type":"__proto__"}'],
};

export const faultsOf = (wire: ConnectionType): Nuisances => (wire === "websocket" ? OF_CLIENTS : OF_CARRIERS);
