import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { failing, failsInPlace, isClosedToViewers, looksRight, visitedPageOfSuite } from '../support/security-pages.ts';

const PATH = '/security/operators';

describe('the page of operators, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite(PATH, 'Operators', { storeFromSandbox: true });

  const rows = (page: Page) => page.getByRole('list', { name: 'Operators' }).getByRole('listitem');
  const viewer = (page: Page) => rows(page).filter({ hasText: 'Viewer' });

  it('shows role, second factor and last sign-in of everybody who signed in', () =>
    visited.visit(async ({ page }) => {
      await page.getByText('2 operators, the latest sign-in first').waitFor();
      await viewer(page).getByText('No second factor').waitFor();
      const self = rows(page).filter({ hasText: visited.dashboard.operator('admin').email });
      await self.getByText('Administrator').waitFor();
      await self.getByText('you', { exact: true }).waitFor();
      await self.getByText(/signed in/).waitFor();
    }));

  it('does not report an unknown second factor as missing', () =>
    visited.visit(async ({ context, page }) => {
      await context.route('**/api/security/operators', (route) =>
        route.fulfill({
          json: {
            operators: [
              {
                identity_id: '5f3e0a11-2b4c-4d6e-8f00-112233445566',
                role: null,
                last_login_at: new Date().toISOString(),
                second_factor: null,
              },
            ],
            truncated: true,
          },
        }),
      );
      await page.reload();
      await rows(page).getByText('Second factor unknown').waitFor();
      await rows(page).getByText('Role unknown').waitFor();
      await page.getByText('The latest 1 operator').waitFor();
      await assertAccessibleInAllLooks(page, 'operators of whom little is known');
    }));

  it('leads to what an operator did', () =>
    visited.visit(async ({ page }) => {
      await viewer(page).getByRole('link', { name: 'View activity' }).click();
      await page.getByText('signed in as viewer').waitFor();
      await becomes(() => new URL(page.url()).searchParams.get('actor'), /^[0-9a-f-]{36}$/);
    }));

  it('ends an operator’s dashboard sessions by keyboard, once it is confirmed', async () => {
    const session = await visited.dashboard.signIn('viewer');
    const isSignedIn = async (): Promise<boolean> =>
      (await visited.dashboard.call('/api/auth/session', { session })).status === 200;
    await visited.visit(async (visit) => {
      const { page } = visit;
      const { mend } = await failing(visit, '/api/security/revocations');
      await viewer(page).getByRole('button', { name: 'End dashboard sessions of' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'End all dashboard sessions of this operator?' });
      await dialog.waitFor();
      await assertAccessibleInAllLooks(page, 'the dialog');
      const end = dialog.getByRole('button', { name: 'End dashboard sessions' });
      await end.focus();
      await page.keyboard.press('Enter');
      await dialog.getByRole('alert').getByText('r-17').waitFor();
      await assertAccessibleInAllLooks(page, 'the dialog after a failure');
      await becomes(() => isSignedIn(), true);
      await mend();
      await end.click();
      await page.getByText('Dashboard sessions ended').waitFor();
    });
    await becomes(() => isSignedIn(), false);
    visited.sessions.viewer = await visited.dashboard.signIn('viewer');
  });

  it('says what failed, with the request’s id, and tries again', () =>
    failsInPlace(visited, '/api/security/operators', (page) => rows(page).first().waitFor()));

  it('is closed to viewers', () => isClosedToViewers(visited, PATH));

  it('is accessible in light and dark colours and fits 360 pixels', () =>
    looksRight(visited, 'the operators', (page) => rows(page).first().waitFor()));
});
