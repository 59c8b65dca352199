import type { Voice } from "../contracts.ts";
import { languageCode, languageCodes } from "../languages.ts";

/**
 * Whether `voice` may speak `language`, a code: regions are one language here, for a British voice is understood in an American
 * call. True as well where nobody knows that it does not.
 */
export const maySpeak = (voice: Voice, language: string): boolean =>
  voice.otherLanguagesUnknown === true || speaks(voice, language);

/** The ids of voices known to speak `language`, best first: those of `provider`, and before others those offered in it. */
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
 * The voice that a call goes on with in `language`, a code, when its own is `ownId`; undefined where no voice speaks that. Its own,
 * if that speaks it; else one of the same provider: of that very region, then of none, then of the one where most speak the
 * language, then of any. Among equals one that is called the same, then the plainest. Where none is offered in the language, one that
 * speaks it as well, likewise. The same voices give the same choice.
 */
export function chooseVoice(voices: readonly Voice[], ownId: string, language: string): Voice | undefined {
  const code = languageCode(language);
  if (code === undefined) return undefined;
  const own = voices.find(({ id }) => id === ownId);
  const { language: spoken } = new Intl.Locale(code);
  const possible = voices.filter((voice) => own === undefined || voice.provider === own.provider);
  const offered = possible.filter((voice) => languageCodes(voice.language)[0] === spoken);
  const speaking = offered.length > 0 ? offered : possible.filter((voice) => voice.alsoSpeaks?.includes(spoken));
  if (own !== undefined && speaking.includes(own)) return own;
  const wanted = [code, spoken, `${spoken}-${new Intl.Locale(spoken).maximize().region}`];
  const strangeness = (voice: Voice): number => {
    const found = wanted.indexOf(languageCodes(voice.language).at(-1) ?? "");
    return found < 0 ? wanted.length : found;
  };
  return speaking.sort(
    (a, b) =>
      strangeness(a) - strangeness(b) ||
      Number(b.name === own?.name) - Number(a.name === own?.name) ||
      a.language.length - b.language.length ||
      (a.id < b.id ? -1 : 1),
  )[0];
}
