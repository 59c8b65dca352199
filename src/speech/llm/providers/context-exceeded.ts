/** Statuses that servers use for a prompt that is too long. */
const STATUSES: readonly number[] = [400, 413, 422];

/**
 * Codes with this one meaning: of OpenAI and compatible servers such as Groq and Azure, and of llama.cpp's server
 * (tools/server/server.cpp).
 */
const CODES: readonly string[] = ["context_length_exceeded", "exceed_context_size_error"];

/** Where the code stands for any bad request, the message identifies the cause. */
const MESSAGE_PATTERNS: readonly RegExp[] = [
  // vLLM, DeepSeek and OpenAI's older models: "This model's maximum context length is 8192 tokens. However, you
  // requested ..."
  /maximum context length/i,
  // Anthropic, `invalid_request_error`: "prompt is too long: 207791 tokens > 200000 maximum"
  /prompt is too long/i,
  // Anthropic, the same: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, ..."
  /exceeds? (?:the |its )?context (?:limit|window|size)/i,
  // Gemini, `INVALID_ARGUMENT`: "The input token count (1200293) exceeds the maximum number of tokens allowed
  // (1048576)."
  /input token count\b.{0,32}exceeds the maximum number of tokens/i,
  // Older llama.cpp: "the request exceeds the available context size. try increasing the context size or enable context
  // shift"
  /exceeds the available context size/i,
];

/**
 * Whether a refusal means that the prompt was longer than the model's context. `code` and `message` are from its body.
 */
export const meansContextExceeded = (status: number, code = "", message = ""): boolean =>
  STATUSES.includes(status) && (CODES.includes(code) || MESSAGE_PATTERNS.some((pattern) => pattern.test(message)));
