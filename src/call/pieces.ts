/** A piece shorter than this is not worth a synthesis of its own: it would sound chopped. */
const PIECE_CHARS_MIN = 24;
/** A sentence longer than this is cut at a clause, or else at a space, so that the caller does not wait for its end. */
const PIECE_CHARS_MAX = 220;

/**
 * Cuts a reply's text, as it comes from the model, into pieces that can be spoken: sentences, or clauses of long ones.
 * Whitespace is folded, so that the pieces joined by single spaces are the reply's text.
 */
export class PieceSplitter {
  #rest = "";

  /** Takes more text; returns the pieces that are complete now, in order. */
  push(text: string): string[] {
    this.#rest = (this.#rest + text).replace(/\s+/g, " ");
    const pieces: string[] = [];
    for (let at = cutAt(this.#rest); at > 0; at = cutAt(this.#rest)) {
      add(pieces, this.#rest.slice(0, at));
      this.#rest = this.#rest.slice(at);
    }
    return pieces;
  }

  /** The reply is over: what is left, if anything. */
  end(): string[] {
    const pieces: string[] = [];
    add(pieces, this.#rest);
    this.#rest = "";
    return pieces;
  }
}

/** Pieces without a letter or a digit cannot be spoken and are left out. */
function add(pieces: string[], text: string): void {
  const piece = text.trim();
  if (/[\p{L}\p{N}]/u.test(piece)) pieces.push(piece);
}

/** Where the first piece of `text` ends, or 0 when it is not complete yet. */
function cutAt(text: string): number {
  for (let at = PIECE_CHARS_MIN; at < text.length; at += 1) {
    if (text[at] === " " && isSentenceEnd(text[at - 1])) return at;
    if (isFullWidthEnd(text[at - 1])) return at;
    if (at >= PIECE_CHARS_MAX) return clauseEnd(text);
  }
  return 0;
}

function clauseEnd(text: string): number {
  for (let at = PIECE_CHARS_MAX; at > PIECE_CHARS_MIN; at -= 1) {
    if (text[at] === " " && ",;:".includes(text[at - 1] ?? "-")) return at;
  }
  const space = text.lastIndexOf(" ", PIECE_CHARS_MAX);
  return space > 0 ? space : PIECE_CHARS_MAX;
}

const isSentenceEnd = (char: string | undefined): boolean => char !== undefined && ".!?…".includes(char);
const isFullWidthEnd = (char: string | undefined): boolean => char !== undefined && "。！？".includes(char);
