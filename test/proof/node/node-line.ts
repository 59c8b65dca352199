import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkOut, contractTestFiles } from "../checkout.ts";
import { megabytes, type Place } from "../place.ts";
import type { Finished } from "../processes.ts";
import { countsText, type Proof } from "../proof.ts";
import { filtersWithoutFile, readVitestReport, reportedFiles, type SuiteResult } from "../vitest-report.ts";
import { expectedMediaServer, mediaServerInLog, uwsPackages, whyNotServed } from "./media-server.ts";
import { npmWarnings } from "./npm-output.ts";
import { installNode, type NodeLine } from "./toolchain.ts";

/** One line of the results: what was found on one Node line in one place. */
export interface Row {
  node: string;
  npm: string;
  system: string;
  mediaServer: string;
  installSeconds: number;
  installMegabytes: number;
  tests: string;
  contract: string;
  demo: string;
}

/** What depends on the version of Node most: native modules, memory, files. The demo is a whole call. `npm test` leaves out a part. */
export const REDUCED = [
  ...["test/gateway/webrtc/peer", "test/gateway/webrtc/throwing-callbacks", "test/media/opus/native"],
  ...["test/store/sqlite/open-stores", "test/wire/allocation"],
];
/** What only the full form has time for. */
export const LONG = ["test/gateway/server/uws/server", "test/end-to-end/processes/workers"];

const INSTALL_MB_MAX = 700;
/** A goal and no bound: how long it takes depends on the registry and on what else the machine does. */
const INSTALL_SECONDS_GOAL = 60;

/** What is skipped where a place is not to be had: the version, the install, its weight, its package, the media server, the tests, the demo. */
export const CHECKS_A_LINE = 7;

/** Proves one Node line in one place, with a clean checkout of the last commit. */
export class NodeLineProof {
  readonly #proof: Proof;
  readonly #place: Place;
  readonly #line: NodeLine;
  readonly #name: string;
  /** The checkout, and the folder of Node and npm, as commands of the place see them. */
  readonly #checkout: string;
  readonly #toolchain: string;

  constructor(proof: Proof, place: Place, line: NodeLine) {
    this.#proof = proof;
    this.#place = place;
    this.#line = line;
    this.#name = `Node ${line.node} on ${place.name}`;
    this.#checkout = join(place.folder, `checkout-${line.node}`);
    this.#toolchain = join(place.folder, `node-${line.node}`);
  }

  async run(): Promise<Row> {
    await this.#installToolchain();
    await checkOut(this.#outside, this.#proof.cache);
    try {
      const [node = "", npm = ""] = (await this.#run("node --version && npm --version", 60)).output.trim().split("\n");
      this.#check(`is ${node}`, node.startsWith(`v${this.#line.node}.`) ? "" : `it is ${node}`);
      const install = await this.#install();
      const mediaServer = await this.#startService();
      if (this.#place.folder === this.#proof.cache) await this.#startUnderOldNode();
      const row = { node, npm, system: this.#place.name, mediaServer, ...install };
      return { ...row, ...(await this.#test()), demo: await this.#demo() };
    } finally {
      rmSync(this.#outside, { recursive: true, force: true });
    }
  }

  get #outside(): string {
    return this.#place.outside(this.#checkout);
  }

  #check(what: string, why: string): boolean {
    return this.#proof.checks.check(`${this.#name}: ${what}`, why);
  }

  #run(script: string, timeoutSeconds: number): Promise<Finished> {
    return this.#place.run({
      script: `PATH="${this.#toolchain}/node_modules/.bin:$PATH"\n${script}`,
      directory: this.#checkout,
      logFile: join(this.#proof.cache, `node-${this.#line.node}.log`),
      timeoutMs: timeoutSeconds * 1_000,
    });
  }

  async #installToolchain(): Promise<void> {
    const installed = await installNode(this.#line, this.#proof.cache);
    const wanted = this.#place.outside(this.#toolchain);
    if (wanted === installed) return;
    rmSync(wanted, { recursive: true, force: true });
    cpSync(installed, wanted, { recursive: true, verbatimSymlinks: true });
  }

  /** A newcomer's first command. */
  async #install(): Promise<Pick<Row, "installSeconds" | "installMegabytes">> {
    const before = megabytes(this.#outside);
    const { code, output, tookMs } = await this.#run("npm ci", 1_200);
    this.#check("npm ci prints no warning", code === 0 ? npmWarnings(output).join("\n") : output.slice(-3_000));
    const installSeconds = Math.round(tookMs / 1_000);
    const installMegabytes = megabytes(this.#outside) - before;
    const weight = `npm ci weighs ${installMegabytes} MB, at most ${INSTALL_MB_MAX}`;
    this.#check(weight, installMegabytes > INSTALL_MB_MAX ? "it weighs more" : "");
    this.#proof.checks.print(
      `  ${this.#name}: npm ci took ${installSeconds} s; the goal on a machine that does nothing else is ${INSTALL_SECONDS_GOAL} s`,
    );
    const folder = join(this.#outside, "node_modules/@uwsjs");
    const found = existsSync(folder) ? readdirSync(folder).join(" ") : "none";
    const fitting = uwsPackages(this.#line.node);
    this.#check(
      `of the media server's binaries just ${fitting} is installed`,
      found === fitting ? "" : `found: ${found}`,
    );
    return { installSeconds, installMegabytes };
  }

  /** Builds, starts the service, and reads in its log that it takes calls and what serves the media port. */
  async #startService(): Promise<string> {
    const service = await this.#run(START_SERVICE, 300);
    const expected = expectedMediaServer(this.#line.node, this.#place.glibcMinor);
    this.#check(`the service starts, and its media port is served by ${expected}`, whyNotServed(expected, service));
    return mediaServerInLog(service.output) ?? "unknown";
  }

  /** What users start, from the build that was just made. */
  async #startUnderOldNode(): Promise<void> {
    const node = join(await installNode(OLD_NODE, this.#proof.cache), "node_modules/.bin/node");
    for (const program of ["scripts/start.mjs", "dist/main.js"]) {
      const { code, output } = await this.#run(`"${node}" ${program}`, 60);
      const isRefused = code === 1 && OLD_NODE_REFUSED.test(output);
      const why = isRefused ? "" : `exit code ${code}\n${output.slice(-3_000)}`;
      this.#check(`Node ${OLD_NODE.node} is refused by ${program} in one line, with exit code 1`, why);
    }
  }

  async #test(): Promise<Pick<Row, "tests" | "contract">> {
    const contract = contractTestFiles(this.#outside);
    const some = (filters: readonly string[]) =>
      `npx vitest run --exclude "**/long-calls.test.ts" ${filters.join(" ")}`;
    const command = this.#proof.reduced
      ? `${some(REDUCED)} --retry=1 ${VITEST_REPORT}`
      : `npm test -- ${VITEST_REPORT} && ${some([...REDUCED, ...LONG])}`;
    const { code, output } = await this.#run(command, 1_800);
    const report = join(this.#outside, REPORT_FILE);
    const name = `${this.#name}: ${this.#proof.reduced ? "reduced tests" : "npm test"}`;
    if (!existsSync(report)) {
      this.#proof.checks.failed(name, `the test runner left no report\n${output.slice(-3_000)}`);
      return { tests: "no report", contract: "no report" };
    }
    const read = (includes?: (path: string) => boolean): SuiteResult =>
      readVitestReport(report, this.#checkout, includes);
    const [all, ofContract] = [read(), read((path) => contract.includes(path))];
    this.#proof.checks.suite(name, all);
    // Vitest also fails where something was thrown outside of every test.
    if (code !== 0 && all.failed === 0) this.#proof.checks.failed(name, `exit code ${code}\n${output.slice(-3_000)}`);
    const without = this.#proof.reduced ? filtersWithoutFile(REDUCED, reportedFiles(report, this.#checkout)) : [];
    if (without.length > 0) this.#proof.checks.failed(name, `no test file ran for ${without.join(", ")}`);
    return { tests: countsText(all), contract: countsText(ofContract) };
  }

  async #demo(): Promise<string> {
    // The call is in real time: on a machine that many share, one that another program interrupted says nothing.
    const command = "npm run --silent demo -- --json";
    const { code, output } = await this.#run(`${command} || ${command}`, 300);
    return this.#check("the demo's call goes as scripted", code === 0 ? "" : output.slice(-3_000))
      ? "as scripted"
      : "failed";
  }
}

/** A Node that is too old, and that people still have. */
const OLD_NODE: NodeLine = { node: 18, npm: 10 };
const OLD_NODE_REFUSED = /^Trunkline needs Node .*; this is Node 18\..*\n$/;

const REPORT_FILE = "vitest-report.json";
const VITEST_REPORT = `--reporter=dot --reporter=json --outputFile.json=${REPORT_FILE}`;

/** Ends when the service accepts calls and was asked to stop, when it has ended by itself, or after 60 s; with its exit code. */
const START_SERVICE = `npm run --silent build || exit 1
export DATA_DIR=$(mktemp -d) API_PORT=0 MEDIA_PORT=0 METRICS_PORT=off API_HOST=127.0.0.1 MEDIA_HOST=127.0.0.1
node dist/main.js >service.log 2>&1 &
service=$!
for _ in $(seq 300); do
  grep -q '"service ready"' service.log && break
  kill -0 $service 2>/dev/null || break
  sleep 0.2
done
kill $service 2>/dev/null
wait $service
code=$?
cat service.log
exit $code`;
