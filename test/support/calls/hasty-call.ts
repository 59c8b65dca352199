import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "./virtual-call.ts";

export const SPEC = { firstSpeaker: "user", interruptible: true } as const;
/** Whatever the weights of the score are: every pause of 200 ms ends a turn. */
export const HASTY = { ...DEFAULT_TURN_PARAMETERS, turnWaitMsMin: 160, turnWaitMsMax: 200 };
/** The words of a pause come so long after the last voiced frame, ms. */
const LAG_MS = 100;

/** A call in which every pause of 200 ms ends a turn. */
export function hasty(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ greeting: "none", spec: SPEC, parameters: HASTY, ...options });
  call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

interface Spoken {
  lagMs?: number;
  /** What the STT's utterance has before it: its transcripts are the whole utterance. */
  utterance?: string;
  /** Its final transcript, and how long after the last voiced frame. */
  final?: string;
  finalAfterMs?: number;
  endOfTurn?: number;
}

/** Speaks; returns when the caller is silent again. */
export function speak(call: VirtualCall, atMs: number, text: string, spoken: Spoken = {}): number {
  const { lagMs = LAG_MS, utterance = "", final, finalAfterMs = 700, endOfTurn } = spoken;
  const words = text.split(" ");
  const endMs = atMs + words.length * WORD_MS;
  call.coughs(atMs, endMs - atMs);
  for (const [index] of words.entries()) {
    const said = [utterance, ...words.slice(0, index + 1)].filter(Boolean).join(" ");
    const signal = endOfTurn !== undefined && index === words.length - 1 ? { endOfTurn } : {};
    call.at(atMs + (index + 1) * WORD_MS + lagMs, () => call.handle({ kind: "stt-interim", text: said, ...signal }));
  }
  if (final !== undefined) call.at(endMs + finalAfterMs, () => call.handle({ kind: "stt-final", text: final }));
  return endMs;
}

/** What the LLM was asked, and when. */
export const asked = (call: VirtualCall): { atMs: number; text: string | undefined }[] =>
  call.commands.flatMap(({ atMs, command }) =>
    command.kind === "generate-reply"
      ? [{ atMs, text: command.messages.findLast(({ role }) => role === "user")?.text }]
      : [],
  );
export const saidByCaller = (call: VirtualCall): string[] =>
  call.turns.filter(({ role }) => role === "user").map(({ text }) => text);
