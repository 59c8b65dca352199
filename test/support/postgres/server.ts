import { strict as assert } from "node:assert";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** Where Debian installs the server's programs, of which only the client's are in the PATH. */
const DEBIAN = "/usr/lib/postgresql";

const PROGRAMS = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .map((version) => join(DEBIAN, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined;

/** Whether tests can start a server here. */
export const hasPostgres = PROGRAMS !== undefined;

const START_MS_MAX = 20_000;
const POLL_MS = 20;

/** The server refuses to run as root; Debian's package makes this user. */
const isRoot = process.getuid?.() === 0;
const idOf = (option: "-u" | "-g"): number => Number(spawnSync("id", [option, "postgres"]).stdout.toString());
const owner = hasPostgres && isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};

export interface PostgresServerOptions {
  /** Settings of postgresql.conf, `max_connections: "10"`. */
  settings?: Readonly<Record<string, string>>;
}

/** A real server with a data directory of its own, on a port of this machine. Losing power would damage it. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #databases = 0;

  private constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  static async start({ settings = {} }: PostgresServerOptions = {}): Promise<PostgresServer> {
    assert.ok(PROGRAMS !== undefined, "PostgreSQL is installed");
    const folder = mkdtempSync(join(tmpdir(), "trunkline-postgres-"));
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
    const { status, stderr } = spawnSync(
      join(PROGRAMS, "initdb"),
      ["-D", join(folder, "data"), "-U", "trunkline", "--auth=trust", "--no-sync", "--locale=C.UTF-8", "-E", "UTF8"],
      { ...owner, cwd: folder },
    );
    assert.equal(status, 0, `initdb: ${stderr}`);
    const server = new PostgresServer(folder, await freePort(), settings);
    await server.run();
    return server;
  }

  /** The address of one of its databases. */
  url(database = "postgres"): string {
    return `postgres://trunkline@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts it, also again after `stop` or `kill`. */
  async run(): Promise<void> {
    assert.ok(PROGRAMS !== undefined && this.#child === undefined);
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
      join(PROGRAMS, "postgres"),
      [
        "-D",
        join(this.#folder, "data"),
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      { ...owner, cwd: this.#folder, stdio: ["ignore", "ignore", "pipe"] },
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
    for (const pid of this.#pids()) process.kill(pid, "SIGSTOP");
  }

  resume(): void {
    for (const pid of this.#pids()) process.kill(pid, "SIGCONT");
  }

  /** Ends it and deletes its data. */
  async remove(): Promise<void> {
    if (this.#child !== undefined) await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    assert.ok(child !== undefined, "the server runs");
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // The processes of its connections end by themselves when the first one is gone, but only when they notice.
    if (signal === "SIGKILL") for (const pid of this.#pids()) process.kill(pid, signal);
    else child.kill(signal);
    await exited;
    this.#child = undefined;
    rmSync(join(this.#folder, "data", "postmaster.pid"), { force: true });
  }

  /** The first process and its children, which have no children. */
  #pids(): readonly number[] {
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

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
