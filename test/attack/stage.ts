import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startService } from "../../src/cli/simulated/service.ts";
import type { ChildModule } from "../../src/core/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { MediaServerName } from "../../src/gateway/media-server/media-server.ts";
import { openStores } from "../../src/store/sqlite/stores.ts";
import { type Family, readExposition, sampleOf } from "../support/exposition.ts";
import { RawWs } from "../support/raw-ws.ts";
import type { Attack, Outcome, Ready, Size, Target } from "./attacks.ts";
import { ControlCalls, type ControlReport } from "./control-calls.ts";
import { type Door, pause } from "./crowd.ts";
import { type NewCall, ServiceApi } from "./service-api.ts";

/** An attack and how large it is. */
export interface Planned {
  attack: Attack;
  size: Size;
}

/** Carries an attack out, in this process or in another. */
export type Attacker = (attack: Attack, target: Target, size: Size, ready: Ready) => Promise<Outcome>;

export interface StageOptions {
  /** The service's `main` module. */
  program: ChildModule;
  dataDir: string;
  /** `MEDIA_SERVER` of the service; `auto` by default. */
  mediaServer?: MediaServerName;
  /** Calls that go on beside the attacks. */
  calls: number;
  /** How long they are left alone first. */
  quietMs: number;
  attacker: Attacker;
}

/** An attack, and what the service made of it. */
export interface Suffered extends Outcome {
  id: string;
  name: string;
  /** How the attackers' calls ended, and how long the longest of them lasted; none where they had no call. */
  endReasons: Readonly<Record<string, number>>;
  /** What they asked of LLMs, for each attacker, and tokens of the one that used the most. */
  llmRequests: number;
  inputTokens: number;
}

/** Times in ms; percentiles are exact. */
export interface Answers {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

export interface StageResult {
  attacks: Suffered[];
  /** What the worker, and the control process, held in memory at most beyond what they had held before. */
  workerGrowthBytes: number;
  controlGrowthBytes: number;
  /** For each attacker. */
  perAttackerBytes: number;
  /** Processor time that they took for all that went on meanwhile. */
  workerCpuMs: number;
  controlCpuMs: number;
  control: ControlReport;
  /** How soon the service answered the control calls, before and during. */
  quiet: Answers;
  during: Answers;
  /** New streams that were opened during the attacks by whoever had a token. */
  upgrades: Answers;
  upgradesFailed: number;
  /** Tokens that the store refused meanwhile. */
  refusedByStore: number;
  /** Of the worker's event loop, ms. */
  loopDelay: { p99: number; max: number };
  /** What must not be, whatever the machine does meanwhile. */
  problems: string[];
  /** What took longer than it should. */
  late: string[];
}

/** What a bad client may cost: 256 KiB above base each. */
const ATTACKER_BYTES_MAX = 256 * 1024;
/** The heap, and what the allocator keeps, beside what belongs to attackers. */
const SLACK_BYTES = 16 * 1024 * 1024;
const UPGRADE_MS_MAX = 500;
const LOOP_P99_MS_MAX = 20;
const LOOP_MAX_MS_MAX = 100;
/** Answers may take as long as the loop may be late, and as much more than in the quiet as turns may. */
const ANSWER_RATIO_MAX = 1.2;
const LOOK_MS = 50;
const PROBE_MS = 250;
const RECORDED_MS_MAX = 10_000;
const ACCOUNT = "attack";
const ATTACKERS_ACCOUNT = "attackers";

/** Starts a service, lets calls run, attacks it with everything that is planned at once, and says what came of it. */
export async function runStage(options: StageOptions, planned: readonly Planned[]): Promise<StageResult> {
  const { program, dataDir, mediaServer = "auto" } = options;
  const env = {
    MEDIA_SERVER: mediaServer,
    WORKERS: "1",
    METRICS_PORT: "0",
    TOKEN_TTL_S: "120",
    CALLS_PER_WORKER: "1000",
  };
  const service = await startService({ program, dataDir, clock: systemClock, env }, new AbortController().signal);
  try {
    const stores = await openStores(dataDir, systemClock);
    const accountId = await stores.accounts.ensure(ACCOUNT);
    const { key } = await stores.apiKeys.create({ accountId, name: ACCOUNT });
    const attackers = await stores.accounts.ensure(ATTACKERS_ACCOUNT);
    const { key: attackersKey } = await stores.apiKeys.create({ accountId: attackers, name: ATTACKERS_ACCOUNT });
    await stores.close();
    return await new Stage(options, new ServiceApi(service.apiUrl, key), attackersKey).run(planned);
  } finally {
    await service.stop();
  }
}

class Stage {
  readonly #options: StageOptions;
  readonly #api: ServiceApi;
  readonly #attackersKey: string;
  readonly #upgradesMs: number[] = [];
  #upgradesFailed = 0;
  #running = true;

  constructor(options: StageOptions, api: ServiceApi, attackersKey: string) {
    this.#options = options;
    this.#api = api;
    this.#attackersKey = attackersKey;
  }

  async run(planned: readonly Planned[]): Promise<StageResult> {
    const control = await ControlCalls.begin(this.#api, this.#options.calls);
    const calls: NewCall[][] = [];
    for (const { attack, size } of planned) {
      calls.push(
        attack.call === undefined ? [] : await this.#api.createAll(size.attackers, () => ({ ...attack.call })),
      );
    }
    control.answersMs();
    await pause(this.#options.quietMs);
    const quiet = spread(control.answersMs());
    let refusedBefore = 0;
    const use = new Use({ worker: this.#pid("worker"), control: this.#pid("control") });
    let working: Promise<unknown> | undefined;
    const ready = together(planned.length, async () => {
      // From here on it is the attack: that the attackers have streams is none.
      await this.#loopDelay();
      control.answersMs();
      refusedBefore = await this.#refusedByStore();
      use.begin();
      working = Promise.all([this.#look(use), this.#probe()]);
    });
    const requestsBefore = await this.#llmRequests();
    const outcomes = await Promise.all(planned.map((plan, index) => this.#suffer(plan, calls[index] ?? [], ready)));
    this.#running = false;
    await working;
    const loopDelay = await this.#loopDelay();
    const refusedByStore = (await this.#refusedByStore()) - refusedBefore;
    const during = spread(control.answersMs());
    const cpuMs = use.cpuMs;
    const requests = await this.#llmRequests();
    const attacks: Suffered[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const endReasons = await this.#endReasons(calls[index] ?? []);
      const { id, name, spendMax } = (planned[index] as Planned).attack;
      const llmRequests = spendMax === undefined ? 0 : (requests - requestsBefore) / outcome.attackers;
      const inputTokens = spendMax === undefined ? 0 : await this.#inputTokensMax(calls[index] ?? []);
      attacks.push({ ...outcome, id, name, endReasons, llmRequests, inputTokens });
    }
    const attackers = attacks.reduce((sum, attack) => sum + attack.attackers, 0);
    const result: StageResult = {
      attacks,
      workerGrowthBytes: use.growthBytes.worker,
      controlGrowthBytes: use.growthBytes.control,
      perAttackerBytes: use.growthBytes.worker / attackers,
      workerCpuMs: cpuMs.worker,
      controlCpuMs: cpuMs.control,
      control: await control.end(),
      quiet,
      during,
      upgrades: spread(this.#upgradesMs.sort((a, b) => a - b)),
      upgradesFailed: this.#upgradesFailed,
      refusedByStore,
      loopDelay,
      problems: [],
      late: [],
    };
    judge(result, planned, attackers);
    return result;
  }

  #suffer({ attack, size }: Planned, calls: readonly NewCall[], ready: Ready): Promise<Outcome> {
    const paths = calls.map(({ websocketUrl }) => new URL(websocketUrl).pathname);
    const metrics = { host: "127.0.0.1", port: this.#logged("metrics served").port ?? 0 };
    const doors = { media: this.#mediaDoor, api: this.#api.door, metrics };
    const target: Target = { ...doors, key: this.#attackersKey, paths };
    return this.#options.attacker(attack, target, size, ready);
  }

  /** One after the other: asked for all at once, again and again, they would be an attack of our own. */
  async #endReasons(calls: readonly NewCall[]): Promise<Record<string, number>> {
    const endReasons: Record<string, number> = {};
    for (const { id } of calls) {
      const { endReason } = await this.#api.ended(id, RECORDED_MS_MAX);
      endReasons[endReason ?? "none"] = (endReasons[endReason ?? "none"] ?? 0) + 1;
    }
    return endReasons;
  }

  /** Of the one of these calls, all of which have ended, that used the most. */
  async #inputTokensMax(calls: readonly NewCall[]): Promise<number> {
    let max = 0;
    for (const { id } of calls) {
      const { usage } = await this.#api.record(id);
      max = Math.max(max, usage?.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0) ?? 0);
    }
    return max;
  }

  /** Opens streams as long as the attacks go on, as any carrier would. */
  async #probe(): Promise<void> {
    for (; this.#running; await pause(PROBE_MS)) {
      // An API that is busy with its own attackers may drop a request: what is looked at is the door of the streams.
      const call = await this.#api.create({ firstSpeaker: "user" }).catch(() => undefined);
      // No place for one more call is no fault of the door.
      if (call === undefined) continue;
      const startMs = performance.now();
      try {
        const ws = await RawWs.connect(call.websocketUrl);
        const answer = await ws.upgrade(new URL(call.websocketUrl).pathname);
        if (answer?.status === 101) this.#upgradesMs.push(performance.now() - startMs);
        else this.#upgradesFailed += 1;
        ws.destroy();
      } catch {
        this.#upgradesFailed += 1;
      }
    }
  }

  async #look(use: Use): Promise<void> {
    for (; this.#running; await pause(LOOK_MS)) use.look();
  }

  get #mediaDoor(): Door {
    const { hostname, port } = new URL(this.#logged("service ready").mediaUrl ?? "");
    return { host: hostname, port: Number(port) };
  }

  #pid(child: string): number {
    return this.#logged("process started", child).pid ?? 0;
  }

  /** A worker that is busy is missing from a scrape: it is asked again. */
  async #metrics(): Promise<ReadonlyMap<string, Family>> {
    const { port } = this.#logged("metrics served");
    const untilMs = performance.now() + RECORDED_MS_MAX;
    for (;;) {
      const families = readExposition(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      const isThere = sampleOf(families, "trunkline_workers", { state: "up" }) > 0;
      if (isThere || performance.now() > untilMs) return families;
    }
  }

  /** That were sent since the service began; with one attack that asks LLMs at a time they are its own. */
  async #llmRequests(): Promise<number> {
    return sampleOf(await this.#metrics(), "trunkline_llm_requests_total", { provider: "reference" });
  }

  async #refusedByStore(): Promise<number> {
    return sampleOf(await this.#metrics(), "trunkline_token_redemptions_total", { outcome: "refused" });
  }

  async #loopDelay(): Promise<{ p99: number; max: number }> {
    const families = await this.#metrics();
    const ms = (quantile: string): number =>
      1_000 * sampleOf(families, "trunkline_event_loop_delay_seconds", { process: "worker", quantile });
    return { p99: ms("0.99"), max: ms("1") };
  }

  /** The latest line of the service's log with these words. */
  #logged(msg: string, child?: string): LogLine {
    const lines = readFileSync(join(this.#options.dataDir, "service.log"), "utf8").split("\n");
    const found = lines
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogLine)
      .findLast((line) => line.msg === msg && (child === undefined || line.child === child));
    if (found === undefined) throw new Error(`the service has not said "${msg}"`);
    return found;
  }
}

interface LogLine {
  msg: string;
  child?: string;
  pid?: number;
  port?: number;
  mediaUrl?: string;
}

/** Resolves for all of `count` when the last of them has asked, and `begin` is over. */
function together(count: number, begin: () => Promise<void>): Ready {
  let missing = count;
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  return async () => {
    missing -= 1;
    if (missing === 0) {
      await begin();
      go();
    }
    await gone;
  };
}

type OfProcesses = Record<"worker" | "control", number>;

/** What processes use, beyond what they used in the beginning. Linux tells; elsewhere it is nothing. */
class Use {
  readonly #pids: Readonly<OfProcesses>;
  #baseBytes: OfProcesses = { worker: 0, control: 0 };
  #baseMs: OfProcesses = { worker: 0, control: 0 };
  /** At most, of all looks. */
  readonly growthBytes: OfProcesses = { worker: 0, control: 0 };

  constructor(pids: Readonly<OfProcesses>) {
    this.#pids = pids;
  }

  begin(): void {
    const { worker, control } = this.#pids;
    this.#baseBytes = { worker: residentBytes(worker), control: residentBytes(control) };
    this.#baseMs = { worker: processorMs(worker), control: processorMs(control) };
  }

  look(): void {
    for (const kind of ["worker", "control"] as const) {
      const growth = residentBytes(this.#pids[kind]) - this.#baseBytes[kind];
      this.growthBytes[kind] = Math.max(this.growthBytes[kind], growth);
    }
  }

  /** Processor time until now. */
  get cpuMs(): OfProcesses {
    const { worker, control } = this.#pids;
    return { worker: processorMs(worker) - this.#baseMs.worker, control: processorMs(control) - this.#baseMs.control };
  }
}

/** proc_pid_status(5). */
function residentBytes(pid: number): number {
  try {
    return 1_024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Processor time that a process has had, ms: proc_pid_stat(5), in ticks of 10 ms; Node's name holds no space. */
export function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(" ");
    return 10 * (Number(fields[13]) + Number(fields[14]));
  } catch {
    return 0;
  }
}

/** Of sorted figures. */
function spread(sorted: readonly number[]): Answers {
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function judge(result: StageResult, planned: readonly Planned[], attackers: number): void {
  const { problems, late, attacks, control, quiet, during, upgrades, upgradesFailed, refusedByStore, loopDelay } =
    result;
  for (const [index, { id, name, attackers: count, closed, longestMs, endReasons }] of attacks.entries()) {
    const { endReason, closedMsMax, spendMax } = (planned[index] as Planned).attack;
    const { llmRequests, inputTokens } = attacks[index] as Suffered;
    if (spendMax !== undefined && (llmRequests > spendMax.llmRequests || inputTokens > spendMax.inputTokens)) {
      problems.push(`${id}, ${name}: ${llmRequests} LLM requests and ${inputTokens} input tokens each`);
    }
    if (closed < count) problems.push(`${id}, ${name}: ${count - closed} of ${count} were not closed`);
    const rightReasons = endReason === undefined ? [] : [endReason].flat();
    if (endReason !== undefined && Object.keys(endReasons).some((reason) => !rightReasons.includes(reason))) {
      problems.push(`${id}, ${name}: their calls ended with ${JSON.stringify(endReasons)}`);
    }
    if (longestMs > closedMsMax) late.push(`${id}, ${name}: borne for ${Math.round(longestMs)} ms`);
  }
  if (control.lostIn > 0 || control.lostOut > 0) {
    problems.push(`control calls lost ${control.lostIn} frames in, ${control.lostOut} out`);
  }
  if (control.broken > 0) problems.push(`${control.broken} control calls broke`);
  const callBytes = planned.reduce((sum, { attack, size }) => sum + (attack.callBytes ?? 0) * size.attackers, 0);
  if (result.workerGrowthBytes > attackers * ATTACKER_BYTES_MAX + callBytes + SLACK_BYTES) {
    problems.push(`the worker grew by ${Math.round(result.perAttackerBytes / 1_024)} KiB for each attacker`);
  }
  if (upgradesFailed > 0) problems.push(`${upgradesFailed} good streams were not taken`);
  if (refusedByStore > 0 && planned.every(({ attack }) => attack.inventsTokens)) {
    problems.push(`${refusedByStore} invented tokens reached the store`);
  }
  const upgradeMsMax = Math.min(...planned.map(({ attack }) => attack.upgradeMsMax ?? UPGRADE_MS_MAX));
  if (upgrades.p99 > upgradeMsMax) late.push(`good streams took ${Math.round(upgrades.p99)} ms at p99`);
  if (during.p99 > Math.max(LOOP_P99_MS_MAX, ANSWER_RATIO_MAX * quiet.p99)) {
    late.push(`control calls were answered in ${during.p99.toFixed(1)} ms at p99, before in ${quiet.p99.toFixed(1)}`);
  }
  if (loopDelay.p99 > LOOP_P99_MS_MAX || loopDelay.max > LOOP_MAX_MS_MAX) {
    late.push(`the loop was late by ${loopDelay.p99.toFixed(1)} ms at p99, ${loopDelay.max.toFixed(1)} at most`);
  }
}
