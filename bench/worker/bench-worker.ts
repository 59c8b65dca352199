import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../../src/call/parameters.ts";
import { upgradeAuthentication } from "../../src/carriers/authentication.ts";
import { CONNECTION_TYPES, sendsTones } from "../../src/carriers/list.ts";
import { wireFactory } from "../../src/carriers/wire-factory.ts";
import { readConfig } from "../../src/config/config.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { addMs } from "../../src/core/clocks.ts";
import { createLogger } from "../../src/core/log/logger.ts";
import { collectProcessMetrics } from "../../src/core/metrics/process-metrics.ts";
import { WorkerMetrics } from "../../src/core/metrics/worker-metrics.ts";
import { SOFTWARE } from "../../src/core/runtime/version.ts";
import { SchemaProcess } from "../../src/core/schemas/checker.ts";
import { Gateway, type GatewayOptions } from "../../src/gateway/gateway.ts";
import { JournalWriters } from "../../src/gateway/journal/writers.ts";
import { chooseMediaServer } from "../../src/gateway/server/choice.ts";
import type { Admission, MediaServerName, MediaServerOptions } from "../../src/gateway/server/media-server.ts";
import { loadUws } from "../../src/gateway/server/uws/module.ts";
import { currentRuntime } from "../../src/gateway/server/uws/packages.ts";
import { UwsServer } from "../../src/gateway/server/uws/server.ts";
import { WsServer } from "../../src/gateway/server/ws/server.ts";
import { type LoadedOpus, loadOpus } from "../../src/media/opus/load.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { loadFvadDetection } from "../../src/media/voice-activity/fvad.ts";
import { NO_SPEND_LIMITS, unlimitedAccounts } from "../../test/support/stubs/no-limits.ts";
import { NO_PHRASES } from "../../test/support/stubs/no-phrases.ts";
import { httpToolsAlone } from "../../test/support/stubs/server-tools.ts";
import { BenchHandoff } from "./handoff.ts";

const HOST = "127.0.0.1";
/** More than any run asks for: it is the machine that is to be the limit. */
const CALLS_MAX = 100_000;
/** From the last hang-up to the end of the last journal. */
const END_MS_MAX = 10_000;
const POLL_MS = 10;

/**
 * A media worker: what src/process/worker.ts puts together, of the same modules, but for the engines, and for the control process, whose
 * part in a call is over before its first frame. One for a process.
 */
export class BenchWorker {
  readonly calls: BenchHandoff;
  readonly journals: JournalWriters;
  readonly voiceActivity: VoiceActivityDetection;
  readonly port: number;
  readonly #createGateway: (engines: GatewayOptions["providers"], parameters: Readonly<TurnParameters>) => Gateway;
  #gateway: Gateway | undefined;

  private constructor(
    { calls, journals, voiceActivity, port }: Pick<BenchWorker, "calls" | "journals" | "voiceActivity" | "port">,
    createGateway: (engines: GatewayOptions["providers"], parameters: Readonly<TurnParameters>) => Gateway,
  ) {
    this.calls = calls;
    this.journals = journals;
    this.voiceActivity = voiceActivity;
    this.port = port;
    this.#createGateway = createGateway;
  }

  /**
   * Listens on a free port; takes calls once `use` has given it its engines. `watch` sees each admission with its token,
   * and `openWebrtc` opens what WebRTC calls need: without it there are none.
   */
  static async start(
    clock: Clock,
    mediaServer: MediaServerName | "auto" = "auto",
    watch: (admission: Admission, token: string) => Admission = (admission) => admission,
    openWebrtc: (opus: LoadedOpus) => Promise<GatewayOptions["webrtc"]> = async () => undefined,
  ): Promise<BenchWorker> {
    const dataDir = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
    process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
    const log = createLogger("worker", "warn");
    const metrics = new WorkerMetrics(CONNECTION_TYPES, () => worker.gateway.readings());
    collectProcessMetrics(metrics.registry);
    const [voiceActivity, makeResampler, opus] = await Promise.all([loadFvadDetection(), loadResampler(), loadOpus()]);
    const webrtc = await openWebrtc(opus);
    const schemas = new SchemaProcess({ clock: systemClock, log, count: () => {} });
    const journals = new JournalWriters({ dataDir, software: SOFTWARE, clock: systemClock, log });
    const calls = new BenchHandoff(dataDir);
    const authentication = upgradeAuthentication({});
    const server = createServer(mediaServer, {
      headerNames: authentication.headerNames,
      admit: async (token, headers) => watch(await worker.gateway.admit(token, headers), token),
      liveness: readConfig({}).liveness,
      log,
    });
    const port = await server.listen(HOST, 0);
    const createGateway = (providers: GatewayOptions["providers"], parameters: Readonly<TurnParameters>): Gateway =>
      new Gateway({
        parameters,
        handoff: calls,
        providers,
        createWire: wireFactory({ outboundCodecs: {}, opus }),
        sendsTones,
        webrtc,
        connectionTypes: CONNECTION_TYPES,
        voiceActivity,
        makeResampler,
        httpTools: httpToolsAlone({ secrets: new Map(), allowLoopback: false }),
        schemas,
        journals,
        phrases: NO_PHRASES,
        spend: NO_SPEND_LIMITS,
        accountSpends: unlimitedAccounts(),
        prices: undefined,
        metrics,
        clock,
        log,
        callsMax: CALLS_MAX,
        onFull: () => {},
        authentication,
        mediaUrl: () => `ws://${HOST}:${port}`,
      });
    const worker = new BenchWorker({ calls, journals, voiceActivity, port }, createGateway);
    return worker;
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error("asked before it had its engines");
    return this.#gateway;
  }

  /** Calls that begin from now on have these engines and parameters. */
  use(engines: GatewayOptions["providers"], parameters = DEFAULT_TURN_PARAMETERS): void {
    this.#gateway = this.#createGateway(engines, parameters);
  }

  /** Resolves when every call is over. */
  async settled(): Promise<void> {
    for (
      const endMs = addMs(systemClock.nowMs(), END_MS_MAX);
      this.gateway.callIds().length > 0;
      await delay(POLL_MS)
    ) {
      if (systemClock.nowMs() > endMs) throw new Error(`${this.gateway.callIds().length} calls did not end`);
    }
  }
}

/** As src/process/worker.ts makes it; with ws on a port of this process, because a bench has no supervisor that accepts. */
function createServer(setting: MediaServerName | "auto", options: MediaServerOptions): UwsServer | WsServer {
  const choice = chooseMediaServer(setting, currentRuntime());
  return choice.mediaServer === "uws"
    ? new UwsServer({ ...options, uws: loadUws(choice.folder) })
    : new WsServer(options);
}
