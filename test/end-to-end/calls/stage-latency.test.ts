import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { LlmServer, type LlmServerStep } from "../../support/providers/llm/llm-server.ts";
import { CHAT_DONE, chatDelta, chatUsage, unfinishedChat } from "../../support/providers/llm/openai.ts";
import { transcribingDeepgram } from "../../support/providers/stt/transcribing-deepgram.ts";
import { ELEVENLABS_VOICE, FakeElevenLabs } from "../../support/providers/tts/elevenlabs.ts";
import { builtProgram } from "../../support/services/build.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const run = promisify(execFile);
const root = new URL("../../../", import.meta.url);

/** The call takes half a minute; the service and the caller's voice have to start before it. */
const TEST_MS_MAX = 120_000;
/** Of the median over the call's answers. */
const TOLERANCE_MS = 20;

/** Our own: from the last voiced frame to Deepgram's Finalize, which the adapter sends. */
const FINALIZE_MS = 200;
/** What is injected. The words come with the final alone, later than any pause that ends a turn: the turn waits for it. */
const FINAL_MS = 900;
const MODEL_FIRST_MS = 400;
const CLAUSE_MS = 150;
const VOICE_FIRST_MS = 300;

const SAID = ["Is there rye bread?", "What does it cost?", "When do you open tomorrow?"];
/** The first word of each answer comes by itself, and a clause is whole with what follows. */
const ANSWERS: readonly (readonly [first: string, rest: string])[] = [
  ["Rye", " bread is baked on Thursday, and wheat bread every day."],
  ["Three", " euros is what a loaf costs, and half a loaf is two."],
  ["Tomorrow", " the shop opens at seven, as it does on every day."],
];

const opened: { close(): unknown }[] = [];
afterAll(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const answered = ([first, rest]: readonly [string, string]): LlmServerStep => ({
  kind: "timed",
  events: [
    [MODEL_FIRST_MS, unfinishedChat(first).join("")],
    [CLAUSE_MS, chatDelta({ content: rest })],
    [0, [chatDelta({}, "stop"), chatUsage(21, 12), CHAT_DONE].join("")],
  ],
});

/** The fakes of Deepgram, OpenAI and ElevenLabs, and a service that knows them by its environment alone. */
async function scene(): Promise<Service> {
  const deepgram = await transcribingDeepgram({ rateHz: 8_000, finalMs: FINAL_MS, finalsOnly: true });
  const openai = await LlmServer.start(...ANSWERS.map(answered));
  const american = { ...ELEVENLABS_VOICE, verified_languages: [{ language: "en", locale: "en-US" }] };
  const elevenlabs = await new FakeElevenLabs({ firstMs: VOICE_FIRST_MS, voicePages: [[american]] }).listen();
  opened.push(deepgram, { close: () => openai.stop() }, elevenlabs);
  return await Service.start({
    env: {
      STT: "deepgram",
      DEEPGRAM_API_KEY: "canary-key",
      DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}/v1/listen`,
      MODEL_B: "openai:gpt-4o-mini",
      OPENAI_API_KEY: "canary-key",
      OPENAI_BASE_URL: `${openai.url}/v1`,
      TTS: "elevenlabs",
      ELEVENLABS_API_KEY: "canary-key",
      ELEVENLABS_URL: elevenlabs.url,
    },
  });
}

interface CallRecord {
  latency: Record<string, { count: number; p50Ms: number }>;
}

test("the record of a call with Deepgram, OpenAI and ElevenLabs has the latency of each stage, as the fakes delayed it", {
  retry: ifMachineStalled,
  timeout: TEST_MS_MAX,
}, async () => {
  const service = await scene();
  const env = { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey };
  const said = SAID.flatMap((text) => ["--say", text]);
  // Rejects with what was written when the exit code is not 0.
  const { stdout } = await run(process.execPath, [builtProgram("cli/call"), ...said, "--json"], { cwd: root, env });
  const { service: account } = JSON.parse(stdout) as {
    service: { callId: string; transcript: { role: string; text: string }[] };
  };
  expect(account.transcript.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(SAID);
  expect(
    account.transcript
      .filter(({ role }) => role === "agent")
      .map(({ text }) => text)
      .slice(1),
  ).toEqual(ANSWERS.map(([first, rest]) => first + rest));
  const { latency } = (await service.api<CallRecord>("GET", `/calls/${account.callId}`)).body;
  const injected = {
    finalTranscript: FINALIZE_MS + FINAL_MS,
    endOfTurn: FINALIZE_MS + FINAL_MS,
    llmFirstToken: MODEL_FIRST_MS,
    firstSegment: CLAUSE_MS,
    ttsFirstByte: VOICE_FIRST_MS,
    firstFrame: 0,
  };
  for (const [stage, injectedMs] of Object.entries(injected)) {
    expect(latency[stage]?.count, stage).toBe(SAID.length);
    expect(Math.abs((latency[stage]?.p50Ms ?? Number.NaN) - injectedMs), stage).toBeLessThanOrEqual(TOLERANCE_MS);
  }
  // What the service wrote of it has no key and no word in it.
  expect(service.process.stdout).not.toMatch(/canary|rye|Thursday/i);
});
