import { attempt } from '../../shared/json.ts';
import { createStore } from './store.ts';
import { canStore, type TabStorage, tabStorage } from './tab-storage.ts';

const RETURN_PATH = 'sign-in.return-path';
const OPERATOR = 'sign-in.operator';
const DEPARTURES = 'sign-in.departures';
/** Stops redirect loops: a browser that drops the session cookie would return here forever. */
const DEPARTURES_MAX = 3;
const DEPARTURES_WINDOW_MS = 60_000;

/** Injected for tests. */
export interface SignInSurroundings {
  storage: TabStorage;
  location: Pick<Location, 'pathname' | 'search' | 'assign' | 'replace'>;
  now: () => number;
}

const browser = (): SignInSurroundings => ({ storage: tabStorage, location, now: Date.now });

/** `replace` removes this page from the history, since it would only redirect again. */
type Leave = 'assign' | 'replace';

/**
 * Redirects to the provider and stores the page to return to. After three redirects within a minute without a session,
 * opens the error page about cookies instead. Without storage, automatic redirects cannot be counted, so they open an
 * error page with a sign-in button.
 */
export function goToSignIn({ storage, location, now }: SignInSurroundings = browser(), leave: Leave = 'assign'): void {
  saveDrafts();
  if (leave === 'replace' && !canStore(storage)) {
    location.replace('/sign-in-failed?reason=storage');
    return;
  }
  storage.setItem(RETURN_PATH, location.pathname + location.search);
  const recent = departures(storage).filter((time) => now() - time < DEPARTURES_WINDOW_MS);
  if (recent.length >= DEPARTURES_MAX) {
    storage.removeItem(DEPARTURES);
    location.assign('/sign-in-failed?reason=cookies');
    return;
  }
  storage.setItem(DEPARTURES, JSON.stringify([...recent, now()]));
  location[leave]('/api/auth/login');
}

/** The operator has a session: resets the redirect count and discards data of another operator in this tab. */
export function arrivedSignedIn(identityId: string, storage: TabStorage = tabStorage): void {
  if (storage.getItem(OPERATOR) !== identityId) storage.clear();
  storage.setItem(OPERATOR, identityId);
  storage.removeItem(DEPARTURES);
}

/**
 * Tells the browser's other tabs who is signed in, and listens to them. Once somebody else has signed in there, the session
 * of this tab's operator has ended: requests would be made, and recorded, under the other name.
 * @returns stops listening
 */
export function compareOperators(identityId: string): () => void {
  // A browser that blocks storage may block this too.
  const tabs = attempt(() => new BroadcastChannel('sign-in.operator'));
  if (tabs === undefined) return () => {};
  tabs.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data !== identityId) sessionEnded();
  };
  tabs.postMessage(identityId);
  return () => tabs.close();
}

/** Returns and forgets the page to return to; undefined if there is none, or if it is outside this app. */
export function takeReturnPath(storage: TabStorage = tabStorage): string | undefined {
  const path = storage.getItem(RETURN_PATH);
  storage.removeItem(RETURN_PATH);
  return path !== null && isOwnPage(path) ? path : undefined;
}

/**
 * Whether a path belongs to this origin, but not to its API or a sign-in page. Browsers treat `//host` and `/\host` as
 * another origin, and drop tabs and line breaks first.
 */
export function isOwnPage(path: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return false;
  const url = new URL(path, 'http://own.invalid');
  return (
    url.origin === 'http://own.invalid' && !/^\/(?:api(?:\/|$)|sign-in-failed$|signed-out$|\/|\\)/.test(url.pathname)
  );
}

function departures(storage: TabStorage): number[] {
  const stored: unknown = attempt(() => JSON.parse(storage.getItem(DEPARTURES) ?? '[]'));
  return Array.isArray(stored) ? stored.filter((time) => typeof time === 'number') : [];
}

const leaveListeners = new Set<() => void>();

/** Calls a listener before the page is left for sign-in or a new version, to save drafts, but never secrets. */
export function onLeaving(listener: () => void): () => void {
  leaveListeners.add(listener);
  return () => leaveListeners.delete(listener);
}

export function saveDrafts(): void {
  for (const listener of leaveListeners) listener();
}

export function reloadKeepingDrafts(): void {
  saveDrafts();
  location.reload();
}

const ended = createStore(false);

/** The server refused a request because there was no session. Pages and drafts stay; a banner has a sign-in button. */
export const sessionEnded = (): void => ended.set(true);

/** The operator is signed in, or has signed in again. */
export const sessionContinues = (): void => ended.set(false);

export const hasSessionEnded = ended.get;
export const useSessionEnded = ended.use;
