import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A panel of Grafana's, as far as the tests look. */
export interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[];
}

/** The text of a file of deploy/. */
export const deployed = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../deploy/${path}`, import.meta.url)), "utf8");

/** The dashboard that is shipped. */
export const dashboard = JSON.parse(deployed("grafana/trunkline.json")) as {
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};

/** What its panels ask Prometheus. */
export const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

/** The alarms that are shipped, each with its condition. */
export const alerts = [...deployed("prometheus/alerts.yml").matchAll(/^ +- alert: (\w+)\n +expr: (.+)$/gm)].map(
  ([, name = "", expr = ""]) => ({ name, expr }),
);
