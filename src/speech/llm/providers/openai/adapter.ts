import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import { providerFailed } from "../../../../core/errors.ts";
import type { Llm, LlmEvent, LlmRequest, ToolCall } from "../../../contracts.ts";
import { preconnect } from "../../../keep-alive-request.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { argumentsOf, chatHistoryOf, type Turn } from "../chat-history.ts";
import type { LlmOptions } from "../options.ts";
import { type EventFormat, type ReplyReader, replyStream } from "../reply-stream.ts";
import { CLIENT_TIMEOUT_MS, reportedError, sdkFetch } from "../sdk-fetch.ts";
import { ReasoningFilter } from "./reasoning-filter.ts";

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type ToolCallDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall;
type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type ChatRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

const PROVIDER = "openai";

/**
 * OpenAI's models that reason by default, with the least effort that each accepts, because on a telephone every second
 * of reasoning is silence. They accept no temperature. Names of other servers' models (`gpt-oss:20b`, `llama3.2`) match
 * none.
 */
const REASONING: readonly [RegExp, "none" | "minimal" | "low"][] = [
  // These two do not accept `none`, and at OpenAI's own address they accept tools only with `low`.
  [/^gpt-(?:6-astra|6\.1-sol)(?:-|$)/, "low"],
  [/^gpt-5(?:-|$)/, "minimal"],
  [/^gpt-(?:5\.|[6-9])/, "none"],
  [/^o\d/, "low"],
];

/**
 * LLM adapter for the chat completions of OpenAI or of any compatible server (Groq, vLLM, Ollama, llama.cpp).
 *
 * Built from the API reference, "Create chat completion" and "Streaming"
 * (platform.openai.com/docs/api-reference/chat/create and /chat-streaming), with openai 6.30. The differences of other
 * servers are from Ollama's "OpenAI compatibility" (docs.ollama.com/openai), llama.cpp's tools/server/README.md and
 * vLLM's "OpenAI-Compatible Server" (docs.vllm.ai).
 *
 * Tolerated: content that is null, deltas that only name a role, tool calls without ids or all at index 0, nulls for
 * ids, indexes and names, no usage (reported as 0 tokens) and no `[DONE]`. The chat templates of many models (Gemma,
 * Mistral) accept only alternating roles, so the conversation alternates for all models.
 */
export function createOpenAiLlm({ model, apiKey, baseUrl }: LlmOptions): Llm {
  const { chat } = new OpenAI({
    apiKey,
    baseURL: baseUrl,
    // Set here, because the SDK would read them from environment variables that are not part of our configuration.
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: "off",
    maxRetries: 0,
    timeout: CLIENT_TIMEOUT_MS,
    fetch: sdkFetch(PROVIDER),
  });
  return {
    provider: PROVIDER,
    prepare: (signal) => preconnect(baseUrl, signal),
    reply(request, signal) {
      const send = () => chat.completions.create(requestFor(model, request), { signal }).asResponse();
      return replyStream(PROVIDER, send, FORMAT, new CompletionReader(), signal);
    },
  };
}

function requestFor(model: string, { messages, tools, temperature }: LlmRequest): ChatRequest {
  const effort = model.includes("-chat") ? undefined : REASONING.find(([names]) => names.test(model))?.[1];
  return {
    model,
    messages: toWire(messages),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolToWire) }),
    ...(effort === undefined ? { temperature } : { reasoning_effort: effort }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

const toolToWire = ({ name, description, parameters }: LlmRequest["tools"][number]) => ({
  type: "function" as const,
  function: { name, description, parameters: { ...parameters } },
});

function toWire(messages: LlmRequest["messages"]): WireMessage[] {
  const { system, turns } = chatHistoryOf(messages);
  return [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...turns.flatMap(turnToWire)];
}

/** Tool results are separate messages before the caller's text. */
function turnToWire({ role, parts }: Turn): WireMessage[] {
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  if (role === "user") {
    const results = parts.flatMap((part) =>
      part.kind === "result" ? [{ role: "tool" as const, tool_call_id: part.toolCallId, content: part.text }] : [],
    );
    return text === "" ? results : [...results, { role, content: text }];
  }
  const calls = parts.flatMap((part) => (part.kind === "call" ? [callToWire(part.call)] : []));
  if (calls.length === 0) return [{ role, content: text }];
  return [{ role, content: text === "" ? null : text, tool_calls: calls }];
}

/** Servers parse the arguments of earlier tool calls, and some fail on invalid JSON. */
const callToWire = (call: ToolCall) => ({
  id: call.id,
  type: "function" as const,
  function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
});

const FORMAT: EventFormat<Chunk> = {
  isLast: ({ data }) => data === "[DONE]",
  parse({ data }) {
    if (data.startsWith("[DONE]")) return undefined;
    const chunk = JSON.parse(data) as Chunk & { error?: unknown };
    if (chunk.error) throw reportedError(PROVIDER, chunk.error);
    return chunk;
  },
};

class CompletionReader implements ReplyReader<Chunk> {
  readonly #calls = new ToolCallAssembler();
  readonly #filter = new ReasoningFilter();
  #finished: string | undefined;
  #usage: { prompt_tokens?: number; completion_tokens?: number } | null | undefined;

  *take(chunk: Chunk): Generator<LlmEvent> {
    this.#usage = chunk.usage ?? this.#usage;
    // The chunk with `usage` has empty `choices`; some servers omit `choices`.
    const choice = chunk.choices?.[0];
    const content = choice?.delta?.content;
    const text = typeof content === "string" ? this.#filter.push(content) : "";
    if (text !== "") yield { kind: "text", text };
    for (const delta of choice?.delta?.tool_calls ?? []) {
      this.#calls.take(delta);
      if ((delta.function?.arguments ?? "") !== "") yield { kind: "text", text: "" };
    }
    this.#finished = choice?.finish_reason ?? this.#finished;
  }

  *end(): Generator<LlmEvent> {
    if (this.#finished === undefined) throw providerFailed(PROVIDER, "ended its reply before it was complete");
    if (this.#finished === "content_filter")
      throw providerFailed(PROVIDER, "withheld its reply (content_filter)", REQUEST_ERROR);
    const rest = this.#filter.end();
    if (rest !== "") yield { kind: "text", text: rest };
    for (const call of this.#calls.all()) yield { kind: "tool-call", ...call };
    const { prompt_tokens, completion_tokens } = this.#usage ?? {};
    yield { kind: "end", inputTokens: tokens(prompt_tokens), outputTokens: tokens(completion_tokens) };
  }
}

const tokens = (count: unknown): number => (typeof count === "number" && Number.isSafeInteger(count) ? count : 0);

/** Assembles the tool calls of one reply from their deltas. */
class ToolCallAssembler {
  readonly #calls: ToolCall[] = [];
  readonly #byIndex = new Map<number, ToolCall>();

  take({ function: part, ...delta }: ToolCallDelta): void {
    // Both may be null in later deltas of a call, against the SDK's types.
    const index = delta.index ?? 0;
    const id = delta.id ?? "";
    const known = this.#byIndex.get(index);
    const name = part?.name ?? "";
    // Some servers give all calls of a reply the index 0, and some of them no ids: then a name begins another call.
    const begins = known === undefined || (id === "" ? name !== "" && known.name !== "" : known.id !== id);
    const call = begins ? { id, name: "", argumentsJson: "" } : known;
    if (begins) {
      this.#calls.push(call);
      this.#byIndex.set(index, call);
    }
    if (call.name === "") call.name = name;
    call.argumentsJson += part?.arguments ?? "";
  }

  all(): ToolCall[] {
    return this.#calls.map(({ id, name, argumentsJson }) => ({
      id: id === "" ? `call_${randomUUID()}` : id,
      name,
      argumentsJson: argumentsJson === "" ? "{}" : argumentsJson,
    }));
  }
}
