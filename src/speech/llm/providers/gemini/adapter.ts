import { randomUUID } from "node:crypto";
import {
  type Part as GeminiPart,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type ThinkingLevel,
} from "@google/genai";
import { providerFailed } from "../../../../core/errors.ts";
import {
  LLM_TOOL_CALL_SIGNATURE_CHARS_MAX,
  LLM_TOOL_CALL_SIGNATURES_MAX,
} from "../../../../core/limits/speech-providers/llm.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../contracts.ts";
import { preconnect } from "../../../keep-alive-request.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { argumentsOf, chatHistoryOf, type Part } from "../chat-history.ts";
import type { LlmOptions } from "../options.ts";
import { type EventFormat, type ReplyReader, replyStream } from "../reply-stream.ts";
import { sdkFetch } from "../sdk-fetch.ts";

type Config = NonNullable<GenerateContentParameters["config"]>;
/** An event: the API has the names of the SDK's type. */
type Chunk = Pick<GenerateContentResponse, "candidates" | "promptFeedback" | "usageMetadata">;

const PROVIDER = "gemini";

/** The documented value for tool calls without a stored signature: of another model, or from before our start. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Finish reasons of a complete reply; all others are reasons why Google withheld it. */
const NORMAL_FINISH_REASONS: readonly string[] = ["STOP", "MAX_TOKENS"];
/** The finish reason of a response that another request continues, with a token of that response. */
const UNFINISHED = "CONTINUATION";

/**
 * LLM adapter for the Gemini API, `v1beta`, `streamGenerateContent`. Built from the reference "Generating content"
 * (ai.google.dev/api/generate-content), "Function calling", "Gemini thinking" and "Thought signatures"
 * (ai.google.dev/gemini-api/docs/function-calling, /thinking, /thought-signatures), with @google/genai 2.32. Models from
 * Gemini 3 on refuse a conversation that contains one of their tool calls without its signature, so the adapter stores
 * the signatures, by the provider's id of the call.
 */
export function createGeminiLlm({ model, apiKey, baseUrl }: LlmOptions): Llm {
  const { models } = new GoogleGenAI({
    apiKey,
    // Set here, because the SDK would read it from an environment variable that is not part of our configuration.
    enterprise: false,
    apiVersion: "v1beta",
    httpOptions: { baseUrl },
  });
  const signatures = new ThoughtSignatures();
  const post = sdkFetch(PROVIDER);
  return {
    provider: PROVIDER,
    prepare: (signal) => preconnect(baseUrl, signal),
    reply(request, signal) {
      const reader = new ContentReader(signatures);
      const send = async () => {
        let response = Response.error();
        // This SDK returns no response, only a stream that begins to read when it is iterated, which it never is.
        const fetch: typeof post = async (...sent) => {
          response = await post(...sent);
          return response;
        };
        const config = {
          ...configFor(model, request),
          ...reader.continuation,
          abortSignal: signal,
          httpOptions: { fetch },
        };
        await models.generateContentStream({ ...requestFor(model, request, signatures), config });
        return response;
      };
      return replyStream(PROVIDER, send, FORMAT, reader, signal);
    },
  };
}

function requestFor(model: string, { messages }: LlmRequest, signatures: ThoughtSignatures): GenerateContentParameters {
  const contents = chatHistoryOf(messages).turns.map(({ role, parts }) => ({
    role: role === "assistant" ? "model" : "user",
    parts: parts.map((part) => toWire(part, signatures)),
  }));
  return { model, contents };
}

function configFor(model: string, { messages, tools, temperature }: LlmRequest): Config {
  const { system } = chatHistoryOf(messages);
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return {
    temperature,
    ...(system === "" ? {} : { systemInstruction: system }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
    ...thinkingOf(model),
  };
}

/** The least reasoning that each model accepts, because on a telephone every second of it is silence. */
function thinkingOf(model: string): Pick<Config, "thinkingConfig"> {
  if (/^gemini-2\.5-flash/.test(model)) return { thinkingConfig: { thinkingBudget: 0 } };
  if (/^gemini-2\.5-pro/.test(model)) return { thinkingConfig: { thinkingBudget: 128 } };
  if (/^gemini-[3-9]/.test(model)) return { thinkingConfig: { thinkingLevel: "LOW" as ThinkingLevel } };
  return {};
}

function toWire(part: Part, signatures: ThoughtSignatures): GeminiPart {
  switch (part.kind) {
    case "text":
      return { text: part.text };
    case "call": {
      const { id, providerCallId = id, name } = part.call;
      const thoughtSignature = signatures.get(providerCallId);
      const functionCall = { id, name, args: argumentsOf(part.call) };
      return thoughtSignature === "" ? { functionCall } : { functionCall, thoughtSignature };
    }
    case "result":
      return { functionResponse: { id: part.toolCallId, name: part.name, response: { output: part.text } } };
  }
}

const FORMAT: EventFormat<Chunk> = {
  isLast: () => false,
  parse({ data }) {
    const chunk = JSON.parse(data) as Chunk & { error?: { code?: unknown } };
    const code = chunk.error?.code;
    if (typeof code === "number" && code >= 400 && code < 600) {
      throw providerFailed(PROVIDER, `reported an error during its reply (${code})`);
    }
    return chunk;
  },
};

class ContentReader implements ReplyReader<Chunk> {
  readonly #signatures: ThoughtSignatures;
  #finished: string | undefined;
  #nextToken: string | undefined;
  /** Of the responses before this one. */
  #before = { inputTokens: 0, outputTokens: 0 };
  #inputTokens = 0;
  #outputTokens = 0;
  /** What the next request has in addition: where it continues. */
  continuation: Pick<Config, "continuationToken"> = {};

  constructor(signatures: ThoughtSignatures) {
    this.#signatures = signatures;
  }

  *take({ candidates, promptFeedback, usageMetadata: usage }: Chunk): Generator<LlmEvent> {
    if (promptFeedback?.blockReason !== undefined)
      throw providerFailed(PROVIDER, "withheld its reply (prompt blocked)", REQUEST_ERROR);
    for (const { text, thought, functionCall, thoughtSignature } of candidates?.[0]?.content?.parts ?? []) {
      if (functionCall?.name !== undefined) {
        const id = functionCall.id ?? `call_${randomUUID()}`;
        this.#signatures.set(id, thoughtSignature);
        const argumentsJson = JSON.stringify(functionCall.args ?? {});
        yield { kind: "tool-call", id, name: functionCall.name, argumentsJson };
      } else if (text !== undefined && text !== "" && thought !== true) yield { kind: "text", text };
    }
    this.#finished = candidates?.[0]?.finishReason ?? this.#finished;
    this.#nextToken = candidates?.[0]?.continuationToken ?? this.#nextToken;
    if (usage === undefined) return;
    const { promptTokenCount, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage;
    // Both are totals of a response. Reasoning is billed as output.
    if (promptTokenCount !== undefined) this.#inputTokens = this.#before.inputTokens + promptTokenCount;
    this.#outputTokens = this.#before.outputTokens + candidatesTokenCount + thoughtsTokenCount;
  }

  isContinued(): boolean {
    const token = this.#nextToken;
    if (this.#finished !== UNFINISHED || token === undefined || token === this.continuation.continuationToken)
      return false;
    this.continuation = { continuationToken: token };
    this.#finished = undefined;
    this.#before = { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
    return true;
  }

  *end(): Generator<LlmEvent> {
    if (this.#finished === undefined) throw providerFailed(PROVIDER, "ended its reply before it was complete");
    if (!NORMAL_FINISH_REASONS.includes(this.#finished)) {
      const reason = /^[A-Z_]{1,48}$/.test(this.#finished) ? this.#finished : "unknown";
      throw providerFailed(PROVIDER, `withheld its reply (${reason})`, REQUEST_ERROR);
    }
    yield { kind: "end", inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
  }
}

/**
 * The signatures of the latest tool calls of all conversations; NO_SIGNATURE replaces those that are no longer stored.
 */
class ThoughtSignatures {
  /** In order of arrival; "" for a call without a signature: of several parallel calls only the first has one. */
  readonly #byId = new Map<string, string>();

  set(id: string, signature = ""): void {
    if (signature.length > LLM_TOOL_CALL_SIGNATURE_CHARS_MAX) return;
    if (this.#byId.size >= LLM_TOOL_CALL_SIGNATURES_MAX) this.#byId.delete(this.#byId.keys().next().value as string);
    this.#byId.set(id, signature);
  }

  get(id: string): string {
    return this.#byId.get(id) ?? NO_SIGNATURE;
  }
}
