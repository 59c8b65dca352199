import type { AllowedProviders } from "./account-settings.ts";

/** What the providers of an account's calls differ in from those of the service. */
export interface AccountProviders {
  allowed?: AllowedProviders;
  /** The account's own API keys, by the ids of the providers' accounts; see `credentialOf`. Never logged. */
  credentials?: Readonly<Record<string, string>>;
}
