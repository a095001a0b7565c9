import assert from 'node:assert/strict';
import { arrivedSignedIn, goToSignIn, isOwnPage, onLeaving, takeReturnPath } from '../../client/lib/sign-in.ts';
import { tabStorage } from '../../client/lib/tab-storage.ts';
import { UNUSABLE_STORAGE } from '../support/dom.ts';

/** A tab with its storage, its URL, and the URLs it was sent to. */
function tab(path = '/settings', search = '') {
  const stored = new Map<string, string>();
  const sentTo: string[] = [];
  let now = 1_000_000;
  return {
    sentTo,
    pass: (ms: number) => {
      now += ms;
    },
    storage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
      clear: () => stored.clear(),
    },
    location: {
      pathname: path,
      search,
      assign: (url: string | URL) => void sentTo.push(String(url)),
      replace: (url: string | URL) => void sentTo.push(`replacing this page: ${url}`),
    },
    now: () => now,
  };
}

describe('a redirect to sign-in', () => {
  it('replaces the history entry of a page that was never displayed', () => {
    const page = tab();
    goToSignIn(page, 'replace');
    assert.deepEqual(page.sentTo, ['replacing this page: /api/auth/login']);
  });

  it('stores the path and query of the page for a single return', () => {
    const page = tab('/settings', '?key=a%2Fb');
    goToSignIn(page);
    assert.deepEqual(page.sentTo, ['/api/auth/login']);
    assert.equal(takeReturnPath(page.storage), '/settings?key=a%2Fb');
    assert.equal(takeReturnPath(page.storage), undefined);
  });

  it('leads to the page about cookies at the fourth attempt within a minute', () => {
    const page = tab();
    for (let departure = 0; departure < 4; departure += 1) goToSignIn(page);
    assert.deepEqual(page.sentTo, [...Array(3).fill('/api/auth/login'), '/sign-in-failed?reason=cookies']);
  });

  it('is not limited after a successful sign-in, or after a pause of a minute', () => {
    const signedIn = tab();
    const patient = tab();
    for (let departure = 0; departure < 5; departure += 1) {
      goToSignIn(signedIn);
      arrivedSignedIn('ada', signedIn.storage);
      goToSignIn(patient);
      patient.pass(61_000);
    }
    assert.deepEqual(new Set([...signedIn.sentTo, ...patient.sentTo]), new Set(['/api/auth/login']));
  });

  it('works without usable storage', () => {
    for (const storage of Object.values(UNUSABLE_STORAGE)) {
      Object.defineProperty(globalThis, 'sessionStorage', { configurable: true, ...storage });
      const { location, sentTo, now } = tab();
      goToSignIn({ storage: tabStorage, location, now });
      arrivedSignedIn('ada');
      assert.deepEqual([sentTo, takeReturnPath()], [['/api/auth/login'], undefined]);
    }
    Reflect.deleteProperty(globalThis, 'sessionStorage');
  });

  it('calls the listeners, which store drafts, before the page is left', () => {
    const page = tab();
    const order: string[] = [];
    const stop = onLeaving(() => order.push(`stored before ${page.sentTo.length} redirects`));
    goToSignIn(page);
    stop();
    goToSignIn(page);
    assert.deepEqual(order, ['stored before 0 redirects']);
  });
});

describe('the page to return to after sign-in', () => {
  it('is a page of the app, but never an API path or a page about sign-in or sign-out', () => {
    for (const path of ['/settings', '/settings?key=a%2Fb&q=x', '/', '/apiary']) assert.ok(isOwnPage(path), path);
    const REMOTE = ['//evil.example', '/\\evil.example', '/\t/evil.example', '\\/evil.example', 'https://evil.example'];
    const ODD = ['javascript:alert(1)', 'settings', '', ' /settings', '/./\\evil.example', '/..//evil.example'];
    const NO_PAGES = ['/api/auth/logout', '/api', '/x/../api/auth/login', '/sign-in-failed?reason=x', '/signed-out'];
    for (const path of [...REMOTE, ...ODD, ...NO_PAGES]) assert.ok(!isOwnPage(path), path);
  });
});
