import { type HealthDeps, healthResponse, readinessResponse } from "../../../api/http/health.ts";
import { METRICS_ANSWER_MS_MAX } from "../../../core/limits/service/processes.ts";
import { withConstantLabel } from "../../../core/metrics/constant-label.ts";
import { speechMetrics } from "../../../speech/local/host/metrics.ts";
import { connectorTo } from "../../../store/handoff/socket-path.ts";
import { notifySupervisor } from "../../channel/child-side.ts";
import type { Admission } from "../admission.ts";
import type { BackgroundWork } from "../background-work.ts";
import type { Foundation } from "../foundation.ts";
import type { LiveCallsOfService } from "../live-calls.ts";
import { portOf } from "./api-port.ts";
import type { HttpConnections } from "./http-connections.ts";
import { serveMetrics } from "./metrics-server.ts";

/** What the metrics port answers from. */
export interface MetricsPortParts {
  base: Foundation;
  work: Pick<BackgroundWork, "index">;
  live: Pick<LiveCallsOfService, "workersMetrics">;
  admission: Admission;
  health: HealthDeps;
  apiConnections: Pick<HttpConnections, "count">;
}

/** Opens the metrics port; undefined where none is configured. Rejects as `serveMetrics` does. */
export async function openMetricsPort(parts: MetricsPortParts): Promise<{ host: string; port: number } | undefined> {
  const { health, apiConnections } = parts;
  const { config, metrics, clock, log } = parts.base;
  const { metricsPort, metricsHost, operatorToken } = config;
  if (metricsPort === undefined) return undefined;
  const requestDrain = (): void => {
    log.info("drain requested by the operator");
    notifySupervisor({ kind: "drain-requested" });
  };
  const { server, connections } = await serveMetrics({
    host: metricsHost,
    port: metricsPort,
    exposition: () => expositionOf(parts),
    health: healthResponse,
    readiness: () => readinessResponse(health),
    drain: operatorToken === undefined ? undefined : { token: operatorToken, request: requestDrain },
    clock,
    onClosed: (reason) => metrics.connectionClosed("metrics", reason),
    log,
  });
  metrics.observeConnections(() => ({ api: apiConnections.count, metrics: connections.count }));
  const address = { host: metricsHost, port: portOf(server) };
  log.info(address, "metrics port ready");
  return address;
}

/** The metrics of all processes of this node. */
async function expositionOf({ base, work, live, admission }: MetricsPortParts): Promise<string> {
  const { handoff, assignment, metrics, cluster, clock } = base;
  const { speech } = assignment;
  const answers = await handoff.metrics(METRICS_ANSWER_MS_MAX);
  const others = await Promise.all([
    speech && speechMetrics(connectorTo(speech.socketPath), METRICS_ANSWER_MS_MAX, clock),
    work.index.metrics(METRICS_ANSWER_MS_MAX),
  ]);
  const workers = await live.workersMetrics.aggregate(answers);
  const text = await metrics.exposition(workers, admission.newCalls.accepted, others);
  return cluster === undefined ? text : withConstantLabel(text, "node", cluster.holder.name);
}
