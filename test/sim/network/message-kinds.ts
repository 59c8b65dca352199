import type { ConnectionType } from "../../../src/core/calls/spec.ts";

/** What a message on the wire is, as far as the simulation handles or watches it. Binary messages are audio. */
export type MessageKind = "media" | "mark" | "clear" | "start" | "stop" | "other";

/** How the messages of all dialects begin; no two dialects mean another thing by the same words. */
const BEGINNINGS: readonly (readonly [string, MessageKind])[] = [
  ['{"event":"media"', "media"],
  ['{"event":"playAudio"', "media"],
  ['{"event":"mark"', "mark"],
  ['{"event":"checkpoint"', "mark"],
  ['{"event":"playedStream"', "mark"],
  ['{"type":"mark"', "mark"],
  ['{"event":"clear"', "clear"],
  ['{"event":"clearAudio"', "clear"],
  ['{"type":"clear"', "clear"],
  ['{"event":"start"', "start"],
  ['{"event":"stop"', "stop"],
  ['{"type":"end"', "stop"],
];

export function kindOf(message: string | Uint8Array): MessageKind {
  if (typeof message !== "string") return "media";
  return BEGINNINGS.find(([beginning]) => message.startsWith(beginning))?.[1] ?? "other";
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
