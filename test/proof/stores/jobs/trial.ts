import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../../src/core/clock.ts";
import { codeOf } from "../../../../src/core/errors.ts";
import type { AccountId, JobId } from "../../../../src/core/ids.ts";
import type { JobRecord } from "../../../../src/store/job-store.ts";
import { openStores, type StorePlace } from "../../../../src/store/open-stores.ts";
import type { Stores } from "../../../../src/store/stores.ts";
import { createCall } from "../../../support/calls/stored-calls.ts";
import { PostgresServer } from "../../../support/postgres/server.ts";
import { Random } from "../../../support/random.ts";
import { redeemedBy } from "../../../support/tokens.ts";
import { EffectsFile } from "./effects.ts";
import { EXPECTATIONS, KINDS, type Kind } from "./kinds.ts";
import { RunnerProcesses } from "./runner-processes.ts";
import { type AcceptedJob, type Verdict, verdictOf } from "./verdict.ts";

// A runner of jobs is killed again and again while jobs of every kind come in.

export interface JobTrialOptions {
  store: "SQLite" | "Postgres";
  kills: number;
  seed: number;
}

export interface JobTrialResult extends JobTrialOptions, Verdict {
  accepted: number;
  attempts: number;
  tookS: number;
}

/** How many in a hundred jobs are of each kind; those that render come from those that end a call. */
const SHARES: Readonly<Partial<Record<Kind, number>>> = {
  [KINDS.quick]: 40,
  [KINDS.slow]: 12,
  [KINDS.flaky]: 18,
  [KINDS.doomed]: 5,
  [KINDS.patient]: 5,
  [KINDS.hurried]: 8,
  [KINDS.endCall]: 12,
};
const DEADLINES_MS: Readonly<Partial<Record<Kind, number>>> = { [KINDS.patient]: 3_600_000, [KINDS.hurried]: 3_000 };
const ENQUEUE_EVERY_MS = [10, 60] as const;
/** After a runner has begun to take jobs. */
const KILL_AFTER_MS = [50, 1_500] as const;
/** Of so many kills in turn each comes to a lone runner, and then to one of two. */
const KILLS_PER_PHASE = 5;
const KILLS_PER_LINE = 10;
const SETTLE_MS_MAX = 180_000;
const SETTLE_POLL_MS = 250;
const JOBS_PER_PAGE = 500;
const SEED_MAX = 1_000_000_000;

export class JobTrial {
  readonly #options: JobTrialOptions;
  readonly #print: (line: string) => void;
  readonly #folder = mkdtempSync(join(tmpdir(), "trunkline-jobs-"));
  readonly #accepted: AcceptedJob[] = [];
  #isOver = false;

  constructor(options: JobTrialOptions, print: (line: string) => void) {
    this.#options = options;
    this.#print = print;
  }

  async run(): Promise<JobTrialResult> {
    const server = this.#options.store === "Postgres" ? await PostgresServer.start() : undefined;
    try {
      return await this.#runIn({ dataDir: join(this.#folder, "data"), databaseUrl: await server?.createDatabase() });
    } finally {
      await server?.remove();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  async #runIn(place: StorePlace): Promise<JobTrialResult> {
    const begunMs = performance.now();
    const random = new Random(this.#options.seed);
    const effectsPath = join(this.#folder, "effects.db");
    const effects = new EffectsFile(effectsPath);
    const stores = await openStores(place, systemClock);
    const runners = new RunnerProcesses({ ...place, effectsPath }, join(this.#folder, "runner.log"));
    try {
      const kills = this.#kill(runners, random.fork()).finally(() => {
        this.#isOver = true;
      });
      await Promise.all([kills, this.#enqueue(stores, random.fork())]);
      const lastKillMs = effects.nowMs();
      await runners.ensure(1);
      await this.#settle(stores, effects, lastKillMs);
      const left = await everyJob(stores);
      if (runners.unexpectedEnds > 0) throw new Error(`${runners.unexpectedEnds} runners ended without being killed`);
      const attempts = effects.attempts();
      return {
        ...this.#options,
        ...verdictOf({ accepted: this.#accepted, effects: effects.effects(), attempts, left, lastKillMs }),
        accepted: this.#accepted.length,
        attempts: attempts.length,
        tookS: (performance.now() - begunMs) / 1_000,
      };
    } finally {
      await runners.killAll();
      await stores.close();
      effects.close();
    }
  }

  async #enqueue(stores: Stores, random: Random): Promise<void> {
    const accountId = await stores.accounts.ensure("proof");
    const kinds = Object.entries(SHARES).flatMap(([kind, share]) => Array.from({ length: share }, () => kind as Kind));
    for (let count = 0; !this.#isOver; count += 1) {
      await delay(random.between(...ENQUEUE_EVERY_MS));
      const [kind, seed] = [random.pick(kinds), random.whole(0, SEED_MAX)];
      try {
        const fact = kind === KINDS.endCall ? await activeCall(stores, accountId) : `fact ${count}`;
        const id = await stores.jobs.enqueue({ kind, payload: { fact, seed }, deadlineMs: DEADLINES_MS[kind] });
        if (id === undefined) throw new Error("a job without a key was not stored");
        this.#accepted.push({ id, kind, fact });
      } catch (error) {
        // Whether the store has it is not known.
        if (codeOf(error) !== "unavailable") throw error;
      }
    }
  }

  async #kill(runners: RunnerProcesses, random: Random): Promise<void> {
    const { kills, store } = this.#options;
    for (let count = 0; count < kills; count += 1) {
      await runners.ensure(1 + (Math.floor(count / KILLS_PER_PHASE) % 2));
      await delay(random.between(...KILL_AFTER_MS));
      await runners.killOne(random);
      if ((count + 1) % KILLS_PER_LINE === 0) {
        this.#print(`  ${store}: ${count + 1} of ${kills} kills of runners, ${this.#accepted.length} jobs`);
      }
    }
  }

  /** Until nothing is left to do and the schedule has run once more, or for SETTLE_MS_MAX. */
  async #settle(stores: Stores, effects: EffectsFile, lastKillMs: number): Promise<void> {
    for (const endMs = performance.now() + SETTLE_MS_MAX; performance.now() < endMs; await delay(SETTLE_POLL_MS)) {
      const { counts } = await stores.jobs.statistics();
      const isDone = counts.every(({ kind, status }) => status === "dead" || isScheduled(kind));
      const hasRun = effects.attempts().some(({ kind, begunMs }) => isScheduled(kind) && begunMs > lastKillMs);
      if (isDone && hasRun) return;
    }
  }
}

const isScheduled = (kind: string): boolean => EXPECTATIONS[kind as Kind] === "scheduled";

/** A call whose stream is connected. */
async function activeCall(stores: Stores, accountId: AccountId): Promise<string> {
  const { id, tokenHash } = await createCall(stores, accountId);
  if ((await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))) === undefined) {
    throw new Error("the call was not redeemed");
  }
  return id;
}

async function everyJob({ jobs }: Stores): Promise<readonly JobRecord[]> {
  const all: JobRecord[] = [];
  for (let afterJobId: JobId | undefined; ; afterJobId = all.at(-1)?.id) {
    const page = await jobs.list({ limit: JOBS_PER_PAGE, afterJobId });
    all.push(...page.jobs);
    if (!page.more) return all;
  }
}
