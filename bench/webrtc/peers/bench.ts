import { setTimeout as delay } from "node:timers/promises";
import { WebrtcSocket } from "../../../test/callers/webrtc-socket.ts";
import { spreadOf } from "../../harness/statistics.ts";
import { Child } from "../../rig/child-process.ts";
import type { ServerSample } from "../../rig/protocol.ts";
import { AGENT_SENTENCES, renderSpeech } from "../../rig/speech.ts";
import type { CallsResult, CallsSample, CapacityStep, PeersResult, Scene } from "../result.ts";
import type { CallersQuestions } from "./callers.ts";
import type { TransportQuestions } from "./transport.ts";
import type { WebrtcWorkerQuestions } from "./worker.ts";

/** What a process uses before anything is asked of it, s. */
const IDLE_S = 5;
/** From the last connection until anything is measured. */
const SETTLE_MS = 2_000;
const CONNECTING_AT_ONCE = 5;
/** Packets that may be missing at one end of those that the other one sent: on their way, and of a caller that is late. */
const LOST_SHARE_MAX = 0.01;
/** Packets that are later than this at p99 end the search for how many peers a core carries. */
export const LATE_P99_MS_MAX = 10;
/** A call of those that are opened and closed. */
const CALL_MS = 500;
const CALLS_AT_ONCE = 8;
/** Calls after which a process has loaded and compiled what it needs. */
const WARM_UP_CALLS = 24;

type Callers = Child<CallersQuestions>;

const startCallers = ({ cores }: Scene): Promise<Callers> =>
  Child.start<CallersQuestions>(import.meta.url, "./callers", { core: cores?.others });

const busyUs = ({ userUs, systemUs }: ServerSample): number => userUs + systemUs;

/** Percent of a core between two samples. */
const percentBetween = (from: ServerSample, to: ServerSample): number =>
  (busyUs(to) - busyUs(from)) / 10 / (to.atMs - from.atMs);

/** What a peer costs, without its call: transport, and Opus both ways. */
export async function measurePeers(scene: Scene): Promise<PeersResult[]> {
  const results: PeersResult[] = [];
  for (const codec of ["wasm", "native"] as const) {
    const callers = await startCallers(scene);
    const args = [codec];
    const transport = await Child.start<TransportQuestions>(import.meta.url, "./transport", {
      core: scene.cores?.server,
      args,
    }).catch(() => undefined);
    try {
      if (transport === undefined) scene.write(`peers, ${codec}: not installed, left out`);
      else results.push(await measureTransport(scene, codec, transport, callers));
    } finally {
      transport?.stop();
      callers.stop();
    }
  }
  return results;
}

async function measureTransport(
  { options, write, problems }: Scene,
  codec: PeersResult["codec"],
  transport: Child<TransportQuestions>,
  callers: Callers,
): Promise<PeersResult> {
  const [few, many] = options.reduced ? [5, 20] : [20, 60];
  const connect = (id: number): Promise<void> => connectPeer(callers, id, (sdp) => transport.ask("answer", sdp));
  const memory = async (): Promise<number> => {
    await transport.ask("collect", undefined);
    return (await transport.ask("sample", undefined)).rssBytes;
  };
  const idleFrom = await transport.ask("sample", undefined);
  await delay(1_000 * IDLE_S);
  const idlePercent = percentBetween(idleFrom, await transport.ask("sample", undefined));
  await inGroups(numbers(0, few), CONNECTING_AT_ONCE, connect);
  await delay(SETTLE_MS);
  const fewBytes = await memory();
  await inGroups(numbers(few, many), CONNECTING_AT_ONCE, connect);
  await delay(SETTLE_MS);
  const manyBytes = await memory();
  const sentBefore = await callers.ask("sample", undefined);
  const from = await transport.ask("sample", undefined);
  await delay(1_000 * options.seconds);
  const to = await transport.ask("sample", undefined);
  const sentAfter = await callers.ask("sample", undefined);
  const sent = sentAfter.sent - sentBefore.sent;
  const lostShare = 1 - (to.decoded - from.decoded) / sent;
  if (lostShare > LOST_SHARE_MAX)
    problems.push(`peers, ${codec}: ${percent(lostShare)} of the packets were not decoded`);
  const due = 50 * many * options.seconds;
  if (sent < (1 - LOST_SHARE_MAX) * due) problems.push(`peers, ${codec}: the callers sent ${sent} packets of ${due}`);
  const result: PeersResult = {
    codec,
    peers: many,
    idlePercent,
    cpuPercentPerPeer: (percentBetween(from, to) - idlePercent) / many,
    bytesPerPeer: (manyBytes - fewBytes) / (many - few),
  };
  write(
    `peers, ${codec}: ${many}, each ${result.cpuPercentPerPeer.toFixed(2)} % of a core (idle ${idlePercent.toFixed(2)} %), ${(result.bytesPerPeer / 2 ** 20).toFixed(2)} MiB`,
  );
  return result;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

async function inGroups(ids: readonly number[], size: number, work: (id: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < ids.length; at += size) await Promise.all(ids.slice(at, at + size).map(work));
}

async function connectPeer(callers: Callers, id: number, exchange: (sdp: string) => Promise<string>): Promise<void> {
  const offer = await callers.ask("offer", id);
  await callers.ask("connect", { id, sdp: await exchange(offer) });
}

/** A worker with its callers, for whole calls. */
async function withWorker<Result>(
  scene: Scene,
  work: (worker: Child<WebrtcWorkerQuestions>, callers: Callers) => Promise<Result>,
): Promise<Result> {
  const { agent } = await renderSpeech();
  const callers = await startCallers(scene);
  const worker = await Child.start<WebrtcWorkerQuestions>(import.meta.url, "./worker", { core: scene.cores?.server });
  try {
    await worker.ask(
      "prepare",
      agent.filter(({ text }) => AGENT_SENTENCES.includes(text)),
    );
    return await work(worker, callers);
  } finally {
    worker.stop();
    callers.stop();
  }
}

/** Opens a call as a page does; resolves when both ends are connected. */
async function openCall(worker: Child<WebrtcWorkerQuestions>, callers: Callers, id: number): Promise<WebrtcSocket> {
  const socket = await WebrtcSocket.open(await worker.ask("create", undefined));
  await socket.text("hello");
  await connectPeer(callers, id, socket.exchange);
  await socket.text("ready");
  return socket;
}

/** Adds calls until their packets are late. */
export async function measureCapacity(scene: Scene): Promise<CapacityStep[]> {
  const { options, write } = scene;
  const [step, most] = options.reduced ? [5, 10] : [10, 200];
  return await withWorker(scene, async (worker, callers) => {
    const steps: CapacityStep[] = [];
    for (let peers = step; peers <= most; peers += step) {
      await inGroups(numbers(peers - step, peers), CONNECTING_AT_ONCE, (id) => openCall(worker, callers, id));
      await delay(SETTLE_MS);
      await callers.ask("sample", undefined);
      await worker.ask("begin", undefined);
      const from = await worker.ask("sample", undefined);
      await delay(1_000 * options.seconds);
      const to = await worker.ask("sample", undefined);
      const { lateMs, loopDelayMs } = await worker.ask("finish", undefined);
      const measured: CapacityStep = {
        peers,
        lateMs: spreadOf(lateMs),
        loopP99Ms: loopDelayMs.p99,
        cpuPercent: percentBetween(from, to),
        callersLateP99Ms: spreadOf((await callers.ask("sample", undefined)).lateMs).p99,
      };
      steps.push(measured);
      write(
        `capacity, ${peers} peers: late p99 ${measured.lateMs.p99.toFixed(1)} ms, loop p99 ${measured.loopP99Ms.toFixed(1)} ms, ${measured.cpuPercent.toFixed(0)} % of a core, callers late p99 ${measured.callersLateP99Ms.toFixed(1)} ms`,
      );
      if (measured.lateMs.p99 > LATE_P99_MS_MAX) break;
    }
    return steps;
  });
}

/** Opens and closes calls: what they do not release. */
export async function measureCalls(scene: Scene): Promise<CallsResult> {
  const calls = scene.options.reduced ? 60 : 600;
  return await withWorker(scene, async (worker, callers) => {
    let opened = 0;
    const until = async (count: number): Promise<CallsSample> => {
      await inGroups(numbers(opened, count), CALLS_AT_ONCE, async (id) => {
        const socket = await openCall(worker, callers, id);
        await delay(CALL_MS);
        socket.close();
        await callers.ask("hangUp", id);
      });
      opened = count;
      await delay(SETTLE_MS);
      const { rssBytes, heapBytes, descriptors } = await worker.ask("settled", undefined);
      const megabytes = (rssBytes / 2 ** 20).toFixed(1);
      scene.write(`calls, after ${count}: ${megabytes} MiB resident, ${descriptors} descriptors`);
      return { calls: count, rssBytes, heapBytes, descriptors };
    };
    return {
      calls,
      before: await until(WARM_UP_CALLS),
      early: await until(WARM_UP_CALLS + Math.round(calls / 6)),
      after: await until(WARM_UP_CALLS + calls),
    };
  });
}
