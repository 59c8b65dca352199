import { Child } from "../../../bench/rig/child-process.ts";
import { WHERE_IDLE } from "../../../bench/rig/priority.ts";
import type { BenchService } from "../../../bench/rig/service.ts";
import { type InterferenceResult, measureInterference, type OtherWork } from "../interference.ts";
import type { Looked, OnlookerQuestions } from "./onlookers.ts";

export const DASHBOARDS = 20;

export interface DashboardInterference {
  result: InterferenceResult;
  /** Of all loaded rounds. */
  looked: Looked;
  /** Calls that were listened to in the round in which there were fewest. */
  listening: number;
}

/** What live calls notice of dashboards that look at them and listen to them. */
export async function measureDashboardInterference(options: {
  reduced: boolean;
  print: (line: string) => void;
}): Promise<DashboardInterference> {
  const onlookers = await Child.start<OnlookerQuestions>(import.meta.url, "./onlookers", { through: WHERE_IDLE });
  try {
    let work: Dashboards | undefined;
    const makeWork = (service: BenchService): OtherWork => {
      work = new Dashboards(service, onlookers);
      return work;
    };
    const result = await measureInterference({ ...options, makeWork, work: "pages of dashboards", recordsCalls: true });
    const { looked, listening } = work as unknown as Dashboards;
    return { result, looked, listening };
  } finally {
    onlookers.stop();
  }
}

/** Dashboards that are open in loaded rounds. */
class Dashboards implements OtherWork {
  readonly #service: BenchService;
  readonly #onlookers: Child<OnlookerQuestions>;
  looked: Looked = { pages: 0, heardBytes: 0, eventBytes: 0, failures: [] };
  listening = DASHBOARDS;

  constructor(service: BenchService, onlookers: Child<OnlookerQuestions>) {
    this.#service = service;
    this.#onlookers = onlookers;
  }

  get taken(): number {
    return this.looked.pages;
  }

  async fill(): Promise<void> {
    const { apiUrl, keys } = this.#service;
    this.listening = Math.min(
      this.listening,
      await this.#onlookers.ask("open", { apiUrl, keys: [...keys], count: DASHBOARDS }),
    );
  }

  async keepFull(seconds: number): Promise<void> {
    const { pages, heardBytes, eventBytes, failures } = await this.#onlookers.ask("look", seconds);
    const before = this.looked;
    this.looked = {
      pages: before.pages + pages,
      heardBytes: before.heardBytes + heardBytes,
      eventBytes: before.eventBytes + eventBytes,
      failures: [...new Set([...before.failures, ...failures])],
    };
  }

  async clear(): Promise<void> {
    await this.#onlookers.ask("close", undefined);
  }
}
