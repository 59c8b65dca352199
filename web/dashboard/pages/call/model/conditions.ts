import type { CallEvent, EventOf, Span } from "./types.ts";

/** A time in which the line or the call was in another state than talking. */
export interface Condition extends Span {
  readonly kind: "hold" | "transfer" | "detached" | "network" | "recording-paused";
  /** What it came to, in a sentence. */
  readonly text: string;
  /** Still so at the end of the events. */
  readonly isOpen: boolean;
}

/** A provider that was given up for another. */
export type Failover = EventOf<"provider-switched">;

type Open = { -readonly [Key in keyof Condition]: Condition[Key] };

/** Collects holds, transfers, lost streams, stretches without audio and pauses of the recording, in the order of their ends. */
export class ConditionCollector {
  readonly #closed: Condition[] = [];
  readonly #open = new Map<Condition["kind"], Open>();
  readonly failovers: Failover[] = [];

  take(event: CallEvent): void {
    switch (event.kind) {
      case "held":
        this.#begin("hold", event.atMs, `The caller was put on hold, for ${seconds(event.msMax)} at most.`);
        return;
      case "resumed":
        this.#end(
          "hold",
          event.atMs,
          `The caller was on hold for ${seconds(event.heldMs)}. ${HOLD_ENDS[event.reason]}`,
        );
        return;
      case "transfer-started":
        this.#begin("transfer", event.atMs, `The carrier rang ${event.target || "the target of a transfer"}.`);
        return;
      case "transfer-failed":
        this.#end("transfer", event.atMs, `The transfer led to nothing: ${event.outcome.replaceAll("_", " ")}.`);
        return;
      case "leg-detached":
        this.#begin("detached", event.atMs, "The media stream was lost.");
        return;
      case "leg-started":
        this.#end("detached", event.atMs, "The media stream was lost, until another one started.");
        return;
      case "recording-paused":
        this.#begin("recording-paused", event.atMs, "The recording was paused: neither audio nor words are stored.");
        return;
      case "recording-resumed":
        this.#end("recording-paused", event.atMs);
        return;
      case "audio-gap":
        this.#closed.push(networkGap(event));
        return;
      case "provider-switched":
        this.failovers.push(event);
        return;
      default:
        return;
    }
  }

  /** In the order of their starts; what has not ended lasts until `nowMs`. */
  all(nowMs: number): Condition[] {
    const open = [...this.#open.values()].map((condition) => ({ ...condition, endMs: nowMs }));
    return [...this.#closed, ...open].sort((a, b) => a.startMs - b.startMs);
  }

  #begin(kind: Condition["kind"], startMs: number, text: string): void {
    if (!this.#open.has(kind)) this.#open.set(kind, { kind, startMs, endMs: startMs, text, isOpen: true });
  }

  #end(kind: Condition["kind"], endMs: number, text?: string): void {
    const open = this.#open.get(kind);
    if (open === undefined) return;
    this.#open.delete(kind);
    this.#closed.push({ ...open, endMs, text: text ?? open.text, isOpen: false });
  }
}

const HOLD_ENDS: Readonly<Record<EventOf<"resumed">["reason"], string>> = {
  requested: "The API ended the hold.",
  expired: "It ended after its longest time.",
  transfer: "It ended because the caller was transferred.",
  goodbye: "It ended because the service ended the call.",
};

function networkGap({ atMs, gapMs, lostMs }: EventOf<"audio-gap">): Condition {
  const lost =
    lostMs === 0
      ? "All of it came later, at once: a stall of the network."
      : `${seconds(lostMs)} of it never came: it was lost, or the client sent none.`;
  const text = `No audio of the caller arrived for ${seconds(gapMs)}. ${lost}`;
  return { kind: "network", startMs: atMs - gapMs, endMs: atMs, text, isOpen: false };
}

/** "1.2 s", and "340 ms" for less than a second. */
export const seconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
