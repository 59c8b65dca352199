import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../network/free-port.ts";
import { POSTGRES_OWNER, POSTGRES_PROGRAMS } from "../postgres/server.ts";

/** The programs of a page that starts a server of its own, `initdb` and `pg_ctl`, and the servers that they started. */
export class PostgresPrograms {
  /** For the server of the page. */
  readonly port: string;
  /** The data directories of `initdb`, one a line. */
  readonly #list: string;

  private constructor(port: string, list: string) {
    this.port = port;
    this.#list = list;
  }

  /** Writes them into a folder by `write`, which gets their names and texts; none where the server is not installed. */
  static async create(folder: string, write: (name: string, text: string) => void): Promise<PostgresPrograms> {
    const list = join(folder, "postgres-servers");
    if (POSTGRES_PROGRAMS !== undefined) {
      for (const name of ["initdb", "pg_ctl"]) write(name, programText(join(POSTGRES_PROGRAMS, name), list));
    }
    return new PostgresPrograms(String(await freePort()), list);
  }

  /** Ends and deletes the servers that a page did not end. */
  removeServers(): void {
    if (POSTGRES_PROGRAMS === undefined || !existsSync(this.#list)) return;
    for (const folder of readFileSync(this.#list, "utf8").trim().split("\n")) {
      if (!existsSync(folder)) continue;
      spawnSync(join(POSTGRES_PROGRAMS, "pg_ctl"), ["stop", "-D", folder, "-m", "immediate"], AS_OWNER);
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

const AS_OWNER = { ...POSTGRES_OWNER, cwd: "/" };

/** A program that runs another as its reader would, who is not root, and notes the data directory of `initdb`. */
const programText = (path: string, list: string): string => `
import { spawnSync } from "node:child_process";
import { appendFileSync, chownSync } from "node:fs";
const { uid, gid, cwd } = ${JSON.stringify(AS_OWNER)};
const { PGDATA } = process.env;
if (${path.endsWith("initdb")}) {
  appendFileSync(${JSON.stringify(list)}, PGDATA + "\\n");
  if (uid !== undefined) chownSync(PGDATA, uid, gid);
}
const { status } = spawnSync(${JSON.stringify(path)}, process.argv.slice(2), { uid, gid, cwd, stdio: "inherit" });
process.exitCode = status ?? 1;`;
