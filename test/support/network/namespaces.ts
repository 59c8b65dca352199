import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";

/** What a machine can be cut off from, and which way: `in` lets nothing of it arrive, `out` lets nothing leave for it. */
export interface NetworkCut {
  port?: number;
  peers?: readonly string[];
  direction: "both" | "in" | "out";
}

const run = (program: string, args: readonly string[], input?: string) =>
  spawnSync(program, args, { encoding: "utf8", ...(input !== undefined && { input }) });

function must(program: string, args: readonly string[], input?: string): void {
  const { status, stderr, error } = run(program, args, input);
  assert.equal(status, 0, `${program} ${args.join(" ")}: ${error?.message ?? stderr}`);
}

/** Whether this user may make namespaces of the network, and the programs for it are installed. */
export const hasNamespaces = (): boolean =>
  process.getuid?.() === 0 && run("ip", ["netns", "list"]).status === 0 && run("nft", ["--version"]).status === 0;

/**
 * Machines of a network that is on this machine alone: a namespace each, joined to this one by a bridge. What is cut is dropped, as by a
 * switch that failed: connections stay open until one end gives them up.
 */
export class NetworkNamespaces {
  /** The address of this machine for the others. */
  readonly hostAddress: string;
  readonly #bridge: string;
  readonly #network: string;
  readonly #names: string[] = [];

  /** `id` distinguishes this network from others of this machine, 1 to 250. */
  constructor(id: number, count: number) {
    this.#bridge = `trunk${id}`;
    this.#network = `10.213.${id}`;
    this.hostAddress = `${this.#network}.1`;
    try {
      must("ip", ["link", "add", this.#bridge, "type", "bridge"]);
      must("ip", ["addr", "add", `${this.hostAddress}/24`, "dev", this.#bridge]);
      must("ip", ["link", "set", this.#bridge, "up"]);
      for (let index = 0; index < count; index += 1) this.#add(index);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  #add(index: number): void {
    const name = `${this.#bridge}-${index}`;
    this.#names.push(name);
    must("ip", ["netns", "add", name]);
    must("ip", ["link", "add", `${this.#bridge}v${index}`, "type", "veth", "peer", "name", "eth0", "netns", name]);
    must("ip", ["link", "set", `${this.#bridge}v${index}`, "master", this.#bridge, "up"]);
    for (const args of [
      ["addr", "add", `${this.addressOf(index)}/24`, "dev", "eth0"],
      ["link", "set", "eth0", "up"],
      ["link", "set", "lo", "up"],
    ])
      must("ip", ["-n", name, ...args]);
  }

  addressOf(index: number): string {
    return `${this.#network}.${10 + index}`;
  }

  /** What runs a program in a namespace, before the program. */
  commandOf(index: number): readonly [program: string, ...args: string[]] {
    return ["ip", "netns", "exec", this.#names[index] ?? "", process.execPath];
  }

  /** Drops what a machine sends and gets, in place of what was cut before. */
  cut(index: number, { port, peers, direction }: NetworkCut): void {
    const others = (side: "saddr" | "daddr"): string =>
      peers === undefined ? `ip ${side} ${this.hostAddress}` : `ip ${side} { ${peers.join(", ")} }`;
    const [from, to] = port === undefined ? ["", ""] : [`tcp sport ${port}`, `tcp dport ${port}`];
    const chain = (hook: "input" | "output", rule: string): string =>
      `add chain inet cut ${hook} { type filter hook ${hook} priority 0; }\nadd rule inet cut ${hook} ${rule} drop\n`;
    const rules =
      (direction === "out" ? "" : chain("input", `${others("saddr")} ${from}`)) +
      (direction === "in" ? "" : chain("output", `${others("daddr")} ${to}`));
    this.heal(index);
    must("ip", ["netns", "exec", this.#names[index] ?? "", "nft", "-f", "-"], `add table inet cut\n${rules}`);
  }

  /** Nothing of a machine is cut any more. */
  heal(index: number): void {
    run("ip", ["netns", "exec", this.#names[index] ?? "", "nft", "delete", "table", "inet", "cut"]);
  }

  remove(): void {
    for (const name of this.#names) run("ip", ["netns", "del", name]);
    run("ip", ["link", "del", this.#bridge]);
  }
}
