import { z } from "zod";
import { STAGES } from "../../core/calls/stages.ts";
import { NODE_STATES } from "../../store/cluster/node-store.ts";
import { WORKER_ROLES } from "../../store/handoff/messages.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { REFUSAL_CODES } from "../http/errors.ts";

const count = (description: string) => z.int().meta({ description });

const delay = (description: string) =>
  z
    .number()
    .nullable()
    .meta({
      description: `${description} STT: from the caller's last voiced frame to the final transcript. LLM, TTS: from the request to the first content. An estimate, from a histogram; null without responses.`,
    });

const NewCalls = z
  .object({
    accepted: z.boolean().meta({ description: "As `GET /readyz` says." }),
    reason: z
      .enum(REFUSAL_CODES)
      .nullable()
      .meta({ description: "The error code of new calls while they are refused." }),
    message: z.string().meta({ description: "The same for people." }),
  })
  .meta({ description: "Whether new calls are accepted." });

const Worker = z.object({
  id: z.string().meta({ description: "One start of a media worker." }),
  role: z.enum(WORKER_ROLES).meta({
    description: "Which calls it carries: `webrtc` those of browsers by WebRTC alone, `media` all others.",
  }),
  acceptsCalls: z.boolean().meta({ description: "It listens and does not drain." }),
  calls: count("Calls that it carries."),
  callsMax: count("Calls that it can carry (`CALLS_PER_WORKER`)."),
  loopDelayMs: z
    .number()
    .meta({ description: "The delay of its event loop, the 99th percentile of the last seconds." }),
});

const Provider = z.object({
  stage: z.enum(STAGES).meta({ description: "What it is used for." }),
  provider: z.string().meta({ examples: ["openai"] }),
  circuitBreaker: z.enum(["closed", "open"]).meta({
    description:
      "`open`: it has failed repeatedly in at least one worker, whose calls use the fallbacks until a probe succeeds.",
  }),
  openInWorkers: count("In how many workers it is open."),
  answers: count("How often it has responded to calls, since the workers started."),
  failures: count("How often it has failed since then, also where a retry or a fallback made up for it."),
  medianDelayMs: delay("How long it takes to respond: half of its responses took less."),
  p95DelayMs: delay("The same of 95 % of its responses."),
});

const Part = z.object({
  name: z.string().meta({ description: "A part of the configuration.", examples: ["speech recognition"] }),
  state: z.enum(["ready", "missing", "optional"]).meta({
    description:
      "`ready`: it is configured. `missing`: calls with people need it, or it is unsafe without it. `optional`: it is not " +
      "configured, and need not be.",
  }),
  message: z.string().meta({ description: "What it does at present, and which variable to set." }),
  variables: z
    .array(z.string())
    .readonly()
    .meta({ description: "The environment variables that decide it, the one to set first.", examples: [["STT"]] }),
});

const JobsOfKind = z.object({
  kind: z.string().meta({ examples: ["webhook.deliver"] }),
  waiting: count("Jobs that wait for their time or their turn."),
  running: count("Jobs in progress."),
  dead: count("Jobs that have used up their attempts."),
});

const Slots = z.object({
  max: count("Calls that the workers can carry in their present state."),
  active: count("Calls that they carry."),
  reserved: count("Calls that were created and wait for their streams."),
});

const Node = z.object({
  name: z.string().meta({ description: "`NODE_NAME`.", examples: ["node-1"] }),
  state: z.enum([...NODE_STATES, "gone"]).meta({
    description:
      "`accepting`: it takes new calls where it has slots. `refusing`: it takes none at present. `draining`: it stops when its calls have " +
      "ended. `gone`: its lease has ended, and other nodes record its calls.",
  }),
  version: z.string().meta({ description: "Of its software." }),
  mediaUrl: z.string().nullable().meta({ description: "`NODE_MEDIA_URL`; null where all nodes have one address." }),
  slots: Slots.meta({ description: "The call slots of its workers." }),
  webrtc: z.boolean().meta({ description: "It carries WebRTC calls." }),
  leaseLeftMs: z
    .number()
    .meta({ description: "How long its calls are its own from now on; below 0 once the lease has ended." }),
  takenBy: z.string().nullable().meta({ description: "The node that has taken over its calls." }),
  startedAt: time.meta({ description: "When its control process started." }),
});

const EXAMPLE = {
  version: "1.0.0",
  checkedAt: "2026-11-21T08:00:00.000Z",
  newCalls: { accepted: true, reason: null, message: "new calls are accepted" },
  slots: { max: 1_000, active: 12, reserved: 1 },
  workers: [
    { id: "worker_1", role: "media" as const, acceptsCalls: true, calls: 12, callsMax: 1_000, loopDelayMs: 3.5 },
  ],
  silentWorkers: 0,
  providers: [
    {
      stage: "llm" as const,
      provider: "openai",
      circuitBreaker: "closed" as const,
      openInWorkers: 0,
      answers: 412,
      failures: 1,
      medianDelayMs: 380,
      p95DelayMs: 910,
    },
  ],
  jobs: {
    waiting: 3,
    running: 1,
    dead: 0,
    oldestDueSeconds: 0,
    kinds: [{ kind: "webhook.deliver", waiting: 3, running: 1, dead: 0 }],
  },
  disk: { state: "ok" as const, freeBytes: 53_687_091_200, minFreeBytes: 1_073_741_824 },
  database: { kind: "postgres" as const, state: "ok" as const },
  nodes: [
    {
      name: "node-1",
      state: "accepting" as const,
      version: "1.0.0",
      mediaUrl: "wss://node-1.example.com",
      slots: { max: 1_000, active: 12, reserved: 1 },
      webrtc: false,
      leaseLeftMs: 4_310,
      takenBy: null,
      startedAt: "2026-11-21T07:00:00.000Z",
    },
  ],
  configuration: [
    {
      name: "speech recognition",
      state: "ready" as const,
      message: "STT is deepgram, with the fallback local",
      variables: ["STT"],
    },
  ],
};

/** `GET /status`. */
export const StatusItem = z
  .object({
    version: z.string().meta({ description: "Of the service." }),
    checkedAt: time.meta({ description: "When this was read; up to a second ago." }),
    newCalls: NewCalls,
    slots: Slots.meta({ description: "The call slots of all workers of this node." }),
    workers: z.array(Worker).meta({ description: "The media workers that are connected." }),
    silentWorkers: count("Workers that did not say within half a second which circuit breakers are open."),
    providers: z.array(Provider).meta({ description: "The configured providers, as the workers see them." }),
    jobs: z
      .object({
        waiting: count("Jobs that wait for their time or their turn."),
        running: count("Jobs in progress."),
        dead: count("Jobs that have used up their attempts: `npm run admin -- jobs` lists them."),
        oldestDueSeconds: z.number().meta({ description: "For how long the job that is due the longest has waited." }),
        kinds: z
          .array(JobsOfKind)
          .meta({ description: "The same by kind, of the kinds that have jobs, in the order of their names." }),
      })
      .meta({ description: "Background jobs, read at most 10 s ago; at most 100,000 of each are counted." }),
    disk: z
      .object({
        state: z.enum(["ok", "low", "unknown"]).meta({ description: "`low`: new calls are refused." }),
        freeBytes: z.number().nullable().meta({ description: "Of the fullest disk that the service writes to." }),
        minFreeBytes: z.number().meta({ description: "`DISK_FREE_MIN_MB` in bytes." }),
      })
      .meta({ description: "The disks of `DATA_DIR`." }),
    database: z
      .object({
        kind: z.enum(["sqlite", "postgres"]),
        state: z.enum(["ok", "lost"]).meta({ description: "`lost`: it does not answer, and nothing is written." }),
      })
      .meta({ description: "Where calls and agents are stored." }),
    nodes: z.array(Node).meta({
      description:
        "All nodes of the cluster, by name, as they were up to a second ago; empty in a service that is alone on its database.",
    }),
    configuration: z.array(Part).meta({ description: "What is configured and what is missing; never a secret." }),
  })
  .meta({ id: "Status", description: "The state of the service.", examples: [EXAMPLE] });

/** The state of the service, as the operator sees it. */
export type Status = z.output<typeof StatusItem>;
