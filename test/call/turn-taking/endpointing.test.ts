import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { areBackChannels, isBackChannel } from "../../../src/call/turn-taking/back-channel.ts";
import { endpointMs } from "../../../src/call/turn-taking/endpointing.ts";

describe("the pause that ends a turn", () => {
  // A sentence has a value of its own here, so that no test can take the usual pause for it.
  const parameters = { ...DEFAULT_TURN_PARAMETERS, endpointSentenceMs: 480 };
  const { endpointSentenceMs, endpointQuestionMs, endpointTrailingMs, endpointMs: usualMs } = parameters;

  test("is 500 ms after a sentence, because several sentences make one turn, and 350 ms after a question", () => {
    expect(endpointMs("Two loaves, please.", "en", DEFAULT_TURN_PARAMETERS)).toBe(500);
    expect(endpointMs("Two loaves, is that all right?", "en", DEFAULT_TURN_PARAMETERS)).toBe(350);
  });

  test.each([
    ["two loaves please", "en", usualMs],
    ["Two loaves, please.", "en-GB", endpointSentenceMs],
    ['He said "yes."', "en", endpointSentenceMs],
    ["Wie viel kostet das?", "de", endpointQuestionMs],
    ["いくらですか。", "ja", endpointSentenceMs],
    ["I would like two loaves and", "en", endpointTrailingMs],
    ["I would like, um", "en-US", endpointTrailingMs],
    ["My number is seven,", "en", endpointTrailingMs],
    ["well…", "en", endpointTrailingMs],
    ["well...", "en", endpointTrailingMs],
    ["ich hätte gern zwei Brote und", "de-AT", endpointTrailingMs],
    ["ich hätte gern zwei Brote und", "en", usualMs],
    ["the sand", "en", usualMs],
    ["", "en", usualMs],
    ["आप कब खुलते हैं।", "hi", endpointSentenceMs],
    ["متى تفتحون؟", "ar", endpointQuestionMs],
    ["آپ کب کھلتے ہیں۔", "ur", endpointSentenceMs],
    ["Ե՞րբ եք բացում։", "hy", endpointQuestionMs],
    ["መቼ ትከፍታላችሁ።", "am", endpointSentenceMs],
    ["ဘယ်အချိန်ဖွင့်ပါသလဲ။", "my", endpointSentenceMs],
    ["Πότε ανοίγετε;", "el", endpointQuestionMs],
    ["彼は「はい。」", "ja", endpointSentenceMs],
    ["何時ですか？", "ja", endpointQuestionMs],
    ["几点？」", "zh", endpointQuestionMs],
    ["Really?!", "en", endpointQuestionMs],
    ["He asked: “When?”", "en", endpointQuestionMs],
    ["¿Cuándo abren?", "es", endpointQuestionMs],
    ["Πότε ανοίγετε\u037e", "el", endpointQuestionMs],
    ["መቼ ትከፍታላችሁ፧", "am", endpointQuestionMs],
    ["Ե՞րբ։ Վաղը։", "hy", endpointSentenceMs],
    ["When? Tomorrow.", "en", endpointSentenceMs],
    ["我要两个，", "zh", endpointTrailingMs],
    ["أريد رغيفين،", "ar", endpointTrailingMs],
    ["我要两个面包和", "zh", endpointTrailingMs],
    ["パンが欲しいんですけど", "ja", endpointTrailingMs],
    ["我要两个面包", "zh", usualMs],
  ])("after %j in %s is %i ms", (text, language, ms) => {
    expect(endpointMs(text, language, parameters)).toBe(ms);
  });
});

describe("a back-channel", () => {
  test.each([
    ["mm-hm", "en"],
    ["Yeah.", "en-US"],
    ["Okay, yeah, right", "en"],
    ["I see", "en"],
    ["Ach so", "de"],
    ["ja, genau", "de-CH"],
    ["d’accord", "fr"],
    ["d'accord", "fr"],
    ["Mm-hm", "ja"],
    ["Yeah, I see.", "en"],
    ["oh all right", "en"],
    ["ja, na klar", "de"],
    ["oui, tout à fait", "fr"],
    ["嗯嗯", "zh"],
    ["好的好的", "zh-CN"],
    ["はい、はい", "ja"],
    ["そうですね", "ja"],
    ["네 네", "ko"],
    ["हाँ जी", "hi"],
    ["ครับ", "th"],
    ["да, понятно", "ru"],
    ["نعم", "ar"],
  ])("is %j in %s", (text, language) => {
    expect(isBackChannel(text, language)).toBe(true);
  });

  test.each([
    ["", "en"],
    ["...", "en"],
    ["好的我要两个面包", "zh"],
    ["はい、それと", "ja"],
    ["no", "en"],
    ["yeah but", "en"],
    ["yeah yeah yeah yeah yeah", "en"],
    ["genau", "en"],
    ["stop", "de"],
    ["I", "en"],
    ["I see you", "en"],
    ["all", "en"],
  ])("is not %j in %s", (text, language) => {
    expect(isBackChannel(text, language)).toBe(false);
  });

  test.each([
    ["I", "en", true],
    ["yeah all", "en", true],
    ["yeah", "en", true],
    ["tout à", "fr", true],
    ["I want", "en", false],
    ["see", "en", false],
    ["", "en", false],
    ["je", "en", false],
    ["yeah yeah yeah yeah I", "en", false],
  ])("may still become one of %j in %s: %s", (text, language, may) => {
    expect(isBackChannel(text, language, true)).toBe(may);
  });

  test("may be repeated at any length", () => {
    expect(areBackChannels("mm-hm I see yeah mm-hm of course mm-hm", "en")).toBe(true);
    expect(areBackChannels("mm-hm I see yeah mm-hm of course stop", "en")).toBe(false);
    expect(areBackChannels("", "en")).toBe(false);
  });
});
