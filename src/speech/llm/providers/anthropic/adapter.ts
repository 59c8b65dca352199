import Anthropic from "@anthropic-ai/sdk";
import { providerFailed } from "../../../../core/errors.ts";
import { LLM_OUTPUT_TOKENS_MAX } from "../../../../core/limits/speech-providers/llm.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../contracts.ts";
import { preconnect } from "../../../keep-alive-request.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { argumentsOf, chatHistoryOf, type Part } from "../chat-history.ts";
import type { LlmOptions } from "../options.ts";
import { type EventFormat, type ReplyReader, replyStream } from "../reply-stream.ts";
import { CLIENT_TIMEOUT_MS, reportedError, sdkFetch } from "../sdk-fetch.ts";

type MessagesRequest = Anthropic.MessageCreateParamsStreaming;
type Block = Anthropic.ContentBlockParam;

const PROVIDER = "anthropic";

/**
 * Models up to 4.6: they accept a temperature, which the API's version 2026-10-21 no longer accepts and 2023-06-01
 * still does, and reason only on request. Later models accept none in any version, and reason as much as `effort`
 * allows (platform.claude.com/docs/en/api/migration-2026-10-21 and /docs/en/models/sonnet-5/migration-guide).
 */
const TAKES_TEMPERATURE = /^claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?!-[7-9]))/;
const OLDER_VERSION = { "anthropic-version": "2023-06-01" };

/**
 * LLM adapter for Anthropic's Messages API, version 2026-10-21, as a stream. Built from "Streaming messages"
 * (platform.claude.com/docs/en/build-with-claude/streaming), "Handle tool calls" and the reference of "Create a
 * Message", with @anthropic-ai/sdk 1.12. A model's reasoning is neither emitted nor sent back: adaptive thinking does
 * not require it.
 */
export function createAnthropicLlm({ model, apiKey, baseUrl }: LlmOptions): Llm {
  const { messages } = new Anthropic({
    apiKey,
    baseURL: baseUrl,
    // Set here, because the SDK would read them from environment variables that are not part of our configuration.
    webhookKey: null,
    openTelemetry: false,
    logLevel: "off",
    maxRetries: 0,
    timeout: CLIENT_TIMEOUT_MS,
    fetch: sdkFetch(PROVIDER),
  });
  return {
    provider: PROVIDER,
    prepare: (signal) => preconnect(baseUrl, signal),
    reply(request, signal) {
      const headers = TAKES_TEMPERATURE.test(model) ? OLDER_VERSION : {};
      const send = () => messages.create(requestFor(model, request), { signal, headers }).asResponse();
      return replyStream(PROVIDER, send, FORMAT, new MessageReader(), signal);
    },
  };
}

function requestFor(model: string, { messages, tools, temperature }: LlmRequest): MessagesRequest {
  const { system, turns } = chatHistoryOf(messages);
  const sampling = TAKES_TEMPERATURE.test(model) ? { temperature } : { output_config: { effort: "low" as const } };
  return {
    model,
    max_tokens: LLM_OUTPUT_TOKENS_MAX,
    ...(system === "" ? {} : { system }),
    messages: turns.map(({ role, parts }) => ({ role, content: parts.map(toBlock) })),
    ...toolsFor(
      tools,
      turns.flatMap(({ parts }) => parts),
    ),
    ...sampling,
    stream: true,
  };
}

/** A conversation with tool calls must declare their tools, even where no tool may be used any more. */
function toolsFor(tools: LlmRequest["tools"], parts: readonly Part[]): Pick<MessagesRequest, "tools" | "tool_choice"> {
  if (tools.length > 0) {
    return {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: { ...parameters, type: "object" },
      })),
    };
  }
  const used = new Set(parts.flatMap((part) => (part.kind === "call" ? [part.call.name] : [])));
  if (used.size === 0) return {};
  return {
    tools: [...used].map((name) => ({ name, input_schema: { type: "object" } })),
    tool_choice: { type: "none" },
  };
}

function toBlock(part: Part): Block {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "call":
      return { type: "tool_use", id: idOf(part.call.id), name: part.call.name, input: argumentsOf(part.call) };
    case "result":
      return { type: "tool_result", tool_use_id: idOf(part.toolCallId), content: part.text };
  }
}

/** Converts the id of a tool call, which another provider may have made, to the characters that this API accepts. */
const idOf = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, "_");

const FORMAT: EventFormat<Anthropic.RawMessageStreamEvent> = {
  isLast: ({ name }) => name === "message_stop",
  parse({ name, data }) {
    if (name === "error") throw reportedError(PROVIDER, JSON.parse(data).error);
    // Every event of the API has a name.
    return name === "ping" || name === "" || data === "" ? undefined : JSON.parse(data);
  },
};

class MessageReader implements ReplyReader<Anthropic.RawMessageStreamEvent> {
  readonly #calls = new Map<number, { id: string; name: string; argumentsJson: string }>();
  #inputTokens = 0;
  #outputTokens = 0;
  #hasStopped = false;

  *take(event: Anthropic.RawMessageStreamEvent): Generator<LlmEvent> {
    switch (event.type) {
      case "message_start":
        this.#inputTokens = inputOf(event.message.usage);
        this.#outputTokens = event.message.usage.output_tokens ?? 0;
        break;
      case "content_block_start": {
        const block = event.content_block;
        if (block.type === "tool_use")
          this.#calls.set(event.index, { id: block.id, name: block.name, argumentsJson: "" });
        else if (block.type === "text" && block.text !== "") yield { kind: "text", text: block.text };
        break;
      }
      case "content_block_delta": {
        const { delta } = event;
        const call = this.#calls.get(event.index);
        if (delta.type === "text_delta" && delta.text !== "") yield { kind: "text", text: delta.text };
        else if (delta.type === "input_json_delta" && call !== undefined) {
          call.argumentsJson += delta.partial_json;
          if (delta.partial_json !== "") yield { kind: "text", text: "" };
        }
        break;
      }
      case "content_block_stop": {
        const call = this.#calls.get(event.index);
        // A call without arguments has no delta.
        if (call !== undefined) yield { kind: "tool-call", ...call, argumentsJson: call.argumentsJson || "{}" };
        break;
      }
      case "message_delta":
        if (event.delta.stop_reason === "refusal")
          throw providerFailed(PROVIDER, "withheld its reply (refusal)", REQUEST_ERROR);
        // Both are totals; `input_tokens` is present only where it has changed.
        if (typeof event.usage?.input_tokens === "number") this.#inputTokens = inputOf(event.usage);
        this.#outputTokens = event.usage?.output_tokens ?? this.#outputTokens;
        break;
      case "message_stop":
        this.#hasStopped = true;
        break;
    }
  }

  *end(): Generator<LlmEvent> {
    if (!this.#hasStopped) throw providerFailed(PROVIDER, "ended its reply before it was complete");
    yield { kind: "end", inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
  }
}

/** Tokens written to the cache and read from it are input too. */
const inputOf = (usage: {
  input_tokens: number | null;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
}): number =>
  (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
