/** A word of a text without its digits, or a group of digits. */
export interface Token {
  /** Of the text that it is in. */
  readonly textIndex: number;
  /** Normalized (NFKC) and without case. */
  readonly word: string;
  /** In UTF-16 units of its text. */
  readonly from: number;
  readonly to: number;
  /** "+" stands directly before it. */
  readonly isAfterPlus: boolean;
  /** "." stands directly before it. */
  readonly isAfterDot: boolean;
  /** Neither a space nor a sign is between it and the token before it: "x" and "1" of "x1". */
  readonly isAttached: boolean;
}

/** A letter, a mark or a digit. */
const WORD = /[\p{L}\p{M}\p{N}]/u;
const DIGIT = /\p{Nd}/u;
const UNSPACED = /\p{Script=Han}/u;

/**
 * The tokens of a text, in time that grows with its length. A token ends where digits begin or end: many languages write words beside
 * them without a space. Each Han character is a token for the same reason.
 */
export function tokensOf(text: string, textIndex: number): Token[] {
  const tokens: Token[] = [];
  let from = -1;
  let at = 0;
  let isDigit = false;
  const end = (to: number): void => {
    if (from >= 0) tokens.push(tokenOf(text, textIndex, from, to, tokens.at(-1)));
    from = -1;
  };
  for (const character of text) {
    const next = at + character.length;
    if (!WORD.test(character)) end(at);
    else if (UNSPACED.test(character)) {
      end(at);
      tokens.push(tokenOf(text, textIndex, at, next, tokens.at(-1)));
    } else {
      const isNowDigit = DIGIT.test(character);
      if (isNowDigit !== isDigit) end(at);
      isDigit = isNowDigit;
      if (from < 0) from = at;
    }
    at = next;
  }
  end(at);
  return tokens;
}

const tokenOf = (text: string, textIndex: number, from: number, to: number, before: Token | undefined): Token => ({
  textIndex,
  word: text.slice(from, to).normalize("NFKC").toLowerCase(),
  from,
  to,
  isAfterPlus: text[from - 1] === "+",
  isAfterDot: text[from - 1] === ".",
  isAttached: before?.to === from,
});
