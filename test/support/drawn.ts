const { PROPERTY_RUNS, PROPERTY_SEED } = process.env;

/** Property tests draw the same values in every run of the suite; others, and more of them, where these variables say so. */
const SEED = Number(PROPERTY_SEED ?? 42);

/**
 * The settings of a property test: `PROPERTY_SEED=7 PROPERTY_RUNS=100000 npx mocha --timeout 0 FILE` looks further by hand.
 * @param runs how many values the suite draws
 */
export const drawn = (runs = 100): { seed: number; numRuns: number } => ({
  seed: SEED,
  numRuns: Number(PROPERTY_RUNS ?? runs),
});
