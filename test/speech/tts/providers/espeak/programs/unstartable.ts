/** A program for the pool's tests that ends before it sends a frame. */
process.exit(7);
