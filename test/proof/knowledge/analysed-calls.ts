import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { Random } from "../../support/random.ts";
import { KilledService, type StoreName } from "../killed-service.ts";
import { type AnalysedCall, type AnalysisVerdict, analysisVerdictOf } from "./analysis-verdict.ts";
import { FakeLlm } from "./fake-llm.ts";

// Calls that are analysed after their end, while the processes of the service are killed at random times.

const CALLS_AT_ONCE = 4;
const KILL_AFTER_MS = [500, 4_000] as const;
const VICTIMS = ["control", "control", "worker", "service"] as const;
const POLL_MS = 500;
/** How much longer than asking for all calls took is waited until they are asked for again. */
const IDLE_TIMES = 4;
const PRINT_EVERY_MS = 60_000;
/** How long a call has to begin, and to be heard. */
const CALL_MS_MAX = 20_000;
const TYPED_MS = 400;
/** A journal is on the disk within a second. */
const KEPT_MS = 1_500;
/** By then everything is over, whatever was killed last: the last attempts of an analysis are half an hour apart. */
const SETTLE_MS_MAX = 3_000_000;
const SPEC = {
  systemPrompt: "You note what the caller says.",
  voice: "reference",
  language: "en-US",
  connectionType: "websocket",
  analysis: {
    schema: {
      type: "object",
      properties: { number: { type: "string" } },
      required: ["number"],
      additionalProperties: false,
    },
  },
};

export interface AnalysedCallsOptions {
  store: StoreName;
  /** At least so many. */
  calls: number;
  kills: number;
  seed: number;
}

export interface AnalysedCallsResult extends AnalysedCallsOptions {
  verdict: AnalysisVerdict;
  /** Calls that began, and are judged. */
  analysed: number;
  /** How many were really killed. */
  killed: number;
  /** Analyses that the LLM answered beyond one a call: an attempt that a kill has ended. */
  answeredAgain: number;
  tookS: number;
}

interface Item {
  id: string;
  status: string;
  websocketUrl?: string;
  analysis?: { status: string; reason: string | null; data: { number?: string } | null } | null;
}

export class AnalysedCallsTrial {
  readonly #trial: AnalysedCallsOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #calls = new Map<string, Pick<AnalysedCall, "number" | "isKept">>();
  readonly #begunMs = performance.now();
  #llm: FakeLlm | undefined;
  #service: KilledService | undefined;
  #creations = 0;
  #kills = 0;
  #printNextMs = 0;

  constructor(trial: AnalysedCallsOptions, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  /** Holds all calls, while processes are killed. */
  async hold(): Promise<void> {
    this.#llm = await FakeLlm.start(this.#random.fork());
    const service = await KilledService.start(this.#trial.store, {
      MODEL_B: "openai:proof",
      OPENAI_API_KEY: "proof",
      OPENAI_BASE_URL: this.#llm.url,
    });
    this.#service = service;
    await Promise.all([this.#holdAll(service), this.#killAll(service)]);
    this.#print(`  ${this.#trial.store}: all calls held, under ${this.#kills} kills`);
  }

  /** Resolves once each call is analysed and announced. Only after `hold`. */
  async settle(): Promise<AnalysedCallsResult> {
    if (this.#service === undefined || this.#llm === undefined) throw new Error("no calls were held");
    const calls = await this.#settled(this.#service);
    const answered = [...this.#llm.answered.values()].reduce((sum, count) => sum + count - 1, 0);
    const tookS = (performance.now() - this.#begunMs) / 1_000;
    const verdict = analysisVerdictOf(calls);
    return {
      ...this.#trial,
      calls: this.#calls.size,
      verdict,
      analysed: calls.length,
      killed: this.#kills,
      answeredAgain: answered,
      tookS,
    };
  }

  async remove(): Promise<void> {
    await this.#service?.remove();
    this.#llm?.stop();
  }

  async #holdAll(service: KilledService): Promise<void> {
    const { calls, store } = this.#trial;
    const { data: voices } = await service.ask<{ data: { id: string }[] }>("GET", "/voices?language=en-US");
    const spec = { ...SPEC, voice: voices[0]?.id };
    let next = 0;
    const holdSome = async (): Promise<void> => {
      // More where they are over before all kills have happened.
      while (next < calls || this.#kills < this.#trial.kills) {
        next += 1;
        const number = String(next);
        const { id, websocketUrl = "" } = await service.ask<Item>("POST", "/calls", spec);
        this.#creations += 1;
        const isKept = await hold(websocketUrl, `case ${number}`);
        this.#calls.set(id, { number, isKept });
        if (this.#calls.size % 50 === 0) this.#print(`  ${store}: ${this.#calls.size} of ${calls} calls`);
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, holdSome));
  }

  async #killAll(service: KilledService): Promise<void> {
    while (this.#kills < this.#trial.kills) {
      await delay(this.#random.between(...KILL_AFTER_MS));
      // On a busy machine a process that is killed again as soon as it has started never gets so far as to create a call.
      if (this.#kills % 2 === 1) await this.#nextCreation();
      const victim = this.#random.pick(VICTIMS);
      if (!service.kill(victim)) continue;
      this.#kills += 1;
      // Processes are started again by their supervisor; that one is not.
      if (victim === "service") await service.run();
    }
  }

  async #nextCreation(): Promise<void> {
    const before = this.#creations;
    while (this.#creations === before) await delay(POLL_MS);
  }

  /** All calls, once each is over, analysed and announced, or no time is left. */
  async #settled(service: KilledService): Promise<AnalysedCall[]> {
    const endMs = performance.now() + SETTLE_MS_MAX;
    for (;;) {
      const beganMs = performance.now();
      const calls: AnalysedCall[] = [];
      for (const [id, said] of this.#calls) calls.push({ ...said, ...(await this.#evidence(service, id)) });
      // A call whose stream never began has expired, and is none of these.
      const held = calls.filter(({ status }) => status !== "expired" && status !== "created");
      const { stuck, unannounced } = analysisVerdictOf(held);
      this.#printOpen(stuck.length + unannounced.length);
      if ((stuck.length === 0 && unannounced.length === 0) || performance.now() > endMs) return held;
      // Those who wait leave the service to its work.
      await delay(Math.max(POLL_MS, IDLE_TIMES * (performance.now() - beganMs)));
    }
  }

  #printOpen(open: number): void {
    if (performance.now() < this.#printNextMs) return;
    this.#printNextMs = performance.now() + PRINT_EVERY_MS;
    this.#print(`  ${this.#trial.store}: ${open} calls are not analysed or not announced yet`);
  }

  async #evidence(service: KilledService, id: string): Promise<Omit<AnalysedCall, "number" | "isKept">> {
    const { status, analysis } = await service.ask<Item>("GET", `/calls/${id}`);
    const found = analysis && { ...analysis, number: analysis.data?.number };
    return { id, status, analysis: found ?? undefined, eventIds: eventIdsOf(service.deliveries, id) };
  }
}

/** Types a text in a call and ends it. Whether the call went on until the text was certainly in its journal. */
async function hold(websocketUrl: string, text: string): Promise<boolean> {
  const socket = new WebSocket(websocketUrl);
  let isKept = false;
  await new Promise<void>((resolve) => {
    const timeout = setTimeout(() => socket.terminate(), CALL_MS_MAX);
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clearTimeout(timeout);
      resolve();
    });
    socket.on("message", (bytes: Buffer, isBinary: boolean) => {
      if (isBinary) return;
      const message = JSON.parse(bytes.toString()) as { type: string; role?: string; final?: boolean };
      if (message.type === "ready") setTimeout(() => socket.send(JSON.stringify({ type: "text", text })), TYPED_MS);
      if (message.type !== "transcript" || message.role !== "user" || message.final !== true) return;
      setTimeout(() => {
        if (socket.readyState !== WebSocket.OPEN) return;
        isKept = true;
        socket.send(JSON.stringify({ type: "end" }));
      }, KEPT_MS);
    });
  });
  return isKept;
}

/** The ids of the events of its end that were delivered about a call. */
const eventIdsOf = (deliveries: KilledService["deliveries"], id: string): string[] =>
  deliveries.flatMap(({ id: eventId, body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data?: { call?: { id?: string } } };
    return type === "call.ended" && data?.call?.id === id ? [eventId] : [];
  });
