export type Random = ReturnType<typeof randomFrom>;

/** Pseudo-random numbers, determined by a seed. mulberry32: 32 bits of state, good enough for demo data. */
export function randomFrom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const fraction = () => next() / 2 ** 32;
  const below = (limit: number) => Math.floor(fraction() * limit);
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => next() & 0xff));
  return {
    /** From 0 (inclusive) to 1 (exclusive). */
    fraction,
    /** From 0 (inclusive) to `limit` (exclusive). */
    below,
    chance: (probability: number) => fraction() < probability,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    pickWeighted: <T extends { weight: number }>(items: readonly T[]): T => {
      let rest = fraction() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const item of items) {
        rest -= item.weight;
        if (rest < 0) return item;
      }
      return items.at(-1) as T;
    },
    bytes,
    uuid: () => {
      const raw = bytes(16);
      raw[6] = ((raw[6] ?? 0) & 0x0f) | 0x40;
      raw[8] = ((raw[8] ?? 0) & 0x3f) | 0x80;
      const hex = raw.toString('hex');
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    },
  };
}
