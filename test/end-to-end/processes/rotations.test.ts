import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { rotateSecretsKey } from "../../../src/store/sealing/secrets-key.ts";
import { faketimeLibrary } from "../../chaos/clock-step.ts";
import { beginCalls, hangUpAll, sendFrames } from "../../support/services/live-workers.ts";
import { NEW_CALL, Service, until, withStores } from "../../support/services/service.ts";

/** Secrets are sealed again every five minutes of the clock, and this long after the service's start. */
const RESEAL_EVERY_MS = 300_000;
const RESEAL_AFTER_MS = 25_000;
const RESEALED_MS_MAX = 90_000;
const ANSWERED_MS_MAX = 30_000;
const REPEAT_MS = 50;
/** So often each program creates a call, whose token expires unused: all together stay below the limit of an API key. */
const EVERY_MS = 200;
const TOKEN_TTL_S = 10;

/** A customer's program: it repeats a request until it is answered, as one with an Idempotency-Key may be. */
class Program {
  readonly #service: Service;
  /** How many requests were answered as they should be. */
  answered = 0;
  readonly lost: string[] = [];
  #isOver = false;
  apiKey: string;

  constructor(service: Service) {
    this.#service = service;
    this.apiKey = service.apiKey;
  }

  async run(name: string): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      await this.#ask("POST", "/calls", 201, { "Idempotency-Key": `${name} ${count}` }, JSON.stringify(NEW_CALL));
      await this.#ask("GET", "/calls?limit=1", 200);
      await delay(EVERY_MS);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  async #ask(method: string, path: string, status: number, more: Record<string, string> = {}, body?: string) {
    const headers = { "X-API-Key": this.apiKey, "Content-Type": "application/json", ...more };
    const url = `${this.#service.apiUrl}/api/v1${path}`;
    let last = "no answer";
    for (const untilMs = performance.now() + ANSWERED_MS_MAX; performance.now() < untilMs; await delay(REPEAT_MS)) {
      const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (answer === undefined || text === undefined) continue;
      if (answer.status === status) {
        this.answered += 1;
        return;
      }
      last = `${answer.status} ${text}`;
      if (answer.status !== 503) break;
    }
    this.lost.push(`${method} ${path}: ${last}`);
  }
}

const library = faketimeLibrary();

/** The environment in which the wall clock reaches the next time of sealing after RESEAL_AFTER_MS. */
function resealingSoon(): Record<string, string> {
  const clockFile = join(mkdtempSync(join(tmpdir(), "trunkline-clock-")), "clock");
  const leftMs = RESEAL_EVERY_MS - (Date.now() % RESEAL_EVERY_MS);
  writeFileSync(clockFile, `+${Math.max(0, Math.round((leftMs - RESEAL_AFTER_MS) / 1_000))}\n`);
  return {
    LD_PRELOAD: library ?? "",
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

test.skipIf(library === undefined)(
  "no request is lost while an API key is rotated, the control process dies, and secrets are sealed with another key (only where faketime is installed)",
  { timeout: 240_000 },
  async () => {
    const service = await Service.start({ env: { ...resealingSoon(), TOKEN_TTL_S: String(TOKEN_TTL_S) } });
    const webhook = { url: "https://hooks.example.com/", eventTypes: ["recording.ready"] };
    expect((await service.api("POST", "/webhooks", webhook)).status).toBe(201);
    const live = await beginCalls(service, 2);
    const programs = [new Program(service), new Program(service)] as const;
    const running = programs.map((program, index) => program.run(`program ${index}`));
    /** Each program has got further, so the service answers after what has happened. */
    const goesOn = async (): Promise<void> => {
      const before = programs.map(({ answered }) => answered);
      await until("both programs to be answered", ANSWERED_MS_MAX, () =>
        programs.every(({ answered, lost }, index) => answered > (before[index] ?? 0) + 4 || lost.length > 0),
      );
    };
    await goesOn();

    // One program gets the new text at once, the other keeps the earlier one.
    programs[0].apiKey = await withStores(service.dataDir, async ({ apiKeys }, accountId) => {
      const [own] = (await apiKeys.list(accountId, { limit: 1 })).apiKeys;
      const rotated = own && (await apiKeys.rotate(accountId, own.id, 3_600_000));
      if (rotated === undefined || typeof rotated === "string") throw new Error("the API key was not rotated");
      return rotated.key;
    });
    await goesOn();

    rotateSecretsKey(service.dataDir);
    await service.killChild("control");
    await goesOn();
    const sealedAgain = (): boolean => service.logged("secrets sealed with the current key").length > 0;
    await until("the secrets to be sealed again", RESEALED_MS_MAX, sealedAgain);
    await goesOn();

    for (const program of programs) program.end();
    await Promise.all(running);
    expect(programs.flatMap(({ lost }) => lost)).toEqual([]);
    sendFrames(live, 10);
    expect(await hangUpAll(service, live)).toEqual(live.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    expect(await service.stop()).toBe(0);
  },
);
