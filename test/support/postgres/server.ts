import { strict as assert } from "node:assert";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../network/free-port.ts";

/** Where Debian installs the server's programs, of which only the client's are in the PATH. */
const DEBIAN = "/usr/lib/postgresql";

/** The folder of the server's programs; undefined where they are not installed. */
export const POSTGRES_PROGRAMS = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .map((version) => join(DEBIAN, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined;

/** Whether tests can start a server here. */
export const hasPostgres = POSTGRES_PROGRAMS !== undefined;

const START_MS_MAX = 20_000;
const POLL_MS = 20;

const isRoot = process.getuid?.() === 0;
const idOf = (option: "-u" | "-g"): number => Number(spawnSync("id", [option, "postgres"]).stdout.toString());
/** Who runs servers: they refuse to run as root, and Debian's package makes a user. Empty for the user of the tests. */
export const POSTGRES_OWNER: { uid?: number; gid?: number } =
  hasPostgres && isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};

export interface PostgresServerOptions {
  /** Settings of postgresql.conf, `max_connections: "10"`. */
  settings?: Readonly<Record<string, string>>;
  /** Environment variables of its processes. */
  env?: Readonly<Record<string, string>>;
}

/** A real server with a data directory of its own, on a port of this machine. Losing power would damage it. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #databases = 0;

  private constructor(folder: string, port: number, { settings = {}, env = {} }: PostgresServerOptions) {
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
    this.#env = env;
  }

  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const settings = ["-U", "trunkline", "--auth=trust", "--no-sync", "--locale=C.UTF-8", "-E", "UTF8"];
    return await PostgresServer.#startWith("initdb", settings, options);
  }

  /**
   * A copy of this server that follows it until it is promoted, by this name in `synchronous_standby_names`; with `port` through a proxy of
   * this process that listens there.
   */
  async startStandby(
    name: string,
    { port = this.port, ...options }: PostgresServerOptions & { port?: number } = {},
  ): Promise<PostgresServer> {
    const sourceAt = (at: number): string => `host=127.0.0.1 port=${at} user=trunkline application_name=${name}`;
    const copy = [
      "-d",
      sourceAt(this.port),
      "--write-recovery-conf",
      "--wal-method=stream",
      "--checkpoint=fast",
      "--no-sync",
    ];
    const settings = { primary_conninfo: sourceAt(port), ...options.settings };
    return await PostgresServer.#startWith("pg_basebackup", copy, { ...options, settings });
  }

  /** Runs a server on the data directory that this program makes. */
  static async #startWith(
    program: string,
    args: readonly string[],
    options: PostgresServerOptions,
  ): Promise<PostgresServer> {
    assert.ok(POSTGRES_PROGRAMS !== undefined, "PostgreSQL is installed");
    const folder = mkdtempSync(join(tmpdir(), "trunkline-postgres-"));
    const { uid, gid } = POSTGRES_OWNER;
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const { status, stderr } = spawnSync(join(POSTGRES_PROGRAMS, program), ["-D", join(folder, "data"), ...args], {
      ...POSTGRES_OWNER,
      cwd: folder,
    });
    assert.equal(status, 0, `${program}: ${stderr}`);
    const server = new PostgresServer(folder, await freePort(), options);
    await server.run();
    return server;
  }

  /** The address of one of its databases. */
  url(database = "postgres"): string {
    return `postgres://trunkline@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts it, also again after `stop` or `kill`. */
  async run(): Promise<void> {
    assert.ok(POSTGRES_PROGRAMS !== undefined && this.#child === undefined);
    const settings = {
      port: String(this.port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      fsync: "off",
      shared_buffers: "16MB",
      log_min_messages: "fatal",
      ...this.#settings,
    };
    const child = spawn(
      join(POSTGRES_PROGRAMS, "postgres"),
      [
        "-D",
        join(this.#folder, "data"),
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      {
        ...POSTGRES_OWNER,
        cwd: this.#folder,
        env: { ...process.env, ...this.#env },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let complaints = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaints = (complaints + text).slice(-4_000);
    });
    this.#child = child;
    for (const endMs = performance.now() + START_MS_MAX; !(await this.#answers()); await delay(POLL_MS)) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${complaints}`);
      if (performance.now() > endMs) throw new Error(`PostgreSQL does not answer: ${complaints}`);
    }
  }

  /** A new empty database, or a copy of another that has no connections; its address. */
  async createDatabase(template?: string): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.query(`CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`);
    return this.url(name);
  }

  /** Runs SQL as its superuser. */
  async query<Row extends pg.QueryResultRow>(text: string, url = this.url()): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Resolves when every standby has all that was committed by now. */
  async replicated(): Promise<void> {
    const [now] = await this.query<{ lsn: string }>("SELECT pg_current_wal_lsn() AS lsn");
    const question = `SELECT bool_and(flush_lsn >= '${now?.lsn}') AS "hasAll" FROM pg_stat_replication`;
    while ((await this.query<{ hasAll: boolean | null }>(question))[0]?.hasAll !== true) await delay(POLL_MS);
  }

  /** Makes a standby the server that takes writes. */
  async promote(): Promise<void> {
    await this.query("SELECT pg_promote()");
  }

  /** Ends all of it at once, as a crash would. */
  kill(): Promise<void> {
    return this.#signal("SIGKILL");
  }

  /** Lets transactions in progress fail, and ends cleanly. */
  stop(): Promise<void> {
    return this.#signal("SIGINT");
  }

  /** Stops every process of it for now; nothing answers. */
  pause(): void {
    for (const pid of this.pids) signalIfThere(pid, "SIGSTOP");
  }

  resume(): void {
    for (const pid of this.pids) signalIfThere(pid, "SIGCONT");
  }

  /** Ends it, and has its data deleted: a hundred databases are some 30,000 files, which tests must not wait for. */
  async remove(): Promise<void> {
    if (this.#child !== undefined) await this.kill();
    spawn("rm", ["-rf", this.#folder], { detached: true, stdio: "ignore" }).unref();
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    assert.ok(child !== undefined, "the server runs");
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // The processes of its connections end by themselves when the first one is gone, but only when they notice.
    if (signal === "SIGKILL") for (const pid of this.pids) signalIfThere(pid, signal);
    else child.kill(signal);
    await exited;
    this.#child = undefined;
    rmSync(join(this.#folder, "data", "postmaster.pid"), { force: true });
  }

  /** Processor time of all its processes, ms: proc_pid_stat(5), in ticks of 10 ms. */
  get cpuMs(): number {
    const ticks = this.pids.map((pid, index) => {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const [own = 0, ownSystem = 0, ofEnded = 0, ofEndedSystem = 0] = fields.slice(11, 15);
      return own + ownSystem + (index === 0 ? ofEnded + ofEndedSystem : 0);
    });
    return 10 * ticks.reduce((sum, each) => sum + each, 0);
  }

  /** The first process and its children, which have no children. */
  get pids(): readonly number[] {
    const pid = this.#child?.pid;
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return [pid, ...(children === "" ? [] : children.split(" ").map(Number))];
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query("SELECT 1");
      return true;
    } catch {
      return false;
    }
  }
}

/** The process of a connection ends when its client closes it, at any moment. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
