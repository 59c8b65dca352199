import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

// docs/getting-started.md and README.md as a newcomer follows them: in a fresh checkout, with a service on other ports than those of the page.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const READY_MS_MAX = 60_000;
const FOLLOWED_MS_MAX = 180_000;
const STOP_MS_MAX = 15_000;

/** A block of commands, and the lines that the page says one sees. */
interface Step {
  commands: string;
  seen: readonly string[];
}

/** The page's blocks marked `sh`, each with the block marked `text` after it, if there is one. */
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

const checkout = mkdtempSync(join(tmpdir(), "trunkline-checkout-"));
/** The service takes ports that are free when it listens, after the build, and says which. */
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  API_PORT: "0",
  MEDIA_PORT: "0",
  METRICS_PORT: "off",
  WORKERS: "1",
};
/** What the service says when it is ready: its environment with the ports that it took, and a page's steps with those. */
async function ready() {
  const pattern = /"apiUrl":"http:\/\/127\.0\.0\.1:(\d+)","mediaUrl":"ws:\/\/127\.0\.0\.1:(\d+)","msg":"service ready"/;
  const [, apiPort = "", mediaPort = ""] = await until(
    "the service to be ready",
    READY_MS_MAX,
    () => pattern.exec(service.output) ?? undefined,
  );
  const stepsIn = (page: string): Step[] =>
    stepsOf(
      readFileSync(join(ROOT, page), "utf8")
        .replaceAll("127.0.0.1:8080", `127.0.0.1:${apiPort}`)
        .replaceAll("127.0.0.1:8081", `127.0.0.1:${mediaPort}`),
    );
  return { stepsIn, env: { ...env, API_PORT: apiPort, MEDIA_PORT: mediaPort } };
}

/** The blocks of README.md that are not run here, and why. */
const NOT_RUN: readonly (readonly [commands: RegExp, why: string])[] = [
  [/^npm ci && npm start$/, "that service runs already"],
  [/^npm run demo\nnpm test$/, "both take minutes, and .ci/run runs them"],
  [/^export DEEPGRAM_API_KEY=/, "needs keys of providers"],
  [/\brec -q .* \| play /, "needs a microphone"],
];
const isRun = ({ commands }: Step): boolean => !NOT_RUN.some(([pattern]) => pattern.test(commands));

/** Runs commands in a shell, in the checkout; what it writes to its terminal is in `output`. */
function shell(commands: string, itsEnv: NodeJS.ProcessEnv) {
  const child = spawn("bash", ["-c", `set -euo pipefail\n${commands}`], { cwd: checkout, env: itsEnv, detached: true });
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
  service = shell("npm start", env);
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
  "npm start builds the service in a fresh checkout, writes a first API key, and starts the service",
  async () => {
    const [start] = (await ready()).stepsIn("docs/getting-started.md");
    expect(start?.commands).toBe("npm ci\nnpm start");
    expect(service.output).toContain("There is no build in dist/ yet: building it, once.\n");
    for (const line of start?.seen ?? []) expect(service.output).toMatch(patternOf(line));
    const path = join(checkout, "data/first-api-key");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(service.output).not.toContain(readFileSync(path, "utf8").trim());
    expect(service.output.split("\n").filter((line) => line.startsWith("{")).length).toBeLessThanOrEqual(20);
  },
  READY_MS_MAX,
);

test("every block of README.md that is not run has its reason", () => {
  const readme = stepsOf(readFileSync(join(ROOT, "README.md"), "utf8"));
  for (const [pattern] of NOT_RUN) expect(readme.filter(({ commands }) => pattern.test(commands))).toHaveLength(1);
});

test.each([
  // Its first step is the service that runs already.
  { page: "docs/getting-started.md", begun: 1, least: 5 },
  { page: "README.md", begun: 0, least: 2 },
])("every command of $page works, one after the other, and shows what the page says", {
  retry: ifMachineStalled,
  timeout: FOLLOWED_MS_MAX,
}, async ({ page, begun, least }) => {
  const { env: itsEnv, stepsIn } = await ready();
  const steps = stepsIn(page).slice(begun).filter(isRun);
  const mark = (at: number): string => `== step ${at} ==`;
  const run = shell(steps.map(({ commands }, at) => `echo '${mark(at)}'\n${commands}`).join("\n"), itsEnv);
  const [code] = await run.closed;
  expect(code, run.output).toBe(0);
  expect(steps.length).toBeGreaterThanOrEqual(least);
  for (const [at, { seen }] of steps.entries()) {
    const [, output = ""] = run.output.split(mark(at));
    const [own = ""] = output.split(mark(at + 1));
    for (const line of seen) expect(own).toMatch(patternOf(line));
  }
});
