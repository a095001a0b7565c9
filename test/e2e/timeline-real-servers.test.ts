import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type RecordedAnswers, startRecordedAnswers } from '../support/recorded-answers.ts';
import { choice, kindsOf, lines, reach, timesOf } from '../support/timeline-pages.ts';

const PERSON = '7d5a3b8e-0d7c-4c8e-9a60-2f6f9a3c1b11';
const EMAIL = 'user-02@example.test';

/** As Kratos and Hydra v26.2.0 answered when their answers were recorded. */
describe('the timeline on recorded answers of real servers, in a browser', function () {
  this.timeout(90_000);
  let recorded: RecordedAnswers;
  let dashboard: Dashboard;
  let session: string;

  before(async function () {
    needsChromium(this);
    const person = { 'uuid:1': PERSON };
    recorded = await startRecordedAnswers([
      { group: 'identities', from: 'get', bound: { 'uuid:2': PERSON } },
      { group: 'sessions', from: 'by-identity', bound: person },
      { group: 'courier', from: 'list', renamed: { 'mail-1@example.test': EMAIL } },
      { group: 'hydra-consent-sessions', from: 'list', bound: person },
      { group: 'hydra-clients', from: 'post-public', step: 1 },
    ]);
    dashboard = await startDashboard({
      env: { IDENTITY_ADMIN_URL: recorded.url, OAUTH_ADMIN_URL: recorded.url },
      storeFromSandbox: true,
    });
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard?.close();
    await recorded?.close();
  });

  it('of a person has their sessions, messages and consents', () =>
    signedInVisit(dashboard, session, { path: `/identities/${PERSON}/history` }, async ({ page }) => {
      await becomes(() => reach(page).textContent(), /^\d+ lines, all that could be read$/);
      const count = async (kind: string): Promise<number> => (await kindsOf(page)).filter((one) => one === kind).length;
      await becomes(() => count('sessions'), 3);
      assert.equal(await count('messages'), 1);
      assert.equal(await count('consents'), 1);
      assert.equal(await count('record'), 1);
      const times = await timesOf(page);
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      );
      await lines(page).getByText('Granted openid, profile, email to Dashboard').waitFor();
      await lines(page).getByText('203.0.113.7 · By password').waitFor();
      await lines(page)
        .getByText(/Recovery code, e-mail to user-02@example\.test/)
        .waitFor();
      // Codes, and the claims that came with a consent.
      const content = await page.content();
      for (const secret of ['Recover access', 'to recover access', 'Olga Operator', 'operator@example.test'])
        assert.ok(!content.includes(secret), secret);
      await assertAccessibleInAllLooks(page, 'the timeline');
      await choice(page, 'Consents').press('Enter');
      await lines(page).getByRole('link', { name: 'Dashboard' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    }));

  it('of a client has what its record says', () =>
    signedInVisit(dashboard, session, { path: '/oauth/clients/dashboard/history' }, async ({ page }) => {
      await lines(page).getByText('The client was created').waitFor();
      await becomes(() => kindsOf(page), ['record']);
    }));

  it('asks the real servers once for each source, also for the numbers on tabs, with sizes that they take', () =>
    signedInVisit(dashboard, session, { path: `/identities/${PERSON}/history` }, async ({ page }) => {
      await reach(page).waitFor();
      // However long the page takes, no answer grows old meanwhile.
      await page.clock.setFixedTime(Date.now());
      recorded.seen.splice(0);
      await page.reload();
      await reach(page).waitFor();
      const asked = (): string[] =>
        recorded.seen.filter((request) => request.includes(PERSON) || request.includes('courier')).sort();
      const credentials = ['password', 'webauthn', 'passkey'].map((type) => `include_credential=${type}`).join('&');
      await becomes(asked, [
        `GET /admin/courier/messages?page_size=25&recipient=${encodeURIComponent(EMAIL)}`,
        `GET /admin/identities/${PERSON}`,
        `GET /admin/identities/${PERSON}/sessions?per_page=250&page=1`,
        `GET /admin/identities/${PERSON}?${credentials}`,
        `GET /admin/oauth2/auth/sessions/consent?subject=${PERSON}&page_size=500`,
      ]);
    }));
});
