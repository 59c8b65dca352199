import { beforeAll, describe, expect, test } from "vitest";
import { everyMetric } from "../support/metrics/every-metric.ts";
import type { Family } from "../support/metrics/exposition.ts";
import { alerts, dashboard, deployed, queries } from "../support/metrics/monitoring.ts";
import { groupsOf, unknownInQuery } from "../support/metrics/promql.ts";

let metrics: ReadonlyMap<string, Family>;
beforeAll(async () => {
  metrics = await everyMetric();
});

describe("the dashboard", () => {
  test("has its rows, and all that Grafana 10 needs to show them", () => {
    const rows = dashboard.panels.filter(({ type }) => type === "row").map(({ title }) => title);
    expect(rows).toEqual([
      "Calls",
      "Audio",
      "Added latency",
      "Turns and stages",
      "Providers",
      "Processes",
      "Local STT",
      "Jobs and webhooks",
      "WebRTC",
      "Messages of nodes",
    ]);
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(38);
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "instance"]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, type, description, targets } of dashboard.panels) {
      if (type === "row") continue;
      expect(description, title).toMatch(/\.$/);
      for (const { datasource } of targets ?? []) expect(datasource.uid, title).toMatch(/^\$\{datasource\}$/);
      expect(targets?.length, title).toBeGreaterThan(0);
    }
  });

  test("has no overlapping panels", () => {
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x},${y}`), title).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  test("queries only metrics, labels and label values that exist", () => {
    expect(queries.length).toBeGreaterThan(40);
    for (const { title, expr } of queries) expect(unknownInQuery(expr, metrics), `${title}: ${expr}`).toEqual([]);
    const [, metric = ""] =
      /label_values\((\w+), instance\)/.exec(dashboard.templating.list[1]?.definition ?? "") ?? [];
    expect(unknownInQuery(metric, metrics)).toEqual([]);
  });

  test("shows every metric of the service", () => {
    const shown = queries.map(({ expr }) => expr).join("\n");
    const ours = [...metrics.keys()].filter((name) => name.startsWith("trunkline_"));
    // The maximum of calls is shown by the call slots.
    const left = ours.filter((name) => !new RegExp(`\\b${name}(_bucket|_count|_sum)?\\b`).test(shown));
    expect(left).toEqual(["trunkline_calls_max"]);
  });

  test("names its lines by labels of their queries, and filters every query by instance", () => {
    for (const { title, expr, legendFormat } of queries) {
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(groupsOf(expr), title).toContain(label);
      const selectors = expr.match(/\{[^}]*\}/g) ?? [];
      for (const selector of selectors) expect(selector, title).toContain('instance=~"$instance"');
      expect(selectors.length, title).toBeGreaterThan(0);
    }
  });
});

describe("the alerts", () => {
  test("are eleven, and their conditions query only metrics that exist", () => {
    expect(alerts.map(({ name }) => name)).toEqual([
      "TrunklineDown",
      "TrunklineRefusesCalls",
      "TrunklineCallsFail",
      "TrunklineAudioLate",
      "TrunklineJournalsFail",
      "TrunklineProviderCircuitOpen",
      "TrunklineProviderSwitches",
      "TrunklineDatabaseLost",
      "TrunklineJobsDead",
      "TrunklineJobsLate",
      "TrunklineWebhookDisabled",
    ]);
    for (const { name, expr } of alerts) expect(unknownInQuery(expr, metrics), name).toEqual([]);
  });

  test("are read by the Prometheus configuration, which names the job that they query", () => {
    const configuration = deployed("prometheus/prometheus.yml");
    const [, job] = /job_name: (\w+)/.exec(configuration) ?? [];
    expect(configuration).toContain("- alerts.yml");
    for (const { expr } of alerts) for (const [, asked] of expr.matchAll(/job="(\w+)"/g)) expect(asked).toBe(job);
  });
});

describe("unknown parts of a query", () => {
  test.each([
    ["sum(trunkline_cals)", ["trunkline_cals"]],
    ['sum by (stat) (trunkline_calls{state="speaking"})', ["by (stat)"]],
    ['trunkline_calls{state="sleeping"}', ['trunkline_calls{state="sleeping"}']],
    [
      'rate(trunkline_frames_total{direction=~"in|sideways"}[5m]) > 0.1',
      ['trunkline_frames_total{direction="sideways"}'],
    ],
    ['trunkline_calls{call_id="1", instance="a"} and on (process) trunkline_ready', ['trunkline_calls{call_id="1"}']],
    ["histogram_quantile(0.99, sum by (le, wire) (rate(trunkline_turn_latency_seconds_bucket[1m])))", ["by (wire)"]],
    ["trunkline_turn_latency_seconds", ["trunkline_turn_latency_seconds"]],
    ['up{job="trunkline"} == 0 or absent(trunkline_ready offset 5m)', []],
  ])("%s", (query, unknown) => {
    expect(unknownInQuery(query, metrics)).toEqual(unknown);
  });
});
