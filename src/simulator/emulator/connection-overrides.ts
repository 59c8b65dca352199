/** How a webhook is repeated whose address says so in its fragment. */
export interface WebhookRetries {
  readonly count: number;
  /** `4xx` and `5xx` are answers, `ct` and `rt` are no connection and no answer in time. */
  readonly policy: readonly string[];
}

/** An address without its fragment, which is neither sent nor signed. */
export interface WebhookAddress {
  readonly url: string;
  readonly retries?: WebhookRetries;
}

const COUNT_MAX = 5;
/** Each carrier's defaults. */
const COUNT_DEFAULT = 1;

/**
 * Reads the fragment that Twilio and Plivo have for the settings of a webhook; those of time and place are left out:
 * https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides, https://www.plivo.com/docs/voice/concepts/callback-configurations
 */
export function webhookAddress(address: string): WebhookAddress {
  const [url = "", fragment] = address.split("#", 2);
  if (fragment === undefined) return { url };
  const given = new URLSearchParams(fragment);
  const count = Math.min(COUNT_MAX, Number(given.get("rc") ?? COUNT_DEFAULT) || 0);
  return { url, retries: { count, policy: (given.get("rp") ?? "ct").split(",") } };
}

/** Whether a webhook with this status is repeated; 0 where there was no answer. */
export function isRetried({ policy }: WebhookRetries, status: number): boolean {
  const classes = status === 0 ? ["ct", "rt"] : [`${Math.floor(status / 100)}xx`];
  return ["all", ...classes].some((name) => policy.includes(name));
}
