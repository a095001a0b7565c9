import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Closable {
  close(): unknown;
}
type Start<T> = () => T | Promise<T>;

/** What each suite has started and not closed. */
const [openInSuites, openInTests] = [new WeakMap<object, Closable[]>(), new WeakMap<object, Closable[]>()];

/** Stands for what `start` has returned last, so that a suite can name it before it exists. */
function started<T extends Closable>(
  start: Start<T>,
  begin: typeof before,
  end: typeof after,
  open: typeof openInSuites,
) {
  let current: T | undefined;
  begin(async function () {
    const suite = this.test?.parent ?? this;
    current = await start();
    open.set(suite, [...(open.get(suite) ?? []), current]);
  });
  // The last one first, because it may use the others.
  end(async function () {
    await open
      .get(this.test?.parent ?? this)
      ?.pop()
      ?.close();
  });
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(current ?? {}, name),
    set: (_, name, value) => Reflect.set(current ?? {}, name, value),
  });
}

/** For a suite: what `start` returns, whose members are available from `before` on, and which is closed after all tests. */
export const ofSuite = <T extends Closable>(start: Start<T>): T => started(start, before, after, openInSuites);

/** For a suite: what `start` returns, new for each test. */
export const ofTest = <T extends Closable>(start: Start<T>): T => started(start, beforeEach, afterEach, openInTests);

/** A new temporary folder, which is removed when it is closed. */
export function newFolder(parent = tmpdir()) {
  const path = mkdtempSync(join(parent, 'test-'));
  return { path, close: () => rmSync(path, { recursive: true, force: true }) };
}

const pathsIn =
  (folder: { path: string }) =>
  (...names: string[]): string =>
    join(folder.path, ...names);

/** For a suite: a function that returns paths in a folder of its own; without a name, that of the folder. */
export const folderOfSuite = () => pathsIn(ofSuite(() => newFolder()));

/** For a suite: the same, in a folder that is new for each test. */
export const folderOfTest = () => pathsIn(ofTest(() => newFolder()));
