import type { CallId } from "../../core/ids.ts";
import type { JobHandler } from "../../jobs/handler.ts";
import type { AnalysisStore } from "../../store/calls/analysis-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";

const ATTEMPT_MS_MAX = 30_000;
/** Every minute or so for a day: an end that no webhook hears of is lost. */
const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, ...Array.from({ length: 1_440 }, () => 60_000)];

/** Announces the end of a call whose analysis did not come in time. */
export class AnnounceEndJob implements JobHandler {
  readonly attemptMsMax = ATTEMPT_MS_MAX;
  readonly retryDelaysMs = RETRY_DELAYS_MS;
  readonly #analyses: Pick<AnalysisStore, "announceEnd">;

  constructor(analyses: Pick<AnalysisStore, "announceEnd">) {
    this.#analyses = analyses;
  }

  run(job: ClaimedJob): Promise<void> {
    return this.#analyses.announceEnd((job.payload as { callId: CallId }).callId);
  }
}
