/** Responses in the form of OpenAI's chat completions; see fixtures/provider/README.md. */

const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "fake", ...more })}\n\n`;

export const chatDelta = (delta: object, finishReason: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], usage: null });

export const chatUsage = (prompt: number, completion: number): string =>
  chunk({
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });

export const CHAT_DONE = "data: [DONE]\n\n";

/** The beginning of a reply with `words`, one per chunk. */
export const unfinishedChat = (...words: readonly string[]): string[] => [
  chatDelta({ role: "assistant", content: "", refusal: null }),
  ...words.map((content) => chatDelta({ content })),
];

export const chatAnswer = (...words: readonly string[]): string[] => [
  ...unfinishedChat(...words),
  chatDelta({}, "stop"),
  chatUsage(21, words.length),
  CHAT_DONE,
];
