/** An answer that may be at hand already: SQLite answers at once, MySQL later. Awaiting either is fine; not awaiting is faster. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value as soon as it is there, without a turn of the event loop when it is there already. */
export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
