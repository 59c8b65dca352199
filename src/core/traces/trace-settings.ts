/** Where traces are sent, and what is said about the service. */
export interface TraceSettings {
  /** The collector's address for traces, with its path. */
  url: string;
  /** They may be secret. */
  headers: Readonly<Record<string, string>>;
  /** Attributes of the service, `service.name` among them. */
  resource: Readonly<Record<string, string>>;
  /** The share of calls that are traced, 0 to 1. */
  sampleRatio: number;
  /** What was said is part of the spans. */
  hasWords: boolean;
}
