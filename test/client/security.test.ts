import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { AuditPage } from '../../shared/audit.ts';
import { type LockedAccountList, POSTURE_IDS } from '../../shared/security.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { lockAccounts } from '../support/locked-accounts.ts';

const failure = (): Response =>
  Response.json(
    { error: 'internal_error', message: 'Something went wrong.' },
    { status: 500, headers: { 'x-request-id': 'r-17' } },
  );

describe('the security pages', () => {
  const suite = appOfSuite();
  const read = async <T>(path: string): Promise<T> =>
    (await suite.dashboard.call(`/api/security/${path}`, { session: suite.sessions.admin })).json() as Promise<T>;
  const rows = async (app: App, list: string): Promise<HTMLElement[]> =>
    within(await app.screen.findByLabelText(list)).findAllByRole('listitem');

  describe('on locked accounts', () => {
    const onLocks = (work: (app: App) => Promise<void>): Promise<void> =>
      suite.open('/security/locked-accounts', { heading: 'Locked accounts' }, work);

    it('unlocks an account, and the trail records who did it', async () => {
      await lockAccounts(suite.dashboard, ['sam@example.org', 'kim@example.org']);
      await onLocks(async (app) => {
        await app.shows(/^Wrong password, 5 attempts/);
        await app.press('Unlock sam@example.org');
        await app.press('Unlock account', await app.screen.findByRole('dialog'));
        await app.shows('Unlocked sam@example.org');
        await app.shows('1 locked account');
        await waitFor(() => assert.notEqual(document.activeElement, document.body));
      });
      const { data } = await read<LockedAccountList>('locked-accounts');
      assert.deepEqual(
        data.map(({ identifier }) => identifier),
        ['kim@example.org'],
      );
      const { events } = await read<AuditPage>('audit?action=account_unlock');
      assert.equal(events[0]?.target, 'sam@example.org');
    });
  });

  describe('on operators', () => {
    const onOperators = (work: (app: App) => Promise<void>, respond?: App['respond']): Promise<void> =>
      suite.open('/security/operators', { heading: 'Operators', ...(respond && { respond }) }, work);
    const row = async (app: App, text: string): Promise<HTMLElement> =>
      (await rows(app, 'Operators')).find(({ textContent }) => textContent?.includes(text)) ?? assert.fail(text);

    it('shows role, second factor and last sign-in of everybody who signed in, and links to their actions', () =>
      onOperators(async (app) => {
        await app.shows(/^2 operators, latest sign-in first\./);
        await app.shows('No second factor', await row(app, 'Viewer'));
        await app.shows('you', await row(app, 'Administrator'));
        await app.user.click(within(await row(app, 'Viewer')).getByText('View activity'));
        await app.shows(/signed in as viewer/);
        assert.match(app.address(), /^\/security\/audit\?actor=[0-9a-f-]{36}$/);
      }));

    it('ends an operator’s dashboard sessions once confirmed, and says if that failed', async () => {
      const session = await suite.dashboard.signIn('viewer');
      const status = async () => (await suite.dashboard.call('/api/auth/session', { session })).status;
      await onOperators(async (app) => {
        app.respond = ({ path }) => (path.endsWith('/revocations') ? failure() : undefined);
        await app.press(/^End dashboard sessions of/, await row(app, 'Viewer'));
        const dialog = await app.screen.findByRole('dialog');
        await app.press('End dashboard sessions', dialog);
        await app.shows(/r-17/, dialog);
        assert.equal(await status(), 200);
        app.respond = () => undefined;
        await app.press('End dashboard sessions', dialog);
        await app.shows(/^Ended the dashboard sessions of /);
        assert.equal(await status(), 401);
      });
    });
  });

  it('show every posture check once, the worst first, and check again on request', () =>
    suite.open('/security', { heading: 'Security' }, async (app) => {
      await app.shows('Strength of the keys');
      await app.shows(/looks like a placeholder/);
      const ids = [...document.querySelectorAll('main li[id]')].map(({ id }) => id);
      assert.deepEqual(ids.sort(), [...POSTURE_IDS].sort());
      const region = app.screen.getByLabelText('Needs attention');
      const statuses = within(region).getAllByText(/^(Fails|Warns)$/);
      const words = statuses.map(({ textContent }) => textContent);
      assert.deepEqual(words, [...words].sort());
      const checks = () => app.requests.filter(({ path }) => path === '/api/security/posture').length;
      const before = checks();
      await app.press('Check again');
      await waitFor(() => assert.equal(checks(), before + 1));
    }));
});
