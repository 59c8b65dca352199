/** What a parser finds in a document, in its order. Its text has no line breaks but those that have a meaning. */
export type Block =
  /** `level` is from 1, the outermost. */
  | { readonly kind: "heading"; readonly level: number; readonly text: string; readonly page?: number | undefined }
  /** A paragraph, an item of a list, a row of a table, or code. */
  | { readonly kind: "text"; readonly text: string; readonly page?: number | undefined };
