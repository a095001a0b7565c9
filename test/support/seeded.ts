const { PROPERTY_RUNS, PROPERTY_SEED } = process.env;

/** The seed is the same in every run of the suite, unless the environment sets another. */
const SEED = Number(PROPERTY_SEED ?? 42);

/**
 * The settings of a property test. `PROPERTY_SEED=7 PROPERTY_RUNS=100000 npx mocha --timeout 0 FILE` tries more values.
 * @param runs number of values in a run of the suite
 */
export const seeded = (runs = 100): { seed: number; numRuns: number } => ({
  seed: SEED,
  numRuns: Number(PROPERTY_RUNS ?? runs),
});

/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): {
  below(limit: number): number;
  of<Value>(values: readonly Value[]): Value;
} {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, of: (values) => values[below(values.length)] as (typeof values)[number] };
}
