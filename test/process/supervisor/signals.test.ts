import { EventEmitter } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ServiceFiles, ServiceSignals } from "../../../src/process/supervisor/signals.ts";
import { settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Signals whose supervisor stops when `onStopped` is called. */
function service() {
  const source = new EventEmitter();
  const steps: string[] = [];
  let onStopped = (): void => {};
  const signals = new ServiceSignals({
    supervisor: {
      stop() {
        steps.push("stop");
        return new Promise((resolve) => {
          onStopped = resolve;
        });
      },
      kill: () => void steps.push("kill"),
      roll: () => void steps.push("roll"),
    },
    exit: (code) => void steps.push(`exit ${code}`),
  });
  signals.listen(source);
  return { source, steps, signals, stopped: () => onStopped() };
}

test.each(["SIGTERM", "SIGINT", "disconnect"])("The first %s lets the calls end and exits with 0", async (event) => {
  const { source, steps, signals, stopped } = service();
  expect(signals.isStopping).toBe(false);
  source.emit(event);
  await settled();
  expect([signals.isStopping, steps]).toEqual([true, ["stop"]]);
  stopped();
  await settled();
  expect(steps).toEqual(["stop", "exit 0"]);
});

test("A second signal kills all processes and exits with 1", () => {
  const { source, steps } = service();
  source.emit("SIGINT");
  source.emit("SIGTERM");
  expect(steps).toEqual(["stop", "kill", "exit 1"]);
});

test("SIGUSR2 lets the calls end however often it comes", async () => {
  const { source, steps, stopped } = service();
  for (let count = 0; count < 2; count += 1) source.emit("SIGUSR2");
  expect(steps).toEqual(["stop"]);
  stopped();
  await settled();
  expect(steps).toEqual(["stop", "exit 0"]);
});

test("a request to drain lets the calls end however often it comes; of the signals after it the second one kills", () => {
  const { source, steps, signals } = service();
  for (let count = 0; count < 2; count += 1) signals.drain();
  source.emit("SIGTERM");
  expect(steps).toEqual(["stop"]);
  source.emit("SIGTERM");
  expect(steps).toEqual(["stop", "kill", "exit 1"]);
});

test("SIGHUP replaces the workers and stops nothing", () => {
  const { source, steps, signals } = service();
  source.emit("SIGHUP");
  source.emit("SIGHUP");
  expect([signals.isStopping, steps]).toEqual([false, ["roll", "roll"]]);
});

test("The socket is removed in any case, the state file only by the service that wrote it", () => {
  const socketPath = join(temporaryDirectory(), "workers.sock");
  let removals = 0;
  const stateFile = {
    remove: (): void => {
      removals += 1;
    },
  };
  const files = new ServiceFiles({ socketPaths: [socketPath], stateFile, log: memoryLog().log });
  writeFileSync(socketPath, "");
  files.remove();
  expect([existsSync(socketPath), removals]).toEqual([false, 0]);
  files.ownStateFile();
  files.remove();
  expect(removals).toBe(1);
});

test("A file that cannot be removed is logged and does not keep the process from exiting", () => {
  const { log, lines } = memoryLog();
  const stateFile = {
    remove: (): void => {
      throw new Error("read-only file system");
    },
  };
  const files = new ServiceFiles({ socketPaths: [join(temporaryDirectory(), "none")], stateFile, log });
  files.ownStateFile();
  files.remove();
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["service file could not be removed"]);
});
