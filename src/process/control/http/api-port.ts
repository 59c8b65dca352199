import type { Server } from "node:http";

/** Rejects with an error that names the variable API_PORT, as the media port and the metrics port do with theirs. */
export async function listenForApi(
  api: { listen(address: { host: string; port: number }): Promise<unknown> },
  host: string,
  port: number,
): Promise<void> {
  try {
    await api.listen({ host, port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`API_PORT ${port} on ${host} cannot be used: ${reason}`);
  }
}

/** The port on which a server listens. */
export function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  return address.port;
}
