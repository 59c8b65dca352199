import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChildModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { LARGE_RESPONSES_MAX, LARGE_RESPONSES_PER_ACCOUNT_MAX } from "../../src/core/limits/control-api/api.ts";
import type { MediaServerName } from "../../src/gateway/server/media-server.ts";
import { journalPath, readJournal } from "../../src/record/journal/reader.ts";
import { startService } from "../../src/simulator/service/process.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { type Family, readExposition, sampleOf } from "../support/metrics/exposition.ts";
import { RawWs } from "../support/network/raw-ws.ts";
import type { Attack, Outcome, Ready, Size, Target } from "./attacks/attack.ts";
import { type Endpoint, pause } from "./connections.ts";
import { ControlCalls } from "./control-calls.ts";
import { ResourceUsage } from "./resource-usage.ts";
import { type NewCall, ServiceApi } from "./service-api.ts";
import type { Answers, AttackResult, PlannedAttack, StageResult } from "./stage-result.ts";
import { judge } from "./verdict.ts";

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
  /** How long they run before the attack. */
  quietMs: number;
  /** Whether streams that open too slowly are a problem: it asks for a machine that has nothing else to do. */
  judgesSpeed: boolean;
  attacker: Attacker;
}

const LOOK_MS = 50;
const PROBE_MS = 250;
/** Where it is the opening of streams that is attacked: a percentile needs many, whose calls are made before. */
const FAST_PROBE_MS = 20;
const FAST_PROBES = 1_000;
const RECORDED_MS_MAX = 10_000;
const NOTHING_SPENT = { llmRequests: 0, inputTokens: 0 };
const ACCOUNT = "attack";
/** Many enough that all lists that may be under way at once are. */
const ATTACKERS_ACCOUNTS = 2 * (LARGE_RESPONSES_MAX / LARGE_RESPONSES_PER_ACCOUNT_MAX);

/** Starts a service, lets calls run, attacks it with everything that is planned at once, and says what came of it. */
export async function runStage(options: StageOptions, planned: readonly PlannedAttack[]): Promise<StageResult> {
  const { program, dataDir, mediaServer = "auto" } = options;
  const env = {
    MEDIA_SERVER: mediaServer,
    WORKERS: "1",
    METRICS_PORT: "0",
    TOKEN_TTL_S: "120",
    CALLS_PER_WORKER: "4000",
  };
  const service = await startService({ program, dataDir, clock: systemClock, env }, new AbortController().signal);
  try {
    const stores = await openSqliteStores(dataDir, systemClock);
    const accountId = await stores.accounts.ensure(ACCOUNT);
    const { key } = await stores.apiKeys.create({ accountId, name: ACCOUNT });
    const makeKey = async (name: string): Promise<string> =>
      (await stores.apiKeys.create({ accountId: await stores.accounts.ensure(name), name })).key;
    const attackersKeys: [string, ...string[]] = [await makeKey("attackers")];
    while (attackersKeys.length < ATTACKERS_ACCOUNTS)
      attackersKeys.push(await makeKey(`attackers ${attackersKeys.length}`));
    await stores.close();
    return await new Stage(options, new ServiceApi(service.apiUrl, key), attackersKeys).run(planned);
  } finally {
    await service.stop();
  }
}

class Stage {
  readonly #options: StageOptions;
  readonly #api: ServiceApi;
  readonly #attackersKeys: Target["keys"];
  readonly #upgradesMs: number[] = [];
  /** How often a good stream was not taken, by the answer: a status, or `none`. */
  readonly #upgradesFailed: Record<string, number> = {};
  #running = true;

  constructor(options: StageOptions, api: ServiceApi, attackersKeys: Target["keys"]) {
    this.#options = options;
    this.#api = api;
    this.#attackersKeys = attackersKeys;
  }

  async run(planned: readonly PlannedAttack[]): Promise<StageResult> {
    const control = await ControlCalls.begin(this.#api, this.#options.calls);
    try {
      return await this.#run(planned, control);
    } finally {
      // Whatever failed: nothing may go on that would keep this process from ending.
      this.#running = false;
      control.leave();
    }
  }

  async #run(planned: readonly PlannedAttack[], control: ControlCalls): Promise<StageResult> {
    for (const { attack, size } of planned) await attack.prepare?.(this.#target([]), size);
    const calls: NewCall[][] = [];
    for (const { attack, size } of planned) {
      calls.push(
        attack.call === undefined ? [] : await this.#api.createAll(size.attackers, () => ({ ...attack.call })),
      );
    }
    const isFast = this.#options.judgesSpeed && planned.some(({ attack }) => attack.upgradeMsMax !== undefined);
    const probes = isFast ? await this.#api.createAll(FAST_PROBES, () => ({ firstSpeaker: "user" })) : [];
    control.answersMs();
    await pause(this.#options.quietMs);
    const quiet = spread(control.answersMs());
    let refusedBefore = 0;
    const use = new ResourceUsage({ worker: this.#pid("worker"), control: this.#pid("control") });
    let working: Promise<unknown> | undefined;
    const ready = together(planned.length, async () => {
      // From here on it is the attack: that the attackers have streams is none.
      await this.#loopDelay();
      control.answersMs();
      refusedBefore = await this.#refusedByStore();
      use.begin();
      working = Promise.all([this.#look(use), this.#probe(probes, isFast ? FAST_PROBE_MS : PROBE_MS)]);
    });
    const outcomes = await Promise.all(planned.map((plan, index) => this.#suffer(plan, calls[index] ?? [], ready)));
    this.#running = false;
    await working;
    const loopDelay = await this.#loopDelay();
    const refusedByStore = (await this.#refusedByStore()) - refusedBefore;
    const during = spread(control.answersMs());
    const cpuMs = use.cpuMs;
    const attacks: AttackResult[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const endReasons = await this.#endReasons(calls[index] ?? []);
      const { id, name, spendMax } = (planned[index] as PlannedAttack).attack;
      const spent = spendMax === undefined ? NOTHING_SPENT : await this.#spentMost(calls[index] ?? []);
      attacks.push({ ...outcome, id, name, endReasons, ...spent });
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
    judge(result, planned, this.#options.judgesSpeed);
    return result;
  }

  #suffer({ attack, size }: PlannedAttack, calls: readonly NewCall[], ready: Ready): Promise<Outcome> {
    return this.#options.attacker(attack, this.#target(calls), size, ready);
  }

  #target(calls: readonly NewCall[]): Target {
    const paths = calls.map(({ websocketUrl }) => new URL(websocketUrl).pathname);
    const metrics = { host: "127.0.0.1", port: this.#logged("metrics port ready").port ?? 0 };
    return { media: this.#mediaDoor, api: this.#api.door, metrics, keys: this.#attackersKeys, paths };
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

  /** The most that any of these calls, all of which have ended, has asked of LLMs, as its journal and its record tell. */
  async #spentMost(calls: readonly NewCall[]): Promise<typeof NOTHING_SPENT> {
    const most = { ...NOTHING_SPENT };
    for (const { id } of calls) {
      const { usage } = await this.#api.record(id);
      const inputTokens = usage?.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0) ?? 0;
      let llmRequests = 0;
      await readJournal(journalPath(this.#options.dataDir, id), (record) => {
        // Each request is counted once, whether it was answered or aborted.
        if (record.kind !== "event" || record.event.kind !== "usage") return;
        if (record.event.stage === "llm") llmRequests += 1;
      });
      most.llmRequests = Math.max(most.llmRequests, llmRequests);
      most.inputTokens = Math.max(most.inputTokens, inputTokens);
    }
    return most;
  }

  /** Opens streams as long as the attacks go on, as any carrier would. */
  async #probe(made: NewCall[], everyMs: number): Promise<void> {
    for (; this.#running; await pause(everyMs)) {
      // An API that is busy with its own attackers may drop a request: what is looked at is the door of the streams.
      const call = made.pop() ?? (await this.#api.create({ firstSpeaker: "user" }).catch(() => undefined));
      // No place for one more call is no fault of the door.
      if (call === undefined) continue;
      const startMs = performance.now();
      try {
        const ws = await RawWs.connect(call.websocketUrl);
        const answer = await ws.upgrade(new URL(call.websocketUrl).pathname);
        if (answer?.status === 101) this.#upgradesMs.push(performance.now() - startMs);
        else this.#upgradeFailed(answer?.status);
        ws.destroy();
      } catch {
        this.#upgradeFailed(undefined);
      }
    }
  }

  #upgradeFailed(status: number | undefined): void {
    const answer = String(status ?? "none");
    this.#upgradesFailed[answer] = (this.#upgradesFailed[answer] ?? 0) + 1;
  }

  async #look(use: ResourceUsage): Promise<void> {
    for (; this.#running; await pause(LOOK_MS)) use.look();
  }

  get #mediaDoor(): Endpoint {
    const { hostname, port } = new URL(this.#logged("service ready").mediaUrl ?? "");
    return { host: hostname, port: Number(port) };
  }

  #pid(child: string): number {
    return this.#logged("process started", child).pid ?? 0;
  }

  /** A worker that is busy is missing from a scrape: it is asked again. */
  async #metrics(): Promise<ReadonlyMap<string, Family>> {
    const { port } = this.#logged("metrics port ready");
    const untilMs = performance.now() + RECORDED_MS_MAX;
    for (;;) {
      const families = readExposition(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      const isThere = sampleOf(families, "trunkline_workers", { state: "up" }) > 0;
      if (isThere || performance.now() > untilMs) return families;
    }
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
      .findLast((line) => line.msg === msg && (child === undefined || line.kind === child));
    if (found === undefined) throw new Error(`the service has not said "${msg}"`);
    return found;
  }
}

interface LogLine {
  msg: string;
  kind?: string;
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

/** Of sorted figures. */
function spread(sorted: readonly number[]): Answers {
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
