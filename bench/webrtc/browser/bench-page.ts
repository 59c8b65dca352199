import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM, hasChromium } from "../../../test/support/network/chromium.ts";
import { inProject } from "../../harness/project.ts";

const FILES: Readonly<Record<string, string>> = {
  "/page.js": "bench/webrtc/browser/page.js",
  "/recorder.js": "bench/webrtc/browser/recorder.js",
  "/sdk/index.js": "dist/web/sdk/index.js",
  "/sdk/worklet.js": "dist/web/sdk/worklet.js",
};
const HTML = `<!doctype html><title>Bench</title><script type="module" src="/page.js"></script>`;

export interface BenchBrowser {
  /** Of the pages, which publishable keys must allow. */
  origin: string;
  /** A fresh page with the SDK of the build, whose functions are members of `bench`. */
  open(): Promise<BenchPage>;
}

export interface BenchPage {
  /** Evaluates an expression in it. */
  run<Result>(expression: string): Promise<Result>;
  close(): Promise<void>;
}

/**
 * A Chromium for `work`. With `hears: "page"` a page can record its own audio output, and has no microphone but one of its own;
 * else it has Chromium's imitation of a microphone. Rejects where no Chromium is installed.
 */
export async function withBrowser<Result>(
  hears: "microphone" | "page",
  work: (browser: BenchBrowser) => Promise<Result>,
): Promise<Result> {
  if (!hasChromium)
    throw new Error(`Chromium is not installed at ${CHROMIUM}: install it, or name other parts with --only`);
  const server = await serveFiles();
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    // As root, which containers run benches as, Chromium has no sandbox.
    args: [
      "--no-sandbox",
      "--autoplay-policy=no-user-gesture-required",
      ...(hears === "page"
        ? ["--auto-accept-this-tab-capture"]
        : ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]),
    ],
    // Without it a page's output is not mixed, and cannot be recorded.
    ignoreDefaultArgs: ["--mute-audio"],
  });
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await work({ origin, open: () => openPage(browser, origin) });
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

async function openPage(browser: Browser, origin: string): Promise<BenchPage> {
  // As of a caller who has called before: what a browser asks a new one takes a person's time.
  const context = await browser.newContext({ permissions: ["microphone"] });
  const page: Page = await context.newPage();
  await page.goto(origin);
  await page.waitForFunction("globalThis.bench !== undefined");
  return {
    run: async <Result>(expression: string) => (await page.evaluate(expression)) as Result,
    close: () => context.close(),
  };
}

async function serveFiles(): Promise<Server> {
  const server = createServer(({ url = "" }, response) => {
    const path = FILES[url];
    response.writeHead(path === undefined && url !== "/" ? 404 : 200, {
      "Content-Type": path === undefined ? "text/html" : "text/javascript",
    });
    response.end(path === undefined ? HTML : readFileSync(inProject(path)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
