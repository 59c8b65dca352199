import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Block, placeOf, readBlocks, stepsOf } from "./blocks.ts";
import { type ServicePorts, substituted } from "./fakes.ts";
import { missingOutput } from "./shown-output.ts";
import { Terminal } from "./terminal.ts";

const READY_MS_MAX = 90_000;
const BLOCK_MS_MAX = 180_000;
/** As strict as the compiler of a new project. */
const COMPILER =
  "npx tsc --ignoreConfig --noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck";
const COMPILE = `${COMPILER} --allowImportingTsExtensions`;

/** Where a page is followed. */
export interface Place {
  /** A checkout of the repository, in which all commands run. */
  checkout: string;
  env: NodeJS.ProcessEnv;
}

/** Takes ports that are free when it listens. */
const SERVICE_ENV = { API_PORT: "0", MEDIA_PORT: "0", METRICS_PORT: "off", WORKERS: "1" };
const isService = ({ text }: Block): boolean => /\bnpm start$/.test(text.trimEnd());
/** Commands and programs that need a running service. */
const needsService = ({ text }: Block): boolean => /npm run call\b|127\.0\.0\.1:808|examples\//.test(text);

/** Follows a page from its beginning to its end: the service in one terminal, everything else in another. */
export class Reader {
  /** What each block wrote, by `page:line`. */
  readonly outputs = new Map<string, string>();
  ports: ServicePorts | undefined;
  readonly #page: string;
  readonly #place: Place;
  #service: Terminal | undefined;
  #terminal: Terminal | undefined;

  /** `page` is the path of a page within the repository. */
  constructor(page: string, place: Place) {
    this.#page = page;
    this.#place = place;
    rmSync(join(place.checkout, "data"), { recursive: true, force: true });
  }

  /** What the service has logged. */
  get serviceOutput(): string {
    return this.#service?.output ?? "";
  }

  /** Runs the blocks of the page. Throws when one fails, or shows something else than the page. */
  async followPage(): Promise<void> {
    for (const step of stepsOf(readBlocks(this.#page).blocks)) {
      if (step.kind === "example" || step.block.noRun !== undefined) continue;
      const output = step.kind === "program" ? await this.#program(step.block) : await this.#commands(step.block);
      this.outputs.set(placeOf(step.block), output);
      const missing = missingOutput(substituted(step.shown ?? "", this.ports), output);
      if (missing !== "") throw new Error(`${placeOf(step.block)} does not show\n${missing}\nbut\n${output}`);
    }
  }

  /** Starts the service by these commands, in place of an earlier one. Resolves with its log when it accepts calls. */
  async startService(commands = "npm start"): Promise<string> {
    await this.#service?.stop();
    const service = new Terminal({ cwd: this.#place.checkout, env: { ...this.#place.env, ...SERVICE_ENV } });
    this.#service = service;
    await service.start(substituted(commands), /"msg":"service ready"/, READY_MS_MAX);
    this.ports = {
      apiPort: listeningPort(service.output, "control"),
      mediaPort: listeningPort(service.output, "worker"),
    };
    const { apiPort, mediaPort } = this.ports;
    await this.#run(`export API_PORT=${apiPort} MEDIA_PORT=${mediaPort}`);
    return service.output;
  }

  /** Ends everything that was started. Throws when Ctrl-C does not end it. */
  async stop(): Promise<void> {
    const terminals = [this.#terminal, this.#service];
    this.#terminal = undefined;
    this.#service = undefined;
    for (const terminal of terminals) await terminal?.stop();
  }

  async #commands(block: Block): Promise<string> {
    if (isService(block)) return await this.startService(block.text);
    if (needsService(block)) await this.#ensureService();
    return await this.#run(block.text);
  }

  /** Compiles and runs a program in TypeScript, as `client.ts`. */
  async #program(block: Block): Promise<string> {
    await this.#ensureService();
    writeFileSync(join(this.#place.checkout, "client.ts"), substituted(block.text, this.ports));
    return await this.#run(`${COMPILE} client.ts\nnpx tsx client.ts`);
  }

  /** A page that starts no service itself is read beside one, with its API key in the environment. */
  async #ensureService(): Promise<void> {
    if (this.#service !== undefined) return;
    await this.startService();
    await this.#run("export TRUNKLINE_API_KEY=$(cat data/first-api-key)");
  }

  async #run(commands: string): Promise<string> {
    this.#terminal ??= new Terminal({ cwd: this.#place.checkout, env: this.#place.env });
    return await this.#terminal.run(substituted(commands, this.ports), BLOCK_MS_MAX);
  }

  /** The first API key of the service. */
  get apiKey(): string {
    return readFileSync(join(this.#place.checkout, "data/first-api-key"), "utf8").trim();
  }
}

/** The port of the latest process of a kind, by the log: the public addresses may be those of a proxy. */
function listeningPort(log: string, kind: "control" | "worker"): string {
  const lines = log.split("\n").filter((line) => line.startsWith("{"));
  const started = lines
    .map((line) => JSON.parse(line) as { msg?: string; kind?: string; port?: number })
    .findLast((line) => line.msg === "process started" && line.kind === kind && line.port !== undefined);
  if (started?.port === undefined) throw new Error(`the log names no port of a ${kind} process:\n${log}`);
  return String(started.port);
}
