import type { CorpusId, DocumentId } from "../../core/ids.ts";
import type { ChunkBatch, NewVector } from "./corpus-writer.ts";

/** A change of the index of a corpus. Each can be repeated. */
export type IndexChange =
  /** There is such a corpus, in this language (BCP 47); its file is made where it is missing or of another language. */
  | { readonly kind: "corpus"; readonly corpusId: CorpusId; readonly languageId: string }
  | { readonly kind: "add"; readonly corpusId: CorpusId; readonly batch: ChunkBatch }
  | { readonly kind: "remove-document"; readonly corpusId: CorpusId; readonly documentId: DocumentId }
  | { readonly kind: "remove-corpus"; readonly corpusId: CorpusId }
  | {
      readonly kind: "vectors";
      readonly corpusId: CorpusId;
      /** The file that the chunks were read from. */
      readonly fileId: string;
      readonly model: string;
      readonly vectors: readonly NewVector[];
    };

/** What became of a change: `made` where the file of the corpus is new, `replaced` where older chunks were removed for it, `lost` where the file was missing or damaged; it was removed, and all of its documents are to be added again. Vectors are `lost` too where the file was made again meanwhile. */
export type ChangeOutcome = "done" | "made" | "replaced" | "lost";
