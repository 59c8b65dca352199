import { primaryLanguage } from "../../../core/text/language-tags.ts";

/** The singular and the plural of a noun. */
export type SingularPlural = readonly [one: string, several: string];

/** The words of a language for symbols, units and amounts. */
export interface Lexicon {
  /** The thousands separators, as a character class, and the decimal separator. */
  group: string;
  decimal: string;
  at: string;
  dot: string;
  dash: string;
  underscore: string;
  slash: string;
  plus: string;
  minus: string;
  equals: string;
  /** The telephone keys that are not digits. */
  star: string;
  hash: string;
  and: string;
  /** Between the ends of a range. */
  to: string;
  /** Before a number, for `#3`. */
  number: string;
  percent: string;
  /** Between the whole amount and the cents. */
  withCents: string;
  /** By symbol and by code: the currency unit and its hundredth. */
  money: Readonly<Record<string, readonly [SingularPlural, SingularPlural]>>;
  units: Readonly<Record<string, SingularPlural>>;
  /** Magnitudes after an amount of money: `$5 million`. */
  magnitudes: readonly string[];
  abbreviations: Readonly<Record<string, string>>;
}

const ENGLISH: Lexicon = {
  group: ",",
  decimal: ".",
  at: "at",
  dot: "dot",
  dash: "dash",
  underscore: "underscore",
  slash: "slash",
  plus: "plus",
  minus: "minus",
  equals: "equals",
  star: "star",
  hash: "pound",
  and: "and",
  to: "to",
  number: "number",
  percent: "percent",
  withCents: "and",
  money: money(
    [
      ["dollar", "dollars"],
      ["cent", "cents"],
    ],
    [
      ["euro", "euros"],
      ["cent", "cents"],
    ],
    [
      ["pound", "pounds"],
      ["penny", "pence"],
    ],
  ),
  units: {
    km: ["kilometer", "kilometers"],
    "km/h": ["kilometer per hour", "kilometers per hour"],
    cm: ["centimeter", "centimeters"],
    mm: ["millimeter", "millimeters"],
    kg: ["kilogram", "kilograms"],
    mph: ["mile per hour", "miles per hour"],
    lbs: ["pound", "pounds"],
    "°C": ["degree Celsius", "degrees Celsius"],
    "°F": ["degree Fahrenheit", "degrees Fahrenheit"],
  },
  magnitudes: ["thousand", "million", "billion", "trillion"],
  abbreviations: {
    "Dr.": "Doctor",
    "Mr.": "Mister",
    "Mrs.": "Missus",
    "Prof.": "Professor",
    "e.g.": "for example",
    "i.e.": "that is",
    "etc.": "et cetera",
    "vs.": "versus",
    "approx.": "approximately",
    "a.m.": "A M",
    "p.m.": "P M",
    "Ave.": "Avenue",
    "Blvd.": "Boulevard",
    "Rd.": "Road",
    "Ltd.": "Limited",
    "ext.": "extension",
  },
};

const GERMAN: Lexicon = {
  group: ".",
  decimal: ",",
  at: "ät",
  dot: "Punkt",
  dash: "minus",
  underscore: "Unterstrich",
  slash: "Schrägstrich",
  plus: "plus",
  minus: "minus",
  equals: "gleich",
  star: "Stern",
  hash: "Raute",
  and: "und",
  to: "bis",
  number: "Nummer",
  percent: "Prozent",
  withCents: "und",
  money: money(
    [
      ["Dollar", "Dollar"],
      ["Cent", "Cent"],
    ],
    [
      ["Euro", "Euro"],
      ["Cent", "Cent"],
    ],
    [
      ["Pfund", "Pfund"],
      ["Penny", "Pence"],
    ],
  ),
  units: {
    km: ["Kilometer", "Kilometer"],
    "km/h": ["Kilometer pro Stunde", "Kilometer pro Stunde"],
    cm: ["Zentimeter", "Zentimeter"],
    mm: ["Millimeter", "Millimeter"],
    kg: ["Kilogramm", "Kilogramm"],
    "°C": ["Grad Celsius", "Grad Celsius"],
    "°F": ["Grad Fahrenheit", "Grad Fahrenheit"],
  },
  magnitudes: ["Tausend", "Millionen", "Milliarden"],
  abbreviations: {
    "z. B.": "zum Beispiel",
    "z.B.": "zum Beispiel",
    "d. h.": "das heißt",
    "d.h.": "das heißt",
    "usw.": "und so weiter",
    "bzw.": "beziehungsweise",
    "ggf.": "gegebenenfalls",
    "inkl.": "inklusive",
    "ca.": "circa",
    "Dr.": "Doktor",
    "Nr.": "Nummer",
    "Str.": "Straße",
    "Tel.": "Telefon",
  },
};

const FRENCH: Lexicon = {
  group: " \u00a0\u202f",
  decimal: ",",
  at: "arobase",
  dot: "point",
  dash: "tiret",
  underscore: "tiret bas",
  slash: "barre oblique",
  plus: "plus",
  minus: "moins",
  equals: "égale",
  star: "étoile",
  hash: "dièse",
  and: "et",
  to: "à",
  number: "numéro",
  percent: "pour cent",
  withCents: "et",
  money: money(
    [
      ["dollar", "dollars"],
      ["cent", "cents"],
    ],
    [
      ["euro", "euros"],
      ["centime", "centimes"],
    ],
    [
      ["livre", "livres"],
      ["penny", "pence"],
    ],
  ),
  units: {
    km: ["kilomètre", "kilomètres"],
    "km/h": ["kilomètre à l'heure", "kilomètres à l'heure"],
    cm: ["centimètre", "centimètres"],
    mm: ["millimètre", "millimètres"],
    kg: ["kilogramme", "kilogrammes"],
    "°C": ["degré Celsius", "degrés Celsius"],
  },
  magnitudes: ["mille", "millions", "milliards"],
  abbreviations: {
    "p. ex.": "par exemple",
    Mme: "Madame",
    "n°": "numéro",
    "env.": "environ",
    "tél.": "téléphone",
    "etc.": "et cetera",
  },
};

const SPANISH: Lexicon = {
  group: ".",
  decimal: ",",
  at: "arroba",
  dot: "punto",
  dash: "guion",
  underscore: "guion bajo",
  slash: "barra",
  plus: "más",
  minus: "menos",
  equals: "es igual a",
  star: "asterisco",
  hash: "almohadilla",
  and: "y",
  to: "a",
  number: "número",
  percent: "por ciento",
  withCents: "con",
  money: money(
    [
      ["dólar", "dólares"],
      ["centavo", "centavos"],
    ],
    [
      ["euro", "euros"],
      ["céntimo", "céntimos"],
    ],
    [
      ["libra", "libras"],
      ["penique", "peniques"],
    ],
  ),
  units: {
    km: ["kilómetro", "kilómetros"],
    "km/h": ["kilómetro por hora", "kilómetros por hora"],
    cm: ["centímetro", "centímetros"],
    mm: ["milímetro", "milímetros"],
    kg: ["kilogramo", "kilogramos"],
    "°C": ["grado Celsius", "grados Celsius"],
  },
  magnitudes: ["mil", "millones"],
  abbreviations: {
    "p. ej.": "por ejemplo",
    "Sr.": "señor",
    "Sra.": "señora",
    "Dr.": "doctor",
    "Dra.": "doctora",
    "n.º": "número",
    "aprox.": "aproximadamente",
    "tel.": "teléfono",
    "etc.": "etcétera",
  },
};

const LANGUAGES: Readonly<Record<string, Lexicon>> = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH };

/** Regions of Spanish where $ is a peso. */
const PESO_REGIONS: readonly string[] = ["AR", "CL", "CO", "CU", "DO", "MX", "UY"];
const PESO: readonly [SingularPlural, SingularPlural] = [
  ["peso", "pesos"],
  ["centavo", "centavos"],
];
const NORTH_AMERICA: readonly string[] = ["US", "CA"];

/** The lexicon for a BCP 47 tag, with the differences of its region; undefined for an unknown language. Not cached. */
export function lexiconFor(tag: string): Lexicon | undefined {
  const language = primaryLanguage(tag);
  const words = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  return words && { ...words, ...separators(words, tag), ...regional(words, new Intl.Locale(tag).region) };
}

/** The number separators of the region: 1,500.50 in Mexico, 1.500,50 in Spain. */
function separators(words: Lexicon, tag: string): Pick<Lexicon, "group" | "decimal"> {
  const parts = new Intl.NumberFormat(tag).formatToParts(1_234_567.5);
  const partOf = (type: "group" | "decimal"): string => parts.find((part) => part.type === type)?.value ?? words[type];
  const decimal = partOf("decimal");
  const group = partOf("group");
  // The language's other separators are accepted, too, unless they are ambiguous.
  const groups = words.group === decimal ? group : group + words.group;
  if (/\s/.test(group)) return { decimal, group: `${groups} \u00a0\u202f` };
  return { decimal, group: /['’]/.test(group) ? `${groups}'’` : groups };
}

/** Words that differ in a region. */
function regional(words: Lexicon, region: string | undefined): Partial<Lexicon> {
  if (region === undefined) return {};
  if (words === ENGLISH) return NORTH_AMERICA.includes(region) ? {} : { hash: "hash" };
  if (words !== SPANISH || region === "ES") return {};
  return { hash: "numeral", ...(PESO_REGIONS.includes(region) ? { money: { ...words.money, $: PESO } } : {}) };
}

function money(
  dollar: readonly [SingularPlural, SingularPlural],
  euro: readonly [SingularPlural, SingularPlural],
  pound: readonly [SingularPlural, SingularPlural],
): Lexicon["money"] {
  return { $: dollar, US$: dollar, USD: dollar, "€": euro, EUR: euro, "£": pound, GBP: pound };
}
