import { keepDrafts } from './leaving.ts';

const RETURN_PATH = 'sign-in.return-path';
const DEPARTURES = 'sign-in.departures';
/** A browser that keeps no session cookie would be sent to the provider and back for ever. */
const DEPARTURES_MAX = 3;
const DEPARTURES_WINDOW_MS = 60_000;

/** What the app needs of the browser here, so that it can be tested without one. */
export interface SignInSurroundings {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  location: Pick<Location, 'pathname' | 'search' | 'assign' | 'replace'>;
  now: () => number;
}

const browser = (): SignInSurroundings => ({ storage: sessionStorage, location, now: Date.now });

/** `replace` takes this page out of the history: it never showed anything to go back to, and would only leave again. */
type Leave = 'assign' | 'replace';

/**
 * Leaves for the provider and remembers the place to come back to. After three departures within a minute that
 * led to no session it ends on the page that explains cookies instead of looping.
 */
export function goToSignIn({ storage, location, now }: SignInSurroundings = browser(), leave: Leave = 'assign'): void {
  keepDrafts();
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

/** A session stands: the next departure is the first again. */
export const arrivedSignedIn = (storage: SignInSurroundings['storage'] = sessionStorage): void =>
  storage.removeItem(DEPARTURES);

/** The place to come back to, once; undefined when there is none or it is not a page of this app. */
export function takeReturnPath(storage: SignInSurroundings['storage'] = sessionStorage): string | undefined {
  const path = storage.getItem(RETURN_PATH);
  storage.removeItem(RETURN_PATH);
  return path !== null && isOwnPage(path) ? path : undefined;
}

/**
 * A path of this origin and no page of the sign-in itself. Browsers read `//host` and `/\host` as another origin,
 * and drop tabs and line breaks before they look.
 */
export function isOwnPage(path: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return false;
  const url = new URL(path, 'http://own.invalid');
  return (
    url.origin === 'http://own.invalid' && !/^\/(?:api(?:\/|$)|sign-in-failed$|signed-out$|\/|\\)/.test(url.pathname)
  );
}

function departures(storage: SignInSurroundings['storage']): number[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(DEPARTURES) ?? '[]');
    return Array.isArray(stored) ? stored.filter((time) => typeof time === 'number') : [];
  } catch {
    return [];
  }
}
