import { afterAll, afterEach, beforeAll, test } from "vitest";
import { ifMachineStalled } from "../stalled-machine.ts";
import { documentedPages, readBlocks } from "./blocks.ts";
import { freshCheckout } from "./checkout.ts";
import { DocumentationFakes } from "./fakes.ts";
import { Reader } from "./reader.ts";

const PAGE_MS_MAX = 600_000;
export const START_MS_MAX = 120_000;

/** A fresh checkout in which pages are followed, for one test file. */
export class FollowedPages {
  /** What each block wrote, by its place. */
  readonly written = new Map<string, string>();
  #checkout: { path: string; remove: () => void } | undefined;
  #fakes: DocumentationFakes | undefined;
  #reader: Reader | undefined;

  /** To be called once, where the file defines its tests. */
  constructor() {
    beforeAll(async () => {
      this.#checkout = freshCheckout();
      this.#fakes = await DocumentationFakes.create();
    }, START_MS_MAX);
    afterEach(async () => {
      try {
        await this.#reader?.stop();
      } finally {
        this.#fakes?.postgres.removeServers();
      }
    }, START_MS_MAX);
    afterAll(async () => {
      await this.#fakes?.close();
      this.#checkout?.remove();
    });
  }

  get path(): string {
    if (this.#checkout === undefined) throw new Error("the checkout is made before the first test");
    return this.#checkout.path;
  }

  get fakes(): DocumentationFakes {
    if (this.#fakes === undefined) throw new Error("the fakes start before the first test");
    return this.#fakes;
  }

  readerOf(page: string): Reader {
    const { env, postgres } = this.fakes;
    this.#reader = new Reader(page, { checkout: this.path, env, postgresPort: postgres.port });
    return this.#reader;
  }

  /** A test for each of these pages. */
  test(pages: readonly string[]): void {
    test.each(pages)("every command and program of %s works, one after the other, and shows what the page says", {
      retry: ifMachineStalled,
      timeout: PAGE_MS_MAX,
    }, async (page) => {
      const followed = this.readerOf(page);
      await followed.followPage();
      for (const [place, output] of followed.outputs) this.written.set(place, output);
    });
  }
}

/** The pages that have a command or a program to run. */
export const runnablePages: readonly string[] = documentedPages().filter((page) =>
  readBlocks(page).blocks.some(
    ({ language, noRun }) => (language === "sh" || language === "ts") && noRun === undefined,
  ),
);

/** The pages whose commands start a server of PostgreSQL. They are followed by a test file of their own. */
export const postgresPages: readonly string[] = ["docs/databases.md"];

/** The pages about those who use a service. They are followed by a test file of their own, beside the others. */
export const accountPages: readonly string[] = [
  ...["docs/accounts.md", "docs/agents.md", "docs/api-keys.md", "docs/first-customer.md", "docs/people.md"],
  "docs/web-calls.md",
];

/** A newcomer's first page. It is followed by a test file of its own, which `.ci/run` runs, too. */
export const firstPages: readonly string[] = ["README.md"];

/** The pages that take longest. They are followed by a test file of their own, beside the others. */
export const slowPages: readonly string[] = ["docs/getting-started.md", "docs/carriers.md"];
