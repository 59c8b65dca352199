/** One kind of request. */
export interface RequestSpec {
  method: "GET" | "POST";
  /** The API as a service reports it, `http://127.0.0.1:8080`. */
  apiUrl: string;
  path: string;
  key: string;
  /** JSON. */
  body?: string | undefined;
}

/** Requests at a fixed rate, whether earlier ones are answered or not. */
export interface OpenLoad extends RequestSpec {
  perSecond: number;
  seconds: number;
}

export interface LoadReport {
  /** Of each request, from the time at which it was to be sent until its answer was read, ms. */
  tookMs: Float32Array;
  /** How much later than intended each was sent, ms. */
  lateMs: Float32Array;
  /** Answers other than 200 and 201, and requests without one, each with its count. */
  failures: Readonly<Record<string, number>>;
}

export type ClientQuestions = {
  /** Resolves when every request is answered. */
  openLoad: { ask: OpenLoad; answer: LoadReport };
  /** Sends each request so many times, one after the other; the times of each, ms, in the order of the requests. */
  inTurn: { ask: { requests: readonly RequestSpec[]; times: number }; answer: Float32Array[] };
};
