import type { JournalFiles } from "../../../src/gateway/journal/writer.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Process } from "../process.ts";

/** A disk with one file. It takes its time, now and then writes less than it was given, and tells the process when it is done. */
export class MemoryDisk implements JournalFiles {
  readonly #process: Process;
  readonly #fate: FaultPlan;
  readonly #parts: Buffer[] = [];

  constructor(process: Process, fate: FaultPlan) {
    this.#process = process;
    this.#fate = fate;
  }

  /** What the file holds. */
  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  create(_path: string, done: (error: Error | null, fd: number) => void): void {
    this.#later(() => done(null, 1));
  }

  write(_fd: number, bytes: Uint8Array, done: (error: Error | null, writtenBytes: number) => void): void {
    const { random } = this.#fate;
    const writtenBytes = random.chance(0.1) ? random.whole(1, bytes.length) : bytes.length;
    this.#later(() => {
      this.#parts.push(Buffer.from(bytes.subarray(0, writtenBytes)));
      done(null, writtenBytes);
    });
  }

  sync(_fd: number, done: (error: Error | null) => void): void {
    this.#later(() => done(null));
  }

  close(_fd: number, done: (error: Error | null) => void): void {
    this.#later(() => done(null));
  }

  #later(task: () => void): void {
    const { random } = this.#fate;
    const slow = this.#fate.occurs("slow-disk", 0.3);
    this.#process.after(slow ? random.between(100, 2_000) : random.between(0.1, 5), task);
  }
}
