import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { AuditRecord } from '../../shared/audit.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';

const NAMES = '/api/security/operators/names';
const NAME = 'Ada Byron';

/** Resolves once it is let go. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe('the page of the audit trail', () => {
  const suite = appOfSuite();
  /** Another operator, who became an administrator and changed much. */
  let other: { email: string; id: string };
  let person: string;
  before(async () => {
    const { dashboard, sessions } = suite;
    const call = (session: string, path: string, json: object, method = 'POST') =>
      dashboard.call(path, { session, method, json });
    const { user } = (await (await dashboard.call('/api/auth/session', { session: sessions.viewer })).json()) as {
      user: { identityId: string };
    };
    other = { email: dashboard.operator('viewer').email, id: user.identityId };
    const identities = '/api/identity-admin/admin/identities';
    const patch = (session: string, id: string, path: string, value: unknown) =>
      call(session, `${identities}/${id}`, [{ op: 'replace', path, value }], 'PATCH');
    await patch(sessions.admin, other.id, '/traits/role', 'admin');
    const session = await dashboard.signIn('viewer');
    for (let index = 0; index < 26; index += 1)
      await call(sessions.admin, '/api/settings', { key: 'brand.name', value: 'x', category: 'brand' });
    const traits = { email: 'ada.byron@example.org', name: { first: 'Ada', last: 'King' } };
    const made = await call(sessions.admin, identities, { schema_id: 'customer', traits });
    person = ((await made.json()) as { id: string }).id;
    await patch(session, person, '/traits/name/last', 'Byron');
    await patch(session, person, '/state', 'inactive');
    const client = { client_id: 'web-shop', client_name: 'Web shop', redirect_uris: ['https://shop.example/a'] };
    await call(sessions.admin, '/api/oauth-admin/admin/clients', client);
    await call(session, '/api/settings', { key: 'mail.from', value: 'x' });
    const path = '/api/oauth-admin/admin/clients/web-shop';
    await call(session, path, [{ op: 'replace', path: '/redirect_uris', value: ['https://shop.example/b'] }], 'PATCH');
  });

  const onTrail = (work: (app: App) => Promise<void>, search = '', respond?: App['respond']): Promise<void> =>
    suite.open(`/security/audit${search}`, { heading: 'Audit trail', ...(respond && { respond }) }, work);
  const records = (): HTMLElement[] => {
    const list = document.querySelector<HTMLElement>('[aria-label="Records, the latest first"]');
    return list === null ? [] : within(list).queryAllByRole('listitem');
  };
  const sentences = (): string[] =>
    records().map((record) => record.querySelector(':scope > span')?.textContent?.trim() ?? '');
  const tells = (...expected: (string | RegExp)[]): Promise<void> =>
    waitFor(() => {
      const found = sentences();
      for (const sentence of expected)
        assert.ok(
          found.some((one) => (sentence instanceof RegExp ? sentence.test(one) : one === sentence)),
          `${sentence} is not in\n${found.join('\n')}`,
        );
    });
  const show = (app: App): Promise<void> => app.press('Show');

  it('tells each record as a sentence that leads to what it names, with the request on demand', () =>
    onTrail(async (app) => {
      await tells(`${other.email} changed the redirect addresses of Web shop`, 'You created Web shop');
      await tells(`${other.email} deactivated ${NAME}`, `${other.email} changed name.last of ${NAME}`);
      const [first] = records();
      await app.user.click(first?.querySelector('summary') as HTMLElement);
      await app.shows('PATCH /api/oauth-admin/admin/clients/web-shop', first);
      for (const sentence of sentences()) assert.doesNotMatch(sentence, /PATCH|POST|\/api\//);
      await app.user.click(app.screen.getAllByRole('link', { name: NAME })[0] as HTMLElement);
      await app.screen.findByRole('heading', { level: 1, name: NAME });
      assert.equal(app.address(), `/identities/${person}`);
    }, '?changes=true'));

  it('tells of people and clients by their ids where their names cannot be read', () =>
    onTrail(
      () => tells(`${other.email} changed the redirect addresses of the client web-shop`),
      '?changes=true',
      ({ path }) => (path.startsWith('/api/security/subject-names') ? Response.json({ names: [] }) : undefined),
    ));

  it('keeps its filters in the address', () =>
    onTrail(async (app) => {
      await app.choose('What', 'Changes only');
      await show(app);
      await app.shows('Show everything');
      assert.equal(app.address(), '/security/audit?changes=true');
      await app.choose('What', 'Sign-ins');
      await show(app);
      await tells('You signed in as admin', /signed in as viewer$/);
      assert.equal(app.address(), '/security/audit?action=login');
      await app.fill('About', 'setting:brand.name');
      await app.user.keyboard('{Enter}');
      await app.shows('No record matches');
      await app.press('Last hour');
      await waitFor(() => assert.match(app.address(), /from=1h/, 'it moves with the clock'));
      await app.user.click(app.screen.getAllByText('Show everything')[0] as HTMLElement);
      await tells('You created Web shop');
    }));

  it('says what is wrong with a filter that the service refuses, and shows no other records as if they matched', () =>
    onTrail(async (app) => {
      await app.shows(/must be a time/);
      assert.deepEqual(records(), []);
    }, '?from=yesterday'));

  it('goes on page by page', () =>
    onTrail(async (app) => {
      await app.shows('Page 1, rows 1–25');
      const [latest] = sentences();
      await app.press('Next page');
      await app.shows(/^Page 2, rows 26–\d+/);
      assert.notEqual(sentences()[0], latest);
      await app.press('Previous page');
      await app.shows('Page 1, rows 1–25');
    }));

  it('shows whether the chain is intact', async () => {
    await onTrail(async (app) => void (await app.shows(/^The chain is intact: all \d+ records verified/)));
    const broken = { status: 'broken', verified_to: 6, head: 90, broken_at: 7, as_of: new Date().toISOString() };
    await onTrail(
      async (app) => void (await app.shows(/broken at record 7/)),
      '',
      ({ path }) => (path.endsWith('/chain') ? Response.json(broken) : undefined),
    );
  });

  it('saves all records that the filters find', () =>
    onTrail(async (app) => {
      await app.press('Export…');
      await app.press('Export as CSV');
      await app.shows(/^26 records were read\./);
      const [file] = app.saved;
      assert.match(file?.name ?? '', /^audit-customer-.*\.csv$/);
      const lines = ((await file?.content.text()) ?? '').trimEnd().split('\r\n');
      assert.equal(lines.length, 27);
      assert.ok(lines.slice(1).every((line) => line.includes('setting:brand.name')));
    }, '?subject=setting:brand.name'));

  it('goes on with an export that was cancelled where it was', () =>
    onTrail(async (app) => {
      const second = gate();
      let pages = 0;
      app.respond = async ({ path }) => {
        const url = new URL(path, suite.dashboard.url);
        if (url.pathname !== '/api/security/audit' || url.searchParams.get('page_size') !== '250') return undefined;
        pages += 1;
        if (pages === 2) await second.passed;
        url.searchParams.set('page_size', '20');
        return suite.dashboard.call(url.pathname + url.search, { session: suite.sessions.admin });
      };
      await app.press('Export…');
      await app.press('Export as NDJSON');
      await app.shows(/^20 (of \d+|so far)$/);
      await app.press('Cancel');
      second.open();
      await app.shows(/^20 records were read\./);
      await app.press('Continue');
      await waitFor(() => assert.equal(app.saved.length, 1));
      const lines = ((await app.saved[0]?.content.text()) ?? '').trimEnd().split('\n');
      const sequences = lines.map((line) => (JSON.parse(line) as AuditRecord).sequence);
      assert.ok(sequences.length > 26);
      assert.deepEqual(
        sequences,
        sequences.map((_, index) => (sequences[0] ?? 0) - index),
      );
    }));

  describe('names operators', () => {
    it('by one request, and by their ids until it is answered or if it fails', async () => {
      const names = gate();
      const short = other.id.slice(0, 8);
      await onTrail(
        async (app) => {
          await tells(`${short} created the setting mail.from`);
          names.open();
          await tells(`${other.email} created the setting mail.from`, 'You created Web shop');
          const asked = app.requests.filter(({ path }) => path.startsWith(NAMES)).map(({ path }) => path);
          assert.deepEqual(asked, [`${NAMES}?id=${other.id}`]);
        },
        '?changes=true',
        async ({ path }) => {
          if (path.startsWith(NAMES)) await names.passed;
          return undefined;
        },
      );
      await onTrail(
        async (app) => {
          await tells(`${short} created the setting mail.from`);
          assert.equal(app.screen.queryByRole('alert'), null);
        },
        '?changes=true',
        ({ path }) =>
          path.startsWith(NAMES)
            ? Response.json({ error: 'internal_error', message: 'No.' }, { status: 500 })
            : undefined,
      );
    });

    for (const [where, path, sentence] of [
      ['a person', () => `/identities/${person}/history`, `deactivated ${NAME}`],
      ['a client', () => '/oauth/clients/web-shop/history', 'changed the redirect addresses of Web shop'],
      ['the overview', () => '/dashboard', 'changed the redirect addresses of Web shop'],
    ] as const)
      it(`in the history of ${where}`, () =>
        suite.open(path(), {}, () =>
          waitFor(() => assert.ok(document.body.textContent?.includes(`${other.email} ${sentence}`))),
        ));

    it('and finds them by an e-mail address, unless the operator has gone elsewhere by then', () =>
      onTrail(async (app) => {
        const search = gate();
        app.respond = async ({ path }) => {
          if (path.includes('identifier=')) await search.passed;
          return undefined;
        };
        await app.fill('Who', other.email);
        await app.user.keyboard('{Enter}');
        await app.press('What I did');
        await waitFor(() => assert.match(app.address(), /actor=[0-9a-f-]{36}/));
        const own = app.address();
        assert.ok(!own.includes(other.id));
        search.open();
        await app.shows(/Records of /);
        assert.equal(app.address(), own);

        await app.fill('Who', 'nobody@example.org');
        await show(app);
        await app.shows('No operator signs in with this address.');
        app.respond = ({ path }) => (path.startsWith(NAMES) ? new Response('', { status: 500 }) : undefined);
        await show(app);
        await app.shows(/^The operators’ store is unavailable\./);
        assert.equal(app.address(), own);
      }));
  });
});
