/** A voice program that ends before it says anything, for the pool's tests. */
process.exit(7);
