import "./core/node-version.ts";
import { fork } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { readArguments, runCommand } from "./cli/command.ts";
import { type Config, readConfig, unknownVariables } from "./config/config.ts";
import { startupWarnings } from "./config/startup-warnings.ts";
import { childModule } from "./core/child-module.ts";
import { systemClock } from "./core/clock.ts";
import { codeOf } from "./core/errors.ts";
import { DATA_DIR_RETRY_MS, DATA_DIR_WAIT_MS_MAX } from "./core/limits/storage.ts";
import { createLogger, type Logger } from "./core/log/logger.ts";
import { isNodeUntested, NODE_MAJOR_TESTED_MAX } from "./core/node-version.ts";
import { chooseMediaServer, type MediaServerChoice } from "./gateway/server/choice.ts";
import { loadUws } from "./gateway/server/uws/module.ts";
import { currentRuntime } from "./gateway/server/uws/packages.ts";
import { assertDescriptors, callsMaxWith, descriptorsMax } from "./process/descriptors.ts";
import { MediaPort } from "./process/supervisor/media-port.ts";
import { processStartTime, SupervisorFile, type SupervisorState } from "./process/supervisor/state-file.ts";
import type { StartChild } from "./process/supervisor/supervised-process.ts";
import { type Roll, Supervisor } from "./process/supervisor/supervisor.ts";
import type { ToChild } from "./process/supervisor-protocol.ts";
import { openDataDir } from "./store/data-dir/data-dir.ts";
import { newSocketPath } from "./store/handoff/socket-path.ts";

/** Composition root of the supervisor. */

const HELP = `Starts the service: the control API, the media gateway and the metrics. It runs until SIGINT or SIGTERM, which let running calls
end first; a second signal ends it at once.

  npm start

There are no options: environment variables configure the service. docs/configuration.md lists them.

Exit code 0: stopped by a signal. 1: it could not start, or a second signal ended it. 2: usage error.
`;

const forkChild: StartChild = (kind, { onMessage, onExit }) => {
  const { path, execArgv } = childModule(import.meta.url, `./process/${kind}`);
  const child = fork(path, { execArgv });
  /** Handed over, and not sent yet: Node forgets them where the child dies. */
  const unsent = new Set<Socket>();
  child.on("message", onMessage);
  child.once("exit", (exitCode, signal) => {
    for (const connection of unsent) connection.destroy();
    onExit({ exitCode, signal });
  });
  // Never started: no `exit` will follow. Any other error is of something told or done to one that is about to exit.
  child.on("error", () => {
    if (child.pid === undefined) onExit({ exitCode: null, signal: null });
  });
  return {
    pid: child.pid,
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    sendConnection(connection) {
      if (!child.connected) {
        connection.destroy();
        return;
      }
      unsent.add(connection);
      child.send({ kind: "connection" } satisfies ToChild, connection, () => unsent.delete(connection));
    },
    kill: () => void child.kill("SIGKILL"),
  };
};

/**
 * Workers share their port, so the kernel would let two services share it too, and their tokens would go astray. Workers whose
 * supervisor is gone leave the port at once: they are waited for. Rejects with an error that names the variable.
 */
async function waitUntilPortIsFree(variable: string, host: string, port: number): Promise<void> {
  for (const endMs = systemClock.nowMs() + DATA_DIR_WAIT_MS_MAX; ; ) {
    try {
      await assertPortIsFree(variable, host, port);
      return;
    } catch (error) {
      if (systemClock.nowMs() >= endMs) throw error;
    }
    await new Promise<void>((resolve) => {
      systemClock.after(DATA_DIR_RETRY_MS, resolve);
    });
  }
}

function assertPortIsFree(variable: string, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      reject(new Error(`${variable} ${port} on ${host} cannot be used: ${error.message}`)),
    );
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

/**
 * Linux resets connections that a listener has not accepted when it closes, unless it may give them to another listener of the
 * port.
 */
function warnOfConnectionResets(log: Logger): void {
  let setting: string;
  try {
    setting = readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim();
  } catch {
    // Not Linux, or one before 5.14: there is nothing to set.
    return;
  }
  if (setting === "1") return;
  log.warn("connections may be reset while a worker is replaced or full: run sysctl -w net.ipv4.tcp_migrate_req=1");
}

/** Logs what serves the media port, and warns of a Node that is not tested. */
function logMediaServer(mediaServer: MediaServerChoice, log: Logger): void {
  const { folder: _, ...fields } = { folder: "", ...mediaServer };
  log.info(fields, "media server selected");
  const { node } = process.versions;
  if (isNodeUntested(node)) {
    log.warn({ node }, `Node is newer than the newest tested version, ${NODE_MAJOR_TESTED_MAX}`);
  }
}

async function run(config: Config, mediaServer: MediaServerChoice, log: Logger): Promise<void> {
  const socketPath = newSocketPath(config.dataDir);
  const file = new SupervisorFile(config.dataDir);
  const state: SupervisorState = { pid: process.pid, start: processStartTime(process.pid) ?? "" };
  const tell = (roll?: Roll): void => {
    try {
      file.write({ ...state, ...(roll !== undefined && { roll }) });
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "supervisor file could not be written");
    }
  };
  const supervisor = new Supervisor({
    config,
    startChild: forkChild,
    socketPath,
    mediaServer,
    mediaPort: mediaServer.sharesPort ? undefined : new MediaPort(log),
    clock: systemClock,
    log,
    onRoll: tell,
  });
  let isUp = false;
  const exit = (code: number): void => {
    try {
      rmSync(socketPath, { force: true });
      // One that never came up may stand in the place of another service, whose file it is.
      if (isUp) file.remove();
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "service file could not be removed");
    }
    process.exit(code);
  };
  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    if (signals === 1) void supervisor.stop().then(() => exit(0));
    else {
      supervisor.kill();
      exit(1);
    }
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("disconnect", onSignal);
  process.on("SIGHUP", () => supervisor.roll());
  try {
    logMediaServer(mediaServer, log);
    const callsMax = callsMaxWith(descriptorsMax(), config.callsPerWorker);
    for (const { fields, message } of startupWarnings(config, unknownVariables(), callsMax)) log.warn(fields, message);
    if (mediaServer.sharesPort) warnOfConnectionResets(log);
    await waitUntilPortIsFree("MEDIA_PORT", config.mediaHost, config.mediaPort);
    const ready = await supervisor.start();
    isUp = true;
    tell();
    log.info({ apiUrl: ready.apiUrl, mediaUrl: ready.mediaUrl }, "service ready");
    process.send?.(ready);
  } catch (error) {
    // Told to stop meanwhile: whoever said so waits for that, and not for this.
    if (signals > 0) return;
    log.fatal({ err: error, code: codeOf(error) }, "service could not be started");
    supervisor.kill();
    exit(1);
  }
}

async function main(args: readonly string[]): Promise<number> {
  readArguments(args, {});
  let config: Config;
  let mediaServer: MediaServerChoice;
  try {
    assertDescriptors(descriptorsMax());
    config = readConfig();
    openDataDir(config.dataDir);
    mediaServer = chooseMediaServer(config.mediaServer, currentRuntime());
    // The workers load it too: checked here, so that an error is reported once and not by each of them.
    if (mediaServer.mediaServer === "uws") loadUws(mediaServer.folder);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // What is missing may be there under another name.
    for (const { name, nearest } of unknownVariables()) {
      process.stderr.write(`  ${name} is not known: did you mean ${nearest}?\n`);
    }
    return 1;
  }
  await run(config, mediaServer, createLogger("supervisor", config.logLevel));
  return 0;
}

await runCommand({ help: HELP, example: "npm start", run: main });
