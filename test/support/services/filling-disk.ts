import { close, fdatasync, open, write } from "node:fs";
import type { JournalFiles } from "../../../src/gateway/journal/writer.ts";

/** Real files on a disk that has room for so many bytes more; then every write fails with ENOSPC, or even the creation of a file. */
export class FillingDisk implements JournalFiles {
  readonly #createsWhenFull: boolean;
  #roomBytes: number;

  constructor(roomBytes: number, createsWhenFull = true) {
    this.#roomBytes = roomBytes;
    this.#createsWhenFull = createsWhenFull;
  }

  readonly create: JournalFiles["create"] = (path, done) => {
    if (this.#roomBytes === 0 && !this.#createsWhenFull) setImmediate(() => done(full(), -1));
    else open(path, "wx", 0o600, done);
  };

  readonly write: JournalFiles["write"] = (fd, bytes, done) => {
    const fitting = bytes.subarray(0, this.#roomBytes);
    this.#roomBytes -= fitting.length;
    if (fitting.length === 0) setImmediate(() => done(full(), 0));
    else write(fd, fitting, 0, fitting.length, null, done);
  };

  readonly sync: JournalFiles["sync"] = (fd, done) => fdatasync(fd, done);

  readonly close: JournalFiles["close"] = (fd, done) => close(fd, done);
}

const full = (): Error => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
