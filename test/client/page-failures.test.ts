import assert from 'node:assert/strict';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { addressesOf } from '../support/every-page.ts';
import { indexReady } from '../support/index-ready.ts';

interface PageRead {
  page: string;
  /** The request that fails. */
  request: RegExp;
  /** Text that appears once it succeeds. */
  text: RegExp;
  /** The button that sends it. */
  press?: string;
  /** What an upstream should have returned. */
  expects?: string;
}

const SCHEMAS = /^\/api\/identity\/schemas$|\/admin\/identities\?page_size=250/;
const READS: readonly PageRead[] = [
  { page: '/dashboard', request: /^\/api\/dashboard\/statistics/, text: /with an address/ },
  { page: '/dashboard', request: /^\/api\/services$/, text: /services are up/ },
  { page: '/identities', request: /^\/api\/identities\/search/, text: /^Page 1|identities$/ },
  { page: '/identities/new', request: SCHEMAS, text: /^Determines which traits/ },
  { page: '/identities/import', request: SCHEMAS, text: /^File format/ },
  { page: '/identities/export', request: SCHEMAS, text: /^CSV: one column/ },
  {
    page: '/identities/$id',
    request: /^\/api\/identity-admin\/admin\/identities\/[^/]+$/,
    text: /^At a glance/,
    expects: 'an identity',
  },
  { page: '/identities/$id/credentials', request: /^\/api\/identities\/[^/]+\/credentials$/, text: /^Password/ },
  {
    page: '/identities/$id/sessions',
    request: /\/sessions\?per_page/,
    text: /^No sessions|^\d+ sessions?,/,
    expects: 'a list of sessions',
  },
  {
    page: '/identities/$id/messages',
    request: /\/courier\/messages\?/,
    text: /^No messages/,
    expects: 'a list of messages',
  },
  { page: '/identities/$id/history', request: /^\/api\/security\/audit\?page_size=25/, text: /identity was created/ },
  {
    page: '/identities/$id/consents',
    request: /\/consent\?subject/,
    text: /^No consents|^\d+ consents? to/,
    expects: 'a list of consents',
  },
  { page: '/oauth/clients', request: /\/admin\/clients\?/, text: /^Web shop/, expects: 'a list of clients' },
  { page: '/oauth/clients/$id', request: /\/admin\/clients\//, text: /^At a glance/, expects: 'a client' },
  {
    page: '/oauth/clients/$id/developer',
    request: /openid-configuration/,
    text: /^Request a token/,
    expects: 'its OpenID configuration',
  },
  { page: '/oauth/clients/$id/history', request: /^\/api\/security\/audit/, text: /client was created/ },
  {
    page: '/oauth/consents?subject=ada',
    request: /\/consent\?subject/,
    text: /^No consents for this subject/,
    expects: 'a list of consents',
  },
  { page: '/messages', request: /\/courier\/messages\?/, text: /^Page 1/, expects: 'a list of messages' },
  { page: '/messages/$id', request: /\/courier\/messages\//, text: /^At a glance/, expects: 'a message' },
  { page: '/schemas', request: SCHEMAS, text: /^Customer/ },
  { page: '/schemas/$id', request: /^\/api\/identity\/schemas\//, text: /^At a glance/, expects: 'a schema' },
  { page: '/sessions', request: /\/admin\/sessions\?/, text: /^Page 1/, expects: 'a list of sessions' },
  { page: '/sessions', request: /^\/api\/session-locations/, text: /Unknown location/, press: 'Map' },
  { page: '/sessions/$id', request: /\/admin\/sessions\//, text: /^At a glance/, expects: 'a session' },
  { page: '/connections', request: /^\/api\/settings/, text: /^No social providers yet/ },
  { page: '/settings', request: /^\/api\/settings/, text: /^No settings yet/ },
  { page: '/security', request: /^\/api\/security\/posture/, text: /^Needs attention/ },
  { page: '/security/audit', request: /^\/api\/security\/audit\?/, text: /^No changes yet/ },
  { page: '/security/locked-accounts', request: /^\/api\/security\/locked-accounts/, text: /^Nobody is locked out/ },
  { page: '/security/operators', request: /^\/api\/security\/operators$/, text: /No second factor/ },
  { page: '/system', request: /^\/api\/services$/, text: /services are up/ },
  { page: '/system', request: /^\/api\/config$/, text: /^Upstream services/ },
];

const SECRET = 'postgres://kratos:SECRET@10.0.0.1';

interface Failure {
  respond: () => Response | Promise<Response>;
  texts: RegExp[];
}

const response = (status: number, type: string, body: string, requestId: string) => (): Response =>
  new Response(body, { status, headers: { 'content-type': type, 'x-request-id': requestId } });

/** Failures, and the text that the page displays for them. */
const FAILURES: readonly Failure[] = [
  {
    respond: response(500, 'application/json', '{"error":"internal_error","message":"It failed."}', 'r-error'),
    texts: [/It failed\./, /r-error/],
  },
  { respond: response(500, 'application/json', JSON.stringify({ stack: SECRET }), 'r-trace'), texts: [/r-trace/] },
  {
    respond: response(200, 'text/html', `<h1>${SECRET}</h1>`, 'r-html'),
    texts: [/\(status 200\) could not be read|did not return/],
  },
  { respond: () => Promise.reject(new TypeError('fetch failed')), texts: [/The service cannot be reached/] },
];

describe('a failed request of a page', () => {
  const suite = appOfSuite({ people: 12 });
  const { setTimeout } = globalThis;
  let addressOf: (path: string) => string;
  before(async () => {
    await indexReady(suite.dashboard, suite.sessions.admin);
    addressOf = await addressesOf(suite.dashboard, suite.sessions.admin);
    // A failed request is retried after one second, or three without a connection, for which these tests do not wait.
    globalThis.setTimeout = ((work: () => void, ms?: number, ...rest: []) =>
      setTimeout(work, ms === 1_000 || ms === 3_000 ? 0 : ms, ...rest)) as typeof setTimeout;
  });
  after(() => {
    globalThis.setTimeout = setTimeout;
  });

  for (const { page, request, text, press, expects } of READS)
    it(`shows the reason and the request id, and can be retried: ${page} ${request.source}`, () => {
      const failures = [...FAILURES];
      if (expects !== undefined)
        failures.push({
          respond: () => Response.json(SECRET),
          texts: [new RegExp(`did not return ${expects}`)],
        });
      let failure = failures.shift();
      return suite.open(
        addressOf(page),
        { respond: ({ path }) => (request.test(path) ? failure?.respond() : undefined) },
        async (app) => {
          if (press !== undefined) await app.press(press);
          while (failure !== undefined) {
            for (const message of failure.texts) await app.shows(message);
            assert.doesNotMatch(document.body.innerHTML, /SECRET/);
            failure = failures.shift();
            const [retry] = await app.screen.findAllByText('Try again');
            await app.user.click(retry ?? assert.fail());
          }
          await app.shows(text);
          await app.hides('Try again');
        },
      );
    });

  it('is retried once the browser is back online, also on the previous page', () =>
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

  it('is retried again if the first retry after an outage fails as well', () => {
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
