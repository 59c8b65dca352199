/** A piece shorter than this is not worth a synthesis of its own: it would sound chopped. */
const PIECE_CHARS_MIN = 24;
/** A sentence longer than this is cut at a clause, or else at a space, so that the caller does not wait for its end. */
const PIECE_CHARS_MAX = 220;

/** A dot behind one of these ends no sentence, as a rule. What ends one as often ("etc.", "usw.") is not among them. */
const ABBREVIATIONS = new Set(
  `dr mr mrs ms prof st sr sra dra hr fr nr tel str vs approx dept est ext ex ej bzw ca evtl ggf inkl zzgl art
  jan feb apr aug sept okt oct nov dez dec`.split(/\s+/),
);

/**
 * Cuts a reply's text, as it comes from the model, into pieces that can be spoken: sentences, or clauses of long ones. The first
 * piece is over with its first clause, for the caller waits for it: that of the reply, and of what the model says behind its tools.
 * Whitespace is folded, so that the pieces joined by single spaces are the reply's text.
 */
export class PieceSplitter {
  readonly #firstClauseChars: number;
  #rest = "";
  #isFirst = true;

  /** `firstClauseChars`: so long a clause at least is a first piece. */
  constructor(firstClauseChars: number) {
    this.#firstClauseChars = firstClauseChars;
  }

  /** Takes more text; returns the pieces that are complete now, in order. */
  push(text: string): string[] {
    this.#rest = (this.#rest + text).replace(/\s+/g, " ");
    const pieces: string[] = [];
    for (let at = this.#cutAt(); at > 0; at = this.#cutAt()) {
      add(pieces, this.#rest.slice(0, at));
      this.#rest = this.#rest.slice(at);
      this.#isFirst = false;
    }
    return pieces;
  }

  /** The reply is over: what is left, if anything. */
  end(): string[] {
    const pieces: string[] = [];
    add(pieces, this.#rest);
    this.#rest = "";
    this.#isFirst = true;
    return pieces;
  }

  /** Where the first piece of what is left ends, or 0 when it is not complete yet. */
  #cutAt(): number {
    const text = this.#rest;
    const clauseCharsMin = this.#isFirst ? this.#firstClauseChars : Number.POSITIVE_INFINITY;
    for (let at = PIECE_CHARS_MIN; at < text.length; at += 1) {
      if (isFullWidthEnd(text[at - 1])) return at;
      if (text[at] === " " && (isSentenceEnd(text, at) || (at >= clauseCharsMin && isClauseEnd(text, at)))) return at;
      if (at >= PIECE_CHARS_MAX) return clauseEnd(text);
    }
    return 0;
  }
}

/** Pieces without a letter or a digit cannot be spoken and are left out. */
function add(pieces: string[], text: string): void {
  const piece = text.trim();
  if (/[\p{L}\p{N}]/u.test(piece)) pieces.push(piece);
}

function clauseEnd(text: string): number {
  for (let at = PIECE_CHARS_MAX; at > PIECE_CHARS_MIN; at -= 1) {
    if (text[at] === " " && isClauseEnd(text, at)) return at;
  }
  const space = text.lastIndexOf(" ", PIECE_CHARS_MAX);
  return space > 0 ? space : PIECE_CHARS_MAX;
}

/** A sentence ends before the blank at `at`. */
function isSentenceEnd(text: string, at: number): boolean {
  const mark = text[at - 1] as string;
  if (mark !== ".") return "!?…".includes(mark);
  const word = text.slice(text.lastIndexOf(" ", at - 1) + 1, at - 1).replace(/^[^\p{L}\p{N}]+/u, "");
  return !/^(?:\d{1,2}|(?:\p{L}\.)*\p{L})$/u.test(word) && !ABBREVIATIONS.has(word.toLowerCase());
}

/** A clause ends before the blank at `at`: but "November 21, 2026" is one thing, and whether it is such is not known before that. */
function isClauseEnd(text: string, at: number): boolean {
  if (!",;:".includes(text[at - 1] as string)) return false;
  return !/\d/.test(text[at - 2] ?? "") || /\D/.test(text[at + 1] ?? "");
}

const isFullWidthEnd = (char: string | undefined): boolean => char !== undefined && "。！？".includes(char);
