/** Why a worker gives no address to listen at. */
export type ListenRefusal = "not_live" | "too_many_listeners" | "unavailable";

/** What a worker answers to the request for an address at which a client listens to a call. The address is a secret. */
export type ListenAnswer =
  | { kind: "address"; url: string; validMs: number }
  | { kind: "refused"; reason: ListenRefusal };
