export interface Closable {
  close(): unknown;
}

/** Stands for what `start` has returned last, so that a suite can name it before it exists. */
function started<T extends Closable>(start: () => T | Promise<T>, begin: typeof before, end: typeof after): T {
  let current: T | undefined;
  begin(async () => {
    current = await start();
  });
  end(async () => {
    const ended = current;
    current = undefined;
    await ended?.close();
  });
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(current ?? {}, name),
    set: (_, name, value) => Reflect.set(current ?? {}, name, value),
  });
}

/** For a suite: what `start` returns, whose members are available from `before` on, and which is closed after all tests. */
export const ofSuite = <T extends Closable>(start: () => T | Promise<T>): T => started(start, before, after);

/** For a suite: what `start` returns, new for each test. */
export const ofTest = <T extends Closable>(start: () => T | Promise<T>): T => started(start, beforeEach, afterEach);
