import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { VARIABLE_GROUPS } from "../../src/config/variables/all.ts";

interface ComposeService {
  image?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  stop_grace_period?: string;
  depends_on?: Record<string, unknown> | string[];
}

const folder = fileURLToPath(new URL("../../deploy/compose/", import.meta.url));
const compose = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
};
const nginx = readFileSync(join(folder, "nginx.conf"), "utf8");
const VARIABLES = Object.assign({}, ...Object.values(VARIABLE_GROUPS));
const hasNginx = spawnSync("nginx", ["-v"]).status === 0;

describe("three nodes by Compose", () => {
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith("node-"));

  test("are nodes of one cluster, each with a name and a volume of its own", () => {
    expect(nodes.map(([name]) => name)).toEqual(["node-1", "node-2", "node-3"]);
    for (const [name, { environment = {}, volumes }] of nodes) {
      expect(environment.NODE_NAME).toBe(name);
      expect(environment.NODE_RELAY_URL).toBe(`ws://${name}:8081`);
      expect(volumes).toEqual([`${name}:/data`]);
      expect(Object.keys(environment).filter((variable) => !Object.hasOwn(VARIABLES, variable))).toEqual([]);
    }
    const shared = nodes.map(([, { environment }]) => ({ ...environment, NODE_NAME: "", NODE_RELAY_URL: "" }));
    for (const environment of shared) expect(environment).toEqual(shared[0]);
  });

  test("have the time to drain", () => {
    for (const [, { environment, stop_grace_period: grace }] of nodes) {
      expect(Number.parseInt(grace ?? "", 10) * 1_000).toBeGreaterThan(Number(environment?.DRAIN_MS));
    }
  });

  test("wait for services, and use volumes, that there are", () => {
    for (const { depends_on: waits = [], volumes = [] } of Object.values(compose.services)) {
      const names = Array.isArray(waits) ? waits : Object.keys(waits);
      for (const name of names) expect(Object.keys(compose.services)).toContain(name);
      const named = volumes.map((volume) => volume.split(":")[0] ?? "").filter((name) => !name.startsWith("."));
      for (const name of named) expect(Object.keys(compose.volumes)).toContain(name);
    }
  });

  test("are all reached by both addresses of nginx", () => {
    for (const port of [8080, 8081]) {
      const served = [...nginx.matchAll(new RegExp(`server (node-\\d):${port} `, "g"))].map(([, name]) => name);
      expect(served).toEqual(nodes.map(([name]) => name));
    }
  });

  test.runIf(hasNginx)("have a configuration that nginx accepts (only where nginx is installed)", () => {
    const directory = mkdtempSync(join(tmpdir(), "trunkline-nginx-"));
    try {
      const path = join(directory, "nginx.conf");
      writeFileSync(path, `pid ${directory}/pid;\n${nginx.replaceAll(/node-\d/g, "127.0.0.1")}`);
      const { status, stderr } = spawnSync("nginx", ["-t", "-p", directory, "-e", join(directory, "log"), "-c", path], {
        encoding: "utf8",
      });
      expect(status, stderr).toBe(0);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
