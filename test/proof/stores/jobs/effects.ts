import Libsql from "libsql";
import { systemAgeClock } from "../../../../src/core/age-clock.ts";
import { millisecondsOf } from "../../../../src/core/clocks.ts";
import type { ClaimedJob } from "../../../../src/store/job-store.ts";

/** What a handler has done, by the id of its job, and what it was about. */
export interface Effect {
  jobId: string;
  kind: string;
  fact: string;
}

export interface Attempt {
  jobId: string;
  kind: string;
  /** As the claim said it. */
  attempt: number;
  losses: number;
  begunMs: number;
  /** Null where its process was killed meanwhile. */
  endedMs: number | null;
}

/**
 * The effects of handlers, in a database of their own: a process may be killed between an effect and the store's knowledge of
 * it. Everything is in it when a call returns, also of a process that is killed afterwards.
 */
export class EffectsFile {
  readonly #file: Libsql.Database;
  readonly #age = systemAgeClock();

  constructor(path: string) {
    this.#file = new Libsql(path);
    this.#file.exec("PRAGMA busy_timeout = 10000");
    this.#file.exec("PRAGMA journal_mode = WAL");
    // Processes are killed, and the machine is not.
    this.#file.exec("PRAGMA synchronous = OFF");
    this.#file.exec(
      "CREATE TABLE IF NOT EXISTS effects (job_id TEXT PRIMARY KEY, kind TEXT NOT NULL, fact TEXT NOT NULL)",
    );
    this.#file.exec(
      "CREATE TABLE IF NOT EXISTS attempts (job_id TEXT NOT NULL, kind TEXT NOT NULL, attempt INTEGER NOT NULL, " +
        "losses INTEGER NOT NULL, begun_ms INTEGER NOT NULL, ended_ms INTEGER)",
    );
  }

  /** An attempt begins. Returns its number, for `end`. */
  begin({ id, kind, attempt, losses }: ClaimedJob): number {
    const sql = "INSERT INTO attempts (job_id, kind, attempt, losses, begun_ms) VALUES (?, ?, ?, ?, ?)";
    return Number(this.#file.prepare(sql).run(id, kind, attempt, losses, this.nowMs()).lastInsertRowid);
  }

  end(attempt: number): void {
    this.#file.prepare("UPDATE attempts SET ended_ms = ? WHERE rowid = ?").run(this.nowMs(), attempt);
  }

  /** Does the effect of a job, once however often it is called. */
  apply({ id, kind }: Pick<ClaimedJob, "id" | "kind">, fact: string): void {
    this.#file.prepare("INSERT INTO effects VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(id, kind, fact);
  }

  /** The time by a clock that all processes share. */
  nowMs(): number {
    return millisecondsOf(this.#age.nowMs());
  }

  effects(): readonly Effect[] {
    return this.#file.prepare("SELECT job_id AS jobId, kind, fact FROM effects").all() as Effect[];
  }

  attempts(): readonly Attempt[] {
    const columns = "job_id AS jobId, kind, attempt, losses, begun_ms AS begunMs, ended_ms AS endedMs";
    return this.#file.prepare(`SELECT ${columns} FROM attempts ORDER BY rowid`).all() as Attempt[];
  }

  close(): void {
    this.#file.close();
  }
}
