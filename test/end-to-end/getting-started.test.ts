import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/service.ts";
import { ifMachineStalled } from "../support/stalled-machine.ts";

// docs/getting-started.md and README.md as a newcomer follows them: in a fresh checkout, with a service on other ports than those of the page.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const READY_MS_MAX = 60_000;
const FOLLOWED_MS_MAX = 180_000;
const STOP_MS_MAX = 15_000;

/** A block of commands, and the lines that the page says one sees. */
interface Step {
  commands: string;
  seen: readonly string[];
}

/** The page's blocks marked `sh`, each with the block marked `text` behind it, if there is one. */
function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, at) => {
    const next = blocks[at + 1];
    const seen = next?.kind === "text" ? next.text.trimEnd().split("\n") : [];
    return kind === "sh" ? [{ commands: text.trimEnd(), seen }] : [];
  });
}

/** A line of the page as a pattern: `…` stands for anything, and spaces for as many as there are. */
const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .trim()
      .split("…")
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+"))
      .join(".*"),
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

const checkout = mkdtempSync(join(tmpdir(), "trunkline-checkout-"));
const [apiPort, mediaPort] = [await freePort(), await freePort()];
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  API_PORT: String(apiPort),
  MEDIA_PORT: String(mediaPort),
  METRICS_PORT: "off",
  WORKERS: "1",
};
const onTheirPorts = (text: string): string =>
  text.replaceAll("127.0.0.1:8080", `127.0.0.1:${apiPort}`).replaceAll("127.0.0.1:8081", `127.0.0.1:${mediaPort}`);
const [start, ...steps] = stepsOf(onTheirPorts(readFileSync(join(ROOT, "docs/getting-started.md"), "utf8")));

/** The blocks of README.md that are not run here, and why. */
const NOT_RUN: readonly (readonly [commands: RegExp, why: string])[] = [
  [/^npm ci && npm start$/, "that service runs already"],
  [/^npm run demo\nnpm test$/, "both take minutes, and .ci/run runs them"],
  [/^export DEEPGRAM_API_KEY=/, "needs keys of providers"],
  [/\brec -q .* \| play /, "needs a microphone"],
];
const readme = stepsOf(onTheirPorts(readFileSync(join(ROOT, "README.md"), "utf8")));
const isRun = ({ commands }: Step): boolean => !NOT_RUN.some(([pattern]) => pattern.test(commands));

/** Runs commands in a shell, in the checkout; what it writes to its terminal is in `output`. */
function shell(commands: string) {
  const child = spawn("bash", ["-c", `set -euo pipefail\n${commands}`], { cwd: checkout, env, detached: true });
  const run = { child, output: "", closed: once(child, "close") as Promise<[number | null]> };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      run.output += text;
    });
  }
  return run;
}

let service: ReturnType<typeof shell>;

beforeAll(() => {
  for (const part of ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts", "src", "examples"]) {
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  }
  // What `npm ci` makes of the lock file, which is another test's.
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  service = shell("npm start");
});

afterAll(async () => {
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(service.child.pid as number), name);
    } catch {
      // It is gone.
    }
  };
  signal("SIGTERM");
  await Promise.race([service.closed, delay(STOP_MS_MAX)]);
  signal("SIGKILL");
  rmSync(checkout, { recursive: true, force: true });
}, 20_000);

test(
  "npm start builds the service in a fresh checkout, says so, writes a first key, and starts it",
  async () => {
    expect(start?.commands).toBe("npm ci\nnpm start");
    await until("the service to be ready", READY_MS_MAX, () => /"service ready"/.test(service.output));
    expect(service.output).toContain("There is no build in dist/ yet: building it, once.\n");
    for (const line of start?.seen ?? []) expect(service.output).toMatch(patternOf(line));
    const path = join(checkout, "data/first-key");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(service.output).not.toContain(readFileSync(path, "utf8").trim());
    expect(service.output.split("\n").filter((line) => line.startsWith("{")).length).toBeLessThanOrEqual(20);
  },
  READY_MS_MAX,
);

test("every block of README.md that is not run has its reason", () => {
  for (const [pattern] of NOT_RUN) expect(readme.filter(({ commands }) => pattern.test(commands))).toHaveLength(1);
});

test.each([
  { page: "docs/getting-started.md", steps, least: 5 },
  { page: "README.md", steps: readme.filter(isRun), least: 2 },
])("every command of $page works, one after the other, and shows what the page says", {
  retry: ifMachineStalled,
  timeout: FOLLOWED_MS_MAX,
}, async ({ steps, least }) => {
  await until("the service to be ready", READY_MS_MAX, () => /"service ready"/.test(service.output));
  const mark = (at: number): string => `== step ${at} ==`;
  const run = shell(steps.map(({ commands }, at) => `echo '${mark(at)}'\n${commands}`).join("\n"));
  const [code] = await run.closed;
  expect(code, run.output).toBe(0);
  expect(steps.length).toBeGreaterThanOrEqual(least);
  for (const [at, { seen }] of steps.entries()) {
    const [, output = ""] = run.output.split(mark(at));
    const [own = ""] = output.split(mark(at + 1));
    for (const line of seen) expect(own).toMatch(patternOf(line));
  }
});
