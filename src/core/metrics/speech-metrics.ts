import { counter, histogram, observableCounter, observableGauge, observableGauges, registryOf } from "./instruments.ts";

/** How a job for a local speech model ends, and why one of their processes does: label values. */
export const SPEECH_JOB_OUTCOMES = ["done", "judged", "dropped", "timed_out", "failed"] as const;
export const SPEECH_END_CAUSES = ["hung", "died", "too_large", "not_started"] as const;

/** Durations of jobs: an interim of a second of speech takes 60 ms, a final of 8 s half a second, and a loaded machine is slower. */
const JOB_BUCKETS_S = [0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.5, 2.5, 5, 10];

/** What is read at each scrape. */
export interface SpeechReadings {
  /** Processes that have loaded their model. */
  ready: number;
  residentBytes: number;
  cpuMs: number;
  /** Jobs that wait, by urgency. */
  waiting: Readonly<Record<string, number>>;
}

/** The metrics of the process that owns the local speech models. Its methods are called once per job or process. */
export class SpeechMetrics {
  readonly registry = registryOf("speech");
  readonly #ended = counter(
    this.registry,
    "local_speech_processes_ended_total",
    "Processes with a local speech model that ended and were replaced. `hung`: no answer for 10 s. `died`: they exited or were killed. `too_large`: they had become too large. `not_started`: they could not load the model, see the log.",
    ["cause"],
  );
  readonly #jobs = counter(
    this.registry,
    "local_speech_jobs_total",
    "Passes of local speech models over audio of calls and recordings. `final`: for final transcripts. `turn`: of the turn model, which has `judged`. `pause`: at pauses that were not the end of the speech. `interim`: for interim transcripts; under load they are `dropped`. `batch`: of recordings, which calls stop and which are then done again; counted when they are done. `timed_out`: the audio went to the next STT.",
    ["urgency", "outcome"],
  );
  readonly #late = counter(
    this.registry,
    "local_speech_finals_late_total",
    "Final transcripts of local STT that came late because no other STT is configured as its fallback.",
  );
  readonly #wait = histogram(
    this.registry,
    "local_speech_wait_seconds",
    "Time that jobs waited for a process.",
    ["urgency"],
    JOB_BUCKETS_S,
  );
  readonly #pass = histogram(
    this.registry,
    "local_speech_pass_seconds",
    "Time that processes took for jobs.",
    ["urgency"],
    JOB_BUCKETS_S,
  );

  /** `urgencies`: all that jobs can have. `readings` is called at each scrape. */
  constructor(urgencies: readonly string[], readings: () => SpeechReadings) {
    const { registry } = this;
    observableGauge(
      registry,
      "local_speech_processes",
      "Processes that have loaded their local speech model.",
      () => readings().ready,
    );
    observableGauge(
      registry,
      "local_speech_resident_bytes",
      "Resident memory of all processes with a local speech model.",
      () => readings().residentBytes,
    );
    observableGauges(
      registry,
      "local_speech_jobs_waiting",
      "Jobs that wait for a process.",
      "urgency",
      () => readings().waiting,
    );
    observableCounter(
      registry,
      "local_speech_cpu_seconds_total",
      "CPU time of all processes with a local speech model, those that have ended included.",
      () => readings().cpuMs / 1_000,
    );
    // Counters start at 0, so that their first increment is visible as an increase.
    for (const cause of SPEECH_END_CAUSES) this.#ended.inc({ cause }, 0);
    for (const urgency of urgencies) for (const outcome of SPEECH_JOB_OUTCOMES) this.#jobs.inc({ urgency, outcome }, 0);
  }

  processEnded(cause: (typeof SPEECH_END_CAUSES)[number]): void {
    this.#ended.inc({ cause });
  }

  /** Durations in ms; `passMs` and `lateMs` of one that is done. */
  jobEnded(
    urgency: string,
    outcome: (typeof SPEECH_JOB_OUTCOMES)[number],
    { waitMs, passMs, lateMs }: { waitMs: number; passMs: number; lateMs: number },
  ): void {
    this.#jobs.inc({ urgency, outcome });
    this.#wait.observe({ urgency }, waitMs / 1_000);
    if (outcome !== "done" && outcome !== "judged") return;
    this.#pass.observe({ urgency }, passMs / 1_000);
    if (lateMs > 0) this.#late.inc();
  }
}
