import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readConfig } from "../../../src/config/config.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { CallId } from "../../../src/core/ids.ts";
import { CIRCUIT_BREAKER_FAILURES_MAX } from "../../../src/core/limits/speech-providers/providers.ts";
import type { CallLlm } from "../../../src/speech/contracts.ts";
import { createSpeechProviders, type SpeechProviders } from "../../../src/speech/registry.ts";
import type { AccountSecretStore } from "../../../src/store/accounts/account-secret-store.ts";
import { DEFAULT_FORMAT } from "../../callers/websocket-leg.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { present } from "../../support/present.ts";
import { LlmServer } from "../../support/providers/llm/llm-server.ts";
import { chatAnswer } from "../../support/providers/llm/openai.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const OWN = "sk-of-the-account-0123456789";
const SERVICE = "sk-of-the-service-0123456789";

let server: LlmServer;
let providers: SpeechProviders;
let service: MediaService;
let secrets: AccountSecretStore;
const speechLog = memoryLog();
beforeEach(async () => {
  server = await LlmServer.start({ kind: "events", events: chatAnswer("We are open.") });
  const config = readConfig({
    STT: "reference",
    TTS: "reference",
    MODEL_B: "openai:gpt-4o-mini",
    MODEL_C: "openai:gpt-4o-mini,reference",
    OPENAI_API_KEY: SERVICE,
    OPENAI_BASE_URL: server.url,
  });
  providers = await createSpeechProviders(config, systemClock, speechLog.log);
  const { forAccount, llm, tts } = providers;
  service = await mediaService({ forAccount, llm: llm.model_b, ttsPool: tts });
  secrets = service.stores.openAccountSecrets(SEALING_KEYS);
});
afterEach(async () => {
  await service.close();
  providers.close();
  await server.stop();
});

/** A call in which the caller types a question; resolves when the agent has been asked. */
async function askedCall(model: "model_b" | "model_c" = "model_b"): Promise<CallId> {
  const { greeting: _, ...spec } = SPEC;
  const { callId, token } = await service.create({
    ...spec,
    model,
    voiceId: "reference/en",
    firstSpeaker: "user",
    connectionType: "websocket",
    websocket: DEFAULT_FORMAT,
  });
  const before = server.requests.length;
  const peer = new WebSocket(`${service.url}/stream/${token}`);
  await new Promise((resolve) => peer.once("open", resolve));
  const answered = new Promise<void>((resolve) => {
    peer.on("message", (data, isBinary) => {
      if (!isBinary && String(data).includes('"role":"agent"')) resolve();
    });
  });
  peer.send(JSON.stringify({ type: "text", text: "When are you open?" }));
  if (model === "model_b") await server.until(() => server.requests.length > before);
  await answered;
  peer.close();
  await service.ended(callId);
  return callId;
}

const authorizations = () => server.requests.map(({ headers }) => headers.authorization);

test("L1: a provider gets the account's own API key, the service's again after its deletion, and nothing stored has either", async () => {
  await askedCall();
  const { accountId } = service;
  const { id } = present(await secrets.put(accountId, { kind: "provider_credential", name: "openai", text: OWN }));
  await askedCall();
  await secrets.remove(accountId, "provider_credential", id);
  await askedCall();
  expect(authorizations()).toEqual([SERVICE, OWN, SERVICE].map((apiKey) => `Bearer ${apiKey}`));
  const written = [...service.logged, ...speechLog.lines, allBytes(service.directory)].join("\n");
  for (const text of [OWN, SERVICE]) expect(written.includes(text)).toBe(false);
});

test("failures with an account's own API key open its circuit breaker, and not that of the service's", async () => {
  const failing = await LlmServer.start({ kind: "status", status: 500, body: "{}" });
  const { log, lines } = memoryLog();
  const config = readConfig({
    STT: "reference",
    TTS: "reference",
    MODEL_B: "openai:gpt-4o-mini",
    OPENAI_API_KEY: SERVICE,
    OPENAI_BASE_URL: failing.url,
  });
  const speech = await createSpeechProviders(config, systemClock, log);
  const request = { messages: [{ role: "user", text: "Hello?" }], tools: [], temperature: 0, language: "en" } as const;
  const ask = async (llm: CallLlm): Promise<void> => {
    for await (const _ of llm.reply(request, new AbortController().signal));
  };
  const opened = () => lines.filter((line) => line.includes("circuit breaker opened"));
  const own = await speech.forAccount({ credentials: { openai: OWN } }, "model_b");
  for (let count = 0; count < CIRCUIT_BREAKER_FAILURES_MAX && opened().length === 0; count += 1) {
    await expect(ask(own.llm)).rejects.toThrow();
  }
  expect(opened()).toEqual([expect.stringContaining('"isAccountCredential":true')]);
  const before = failing.requests.length;
  await expect(ask(speech.llm.model_b)).rejects.toThrow();
  expect(failing.requests.length).toBeGreaterThan(before);
  expect(failing.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SERVICE}`);
  expect(lines.join("\n")).not.toMatch(/sk-of/);
  speech.close();
  await failing.stop();
});

test("a provider that the account may not use is asked by none of its calls, also not first in a list of fallbacks", async () => {
  await service.stores.accounts.update(service.accountId, { providers: { llm: ["reference"] } });
  await askedCall("model_c");
  expect(server.requests).toEqual([]);
});

test("a call that may use no configured provider ends in a record, and the log says why", async () => {
  await service.stores.accounts.update(service.accountId, { providers: { tts: ["espeak"] } });
  const { callId, token } = await service.create({ ...SPEC, connectionType: "websocket", websocket: DEFAULT_FORMAT });
  const peer = new WebSocket(`${service.url}/stream/${token}`);
  await new Promise((resolve) => peer.once("close", resolve));
  expect(await service.ended(callId)).toMatchObject({ status: "failed" });
  expect(service.logged.join("\n")).toContain("the account may use no configured tts provider");
});

test("calls of accounts that differ in nothing share their providers", async () => {
  const account = { credentials: { openai: OWN } };
  const [first, second, other] = [
    await providers.forAccount(account, "model_b"),
    await providers.forAccount({ credentials: { openai: OWN } }, "model_b"),
    await providers.forAccount({ credentials: { openai: SERVICE } }, "model_b"),
  ];
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});
