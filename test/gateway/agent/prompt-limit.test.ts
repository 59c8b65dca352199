import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { promptTokensMaxOf } from "../../../src/call/prompt-budget.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { HISTORY_TOKENS_DEFAULT } from "../../../src/core/limits/speech-providers/llm.ts";
import { journalPath, readJournal } from "../../../src/record/journal/reader.ts";
import type { JournalHeader } from "../../../src/record/journal/records.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import type { LlmRequest } from "../../../src/speech/contracts.ts";
import { promptTokens } from "../../../src/speech/llm/prompt/prompt-tokens.ts";
import { DEFAULT_FORMAT } from "../../callers/websocket-leg.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";

const CONTEXT_TOKENS = 2_048;
/** As many as a client may type in one second. */
const QUESTIONS = 5;
const QUESTION = "This is a question of many words that the caller types. ".repeat(20);
const CALL = {
  ...SPEC,
  firstSpeaker: "user",
  interruptible: true,
  connectionType: "websocket",
  websocket: DEFAULT_FORMAT,
} as const;

/** An LLM with a small context that replies at once; `next` resolves with each request. */
class SmallModel extends ScriptedLlm {
  readonly contextTokens = CONTEXT_TOKENS;
  #onRequest: (request: LlmRequest) => void = () => {};

  constructor() {
    super(systemClock, [textReply("I see.")]);
  }

  next(): Promise<LlmRequest> {
    return new Promise((resolve) => {
      this.#onRequest = resolve;
    });
  }

  override reply(request: LlmRequest, signal: AbortSignal) {
    this.#onRequest(request);
    return super.reply(request, signal);
  }
}

/** Resolves when the agent begins to speak. */
function spoken(peer: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const listen = (data: unknown, isBinary: boolean): void => {
      if (isBinary || !String(data).includes('"speaking"')) return;
      peer.off("message", listen);
      resolve();
    };
    peer.on("message", listen);
  });
}

let service: MediaService;
afterEach(() => service.close());

test("ADV-H3: a worker limits the prompts of a call to its model's context and reports that, and the call replays", async () => {
  const llm = new SmallModel();
  service = await mediaService({ llm });
  const { callId, token } = await service.create(CALL);
  const peer = new WebSocket(`${service.url}/stream/${token}`);
  await new Promise((resolve) => peer.once("open", resolve));
  const bound = promptTokensMaxOf(CALL, CONTEXT_TOKENS, HISTORY_TOKENS_DEFAULT);
  const sizes: number[] = [];
  for (let question = 0; question < QUESTIONS; question += 1) {
    const request = llm.next();
    peer.send(JSON.stringify({ type: "text", text: `${question}: ${QUESTION}` }));
    sizes.push(promptTokens(await request));
    // Until the answer is heard, the caller's next words would belong to the same turn.
    await spoken(peer);
  }
  peer.close();
  await service.ended(callId);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(bound);
  const trimmed = service.logged.filter((line) => line.includes('"conversation trimmed"'));
  expect(JSON.parse(trimmed[0] ?? "{}")).toMatchObject({ callId, tokensMax: bound, truncatedResults: 0 });
  expect(trimmed.join()).not.toContain("question");
  const path = journalPath(service.directory, callId);
  const headers: JournalHeader[] = [];
  await readJournal(path, (record) => void (record.kind === "header" && headers.push(record.header)));
  expect(headers).toMatchObject([{ promptTokensMax: bound }]);
  const { journaled, replayed } = await replayJournal(path);
  expect(replayed).toEqual(journaled);
  expect(journaled.filter(({ command }) => command.kind === "conversation-trimmed")).toHaveLength(trimmed.length);
});
