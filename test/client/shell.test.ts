import assert from 'node:assert/strict';
import { fireEvent, waitFor, within } from '@testing-library/dom';
import { chooseZone } from '../../client/lib/time-zone.ts';
import { type App, appOfSuite, withApp } from '../support/app-in-dom.tsx';
import { stopLongTimers, UNUSABLE_STORAGE } from '../support/dom.ts';
import { stubApi } from '../support/identity-dom.ts';

/** The server no longer accepts the session. */
const SIGNED_OUT = (): Response =>
  Response.json({ error: 'not_authenticated', message: 'Sign in first.' }, { status: 401 });

describe('the frame of every page', () => {
  const suite = appOfSuite({ people: 30 });
  before(() => suite.indexReady());

  const main = (app: App): HTMLElement => app.window.document.querySelector('main') as unknown as HTMLElement;

  const press = (key: string, more = {}) => fireEvent.keyDown(document.activeElement as Element, { key, ...more });

  it('lists the keyboard shortcuts when “?” is pressed, including one for each page', () =>
    suite.open('/identities', { heading: 'Identities' }, async (app) => {
      await app.shows(/^Page 1/, main(app));
      await app.user.keyboard('?');
      const sheet = await app.screen.findByRole('dialog');
      for (const text of ['Search or jump to', 'Search on this page', 'Select the row', 'Next and previous page'])
        await app.shows(text, sheet);
      const section = (await app.shows('Go to a page', sheet)).closest('section');
      const letters = [...(section ?? assert.fail()).querySelectorAll('dd')].map(({ textContent }) => textContent);
      assert.equal(letters.length, document.querySelectorAll('nav[aria-label=Pages] li').length);
      assert.equal(new Set(letters).size, letters.length, letters.join(' '));
    }));

  it('moves the focus to the search of the page when “/” is pressed, and ignores shortcuts typed in a field', () =>
    suite.open('/identities', { heading: 'Identities' }, async (app) => {
      await app.shows(/^Page 1/, main(app));
      await app.user.keyboard('/');
      await app.user.keyboard('gs?/');
      assert.equal((document.activeElement as HTMLInputElement).value, 'gs?/');
      assert.equal(app.screen.queryAllByRole('dialog').length, 0);
      assert.match(app.address(), /^\/identities/);
    }));

  it('has the same shortcuts with a Russian layout, and ignores keys of an input method in the palette and in dialogs', () =>
    suite.open('/identities', { heading: 'Identities' }, async (app) => {
      await app.shows(/^Page 1/, main(app));
      press('о', { code: 'KeyJ' });
      press('о', { code: 'KeyJ' });
      assert.equal(document.activeElement?.getAttribute('data-row'), '1');
      for (const [key, code] of Object.entries({ п: 'KeyG', ы: 'KeyS' })) press(key, { code });
      await app.screen.findByRole('heading', { level: 1, name: 'Settings' });
      const isOpen = (): boolean => document.querySelector('dialog, [role=dialog]') !== null;
      for (const [key, more] of [['л', { code: 'KeyK', ctrlKey: true }] as const, ['?', {}] as const]) {
        press(key, more);
        await waitFor(() => assert.ok(isOpen()));
        for (const key of ['Enter', 'Escape'])
          for (const composing of [{ isComposing: true }, { keyCode: 229 }]) assert.ok(!press(key, composing), key);
        await app.shows('Settings');
        assert.ok(isOpen());
        press('Escape');
        await waitFor(() => assert.ok(!isOpen()));
      }
    }));

  it('shows operator, role and deployment in a menu that changes the theme', () =>
    suite.open('/settings', { heading: 'Settings' }, async (app) => {
      await app.press('admin@example.com');
      const menu = await app.screen.findByRole('menu', { name: /admin@example\.com/ });
      assert.match(menu.parentElement?.textContent ?? '', /admin@example\.com.*Administrator.*Customer identity/);
      const dark = await within(menu).findByRole('menuitemradio', { name: 'Dark' });
      await app.user.click(dark);
      await waitFor(() => assert.equal(dark.ariaChecked ?? dark.getAttribute('aria-checked'), 'true'));
    }));

  it('reports a failed sign-out if the session remains', () =>
    suite.open('/settings', { heading: 'Settings' }, async (app) => {
      app.respond = ({ path }) => (path === '/api/auth/logout' ? new Response(null, { status: 503 }) : undefined);
      await app.press('admin@example.com');
      await app.user.click(await app.screen.findByRole('menuitem', { name: 'Sign out' }));
      await app.shows('Sign-out failed. Try again.');
    }));

  it('goes to the provider to end its session if the server names an address, and otherwise says that it continues', async () => {
    const END = 'https://login.example/end?client_id=dashboard';
    const signedOut = (address?: string) =>
      new Response(null, { status: 204, ...(address && { headers: { 'X-Provider-Sign-Out': address } }) });
    for (const [signIn, response, target] of [
      ['oauth2', signedOut(), '/signed-out'],
      ['oauth2', new Response(null, { status: 503 }), '/signed-out?server=away'],
      ['openid', signedOut(END), END],
      ['openid', signedOut('javascript:alert(1)'), '/signed-out?provider=continues'],
      ['openid', signedOut(), '/signed-out?provider=continues'],
      ['openid', new Response(null, { status: 503 }), '/signed-out?server=away&provider=continues'],
    ] as const)
      await suite.open('/settings', { heading: 'Settings', signIn }, async (app) => {
        app.respond = ({ path }) => {
          if (path === '/api/auth/logout') return response;
          return path === '/api/auth/session' ? SIGNED_OUT() : undefined;
        };
        await app.press('admin@example.com');
        await app.user.click(await app.screen.findByRole('menuitem', { name: 'Sign out' }));
        await waitFor(() => assert.deepEqual(app.navigations, [target]));
      });
  });

  it('says after a sign-out whether the provider’s session continues, which it does not if the browser returns from there', async () => {
    for (const [search, text] of [
      ['', /^You will be asked for your credentials/],
      ['?provider=x', /^You will be asked for your credentials/],
      ['?provider=continues', /^Your session at the sign-in service continues\. On a shared computer, sign out there/],
      ['?server=away&provider=continues', /^Your session at the sign-in service continues/],
    ] as const)
      await withApp('http://dashboard.test', `/signed-out${search}`, { respond: SIGNED_OUT }, async (app) => {
        await app.shows(text);
        assert.equal(app.screen.getAllByText(/^You will be asked|^Your session at/).length, 1, search);
      });
  });

  it('offers another account if a sign-in at a provider failed because of the account', async () => {
    const respond = (): Response => new Response(null, { status: 204 });
    for (const [signIn, reason, isOffered] of [
      ['openid', 'no_identity', true],
      ['openid', 'cookies', false],
      ['oauth2', 'no_role', false],
    ] as const)
      await withApp('http://dashboard.test', `/sign-in-failed?reason=${reason}`, { signIn, respond }, async (app) => {
        assert.equal(app.screen.queryAllByText('Use another account').length, isOffered ? 1 : 0, reason);
        if (!isOffered) return;
        await app.press('Use another account');
        await waitFor(() => assert.deepEqual(app.navigations, ['/api/auth/login']));
        assert.deepEqual(
          app.requests.map(({ method, path }) => `${method} ${path}`),
          ['POST /api/auth/logout'],
        );
      });
  });

  it('explains why a sign-in failed, without sending any request', async () => {
    for (const [reason, text] of [
      ['no_role', /role/],
      ['no_identity', /exactly one person/],
      ['email_unverified', /Verify the address/],
      ['groups_overage', /OPERATOR_ROLE_CLAIM/],
      ['provider_unreachable', /wait a moment/i],
      ['store_key', /settings:set upstream\.identity-admin\.api_key/],
      ['x', /Something went wrong/],
      ['storage', /allow cookies and site data/],
    ] as const)
      await withApp(suite.dashboard.url, `/sign-in-failed?reason=${reason}`, {}, async (app) => {
        await app.shows(text);
        const link = await app.screen.findByRole('link', { name: /^Sign in/ });
        assert.equal(link.getAttribute('href'), '/api/auth/login');
        assert.deepEqual(app.requests, []);
      });
  });
});

describe('a visit without a session', () => {
  const withoutSession = (respond: App['respond'], work: (app: App) => Promise<void>): Promise<void> =>
    withApp('http://dashboard.test', '/settings?q=smtp', { heading: null, respond }, work);

  it('redirects to sign-in once, after a single request for the session', () =>
    withoutSession(
      () => Response.json({ error: 'Not authenticated' }, { status: 401 }),
      async (app) => {
        await app.shows(/^Redirecting to sign-in/);
        await waitFor(() => assert.deepEqual(app.navigations, ['/api/auth/login']));
        assert.equal(app.requests.filter(({ path }) => path === '/api/auth/session').length, 1);
      },
    ));

  it('shows the failure instead of redirecting to sign-in if the service fails', () =>
    withoutSession(
      () => Response.json({ error: 'service_unavailable', message: 'Not now.' }, { status: 503 }),
      async (app) => {
        await app.shows('Not now.');
        assert.deepEqual(app.navigations, []);
      },
    ));
});

describe('the app', () => {
  const suite = appOfSuite();

  for (const [how, storage] of Object.entries(UNUSABLE_STORAGE)) {
    it(`in a browser with ${how} storage shows pages and forms, and offers sign-in only in a new tab`, async () => {
      for (const path of ['/identities', '/identities/import', '/identities/new', '/oauth/clients/new'])
        await suite.open(path, { storage }, async () => {});
      await suite.open('/system', { heading: 'System', storage }, async (app) => {
        app.respond = SIGNED_OUT;
        await app.user.click(await app.shows('Messages'));
        await app.shows('Sign in (new tab)');
        assert.equal(app.screen.queryByText('Sign in'), null);
      });
    });

    it(`in a browser with ${how} storage opens the page about failed sign-ins instead of redirecting in a loop`, () =>
      withApp('http://dashboard.test', '/settings', { heading: null, respond: SIGNED_OUT, storage }, async (app) => {
        await app.shows(/^Redirecting to sign-in/);
        await waitFor(() => assert.deepEqual(app.navigations, ['/sign-in-failed?reason=storage']));
      }));
  }
});

describe('the end of a session while a page is open', () => {
  const suite = appOfSuite({ people: 30 });
  before(() => suite.indexReady());

  it('is announced once when the operator opens another page, which notes that its data was not loaded', () =>
    suite.open('/system', { heading: 'System' }, async (app) => {
      app.respond = SIGNED_OUT;
      await app.user.click(await app.shows('Messages'));
      await app.shows('Not loaded: your session has ended.');
      await app.shows('You are signed out');
      assert.equal(app.screen.queryAllByText('You are signed out').length, 1);
    }));

  it('is announced once when a list requests its next page, until the operator signs in again in another tab', () =>
    suite.open('/identities', { heading: 'Identities' }, async (app) => {
      await app.shows('Page 1, rows 1–25');
      app.respond = SIGNED_OUT;
      await app.press('Next page');
      await app.shows('You are signed out');
      await app.shows('Page 1, rows 1–25');
      assert.equal(app.screen.queryAllByText(/session has ended/).length, 1);
      app.respond = () => undefined;
      app.window.dispatchEvent(new app.window.Event('focus'));
      await app.hides('You are signed out');
      await app.press('Next page');
      await app.shows(/^Page 2/);
    }));
});

describe('the approaching end of a session', () => {
  const MINUTE_MS = 60_000;
  const zone = 'Asia/Kathmandu';
  const clock = (at: number): RegExp =>
    new RegExp(`${Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(at)}\\b`);
  let timers: ReturnType<typeof stopLongTimers>;
  /** The time at which the session ends; undefined once it has ended. */
  let end: number | undefined;
  let minutes = '';
  const user = { identityId: 'operator-1', email: 'admin@example.com', role: 'admin' };
  const respond = stubApi(({ path }) => {
    if (path === '/api/services') return { services: [] };
    if (path !== '/api/auth/session') return undefined;
    if (end === undefined) return Response.json({ error: 'Not authenticated' }, { status: 401 });
    const expires = new Date(end).toISOString();
    return Response.json({ user }, { headers: { 'X-Session-Expires': expires, 'X-Session-Minutes': minutes } });
  });
  beforeEach(() => {
    timers = stopLongTimers();
    chooseZone(zone);
    end = Date.now() + 6 * MINUTE_MS;
    minutes = '';
  });
  afterEach(() => {
    chooseZone(undefined);
    timers.restore();
  });

  it('is announced one minute in advance if sessions last five, which the account menu explains', () => {
    end = Date.now() + 5 * MINUTE_MS;
    minutes = '5';
    return withApp('http://dashboard.test', '/no-such-page', { respond }, async (app) => {
      await waitFor(() => assert.ok(app.requests.some(({ path }) => path === '/api/services')));
      await app.press('admin@example.com');
      await app.shows(/^Sessions last 5 minutes here\. An administrator can raise .* at the sign-in service/);
      timers.pass(3.9 * MINUTE_MS);
      document.dispatchEvent(new app.window.Event('visibilitychange') as never);
      assert.equal(app.screen.queryAllByText(/^Your session ends at/).length, 0);
      timers.pass(0.2 * MINUTE_MS);
      await app.shows(/^Your session ends at/);
    });
  });

  it('is announced five minutes in advance until a new session exists, without earlier requests for the session', () =>
    withApp('http://dashboard.test', '/no-such-page', { respond }, async (app) => {
      const requests = (): number => app.requests.filter(({ path }) => path === '/api/auth/session').length;
      const showTab = (): boolean => document.dispatchEvent(new app.window.Event('visibilitychange') as never);
      await waitFor(() => assert.ok(app.requests.some(({ path }) => path === '/api/services')));
      await app.press('admin@example.com');
      const until = (await app.shows(/^Signed in until/)).textContent ?? '';
      assert.match(until, clock(end as number));
      showTab();
      assert.equal(requests(), 1);
      assert.equal(app.screen.queryAllByText(/^Your session ends at/).length, 0);

      timers.pass(MINUTE_MS);
      assert.match((await app.shows(/^Your session ends at/)).textContent ?? '', clock(end as number));
      assert.equal(app.screen.getByRole('link', { name: 'Sign in (new tab)' }).getAttribute('target'), '_blank');
      await waitFor(() => assert.equal(requests(), 2));

      end = Date.now() + 30 * MINUTE_MS;
      showTab();
      await app.hides(/^Your session ends at/);
      await waitFor(() =>
        assert.match(app.screen.getByText(/^Signed in until/).textContent ?? '', clock(end as number)),
      );
      assert.equal(requests(), 3);

      timers.pass(25 * MINUTE_MS);
      await app.shows(/^Your session ends at/);
      await waitFor(() => assert.equal(requests(), 4));
      end = undefined;
      timers.pass(6 * MINUTE_MS);
      await app.shows('You are signed out');
      assert.equal(app.screen.queryAllByText(/^Your session ends at/).length, 0);
      assert.equal(requests(), 5);
    }));
});
