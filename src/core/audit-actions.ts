/** The acts that the audit log records, each with its meaning, in Markdown. */
export const AUDIT_ACTION_MEANINGS = {
  "account.created": "an account was created",
  "account.updated": "the name or the settings of an account were changed",
  "api_key.created": "an API key was created",
  "api_key.updated": "the name, the scopes or the expiry of an API key was changed",
  "api_key.rotated": "an API key got another text",
  "api_key.revoked": "an API key was revoked",
  "provider_credential.created": "an account's own API key of a provider was stored",
  "provider_credential.deleted": "an account's own API key of a provider was deleted",
  "tool_secret.created": "an account's own secret of tools was stored",
  "tool_secret.deleted": "an account's own secret of tools was deleted",
  "tool.created": "a tool was saved",
  "tool.updated": "a saved tool was changed",
  "tool.deleted": "a saved tool was deleted",
  "carrier.created": "an account's credentials at a carrier were stored",
  "carrier.updated": "the name, the credentials or the limits of an account's carrier were changed",
  "carrier.deleted": "an account's credentials at a carrier were deleted, with its numbers",
  "phone_number.imported": "telephone numbers were imported from a carrier",
  "phone_number.updated": "the name, the agent, the webhook or the limits of a telephone number were changed",
  "phone_number.attached": "a telephone number was attached: its carrier sends its calls to the service",
  "phone_number.detached": "a telephone number was detached: its carrier does with its calls what it did before",
  "phone_number.deleted": "a telephone number was deleted from the account; the carrier keeps it",
  "publishable_key.created": "a publishable key was created",
  "publishable_key.updated": "the name, the agents, the origins or the limits of a publishable key were changed",
  "publishable_key.revoked": "a publishable key was revoked",
  "agent.created": "an agent was saved",
  "agent.updated": "an agent got another draft",
  "agent.published": "an agent got another live version",
  "agent.deleted": "an agent was deleted",
  "webhook.created": "a webhook was created",
  "webhook.updated": "a webhook was changed",
  "webhook.deleted": "a webhook was deleted",
  "webhook.secret_rotated": "a webhook got another secret",
  "user.invited": "a person was invited",
  "user.invitation_accepted": "a person accepted the invitation, by its link",
  "user.updated": "the name or the role of a person was changed",
  "user.link_created": "a person got another one-time link",
  "user.password_reset": "a person set a new password, by a link",
  "user.password_changed": "a person changed the password",
  "user.signed_in": "a person signed in",
  "user.signed_out": "a person signed out",
  "user.removed": "a person was removed",
  "owner_link.created": "a one-time link for the owner of the service was made",
  "owner_link.used": "a browser was opened by a link for the owner of the service",
  "call.deleted": "a call was deleted with all of its data",
  "transcription.deleted": "a transcription was deleted with its audio and its result",
  "corpus.created": "a corpus was created",
  "corpus.updated": "the name, the description, the language, the mode or the metadata of a corpus was changed",
  "corpus.deleted": "a corpus was deleted with its documents",
  "document.created": "a document was added to a corpus",
  "document.replaced": "a document got other content",
  "document.reprocessed": "a document was to be processed again",
  "document.deleted": "a document was deleted with its file and its text",
} as const;

export type AuditAction = keyof typeof AUDIT_ACTION_MEANINGS;
export const AUDIT_ACTIONS = Object.keys(AUDIT_ACTION_MEANINGS) as [AuditAction, ...AuditAction[]];

/** Who acted, each kind with its meaning, in Markdown. */
export const ACTOR_MEANINGS = {
  api_key: "a request with this API key",
  user: "a person who had signed in",
  operator: "a command on the machine of the service, started by this user of its system",
  service: "the service itself",
} as const;

export type ActorKind = keyof typeof ACTOR_MEANINGS;
export const ACTOR_KINDS = Object.keys(ACTOR_MEANINGS) as [ActorKind, ...ActorKind[]];
