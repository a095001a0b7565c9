import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { filterBy } from '../support/identity-dom.ts';

describe('date and time fields', () => {
  const suite = appOfSuite({ people: 30 });
  before(() => suite.indexReady());

  const searchIs = (app: App, search: Record<string, string>): Promise<void> =>
    waitFor(() => assert.deepEqual(Object.fromEntries(new URL(app.window.location.href).searchParams), search));
  const field = (app: App, label: string): HTMLInputElement => app.screen.getByLabelText(label);
  const valueIs = (app: App, label: string, value: string): Promise<void> =>
    waitFor(() => assert.equal(field(app, label).value, value));

  /** Pastes the value, because the page requests everything while a field is empty. */
  const replace = async (app: App, label: string, value: string): Promise<void> => {
    await app.user.tripleClick(field(app, label));
    await app.user.paste(value);
  };

  /** Opens the filter by creation date on the list of identities. */
  const onDays = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/identities', { heading: 'Identities' }, async (app) => {
      await app.shows('Page 1, rows 1–25');
      await filterBy(app, 'Created', 'Choose dates…');
      await app.screen.findByLabelText('First day');
      await work(app);
    });

  it('accept and display dates in the app’s format, whatever the browser’s language', () =>
    onDays(async (app) => {
      await app.user.type(field(app, 'First day'), '5 november 2001');
      await searchIs(app, { created: '2001-11-05..' });
      assert.equal(field(app, 'First day').value, '5 november 2001', 'the text was rewritten during typing');
      await app.user.tab();
      await valueIs(app, 'First day', '5 Nov 2001');
      await app.fill('Last day', '2001-11-06');
      await app.shows(/^Created: from 5 Nov 2001 to 6 Nov 2001/);
      await searchIs(app, { created: '2001-11-05..2001-11-06' });
    }));

  it('explain an invalid date once they lose focus, and keep the applied filter', () =>
    onDays(async (app) => {
      await replace(app, 'First day', '2001-11-05');
      await searchIs(app, { created: '2001-11-05..' });
      await replace(app, 'First day', '30 Feb 2026');
      assert.equal(app.screen.queryAllByText('30 Feb 2026 does not exist.').length, 0, 'shown during typing');
      await app.user.tab();
      const problem = await app.shows('30 Feb 2026 does not exist.');
      assert.equal(field(app, 'First day').getAttribute('aria-invalid'), 'true');
      const described = (field(app, 'First day').getAttribute('aria-describedby') ?? '').split(' ');
      assert.ok(described.some((id) => document.getElementById(id)?.contains(problem)));
      await searchIs(app, { created: '2001-11-05..' });
      await replace(app, 'First day', '28 Feb 2026');
      await app.hides('30 Feb 2026 does not exist.');
      await searchIs(app, { created: '2026-02-28..' });
    }));

  it('accept times as filters of the audit trail, and never send an invalid one', () =>
    suite.open('/security/audit', { heading: 'Audit trail' }, async (app) => {
      const openForm = async (chip: string | RegExp): Promise<void> => {
        await app.press(chip);
        if (chip === '+ When') await app.user.click(await app.screen.findByRole('option', { name: 'Choose dates…' }));
      };
      await openForm('+ When');
      await app.fill('Before', '2020-02-01');
      await app.fill('From', '31 Jan 2020, 24:00');
      await app.user.keyboard('{Enter}');
      await app.shows('24:00 is not a time. Enter a date and time, such as 31 Jan 2026, 09:30.');
      await searchIs(app, { to: new Date(2020, 1, 1).toISOString(), changes: 'true' });
      await app.fill('From', '31 jan 2020 9:30');
      await app.user.keyboard('{Escape}');
      await searchIs(app, {
        from: new Date(2020, 0, 31, 9, 30).toISOString(),
        to: new Date(2020, 1, 1).toISOString(),
        changes: 'true',
      });
      await app.shows('No record matches');
      await openForm('When: 31 Jan 2020, 09:30 to 1 Feb 2020, 00:00');
      await valueIs(app, 'From', '31 Jan 2020, 09:30');
      await valueIs(app, 'Before', '1 Feb 2020, 00:00');
    }));
});
