/** Whether `If-None-Match` names the tag. The comparison is weak (RFC 9110, section 13.1.2), and `*` is any. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
