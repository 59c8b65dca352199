import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../network/free-port.ts";
import { type Block, placeOf, readBlocks, stepsOf } from "./blocks.ts";
import { type Ports, substituted } from "./fakes.ts";
import { missingOutput } from "./shown-output.ts";
import { Terminal } from "./terminal.ts";

const READY_MS_MAX = 90_000;
const BLOCK_MS_MAX = 180_000;
/** Until a webhook or a trace has arrived at its terminal: `call.ended` waits for an analysis, for 30 s at most. */
const DELIVERY_MS_MAX = 60_000;
/** What pages write within the checkout; a page that is followed again does not find it. */
const WRITTEN = ["data", "trial", "backup", "export.jsonl.gz", "webhook.json", "event.json"];
/** As strict as the compiler of a new project. */
const COMPILER =
  "npx tsc --ignoreConfig --noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck";
const COMPILE = `${COMPILER} --allowImportingTsExtensions`;

/** Where a page is followed. */
export interface Place {
  /** A checkout of the repository, in which all commands run. */
  checkout: string;
  env: NodeJS.ProcessEnv;
  /** For the server that a page starts; needed by a page that starts one. */
  postgresPort?: string;
}

const SERVICE_ENV = { METRICS_PORT: "off", WORKERS: "1", WEBRTC_MEDIA_PORT: "0" };
const isService = ({ text }: Block): boolean => /\bnpm start$/.test(text.trimEnd());
/** What stays in a terminal of its own: a receiver of webhooks or traces, an emulated carrier, or the server of an example. */
const LISTENER = /npm run (?:(?:webhooks|traces) -- listen|carrier -- \w+)|node examples\/shop\.mjs/;
const isListener = ({ text }: Block): boolean => LISTENER.test(text);
const LISTENS = /listening on port \d+/;
/** What a page asks its reader to do before a block. */
const STOPS_SERVICE = /Ctrl-C in the first terminal/;
const STOPS_LISTENER = /Ctrl-C in the second terminal/;
/** Commands and programs that need a running service. */
const needsService = ({ text }: Block): boolean => /npm run (?:call|webhooks)\b|127\.0\.0\.1:808|examples\//.test(text);

/**
 * Follows a page from its beginning to its end: the service in one terminal, each receiver of webhooks or traces, carrier and server of
 * an example in another, everything else in the last.
 */
export class Reader {
  /** What each block wrote, by `page:line`. */
  readonly outputs = new Map<string, string>();
  ports: Pick<Ports, "apiPort" | "mediaPort"> | undefined;
  readonly #page: string;
  readonly #place: Place;
  #service: Terminal | undefined;
  #hasStarted = false;
  /** By their commands, without options: one of the same kind replaces the one before. */
  readonly #listeners = new Map<string, Terminal>();
  #terminal: Terminal | undefined;

  /** `page` is the path of a page within the repository. */
  constructor(page: string, place: Place) {
    this.#page = page;
    this.#place = place;
    for (const name of WRITTEN) rmSync(join(place.checkout, name), { recursive: true, force: true });
  }

  /** What the service has logged. */
  get serviceOutput(): string {
    return this.#service?.output ?? "";
  }

  /** Runs the blocks of the page. Throws when one fails, or shows something else than the page. */
  async followPage(): Promise<void> {
    for (const step of stepsOf(readBlocks(this.#page).blocks)) {
      await this.#stopAsAsked(step.block.prose);
      if (step.kind === "example" || step.block.noRun !== undefined) continue;
      const received = this.#received();
      const output = step.kind === "program" ? await this.#program(step.block) : await this.#commands(step.block);
      this.outputs.set(placeOf(step.block), output);
      for (const shown of step.shown) await this.#expectShown(placeOf(step.block), shown, output, received);
    }
  }

  /** Starts the service by these commands, in place of an earlier one. Resolves with its log when it accepts calls. */
  async startService(commands = "npm start"): Promise<string> {
    await this.#service?.stop();
    // The first time it takes ports that are free when it listens, unless the commands name its own; then those again, as a page's own
    // ones stay.
    const anyPort = commands.includes("127.0.0.1:8080") ? String(await freePort()) : "0";
    const { apiPort: API_PORT = anyPort, mediaPort: MEDIA_PORT = "0" } = this.ports ?? {};
    const env = { ...this.#place.env, ...SERVICE_ENV, API_PORT, MEDIA_PORT };
    const service = new Terminal({ cwd: this.#place.checkout, env });
    this.#service = service;
    this.#hasStarted = true;
    const named = substituted(this.#substituted(commands), { apiPort: API_PORT });
    await service.start(named, /"msg":"service ready"/, READY_MS_MAX);
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
    const terminals = [this.#terminal, ...this.#listeners.values(), this.#service];
    this.#terminal = undefined;
    this.#listeners.clear();
    this.#service = undefined;
    for (const terminal of terminals) await terminal?.stop();
  }

  async #commands(block: Block): Promise<string> {
    if (isService(block)) return await this.startService(block.text);
    if (needsService(block)) await this.#ensureService();
    return isListener(block) ? await this.#listen(block.text) : await this.#run(block.text);
  }

  /** Starts what stays in a terminal of its own; resolves when it listens. */
  async #listen(commands: string): Promise<string> {
    const { apiPort: API_PORT = "" } = this.ports ?? {};
    const [kind = ""] = LISTENER.exec(commands) ?? [];
    await this.#listeners.get(kind)?.stop();
    const listener = new Terminal({ cwd: this.#place.checkout, env: { ...this.#place.env, API_PORT } });
    this.#listeners.set(kind, listener);
    await listener.start(this.#substituted(commands), LISTENS, READY_MS_MAX);
    return listener.output;
  }

  /** How much each listener has written. */
  #received(): ReadonlyMap<Terminal, number> {
    return new Map([...this.#listeners.values()].map((listener) => [listener, listener.output.length]));
  }

  /** Throws unless the commands have written what the page shows, or a listener does, after what it had `received` before them. */
  async #expectShown(
    place: string,
    text: string,
    output: string,
    received: ReadonlyMap<Terminal, number>,
  ): Promise<void> {
    const shown = this.#substituted(text);
    const missing = missingOutput(shown, output);
    if (missing === "" || (await this.#isReceived(shown, received))) return;
    const others = [...this.#listeners].map(
      ([kind, listener]) => `\nand in the terminal of ${kind}\n${listener.output}`,
    );
    throw new Error(`${place} does not show\n${missing}\nbut\n${output}${others.join("")}`);
  }

  async #isReceived(shown: string, received: ReadonlyMap<Terminal, number>): Promise<boolean> {
    const waits = [...this.#listeners.values()].map(async (listener) => {
      const shows = (output: string): boolean => missingOutput(shown, output.slice(received.get(listener) ?? 0)) === "";
      if (!(await listener.reaches(shows, DELIVERY_MS_MAX))) throw new Error("it does not show this");
    });
    return await Promise.any(waits).then(
      () => true,
      () => false,
    );
  }

  /** Presses Ctrl-C where the text before a block says so. */
  async #stopAsAsked(prose: string): Promise<void> {
    if (STOPS_LISTENER.test(prose)) {
      for (const listener of this.#listeners.values()) await listener.stop();
      this.#listeners.clear();
    }
    if (STOPS_SERVICE.test(prose)) {
      await this.#service?.stop();
      this.#service = undefined;
    }
  }

  /** Compiles and runs a program in TypeScript, as `client.ts`. */
  async #program(block: Block): Promise<string> {
    await this.#ensureService();
    writeFileSync(join(this.#place.checkout, "client.ts"), this.#substituted(block.text));
    return await this.#run(`${COMPILE} client.ts\nnpx tsx client.ts`);
  }

  /** A page that starts no service itself is read beside one, with its API key in the environment. */
  async #ensureService(): Promise<void> {
    if (this.#hasStarted) return;
    await this.startService();
    await this.#run("export TRUNKLINE_API_KEY=$(cat data/first-api-key)");
  }

  async #run(commands: string): Promise<string> {
    this.#terminal ??= new Terminal({ cwd: this.#place.checkout, env: this.#place.env });
    return await this.#terminal.run(this.#substituted(commands), BLOCK_MS_MAX);
  }

  #substituted(text: string): string {
    const { postgresPort } = this.#place;
    return substituted(text, { ...this.ports, ...(postgresPort !== undefined && { postgresPort }) });
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
    .map((line) => JSON.parse(line) as { msg?: string; kind?: string; role?: string; port?: number })
    .filter(({ msg, role }) => msg === "process started" && role === undefined)
    .findLast((line) => line.kind === kind && line.port !== undefined);
  if (started?.port === undefined) throw new Error(`the log names no port of a ${kind} process:\n${log}`);
  return String(started.port);
}
