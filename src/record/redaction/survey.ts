import { setImmediate } from "node:timers/promises";
import { addMs, type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import type { RedactableText, RedactionKind, RedactionRules, RedactionSpan } from "../../core/redaction/kinds.ts";
import { findRedactions, withoutSpans } from "../../core/redaction/redaction.ts";
import {
  audioSpecOf,
  type JournaledCommand,
  type JournaledEvent,
  type JournalHeader,
  type JournalRecord,
} from "../journal/records.ts";
import type { FoundInCall, Interval, SampleRange } from "./found.ts";
import { textsOfCommand, textsOfEvent } from "./texts.ts";

/** The first and the last sound of an utterance are outside its times by less than this, ms. */
const PAD_MS = 300;
/** The tone of a key may be longer than its message. */
const DTMF_MS = 600;
/** A pause of this length ends the speech in which an interim transcript lies, ms. */
const SPEECH_PAUSE_MS = 1_500;
/** The words of a segment are placed this exactly, ms. */
const WORD_PAD_MS = 80;

type TimedWord = Extract<JournaledEvent, { kind: "segment-audio" }>["words"][number];

/** How many transcripts are searched in one turn of the event loop. */
const TRANSCRIPTS_AT_ONCE = 25;

/** What one segment of a reply says, and when. */
interface Segment {
  text: string;
  samples: number;
  readonly words: TimedWord[];
}

/** A text of the caller, and when its sound is. */
interface Heard {
  readonly text: RedactableText;
  readonly interval: Interval;
}

/** Reads a journal, and finds what it may not keep. */
export class RedactionSurvey {
  header: JournalHeader | undefined;
  /** The time of the last record. */
  lastMs = callMs(0);
  /** The call's end is in the journal. */
  hasEnd = false;
  readonly commands: { timeMs: CallMs; command: JournaledCommand }[] = [];
  /** Those that the call changed to. */
  readonly languages = new Set<string>();
  /** The texts that are kept, redacted, in the order of their records. */
  readonly #kept: { text: RedactableText; interval: Interval | undefined }[] = [];
  /** What the STT heard, where its sound is kept: an interim may have words that no final has. */
  readonly #transcripts: Heard[] = [];
  readonly #replies = new Map<TurnId, Map<number, Segment>>();
  readonly #dtmf: Interval[] = [];
  #speechStartMs = callMs(0);
  #lastSpeechMs = callMs(Number.NEGATIVE_INFINITY);

  take(record: JournalRecord): void {
    this.lastMs = record.timeMs;
    switch (record.kind) {
      case "header":
        this.header = record.header;
        return;
      case "frame-in":
        if (record.isSpeech) this.#onSpeech(record.timeMs);
        return;
      case "event":
        this.#onEvent(record.event, record.timeMs);
        return;
      case "command":
        this.commands.push({ timeMs: record.timeMs, command: record.command });
        if (record.command.kind === "end") this.hasEnd = true;
        this.onCommand(record.command);
        return;
      case "frame-out":
      case "attached":
        return;
    }
  }

  /** Takes a command of the journal, or one that is to be added to it. */
  onCommand(command: JournaledCommand): void {
    const interval = intervalOf(command);
    for (const text of textsOfCommand(command)) this.#kept.push({ text, interval });
    if (command.kind === "language") this.languages.add(command.language);
    if (command.kind === "speak") this.#segment(command.turnId, command.segment).text = command.text;
  }

  #onSpeech(timeMs: CallMs): void {
    if (elapsedMs(this.#lastSpeechMs, timeMs) > SPEECH_PAUSE_MS) this.#speechStartMs = timeMs;
    this.#lastSpeechMs = timeMs;
  }

  #onEvent(event: JournaledEvent, timeMs: CallMs): void {
    for (const text of textsOfEvent(event)) this.#kept.push({ text, interval: undefined });
    if (event.kind === "dtmf") this.#dtmf.push([addMs(timeMs, -DTMF_MS), addMs(timeMs, DTMF_MS)]);
    else if (event.kind === "stt-interim" || event.kind === "stt-final") {
      if (this.header === undefined || audioSpecOf(this.header) === undefined) return;
      const interval = [addMs(this.#speechStartMs, -PAD_MS), timeMs] as const;
      this.#transcripts.push({ text: { speaker: "user", text: event.text }, interval });
    } else if (event.kind === "segment-audio") {
      const segment = this.#segment(event.turnId, event.segment);
      segment.samples += event.samples;
      segment.words.push(...event.words);
    }
  }

  #segment(turnId: TurnId, number: number): Segment {
    const reply = this.#replies.get(turnId) ?? new Map<number, Segment>();
    this.#replies.set(turnId, reply);
    const segment = reply.get(number) ?? { text: "", samples: 0, words: [] };
    reply.set(number, segment);
    return segment;
  }

  /** Call this once, after the last record. `rateHz`: of the agent's audio. The event loop runs in between. */
  async result(
    rules: RedactionRules,
    rateHz: number,
  ): Promise<{ found: FoundInCall; counts: Partial<Record<RedactionKind, number>> }> {
    const texts = this.#kept.map(({ text }) => text);
    const replies = [...this.#replies].map(([turnId, segments]) => {
      const ordered = [...segments].sort(([a], [b]) => a - b).map(([, segment]) => segment);
      return { turnId, segments: ordered, text: ordered.map(({ text }) => text).join(" ") };
    });
    // What is spoken is searched together with what is kept, so that it finds the same numbers.
    const spoken = replies.map(({ text }) => ({ speaker: "agent", text }));
    const all = findRedactions([...texts, ...spoken], rules);
    const spans = all.slice(0, texts.length);
    const agentRanges = new Map<TurnId, SampleRange[]>();
    for (const [at, { turnId, segments }] of replies.entries()) {
      const ranges = rangesOf(segments, all[texts.length + at] ?? [], rateHz);
      if (ranges.length > 0) agentRanges.set(turnId, ranges);
    }
    const said = this.#kept.flatMap(({ interval }, at) => {
      return interval !== undefined && (spans[at]?.length ?? 0) > 0 ? [interval] : [];
    });
    const transcribed = await this.#foundTranscripts(rules);
    return {
      found: {
        texts: texts.map(({ text }, at) => withoutSpans(text, spans[at] ?? [])),
        callerIntervals: [...said, ...transcribed, ...this.#dtmf],
        agentRanges,
      },
      counts: countsOf(spans),
    };
  }

  /** When transcripts were spoken that have something to redact: an interim may have what no final has. */
  async #foundTranscripts(rules: RedactionRules): Promise<Interval[]> {
    const found: Interval[] = [];
    for (const [at, { text, interval }] of this.#transcripts.entries()) {
      if (at % TRANSCRIPTS_AT_ONCE === 0) await setImmediate();
      if (findRedactions([text], rules)[0]?.length !== 0) found.push(interval);
    }
    return found;
  }
}

/** When the caller said what a command repeats; undefined where it repeats nothing of the caller. */
function intervalOf(command: JournaledCommand): Interval | undefined {
  if (command.kind === "ignore") return padded(command);
  return command.kind === "turn" && command.turn.role === "user" ? padded(command.turn) : undefined;
}

const padded = ({ startMs, endMs }: { startMs: CallMs; endMs: CallMs }): Interval => [
  addMs(startMs, -PAD_MS),
  addMs(endMs, PAD_MS),
];

function countsOf(spans: readonly (readonly RedactionSpan[])[]): Partial<Record<RedactionKind, number>> {
  const counts: Partial<Record<RedactionKind, number>> = {};
  for (const { kind } of spans.flat()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The samples of a reply that say these spans of its text, whose segments are joined by a space. */
function rangesOf(segments: readonly Segment[], spans: readonly RedactionSpan[], rateHz: number): SampleRange[] {
  const ranges: SampleRange[] = [];
  let textAt = 0;
  let sampleAt = 0;
  for (const segment of segments) {
    const textEnd = textAt + segment.text.length;
    const ofSegment = spans.filter(({ from, to }) => from < textEnd && to > textAt);
    if (ofSegment.length > 0) {
      const local = ofSegment.map(({ from, to }): SampleRange => [from - textAt, to - textAt]);
      for (const [from, to] of wordRanges(segment, local, rateHz)) ranges.push([sampleAt + from, sampleAt + to]);
    }
    textAt = textEnd + 1;
    sampleAt += segment.samples;
  }
  return ranges;
}

/** The samples of the words at these places of a segment's text; all of them where the words are not placed in the text. */
function wordRanges({ text, samples, words }: Segment, places: readonly SampleRange[], rateHz: number): SampleRange[] {
  const found: SampleRange[] = [];
  let at = 0;
  for (const word of words) {
    const from = text.indexOf(word.text, at);
    if (from < 0) return [[0, samples]];
    at = from + word.text.length;
    if (!places.some(([start, end]) => start < at && end > from)) continue;
    const first = ((word.startMs - WORD_PAD_MS) * rateHz) / 1_000;
    found.push([Math.max(0, first), ((word.endMs + WORD_PAD_MS) * rateHz) / 1_000]);
  }
  const isWhole = text.slice(at).trim() === "";
  return words.length === 0 || !isWhole || found.length === 0 ? [[0, samples]] : found;
}
