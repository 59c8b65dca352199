import type { AccountId } from "../../../src/core/ids.ts";
import { GuardedHttp } from "../../../src/core/network/guarded-http.ts";
import type { WebhookEventType } from "../../../src/core/webhook-events.ts";
import { DeliveryJob } from "../../../src/delivery/delivery-job.ts";
import { EventDocuments } from "../../../src/delivery/documents.ts";
import { type Message, Sender, type SentMessage } from "../../../src/delivery/sender.ts";
import type { JobHandler } from "../../../src/jobs/handler.ts";
import { JobRunner } from "../../../src/jobs/runner.ts";
import { DELIVERY_JOB, RENDER_JOB } from "../../../src/store/job-kinds.ts";
import type { JobStore } from "../../../src/store/job-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Webhook, WebhookStore } from "../../../src/store/webhooks/webhook-store.ts";
import { type ManualClock, settled } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { SEALING_KEYS } from "./keys.ts";
import { Lifetime, type SharedDatabase } from "./killable-stores.ts";

export interface DeliveringProcess {
  life: Lifetime;
  stores: Stores;
  webhooks: WebhookStore;
  runner: JobRunner;
  /** Stops it at once, as at the end of a grace period. */
  close(): Promise<void>;
}

export interface DeliveringProcessOptions {
  life?: Lifetime;
  /** The stores of another process, instead of its own: SQLite has one process. */
  stores?: Stores;
  /** How messages are sent, in virtual time; by default over HTTP, as the service does. */
  send?: (message: Message, stop: AbortSignal) => Promise<SentMessage>;
  /** Changes the store of jobs, for example to observe it. */
  jobs?: (jobs: JobStore) => JobStore;
  /** Renders the recording of an ended call. */
  render?: JobHandler["run"];
}

/** What delivers webhooks in a control process, put together as there: stores, a runner of jobs, and a sender. */
export async function deliveringProcess(
  database: SharedDatabase,
  clock: ManualClock,
  options: DeliveringProcessOptions = {},
): Promise<DeliveringProcess> {
  const { life = new Lifetime(), render = async () => {} } = options;
  const stores = options.stores ?? (await database.open(life, clock));
  const webhooks = counted(stores.openWebhooks(SEALING_KEYS), life);
  const { log } = memoryLog();
  const sender = new MortalSender(life, clock, options.send);
  const documents = new EventDocuments({
    calls: stores.calls,
    callDocument: ({ id, status }) => ({ id, status }),
    turnDocuments: (_, turns) => (turns ?? []).map(({ text }) => ({ text })),
    toolRuns: async () => [],
    transcriptions: stores.transcriptions,
    transcriptionDocument: ({ id, status }, result) => ({ id, status, text: result?.text }),
    documents: stores.documents,
    documentDocument: ({ id, status }) => ({ id, status }),
    apiUrl: "https://api.example/api/v1",
  });
  const delivery = new DeliveryJob({ webhooks, documents, sender, clock, log });
  const handlers = {
    [DELIVERY_JOB]: delivery,
    [RENDER_JOB]: { attemptMsMax: 60_000, retryDelaysMs: [1_000], run: render },
  };
  // A process that is dead has no timers.
  const own = {
    nowMs: () => clock.nowMs(),
    epochMs: () => clock.epochMs(),
    after: (delayMs: number, task: () => void) => clock.after(delayMs, () => !life.isOver && task()),
  };
  const jobs = counted(options.jobs?.(stores.jobs) ?? stores.jobs, life);
  const runner = new JobRunner({ jobs, handlers, clock: own, log });
  return {
    life,
    stores,
    webhooks,
    runner,
    close: async () => {
      if (!life.isOver) await clock.drive(runner.stop(0));
      if (options.stores === undefined) await stores.close();
    },
  };
}

/** The store, whose operations count as in flight: they may gather in real time what they do together. */
const counted = <Store extends object>(store: Store, life: Lifetime): Store =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = value.apply(target, args);
        return result instanceof Promise ? life.during(() => result) : result;
      };
    },
  });

/** What the sender makes of an answer with this status. */
export const answered = (status: number): SentMessage => ({
  isDelivered: status === 204,
  isGone: false,
  answer: { status, excerpt: "", tookMs: 1 },
});

/** A webhook of an account that gets events of one type. */
export async function addWebhook(
  { webhooks }: Pick<DeliveringProcess, "webhooks">,
  accountId: AccountId,
  url: string,
  type: WebhookEventType,
): Promise<Webhook> {
  const created = await webhooks.create(accountId, { url, description: "", eventTypes: [type], enabled: true });
  if (created === undefined) throw new Error("not created");
  return created.webhook;
}

/** Each of its messages is a step. */
class MortalSender extends Sender {
  readonly #life: Lifetime;
  readonly #send: DeliveringProcessOptions["send"];

  constructor(life: Lifetime, clock: ManualClock, send: DeliveringProcessOptions["send"]) {
    super(new GuardedHttp({ allowLoopback: true }), clock);
    this.#life = life;
    this.#send = send;
  }

  override async send(message: Message, stop: AbortSignal): Promise<SentMessage> {
    this.#life.begin("send");
    return await (this.#send?.(message, stop) ?? this.#life.during(() => super.send(message, stop)));
  }
}

const STEP_MS = 100;
const STEPS_MAX = 50_000;

/**
 * Moves time until `isDone`, and only while none of the processes waits for a statement or an answer: those take real time, and
 * none of the clock's.
 */
export async function playUntil(
  clock: ManualClock,
  processes: () => readonly Pick<DeliveringProcess, "life">[],
  isDone: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let steps = 0; !(await isDone()); steps++) {
    if (steps === STEPS_MAX) throw new Error("not done after a long time");
    await settled();
    const isBusy = processes().some(({ life }) => life.inFlight > 0);
    if (isBusy) await new Promise((resolve) => setTimeout(resolve, 1));
    else await clock.play(STEP_MS);
  }
}
