import { readFileSync } from "node:fs";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs, millisecondsOf, monotonicMs } from "../../../src/core/clocks.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { WORKER_REGISTRATION_MS } from "../../../src/record/finalization/lost-call-recovery.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import type { CallerEvent } from "../../../src/simulator/callers/caller.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { holdShortCall, RawCaller, SHORT_CALL_FRAMES } from "../../callers/raw-caller.ts";
import { conversation, readRecording, telephone, utterance, wordsIn } from "../../callers/telephone.ts";
import { agentText, type CallItem, Service, until, withStores } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const GREETING = "Good day.";
const QUESTION = "Open on Sunday?";
const ANSWER =
  "On Sunday the bakery is open from eight until noon but the ovens stay cold and no one answers the telephone.";
/** Long enough for any machine; how long it takes on a quiet one is not for a test to say. */
const RESTART_MS_MAX = 15_000;
/** What a process that is killed may cost of its calls. */
const LOST_MS_MAX = 1_000;
const DRAIN_MS = 1_000;

let service: Service;
let question: Utterance;
let goodbye: Utterance;
beforeAll(async () => {
  [question, goodbye] = await Promise.all([utterance(QUESTION), utterance("Goodbye!")]);
});
beforeEach(async () => {
  service = await Service.start({ env: { DRAIN_MS: String(DRAIN_MS) } });
});

/** Listens to the agent, and does something as soon as so many of its words have been heard. */
class Eavesdropper {
  readonly #wordsMs: number[] = [];
  readonly #words: number;
  readonly #act: () => void;
  #actedMs = monotonicMs(Number.NaN);

  constructor(words: number, act: () => void) {
    this.#words = words;
    this.#act = act;
  }

  readonly notice = (event: CallerEvent): void => {
    if (event.kind !== "word" || event.who !== "agent") return;
    this.#wordsMs.push(event.atMs);
    if (this.#wordsMs.length !== this.#words) return;
    this.#actedMs = systemClock.nowMs();
    this.#act();
  };

  /** Since the act. */
  get elapsedMs(): number {
    return elapsedMs(this.#actedMs, systemClock.nowMs());
  }

  /** How many words the caller heard, and how many of them so early that no crash may have cost them. */
  get words(): { heard: number; safe: number } {
    const safe = this.#wordsMs.filter((atMs) => atMs < millisecondsOf(this.#actedMs) - LOST_MS_MAX);
    return { heard: this.#wordsMs.length, safe: safe.length };
  }
}

/** The text and the recording of a call that broke off hold the beginning of `whole`: all that was heard of it, and no more. */
function expectBeginning(whole: string, text: string, right: Int16Array, { heard, safe }: Eavesdropper["words"]): void {
  expect(safe).toBeGreaterThan(0);
  for (const found of [text, wordsIn(right).join(" ")]) {
    expect(whole.startsWith(found)).toBe(true);
    expect(found.split(" ").length).toBeGreaterThanOrEqual(safe);
    // Some may have been on their way to the caller when the line went dead.
    expect(found.split(" ").length).toBeLessThanOrEqual(heard + 2);
  }
}

/** The call's record with its recording, though the control process may be away for a while. */
const recordOf = (id: string): Promise<CallItem> =>
  until(`call ${id} to have its record and recording`, RESTART_MS_MAX, async () => {
    const call = await service.call(id).catch(() => undefined);
    return call !== undefined && call.status !== "active" && call.recording !== null && call;
  });

/** The service takes calls again, with another process in the place of `pid`. */
async function replaced(child: "worker" | "control", pid: number): Promise<void> {
  await until(`another ${child}`, RESTART_MS_MAX, () => service.pid(child) !== pid);
  await until("new calls to be taken", RESTART_MS_MAX, async () => {
    const answer = await service.fetch("GET", "/readyz").catch(() => undefined);
    return answer?.status === 200;
  });
  const started = service.logged("process started").filter((line) => line.kind === child);
  expect(started).toHaveLength(2);
  expect(started[1]?.port).toBe(started[0]?.port);
}

/** A short call is held from end to end, whatever has happened before. */
async function expectShortCall(call: { id: string; websocketUrl: string }): Promise<CallItem> {
  const record = await holdShortCall(service, call);
  expect(record).toMatchObject({
    status: "ended",
    endReason: "caller_hangup",
    recording: { complete: true },
    counters: { framesIn: SHORT_CALL_FRAMES },
  });
  return record;
}

test("K5: a worker killed during a reply loses at most a second of its call, and the next call gets another worker", {
  retry: ifMachineStalled,
}, async () => {
  const { id, websocketUrl } = await service.createCall({ systemPrompt: ANSWER, greeting: GREETING });
  const worker = service.pid("worker");
  let recordMs: Promise<number> | undefined;
  const caller = new Eavesdropper(8, () => {
    process.kill(worker, "SIGKILL");
    recordMs = service.ended(id).then(() => caller.elapsedMs);
  });
  await telephone(websocketUrl, conversation([question]), caller);
  expect(await recordMs).toBeLessThan(5_000);

  const record = await service.call(id);
  expect(record).toMatchObject({ status: "ended", endReason: "worker_lost", recording: { complete: false } });
  const transcript = await service.transcript(id);
  expect(transcript).toMatchObject([
    { role: "agent", text: GREETING, interrupted: false },
    { role: "user", text: QUESTION, interrupted: false },
    { role: "agent", interrupted: true },
  ]);
  const { left, right, durationMs } = readRecording((await service.recording(id)).bytes);
  expect(Math.abs(durationMs - (record.durationMs ?? 0))).toBeLessThan(20);
  expect(wordsIn(left).join(" ")).toBe(QUESTION);
  expectBeginning(`${GREETING} ${ANSWER}`, agentText(transcript), right, caller.words);

  await replaced("worker", worker);
  await expectShortCall(await service.createCall({ greeting: GREETING }));
});

test("a control process killed during a call loses no call and no record, and streams are refused until it is restarted", {
  retry: ifMachineStalled,
}, async () => {
  const control = service.pid("control");
  const live = await service.createCall({ greeting: GREETING });
  const short = await service.createCall({ greeting: GREETING });
  const waiting = await service.createCall({ greeting: GREETING });
  const shortCaller = await RawCaller.startAt(service, short.websocketUrl);
  shortCaller.sendFrames(SHORT_CALL_FRAMES);
  let began = false;
  const notice = (event: CallerEvent): void => {
    began ||= event.kind === "agent-began";
  };
  const placed = telephone(live.websocketUrl, conversation([goodbye]), { notice });
  await until("the agent to begin", 10_000, () => began);
  await service.killChild("control");

  expect((await RawCaller.connect(waiting.websocketUrl)).status).toBe(503);
  shortCaller.hangUp();
  await shortCaller.ws.readCloseCode();
  // All of that happened while no control process was there.
  expect(service.pid("control")).toBe(control);
  await replaced("control", control);

  const complete = { status: "ended", recording: { complete: true } };
  expect(await recordOf(short.id)).toMatchObject({
    ...complete,
    endReason: "caller_hangup",
    counters: { framesIn: SHORT_CALL_FRAMES },
  });
  const { caller } = await placed;
  expect(caller.finished).toBe(true);
  expect(await recordOf(live.id)).toMatchObject({ ...complete, endReason: "agent_hangup" });
  expect(agentText(await service.transcript(live.id))).toBe(caller.heard.map(({ text }) => text).join(" "));
  // What was refused was not spent.
  await expectShortCall(waiting);
});

const makeAgent = ({ agents }: Stores, accountId: AccountId) =>
  agents.create(accountId, {
    name: "Baker",
    basePrompt: "You answer the telephone of a bakery.",
    context: "",
    customInstructions: "",
    languageId: "en-US",
    voiceId: "reference/gmw/en-US",
    callSettings: {},
    toolIds: [],
    corpusIds: [],
    variables: [],
    allowedOverrides: [],
  });

test("K5: after a kill of all processes during a call and a restart the call is recovered, and nothing else is lost", {
  retry: ifMachineStalled,
}, async () => {
  const { dataDir, apiKey } = service;
  const agent = await withStores(dataDir, makeAgent);
  const older = await service.createCall({ greeting: GREETING });
  const olderRecord = await expectShortCall(older);
  const olderTranscript = await service.transcript(older.id);
  const olderBytes = readFileSync(recordingPath(dataDir, older.id));

  const live = await service.createCall({ greeting: ANSWER });
  const unused = await service.createCall({ greeting: GREETING });
  let killed: Promise<void> | undefined;
  const caller = new Eavesdropper(8, () => {
    killed = service.process.kill();
  });
  await telephone(live.websocketUrl, [{ do: "await-hang-up" }], caller);
  await killed;

  service = await Service.start({ dataDir, apiKey });
  const record = await recordOf(live.id);
  expect(record).toMatchObject({ status: "ended", endReason: "worker_lost", recording: { complete: false } });
  const [began, recorded] = [service.logged("metrics port ready")[0], service.logged("call record stored", live.id)[0]];
  // No worker of before is left to be waited for.
  expect(Number(recorded?.time) - Number(began?.time)).toBeLessThan(WORKER_REGISTRATION_MS);
  const transcript = await service.transcript(live.id);
  expect(transcript).toMatchObject([{ role: "agent", interrupted: true }]);
  const { right } = readRecording((await service.recording(live.id)).bytes);
  expectBeginning(ANSWER, agentText(transcript), right, caller.words);

  expect(await service.call(older.id)).toEqual(olderRecord);
  expect(await service.transcript(older.id)).toEqual(olderTranscript);
  expect(readFileSync(recordingPath(dataDir, older.id)).equals(olderBytes)).toBe(true);
  expect((await service.recording(older.id)).bytes.equals(olderBytes)).toBe(true);
  expect((await service.api("GET", "/agents")).body).toMatchObject({ data: [{ id: agent.id, name: "Baker" }] });
  await expectShortCall(unused);
});

test("after a kill of the supervisor alone no process remains: live calls end within the drain, with their records at the next start", {
  retry: ifMachineStalled,
  timeout: 90_000,
}, async () => {
  const { id, websocketUrl } = await service.createCall({ greeting: GREETING });
  const caller = await RawCaller.startAt(service, websocketUrl);
  caller.sendFrames(SHORT_CALL_FRAMES);
  service.process.signal("SIGKILL");
  await service.process.exited;
  await until("nothing of the service to live", DRAIN_MS + 10_000, () => service.process.living().length === 0);
  const { dataDir, apiKey } = service;
  service = await Service.start({ dataDir, apiKey });
  expect(await recordOf(id)).toMatchObject({
    status: "ended",
    endReason: "drain_timeout",
    counters: { framesIn: SHORT_CALL_FRAMES },
  });
});

test("after a kill of the supervisor and the control process no process remains either: a worker does not wait beyond its deadline", async () => {
  const { websocketUrl } = await service.createCall({ greeting: GREETING });
  await RawCaller.startAt(service, websocketUrl);
  const control = service.pid("control");
  service.process.signal("SIGKILL");
  process.kill(control, "SIGKILL");
  await service.process.exited;
  await until("nothing of the service to live", DRAIN_MS + 10_000, () => service.process.living().length === 0);
});
