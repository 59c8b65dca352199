import { type Counted, type SpokenLanguage, spokenLanguage } from "./spoken-words.ts";

/** What is said for the `length` characters that begin at a place. */
interface Found {
  length: number;
  spoken: string;
}

/** A sticky pattern, and what is said for what it matches. */
type Rule = readonly [pattern: RegExp, say: (match: RegExpExecArray) => string];

/** Nothing of a word before, nothing of one behind. */
const START = "(?<![\\p{L}\\p{N}])";
const END = "(?![\\p{L}\\p{N}])";
/** Names of hosts are only taken for such where they end in what is no word of a sentence. */
const TOP = "(?:com|org|net|info|io|app|dev|ai|co|uk|de|at|ch|fr|es|it|nl|eu|us|ca|edu|gov)";
const HOST = `(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+`;

const rule = (source: string, say: Rule[1], flags = ""): Rule => [new RegExp(source, `yu${flags}`), say];
const nothing = (): string => "";

/** Marks that are not spoken in any language. */
const MARKS: readonly Rule[] = [
  rule("!?\\[([^\\[\\]]*)\\]\\([^()\\s]*\\)", ([, label = ""]) => label),
  rule("\\[\\^?\\d{1,3}\\]|【[^】]*】", nothing),
  rule("</?[a-z][a-z0-9]*(?:\\s[^<>]*)?/?>", nothing, "i"),
  rule("(?:\\p{Extended_Pictographic}|[\\u{1F1E6}-\\u{1F1FF}\\u{1F3FB}-\\u{1F3FF}\\u200D\\uFE0F\\u20E3])+", nothing),
  rule("(?<=^|\\s)(?:#{1,6}|>)(?=\\s)", nothing),
  rule("\\|", () => " "),
  rule("[*`~]+", nothing),
  rule(`${START}_+|_+${END}`, nothing),
];

const made = new Map<string, readonly Rule[]>();

/** The rules of a language: what is said for what begins at a place of a text, or undefined where it is said as it stands. */
export function spokenRules(language: string): (text: string, at: number) => Found | undefined {
  const words = spokenLanguage(language);
  const key = words === undefined ? "" : language;
  const rules = made.get(key) ?? [...(words === undefined ? [] : rulesOf(words, language)), ...MARKS];
  if (words !== undefined && made.size < 64) made.set(key, rules);
  return (text, at) => {
    for (const [pattern, say] of rules) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match !== null) return { length: match[0].length, spoken: say(match) };
    }
    return undefined;
  };
}

function rulesOf(words: SpokenLanguage, language: string): readonly Rule[] {
  return [...addresses(words), ...dates(language), ...telephone(words), ...amounts(words), ...signs(words)];
}

function addresses(words: SpokenLanguage): readonly Rule[] {
  const spelled = (address: string): string =>
    address.replace(/[@._/-]/g, (sign) => {
      if (sign === "@") return ` ${words.at} `;
      if (sign === ".") return ` ${words.dot} `;
      if (sign === "_") return ` ${words.underscore} `;
      return sign === "/" ? ` ${words.slash} ` : ` ${words.dash} `;
    });
  // What stands behind ? or # is for machines, and so is a slash at the end.
  const place = (host: string, path = ""): string => spelled((host + path).replace(/[?#].*$/, "").replace(/\/+$/, ""));
  const path = '((?:/[^\\s<>()\\[\\]*`"]*[a-z0-9])?/?)';
  return [
    rule(`${START}[a-z0-9._%+-]+@${HOST}[a-z]{2,}${END}`, ([address]) => spelled(address), "i"),
    rule(`<?(?:https?://)(?:www\\.)?([a-z0-9.:-]*[a-z0-9])${path}>?`, ([, host = "", rest]) => place(host, rest), "i"),
    rule(`${START}(?:www\\.)(${HOST}[a-z]{2,})${path}${END}`, ([, host = "", rest]) => place(host, rest), "i"),
    rule(`${START}(${HOST}${TOP})${path}${END}`, ([, host = "", rest]) => place(host, rest)),
  ];
}

/** Dates as ISO 8601 writes them, said as the language does. */
function dates(language: string): readonly Rule[] {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  return [
    rule(`${START}(\\d{4})-(\\d{2})-(\\d{2})${END}`, ([written]) => {
      const date = new Date(`${written}T00:00:00Z`);
      return Number.isNaN(date.getTime()) ? written : format.format(date);
    }),
  ];
}

/** Digit by digit what nobody counts: telephone numbers, long ones, and those that begin with a nought. */
function telephone(words: SpokenLanguage): readonly Rule[] {
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
    rule(`${START}(?:\\+\\d{1,3}|\\(0?\\d{2,5}\\)|0\\d{2,5})${separated}${END}`, ([written]) => digits(written)),
    rule(`${START}\\d{3}[-. ]\\d{3}[-. ]\\d{4}${END}`, ([written]) => digits(written)),
    rule(`${START}(?:\\d{7,}|0\\d+)(?![\\p{L}\\p{N}]|[.,:]\\d)`, ([written]) => digits(written)),
  ];
}

function amounts(words: SpokenLanguage): readonly Rule[] {
  const group = `[${words.group}]`;
  const decimal = `[${words.decimal}]`;
  const number = `(\\d{1,3}(?:${group}\\d{3})+|\\d+)(?:${decimal}(\\d+))?`;
  const whole = (written: string): string => written.replace(new RegExp(group, "g"), "");
  const magnitude = `(?:\\s(${words.magnitudes.join("|")})${END})?`;
  const currencies = Object.keys(words.money).map(literal).join("|");
  const paid = (sign: string, amount: string, part = "", times = ""): string => {
    const [unit, cent] = words.money[sign] as readonly [Counted, Counted];
    const count = whole(amount);
    if (times !== "") return `${count}${part === "" ? "" : words.decimal + part} ${times} ${unit[1]}`;
    const cents = Number(part.slice(0, 2).padEnd(2, "0"));
    if (cents === 0) return counted(count, unit);
    return count === "0" ? counted(cents, cent) : `${counted(count, unit)} ${words.withCents} ${counted(cents, cent)}`;
  };
  const units = Object.keys(words.units).sort((a, b) => b.length - a.length);
  return [
    rule(`${START}(${currencies})\\s?${number}${magnitude}${END}`, ([, sign = "", amount = "", part, times]) =>
      paid(sign, amount, part, times),
    ),
    rule(`${START}${number}${magnitude}\\s?(${currencies})${END}`, ([, amount = "", part, times, sign = ""]) =>
      paid(sign, amount, part, times),
    ),
    rule(
      `${START}${number}\\s?%`,
      ([, amount = "", part]) => `${written(whole(amount), part, words)} ${words.percent}`,
    ),
    rule(`${START}${number}\\s?(${units.map(literal).join("|")})${END}`, ([, amount = "", part, unit = ""]) => {
      const names = words.units[unit] as Counted;
      const count = written(whole(amount), part, words);
      return `${count} ${names[count === "1" ? 0 : 1]}`;
    }),
    rule(`${START}(\\d{1,4})\\s?[–-]\\s?(\\d{1,4})(?![\\p{L}\\p{N}–-])`, ([, from, to]) => `${from} ${words.to} ${to}`),
    rule(`${START}\\d{1,3}(?:${group}\\d{3})+${END}`, ([amount]) => whole(amount)),
  ];
}

function signs(words: SpokenLanguage): readonly Rule[] {
  const abbreviations = Object.keys(words.abbreviations).sort((a, b) => b.length - a.length);
  return [
    rule(`${START}(${abbreviations.map(literal).join("|")})${END}`, ([found]) => words.abbreviations[found] ?? found),
    rule("(?<=^|\\s)&(?=\\s)", () => words.and),
    rule("(?<=\\d\\s?)\\+(?=\\s?\\d)", () => ` ${words.plus} `),
    rule("#(?=\\d)", () => `${words.number} `),
  ];
}

const counted = (count: string | number, [one, several]: Counted): string =>
  `${count} ${String(count) === "1" ? one : several}`;

const written = (whole: string, part: string | undefined, { decimal }: SpokenLanguage): string =>
  part === undefined ? whole : `${whole}${decimal}${part}`;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
