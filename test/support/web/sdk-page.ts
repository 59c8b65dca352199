import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll } from "vitest";
import wavefile from "wavefile";
import { CHROMIUM } from "../network/chromium.ts";
import { PROJECT } from "../repository/files.ts";
import { until } from "../services/service.ts";

/** The page, as strict as a policy can be: nothing but scripts of its own, and connections to the service. */
const HTML = `<!doctype html><title>Call</title><link rel="icon" href="data:,"><button>Start</button><script type="module" src="/page.js"></script>`;
const FILES: Readonly<Record<string, string>> = {
  "/page.js": "test/support/web/page.js",
  "/tap.js": "test/support/web/tap.js",
  "/sdk/index.js": "dist/web/sdk/index.js",
  "/sdk/worklet.js": "dist/web/sdk/worklet.js",
};
/** Without any processing the page sends what the file of the microphone holds. */
export const UNPROCESSED = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
const MICROPHONE_HZ = 48_000;

/** An event of the SDK, with the time of the page. */
export interface PageEvent {
  type: string;
  atMs: number;
  [field: string]: unknown;
}

interface SdkPageOptions {
  /** Where the page may connect to. */
  connect: readonly string[];
  /** What the microphone hears, from when it is opened, at 48 kHz, then silence; a beep without it. */
  microphone?: Int16Array;
  /** What the browser has and answers: by default a microphone, which is allowed. */
  devices?: "allowed" | "refused" | "none";
  /** Whether a page may play without a gesture; true by default. */
  autoplay?: boolean;
  /** Of the call that the page starts by itself with these options; none without them. */
  source?: object;
  automatic?: object;
}

const opened: SdkPage[] = [];
afterAll(async () => {
  for (const page of opened.splice(0)) await page.close();
});

/** A page of Chromium that has the SDK as it was built, at an address of its own. */
export class SdkPage {
  readonly page: Page;
  readonly origin: string;
  /** Violations of the policy, and errors on the console. */
  readonly errors: string[] = [];
  /** Of the starts that no test has awaited: "started", or the error. */
  readonly outcomes: string[] = [];
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #folder: string;

  private constructor(browser: Browser, page: Page, server: Server, folder: string) {
    this.#browser = browser;
    this.#server = server;
    this.#folder = folder;
    this.page = page;
    this.origin = originOf(server);
    page.on("console", (message) => {
      // That the service has no WebRTC is an answer with the status 501.
      if (message.type() === "error" && !/status of 501/.test(message.text())) this.errors.push(message.text());
    });
    page.on("console", (message) => {
      if (message.text().startsWith("outcome ")) this.outcomes.push(message.text().slice("outcome ".length));
    });
    page.on("pageerror", ({ message }) => this.errors.push(message));
    opened.push(this);
  }

  /** Where a page will be served; its origin is needed before it opens. */
  static async serve(): Promise<Server> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  static async open(options: SdkPageOptions, server?: Server): Promise<SdkPage> {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-page-"));
    const serving = server ?? (await SdkPage.serve());
    servePage(serving, options.connect);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags(options, folder) });
    const page = await (await browser.newContext()).newPage();
    const sdk = new SdkPage(browser, page, serving, folder);
    await page.addInitScript(
      `document.addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective, event.blockedURI))`,
    );
    const { automatic, source } = options;
    if (automatic !== undefined) {
      await page.addInitScript(`globalThis.automatic = ${JSON.stringify([source, automatic])}`);
    }
    await page.goto(sdk.origin);
    if (automatic === undefined) {
      await until("the page to be ready", 15_000, () => sdk.run<boolean>("globalThis.page !== undefined"));
    }
    return sdk;
  }

  /** Evaluates an expression in the page. */
  async run<T>(expression: string): Promise<T> {
    return (await this.page.evaluate(expression)) as T;
  }

  /** Starts a call; "started", or the error. */
  async start(source: object, options: object = {}): Promise<string> {
    return await this.run(`page.start(${JSON.stringify(source)}, ${JSON.stringify(options)})`);
  }

  async events(type: string): Promise<PageEvent[]> {
    return await this.run(`page.events.filter(({ type }) => type === "${type}")`);
  }

  /** Waits until there is such an event; `condition` is an expression of `event`. */
  async event(type: string, condition = "true", withinMs = 15_000): Promise<PageEvent> {
    const find = `page.events.find((event) => event.type === "${type}" && (${condition}))`;
    return await until(`an event ${type} with ${condition}`, withinMs, () => this.run<PageEvent | undefined>(find));
  }

  /** Closes the browser and the server. */
  async close(): Promise<void> {
    const at = opened.indexOf(this);
    if (at >= 0) opened.splice(at, 1);
    await this.#browser.close();
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Has the server answer with the page and its scripts; the page may connect to these addresses. */
export function servePage(server: Server, connect: readonly string[]): void {
  server.on("request", ({ url = "" }, response) => {
    const path = FILES[url];
    const isFound = path !== undefined || url === "/";
    response.writeHead(isFound ? 200 : 404, {
      "Content-Type": path === undefined ? "text/html" : "text/javascript",
      "Content-Security-Policy": `default-src 'none'; img-src data:; script-src 'self'; connect-src ${connect.join(" ")}`,
    });
    response.end(path === undefined ? HTML : readFileSync(join(PROJECT, path)));
  });
}

export const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A tone of so many seconds, as a microphone hears it. */
export const microphoneTone = (hz: number, seconds: number): Int16Array =>
  Int16Array.from(
    { length: seconds * MICROPHONE_HZ },
    (_, k) => 8_000 * Math.sin((2 * Math.PI * hz * k) / MICROPHONE_HZ),
  );

function flags({ microphone, devices = "allowed", autoplay = true }: SdkPageOptions, folder: string): string[] {
  // Two peer connections of one page find each other without the network's help.
  const peers = ["--allow-loopback-in-peer-connection", "--disable-features=WebRtcHideLocalIpsWithMdns"];
  const list = ["--no-sandbox", ...peers, `--use-fake-ui-for-media-stream${devices === "refused" ? "=deny" : ""}`];
  if (devices !== "none") list.push("--use-fake-device-for-media-stream");
  if (autoplay) list.push("--autoplay-policy=no-user-gesture-required");
  if (microphone !== undefined) {
    const path = join(folder, "microphone.wav");
    const wav = new wavefile.WaveFile();
    wav.fromScratch(1, MICROPHONE_HZ, "16", microphone);
    writeFileSync(path, wav.toBuffer());
    list.push(`--use-file-for-fake-audio-capture=${path}%noloop`);
  }
  return list;
}
