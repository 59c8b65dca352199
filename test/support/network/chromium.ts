import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";

/** Where Debian's package has it. */
export const CHROMIUM = "/usr/bin/chromium";

/** Tests in a real browser run only where one is installed. */
export const hasChromium = existsSync(CHROMIUM);

/** What a page did that it should not have. */
export interface PageViolations {
  /** Violations of the content security policy, and errors on the console. */
  errors: string[];
  /** Addresses of other origins that it asked for. */
  elsewhere: string[];
}

export interface ChromiumOptions {
  /** Whether the page may have a microphone, at which something beeps every second; by default there is none. */
  microphone?: "allowed" | "refused";
  /** Other origins that the page may ask for something. */
  origins?: readonly string[];
  /** By default a desktop's. */
  viewport?: { width: number; height: number };
}

/** Opens a page of Chromium at `url`, hands it to `use`, and closes the browser. Resolves with what the page did meanwhile. */
export async function inChromium(
  url: string,
  use: (page: Page) => Promise<void>,
  { microphone, origins = [], viewport }: ChromiumOptions = {},
): Promise<PageViolations> {
  const expected = [new URL(url).origin, ...origins];
  const media = microphone === undefined ? [] : ["--use-fake-device-for-media-stream"];
  // As root, which containers run tests as, Chromium has no sandbox.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", ...media] });
  try {
    const misdeeds: PageViolations = { errors: [], elsewhere: [] };
    const context = await browser.newContext({
      ...(viewport && { viewport }),
      permissions: microphone === "allowed" ? ["microphone"] : [],
    });
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") misdeeds.errors.push(message.text());
    });
    page.on("pageerror", ({ message }) => misdeeds.errors.push(message));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !expected.includes(new URL(request.url()).origin)) {
        misdeeds.elsewhere.push(request.url());
      }
    });
    await page.addInitScript(
      `document.addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective, event.blockedURI))`,
    );
    await page.goto(url);
    await use(page);
    return misdeeds;
  } finally {
    await browser.close();
  }
}
