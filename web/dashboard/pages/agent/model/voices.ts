import type { Schema } from "../../../../client/src/index.ts";

type Voice = Schema<"Voice">;
type Language = Pick<Schema<"Language">, "code">;

/** Which voices are shown to choose from. */
export interface VoiceFilter {
  /** A code: voices of the same language, of any region; undefined for all. */
  language?: string | undefined;
  provider?: string | undefined;
  /** Part of a name or an id. */
  text: string;
}

const primaryOf = (code: string): string => code.toLowerCase().split("-")[0] ?? "";

/** The voices of a filter, those of exactly its language first. */
export function matchingVoices(voices: readonly Voice[], { language, provider, text }: VoiceFilter): readonly Voice[] {
  const wanted = text.trim().toLowerCase();
  const rank = (voice: Voice): number => Number(voice.language.toLowerCase() !== language?.toLowerCase());
  return voices
    .filter(
      (voice) =>
        (language === undefined || primaryOf(voice.language) === primaryOf(language)) &&
        (provider === undefined || voice.provider === provider) &&
        `${voice.name} ${voice.id}`.toLowerCase().includes(wanted),
    )
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a voice is listed for another language than this. It may speak it all the same: the service knows. */
export const isOfOtherLanguage = (voice: Voice, language: string): boolean =>
  primaryOf(voice.language) !== primaryOf(language);

/** A language of calls in which a voice can be heard: its own, or one of its other regions, or else `usual`. */
export function sampleLanguage(voice: Voice, languages: readonly Language[], usual: string): string {
  const codes = languages.map(({ code }) => code);
  const own = codes.find((code) => code.toLowerCase() === voice.language.toLowerCase());
  const near = [usual, ...codes].find((code) => primaryOf(code) === primaryOf(voice.language));
  return own ?? near ?? usual;
}

const SAMPLES: Readonly<Record<string, string>> = {
  en: "Hello, this is how I sound on the telephone. How can I help you?",
  de: "Guten Tag, so klinge ich am Telefon. Was kann ich für Sie tun?",
  fr: "Bonjour, voici ma voix au téléphone. Que puis-je faire pour vous ?",
  es: "Hola, así sueno por teléfono. ¿En qué puedo ayudarle?",
  it: "Buongiorno, ecco la mia voce al telefono. Come posso aiutarla?",
  nl: "Goedendag, zo klink ik aan de telefoon. Waarmee kan ik u helpen?",
  pt: "Olá, esta é a minha voz ao telefone. Em que posso ajudar?",
  pl: "Dzień dobry, tak brzmię przez telefon. W czym mogę pomóc?",
};

/** What a voice says to be heard; of other languages digits, which each speaks in its own words. */
export const sampleText = (language: string): string => SAMPLES[primaryOf(language)] ?? "1, 2, 3, 4, 5, 6, 7.";
