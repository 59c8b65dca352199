import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

const LIBRARIES = "/usr/lib";
const LIBRARY = (existsSync(LIBRARIES) ? readdirSync(LIBRARIES) : [])
  .map((name) => join(LIBRARIES, name, "faketime", "libfaketimeMT.so.1"))
  .find((path) => existsSync(path));

/** Whether libfaketime is installed, which gives a program another wall clock. */
export const hasFaketime = LIBRARY !== undefined;

/** The wall clock of one service, which can be stepped. Its monotonic clock is that of the machine. */
export class OtherClock {
  readonly #file: string;

  constructor(offsetS: number) {
    const folder = temporaryDirectory();
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, "offset");
    this.step(offsetS);
  }

  /** It is so many seconds ahead from now on; a negative number is late. */
  step(offsetS: number): void {
    writeFileSync(this.#file, `${offsetS < 0 ? "" : "+"}${offsetS}s\n`);
  }

  /** For the environment of the service. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: LIBRARY ?? "",
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }
}
