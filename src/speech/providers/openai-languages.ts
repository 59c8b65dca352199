/**
 * The languages of OpenAI's ears and voices, by its own codes (platform.openai.com/docs/guides/speech-to-text and
 * /text-to-speech, "Supported languages"): asked to hear any other by name, it refuses.
 */
export const OPENAI_LANGUAGES: ReadonlySet<string> = new Set(
  (
    "af ar hy az be bs bg ca zh hr cs da nl en et fi fr gl de el he hi hu is id it ja kn kk ko lv lt mk ms mr mi ne no fa pl pt ro " +
    "ru sr sk sl es sw sv tl ta th tr uk ur vi cy"
  ).split(" "),
);
