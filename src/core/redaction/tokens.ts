/** A word of a text, or a group of digits. */
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
}

/** A letter, a mark or a digit. */
const WORD = /[\p{L}\p{M}\p{N}]/u;
const UNSPACED = /\p{Script=Han}/u;

/** The tokens of a text, in time that grows with its length. Each Han character is a token: no space separates digits there. */
export function tokensOf(text: string, textIndex: number): Token[] {
  const tokens: Token[] = [];
  let from = -1;
  let at = 0;
  const end = (to: number): void => {
    if (from >= 0) tokens.push(tokenOf(text, textIndex, from, to));
    from = -1;
  };
  for (const character of text) {
    const next = at + character.length;
    if (!WORD.test(character)) end(at);
    else if (UNSPACED.test(character)) {
      end(at);
      tokens.push(tokenOf(text, textIndex, at, next));
    } else if (from < 0) from = at;
    at = next;
  }
  end(at);
  return tokens;
}

const tokenOf = (text: string, textIndex: number, from: number, to: number): Token => ({
  textIndex,
  word: text.slice(from, to).normalize("NFKC").toLowerCase(),
  from,
  to,
  isAfterPlus: text[from - 1] === "+",
});
