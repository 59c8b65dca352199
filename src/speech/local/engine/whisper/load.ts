import { z } from "zod";
import { badModel, type LocatedModel } from "../../model-manifest.ts";
import { readModelFile } from "../model-files.ts";
import { openSessions } from "../onnx.ts";
import { type Table, tableAsInput } from "../onnx-file.ts";
import { SpeechFinder } from "../speech-parts.ts";
import { WhisperDecoder } from "./decoder.ts";
import { WhisperTokens } from "./tokens.ts";
import { HIDDEN_STATES, POSITIONS, Whisper } from "./whisper.ts";

// The files of a Whisper model as transformers.js has them, 8-bit weights.
const ENCODER_FILE = "encoder_model_quantized.onnx";
const DECODER_FILE = "decoder_model_merged_quantized.onnx";
const SIZES_FILE = "config.json";
const GENERATION_FILE = "generation_config.json";
const VOCABULARY_FILE = "vocab.json";

const sizesSchema = z.object({
  d_model: z.number().int().min(1),
  decoder_layers: z.number().int().min(1),
  decoder_attention_heads: z.number().int().min(1),
});

/** Throws `bad_configuration` where a file is not the one that the manifest means. */
export async function loadWhisper(model: LocatedModel): Promise<Whisper> {
  const config = sizesSchema.parse(readJson(model, SIZES_FILE));
  const tokens = new WhisperTokens(readJson(model, GENERATION_FILE), readJson(model, VOCABULARY_FILE));
  let positions: Table | undefined;
  const { decoder, encoder } = await openSessions({
    decoder: () => readModelFile(model, DECODER_FILE),
    encoder: () => {
      const edited = tableAsInput(readModelFile(model, ENCODER_FILE), POSITIONS, [HIDDEN_STATES]);
      positions = edited.table;
      return edited.model;
    },
  });
  if (positions === undefined) throw badModel(`${model.manifest.name} has no table of positions`);
  const heads = config.decoder_attention_heads;
  const sizes = { layers: config.decoder_layers, heads, headSize: config.d_model / heads };
  return new Whisper({
    name: model.manifest.name,
    tokens,
    encoder,
    positions,
    decoder: new WhisperDecoder(decoder, sizes, tokens),
    speech: await SpeechFinder.load(),
  });
}

/** The hash of the file is that of its manifest, so its content is as it was when the model was added. */
const readJson = (model: LocatedModel, path: string): unknown =>
  JSON.parse(readModelFile(model, path).toString("utf8"));
