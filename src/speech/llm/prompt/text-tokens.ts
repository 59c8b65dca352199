/*
 * Estimates the tokens of a text without any model's tokenizer, so the result is the same everywhere and always. Both
 * the estimated cost and the trimming of prompts use this estimate. It is fitted to OpenAI's o200k_base: for prose,
 * code and JSON the estimate is between the true count and one and a half times it. Text that was made to tokenize
 * badly is recognized by features that prose lacks: runs of consonants, capitals within words and rare characters. For
 * random text the estimate is at most a third below the true count. docs/providers.md has the figures.
 */

/** Weights are in hundredths of a token: whole numbers, so that sums are exact. */
const TOKEN = 100;

/**
 * The kinds of characters; a run is a sequence of one kind. Letters of alphabets form words. In other scripts each
 * character counts on its own (ALONE).
 */
const ALONE = 0;
const VOWEL = 1;
const CONSONANT = 2;
const DIGIT = 3;
const PUNCTUATION = 4;
const BLANK = 5;
/** Line ends, tabs and other control characters. */
const CONTROL = 6;

/** Extra weight of a letter in a run of three or more vowels or consonants, and of a capital after a small letter. */
const CLUSTERED = 45;
const CLUSTER_MIN = 3;
const CAPITAL_INSIDE = 60;
/** Extra weight of a letter that few words contain: text with many of them is no prose. */
const RARE_LETTERS = "jqxzJQXZ";
const RARE_LETTER = 35;
/** The weight of a punctuation mark after another. */
const PUNCTUATION_AGAIN = 50;
/** The reduction for a word after a punctuation mark, which may be part of the word's first token. */
const PREFIXED = 40;
/** The weight of a space after two others, and of a repeated control character. */
const BLANK_AGAIN = 6;
const DIGIT_WEIGHT = 50;

const ASCII_LETTER = 22;
/** Weights of characters, each entry up to the next code. For letters of alphabets it is the weight within a word. */
const WEIGHTS: readonly [fromCode: number, weight: number][] = [
  [0x00, ASCII_LETTER],
  [0x80, 100], // Latin-1: signs
  [0xc0, 70], // and letters
  [0x100, 90], // Latin Extended-A
  [0x180, 190], // other Latin, combining marks; except two letters of Vietnamese
  [0x1a0, 70],
  [0x1a2, 190],
  [0x1af, 70],
  [0x1b1, 190],
  [0x370, 50], // Greek
  [0x400, 33], // Cyrillic
  [0x460, 190], // historic Cyrillic
  [0x531, 75], // Armenian
  [0x591, 180], // Hebrew points
  [0x5d0, 55], // Hebrew
  [0x600, 55], // Arabic, except letters of other languages
  [0x63b, 130],
  [0x641, 55],
  [0x66e, 130],
  [0x700, 200],
  [0x900, 75], // scripts of India
  [0xd80, 130], // Sinhala
  [0xe00, 75], // Thai
  [0xe80, 200], // Lao, Tibetan
  [0x1000, 100], // Burmese
  [0x10a0, 85], // Georgian
  [0x1100, 300],
  [0x1200, 220], // Ethiopic
  [0x1380, 300],
  [0x1780, 120], // Khmer
  [0x1800, 300],
  [0x1e00, 160],
  [0x1ea0, 70], // Vietnamese
  [0x1f00, 200], // ancient Greek
  [0x2000, 130], // dashes, quotation marks
  [0x2070, 200], // signs
  [0x2800, 300],
  [0x3000, 115], // Chinese punctuation
  [0x3012, 200],
  [0x3041, 115], // kana
  [0x3100, 300],
  [0x4e00, 205], // Chinese characters, except the common ones
  [0xa000, 300],
  [0xac00, 100], // Korean syllables
  [0xd7a4, 300],
  [0xd800, 200], // halves of characters above 0xffff
  [0xd83c, 125], // of emoji
  [0xd83f, 200],
  [0xe000, 300],
  [0xff00, 120], // wide forms
  [0xff66, 180],
];

const VOWELS = "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœăąēęěğīıőūůűαεηιουωάέήίόύώаеиоуыэюяёіїє";
/**
 * Common final consonants of Korean syllables; 0 means no final consonant. Syllables with others are several tokens.
 */
const COMMON_FINALS = new Set([0, 1, 4, 8, 16, 17, 19, 20, 21]);
const RARE_SYLLABLE = 260;
const COMMON_CHARACTER = 120;
/** The ranges in which encoding standards list the common Chinese characters: mainland China, Taiwan, Japan. */
const COMMON_CHARACTERS: readonly { encoding: string; rows: [number, number]; cells: [number, number] }[] = [
  { encoding: "gb18030", rows: [0xb0, 0xd7], cells: [0xa1, 0xfe] },
  { encoding: "big5", rows: [0xa4, 0xc6], cells: [0x40, 0xfe] },
  { encoding: "shift_jis", rows: [0x88, 0x97], cells: [0x40, 0xfc] },
];

/** The number of UTF-16 units, and the bounds of some blocks. */
const UNITS = 0x10000;
const ASCII_END = 0x80;
const INDIC_START = 0x900;
const INDIC_END = 0xd80;
const CHINESE_START = 0x4e00;
const CHINESE_END = 0xa000;
const HANGUL_START = 0xac00;
const HANGUL_END = 0xd7a4;
/** The number of final consonants of Korean syllables, including none. */
const FINALS = 28;
/** Latin with accents, Greek and Cyrillic, Vietnamese. */
const ALPHABETS = [
  [0xc0, 0x17f],
  [0x370, 0x45f],
  [0x1e00, 0x1eff],
] as const;

const weights = weightsOfUnits();
const kinds = kindsOfUnits();

function weightsOfUnits(): Uint16Array {
  const made = new Uint16Array(UNITS);
  for (const [index, [from, weight]] of WEIGHTS.entries()) made.fill(weight, from, WEIGHTS[index + 1]?.[0] ?? UNITS);
  for (const letter of RARE_LETTERS) made[letter.charCodeAt(0)] = ASCII_LETTER + RARE_LETTER;
  for (let unit = HANGUL_START; unit < HANGUL_END; unit += 1) {
    if (!COMMON_FINALS.has((unit - HANGUL_START) % FINALS)) made[unit] = RARE_SYLLABLE;
  }
  for (const { encoding, rows, cells } of COMMON_CHARACTERS) {
    const decoder = new TextDecoder(encoding);
    for (let row = rows[0]; row <= rows[1]; row += 1) {
      for (let cell = cells[0]; cell <= cells[1]; cell += 1) {
        const unit = decoder.decode(Uint8Array.of(row, cell)).charCodeAt(0);
        if (unit >= CHINESE_START && unit < CHINESE_END) made[unit] = COMMON_CHARACTER;
      }
    }
  }
  return made;
}

function kindsOfUnits(): Uint8Array {
  const made = new Uint8Array(UNITS);
  for (let unit = 0; unit < ASCII_END; unit += 1) made[unit] = asciiKind(String.fromCharCode(unit));
  for (const [first, last] of ALPHABETS) made.fill(CONSONANT, first, last + 1);
  for (const vowel of VOWELS + VOWELS.toUpperCase()) made[vowel.charCodeAt(0)] = VOWEL;
  for (let unit = INDIC_START; unit < INDIC_END; unit += 1) made[unit] = isIndicSign(unit) ? VOWEL : CONSONANT;
  return made;
}

function asciiKind(char: string): number {
  if (/[a-z]/i.test(char)) return CONSONANT;
  if (/\d/.test(char)) return DIGIT;
  if (char === " ") return BLANK;
  return char > " " && char < "\x7f" ? PUNCTUATION : CONTROL;
}

/**
 * Decides by the position in the block of 128, which nearly all Indic blocks share: signs above, vowel signs, virama.
 */
function isIndicSign(unit: number): boolean {
  const offset = unit & 0x7f;
  return offset <= 0x03 || (offset >= 0x3c && offset <= 0x4d);
}

/** Estimates the tokens of `text`, in time linear in its length and without an allocation. */
export function textTokens(text: string): number {
  let sum = 0;
  let previous = ALONE;
  /** The length of the current run of characters of one kind, and of the current word. */
  let run = 0;
  let letters = 0;
  let wasSmall = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const kind = kinds[unit] as number;
    run = kind === previous ? run + 1 : 1;
    if (kind === VOWEL || kind === CONSONANT) {
      const isSmall = unit >= 0x61 && unit <= 0x7a;
      letters += 1;
      sum += letterWeight(unit, letters, run);
      if (previous === PUNCTUATION) sum -= PREFIXED;
      if (wasSmall && unit >= 0x41 && unit <= 0x5a) sum += CAPITAL_INSIDE;
      wasSmall = isSmall;
    } else {
      letters = 0;
      wasSmall = false;
      if (kind === ALONE) sum += weights[unit] as number;
      else sum += asciiWeight(kind, run, previous, unit === text.charCodeAt(at - 1));
    }
    previous = kind;
  }
  return Math.ceil(sum / TOKEN);
}

/** The first two letters of a word count as one token, each further letter as a fraction of one. */
function letterWeight(unit: number, letters: number, run: number): number {
  const clustered = run >= CLUSTER_MIN ? CLUSTERED : 0;
  const further = weights[unit] as number;
  if (letters === 1) return Math.max(TOKEN, further);
  return (letters === 2 && unit < ASCII_END ? further - ASCII_LETTER : further) + clustered;
}

function asciiWeight(kind: number, run: number, previous: number, isSame: boolean): number {
  if (kind === DIGIT) return run === 1 && previous === BLANK ? 2 * TOKEN : DIGIT_WEIGHT;
  if (kind === PUNCTUATION) return run === 1 ? TOKEN : PUNCTUATION_AGAIN;
  // A single space belongs to the token after it.
  if (kind === BLANK) return run === 1 ? 0 : run === 2 ? TOKEN : BLANK_AGAIN;
  return isSame ? BLANK_AGAIN : TOKEN;
}
