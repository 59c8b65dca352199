import { type Lexicon, lexiconFor, type SingularPlural } from "./lexicon.ts";

/** The words to speak for the next `length` characters. */
interface Replacement {
  length: number;
  spoken: string;
}

/** A sticky pattern, and the words to speak for a match. */
type Rule = readonly [pattern: RegExp, say: (match: RegExpExecArray) => string];

/** Not preceded or followed by a letter or a digit. */
const START = "(?<![\\p{L}\\p{N}])";
const END = "(?![\\p{L}\\p{N}])";
/** The same for a whole number: no part of a time, a date, a decimal or a longer number. */
const NUMBER_START = "(?<![\\p{L}\\p{N}]|\\d[.,:/–-])";
const NUMBER_END = "(?![\\p{L}\\p{N}]|[.,:/–-]\\d)";
/** The dash of a range, with or without blanks on both sides. */
const TO = "(?: [–-] |[–-])";
/** A host name without a scheme is recognised only by one of these endings, which are not words of a sentence. */
const TOP = "(?:com|org|net|info|io|app|dev|ai|co|uk|de|at|ch|fr|es|it|nl|eu|us|ca|edu|gov)";
const HOST = `(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+`;

const rule = (source: string, say: Rule[1], flags = ""): Rule => [new RegExp(source, `yu${flags}`), say];
const remove = (): string => "";

/** Markup that is not spoken in any language. */
const MARKUP_RULES: readonly Rule[] = [
  rule("!?\\[([^\\[\\]]*)\\]\\([^()\\s]*\\)", ([, label = ""]) => label),
  rule("\\[\\^?\\d{1,3}\\]|【[^】]*】", remove),
  rule("</?[a-z][a-z0-9]*(?:\\s[^<>]*)?/?>", remove, "i"),
  rule("(?:\\p{Extended_Pictographic}|[\\u{1F1E6}-\\u{1F1FF}\\u{1F3FB}-\\u{1F3FF}\\u200D\\uFE0F\\u20E3])+", remove),
  rule("(?<=^|\\s)(?:#{1,6}|>)(?=\\s)", remove),
  rule("\\|", () => " "),
  rule("[*`~]+", remove),
  rule(`${START}_+|_+${END}`, remove),
];

const rulesByLanguage = new Map<string, readonly Rule[]>();

/** The rules of a language: the words to speak for the text at a position; undefined if it is spoken as it is. */
export function normalizationRules(language: string): (text: string, at: number) => Replacement | undefined {
  const rules = rulesByLanguage.get(language) ?? rulesFor(language);
  return (text, at) => {
    for (const [pattern, say] of rules) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match !== null) return { length: match[0].length, spoken: say(match) };
    }
    return undefined;
  };
}

function rulesFor(language: string): readonly Rule[] {
  const words = lexiconFor(language);
  if (words === undefined) return MARKUP_RULES;
  const rules = [...rulesOf(words, language), ...MARKUP_RULES];
  if (rulesByLanguage.size < 64) rulesByLanguage.set(language, rules);
  return rules;
}

function rulesOf(words: Lexicon, language: string): readonly Rule[] {
  return [...addresses(words), ...dates(language), ...telephone(words), ...amounts(words), ...signs(words)];
}

function addresses(words: Lexicon): readonly Rule[] {
  const spelled = (address: string): string =>
    address.replace(/[@._/-]/g, (sign) => {
      if (sign === "@") return ` ${words.at} `;
      if (sign === ".") return ` ${words.dot} `;
      if (sign === "_") return ` ${words.underscore} `;
      return sign === "/" ? ` ${words.slash} ` : ` ${words.dash} `;
    });
  // The query, the fragment and a slash at the end are not spoken.
  const place = (host: string, path = ""): string => spelled((host + path).replace(/[?#].*$/, "").replace(/\/+$/, ""));
  const path = '((?:/[^\\s<>()\\[\\]*`"]*[a-z0-9])?/?)';
  return [
    rule(`${START}[a-z0-9._%+-]+@${HOST}[a-z]{2,}${END}`, ([address]) => spelled(address), "i"),
    rule(`<?(?:https?://)(?:www\\.)?([a-z0-9.:-]*[a-z0-9])${path}>?`, ([, host = "", rest]) => place(host, rest), "i"),
    rule(`${START}(?:www\\.)(${HOST}[a-z]{2,})${path}${END}`, ([, host = "", rest]) => place(host, rest), "i"),
    rule(`${START}(${HOST}${TOP})${path}${END}`, ([, host = "", rest]) => place(host, rest)),
  ];
}

/** ISO 8601 dates in the language's long form. */
function dates(language: string): readonly Rule[] {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  return [
    rule(`${START}(\\d{4})-(\\d{2})-(\\d{2})${END}`, ([written]) => {
      const date = new Date(`${written}T00:00:00Z`);
      return Number.isNaN(date.getTime()) ? written : format.format(date);
    }),
  ];
}

/** Numbers that are read digit by digit: telephone numbers, long numbers, and numbers with a leading zero. */
function telephone(words: Lexicon): readonly Rule[] {
  const digits = (written: string): string =>
    written
      .replace("+", `${words.plus} `)
      .split(/[^\p{L}\d]+/u)
      .filter((group) => group !== "")
      .map((group) => (/^\d/.test(group) ? [...group].join(" ") : group))
      .join(", ")
      .replace(`${words.plus}, `, `${words.plus} `);
  const separated = "(?:[ ./-]?\\(?\\d{2,}\\)?){2,6}";
  return [
    rule(`${NUMBER_START}(?:\\+\\d{1,3}|\\(0?\\d{2,5}\\)|0\\d{2,5})${separated}${END}`, ([written]) => digits(written)),
    rule(`${NUMBER_START}(?:1[-. ])?\\d{3}[-. ]\\d{3}[-. ]\\d{4}${NUMBER_END}`, ([written]) => digits(written)),
    rule(`${NUMBER_START}\\d{3}-\\d{4}${NUMBER_END}`, ([written]) => digits(written)),
    rule(
      `${NUMBER_START}(?:(?:\\d{7,}|0\\d{2,})(?:-\\d+)*(?![\\p{L}\\p{N}]|[.,:/]\\d)|0\\d${NUMBER_END})`,
      ([written]) => digits(written),
    ),
  ];
}

function amounts(words: Lexicon): readonly Rule[] {
  const group = `[${words.group}]`;
  const decimal = `[${words.decimal}]`;
  const grouped = `\\d{1,3}(?:${group}\\d{3})+(?!${group}?\\d)`;
  const number = `(${grouped}|\\d+)(?:${decimal}(\\d+))?`;
  const whole = (written: string): string => written.replace(new RegExp(group, "g"), "");
  const magnitude = `(?:\\s(${words.magnitudes.join("|")})${END})?`;
  const currencies = Object.keys(words.money).map(literal).join("|");
  /** An amount, or a range of two. */
  const range = `(?:${number}${TO})?${number}`;
  const upTo = (from: string | undefined, part: string | undefined): string =>
    from === undefined ? "" : `${written(whole(from), part, words)} ${words.to} `;
  const paid = (sign: string, amount: string, part = "", times = ""): string => {
    const [unit, cent] = words.money[sign] as readonly [SingularPlural, SingularPlural];
    const count = whole(amount);
    if (times !== "") return `${written(count, part || undefined, words)} ${times} ${unit[1]}`;
    if (part.length > 2) return `${written(count, part, words)} ${unit[1]}`;
    const cents = Number(part.padEnd(2, "0"));
    if (cents === 0) return counted(count, unit);
    return count === "0" ? counted(cents, cent) : `${counted(count, unit)} ${words.withCents} ${counted(cents, cent)}`;
  };
  /** The lower end of a range is spoken as a full amount if it has cents. */
  const paidUpTo = (sign: string, [from, fromPart, to = "", part, times]: readonly (string | undefined)[]): string => {
    const upper = paid(sign, to, part, times);
    if (from === undefined || fromPart === undefined || times !== undefined) return upTo(from, fromPart) + upper;
    return `${paid(sign, from, fromPart)} ${words.to} ${upper}`;
  };
  const units = Object.keys(words.units).sort((a, b) => b.length - a.length);
  const isGrouped = new RegExp(`^${grouped}$`, "u");
  const ungrouped = (point = ""): string => (isGrouped.test(point) ? whole(point) : point);
  const point = `${grouped}|\\d{1,2}:\\d{2}|\\d{1,4}(?:[.,]\\d{1,2})?`;
  return [
    rule(
      `${START}(${currencies})\\s?(?:${number}${TO}(?:\\1\\s?)?)?${number}${magnitude}${END}`,
      ([, sign = "", ...amounts]) => paidUpTo(sign, amounts),
    ),
    rule(`${START}${range}${magnitude}\\s?(${currencies})${END}`, ([, ...found]) =>
      paidUpTo(found.at(-1) ?? "", found.slice(0, -1)),
    ),
    rule(
      `${START}${range}\\s?%`,
      ([, from, fromPart, to = "", part]) =>
        `${upTo(from, fromPart)}${written(whole(to), part, words)} ${words.percent}`,
    ),
    rule(
      `${START}${range}\\s?(${units.map(literal).join("|")})${END}`,
      ([, from, fromPart, to = "", part, unit = ""]) => {
        const names = words.units[unit] as SingularPlural;
        const count = written(whole(to), part, words);
        return `${upTo(from, fromPart)}${count} ${names[count === "1" ? 0 : 1]}`;
      },
    ),
    rule(
      `${NUMBER_START}(?<!\\d\\s?[–-]\\s?)(${point})${TO}(${point})(?!\\s?[–-]\\s?\\d|\\s?=)${NUMBER_END}`,
      ([, from, to]) => `${ungrouped(from)} ${words.to} ${ungrouped(to)}`,
    ),
    rule(`${NUMBER_START}${grouped}${END}`, ([amount]) => whole(amount)),
  ];
}

function signs(words: Lexicon): readonly Rule[] {
  const abbreviations = Object.keys(words.abbreviations).sort((a, b) => b.length - a.length);
  return [
    rule(`${START}(${abbreviations.map(literal).join("|")})${END}`, ([found]) => words.abbreviations[found] ?? found),
    rule("(?<=^|\\s)&(?=\\s)", () => words.and),
    rule("(?<=\\d\\s?)\\+(?=\\s?\\d)", () => ` ${words.plus} `),
    rule("(?<=\\d )[–-](?= \\d[\\d.,\\s+*/–-]*=)", () => words.minus),
    rule("(?<=\\d\\s?)=(?=\\s?\\d)", () => ` ${words.equals} `),
    ...telephoneSigns(words),
  ];
}

/** `*` and `#` as telephone keys, not as Markdown. */
function telephoneSigns(words: Lexicon): readonly Rule[] {
  const alone = (key: string): string => `(?<=[\\s"'“‘(\`*])${key}(?=[\\s"'”’)\`*.,;:!?]|$)`;
  const listAhead = "(?<!(?:(?:^|:\\s)[*•–-]|[.!?]\\s[*•])\\s.*)";
  return [
    // A list begins at the start of the text, after a colon or after a sentence. Later `*` are its bullets, too.
    rule(`(?<![*.:!?]\\s?)${listAhead}${alone("\\*")}(?!\\*)|\`\\*\``, () => words.star),
    // Before digits, unless a second `*` after them makes it emphasis.
    rule("(?<!\\*)\\*(?=#?\\d)(?!\\d[^*]*(?<=\\S)\\*(?![\\p{L}\\p{N}*]))", () => ` ${words.star} `),
    rule("(?<=[\\d*])#(?=\\d)", () => ` ${words.hash} `),
    rule("(?<=\\d)#(?!#)", () => ` ${words.hash}`),
    rule(alone("#"), () => words.hash),
    rule("#(?=\\d)", () => `${words.number} `),
  ];
}

const counted = (count: string | number, [one, several]: SingularPlural): string =>
  `${count} ${String(count) === "1" ? one : several}`;

const written = (whole: string, part: string | undefined, { decimal }: Lexicon): string =>
  part === undefined ? whole : `${whole}${decimal}${part}`;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
