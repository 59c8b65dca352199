import type { PostgresServer } from "../../support/postgres/server.ts";

const READS_MAX = 10;

/** Processor time of all processes of Postgres, ms. The process of a connection may end while it is read. */
export function cpuMsOf(postgres: PostgresServer): number {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return postgres.cpuMs;
    } catch (error) {
      if (attempt >= READS_MAX) throw error;
    }
  }
}
