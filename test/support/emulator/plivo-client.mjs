// The official SDK of Plivo in a process of its own: its address is fixed, and only NODE_EXTRA_CA_CERTS makes it trust the
// authority of a test. It does what its parent asks, one request after the other.
import plivo from "plivo";

const [authId, authToken, proxy] = process.argv.slice(2);

process.on("message", async ({ path, args, token }) => {
  const client = new plivo.Client(authId, token ?? authToken, { proxy, timeout: 2_000 });
  const names = path.split(".");
  const owner = names.slice(0, -1).reduce((object, name) => object[name], client);
  try {
    const value = await owner[names.at(-1)](...args);
    process.send({ value: JSON.parse(JSON.stringify(value)) });
  } catch (error) {
    process.send({ error: `${error.status}: ${error.message}` });
  }
});
