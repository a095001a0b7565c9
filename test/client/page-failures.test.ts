import assert from 'node:assert/strict';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { addressesOf } from '../support/every-page.ts';
import { indexReady } from '../support/index-ready.ts';

interface PageRead {
  page: string;
  /** What the page reads, and cannot. */
  request: RegExp;
  /** Shown once it has been read. */
  shown: RegExp;
  /** The button that asks for it. */
  press?: string;
  /** Where an upstream responds: what it should have been. */
  expects?: string;
}

const SCHEMAS = /^\/api\/identity\/schemas$|\/admin\/identities\?page_size=250/;
const READS: readonly PageRead[] = [
  { page: '/dashboard', request: /^\/api\/dashboard\/statistics/, shown: /with an address/ },
  { page: '/dashboard', request: /^\/api\/services$/, shown: /services are up/ },
  { page: '/identities', request: /^\/api\/identities\/search/, shown: /^Page 1|identities$/ },
  { page: '/identities/new', request: SCHEMAS, shown: /^Determines which traits/ },
  { page: '/identities/import', request: SCHEMAS, shown: /^File format/ },
  { page: '/identities/export', request: SCHEMAS, shown: /^CSV: one column/ },
  {
    page: '/identities/$id',
    request: /^\/api\/identity-admin\/admin\/identities\/[^/]+$/,
    shown: /^At a glance/,
    expects: 'an identity',
  },
  { page: '/identities/$id/credentials', request: /^\/api\/identities\/[^/]+\/credentials$/, shown: /^Password/ },
  {
    page: '/identities/$id/sessions',
    request: /\/sessions\?per_page/,
    shown: /^No sessions|^\d+ sessions?,/,
    expects: 'a list of sessions',
  },
  {
    page: '/identities/$id/messages',
    request: /\/courier\/messages\?/,
    shown: /^No messages/,
    expects: 'a list of messages',
  },
  { page: '/identities/$id/history', request: /^\/api\/security\/audit\?page_size=25/, shown: /identity was created/ },
  {
    page: '/identities/$id/consents',
    request: /\/consent\?subject/,
    shown: /^No consents|^\d+ consents? to/,
    expects: 'a list of consents',
  },
  { page: '/oauth/clients', request: /\/admin\/clients\?/, shown: /^Web shop/, expects: 'a list of clients' },
  { page: '/oauth/clients/$id', request: /\/admin\/clients\//, shown: /^At a glance/, expects: 'a client' },
  {
    page: '/oauth/clients/$id/developer',
    request: /openid-configuration/,
    shown: /^Request a token/,
    expects: 'its OpenID configuration',
  },
  { page: '/oauth/clients/$id/history', request: /^\/api\/security\/audit/, shown: /client was created/ },
  {
    page: '/oauth/consents?subject=somebody',
    request: /\/consent\?subject/,
    shown: /^No consents for this subject/,
    expects: 'a list of consents',
  },
  { page: '/messages', request: /\/courier\/messages\?/, shown: /^Page 1/, expects: 'a list of messages' },
  { page: '/messages/$id', request: /\/courier\/messages\//, shown: /^At a glance/, expects: 'a message' },
  { page: '/schemas', request: SCHEMAS, shown: /^Customer/ },
  { page: '/schemas/$id', request: /^\/api\/identity\/schemas\//, shown: /^At a glance/, expects: 'a schema' },
  { page: '/sessions', request: /\/admin\/sessions\?/, shown: /^Page 1/, expects: 'a list of sessions' },
  { page: '/sessions', request: /^\/api\/session-locations/, shown: /Unknown location/, press: 'Map' },
  { page: '/sessions/$id', request: /\/admin\/sessions\//, shown: /^At a glance/, expects: 'a session' },
  { page: '/connections', request: /^\/api\/settings/, shown: /^No social providers yet/ },
  { page: '/settings', request: /^\/api\/settings/, shown: /^No settings yet/ },
  { page: '/security', request: /^\/api\/security\/posture/, shown: /^Needs attention/ },
  { page: '/security/audit', request: /^\/api\/security\/audit\?/, shown: /^No changes yet/ },
  { page: '/security/locked-accounts', request: /^\/api\/security\/locked-accounts/, shown: /^Nobody is locked out/ },
  { page: '/security/operators', request: /^\/api\/security\/operators$/, shown: /No second factor/ },
  { page: '/system', request: /^\/api\/services$/, shown: /services are up/ },
  { page: '/system', request: /^\/api\/config$/, shown: /^Upstream services/ },
];

const SECRET = 'postgres://kratos:SECRET@10.0.0.1';

interface Failure {
  respond: () => Response | Promise<Response>;
  shown: RegExp[];
}

const response = (status: number, type: string, body: string, requestId: string) => (): Response =>
  new Response(body, { status, headers: { 'content-type': type, 'x-request-id': requestId } });

/** What may come instead of the response, and what is shown of it. */
const FAILURES: readonly Failure[] = [
  {
    respond: response(500, 'application/json', '{"error":"internal_error","message":"It failed."}', 'r-error'),
    shown: [/It failed\./, /r-error/],
  },
  { respond: response(500, 'application/json', JSON.stringify({ stack: SECRET }), 'r-trace'), shown: [/r-trace/] },
  {
    respond: response(200, 'text/html', `<h1>${SECRET}</h1>`, 'r-html'),
    shown: [/\(status 200\) could not be read|did not return/],
  },
  { respond: () => Promise.reject(new TypeError('fetch failed')), shown: [/The service cannot be reached/] },
];

describe('a failed request of a page', () => {
  const suite = appOfSuite({ people: 12 });
  const { setTimeout: later } = globalThis;
  let addressOf: (path: string) => string;
  before(async () => {
    await indexReady(suite.dashboard, suite.sessions.admin);
    addressOf = await addressesOf(suite.dashboard, suite.sessions.admin);
    // A lost request is repeated after a second, and three after a lost connection: these tests would mostly wait for that.
    globalThis.setTimeout = ((work: () => void, ms?: number, ...rest: []) =>
      later(work, ms === 1_000 || ms === 3_000 ? 0 : ms, ...rest)) as typeof later;
  });
  after(() => {
    globalThis.setTimeout = later;
  });

  for (const { page, request, shown, press, expects } of READS)
    it(`shows the reason and the request id, and can be retried: ${page} ${request.source}`, () => {
      const failures = [...FAILURES];
      if (expects !== undefined)
        failures.push({
          respond: () => Response.json(SECRET),
          shown: [new RegExp(`did not return ${expects}`)],
        });
      let failure = failures.shift();
      return suite.open(
        addressOf(page),
        { respond: ({ path }) => (request.test(path) ? failure?.respond() : undefined) },
        async (app) => {
          if (press !== undefined) await app.press(press);
          while (failure !== undefined) {
            for (const text of failure.shown) await app.shows(text);
            assert.doesNotMatch(document.body.innerHTML, /SECRET/);
            failure = failures.shift();
            const [again] = await app.screen.findAllByText('Try again');
            await app.user.click(again ?? assert.fail());
          }
          await app.shows(shown);
          await app.hides('Try again');
        },
      );
    });

  it('without a connection is retried once the browser is back online, also on the previous page', () =>
    suite.open(
      '/messages',
      { respond: ({ path }) => (path === '/api/auth/session' ? undefined : Promise.reject(new TypeError('offline'))) },
      async (app) => {
        await app.shows('No response from the service');
        await app.user.click(await app.screen.findByRole('link', { name: 'System' }));
        await app.screen.findByRole('heading', { level: 1, name: 'System' });
        await app.shows('Try again');
        app.respond = () => undefined;
        app.window.dispatchEvent(new app.window.Event('online'));
        await app.hides('Try again');
        await app.shows(/services are up/);
        await app.user.click(await app.screen.findByRole('link', { name: 'Messages' }));
        await app.shows(/^Page 1/);
      },
    ));

  it('succeeds once there is a connection, even if the first retry is lost as well', () => {
    const lost = (): Promise<never> => Promise.reject(new TypeError('offline'));
    return suite.open('/system', { heading: null, respond: lost }, async (app) => {
      await app.shows('No response from the service');
      let isFirst = true;
      app.respond = ({ path }) => {
        const fails = isFirst && path === '/api/auth/session';
        isFirst &&= !fails;
        return fails ? lost() : undefined;
      };
      app.window.dispatchEvent(new app.window.Event('online'));
      await app.shows(/services are up/);
      assert.ok(!isFirst);
    });
  });
});
