import type { Playout, Reply, Segment } from "./replies.ts";
import type { Span } from "./types.ts";

/** How much of a sentence the caller has heard. */
export type HeardPart = "all" | "part" | "none";

/**
 * One sentence of a reply in three lanes: how long its audio is, how much of it was sent, and how much was heard. All three begin where
 * the caller began to hear it, or would have, so that what is missing of one lane stands above what is missing of the next.
 */
export interface SentenceLanes {
  readonly segment: Segment;
  readonly turnId: number;
  /** Undefined where the TTS has made no audio of it. */
  readonly generated: Span | undefined;
  readonly sent: Span | undefined;
  readonly heard: Span | undefined;
  readonly heardPart: HeardPart;
  /** The words of the sentence that were heard; undefined where the words of the call are not stored. */
  readonly heardText: string | undefined;
  /** Audio that was generated, sent and heard, ms. */
  readonly generatedMs: number;
  readonly sentMs: number;
  readonly heardMs: number;
}

/** The lanes of a reply's sentences. `rateHz`: of the agent's audio; `nowMs`: until when what still plays has played. */
export function lanesOf(reply: Reply, rateHz: number, nowMs: number): SentenceLanes[] {
  const texts = heardTexts(reply);
  const untilMs = heardUntilMs(reply, nowMs);
  let offsetMs = 0;
  return reply.segments.map((segment, at) => {
    const generatedMs = (segment.samples * 1_000) / rateHz;
    const range = { fromMs: offsetMs, toMs: offsetMs + generatedMs };
    offsetMs = range.toMs;
    const sent = partsOf(reply.playouts, range, (playout) => sentOf(playout, nowMs));
    const heard = partsOf(reply.playouts, range, (playout) => heardOf(playout, untilMs));
    const startMs = sent.span?.startMs ?? wouldStartMs(reply, range.fromMs);
    const heardText = texts?.[at];
    return {
      segment,
      turnId: reply.turnId,
      generated: generatedMs === 0 ? undefined : generatedSpan(startMs, range, reply.playouts, sent.span),
      sent: sent.span,
      heard: heard.span,
      heardPart: heardPartOf(segment, heardText, { generatedMs, heardMs: heard.ms }),
      heardText,
      generatedMs,
      sentMs: sent.ms,
      heardMs: heard.ms,
    };
  });
}

/** A part of the reply's own audio, ms from its start. */
interface AudioRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const sentOf = ({ startMs, sentMs }: Playout, nowMs: number): number => sentMs ?? Math.max(0, nowMs - startMs);

/** What a playout has played by `untilMs`; when it ended early, the peer was ordered to drop the rest. */
const heardOf = (playout: Playout, untilMs: number): number =>
  Math.max(0, Math.min(sentOf(playout, untilMs), Math.min(playout.endMs ?? untilMs, untilMs) - playout.startMs));

/** Until when the reply was heard: after a lost connection the heard ledger counts less than the playback clock. */
function heardUntilMs({ agentTurn, cancelled, startMs }: Reply, nowMs: number): number {
  if (agentTurn !== undefined) return agentTurn.endMs;
  if (cancelled === undefined) return nowMs;
  return cancelled.heardText === "" && cancelled.chars === undefined ? startMs : cancelled.atMs;
}

/** When the parts of `range` play that are within the first `lengthOf` ms of each playout, and how long they are in all. */
function partsOf(
  playouts: readonly Playout[],
  range: AudioRange,
  lengthOf: (playout: Playout) => number,
): { span: Span | undefined; ms: number } {
  let span: Span | undefined;
  let ms = 0;
  for (const playout of playouts) {
    const from = Math.max(range.fromMs, playout.fromMs);
    const to = Math.min(range.toMs, playout.fromMs + lengthOf(playout));
    if (to <= from) continue;
    ms += to - from;
    const startMs = playout.startMs + from - playout.fromMs;
    span = { startMs: span?.startMs ?? startMs, endMs: startMs + to - from };
  }
  return { span, ms };
}

/** When audio would have begun that was not sent: after what was, without a pause. */
function wouldStartMs({ playouts, startMs }: Reply, fromMs: number): number {
  const last = playouts.at(-1);
  return last === undefined ? startMs : last.startMs + fromMs - last.fromMs;
}

/** As long as its audio, and longer where pauses interrupted it. */
function generatedSpan(
  startMs: number,
  { fromMs, toMs }: AudioRange,
  playouts: readonly Playout[],
  sent: Span | undefined,
): Span {
  const last = playouts.findLast((playout) => playout.fromMs < toMs);
  const endMs = last === undefined ? startMs + toMs - fromMs : last.startMs + toMs - last.fromMs;
  return { startMs, endMs: Math.max(endMs, sent?.endMs ?? startMs) };
}

/** Audio of this length at the end of a sentence is silence or rounding. */
const ROUNDING_MS = 20;

function heardPartOf(
  { text }: Segment,
  heardText: string | undefined,
  { generatedMs, heardMs }: { generatedMs: number; heardMs: number },
): HeardPart {
  if (heardText !== undefined && text !== "") {
    if (squeezed(heardText) === squeezed(text)) return "all";
    return heardText === "" ? "none" : "part";
  }
  if (heardMs === 0) return "none";
  return heardMs >= generatedMs - ROUNDING_MS ? "all" : "part";
}

/**
 * The words of each segment that were heard, from the transcript's turn or from the cancelled reply: both say what the heard ledger of the
 * call says. Undefined where there are no words, or while the reply plays.
 */
function heardTexts({ agentTurn, cancelled, segments, playouts }: Reply): string[] | undefined {
  const heard = agentTurn?.text ?? cancelled?.heardText;
  const isEmpty = segments.every(({ text }) => text === "");
  if (isEmpty || segments.length === 0) return undefined;
  if (heard === undefined) return playouts.length === 0 ? segments.map(() => "") : undefined;
  return splitHeard(
    segments.map(({ text }) => text),
    heard,
  );
}

const SPACES = /\s+/g;
const squeezed = (text: string): string => text.replace(SPACES, "");

/** Divides the heard text among the segments, of which it is the beginning but for spaces. */
export function splitHeard(segments: readonly string[], heard: string): string[] {
  let rest = squeezed(heard);
  return segments.map((text) => {
    if (rest === "") return "";
    const whole = squeezed(text);
    if (rest.startsWith(whole)) {
      rest = rest.slice(whole.length);
      return text;
    }
    // A segment without audio was not heard, even where later ones were.
    if (!whole.startsWith(rest)) return "";
    const part = beginning(text, rest.length);
    rest = "";
    return part;
  });
}

/** The beginning of a text with so many units that are no spaces. */
function beginning(text: string, units: number): string {
  let count = 0;
  let end = 0;
  for (; end < text.length && count < units; end += 1) if ((text[end] as string).trim() !== "") count += 1;
  return text.slice(0, end);
}
