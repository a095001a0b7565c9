import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { AuditChainState } from '../../shared/audit.ts';
import type { Setting } from '../../shared/settings.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';

const SECRET = 'a-secret-that-nobody-guesses';
const EARLIER_SECRET = 'the-secret-before-that-one';

describe('the history of a setting', () => {
  const suite = appOfSuite();
  async function store(key: string, ...changes: object[]): Promise<void> {
    for (const change of changes) assert.ok((await suite.call('/api/settings', { json: { key, ...change } })).ok);
  }
  const stored = (key: string): Promise<Setting> => suite.read(`/api/settings/${key}?decrypt=true`);

  const onSettings = (work: (app: App) => Promise<void>, path = '/settings'): Promise<void> =>
    suite.open(path, { heading: 'Settings' }, work);
  /** Opens a setting, which has its history beside its form. */
  const onHistory = (key: string, work: (app: App) => Promise<void>): Promise<void> =>
    onSettings(work, `/settings?key=${key}`);
  const versions = async (app: App): Promise<HTMLElement[]> =>
    within(await app.screen.findByLabelText('Earlier versions, newest first')).getAllByRole('listitem');
  const newest = async (app: App): Promise<HTMLElement> => (await versions(app))[0] as HTMLElement;
  const press = async (what: string, row: HTMLElement, app: App): Promise<void> =>
    app.user.click(await within(row).findByText(what));
  const decryptions = ({ requests }: App) => requests.filter(({ path }) => path.includes('decrypt=true'));
  const terms = (row: HTMLElement, of: 'dt' | 'dd'): (string | null)[] =>
    [...row.querySelectorAll(of)].map(({ textContent }) => textContent);

  it('compares and restores an earlier version, with an audit record that omits the value', async () => {
    await store('relay', { value: 'smtp.monday.example', category: 'mail' }, { value: 'smtp.now.example' });
    await onHistory('relay', async (app) => {
      const row = await newest(app);
      await app.shows('smtp.monday.example', row);
      await app.shows(/^You changed it/, row);
      await press('Compare', row, app);
      await waitFor(() => assert.deepEqual(terms(row, 'dt'), ['Value then', 'Value now']));
      assert.deepEqual(terms(row, 'dd'), ['smtp.monday.example', 'smtp.now.example']);
      await press('Restore', row, app);
      await app.shows('Restored relay');
      await app.shows('smtp.monday.example');
    });
    assert.deepEqual((await stored('relay')).value, 'smtp.monday.example');
    const { status } = (await (await suite.call('/api/security/audit/chain')).json()) as AuditChainState;
    assert.notEqual(status, 'broken');
    const records = await (await suite.call('/api/security/audit?action=setting_restore')).text();
    assert.ok(records.includes('relay') && !records.includes('monday'));
  });

  it('names another operator who has just changed the setting', async () => {
    await store('shared.key', { value: '1' }, { value: '2' });
    const { versions } = await suite.read<{ versions: object[] }>('/api/setting-history?key=shared.key');
    const theirs = versions.map((version) => ({ ...version, actor: '99999999-9999-4999-8999-999999999999' }));
    const respond: App['respond'] = ({ path }) =>
      path.startsWith('/api/setting-history?') ? Response.json({ versions: theirs }) : undefined;
    await suite.open('/settings?key=shared.key', { heading: 'Settings', respond }, async (app) => {
      await app.shows('99999999 saved the setting');
    });
  });

  it('reveals an earlier secret with one request, and leaves no trace of it once it is hidden', async () => {
    await store('password', { value: EARLIER_SECRET, encrypted: true }, { value: SECRET });
    await onHistory('password', async (app) => {
      const row = await newest(app);
      assert.deepEqual(decryptions(app), []);
      await app.press(/^Reveal password until /, row);
      await app.shows(EARLIER_SECRET);
      assert.equal(decryptions(app).length, 1);
      await app.press(/^Hide password until /, row);
      const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, app.address()]);
      for (const secret of [SECRET, EARLIER_SECRET]) assert.ok(!(document.body.innerHTML + stored).includes(secret));
      await press('Restore', row, app);
      await app.shows('Restored password');
    });
    const { value, encrypted } = await stored('password');
    assert.deepEqual([value, encrypted], [EARLIER_SECRET, true]);
  });

  it('overwrites neither a change that it has not displayed yet nor unsaved input', async () => {
    await store('limit', { value: '10' }, { value: '20' });
    await onHistory('limit', async (app) => {
      const row = await newest(app);
      await press('Compare', row, app);
      await store('limit', { value: '30' });
      await press('Restore', row, app);
      await app.shows(/^Somebody changed the setting after you opened its history\./);
      assert.equal((await stored('limit')).value, '30');
      await waitFor(async () => assert.equal((await versions(app)).length, 2));
      await waitFor(() => assert.deepEqual(terms(row, 'dd'), ['10', '30']));
      await app.fill('Category', 'typed');
      await press('Restore', row, app);
      await app.shows('Restored limit');
      await app.press('Discard changes');
      assert.equal((await stored('limit')).value, '10');
    });
  });

  it('restores a deleted setting from the list of deleted settings', async () => {
    await store('deleted.setting', { value: 'still here', category: 'mail' });
    await onSettings(async (app) => {
      await app.user.click(await app.screen.findByLabelText('Delete deleted.setting'));
      await app.shows(/^For a year, you can restore it/);
      await app.press('Delete setting');
      await app.shows('Deleted deleted.setting');
      await waitFor(() => assert.equal(document.activeElement?.textContent, 'Settings'));
      await app.press('Deleted settings');
      const deleted = await app.screen.findByLabelText('Deleted settings, newest first');
      await app.shows(/^You deleted it/, deleted);
      await app.user.click(within(deleted).getByText('deleted.setting'));
      await app.shows(/It may have been deleted/);
      await app.user.click(await app.screen.findByText('Who did what'));
      await app.shows(/deleted the setting/);
      await press('Restore', await newest(app), app);
      await app.shows('Restored deleted.setting');
      await app.press('Deleted settings');
      await app.shows('No deleted settings');
    });
    const { value, category } = await stored('deleted.setting');
    assert.deepEqual([value, category], ['still here', 'mail']);
  });

  it('is removed after a confirmation', async () => {
    await store('forgettable', { value: 'one' }, { value: 'two' });
    await onHistory('forgettable', async (app) => {
      await app.press('Remove earlier versions');
      await app.press('Remove 1 version');
      await app.shows(/^No earlier versions\./);
    });
    assert.equal((await stored('forgettable')).value, 'two');
  });

  it('undoes a change to a secret without ever loading its value', async () => {
    await store('secret.key', { value: SECRET, encrypted: true });
    await onSettings(async (app) => {
      await app.user.click(await app.screen.findByLabelText('Edit secret.key'));
      const dialog = await app.screen.findByRole('dialog');
      await app.fill('New value', 'another', dialog);
      await app.press('Save', dialog);
      const undo = await app.screen.findByText('Undo');
      // The button disappears after ten seconds unless the pointer is over it.
      await app.user.hover(undo);
      await app.user.click(undo);
      await app.shows('Undone: saved secret.key, encrypted');
      assert.equal((await stored('secret.key')).value, SECRET);
      assert.ok(!app.requests.some(({ path }) => path.includes('decrypt')));
      assert.ok(!document.body.innerHTML.includes(SECRET));
    });
  });
});
