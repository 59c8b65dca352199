import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtProgram } from "../../support/services/build.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** The path of a pipe that is full and is not read; `close` gives it up. */
function fullPipe(): { path: string; close: () => void } {
  const path = join(temporaryDirectory(), "log");
  execFileSync("mkfifo", [path]);
  const end = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(end, Buffer.alloc(4_096, "x"));
  } catch {
    // It takes no more.
  }
  return { path, close: () => closeSync(end) };
}

let service: ChildProcess | undefined;
let pipe: ReturnType<typeof fullPipe> | undefined;
afterEach(() => {
  service?.kill("SIGKILL");
  pipe?.close();
});

test("ADV-L1: a service whose log is not read starts, drains and exits", async () => {
  pipe = fullPipe();
  const stdout = openSync(pipe.path, constants.O_RDWR);
  const env = {
    ...process.env,
    ...{
      API_PORT: "0",
      MEDIA_PORT: "0",
      METRICS_PORT: "0",
      WORKERS: "1",
      DRAIN_MS: "0",
      STT: "reference",
      TTS: "reference",
    },
    DATA_DIR: join(temporaryDirectory(), "data"),
  };
  const started = fork(builtProgram("main"), { env, stdio: ["ignore", stdout, "ignore", "ipc"] });
  service = started;
  const exited = new Promise<[number | null, string | null]>((resolve) =>
    started.once("exit", (code, signal) => resolve([code, signal])),
  );
  closeSync(stdout);
  await Promise.race([new Promise((resolve) => started.once("message", resolve)), exited]);
  started.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
}, 60_000);
