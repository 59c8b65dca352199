import type { Clock } from "../../core/clock.ts";
import { isRetried, type WebhookRetries } from "./connection-overrides.ts";
import type { WebhookKind, WebhookRule } from "./scenario.ts";

/** A webhook as the carrier sends it. */
export interface Webhook {
  readonly kind: WebhookKind;
  /** Of its call, as the carrier names it. */
  readonly callId: string;
  readonly url: string;
  readonly method: "GET" | "POST";
  /** In place of what the carrier does otherwise. */
  readonly retries?: WebhookRetries;
  /** Made anew for each attempt, because signatures have the time of sending. */
  request(): { readonly headers: Readonly<Record<string, string>>; readonly body?: string };
}

export interface WebhookResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Sends one HTTP request. Rejects when there is no response. */
export type SendWebhook = (
  url: string,
  request: { method: string; headers: Readonly<Record<string, string>>; body?: string },
  signal: AbortSignal,
) => Promise<WebhookResponse>;

/** What became of a webhook, for the log. */
export interface SentWebhook {
  readonly atMs: number;
  readonly kind: WebhookKind;
  readonly callId: string;
  readonly method: string;
  readonly body: string;
  /** The status of the response; 0 where there was none, and -1 for a webhook that the scenario loses. */
  readonly status: number;
}

const LATE_MS_DEFAULT = 1_000;
/** From one attempt to the next where the address asks for attempts. No carrier documents it. */
const RETRY_MS = 1_000;
/** More than a document may have. */
const RESPONSE_CHARS_MAX = 100 * 1_024;

/** As `fetch` does, without following redirections: carriers follow none for a signed POST. */
export const sendByFetch: SendWebhook = async (url, request, signal) => {
  const response = await fetch(url, { ...request, redirect: "manual", signal });
  const body = (await response.text()).slice(0, RESPONSE_CHARS_MAX);
  return { status: response.status, contentType: response.headers.get("content-type") ?? "", body };
};

export interface WebhookSenderOptions {
  readonly clock: Clock;
  readonly send: SendWebhook;
  readonly rules: readonly WebhookRule[];
  /** From one attempt to the next, where the response is not 2xx. */
  readonly retryAfterMs: readonly number[];
  readonly timeoutMs: number;
  /** Called with each entry of the log, at once. */
  readonly onSent?: (webhook: SentWebhook) => void;
}

/** Sends webhooks: those of one call one after the other, unless the rules want it otherwise. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #rules: (WebhookRule & { left: number })[];
  readonly #sent: SentWebhook[] = [];
  /** The last webhook of each call that does not wait for an answer. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Webhooks that wait for the next one of their call. */
  readonly #held = new Map<string, (() => void)[]>();
  readonly #stop = new AbortController();

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#rules = options.rules.map((rule) => ({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY }));
  }

  get sent(): readonly SentWebhook[] {
    return this.#sent;
  }

  addRule(rule: WebhookRule): void {
    this.#rules.push({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY });
  }

  close(): void {
    this.#stop.abort();
  }

  /** Sends a webhook that awaits an answer. Undefined where there is none, or it is not 2xx, after all attempts. */
  async ask(webhook: Webhook): Promise<WebhookResponse | undefined> {
    const rule = this.#ruleFor(webhook.kind);
    if (rule?.does === "lost") return this.#lost(webhook);
    if (rule?.does === "late") await this.#wait(rule.delayMs ?? LATE_MS_DEFAULT);
    const answer = this.#attempt(webhook);
    if (rule?.does === "twice") void this.#attempt(webhook);
    this.#releaseAfter(webhook.callId, answer);
    return await answer;
  }

  /** Sends a webhook whose answer does not matter. */
  notify(webhook: Webhook): void {
    const rule = this.#ruleFor(webhook.kind);
    if (rule?.does === "lost") {
      this.#lost(webhook);
      return;
    }
    if (rule?.does === "after_next") {
      const held = this.#held.get(webhook.callId) ?? [];
      this.#held.set(webhook.callId, [...held, () => this.#enqueue(webhook)]);
      return;
    }
    if (rule?.does === "late") {
      void this.#wait(rule.delayMs ?? LATE_MS_DEFAULT).then(() => this.#attempt(webhook));
      return;
    }
    this.#releaseAfter(webhook.callId, this.#enqueue(webhook));
    if (rule?.does === "twice") void this.#enqueue(webhook);
  }

  #enqueue(webhook: Webhook): Promise<unknown> {
    const { callId } = webhook;
    const sending = (this.#last.get(callId) ?? Promise.resolve()).then(() => this.#attempt(webhook));
    this.#last.set(callId, sending);
    return sending;
  }

  #releaseAfter(callId: string, sending: Promise<unknown>): void {
    const held = this.#held.get(callId) ?? [];
    this.#held.delete(callId);
    void sending.then(() => {
      for (const send of held) send();
    });
  }

  /** Never rejects. */
  async #attempt(webhook: Webhook): Promise<WebhookResponse | undefined> {
    const { retries } = webhook;
    const delaysMs =
      retries === undefined ? this.#options.retryAfterMs : Array.from({ length: retries.count }, () => RETRY_MS);
    for (const retryAfterMs of [...delaysMs, undefined]) {
      const response = await this.#once(webhook);
      if (response !== undefined && response.status >= 200 && response.status < 300) return response;
      if (retryAfterMs === undefined || this.#stop.signal.aborted) break;
      if (retries !== undefined && !isRetried(retries, response?.status ?? 0)) break;
      await this.#wait(retryAfterMs);
    }
    return undefined;
  }

  async #once(webhook: Webhook): Promise<WebhookResponse | undefined> {
    const { clock, send, timeoutMs } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort());
    const { method, url } = webhook;
    const request = webhook.request();
    try {
      const response = await send(url, { method, ...request }, AbortSignal.any([late.signal, this.#stop.signal]));
      this.#record(webhook, request.body ?? "", response.status);
      return response;
    } catch {
      // A customer that does not answer is a case of the scenario, as any other.
      this.#record(webhook, request.body ?? "", 0);
      return undefined;
    } finally {
      cancel();
    }
  }

  #lost(webhook: Webhook): undefined {
    this.#record(webhook, webhook.request().body ?? "", -1);
    return undefined;
  }

  #record({ kind, callId, method }: Webhook, body: string, status: number): void {
    const sent = { atMs: Number(this.#options.clock.epochMs()), kind, callId, method, body, status };
    this.#sent.push(sent);
    this.#options.onSent?.(sent);
  }

  #ruleFor(kind: WebhookKind): WebhookRule | undefined {
    const rule = this.#rules.find((one) => one.left > 0 && (one.kind ?? kind) === kind);
    if (rule !== undefined) rule.left -= 1;
    return rule;
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(delayMs, resolve);
    });
  }
}
