import { randomUUID } from "node:crypto";
import type OpenAI from "openai";
import { providerFailed } from "../../../core/errors.ts";
import type { Llm, LlmEvent, LlmRequest, ToolCall } from "../../contracts.ts";
import { preconnect } from "../../keep-alive-fetch.ts";
import { REQUEST_ERROR } from "../../resilience/provider-error.ts";
import { argumentsOf, chatHistoryOf, type Turn } from "./chat-history.ts";
import type { LlmOptions } from "./options.ts";
import { ReasoningFilter } from "./reasoning-filter.ts";
import { replyStream } from "./reply-stream.ts";
import { CLIENT_TIMEOUT_MS, sdkFetch } from "./sdk-fetch.ts";

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type ToolCallDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall;
type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type ChatRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;

const PROVIDER = "openai";

/**
 * Models of OpenAI that reason before they answer unless told not to, with the least that each may be told: on a telephone every second
 * of it is silence. They take no temperature but their own. Names of other servers' models (`gpt-oss:20b`, `llama3.2`) match none.
 */
const REASONING: readonly [RegExp, "none" | "minimal" | "low"][] = [
  // These two never take `none`, and at OpenAI's own address no tools beside any other.
  [/^gpt-(?:6-astra|6\.1-sol)(?:-|$)/, "low"],
  [/^gpt-5(?:-|$)/, "minimal"],
  [/^gpt-(?:5\.|[6-9])/, "none"],
  [/^o\d/, "low"],
];

/**
 * A brain behind the chat completions of OpenAI, or of any server that is compatible with them (Groq, vLLM, Ollama, llama.cpp).
 *
 * From the API reference, "Create chat completion" and "Streaming" (platform.openai.com/docs/api-reference/chat/create and
 * /chat-streaming), with openai 7.57; the differences of others from Ollama's "OpenAI compatibility" (docs.ollama.com/openai),
 * llama.cpp's tools/server/README.md and vLLM's "OpenAI-Compatible Server" (docs.vllm.ai). Borne with: content that is null, deltas
 * that only name a role, tool calls without ids or all at index 0, nulls for ids, indexes and names, no usage (told as 0 tokens) and no
 * `[DONE]`. The templates of many models (Gemma, Mistral) take no sides but such as alternate, so all are told them like that.
 */
export function createOpenAiLlm({ model, apiKey, baseUrl }: LlmOptions): Llm {
  // Loaded only where a model is its: the package takes a process some tenths of a second and up to 24 MB.
  const client = import("openai").then(
    ({ default: Client }) =>
      new Client({
        apiKey,
        baseURL: baseUrl,
        // What it would take from variables of its own that are no configuration of ours.
        organization: null,
        project: null,
        webhookSecret: null,
        logLevel: "off",
        maxRetries: 0,
        timeout: CLIENT_TIMEOUT_MS,
        fetch: sdkFetch(PROVIDER, ({ data }) => data === "[DONE]"),
      }),
  );
  return {
    provider: PROVIDER,
    prepare: (signal) => preconnect(baseUrl, signal),
    reply(request, signal) {
      const ask = async () => {
        const { chat } = await client;
        return eventsOf(await chat.completions.create(requestFor(model, request), { signal }));
      };
      return replyStream(PROVIDER, ask, signal);
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

/** The results of tools are messages of their own, in front of what the caller said since. */
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

/** Servers read the arguments of earlier calls, and some fail over what is no JSON. */
const callToWire = (call: ToolCall) => ({
  id: call.id,
  type: "function" as const,
  function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
});

async function* eventsOf(chunks: AsyncIterable<Chunk>): AsyncGenerator<LlmEvent> {
  const calls = new ToolCallAssembler();
  const thoughts = new ReasoningFilter();
  let finished: string | undefined;
  let usage: { prompt_tokens?: number; completion_tokens?: number } | null | undefined;
  for await (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    // With usage, `choices` is empty; from some servers it is not there at all.
    const choice = chunk.choices?.[0];
    const content = choice?.delta?.content;
    const text = typeof content === "string" ? thoughts.push(content) : "";
    if (text !== "") yield { kind: "text", text };
    for (const piece of choice?.delta?.tool_calls ?? []) {
      calls.take(piece);
      if ((piece.function?.arguments ?? "") !== "") yield { kind: "text", text: "" };
    }
    finished = choice?.finish_reason ?? finished;
  }
  if (finished === undefined) throw providerFailed(PROVIDER, "ended its reply before it was complete");
  if (finished === "content_filter")
    throw providerFailed(PROVIDER, "withheld its answer (content_filter)", REQUEST_ERROR);
  const left = thoughts.end();
  if (left !== "") yield { kind: "text", text: left };
  for (const call of calls.all()) yield { kind: "tool-call", ...call };
  yield { kind: "end", inputTokens: tokens(usage?.prompt_tokens), outputTokens: tokens(usage?.completion_tokens) };
}

const tokens = (count: unknown): number => (typeof count === "number" && Number.isSafeInteger(count) ? count : 0);

/** Puts the calls of one answer together from the pieces in which they come. */
class ToolCallAssembler {
  readonly #calls: ToolCall[] = [];
  readonly #byIndex = new Map<number, ToolCall>();

  take({ function: part, ...piece }: ToolCallDelta): void {
    // Both may be null in what goes on with a call, whatever the types say.
    const index = piece.index ?? 0;
    const id = piece.id ?? "";
    const known = this.#byIndex.get(index);
    const name = part?.name ?? "";
    // Some servers give every call of an answer the index 0, some of these give none an id: then a name begins another.
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
