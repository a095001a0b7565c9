/** A function that has nothing at hand: each answer is waited for. */
export const slowly = <F extends object>(wait: F): F & { atHand(): undefined } =>
  Object.assign(wait, { atHand: () => undefined });
