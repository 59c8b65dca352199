import { describe, expect, test } from "vitest";
import { createOpenAiLlm } from "../../../../src/speech/llm/providers/openai/adapter.ts";
import { ReasoningFilter } from "../../../../src/speech/llm/providers/openai/reasoning-filter.ts";
import { eventsOf, says, startLlmServer } from "../../../support/providers/llm/llm-kit.ts";
import { chatAnswer } from "../../../support/providers/llm/openai.ts";

/** The filtered text when `text` arrives in chunks of `chars`. */
function said(text: string, chars: number): string {
  const filter = new ReasoningFilter();
  let visible = "";
  for (let at = 0; at < text.length; at += chars) visible += filter.push(text.slice(at, at + chars));
  return visible + filter.end();
}

describe("reasoning is never emitted, however the reply is chunked", () => {
  test.each([
    ["<think>They want bread.</think>\n\nWe have rye.", "We have rye."],
    ["\n<think>\nHm. 1 < 2.\n</think>\nWe have rye.", "\nWe have rye."],
    ["Well, <think>which?</think> rye. <think>More?</think>Or wheat.", "Well, rye. Or wheat."],
    ["<think></think>Yes.", "Yes."],
    ["They want bread.</think>\n\nWe have rye.", "They want bread.\n\nWe have rye."],
    ["</think>\nYes.", "\nYes."],
    ["Is </thi or </think not a tag?", "Is </thi or </think not a tag?"],
    ["<think>and on it goes, without an end </thin", ""],
    ["Is 1 < 2? <b>Yes</b>, <thin", "Is 1 < 2? <b>Yes</b>, <thin"],
    ["", ""],
  ])("%j", (text, spoken) => {
    for (let chars = 1; chars <= text.length + 1; chars += 1) expect(said(text, chars)).toBe(spoken);
  });

  test("as an OpenAI-compatible server sends it", async () => {
    const events = chatAnswer("<th", "ink>They want", " bread.</", "think>", "\n\n", "We have", " rye.");
    const { url } = await startLlmServer(says(...events));
    const llm = createOpenAiLlm({ model: "qwen3", apiKey: "key", baseUrl: `${url}/v1` });
    const texts = (await eventsOf(llm)).flatMap((event) => (event.kind === "text" ? [event.text] : []));
    expect(texts).toEqual(["We have", " rye."]);
  });
});
