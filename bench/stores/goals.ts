import { median } from "../harness/statistics.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type {
  AccountsResult,
  DeliveryRateResult,
  InterferenceResult,
  SlowEndpointResult,
  StoreName,
  StoresResult,
} from "./result.ts";
import { DELIVERED_PER_SECOND } from "./webhooks/deliveries.ts";

// What is asked of the stores, and whether a run shows it.

type Measured = Omit<StoresResult, "goals" | "machine" | "commit" | "problems">;

const CREATION_MS_MAX: Readonly<Record<StoreName, number>> = { SQLite: 25, Postgres: 40 };
/** Times the p99 of a bare route in the same run. */
const CREATION_TIMES_MAX = 8;
const LIST_MS_MAX = 50;
const START_MS_MAX = 5_000;
const AUTHENTICATION_MS_MAX = 1;
const REDEMPTION_MS_MAX: Readonly<Record<StoreName, number>> = { SQLite: 10, Postgres: 20 };
const SLOW_ENDPOINT_TIMES_MAX = 1.2;
/** The rest of the offered rate is what was just made when the measurement ended. */
const DELIVERED_SHARE_MIN = 0.98;
const INTERFERENCE_TIMES_MAX = 1.2;
const INTERFERENCE_MS_MAX = 1;
export const LOOP_P99_MS_MAX = 20;
/** The reduced form fails beyond so many times a ratio: the machine may have other things to do. */
const GROSS_TIMES = 5;
/** Of the longest list to the shortest one, with 10,000 calls. */
const GROSS_LIST_TIMES = 40;

export const goalsOf = (result: Measured): Verdict[] => [
  ...creationGoals(result),
  ...listGoals(result),
  ...result.accounts.flatMap(accountGoals),
  ...redemptionGoals(result),
  ...result.slowEndpoint.map(slowEndpointGoal),
  ...result.deliveries.map(deliveryGoal),
  ...result.interference.flatMap(interferenceGoals),
];

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const ratio = (value: number): string => `${value.toFixed(2)}x`;

function creationGoals({ creation, options }: Measured): Verdict[] {
  const bare = creation.find(({ store }) => store === undefined)?.tookMs.p99 ?? Number.NaN;
  return options.stores.flatMap((store) => {
    const own = creation.find((times) => times.store === store)?.tookMs;
    if (own === undefined) return [];
    const [maxMs, times] = [CREATION_MS_MAX[store], own.p99 / bare];
    return [
      {
        budget: `${store}: POST /calls, p99 <= ${maxMs} ms`,
        measured: ms(own.p99),
        verdict: verdictOf(own.p99 <= maxMs),
      },
      {
        budget: `${store}: POST /calls, p99 <= ${CREATION_TIMES_MAX}x a bare route`,
        measured: `${ratio(times)} of ${ms(bare)}`,
        verdict: verdictOf(times <= CREATION_TIMES_MAX),
      },
    ];
  });
}

function listGoals({ lists, options }: Measured): Verdict[] {
  return options.stores.flatMap((store) => {
    const ofStore = lists.filter((times) => times.store === store);
    const worst = ofStore.toSorted((one, other) => other.tookMs.p99 - one.tookMs.p99)[0];
    if (worst === undefined) return [];
    const over = ofStore.filter(({ tookMs }) => tookMs.p99 > LIST_MS_MAX).length;
    return [
      {
        budget: `${store}: GET /calls, any filter, p99 <= ${LIST_MS_MAX} ms`,
        measured: `${over} of ${ofStore.length} above it; at most ${ms(worst.tookMs.p99)} (${worst.filter}, ${worst.place})`,
        verdict: verdictOf(over === 0),
      },
    ];
  });
}

function accountGoals({ store, accounts, agents, startMs, lists, authentication }: AccountsResult): Verdict[] {
  const installation = `${store}, ${accounts} accounts, ${agents} agents`;
  const [worst] = lists.toSorted((one, other) => other.tookMs.p99 - one.tookMs.p99);
  if (worst === undefined) return [];
  const { inUse, firstUse } = authentication;
  return [
    {
      budget: `${installation}: every list, p99 <= ${LIST_MS_MAX} ms`,
      measured: `at most ${ms(worst.tookMs.p99)} (GET ${worst.path}) of ${lists.length}`,
      verdict: verdictOf(worst.tookMs.p99 <= LIST_MS_MAX),
    },
    {
      budget: `${installation}: start <= ${START_MS_MAX / 1_000} s`,
      measured: `${(startMs / 1_000).toFixed(2)} s`,
      verdict: verdictOf(startMs <= START_MS_MAX),
    },
    {
      budget: `${installation}: authentication of a request, p99 <= ${AUTHENTICATION_MS_MAX} ms`,
      measured: `${inUse.p99.toFixed(3)} ms in use, ${firstUse.p99.toFixed(3)} ms at the first use`,
      verdict: verdictOf(inUse.p99 <= AUTHENTICATION_MS_MAX),
    },
  ];
}

function redemptionGoals({ redemptions, options }: Measured): Verdict[] {
  return options.stores.flatMap((store) => {
    const own = redemptions.find((times) => times.store === store)?.tookMs;
    if (own === undefined) return [];
    const maxMs = REDEMPTION_MS_MAX[store];
    const budget = `${store}: redemption, connection to 101, p99 <= ${maxMs} ms`;
    return [{ budget, measured: ms(own.p99), verdict: verdictOf(own.p99 <= maxMs) }];
  });
}

/** By how much the others' p95 grows, in the median of the pairs. */
export const slowEndpointTimes = ({ pairs }: SlowEndpointResult): number =>
  median(pairs.map((pair) => pair.with.delayMs.p95 / pair.without.delayMs.p95));

function slowEndpointGoal(result: SlowEndpointResult): Verdict {
  const times = slowEndpointTimes(result);
  return {
    budget: `${result.store}: one slow endpoint, the others' p95 <= ${SLOW_ENDPOINT_TIMES_MAX}x`,
    measured: ratio(times),
    verdict: verdictOf(times <= SLOW_ENDPOINT_TIMES_MAX),
  };
}

function deliveryGoal({ store, offeredPerSecond, deliveredPerSecond, controlCores }: DeliveryRateResult): Verdict {
  const holds = deliveredPerSecond >= DELIVERED_SHARE_MIN * DELIVERED_PER_SECOND;
  return {
    budget: `${store}: ${DELIVERED_PER_SECOND} deliveries a second`,
    measured: `${deliveredPerSecond.toFixed(0)} of ${offeredPerSecond.toFixed(0)} a second, control process ${controlCores.toFixed(2)} cores`,
    verdict: verdictOf(holds),
  };
}

export interface Interference {
  /** The median of the ratios of loaded to quiet p99, and of the differences, ms. */
  times: number;
  addedMs: number;
  /** The longest p99 of the loop's delay in a loaded round, ms. */
  loopP99Ms: number;
}

export const interferenceOf = ({
  pairs,
}: {
  readonly pairs: readonly Pick<InterferenceResult["pairs"][number], "quiet" | "loaded">[];
}): Interference => ({
  times: median(pairs.map(({ quiet, loaded }) => loaded.writtenMs.p99 / quiet.writtenMs.p99)),
  addedMs: median(pairs.map(({ quiet, loaded }) => loaded.writtenMs.p99 - quiet.writtenMs.p99)),
  loopP99Ms: median(pairs.map(({ loaded }) => loaded.loopP99Ms)),
});

/** `SQLite`, or `SQLite, WORKER_REALTIME`. */
export const settingOf = ({ store, realtime }: InterferenceResult): string =>
  realtime ? `${store}, WORKER_REALTIME` : store;

/** Whether live calls notice nothing of a load, but for their event loop. */
export const isUndisturbed = ({ times, addedMs }: Interference): boolean =>
  times <= INTERFERENCE_TIMES_MAX || addedMs <= INTERFERENCE_MS_MAX;

function interferenceGoals(result: InterferenceResult): Verdict[] {
  const interference = interferenceOf(result);
  const { times, addedMs, loopP99Ms } = interference;
  return [
    {
      budget: `${settingOf(result)}: frames of ${result.calls} calls, due → written, p99 <= ${INTERFERENCE_TIMES_MAX}x or + ${INTERFERENCE_MS_MAX} ms`,
      measured: `${ratio(times)}, + ${addedMs.toFixed(2)} ms, medians of ${result.pairs.length} pairs`,
      verdict: verdictOf(isUndisturbed(interference)),
    },
    {
      budget: `${settingOf(result)}: event loop of the worker, p99 <= ${LOOP_P99_MS_MAX} ms`,
      measured: `${ms(loopP99Ms)}, median of the loaded rounds`,
      verdict: verdictOf(loopP99Ms <= LOOP_P99_MS_MAX),
    },
  ];
}

/** What has grown grossly, whatever the speed of the machine: figures of one run that are compared with each other. */
export function grossExcess(result: Measured): string[] {
  const bare = result.creation.find(({ store }) => store === undefined)?.tookMs.p50 ?? Number.NaN;
  const excess: string[] = [];
  for (const { store, tookMs } of result.creation) {
    if (store === undefined || !(tookMs.p50 > GROSS_TIMES * CREATION_TIMES_MAX * bare)) continue;
    excess.push(`${store}: POST /calls takes ${ratio(tookMs.p50 / bare)} a bare route`);
  }
  for (const store of result.options.stores) {
    const [shortest, ...others] = result.lists
      .filter((times) => times.store === store)
      .toSorted((one, other) => one.tookMs.p50 - other.tookMs.p50);
    const longest = others.at(-1);
    if (shortest === undefined || longest === undefined) continue;
    const times = longest.tookMs.p50 / shortest.tookMs.p50;
    if (times > GROSS_LIST_TIMES)
      excess.push(`${store}: GET /calls, ${longest.filter}, takes ${ratio(times)} the shortest list`);
  }
  for (const slow of result.slowEndpoint) {
    const times = slowEndpointTimes(slow);
    if (times > GROSS_TIMES * SLOW_ENDPOINT_TIMES_MAX)
      excess.push(`${slow.store}: one slow endpoint delays others ${ratio(times)}`);
  }
  for (const { store, offeredPerSecond, deliveredPerSecond } of result.deliveries) {
    if (deliveredPerSecond > offeredPerSecond / GROSS_TIMES) continue;
    excess.push(`${store}: ${deliveredPerSecond.toFixed(0)} of ${offeredPerSecond.toFixed(0)} deliveries a second`);
  }
  return excess;
}
