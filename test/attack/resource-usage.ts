import { readFileSync } from "node:fs";

type OfProcesses = Record<"worker" | "control", number>;

/** What processes use, beyond what they used in the beginning. Linux tells; elsewhere it is nothing. */
export class ResourceUsage {
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
    this.#baseMs = { worker: processCpuMs(worker), control: processCpuMs(control) };
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
    return {
      worker: processCpuMs(worker) - this.#baseMs.worker,
      control: processCpuMs(control) - this.#baseMs.control,
    };
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
export function processCpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(" ");
    return 10 * (Number(fields[13]) + Number(fields[14]));
  } catch {
    return 0;
  }
}
