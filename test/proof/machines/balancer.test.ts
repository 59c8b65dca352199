import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../support/network/free-port.ts";
import { type Backend, Balancer } from "./balancer.ts";

/** A node that answers with its name and what it was sent, or breaks the connection. */
async function node(name: string, breaks = false): Promise<Backend> {
  const server = createServer((request, response) => {
    if (breaks) return void request.socket.destroy();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => response.end(`${name} ${request.method} ${request.url} ${Buffer.concat(chunks)}`));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isUp: true };
}

async function balancerOf(...nodes: Backend[]): Promise<Balancer> {
  const balancer = await Balancer.start();
  onTestFinished(() => balancer.close());
  balancer.leadTo(nodes);
  return balancer;
}

const ask = async ({ url }: Balancer): Promise<string> => {
  const response = await fetch(`${url}/hook?n=1`, { method: "POST", body: "ring" });
  return response.ok ? await response.text() : String(response.status);
};

test("each request goes to the next node that is up, as it came", async () => {
  const [one, two, down] = [await node("one"), await node("two"), { ...(await node("down")), isUp: false }];
  const balancer = await balancerOf(one, down, two);
  const answers = [await ask(balancer), await ask(balancer), await ask(balancer)];
  expect(answers.toSorted()).toEqual(expect.arrayContaining(["one POST /hook?n=1 ring", "two POST /hook?n=1 ring"]));
  expect([...balancer.taken.keys()]).toHaveLength(2);
});

test("where a node takes no connection the next one gets the request", async () => {
  const dead: Backend = { apiUrl: `http://127.0.0.1:${await freePort()}`, isUp: true };
  const balancer = await balancerOf(dead, await node("one"));
  expect(await ask(balancer)).toContain("one");
  expect(await ask(balancer)).toContain("one");
});

test("a request that a node took and did not answer is not sent to another: it gets 502", async () => {
  const balancer = await balancerOf(await node("breaks", true), await node("breaks, too", true));
  expect(await ask(balancer)).toBe("502");
  expect(balancer.taken.size).toBe(0);
});
