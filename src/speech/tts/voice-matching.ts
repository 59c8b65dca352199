import type { Voice } from "../contracts.ts";
import { languageCode, languageCodes } from "../languages.ts";

/**
 * Whether `voice` may speak `language`, a code. Regions count as one language: a British voice is understood in an
 * American call. Also true if the voice's other languages are unknown.
 */
export const maySpeak = (voice: Voice, language: string): boolean =>
  voice.otherLanguagesUnknown === true || speaks(voice, language);

/**
 * The ids of voices known to speak `language`, best first: voices offered in the language before voices that also speak
 * it, and among equals those of `provider` first.
 */
export function voicesSpeaking(voices: readonly Voice[], language: string, provider: string): string[] {
  const isOffered = (voice: Voice): boolean => primaryOf(voice.language) === primaryOf(language);
  return voices
    .filter((voice) => speaks(voice, language))
    .sort(
      (a, b) =>
        Number(isOffered(b)) - Number(isOffered(a)) ||
        Number(b.provider === provider) - Number(a.provider === provider),
    )
    .map(({ id }) => id);
}

function speaks({ language: own, alsoSpeaks = [] }: Voice, language: string): boolean {
  const wanted = primaryOf(language);
  return primaryOf(own) === wanted || alsoSpeaks.some((other) => primaryOf(other) === wanted);
}

const primaryOf = (tag: string): string | undefined => languageCodes(tag)[0];

/**
 * The voice that a call whose voice is `ownId` continues with in `language`, a code; undefined if no voice speaks it.
 * The call's own voice, if that speaks the language. Otherwise a voice of the same provider, by region: the exact
 * region, then none, then the region where most people speak the language, then any. Among equals a voice with the same
 * name, then the one with the shortest language tag. If no voice is offered in the language, the same order applies to
 * those that also speak it. The same voices always give the same choice.
 */
export function chooseVoice(voices: readonly Voice[], ownId: string, language: string): Voice | undefined {
  const code = languageCode(language);
  if (code === undefined) return undefined;
  const own = voices.find(({ id }) => id === ownId);
  const { language: primary } = new Intl.Locale(code);
  const possible = voices.filter((voice) => own === undefined || voice.provider === own.provider);
  const offered = possible.filter((voice) => languageCodes(voice.language)[0] === primary);
  const speaking = offered.length > 0 ? offered : possible.filter((voice) => voice.alsoSpeaks?.includes(primary));
  if (own !== undefined && speaking.includes(own)) return own;
  const wanted = [code, primary, `${primary}-${new Intl.Locale(primary).maximize().region}`];
  const regionRank = (voice: Voice): number => {
    const found = wanted.indexOf(languageCodes(voice.language).at(-1) ?? "");
    return found < 0 ? wanted.length : found;
  };
  return speaking.sort(
    (a, b) =>
      regionRank(a) - regionRank(b) ||
      Number(b.name === own?.name) - Number(a.name === own?.name) ||
      a.language.length - b.language.length ||
      (a.id < b.id ? -1 : 1),
  )[0];
}
