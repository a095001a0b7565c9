import assert from 'node:assert/strict';
import type { IdentityCount } from '../../shared/identities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import type { SeenRequest } from '../support/faulting-upstream.ts';
import { noDialog, reads, savedBy } from '../support/identity-dom.ts';
import { SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import { type StoredIdentity, storedIdentities, storeIdentities } from '../support/stored-identities.ts';

/** Groups of people, by the beginning of their addresses. */
const GROUPS = { asleep: 4, file: 130 };
type Group = keyof typeof GROUPS;

describe('all identities that match', () => {
  const suite = appOfSuite();
  before(async function () {
    this.timeout(SYNC_TIMEOUT_MS);
    const people = Object.entries(GROUPS).flatMap(([group, count]) =>
      Array.from({ length: count }, (_, index) => ({
        schema_id: 'customer',
        state: group === 'asleep' ? 'active' : 'inactive',
        traits: { email: `${group}-${index}@b.example`, name: { last: `Müller ${group}` } },
      })),
    );
    await storeIdentities(suite.upstream.target, people);
    const session = suite.sessions.admin;
    const counted = async (): Promise<number | undefined> => {
      const response = await suite.dashboard.call('/api/identities/search/count?q=@b.example', { session });
      return ((await response.json()) as Partial<IdentityCount>).count;
    };
    await eventually(counted, people.length, 'the index', SYNC_TIMEOUT_MS);
  });

  const onList = (query: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities?${query}`, { heading: 'Identities' }, async (app) => {
      await reads(/ match, people as of/);
      await work(app);
    });
  const emailOf = ({ traits }: StoredIdentity): string => String((traits as { email?: string }).email);
  const of = async (group: Group): Promise<StoredIdentity[]> =>
    (await storedIdentities(suite.upstream.target)).filter((identity) => emailOf(identity).startsWith(`${group}-`));
  const idOf = async (group: Group, index: number): Promise<string> =>
    (await of(group)).find((identity) => emailOf(identity) === `${group}-${index}@b.example`)?.id ?? '';
  /** Past the service, which therefore does not know of it. */
  const changeInStore = (method: string, id: string, body?: object): Promise<Response> =>
    fetch(`${suite.upstream.target}/admin/identities/${id}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const writes = (): SeenRequest[] =>
    suite.upstream.seen.filter(({ method }) => method === 'DELETE' || method === 'PATCH');

  it('by sign-in are not deleted, and each is read again with its sessions before any other act', () =>
    onList('q=asleep-&state=active&session=none-90d', async (app) => {
      const awake = await idOf('asleep', 2);
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      await app.shows('4 selected on this page');
      const refused = app.screen.getByRole('button', { name: 'Delete' });
      assert.equal(refused.getAttribute('aria-disabled'), 'true');
      await reads(/cannot be deleted in bulk/);
      await app.user.click(refused);
      await noDialog(app);

      // The second page of sessions, the first of which is full.
      suite.upstream.before = ({ method, path }) => {
        const { pathname, searchParams } = new URL(path, 'http://store');
        if (method !== 'GET' || pathname !== `/admin/identities/${awake}/sessions`) return undefined;
        const count = searchParams.get('page') === '1' ? 250 : 1;
        const authenticated_at = new Date(count === 1 ? Date.now() : 0).toISOString();
        return {
          status: 200,
          body: JSON.stringify(Array.from({ length: count }, () => ({ id: 'x', authenticated_at }))),
        };
      };
      await app.press('Deactivate');
      await reads(/Each identity is checked again, with its sessions/);
      const changed = await idOf('asleep', 1);
      await changeInStore('PATCH', changed, [{ op: 'replace', path: '/state', value: 'inactive' }]);
      await app.press('Deactivate 4 identities');
      await app.shows(/^2 deactivated, 2 no longer match\./);
      await app.shows('It has a session that the search did not find.');
      await app.shows('It no longer matches.');
      assert.ok(writes().every(({ path }) => !path.includes(awake) && !path.includes(changed)));
    }));

  it('are covered by an action started in the moment of their selection, which leaves out those already in that state', () =>
    onList('q=file-&page_size=50', async (app) => {
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      const all = await app.screen.findByRole('button', { name: 'Select all 130 matching rows' });
      const deactivate = app.screen.getByRole('button', { name: 'Deactivate' });
      all.click();
      // As between two clicks in a browser: what is urgent is rendered.
      await null;
      deactivate.click();
      await app.screen.findByRole('heading', { name: 'Deactivate 130 identities?' });
      await app.press('Deactivate 130 identities');
      await app.shows(/^130 already inactive\./);
      assert.deepEqual(writes(), []);
    }));

  it('are exported as they are now, without those that no longer match', () =>
    onList('q=MULLER file&state=inactive', async (app) => {
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      await app.press('Select all 130 matching rows');
      await app.shows('All 130 matching rows selected');
      await app.user.click((await app.screen.findAllByRole('link', { name: 'Export' })).at(-1) as HTMLElement);
      await reads(/130 identities that match: “MULLER file”, inactive/);
      const [awake, gone] = [await idOf('file', 99), await idOf('file', 17)];
      suite.upstream.seen = [];
      let changed = false;
      suite.upstream.before = async ({ path }) => {
        if (changed || !path.includes('ids=')) return undefined;
        changed = true;
        await changeInStore('PATCH', awake, [{ op: 'replace', path: '/state', value: 'active' }]);
        await changeInStore('DELETE', gone);
        return undefined;
      };
      await app.user.click(await app.screen.findByRole('radio', { name: /^NDJSON/ }));
      const { text } = await savedBy(app, 'Export all matching identities');
      await reads(/128 identities were exported\. 2 no longer match and are left out\./);
      const written = text
        .trim()
        .split('\n')
        .map((line) => emailOf(JSON.parse(line) as StoredIdentity));
      const expected = (await of('file')).filter(({ state }) => state === 'inactive').map(emailOf);
      assert.deepEqual(written.toSorted(), expected.toSorted());
    }));
});
