/**
 * How long a letter takes to be spoken, relative to a Latin letter. Measured with eSpeak NG, which speaks 16 Latin letters per
 * second, 15 Cyrillic, 3.7 Han, 5.1 Hangul, 7.5 Kana, 6.7 Ethiopic, 8.9 Arabic, 10.5 Thai and 11 Devanagari ones.
 */
const WEIGHTS: readonly (readonly [script: RegExp, weight: number])[] = [
  [/\p{Script=Han}/u, 4],
  [/\p{Script=Hangul}/u, 3],
  [/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Ethiopic}]/u, 2],
  [/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Devanagari}]/u, 1.5],
];
/** Below this code point all letters have weight 1. */
const FIRST_WEIGHED = 0x590;

/** How long one character takes to be spoken, in Latin letters. */
export function speakingWeight(character: string): number {
  if ((character.codePointAt(0) ?? 0) < FIRST_WEIGHED) return 1;
  return WEIGHTS.find(([script]) => script.test(character))?.[1] ?? 1;
}

/** How long `text` takes to be spoken, in Latin letters. */
export function speakingLength(text: string): number {
  let length = 0;
  for (const character of text) length += speakingWeight(character);
  return length;
}
