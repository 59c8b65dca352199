import { SegmentSplitter } from "../../src/call/reply/segmentation.ts";

/**
 * How far a sentence of the agent has come: `generated` by the LLM, `sent` where its audio arrives in this browser or has arrived,
 * `heard` in full, `cut` where the caller interrupted it or the call ended, `unheard` where nothing of it was played.
 */
export type SentenceProgress = "generated" | "sent" | "heard" | "cut" | "unheard";

export interface Sentence {
  text: string;
  progress: SentenceProgress;
}

export interface Turn {
  /** Unique in the conversation. */
  id: string;
  role: "agent" | "user";
  sentences: readonly Sentence[];
  /** Nothing of it changes any more. */
  isFinal: boolean;
  /** From the caller's last word to the first sound of the answer, where the service tells it. */
  delayMs?: number;
}

/** What is read of the SDK's event `transcript`. */
export interface TranscriptUpdate {
  role: "agent" | "user";
  text: string;
  final: boolean;
  turnId: string;
}

/** What is read of the SDK's event `mark`. */
export interface MarkUpdate {
  /** `<turn>.<segment>`. */
  name: string;
  /** False when the audio before the mark has arrived, true when it has been played. */
  played: boolean;
}

/** A sentence, or what a segment has of one. */
interface SpokenSentence extends Sentence {
  /** The number of its segment in the turn. */
  segment: number;
}

interface OpenTurn extends Turn {
  sentences: SpokenSentence[];
  /** How many segments its text has. */
  segments: number;
  /** Names the marks of this turn; undefined until its first one comes. */
  marks: string | undefined;
  /** Its audio arrives: the first segment after those that were sent is on its way. */
  isSpoken: boolean;
  /** How many of its segments have arrived, and were played. */
  sent: number;
  heard: number;
}

/** From so many letters on the service hands the first clause of a reply to the TTS, unless it is configured otherwise. */
const FIRST_CLAUSE_LETTERS = 24;
/** Only where words end in texts of 220 letters without a space depends on it. */
const LANGUAGE = "en";

const SENTENCES = new Intl.Segmenter(undefined, { granularity: "sentence" });

/**
 * The turns of a call as the events of the SDK tell them, with the progress of each sentence of the agent. The service marks the end
 * of each segment that it hands to the TTS: a long sentence, some short ones, or a clause. A transcript grows by whole segments, mostly
 * by one; the service's own splitter finds those of a longer text. After a lost connection marks come again, with the same numbers.
 * The final text of the turn, which is what was heard, has the last word.
 */
export class Conversation {
  readonly #turns: OpenTurn[] = [];
  #delayMs: number | undefined;
  #isSpeaking = false;

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  /** A turn's text so far. Returns the turn, or undefined for one that was none. */
  transcript({ role, text, final, turnId }: TranscriptUpdate): Turn | undefined {
    const turn = this.#turns.find(({ id }) => id === turnId) ?? this.#begin(role, turnId);
    if (role === "user") turn.sentences = text === "" ? [] : [{ text, progress: "heard", segment: 0 }];
    else if (final) turn.sentences = heardOf(turn.sentences, text);
    else grow(turn, text);
    turn.isFinal = final;
    if (turn.sentences.length > 0) return turn;
    this.#turns.splice(this.#turns.indexOf(turn), 1);
    return undefined;
  }

  /** Audio of the agent has arrived, or was played. Returns the turn that it changes. */
  mark({ name, played }: MarkUpdate): Turn | undefined {
    const dot = name.lastIndexOf(".");
    const marks = name.slice(0, dot);
    const count = Number(name.slice(dot + 1)) + 1;
    const turn =
      this.#turns.find((one) => one.marks === marks) ??
      this.#turns.find((one) => one.role === "agent" && !one.isFinal && one.marks === undefined);
    if (turn === undefined || turn.isFinal || Number.isNaN(count)) return undefined;
    turn.marks = marks;
    if (played) turn.heard = Math.max(turn.heard, count);
    else turn.sent = Math.max(turn.sent, count);
    applyMarks(turn);
    return turn;
  }

  /** Whether the agent speaks at present. Returns the turn that it speaks. */
  speaking(isSpeaking: boolean): Turn | undefined {
    this.#isSpeaking = isSpeaking;
    const turn = this.#turns.findLast(({ role, isFinal }) => role === "agent" && !isFinal);
    if (turn === undefined || turn.isSpoken === isSpeaking) return undefined;
    turn.isSpoken = isSpeaking;
    applyMarks(turn);
    return turn;
  }

  /** The call is over: what was not heard until now is not heard any more. */
  end(): void {
    for (const turn of this.#turns.filter(({ isFinal }) => !isFinal)) {
      turn.isFinal = true;
      if (turn.role === "user") continue;
      const first = turn.sentences.findIndex(({ progress }) => progress !== "heard");
      turn.sentences = turn.sentences.map((sentence, at) => ({
        ...sentence,
        progress: sentence.progress === "heard" ? "heard" : at === first && turn.isSpoken ? "cut" : "unheard",
      }));
    }
  }

  /** The agent has begun to speak this long after the caller's last word. Returns the turn, if its words are known already. */
  delay(delayMs: number): Turn | undefined {
    const turn = this.#turns.findLast(({ role, isFinal }) => role === "agent" && !isFinal);
    if (turn === undefined) this.#delayMs = delayMs;
    else turn.delayMs = delayMs;
    return turn;
  }

  #begin(role: Turn["role"], id: string): OpenTurn {
    const turn: OpenTurn = {
      id,
      role,
      sentences: [],
      segments: 0,
      isFinal: false,
      marks: undefined,
      isSpoken: this.#isSpeaking,
      sent: 0,
      heard: 0,
    };
    if (role === "agent" && this.#delayMs !== undefined) {
      turn.delayMs = this.#delayMs;
      this.#delayMs = undefined;
    }
    this.#turns.push(turn);
    return turn;
  }
}

/** The agent's words only grow until they are final: what is new is whole segments. */
function grow(turn: OpenTurn, text: string): void {
  const known = turn.sentences.reduce((length, sentence) => length + sentence.text.length, 0);
  if (text.length < known) Object.assign(turn, { sentences: [], segments: 0 });
  for (const segment of segmentsOf(text.slice(text.length < known ? 0 : known), turn.segments === 0)) {
    for (const { segment: sentence } of SENTENCES.segment(segment)) {
      turn.sentences.push({ text: sentence, progress: "generated", segment: turn.segments });
    }
    turn.segments += 1;
  }
  applyMarks(turn);
}

/** The segments of a text, each with the space after it. */
function segmentsOf(text: string, isFirst: boolean): string[] {
  const splitter = new SegmentSplitter(isFirst ? FIRST_CLAUSE_LETTERS : Number.POSITIVE_INFINITY, LANGUAGE);
  const starts: number[] = [];
  let end = 0;
  for (const segment of [...splitter.push(text), ...splitter.end()]) {
    const start = text.indexOf(segment, end);
    // Other spaces than the service sends.
    if (start < 0) continue;
    starts.push(start);
    end = start + segment.length;
  }
  if (starts.length === 0) return text === "" ? [] : [text];
  return starts.map((start, at) => text.slice(at === 0 ? 0 : start, starts[at + 1]));
}

function applyMarks(turn: OpenTurn): void {
  const { heard, sent, isSpoken } = turn;
  const arriving = Math.max(heard, sent) + Number(isSpoken);
  turn.sentences = turn.sentences.map((sentence) => ({
    ...sentence,
    progress: sentence.segment < heard ? "heard" : sentence.segment < arriving ? "sent" : "generated",
  }));
}

/** The sentences after the turn, of whose text `heard` was heard. */
function heardOf(sentences: readonly SpokenSentence[], heard: string): SpokenSentence[] {
  if (sentences.length === 0) return heard === "" ? [] : [{ text: heard, progress: "heard", segment: 0 }];
  const heardChars = wordChars(heard);
  let end = 0;
  return sentences.map((sentence) => {
    const begin = end;
    end += wordChars(sentence.text);
    return { ...sentence, progress: end <= heardChars ? "heard" : begin < heardChars ? "cut" : "unheard" };
  });
}

/** Spaces between sentences may differ between what is generated and what was heard. */
const wordChars = (text: string): number => text.replaceAll(/\s/g, "").length;
