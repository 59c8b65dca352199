/**
 * What each of ElevenLabs' models speaks, whatever the voice, by our own codes. From
 * https://elevenlabs.io/docs/overview/models and, for eleven_v3,
 * https://help.elevenlabs.io/hc/en-us/articles/17883183930129, as of November 2026.
 */
const MULTILINGUAL_V2 = "ar bg cs da de el en es fi fil fr hi hr id it ja ko ms nl pl pt ro ru sk sv ta tr uk zh";
const FLASH_V2_5 = `${MULTILINGUAL_V2} hu nb vi`;
const V3 =
  "af ar as az be bg bn bs ca ceb cs cy da de el en es et fa fi fil fr ga gl gu ha he hi hr hu hy id is it ja jv ka kk kn ko ky " +
  "lb ln lt lv mk ml mr ms nb ne nl ny pa pl ps pt ro ru sd sk sl so sr sv sw ta te th tr uk ur vi zh";

const MODELS: readonly { name: RegExp; languages: readonly string[] }[] = [
  { name: /^eleven_(?:flash|turbo)_v2_5$/, languages: FLASH_V2_5.split(" ") },
  { name: /^eleven_multilingual_v2$/, languages: MULTILINGUAL_V2.split(" ") },
  { name: /^eleven_v3(?:_|$)/, languages: V3.split(" ") },
  { name: /^eleven_(?:(?:flash|turbo)_v2|monolingual_v1)$/, languages: ["en"] },
];

/** The languages that every voice speaks with `model`; undefined for a model that is not known here. */
export const elevenLabsLanguages = (model: string): readonly string[] | undefined =>
  MODELS.find(({ name }) => name.test(model))?.languages;
