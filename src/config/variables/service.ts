import type { Variables } from "../../core/configuration/variable.ts";
import { MAX_WORDLESS_S_DEFAULT, MAX_WORDLESS_S_MAX, MAX_WORDLESS_S_MIN } from "../../core/limits/calls/calls.ts";
import {
  ACCOUNT_REQUESTS_DEFAULT,
  API_KEY_REQUESTS_DEFAULT,
  REQUESTS_PER_MINUTE_MAX,
} from "../../core/limits/control-api/api.ts";
import { DOCUMENT_BYTES_DEFAULT, DOCUMENT_BYTES_LIMIT } from "../../core/limits/knowledge/corpora.ts";
import {
  CALLS_PER_WORKER_DEFAULT,
  TOKEN_TTL_S_DEFAULT,
  TOKEN_TTL_S_MAX,
  TOKEN_TTL_S_MIN,
} from "../../core/limits/service/admission.ts";
import { WORKERS_MAX } from "../../core/limits/service/processes.ts";
import { SEGMENT_S_DEFAULT, SEGMENT_S_MAX, SEGMENT_S_MIN } from "../../core/limits/storage/bucket.ts";
import { DISK_FREE_MB_MIN_DEFAULT, DISK_FREE_MB_MIN_MAX } from "../../core/limits/storage/storage.ts";
import {
  MEDIA_TIMEOUT_S_MAX,
  MEDIA_TIMEOUT_S_MIN,
  PING_INTERVAL_S_DEFAULT,
  PING_INTERVAL_S_MAX,
  PING_TIMEOUT_S_DEFAULT,
  PING_TIMEOUT_S_MAX,
} from "../../core/limits/streams/connections.ts";
import {
  TRANSCRIPTION_BYTES_DEFAULT,
  TRANSCRIPTION_BYTES_LIMIT,
} from "../../core/limits/transcriptions/transcriptions.ts";

const CALLS = [1, 100_000] as const;
const REQUESTS = [1, REQUESTS_PER_MINUTE_MAX] as const;

/** Calls, processes and storage. */
export const SERVICE_VARIABLES = {
  DATA_DIR: {
    default: "data",
    format: "a folder",
    meaning:
      "database, journals, recordings, and in `run` the socket of the workers; used by one service at a time. Nothing in it is " +
      "encrypted: see [security](security.md#what-is-not-protected). It is checked at start: if it cannot be created or written " +
      "to, the service exits with one line that says why",
  },
  DATABASE_URL: {
    format: "a Postgres address",
    meaning:
      "`postgres://user:password@host:5432/database`, with `?sslmode=verify-full` over a network: calls, agents, keys, jobs and " +
      "webhooks are stored there instead of in `DATA_DIR`, which keeps journals, recordings and keys. See " +
      "[operations](operations.md)",
  },
  NODE_NAME: {
    format: "letters, digits, dots, hyphens and underscores",
    meaning:
      "the name of this node of a cluster, which no other node has: nodes share `DATABASE_URL` and `SECRETS_KEY`, and each has a " +
      "`DATA_DIR` of its own. Without it the service is alone on its database",
  },
  BUCKET_URL: {
    format: "the address of a bucket (`https://s3.example.com/trunkline`)",
    meaning:
      "a bucket of an S3-compatible store: journals are shipped to it while calls are live, and recordings and uploaded files are stored " +
      "there, so that they outlive this machine and other nodes can read them. `https://bucket.host` names it as well. It belongs to one database. Required with " +
      "`NODE_NAME`. See [operations](operations.md#a-bucket-for-journals-and-recordings)",
  },
  BUCKET_ACCESS_KEY_ID: {
    format: "printable ASCII; set together with `BUCKET_URL`",
    meaning: "the id of the access key for the bucket, which must read, write, list and delete its objects",
  },
  BUCKET_SECRET_ACCESS_KEY: {
    format: "printable ASCII; set together with `BUCKET_URL`",
    meaning: "the secret of this access key",
  },
  BUCKET_REGION: {
    default: "us-east-1",
    format: "a region of the store",
    meaning: "the region with which requests to the bucket are signed; stores that have no regions accept the default",
  },
  BUCKET_SEGMENT_S: {
    default: String(SEGMENT_S_DEFAULT),
    range: [SEGMENT_S_MIN, SEGMENT_S_MAX],
    meaning:
      "how often the journals of live calls are shipped to the bucket, in seconds: what a machine that is lost with its disk can take along " +
      "of a call",
  },
  SECRETS_KEY: {
    format: "32 bytes as base64; earlier keys after a comma",
    meaning:
      "seals what is secret in the database, such as the secrets of webhooks; without it the key is in `DATA_DIR/secrets-key`, " +
      "which is made at the first start. Without the key those secrets are lost: see [operations](operations.md)",
  },
  ENCRYPT_MEDIA: {
    default: "false",
    oneOf: ["true", "false"],
    meaning:
      "`true`: journals and recordings of new calls are encrypted, each call with a key of its own that `SECRETS_KEY` seals; " +
      "see [operations](operations.md#encrypted-media)",
  },
  FFMPEG: {
    default: "ffmpeg",
    format: "a program",
    meaning:
      "decodes audio files that are no plain WAV, for transcriptions; a name is looked up in `PATH`. Where there is none, only WAV " +
      "files are transcribed: see [transcriptions](transcribe.md)",
  },
  WEBHOOKS_ALLOW_LOOPBACK: {
    default: "false",
    oneOf: ["true", "false"],
    meaning: "`true`: webhooks may send to this machine, for trials; refused when `NODE_ENV=production`",
  },
  TOKEN_TTL_S: {
    default: String(TOKEN_TTL_S_DEFAULT),
    range: [TOKEN_TTL_S_MIN, TOKEN_TTL_S_MAX],
    meaning: "how long a stream token can be redeemed",
  },
  WORKERS: {
    defaultText: "number of cores less one, at least 1",
    range: [1, WORKERS_MAX],
    meaning: "media workers, all on one port",
  },
  WORKER_REALTIME: {
    default: "auto",
    oneOf: ["auto", "true", "false"],
    meaning:
      "frames go before everything else on the machine. `auto`: where Linux allows it and the workers leave a processor to the rest; `true`: always, with a warning where Linux refuses; see [scaling](scaling.md#a-real-time-priority)",
  },
  CALLS_PER_WORKER: {
    default: String(CALLS_PER_WORKER_DEFAULT),
    range: CALLS,
    meaning: "capacity of each worker; past it `POST /calls` gets 503 `overloaded`, and a full worker stops listening",
  },
  CALLS_PER_API_KEY: {
    range: CALLS,
    meaning:
      "calls at once for each API key, including those whose token can still be redeemed; past it 429 `rate_limited`. Without it " +
      "one API key can take all capacity",
  },
  API_KEY_REQUESTS_PER_MINUTE: {
    default: String(API_KEY_REQUESTS_DEFAULT),
    range: REQUESTS,
    meaning:
      "requests to the API with one API key within a minute, all of which may come at once; past it 429 `rate_limited`. See " +
      "[the API](api.md#limits-of-requests)",
  },
  ACCOUNT_REQUESTS_PER_MINUTE: {
    default: String(ACCOUNT_REQUESTS_DEFAULT),
    range: REQUESTS,
    meaning: "the same for all API keys of one account together",
  },
  DISK_FREE_MIN_MB: {
    default: String(DISK_FREE_MB_MIN_DEFAULT),
    range: [0, DISK_FREE_MB_MIN_MAX],
    meaning:
      "with less space free than this (MB of 1,000,000 bytes) on a disk of `DATA_DIR`, new calls get 503 `insufficient_storage` " +
      "and live calls continue; `0` for never. A call of a carrier writes up to 53 KB/s with its recording, so calls × 190 MB × " +
      "hours is what live calls need to end; a call of `websocket` writes up to 192 KB/s, by its rates",
  },
  TRANSCRIPTION_BYTES_MAX: {
    default: String(TRANSCRIPTION_BYTES_DEFAULT),
    range: [1_000, TRANSCRIPTION_BYTES_LIMIT],
    meaning:
      "the most bytes of a file that is uploaded or fetched to be transcribed; see [transcribe](transcribe.md). Files wait in " +
      "`DATA_DIR/transcriptions`",
  },
  DOCUMENT_BYTES_MAX: {
    default: String(DOCUMENT_BYTES_DEFAULT),
    range: [1_000, DOCUMENT_BYTES_LIMIT],
    meaning:
      "the most bytes of a document that is uploaded to a corpus or fetched for it; see [knowledge](knowledge.md). Files are kept in " +
      "`DATA_DIR/documents`",
  },
  RETENTION: {
    defaultText: "nothing is deleted",
    format: "JSON",
    meaning:
      'days after the end of a call at which parts of it are deleted: `{"recordingDays": 30, "transcriptDays": 90, "recordDays": ' +
      '365, "accounts": {"acme": {"recordingDays": 7}}}`; see [retention](operations.md#retention)',
  },
  PING_INTERVAL_S: {
    default: String(PING_INTERVAL_S_DEFAULT),
    range: [1, PING_INTERVAL_S_MAX],
    meaning: "how often the other side of a stream is pinged",
  },
  PING_TIMEOUT_S: {
    default: String(PING_TIMEOUT_S_DEFAULT),
    range: [2, PING_TIMEOUT_S_MAX],
    meaning:
      "without a message, ping or pong for this long the call of a peer that answers pings ends as `connection_lost`; more than " +
      "`PING_INTERVAL_S`. See [lost connections](stream-protocol.md#lost-connections)",
  },
  MEDIA_TIMEOUT_S: {
    range: [MEDIA_TIMEOUT_S_MIN, MEDIA_TIMEOUT_S_MAX],
    meaning:
      "a call whose peer sends no audio for this long ends as `connection_lost`, though the peer answers pings. Carriers send none " +
      "for a caller who is muted or silent",
  },
  MAX_WORDLESS_S: {
    default: String(MAX_WORDLESS_S_DEFAULT),
    range: [MAX_WORDLESS_S_MIN, MAX_WORDLESS_S_MAX],
    meaning:
      "a call whose caller gives no words, DTMF or typed text for this long ends with `inactivity`, whatever sounds and whatever " +
      "the agent says; a call with a longer `inactivityTimeout` ends after that. See " +
      "[inactivity](turn-taking.md#inactivity)",
  },
  DRAIN_MS: {
    default: "30000",
    range: [0, 7_200_000],
    meaning: "how long live calls may continue after SIGTERM",
  },
  LOG_LEVEL: {
    default: "info",
    oneOf: ["debug", "info", "warn", "error"],
    meaning: "the least severe lines that are logged",
  },
  NODE_ENV: {
    format: "`production` or any other text",
    meaning:
      "`production`: the reference pair serves only where it is named, no first API key is written, and `TOOLS_ALLOW_LOOPBACK` is " +
      "refused",
  },
} as const satisfies Variables;
