import "./core/runtime/node-version.ts";
import { readArguments, runCommand } from "./cli/command.ts";
import { startupWarnings } from "./config/checks/startup-warnings.ts";
import { type Config, readConfig, unknownVariables } from "./config/config.ts";
import { localUrlOf, serviceUrlOf } from "./config/network/addresses.ts";
import { systemClock } from "./core/clock.ts";
import { codeOf } from "./core/errors.ts";
import { createLogger, type Logger } from "./core/log/logger.ts";
import { chooseMediaServer, type MediaServerChoice } from "./gateway/server/choice.ts";
import { loadUws } from "./gateway/server/uws/module.ts";
import { currentRuntime } from "./gateway/server/uws/packages.ts";
import { assertDescriptors, callsMaxWith, descriptorsMax } from "./process/descriptors.ts";
import { forkChild } from "./process/supervisor/fork.ts";
import { MediaPort } from "./process/supervisor/media-port.ts";
import { waitUntilPortIsFree } from "./process/supervisor/port-check.ts";
import { ServiceFiles, ServiceSignals } from "./process/supervisor/signals.ts";
import { logMediaServer, nextStep, warnOfConnectionResets } from "./process/supervisor/startup-log.ts";
import { processStartTime, SupervisorFile, type SupervisorState } from "./process/supervisor/state-file.ts";
import { type Roll, Supervisor } from "./process/supervisor/supervisor.ts";
import { missingTracePackages } from "./process/traces-support.ts";
import { usableWebrtc, webrtcMissing } from "./process/webrtc-support.ts";
import { localSpeechSettings } from "./speech/settings.ts";
import { corporaFolder, openDataDir } from "./store/data-dir/data-dir.ts";
import { earlierWorkersAreGone, newSocketPath } from "./store/handoff/socket-path.ts";

/** Composition root of the supervisor. */

const HELP = `Starts the service: the control API, the media gateway and the metrics. It runs until SIGINT or SIGTERM, which let running calls
end first; a second signal ends it at once.

  npm start

There are no options: environment variables configure the service. docs/configuration.md lists them.

Exit code 0: stopped by a signal. 1: it could not start, or a second signal ended it. 2: usage error.
`;

/** What is configured, and does not work without optional packages. */
function warnOfMissingPackages(config: Config, log: Logger): void {
  const missing = webrtcMissing(config);
  if (config.webrtc !== undefined && missing !== undefined)
    log.warn({ missing }, "WEBRTC_UDP_PORTS is set, and there are no WebRTC calls without the library");
  const packages = missingTracePackages(config);
  if (packages.length > 0)
    log.warn(
      { install: `npm install ${packages.join(" ")}` },
      "OTEL_EXPORTER_OTLP_ENDPOINT is set, and there are no traces without the optional packages of OpenTelemetry: install them",
    );
}

/** A node that is reached alone has an address of its own. */
const supervisedConfig = (config: Config): Config => ({
  ...config,
  webrtc: usableWebrtc(config),
  publicMediaUrl: config.cluster?.mediaUrl ?? config.publicMediaUrl,
});

/** What the processes beside workers and control process start with. */
function helperProcesses(config: Config) {
  const settings = localSpeechSettings(config);
  const { dataDir, logLevel } = config;
  return {
    speech: settings && { socketPath: newSocketPath(dataDir, "speech"), settings, logLevel },
    retrieval: {
      socketPath: newSocketPath(dataDir, "retrieval"),
      folder: corporaFolder(dataDir),
      embeddings: config.embeddings,
      logLevel,
    },
  };
}

async function run(config: Config, mediaServer: MediaServerChoice, log: Logger): Promise<void> {
  const socketPath = newSocketPath(config.dataDir);
  const { speech, retrieval } = helperProcesses(config);
  const stateFile = new SupervisorFile(config.dataDir);
  const state: SupervisorState = { pid: process.pid, start: processStartTime(process.pid) ?? "" };
  const writeState = (roll?: Roll): void => {
    try {
      stateFile.write({ ...state, ...(roll !== undefined && { roll }) });
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "supervisor file could not be written");
    }
  };
  let ownerLink: string | undefined;
  const supervisor = new Supervisor({
    config: supervisedConfig(config),
    startChild: forkChild,
    socketPath,
    speech,
    retrieval,
    mediaServer,
    earlierWorkersAreGone: earlierWorkersAreGone(config.dataDir),
    mediaPorts: mediaServer.sharesPort ? undefined : { media: new MediaPort(log), webrtc: new MediaPort(log) },
    clock: systemClock,
    log,
    onRoll: writeState,
    onDrainRequested: () => signals.drain(),
    onOwnerLink: (url) => {
      ownerLink = url;
    },
  });
  const files = new ServiceFiles({
    socketPaths: [socketPath, retrieval.socketPath, ...(speech ? [speech.socketPath] : [])],
    stateFile,
    log,
  });
  const exit = (code: number): void => {
    files.remove();
    process.exit(code);
  };
  const signals = new ServiceSignals({ supervisor, exit });
  signals.listen(process);
  try {
    logMediaServer(mediaServer, log);
    const callsMax = callsMaxWith(descriptorsMax(), config.callsPerWorker);
    for (const { fields, message } of startupWarnings(config, unknownVariables(), callsMax)) log.warn(fields, message);
    warnOfMissingPackages(config, log);
    if (mediaServer.sharesPort) warnOfConnectionResets(log);
    await waitUntilPortIsFree({ variable: "MEDIA_PORT", host: config.mediaHost, port: config.mediaPort }, systemClock);
    if (config.webrtc !== undefined) {
      const { mediaPort } = config.webrtc;
      await waitUntilPortIsFree(
        { variable: "WEBRTC_MEDIA_PORT", host: config.mediaHost, port: mediaPort },
        systemClock,
      );
    }
    const ready = await supervisor.start();
    files.ownStateFile();
    writeState();
    const { kind: _, ...addresses } = ready;
    log.info(addresses, "service ready");
    if (process.stdout.isTTY)
      process.stdout.write(
        nextStep(
          serviceUrlOf(config.publicApiUrls) ?? localUrlOf(config.apiHost, new URL(ready.apiUrl).port),
          ownerLink,
        ),
      );
    process.send?.(ready);
  } catch (error) {
    // A signal has stopped the start: `supervisor.stop` exits.
    if (signals.isStopping) return;
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
    // A missing variable may be set under a mistyped name.
    for (const { name, nearest } of unknownVariables()) {
      process.stderr.write(`  ${name} is not known: did you mean ${nearest}?\n`);
    }
    return 1;
  }
  await run(config, mediaServer, createLogger("supervisor", config.logLevel));
  return 0;
}

await runCommand({ help: HELP, example: "npm start", run: main });
