/**
 * A WebAssembly program with one function, `dots(query, vectors, results, count, length)`: the dot products of a vector and `count` others
 * of whole numbers of 8 bits, all `length` bytes long, a multiple of 16, as 32-bit numbers. It exports its `memory`. Written by hand, since
 * it is this short; the test compares it with the same in JavaScript.
 */
const LOCAL = { query: 0, vectors: 1, results: 2, count: 3, length: 4, at: 5, sum: 6, left: 7, right: 8 } as const;

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const constant = (value: number): number[] => [0x41, value];
const ADD = [0x6a];
const SUBTRACT = [0x6b];
const LOAD_16_BYTES = [0xfd, 0x00, 0x00, 0x00];
const ZEROS = [0xfd, 0x0c, ...Array.from({ length: 16 }, () => 0)];
const STORE_NUMBER = [0x36, 0x02, 0x00];
/** i16x8.extmul_low_i8x16_s, i16x8.extmul_high_i8x16_s */
const MULTIPLY_LOW = [0xfd, 0x9c, 0x01];
const MULTIPLY_HIGH = [0xfd, 0x9d, 0x01];
/** i32x4.extadd_pairwise_i16x8_s, i32x4.add */
const ADD_PAIRS = [0xfd, 0x7e];
const ADD_LANES = [0xfd, 0xae, 0x01];
const lane = (number: number): number[] => [...get(LOCAL.sum), 0xfd, 0x1b, number];
const LOOP = [0x03, 0x40];
const BLOCK = [0x02, 0x40];
const END = [0x0b];
const branch = (depth: number): number[] => [0x0c, depth];
const branchIf = (depth: number): number[] => [0x0d, depth];
const IS_ZERO = [0x45];
const IS_LESS = [0x49];

const move = (local: number, bytes: number): number[] => [...get(local), ...constant(bytes), ...ADD, ...set(local)];
const loadAt = (local: number): number[] => [...get(local), ...get(LOCAL.at), ...ADD, ...LOAD_16_BYTES];
const product = (multiply: readonly number[]): number[] => [
  ...get(LOCAL.left),
  ...get(LOCAL.right),
  ...multiply,
  ...ADD_PAIRS,
  ...ADD_LANES,
];

const BODY = [
  // One local of 32 bits, three of 128.
  ...[0x02, 0x01, 0x7f, 0x03, 0x7b],
  ...BLOCK,
  ...LOOP,
  ...get(LOCAL.count),
  ...IS_ZERO,
  ...branchIf(1),
  ...ZEROS,
  ...set(LOCAL.sum),
  ...constant(0),
  ...set(LOCAL.at),
  ...LOOP,
  ...loadAt(LOCAL.query),
  ...set(LOCAL.left),
  ...loadAt(LOCAL.vectors),
  ...set(LOCAL.right),
  ...get(LOCAL.sum),
  ...product(MULTIPLY_LOW),
  ...product(MULTIPLY_HIGH),
  ...set(LOCAL.sum),
  ...get(LOCAL.at),
  ...constant(16),
  ...ADD,
  ...tee(LOCAL.at),
  ...get(LOCAL.length),
  ...IS_LESS,
  ...branchIf(0),
  ...END,
  ...get(LOCAL.results),
  ...lane(0),
  ...lane(1),
  ...ADD,
  ...lane(2),
  ...ADD,
  ...lane(3),
  ...ADD,
  ...STORE_NUMBER,
  ...get(LOCAL.vectors),
  ...get(LOCAL.length),
  ...ADD,
  ...set(LOCAL.vectors),
  ...move(LOCAL.results, 4),
  ...get(LOCAL.count),
  ...constant(1),
  ...SUBTRACT,
  ...set(LOCAL.count),
  ...branch(0),
  ...END,
  ...END,
  ...END,
];

/** A number of a section's length: 7 bits a byte, the lowest first. */
const leb = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >> 7)]);
const sized = (bytes: readonly number[]): number[] => [...leb(bytes.length), ...bytes];
const section = (id: number, items: readonly (readonly number[])[]): number[] => [
  id,
  ...sized([...leb(items.length), ...items.flat()]),
];
const name = (text: string): number[] => sized([...Buffer.from(text)]);

/** The bytes of the program. */
export const DOT_PRODUCT_MODULE: Uint8Array = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // A function of five 32-bit numbers without a result; a memory of at least one page.
  ...section(1, [[0x60, 0x05, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x00]]),
  ...section(3, [[0x00]]),
  ...section(5, [[0x00, 0x01]]),
  ...section(7, [
    [...name("memory"), 0x02, 0x00],
    [...name("dots"), 0x00, 0x00],
  ]),
  ...section(10, [sized(BODY)]),
]);
