import type { Schema } from "../../client/src/index.ts";
import type { Tone } from "../ui/badge.tsx";
import { words } from "./format.ts";

type Call = Pick<Schema<"CallSummary">, "status" | "endReason" | "heldSince">;

/** A state in words that people read, and how it is marked. */
export interface ShownState {
  text: string;
  tone: Tone;
}

const STATES: Readonly<Record<Call["status"], ShownState>> = {
  created: { text: "waiting for its stream", tone: "neutral" },
  queued: { text: "queued", tone: "neutral" },
  ringing: { text: "ringing", tone: "warn" },
  active: { text: "in progress", tone: "active" },
  ended: { text: "ended", tone: "good" },
  expired: { text: "never connected", tone: "neutral" },
  failed: { text: "failed", tone: "bad" },
};

/** Ends that the caller and the agent did not choose. */
const FAULTS: readonly Call["endReason"][] = [
  "connection_lost",
  "unreachable",
  "protocol_error",
  "audio_flood",
  "message_flood",
  "slow_consumer",
  "provider_error",
  "drain_timeout",
  "carrier_failed",
  "no_capacity",
  "unknown",
  "worker_lost",
];

/** The state of a call. */
export function stateOf({ status, endReason, heldSince }: Call): ShownState {
  if (status === "active" && heldSince !== null) return { text: "on hold", tone: "warn" };
  if (status === "ended" && FAULTS.includes(endReason)) return { text: "broken off", tone: "bad" };
  return STATES[status];
}

/** Why a call ended, in words. */
export const endText = (reason: Call["endReason"]): string => (reason === null ? "" : words(reason));

/** The states by which lists are filtered. */
export const STATUS_CHOICES = Object.entries(STATES).map(([value, { text }]) => ({ value, label: text }));
