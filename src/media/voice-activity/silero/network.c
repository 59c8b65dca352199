/*
 * The 8 kHz branch of Silero VAD v5, for WebAssembly with 128-bit SIMD. README.md says where the network comes from and how this file is
 * compiled. The graph of silero_vad_v5.onnx, the `else` branch of its `If` on the rate:
 *
 *   audio        288 samples: the last 32 of the chunk before, and this chunk of 256; 32 more by reflection at the end
 *   spectrum     convolution with 130 filters of 128 samples, a step of 64: 4 frames of 65 complex bins; the magnitude of each
 *   encoder 0    convolution over time, kernel 3, step 1, 65 -> 128 channels: 4 frames; ReLU
 *   encoder 1    kernel 3, step 2, 128 -> 64 channels: 2 frames; ReLU
 *   encoder 2    kernel 3, step 2, 64 -> 64 channels: 1 frame; ReLU
 *   encoder 3    kernel 3, step 1, 64 -> 128 channels: 1 frame; ReLU
 *   LSTM cell    128 units
 *   output       ReLU; convolution with kernel 1, 128 -> 1 channel; sigmoid
 *
 * Activations lie in memory frame by frame, so that the input of a convolution over time is one run of consecutive floats, and each
 * layer is a matrix times a few such vectors. The matrices are stored in blocks of 16 or 32 rows, column by column: the weights are
 * read in the order of their addresses, and each lane of a register sums one output.
 *
 * Every operation is one of IEEE 754 in a fixed order, without fused multiply-add and without a library, so that the same input gives
 * the same bits on every machine.
 */

#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name)))
/** In a loop over registers. */
#define UNROLLED _Pragma("clang loop unroll(full)")
#define INLINE static inline __attribute__((always_inline))

enum {
  CHUNK = 256,
  CONTEXT = 32,
  REFLECTED = 32,
  FRAME = 128,
  STEP = 64,
  FRAMES = 4,
  /** The spectrum's filters are symmetric (cosines) or antisymmetric (sines) about sample 64, and 0 at sample 0. */
  FOLDED = 64,
  /** 65 and three of zeros: a multiple of 4. */
  BINS = 68,
  /** The rows of bins that are computed, a multiple of BLOCK. The sine parts of bins 0 and 64 are 0. */
  COSINE_BINS = 80,
  SINE_BINS = 64,
  WIDE = 128,
  NARROW = 64,
  UNITS = 128,
  GATES = 4 * UNITS,
  /** Rows of a matrix that are multiplied by two vectors at a time, or by one: as many sums as fit into the registers. */
  BLOCK = 16,
  BLOCK_OF_ONE = 32,
};

/** weights.f32. A matrix is [rows / block][columns][block]; its rows are outputs, its columns are ordered by tap, then by channel. */
struct weights {
  float cosines[COSINE_BINS * FOLDED];
  float sines[SINE_BINS * FOLDED];
  float encoder0[WIDE * 3 * BINS];
  float bias0[WIDE];
  float encoder1[NARROW * 3 * WIDE];
  float bias1[NARROW];
  /** Without the first tap, which meets only padding. */
  float encoder2[NARROW * 2 * NARROW];
  float bias2[NARROW];
  /** Only the middle tap: the two others meet only padding. */
  float encoder3[WIDE * NARROW];
  float bias3[WIDE];
  /** Rows: input, forget, cell and output gate. Columns: the input, then the hidden state. */
  float lstm[GATES * (WIDE + UNITS)];
  /** The sum of the two biases of the original. */
  float lstm_bias[GATES];
  float output[UNITS];
  float output_bias;
};

/** All that one stream remembers; zeros at the start. */
struct state {
  float hidden[UNITS];
  float cell[UNITS];
  float context[CONTEXT];
};

#define ALIGNED __attribute__((aligned(16), used))

ALIGNED struct weights weights;
ALIGNED int16_t chunk[CHUNK];
/** What `listen` found last. In memory rather than returned: JavaScript may have to allocate a number that a function returns. */
ALIGNED float probability;

/** Forgets what was heard before, except for the samples that the next chunk continues. */
EXPORT(forget) void forget(struct state *state) {
  for (int i = 0; i < UNITS; i++) state->hidden[i] = state->cell[i] = 0;
}

EXPORT(weight_bytes) uint32_t weight_bytes(void) { return sizeof(struct weights); }
EXPORT(state_bytes) uint32_t state_bytes(void) { return sizeof(struct state); }

/* Vectors of four floats. */

typedef float floats __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));

INLINE floats load(const float *from) { return (floats)wasm_v128_load(from); }
INLINE void store(float *to, floats value) { wasm_v128_store(to, (v128_t)value); }
INLINE floats all(float value) { return (floats)wasm_f32x4_splat(value); }
INLINE floats at_least(floats value, float least) { return (floats)wasm_f32x4_pmax((v128_t)value, wasm_f32x4_splat(least)); }
INLINE floats at_most(floats value, float most) { return (floats)wasm_f32x4_pmin((v128_t)value, wasm_f32x4_splat(most)); }
INLINE float sum(floats v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/** e^x for x in -87..88, beyond it the value at the bound. x = n ln 2 + r with |r| <= ln 2 / 2; Taylor's series for r: error below 1e-8. */
INLINE floats exponential(floats x) {
  x = at_most(at_least(x, -87.0f), 88.0f);
  const floats n = (floats)wasm_f32x4_nearest((v128_t)(x * 1.44269504f));
  /* ln 2 in two parts: the first has so few digits that its product with n is exact. */
  const floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  floats series = all(1.0f / 5040);
  series = series * r + 1.0f / 720;
  series = series * r + 1.0f / 120;
  series = series * r + 1.0f / 24;
  series = series * r + 1.0f / 6;
  series = series * r + 0.5f;
  series = series * r + 1.0f;
  series = series * r + 1.0f;
  const integers exponent = ((integers)wasm_i32x4_trunc_sat_f32x4((v128_t)n) + 127) << 23;
  return series * (floats)exponent;
}

INLINE floats sigmoid(floats x) { return 1.0f / (1.0f + exponential(-x)); }
INLINE floats hyperbolic_tangent(floats x) { return 2.0f * sigmoid(2.0f * x) - 1.0f; }

EXPORT(sigmoid_of) float sigmoid_of(float x) { return sigmoid(all(x))[0]; }
EXPORT(tanh_of) float tanh_of(float x) { return hyperbolic_tangent(all(x))[0]; }

/* Layers. */

/** products[0..31] = a block of 32 rows times `vector`. */
INLINE void multiply(const float *block, int columns, const float *vector, float *products) {
  floats sums[8] = {};
  for (int column = 0; column < columns; column++) {
    const floats factor = all(vector[column]);
    UNROLLED for (int i = 0; i < 8; i++) sums[i] += load(block + column * BLOCK_OF_ONE + 4 * i) * factor;
  }
  UNROLLED for (int i = 0; i < 8; i++) store(products + 4 * i, sums[i]);
}

/** A block of 16 rows times two vectors: each weight is loaded once for both. */
INLINE void multiply_two(const float *block, int columns, const float *const vectors[2], float *const products[2]) {
  floats sums[2][4] = {};
  for (int column = 0; column < columns; column++) {
    const floats factor0 = all(vectors[0][column]);
    const floats factor1 = all(vectors[1][column]);
    UNROLLED for (int i = 0; i < 4; i++) {
      const floats weight = load(block + column * BLOCK + 4 * i);
      sums[0][i] += weight * factor0;
      sums[1][i] += weight * factor1;
    }
  }
  UNROLLED for (int i = 0; i < 4; i++) {
    store(products[0] + 4 * i, sums[0][i]);
    store(products[1] + 4 * i, sums[1][i]);
  }
}

/** A whole matrix times one vector. */
INLINE void multiply_vector(const float *matrix, int rows, int columns, const float *vector, float *products) {
  for (int row = 0; row < rows; row += BLOCK_OF_ONE) multiply(matrix + row * columns, columns, vector, products + row);
}

/** A whole matrix times an even number of vectors, which begin `vector_step` floats apart, and their products `product_step`. */
INLINE void multiply_vectors(const float *matrix, int rows, int columns, int count, const float *vectors, int vector_step,
                             float *products, int product_step) {
  for (int row = 0; row < rows; row += BLOCK) {
    for (int i = 0; i < count; i += 2) {
      const float *const from[2] = {vectors + i * vector_step, vectors + (i + 1) * vector_step};
      float *const to[2] = {products + i * product_step + row, products + (i + 1) * product_step + row};
      multiply_two(matrix + row * columns, columns, from, to);
    }
  }
}

INLINE void add_and_rectify(float *values, const float *bias, int count) {
  for (int i = 0; i < count; i += 4) store(values + i, at_least(load(values + i) + load(bias + i), 0.0f));
}

/* Activations of the chunk that is being computed. What is padding is zero and is never written. */

ALIGNED static float audio[CONTEXT + CHUNK + REFLECTED];
ALIGNED static float even[FRAMES][FOLDED];
ALIGNED static float odd[FRAMES][FOLDED];
ALIGNED static float real[FRAMES][COSINE_BINS];
ALIGNED static float imaginary[FRAMES][BINS];
/** Frame 0 and frame 5 are padding. */
ALIGNED static float magnitudes[FRAMES + 2][BINS];
/** Row 0 is padding; the padding at the end meets no tap. */
ALIGNED static float encoded0[FRAMES + 1][WIDE];
ALIGNED static float encoded1[2][NARROW];
ALIGNED static float encoded2[NARROW];
/** The output of the encoder, and the hidden state. */
ALIGNED static float lstm_input[WIDE + UNITS];
ALIGNED static float gates[GATES];

static void fill_audio(struct state *state) {
  for (int i = 0; i < CONTEXT; i++) audio[i] = state->context[i];
  for (int i = 0; i < CHUNK; i++) audio[CONTEXT + i] = (float)chunk[i] * (1.0f / 32768);
  for (int i = 0; i < REFLECTED; i++) audio[CONTEXT + CHUNK + i] = audio[CONTEXT + CHUNK - 2 - i];
  for (int i = 0; i < CONTEXT; i++) state->context[i] = audio[CHUNK + i];
}

static void spectrum(void) {
  for (int frame = 0; frame < FRAMES; frame++) {
    const float *samples = audio + frame * STEP;
    for (int i = 0; i < FOLDED - 1; i++) {
      even[frame][i] = samples[1 + i] + samples[FRAME - 1 - i];
      odd[frame][i] = samples[1 + i] - samples[FRAME - 1 - i];
    }
    even[frame][FOLDED - 1] = samples[FRAME / 2];
  }
  multiply_vectors(weights.cosines, COSINE_BINS, FOLDED, FRAMES, even[0], FOLDED, real[0], COSINE_BINS);
  multiply_vectors(weights.sines, SINE_BINS, FOLDED, FRAMES, odd[0], FOLDED, imaginary[0], BINS);
  for (int frame = 0; frame < FRAMES; frame++) {
    for (int bin = 0; bin < BINS; bin += 4) {
      const floats re = load(&real[frame][bin]);
      const floats im = load(&imaginary[frame][bin]);
      store(&magnitudes[1 + frame][bin], (floats)wasm_f32x4_sqrt((v128_t)(re * re + im * im)));
    }
  }
}

static void encode(void) {
  multiply_vectors(weights.encoder0, WIDE, 3 * BINS, FRAMES, magnitudes[0], BINS, encoded0[1], WIDE);
  for (int frame = 1; frame <= FRAMES; frame++) add_and_rectify(encoded0[frame], weights.bias0, WIDE);

  multiply_vectors(weights.encoder1, NARROW, 3 * WIDE, 2, encoded0[0], 2 * WIDE, encoded1[0], NARROW);
  for (int frame = 0; frame < 2; frame++) add_and_rectify(encoded1[frame], weights.bias1, NARROW);

  multiply_vector(weights.encoder2, NARROW, 2 * NARROW, encoded1[0], encoded2);
  add_and_rectify(encoded2, weights.bias2, NARROW);

  multiply_vector(weights.encoder3, WIDE, NARROW, encoded2, lstm_input);
  add_and_rectify(lstm_input, weights.bias3, WIDE);
}

static void step_lstm(struct state *state) {
  for (int i = 0; i < UNITS; i += 4) store(lstm_input + WIDE + i, load(state->hidden + i));
  multiply_vector(weights.lstm, GATES, WIDE + UNITS, lstm_input, gates);
  for (int i = 0; i < GATES; i += 4) store(gates + i, load(gates + i) + load(weights.lstm_bias + i));
  for (int i = 0; i < UNITS; i += 4) {
    const floats input_gate = sigmoid(load(gates + i));
    const floats forget_gate = sigmoid(load(gates + UNITS + i));
    const floats candidate = hyperbolic_tangent(load(gates + 2 * UNITS + i));
    const floats output_gate = sigmoid(load(gates + 3 * UNITS + i));
    const floats cell = forget_gate * load(state->cell + i) + input_gate * candidate;
    store(state->cell + i, cell);
    store(state->hidden + i, output_gate * hyperbolic_tangent(cell));
  }
}

EXPORT(listen) void listen(struct state *state) {
  fill_audio(state);
  spectrum();
  encode();
  step_lstm(state);
  floats total = all(0.0f);
  for (int i = 0; i < UNITS; i += 4) total += load(weights.output + i) * at_least(load(state->hidden + i), 0.0f);
  probability = sigmoid(all(sum(total) + weights.output_bias))[0];
}
