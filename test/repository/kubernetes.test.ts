import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { VARIABLE_GROUPS } from "../../src/config/variables/all.ts";
import { KUBERNETES, kustomized, type Manifest, schemaProblems, unlisted } from "../support/kubernetes.ts";
import { everyMetric } from "../support/metrics/every-metric.ts";

const VARIABLES = Object.assign({}, ...Object.values(VARIABLE_GROUPS));
const VARIANTS = ["address-per-node", "shared-address"];
/** Longer than a node takes to stop when its calls are over. */
const STOP_S = 15;
const PRE_STOP_S = 5;

const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

const scene = (variant: string) => {
  const manifests = kustomized(variant);
  const [set] = ofKind(manifests, "StatefulSet") as [Manifest];
  const [configuration] = ofKind(manifests, "ConfigMap") as [Manifest];
  const { spec } = set.spec.template;
  return { manifests, set, spec, container: spec.containers[0], variables: configuration.data };
};

describe.each(VARIANTS)("the manifests of %s", (variant) => {
  const { manifests, set, spec, container, variables } = scene(variant);

  // A cluster also refuses unknown fields, and asks its own policies: these schemas know neither.
  test("are valid by the schemas of Kubernetes", () => {
    expect(manifests.flatMap((manifest) => schemaProblems(manifest).map((text) => `${manifest.kind} ${text}`))).toEqual(
      [],
    );
    expect(unlisted(variant)).toEqual([]);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("set only variables that the service knows, and none that is secret", () => {
    const names = [...Object.keys(variables), ...container.env.map(({ name }: { name: string }) => name)];
    expect(names.filter((name) => !Object.hasOwn(VARIABLES, name))).toEqual([]);
    expect(names.filter((name) => /KEY|SECRET|TOKEN$|PASSWORD|DATABASE_URL/.test(name))).toEqual([]);
    expect(Object.values(variables).filter((value) => typeof value !== "string")).toEqual([]);
  });

  test("give a node the name of its pod before its address, which contains it", () => {
    const [name, address] = container.env;
    expect(name).toEqual({ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } });
    if (variant === "shared-address")
      expect(address).toEqual({ name: "NODE_RELAY_URL", value: "ws://$(NODE_NAME).trunkline-nodes:8081" });
    else expect(address).toMatchObject({ name: "NODE_MEDIA_URL", value: expect.stringContaining("$(NODE_NAME)") });
  });

  test("leave a node the time to drain", () => {
    const { command } = container.lifecycle.preStop.exec;
    expect(command).toEqual(["sleep", String(PRE_STOP_S)]);
    const neededS = Number(variables.DRAIN_MS) / 1_000 + PRE_STOP_S + STOP_S;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(neededS);
  });

  test("probe what the service answers on its metrics port", () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: "/healthz", port: "metrics" },
      { path: "/healthz", port: "metrics" },
      { path: variant === "shared-address" ? "/healthz" : "/readyz", port: "metrics" },
    ]);
  });

  test("run nodes as the image does, without any privilege", () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1_000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toEqual(["/data", "/tmp"]);
  });

  test("lead to ports and pods that there are", () => {
    const ports = new Map(
      container.ports.map(({ name, containerPort }: Record<string, unknown>) => [name, containerPort]),
    );
    expect(Object.fromEntries(ports)).toEqual({ api: 8080, media: 8081, metrics: 9464 });
    const services = new Map(ofKind(manifests, "Service").map((service) => [service.metadata.name, service.spec]));
    for (const { selector, ports: served } of services.values()) {
      for (const { targetPort } of served) expect([...ports.keys()]).toContain(targetPort);
      const pod = { ...set.spec.template.metadata.labels, "statefulset.kubernetes.io/pod-name": undefined };
      for (const [label, value] of Object.entries(selector)) expect(pod[label] ?? value).toBe(value);
    }
    expect(services.has(set.spec.serviceName)).toBe(true);
    for (const ingress of ofKind(manifests, "Ingress")) {
      for (const { http } of ingress.spec.rules) {
        for (const { backend } of http.paths) {
          const served = services.get(backend.service.name)?.ports.map(({ name }: { name: string }) => name);
          expect(served).toContain(backend.service.port.name);
        }
      }
    }
  });

  test("scale by metrics of the service, to so many nodes as have an address", async () => {
    const [{ spec: scaling }] = ofKind(manifests, "HorizontalPodAutoscaler") as [Manifest];
    const rule = parse(readFileSync(join(KUBERNETES, "monitoring/adapter-rule.yaml"), "utf8")) as {
      name: { as: string };
      metricsQuery: string;
    }[];
    expect(scaling.metrics[0].pods.metric.name).toBe(rule[0]?.name.as);
    const metrics = await everyMetric();
    const used = rule[0]?.metricsQuery.match(/trunkline_\w+/g) ?? [];
    expect(used).toHaveLength(2);
    for (const name of used) expect([...metrics.keys()]).toContain(name);
    const slots = Number(variables.WORKERS) * Number(variables.CALLS_PER_WORKER);
    expect(Number(scaling.metrics[0].pods.target.averageValue)).toBe(0.6 * slots);
    const addresses = ofKind(manifests, "Service").filter(
      ({ spec: service }) => service.selector["statefulset.kubernetes.io/pod-name"] !== undefined,
    );
    if (variant === "address-per-node") expect(addresses).toHaveLength(scaling.maxReplicas);
  });
});

test("a manifest that is wrong is noticed", () => {
  const [set] = ofKind(kustomized("base"), "StatefulSet") as [Manifest];
  const changed = structuredClone(set);
  changed.spec.replicas = "three";
  expect(schemaProblems(changed)).not.toEqual([]);
  const [policy] = ofKind(kustomized("base"), "HorizontalPodAutoscaler") as [Manifest];
  expect(schemaProblems({ ...policy, spec: {} })).toHaveLength(2);
});
