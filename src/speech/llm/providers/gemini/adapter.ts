import { randomUUID } from "node:crypto";
import type {
  Part as GeminiPart,
  GenerateContentParameters,
  GenerateContentResponse,
  ThinkingLevel,
} from "@google/genai";
import { providerFailed } from "../../../../core/errors.ts";
import { LLM_TOOL_CALL_SIGNATURE_CHARS_MAX, LLM_TOOL_CALL_SIGNATURES_MAX } from "../../../../core/limits/llm.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../contracts.ts";
import { preconnect } from "../../../keep-alive-request.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { argumentsOf, chatHistoryOf, type Part } from "../chat-history.ts";
import type { LlmOptions } from "../options.ts";
import { replyStream } from "../reply-stream.ts";
import { type EventFormat, responseEvents, sdkFetch } from "../sdk-fetch.ts";

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
 * (ai.google.dev/gemini-api/docs/function-calling, /thinking, /thought-signatures), with @google/genai 3.1. Models from
 * Gemini 3 on refuse a conversation that contains one of their tool calls without its signature, so the adapter stores
 * the signatures, by the provider's id of the call.
 */
export function createGeminiLlm({ model, apiKey, baseUrl }: LlmOptions): Llm {
  // Loaded only where a model is configured: the package costs a process tenths of a second and up to 24 MB.
  const client = import("@google/genai").then(
    ({ GoogleGenAI: Client }) =>
      new Client({
        apiKey,
        // Set here, because the SDK would read it from an environment variable that is not part of our configuration.
        enterprise: false,
        apiVersion: "v1beta",
        httpOptions: { baseUrl },
      }),
  );
  const signatures = new ThoughtSignatures();
  const post = sdkFetch(PROVIDER);
  return {
    provider: PROVIDER,
    prepare: (signal) => preconnect(baseUrl, signal),
    reply(request, signal) {
      const send = async (continuationToken?: string) => {
        const { models } = await client;
        let response = Response.error();
        // This SDK returns no response, only a stream that begins to read when it is iterated, which it never is.
        const fetch: typeof post = async (...sent) => {
          response = await post(...sent);
          return response;
        };
        const config = {
          ...configFor(model, request),
          ...(continuationToken !== undefined && { continuationToken }),
          abortSignal: signal,
          httpOptions: { fetch },
        };
        await models.generateContentStream({ ...requestFor(model, request, signatures), config });
        return responseEvents(PROVIDER, response, FORMAT, signal);
      };
      return replyStream(PROVIDER, async () => eventsOf(send, signatures), signal);
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

/** `send` sends the request, or with a token the one that continues its response. */
async function* eventsOf(
  send: (continuationToken?: string) => Promise<AsyncIterable<Chunk>>,
  signatures: ThoughtSignatures,
): AsyncGenerator<LlmEvent> {
  let finished: string | undefined;
  let sentToken: string | undefined;
  let nextToken: string | undefined;
  let inputTokens = 0;
  let outputTokens = 0;
  do {
    sentToken = nextToken;
    const stream = await send(sentToken);
    const before = { inputTokens, outputTokens };
    finished = undefined;
    for await (const { candidates, promptFeedback, usageMetadata: usage } of stream) {
      if (promptFeedback?.blockReason !== undefined)
        throw providerFailed(PROVIDER, "withheld its reply (prompt blocked)", REQUEST_ERROR);
      const candidate = candidates?.[0];
      for (const { text, thought, functionCall, thoughtSignature } of candidate?.content?.parts ?? []) {
        if (functionCall?.name !== undefined) {
          const id = functionCall.id ?? `call_${randomUUID()}`;
          signatures.set(id, thoughtSignature);
          yield {
            kind: "tool-call",
            id,
            name: functionCall.name,
            argumentsJson: JSON.stringify(functionCall.args ?? {}),
          };
        } else if (text !== undefined && text !== "" && thought !== true) yield { kind: "text", text };
      }
      finished = candidate?.finishReason ?? finished;
      nextToken = candidate?.continuationToken ?? nextToken;
      if (usage === undefined) continue;
      // Both are totals of a response. Reasoning is billed as output.
      if (usage.promptTokenCount !== undefined) inputTokens = before.inputTokens + usage.promptTokenCount;
      outputTokens = before.outputTokens + (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
    }
  } while (finished === UNFINISHED && nextToken !== sentToken);
  if (finished === undefined) throw providerFailed(PROVIDER, "ended its reply before it was complete");
  if (!NORMAL_FINISH_REASONS.includes(finished)) {
    throw providerFailed(
      PROVIDER,
      `withheld its reply (${/^[A-Z_]{1,48}$/.test(finished) ? finished : "unknown"})`,
      REQUEST_ERROR,
    );
  }
  yield { kind: "end", inputTokens, outputTokens };
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
