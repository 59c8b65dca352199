import { strict as assert } from "node:assert";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { CertificateFiles } from "../../../src/gateway/server/certificate.ts";
import { until } from "../services/service.ts";

export const hasNginx = spawnSync("nginx", ["-v"]).status === 0;

const DEPLOYED = new URL("../../../deploy/", import.meta.url);

/** A file of `deploy/`. */
export const deployed = (name: string): string => readFileSync(new URL(name, DEPLOYED), "utf8");

export interface NginxOptions {
  /** Empty; everything of this nginx goes there. */
  directory: string;
  port: number;
  apiPort: number;
  mediaPort: number;
  webrtcPort: number;
  certificate: CertificateFiles;
  /** The lines of the main configuration that are not of its `http` part. */
  main: string;
  /** Replaces parts of the configuration that we ship; each must be there. */
  replacing?: Readonly<Record<string, string>>;
}

const children = new Set<ChildProcess>();

// What a test file leaves, in particular a failed one, is removed with it.
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** A real nginx with the configuration that we ship, on one port of this machine. */
export class Nginx {
  readonly #child: ChildProcess;
  readonly #logs: string;
  readonly #exited: Promise<void>;

  private constructor(child: ChildProcess, logs: string) {
    this.#child = child;
    this.#logs = logs;
    this.#exited = new Promise((resolve) => child.once("exit", () => resolve()));
  }

  static async start(options: NginxOptions): Promise<Nginx> {
    const { directory, port, main } = options;
    const logs = join(directory, "logs");
    mkdirSync(logs);
    writeFileSync(join(directory, "trunkline.conf"), configure(options, logs));
    writeFileSync(join(directory, "nginx.conf"), surroundings(directory, logs, main));
    const child = spawn(
      "nginx",
      ["-p", directory, "-e", join(logs, "early.log"), "-c", join(directory, "nginx.conf")],
      {
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    children.add(child);
    let complaints = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaints += text;
    });
    const nginx = new Nginx(child, logs);
    await until("nginx to listen", 5_000, async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${complaints}${nginx.logged()}`);
      return await isListening(port);
    });
    return nginx;
  }

  /** Everything that it has written to any log. */
  logged(): string {
    return readdirSync(this.#logs)
      .map((name) => readFileSync(join(this.#logs, name), "utf8"))
      .join("");
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exited;
  }
}

/** What we ship, with every line changed that is marked so, as its reader is asked to. */
function configure(
  { port, apiPort, mediaPort, webrtcPort, certificate, replacing = {} }: NginxOptions,
  logs: string,
): string {
  const changes: Record<string, string> = {
    "server 127.0.0.1:8080;": `server 127.0.0.1:${apiPort};`,
    "server 127.0.0.1:8081;": `server 127.0.0.1:${mediaPort};`,
    "server 127.0.0.1:8082;": `server 127.0.0.1:${webrtcPort};`,
    "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
    // Not every machine has IPv6.
    "listen [::]:443 ssl": `listen 127.0.0.2:${port} ssl`,
    "server_name voice.example.com;": "server_name localhost other.example;",
    "/etc/letsencrypt/live/voice.example.com/fullchain.pem": certificate.certFile,
    "/etc/letsencrypt/live/voice.example.com/privkey.pem": certificate.keyFile,
    "/var/log/nginx/trunkline.access.log": join(logs, "trunkline.access.log"),
    "/var/log/nginx/trunkline.error.log": join(logs, "trunkline.error.log"),
  };
  const shipped = deployed("nginx.conf");
  assert.equal(shipped.match(/# CHANGE/g)?.length, Object.keys(changes).length, "every marked line is changed");
  let text = shipped;
  for (const [before, after] of Object.entries({ ...changes, ...replacing })) {
    assert.equal(text.split(before).length, 2, `${before} stands in nginx.conf once`);
    text = text.replace(before, () => after);
  }
  return text;
}

/** As a distribution's own `nginx.conf`, logs of its own included: what ends up there must be as clean as ours. */
const surroundings = (directory: string, logs: string, main: string): string => `
daemon off;
master_process off;
pid ${directory}/nginx.pid;
error_log ${logs}/error.log;
${main}
http {
    access_log ${logs}/access.log;
    client_body_temp_path ${directory}/body;
    proxy_temp_path ${directory}/proxy;
    fastcgi_temp_path ${directory}/fastcgi;
    uwsgi_temp_path ${directory}/uwsgi;
    scgi_temp_path ${directory}/scgi;
    include ${directory}/trunkline.conf;
}
`;

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", end(true)).once("error", end(false));
  });
}
