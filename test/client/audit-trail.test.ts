import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { OperatorNames } from '../../shared/security.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';

const NAMES = '/api/security/operators/names';
const NAME = 'Ada Byron';

describe('the page of the audit trail', () => {
  const suite = appOfSuite();
  /** Another operator, who became an administrator and changed much. */
  let other: { email: string; id: string; who: string };
  let person: string;
  before(async () => {
    const { dashboard, sessions } = suite;
    const call = (session: string, path: string, json: object, method = 'POST') =>
      dashboard.call(path, { session, method, json });
    const { user } = (await (await dashboard.call('/api/auth/session', { session: sessions.viewer })).json()) as {
      user: { identityId: string };
    };
    const { email } = dashboard.operator('viewer');
    const named = await dashboard.call(`${NAMES}?id=${user.identityId}`, { session: sessions.admin });
    const { names } = (await named.json()) as OperatorNames;
    other = { email, id: user.identityId, who: `${names[0]?.name} ${email}` };
    const identities = '/api/identity-admin/admin/identities';
    const patch = (session: string, id: string, path: string, value: unknown) =>
      call(session, `${identities}/${id}`, [{ op: 'replace', path, value }], 'PATCH');
    await patch(sessions.admin, other.id, '/traits/role', 'admin');
    const session = await dashboard.signIn('viewer');
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
    const list = document.querySelector<HTMLElement>('[aria-label="Records, newest first"]');
    return list === null ? [] : within(list).queryAllByRole('listitem');
  };
  /** Who did what, without the time. */
  const sentences = (): string[] =>
    records().map((record) =>
      [...record.querySelectorAll(':scope > div:first-child > span:not(:has(time))')]
        .map(({ textContent }) => textContent?.trim())
        .join(' '),
    );
  const tells = (...expected: (string | RegExp)[]): Promise<void> =>
    waitFor(() => {
      const found = sentences();
      for (const sentence of expected)
        assert.ok(
          found.some((one) => (sentence instanceof RegExp ? sentence.test(one) : one === sentence)),
          `${sentence} is not in\n${found.join('\n')}`,
        );
    });

  it('shows each record as a sentence with links, and its request on demand', () =>
    onTrail(async (app) => {
      await tells(`${other.who} changed the redirect addresses of Web shop`, 'You created Web shop');
      const both = `${other.who} changed name.last of and deactivated ${NAME} 2 records`;
      await tells(both);
      const [first] = records();
      assert.ok(first);
      await app.user.keyboard('jjk{Enter}');
      await app.shows('PATCH /api/oauth-admin/admin/clients/web-shop', first);
      await app.shows(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, first);
      for (const sentence of sentences()) assert.doesNotMatch(sentence, /PATCH|POST|\/api\//);
      const folded = records().find((_, index) => sentences()[index] === both);
      await app.press('Show the 2 records', folded);
      await tells(`deactivated ${NAME}`, `changed name.last of ${NAME}`);
      await app.user.click((await app.screen.findAllByRole('link', { name: NAME }))[0] as HTMLElement);
      await app.screen.findByRole('heading', { level: 1, name: NAME });
      assert.equal(app.address(), `/identities/${person}`);
    }));

  it('hides reads by default, and has a URL parameter for them', () =>
    onTrail(async (app) => {
      await tells('You created Web shop');
      assert.equal(app.address(), '/security/audit?changes=true');
      await app.press('Remove filter What');
      await tells('You signed in as admin');
      assert.equal(app.address(), '/security/audit?changes=false');
    }));

  it('explains a filter that the service refuses, and then shows no records', () =>
    onTrail(async (app) => {
      await app.shows(/must be a time/);
      assert.deepEqual(records(), []);
    }, '?from=whenever'));

  describe('the audit trail', () => {
    it('names operators with one request, and shows their ids until the response arrives', async () => {
      let open = (): void => {};
      const passed = new Promise<void>((resolve) => {
        open = resolve;
      });
      const short = other.id.slice(0, 8);
      await onTrail(
        async (app) => {
          await tells(`${short} created the setting mail.from`);
          open();
          await tells(`${other.who} created the setting mail.from`, 'You created Web shop');
          const asked = app.requests.filter(({ path }) => path.startsWith(NAMES)).map(({ path }) => path);
          assert.deepEqual(asked, [`${NAMES}?id=${other.id}`]);
        },
        '?changes=true',
        async ({ path }) => {
          if (path.startsWith(NAMES)) await passed;
          return undefined;
        },
      );
    });

    for (const [where, path, sentence] of [
      ['a person', () => `/identities/${person}/history`, `deactivated ${NAME}`],
      ['a client', () => '/oauth/clients/web-shop/history', 'changed the redirect addresses of Web shop'],
      ['the overview', () => '/dashboard', 'changed the redirect addresses of Web shop'],
    ] as const)
      it(`names operators in the history of ${where}`, () =>
        suite.open(path(), {}, () =>
          waitFor(() => assert.ok(document.body.textContent?.includes(`${other.email} ${sentence}`))),
        ));

    it('finds operators by part of a name, or by an address, and says if nobody has it', () =>
      onTrail(async (app) => {
        await tells('You created Web shop');
        await app.press('+ Who');
        const field = await app.screen.findByRole('textbox', { name: 'Who' });
        await app.screen.findByRole('option', { name: other.who.replace(' viewer@', ', viewer@') });
        await app.user.type(field, 'nobody@example.org{Enter}');
        await app.shows('No operator signs in with this address.');
        await app.user.clear(field);
        await app.user.type(field, 'viewer@{Enter}');
        await app.screen.findByRole('button', { name: `Who: ${other.email}` });
        await waitFor(() =>
          assert.deepEqual(
            sentences().filter((one) => one.startsWith('You')),
            [],
          ),
        );
        await app.press('+ When');
        await app.user.click(await app.screen.findByRole('option', { name: 'Yesterday' }));
        await app.shows('No record matches');
        assert.equal(app.address(), `/security/audit?changes=true&actor=${other.id}&from=1d&to=0d`);
      }));
  });
});
