import assert from 'node:assert/strict';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { addressesOf } from '../support/every-page.ts';

/**
 * @param data what the page requests, as in the title of its test
 * @param isOfUpstream whether an upstream returns it, so that it may have another form
 * @param press name of the button that sends the request
 */
type PageRequest = [page: string, data: string, request: RegExp, success: RegExp, isOfUpstream?: true, press?: string];

const SCHEMAS = /^\/api\/identity\/schemas$|\/admin\/identities\?page_size=250/;
const REQUESTS: readonly PageRequest[] = [
  ['/dashboard', 'the statistics', /^\/api\/dashboard\/statistics/, /with an address/],
  ['/dashboard', 'the services', /^\/api\/services$/, /services are up/],
  ['/identities', 'the identities', /^\/api\/identities\/search/, /^Page 1|identities$/],
  ['/identities/new', 'the schemas', SCHEMAS, /^Determines which traits/],
  ['/identities/import', 'the schemas', SCHEMAS, /^File format/],
  ['/identities/export', 'the schemas', SCHEMAS, /^CSV: one column/],
  ['/identities/$id', 'the identity', /^\/api\/identity-admin\/admin\/identities\/[^/]+$/, /^At a glance/, true],
  ['/identities/$id/credentials', 'the credentials', /^\/api\/identities\/[^/]+\/credentials$/, /^Password/],
  ['/identities/$id/sessions', 'the sessions', /\/sessions\?per_page/, /^No sessions|^\d+ sessions?,/, true],
  ['/identities/$id/messages', 'the messages', /\/courier\/messages\?/, /^No messages/, true],
  ['/identities/$id/history', 'the audit trail', /^\/api\/security\/audit\?page_size=25/, /identity was created/],
  ['/identities/$id/consents', 'the consents', /\/consent\?subject/, /^No consents|^\d+ consents? to/, true],
  ['/oauth/clients', 'the clients', /\/admin\/clients\?/, /^Web shop/, true],
  ['/oauth/clients/$id', 'the client', /\/admin\/clients\//, /^At a glance/, true],
  ['/oauth/clients/$id/developer', 'the OpenID configuration', /openid-configuration/, /^Request a token/, true],
  ['/oauth/clients/$id/history', 'the audit trail', /^\/api\/security\/audit/, /client was created/],
  ['/oauth/consents?subject=ada', 'the consents', /\/consent\?subject/, /^No consents for this subject/, true],
  ['/messages', 'the messages', /^\/api\/messages\?/, /^Page 1/],
  ['/messages/$id', 'the message', /\/courier\/messages\//, /^At a glance/, true],
  ['/schemas', 'the schemas', SCHEMAS, /^Customer/],
  ['/schemas/$id', 'the schema', /^\/api\/identity\/schemas\//, /^At a glance/, true],
  ['/sessions', 'the sessions', /\/admin\/sessions\?/, /^Page 1/, true],
  ['/sessions', 'the locations of sessions', /^\/api\/session-locations/, /Unknown location/, undefined, 'Map'],
  ['/sessions/$id', 'the session', /\/admin\/sessions\//, /^At a glance/, true],
  ['/connections', 'the settings', /^\/api\/settings/, /^No social providers yet/],
  ['/settings', 'the settings', /^\/api\/settings/, /^No settings yet/],
  ['/security', 'the security checks', /^\/api\/security\/posture/, /^Needs attention/],
  ['/security/audit', 'the audit trail', /^\/api\/security\/audit\?/, /^No changes yet/],
  ['/security/locked-accounts', 'the locked accounts', /^\/api\/security\/locked-accounts/, /^Nobody is locked out/],
  ['/security/operators', 'the operators', /^\/api\/security\/operators$/, /No second factor/],
  ['/system', 'the services', /^\/api\/services$/, /services are up/],
  ['/system', 'the configuration', /^\/api\/config$/, /^Upstream services/],
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

describe('a failed request', () => {
  const suite = appOfSuite({ people: 12 });
  const { setTimeout } = globalThis;
  let addressOf: (path: string) => string;
  before(async () => {
    await suite.indexReady();
    addressOf = await addressesOf(suite);
    // A failed request is retried after one second, or three without a connection, for which these tests do not wait.
    globalThis.setTimeout = ((work: () => void, ms?: number, ...rest: []) =>
      setTimeout(work, ms === 1_000 || ms === 3_000 ? 0 : ms, ...rest)) as typeof setTimeout;
  });
  after(() => {
    globalThis.setTimeout = setTimeout;
  });

  for (const [page, data, request, success, isOfUpstream, press] of REQUESTS)
    it(`for ${data} on ${page} is reported without internal details, and can be retried`, () => {
      const failures = [...FAILURES];
      const expected = new RegExp(`did not return (?:an?|its|a list of) ${data.replace('the ', '')}`);
      if (isOfUpstream) failures.push({ respond: () => Response.json(SECRET), texts: [expected] });
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
          await app.shows(success);
          await app.hides('Try again');
        },
      );
    });

  it('is retried once the browser is back online, even if the operator has left its page', () =>
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
