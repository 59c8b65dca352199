import { carrierOf } from "../../../carriers/list.ts";
import type { LiveCalls } from "../../../cluster/live-calls.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Logger } from "../../../core/log/logger.ts";
import { type MediaUrls, mediaUrlOf } from "../../../core/network/media-urls.ts";
import type { Capacity } from "../../../store/admission/capacity.ts";
import type { Keyring } from "../../../store/sealing/seal.ts";
import type { Stores } from "../../../store/stores.ts";
import type { CarrierStore } from "../../../store/telephony/carrier-store.ts";
import type { CarrierClient } from "../../../telephony/carrier-client.ts";
import { PhoneCallJobs } from "../../../telephony/carrier-job.ts";
import { PhoneCalls } from "../../../telephony/phone-calls.ts";
import { PhoneCallSlots } from "../../../telephony/slots.ts";
import { StreamAddresses } from "../../../telephony/streams.ts";
import { PhoneWebhooks } from "../../../telephony/webhooks.ts";

export interface TelephonyOptions {
  stores: Stores;
  carriers: CarrierStore;
  keys: Keyring;
  capacity: Capacity;
  /** The workers of calls, at any node. */
  workers: Pick<LiveCalls, "phoneUpdate" | "resumeAddress">;
  client: CarrierClient;
  mediaUrls: MediaUrls;
  mintToken: () => string;
  /** Other nodes of a cluster have calls of the same accounts, carriers and numbers. */
  isShared: boolean;
  /** The address at which carriers reach the service, without a slash at its end. */
  publicUrl: string;
  clock: Clock;
  log: Logger;
}

export interface Telephony {
  phoneCalls: PhoneCalls;
  webhooks: PhoneWebhooks;
  jobs: PhoneCallJobs;
}

/** Telephone calls of this service; their machines get the ends of records from the store. */
export function telephony(options: TelephonyOptions): Telephony {
  const { stores, carriers, keys, capacity, workers, client, mediaUrls, mintToken, isShared, publicUrl, clock, log } =
    options;
  const telephonyOf = (carrier: Parameters<typeof carrierOf>[0]) => carrierOf(carrier)?.telephony;
  const phoneCalls = new PhoneCalls({
    phoneCalls: stores.phoneCalls,
    calls: stores.calls,
    carriers,
    numbers: stores.phoneNumbers,
    limitsOf: async (accountId) => (await stores.accounts.get(accountId))?.settings.limits,
    client,
    telephonyOf,
    phoneUpdate: (workerId, callId, update) => workers.phoneUpdate(workerId, callId, update),
    slots: new PhoneCallSlots({ capacity, phoneCalls: stores.phoneCalls, isShared, clock }),
    streams: new StreamAddresses({
      phoneCalls: stores.phoneCalls,
      keys,
      mintToken,
      urlOf: (carrier, token) => `${mediaUrlOf(mediaUrls, carrier)}/stream/${token}`,
      resumeAddress: (workerId, callId, connect) => workers.resumeAddress(workerId, callId, connect),
    }),
    publicUrl,
    clock,
    log,
  });
  stores.calls.subscribe((event) => {
    if (event.kind === "ended") phoneCalls.recordEnded(event.callId, event.endReason);
  });
  return {
    phoneCalls,
    webhooks: new PhoneWebhooks({
      phoneCalls,
      store: stores.phoneCalls,
      carriers,
      numbers: stores.phoneNumbers,
      jobs: stores.jobs,
      telephonyOf,
      client,
      publicUrl,
      clock,
      log,
    }),
    jobs: new PhoneCallJobs({ phoneCalls, store: stores.phoneCalls, client, publicUrl, clock, log }),
  };
}
