export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

/**
 * What the browser keeps for this tab. Some refuse access, some have none, some have no room: then nothing is kept, and
 * nothing fails.
 */
export const tabStorage: TabStorage = {
  getItem: (name) => attempt((storage) => storage.getItem(name)) ?? null,
  setItem: (name, value) => attempt((storage) => storage.setItem(name, value)),
  removeItem: (name) => attempt((storage) => storage.removeItem(name)),
  clear: () => attempt((storage) => storage.clear()),
};

function attempt<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

const PROBE = 'tab-storage.probe';

/** Whether what is kept now can be read after the page has been left. */
export function isKept(storage = tabStorage): boolean {
  storage.setItem(PROBE, 'kept');
  const found = storage.getItem(PROBE);
  storage.removeItem(PROBE);
  return found === 'kept';
}
