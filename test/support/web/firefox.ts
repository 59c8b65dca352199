import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { until } from "../services/service.ts";

// Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), as much of it as the journeys need: playwright-core
// asks for commands that Debian's version does not have.

/** Where Debian's package has it. */
export const FIREFOX = "/usr/bin/firefox-esr";
export const hasFirefox = existsSync(FIREFOX);

const START_MS_MAX = 60_000;
const COMMAND_MS_MAX = 30_000;

/** What a person would have allowed, a microphone with a tone, and nothing that the browser loads by itself. */
const PREFERENCES: Readonly<Record<string, boolean | number | string>> = {
  "media.navigator.streams.fake": true,
  "media.navigator.permission.disabled": true,
  "media.autoplay.default": 0,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.enabled": false,
  "app.normandy.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "extensions.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
};

interface Answer {
  readonly id?: number;
  readonly type: string;
  readonly error?: string;
  readonly message?: string;
  readonly method?: string;
  readonly params?: { level?: string; text?: string };
  readonly result?: Record<string, unknown>;
}

/** The value of a script as BiDi serializes it. */
interface RemoteValue {
  readonly type: string;
  readonly value?: unknown;
}

export interface FirefoxOptions {
  /** Such as where its loudspeaker is. */
  environment?: Readonly<Record<string, string>>;
}

/** One tab of a Firefox of its own. */
export class FirefoxTab {
  /** Errors on the console, and scripts that threw. */
  readonly errors: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #context = "";
  #lastId = 0;

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.on("message", (data) => this.#received(JSON.parse(String(data)) as Answer));
    socket.on("close", () => this.#failAll("the connection to Firefox is closed"));
    socket.on("error", () => this.#failAll("the connection to Firefox failed"));
  }

  /** Starts a browser with an empty tab. */
  static async open({ environment = {} }: FirefoxOptions = {}): Promise<FirefoxTab> {
    const profile = mkdtempSync(join(tmpdir(), "trunkline-firefox-"));
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(profile, "user.js"), lines.join(""));
    const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
    const started = spawn(FIREFOX, args, {
      stdio: ["ignore", "ignore", "pipe"],
      // A group of its own, so that it can be ended with its processes.
      detached: true,
      env: { ...process.env, HOME: profile, ...environment },
    });
    try {
      const socket = new WebSocket(`${await addressOf(started)}/session`);
      await new Promise<void>((resolve, reject) => {
        socket.once("open", () => resolve());
        socket.once("error", reject);
      });
      const tab = new FirefoxTab(started, profile, socket);
      await tab.#begin();
      return tab;
    } catch (error) {
      killGroup(started);
      rmSync(profile, { recursive: true, force: true });
      throw error;
    }
  }

  /** Waits until an expression of the page is truthy; its value. */
  async until<T>(expression: string, withinMs = 20_000): Promise<T> {
    return await until(expression, withinMs, () => this.run<T>(expression));
  }

  async goto(url: string): Promise<void> {
    await this.#command("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  /** Evaluates an expression in the page, and awaits it; its value must be one of JSON. Rejects with what it throws. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.#command("script.evaluate", {
      expression: `(async () => JSON.stringify({ value: await (${expression}) }))()`,
      target: { context: this.#context },
      awaitPromise: true,
      userActivation: true,
    })) as { result?: RemoteValue; exceptionDetails?: { text: string } };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return (JSON.parse(String(result?.value)) as { value: T }).value;
  }

  /** Clicks into the middle of the element of this expression, as a person does. */
  async click(element: string): Promise<void> {
    const [x, y] = await this.run<[number, number]>(
      `((found) => { found.scrollIntoView({ block: "center" }); const { x, y, width, height } = found.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })(${element})`,
    );
    const pointer = [
      { type: "pointerMove", x: Math.round(x), y: Math.round(y) },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await this.#perform({ type: "pointer", id: "mouse", actions: pointer });
  }

  /** Types into what has the focus; `\uE007` is Enter: https://www.w3.org/TR/webdriver2/#keyboard-actions. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.#perform({ type: "key", id: "keyboard", actions });
  }

  /** A picture of what is seen, as PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#command("browsingContext.captureScreenshot", { context: this.#context });
    return Buffer.from(String(data), "base64");
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#process.once("exit", resolve));
    await this.#command("browser.close", {}).catch(() => {});
    const deadline = setTimeout(() => killGroup(this.#process), 5_000);
    await exited;
    clearTimeout(deadline);
    this.#socket.terminate();
    rmSync(this.#profile, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    await this.#command("session.new", { capabilities: {} });
    await this.#command("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = (await this.#command("browsingContext.getTree", {})) as { contexts: { context: string }[] };
    this.#context = contexts[0]?.context ?? "";
  }

  async #perform(source: object): Promise<void> {
    await this.#command("input.performActions", { context: this.#context, actions: [source] });
  }

  #command(method: string, params: object): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(
        () => this.#settle(id)?.reject(new Error(`Firefox did not answer ${method}`)),
        COMMAND_MS_MAX,
      );
      this.#pending.set(id, {
        resolve: ({ type, error, message, result = {} }) => {
          clearTimeout(deadline);
          if (type === "success") resolve(result);
          else reject(new Error(`${method}: ${error}: ${message}`));
        },
        reject: (error) => {
          clearTimeout(deadline);
          reject(error);
        },
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #settle(id: number) {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #received(answer: Answer): void {
    if (answer.id !== undefined) this.#settle(answer.id)?.resolve(answer);
    else if (answer.method === "log.entryAdded" && answer.params?.level === "error")
      this.errors.push(answer.params.text ?? "");
  }

  #failAll(why: string): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new Error(why));
  }
}

/** The address that a browser that starts says it listens at. */
function addressOf(started: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const deadline = setTimeout(() => reject(new Error(`Firefox did not start: ${said}`)), START_MS_MAX);
    started.once("exit", (code) => reject(new Error(`Firefox ended with ${code}: ${said}`)));
    started.stderr?.on("data", (bytes) => {
      said = (said + String(bytes)).slice(-10_000);
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(deadline);
      resolve(address);
    });
  });
}

/** With the processes that it started. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
