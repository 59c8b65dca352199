import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BodyOf, TrunklineClient } from "#client";
import { carrierOf } from "../../../carriers/list.ts";
import type { Clock } from "../../../core/clock.ts";
import { millisecondsOf, monotonicMs } from "../../../core/clocks.ts";
import { readWavFormat } from "../../../simulator/audio/wav.ts";
import { CarrierEmulator, EMULATED, type EmulatedName } from "../../../simulator/emulator/emulator.ts";
import type { Leg } from "../../../simulator/emulator/network.ts";
import { type SendWebhook, sendByFetch } from "../../../simulator/emulator/webhook-sender.ts";
import { finishedRecord, transcriptOf } from "../../../simulator/service/api-calls.ts";
import { withOwnService } from "../../../simulator/service/own-service.ts";
import { createReferenceStt } from "../../../speech/reference/stt.ts";
import type { Terminal } from "../../terminal.ts";
import { PhonePeople, speechOf } from "./people.ts";
import { PhoneProgress } from "./progress.ts";
import type { PhoneCallResult, PhoneDemoResult } from "./report.ts";
import {
  INBOUND,
  LANGUAGE,
  NUMBER,
  OUTBOUND,
  OUTBOUND_GREETING,
  PERSON,
  PERSON_LANGUAGE,
  type PhoneScript,
  TARGET,
} from "./scenario.ts";
import { setUp } from "./set-up.ts";
import { waitFor } from "./wait-for.ts";

export interface PhoneDemoOptions {
  carrier: EmulatedName;
  /** A folder for this run, created if necessary: the service's data and log, the recordings and the transcripts. */
  dataDir: string;
  clock: Clock;
  terminal: Terminal;
}

/** The address by which the carrier knows the service: the emulator leads it to the service's port, as a tunnel does. */
const PUBLIC_URL = "https://trunkline.example";
/** From a call's beginning to its end; the script takes less. */
const CALL_MS_MAX = 60_000;
/** How long the two people talk after the transfer. */
const TALK_MS = 2_000;
/** From the end of a telephone line to the webhook that reports it. */
const REPORTED_MS_MAX = 10_000;

/** What the parts of the demo have in common. */
interface Demo extends Omit<PhoneDemoOptions, "carrier"> {
  readonly api: TrunklineClient;
  readonly emulator: CarrierEmulator;
  readonly people: PhonePeople;
  readonly progress: PhoneProgress;
  readonly signal: AbortSignal;
}

/**
 * The telephone demo: an emulated carrier and the real service; a person calls, asks and is transferred, and is called afterwards.
 * Collects what all ends know of it. An abort of `signal` ends the calls and rejects. All that was started is stopped in every
 * case.
 */
export async function runPhoneDemo(options: PhoneDemoOptions, signal: AbortSignal): Promise<PhoneDemoResult> {
  const { carrier, dataDir, clock, terminal } = options;
  const texts = [INBOUND, OUTBOUND].flatMap(({ lines }) => lines.map(({ text }) => text));
  const people = new PhonePeople({
    utterances: await speechOf(texts, PERSON_LANGUAGE, clock, signal),
    stt: createReferenceStt(),
    language: LANGUAGE,
    clock,
    onEvent: (event) => terminal.show(event),
  });
  const progress = new PhoneProgress(terminal, clock);
  let serviceUrl = PUBLIC_URL;
  const send: SendWebhook = (url, ...request) => sendByFetch(url.replace(PUBLIC_URL, serviceUrl), ...request);
  const scenario = { people: { [PERSON]: [{ says: OUTBOUND.lines.map(({ text }) => text) }], [TARGET]: [{}] } };
  const personOf = people.personOf;
  const emulator = new CarrierEmulator({ carrier, scenario, personOf, clock, send, observer: progress });
  const { wire } = EMULATED[carrier];
  try {
    const carrierUrl = await emulator.start();
    terminal.note(`Emulated ${carrier} (${wire}) at ${carrierUrl}; the page there shows its calls`);
    terminal.note(`Starting the service (data and log in ${dataDir})`);
    const apiUrlVariable = carrierOf(wire)?.telephony.apiUrl.variable ?? "";
    const env = { PUBLIC_API_URL: PUBLIC_URL, [apiUrlVariable]: carrierUrl };
    return await withOwnService({ dataDir, clock, env }, signal, async (api, apiUrl) => {
      serviceUrl = apiUrl;
      terminal.note(`The service is at ${apiUrl}; the carrier knows it as ${PUBLIC_URL}\n`);
      return await holdCalls({ ...options, api, emulator, people, progress, signal }, carrier);
    });
  } finally {
    await emulator.stop();
  }
}

async function holdCalls(demo: Demo, carrier: EmulatedName): Promise<PhoneDemoResult> {
  const { api, emulator, terminal } = demo;
  const agentId = await setUp(api, emulator, (text) => terminal.note(text));
  const setUpRequests = emulator.requests.slice();
  const inbound = await receiveCall(demo);
  const outbound = await placeCall(demo, agentId);
  return { carrier, setUpRequests, inbound, outbound, placed: emulator.placed.length };
}

/** A person calls the number, is transferred, talks, and hangs up. */
async function receiveCall(demo: Demo): Promise<PhoneCallResult> {
  const { api, emulator, terminal, clock } = demo;
  const begin = beginCall(demo, `${PERSON} calls ${NUMBER}`);
  const leg = emulator.call({ from: PERSON, to: NUMBER }, { says: INBOUND.lines.map(({ text }) => text) });
  const carrierCallId = emulator.callIdOf(leg);
  const callId = await waitFor(demo, "the call to come in", CALL_MS_MAX, async () => {
    const { data } = await api.get("/calls", { query: { carrierCallId } });
    return data[0]?.id;
  });
  await callOver(demo, callId);
  const targetLeg = emulator.network.legs.find(({ parent }) => parent === leg);
  const isConnected = (): boolean => leg.state === "answered" && targetLeg?.state === "answered";
  const wasConnected = isConnected();
  if (wasConnected) terminal.note(`\n${PERSON} and ${TARGET} are connected by the carrier, without the service`);
  await new Promise<void>((resolve) => {
    clock.after(TALK_MS, resolve);
  });
  const transfer = { target: TARGET, connected: wasConnected && isConnected() };
  emulator.network.hangUp(leg, "person");
  return { ...(await resultOf(demo, INBOUND, callId, leg, begin)), transfer };
}

/** The agent calls the person. */
async function placeCall(demo: Demo, agentId: string): Promise<PhoneCallResult> {
  const { api, emulator } = demo;
  const begin = beginCall(demo, `POST /phone-calls: the agent calls ${PERSON}`);
  const legs = emulator.network.legs.length;
  const { id } = await api.post("/phone-calls", {
    body: { agentId, from: NUMBER, to: PERSON, overrides: { greeting: OUTBOUND_GREETING } },
  });
  const leg = await waitFor(demo, "the call to be placed", CALL_MS_MAX, () => emulator.network.legs[legs]);
  await callOver(demo, id);
  return await resultOf(demo, OUTBOUND, id, leg, begin);
}

/** How many requests and webhooks there were before the call. */
interface Begin {
  readonly requests: number;
  readonly webhooks: number;
}

function beginCall({ emulator, terminal, clock }: Demo, what: string): Begin {
  terminal.note(`\n${what}\n`);
  terminal.begin(millisecondsOf(clock.nowMs()));
  return { requests: emulator.requests.length, webhooks: emulator.sentWebhooks.length };
}

const OVER: readonly string[] = ["ended", "expired", "failed"] satisfies BodyOf<"get", "/calls/{id}">["status"][];

const callOver = (demo: Demo, id: string): Promise<true> =>
  waitFor(demo, "the end of the call", CALL_MS_MAX, async () => {
    const { status } = await demo.api.get("/calls/{id}", { path: { id } });
    return OVER.includes(status) ? true : undefined;
  });

/** What both ends know of a call that is over at the service. */
async function resultOf(
  demo: Demo,
  script: PhoneScript,
  callId: string,
  leg: Leg,
  begin: Begin,
): Promise<PhoneCallResult> {
  const { api, emulator, people, progress, clock, dataDir } = demo;
  const carrierCallId = emulator.callIdOf(leg);
  const idsOf = (isWanted: (one: Leg) => boolean): string[] =>
    emulator.network.legs.filter(isWanted).map((one) => emulator.callIdOf(one));
  const isOwn = (one: Leg): boolean => one === leg || one.parent === leg;
  const ownIds = idsOf(isOwn);
  const otherIds = idsOf((one) => !isOwn(one));
  const webhooks = () => emulator.sentWebhooks.slice(begin.webhooks).filter(({ callId: id }) => ownIds.includes(id));
  await waitFor(demo, "the end of the line to be reported", REPORTED_MS_MAX, () =>
    webhooks().find((webhook) => webhook.kind === "ended" && webhook.callId === carrierCallId),
  );
  const caller = await people.reportOf(leg);
  await finishedRecord(api, callId, clock);
  const record = await api.get("/calls/{id}", { path: { id: callId } });
  const transcript = await transcriptOf(api, callId);
  const transcriptPath = join(dataDir, `${callId}.transcript.json`);
  writeFileSync(transcriptPath, `${JSON.stringify(transcript, undefined, 2)}\n`);
  const recording = await api.download("/calls/{id}/recording", { path: { id: callId } });
  const wav = new Uint8Array(await recording.arrayBuffer());
  const recordingPath = join(dataDir, `${callId}.wav`);
  writeFileSync(recordingPath, wav);
  const greeting = caller.heard[0];
  const answerToGreetingMs =
    greeting === undefined ? undefined : progress.sinceAnswerMs(leg, monotonicMs(greeting.startMs));
  return {
    callId,
    script,
    caller,
    record,
    transcript,
    transcriptPath,
    recording: { path: recordingPath, ...readWavFormat(wav) },
    violations: emulator.streams.violationsOf(leg),
    // What the carrier charged for the call before may be read during this one.
    requests: emulator.requests.slice(begin.requests).filter(({ path }) => !otherIds.some((id) => path.includes(id))),
    webhooks: webhooks().map(({ body: _, ...webhook }) => webhook),
    ...(answerToGreetingMs !== undefined && { answerToGreetingMs }),
  };
}
