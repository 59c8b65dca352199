/** Responses in the form of Anthropic's Messages API; see fixtures/provider/README.md. */

export const anthropicEvent = (data: { type: string; [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

export const messageStart = (inputTokens: number, cacheReadTokens = 0): string =>
  anthropicEvent({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [],
      model: "fake",
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: inputTokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cacheReadTokens,
        output_tokens: 1,
      },
    },
  });

export const textBlock = (index: number, ...texts: readonly string[]): string[] => [
  anthropicEvent({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
  ...texts.map((text) => anthropicEvent({ type: "content_block_delta", index, delta: { type: "text_delta", text } })),
  anthropicEvent({ type: "content_block_stop", index }),
];

export const toolBlock = (index: number, id: string, name: string, ...json: readonly string[]): string[] => [
  anthropicEvent({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } }),
  ...json.map((partial) =>
    anthropicEvent({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: partial },
    }),
  ),
  anthropicEvent({ type: "content_block_stop", index }),
];

export const messageEnd = (outputTokens: number, stopReason = "end_turn"): string[] => [
  anthropicEvent({
    type: "message_delta",
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: outputTokens },
  }),
  anthropicEvent({ type: "message_stop" }),
];

export const PING = anthropicEvent({ type: "ping" });

/** The beginning of a reply with `texts`, one per event. */
export const unfinishedMessage = (...texts: readonly string[]): string[] => [
  messageStart(21),
  PING,
  ...textBlock(0, ...texts).slice(0, -1),
];

export const messageAnswer = (...texts: readonly string[]): string[] => [
  messageStart(21),
  PING,
  ...textBlock(0, ...texts),
  ...messageEnd(texts.length),
];
