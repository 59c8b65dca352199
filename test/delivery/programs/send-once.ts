// A program that trusts the authority of NODE_EXTRA_CA_CERTS, which Node reads at its start only: it sends one message to each address,
// and says on standard output what became of them.
import { systemClock } from "../../../src/core/clock.ts";
import { GuardedHttp } from "../../../src/core/network/guarded-http.ts";
import { eventIdOf } from "../../../src/core/new-id.ts";
import { Sender } from "../../../src/delivery/sender.ts";

const [, , ...urls] = process.argv;
const sender = new Sender(new GuardedHttp({ allowLoopback: true }), systemClock);
const secrets = [`whsec_${Buffer.alloc(32, 1).toString("base64")}`];
const sent = [];
for (const url of urls) {
  sent.push(
    await sender.send(
      { url, eventId: eventIdOf("call.ended call_1"), body: "{}", secrets },
      new AbortController().signal,
    ),
  );
}
process.stdout.write(JSON.stringify(sent));
