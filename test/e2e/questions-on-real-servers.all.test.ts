import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ServiceStatus } from '../../shared/services.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { lockAccounts } from '../support/locked-accounts.ts';
import {
  askWhatChanged,
  askWhyNot,
  findings,
  help,
  isWatched,
  outage,
  records,
  STEPS_MAX,
  type Step,
  section,
  sentences,
  sevenDaysOf,
  stepper,
  verdict,
} from '../support/questions.ts';
import { type RecordedAnswers, type RecordedScene, startRecordedAnswers } from '../support/recorded-answers.ts';

/** Of the seven people in the recorded list. */
const idOf = (person: number): string => `7d5a3b8e-0d7c-4c8e-9a60-00000000000${person}`;
const emailOf = (person: number): string => `user-0${person}@example.test`;
const PEOPLE = [2, 4, 5, 6] as const;
const [WITHOUT_PASSWORD, INACTIVE, LOCKED, OF_PROVIDER] = PEOPLE;

const bound = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((person) => [`uuid:${person}`, idOf(person)]));

/** What Kratos says of their credentials; somebody's with a password was recorded. */
const credentialsOf = (person: number, change: Pick<RecordedScene, 'with'> = {}): RecordedScene => ({
  group: 'identities',
  from: 'get-include',
  step: 1,
  bound: { 'uuid:24': idOf(person) },
  renamed: { 'hash@example.test': emailOf(person) },
  ...change,
});

const KRATOS: readonly RecordedScene[] = [
  // As its list has it of people who were created without one: with an identifier, and no hash.
  credentialsOf(WITHOUT_PASSWORD, {
    with: { credentials: { password: { type: 'password', identifiers: [emailOf(WITHOUT_PASSWORD)], config: {} } } },
  }),
  credentialsOf(OF_PROVIDER, {
    with: { credentials: { oidc: { type: 'oidc', identifiers: ['google:subject-6'], created_at: '<time>' } } },
  }),
  credentialsOf(INACTIVE),
  credentialsOf(LOCKED),
  ...[0, 1, 2, 3].map((step) => ({ group: 'identities', from: 'get', step, bound })),
  { group: 'identities', from: 'list-default', bound },
  { group: 'sessions', from: 'empty' },
  ...PEOPLE.map((person) => ({
    group: 'sessions',
    from: 'empty',
    step: 3,
    bound: { 'uuid:1': idOf(person) },
  })),
  { group: 'courier', from: 'list' },
  ...[LOCKED, OF_PROVIDER].map((person) => ({
    group: 'identity-writes',
    from: 'patch-trait',
    bound: { 'uuid:4': idOf(person) },
  })),
  { group: 'schemas-health', from: 'health', step: 5 },
  { group: 'schemas-health', from: 'version', step: 2 },
];
const HYDRA: readonly RecordedScene[] = [
  { group: 'hydra-well-known', from: 'health', step: 4 },
  { group: 'hydra-well-known', from: 'version', step: 2 },
  { group: 'hydra-clients', from: 'empty' },
  ...PEOPLE.map((person) => ({ group: 'hydra-consent-sessions', from: 'empty', renamed: { nobody: idOf(person) } })),
];
/** After a row of its migrations was taken away. */
const UNREADY: readonly RecordedScene[] = [{ group: 'unready', from: 'hydra', step: 3 }, ...HYDRA];

/** As Kratos and Hydra v26.2.0 answered when their answers were recorded. */
describe('questions answered within eight steps of the overview on recorded answers of real servers, in a browser', function () {
  this.timeout(120_000);
  let kratos: RecordedAnswers;
  let hydra: RecordedAnswers;
  let dashboard: Dashboard;
  let session: string;

  before(async function () {
    needsChromium(this);
    [kratos, hydra] = await Promise.all([startRecordedAnswers(KRATOS), startRecordedAnswers(HYDRA)]);
    dashboard = await startDashboard({
      env: { IDENTITY_ADMIN_URL: kratos.url, OAUTH_ADMIN_URL: hydra.url },
      storeFromSandbox: true,
      watchPace: { firstMs: 1, everyMs: 200 },
    });
    session = await dashboard.signIn('admin');
    await indexIsRead(dashboard, session);
  });
  after(async () => {
    await dashboard?.close();
    await Promise.all([kratos?.close(), hydra?.close()]);
  });

  const fromOverview = async (work: (visit: Visit, step: Step) => Promise<void>): Promise<void> => {
    const { step, taken } = stepper();
    await signedInVisit(dashboard, session, { path: '/dashboard' }, (visit) => work(visit, step));
    assert.ok(taken() > 0 && taken() <= STEPS_MAX, `${taken()} steps`);
  };
  /** @param work begins on their page */
  const whyNot = (person: number, work: (page: Page, step: Step) => Promise<void>): Promise<void> =>
    fromOverview(async ({ page }, step) => {
      await askWhyNot(page, step, emailOf(person));
      await page.getByRole('heading', { level: 1, name: emailOf(person) }).waitFor();
      await work(page, step);
    });
  /** What was found, the most serious first; that no address is verified is true of everybody whom the recordings have. */
  const found = async (page: Page): Promise<(string | undefined)[]> =>
    (await findings(page).getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0]);
  const UNVERIFIED = 'Their address is not verified';

  it('why the deactivated one does not get in, and that it was not done here', () =>
    whyNot(INACTIVE, async (page) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await becomes(() => found(page), ['The identity is inactive', UNVERIFIED]);
      await findings(page)
        .getByText(/^Deactivated 5 days ago, not through this dashboard as far as its trail goes\.$/)
        .waitFor();
      await help(page, 'button', /^Activate/).waitFor();
    }));

  it('why somebody with a locked account does not get in, who is unlocked', async () => {
    await lockAccounts(dashboard, [emailOf(LOCKED), emailOf(7)]);
    await whyNot(LOCKED, async (page, step) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await becomes(() => found(page), [`${emailOf(LOCKED)} is locked`, UNVERIFIED]);
      await findings(page).getByText('Wrong password, 5 attempts from 203.0.113.9').waitFor();
      await step(help(page, 'button', /^Unlock/).click());
      await step(page.getByRole('dialog').getByRole('button', { name: 'Unlock', exact: true }).click());
      await becomes(() => found(page), [UNVERIFIED]);
      await becomes(() => verdict(page).innerText(), 'Perhaps not');
    });
  });

  it('why somebody does not get in of whom Kratos has a password without a hash', () =>
    whyNot(WITHOUT_PASSWORD, async (page) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await becomes(() => found(page), ['They have nothing to sign in with', UNVERIFIED]);
      await findings(page).getByText('No credential is set.').waitFor();
      await help(page, 'button', /^Recovery/).waitFor();
    }));

  it('why somebody does not get in whose only provider is switched off, and where it is switched on', async () => {
    for (const [field, value] of [
      ['client_id', 'an-id'],
      ['client_secret', 'a-secret'],
      ['enabled', 'false'],
    ]) {
      const json = { key: `social.google.${field}`, value, category: 'social' };
      assert.ok((await dashboard.call('/api/settings', { session, json })).ok);
    }
    await whyNot(OF_PROVIDER, async (page, step) => {
      await becomes(() => verdict(page).innerText(), 'No');
      const only = 'Their only way to sign in is google, which is switched off';
      await becomes(() => found(page), [only, UNVERIFIED]);
      await step(help(page, 'link', /^Connections/).click());
      await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    });
  });

  it('whose identifiers look like theirs, among all whom Kratos listed', () =>
    whyNot(WITHOUT_PASSWORD, async (page, step) => {
      await step(section(page).getByRole('button', { name: 'Look for similar identifiers' }).click());
      const similar = section(page).getByRole('list', { name: 'Similar identifiers' }).getByRole('link');
      await becomes(async () => (await similar.allInnerTexts()).sort(), [1, 3, 4, 5, 6, 7].map(emailOf));
      await step(similar.filter({ hasText: emailOf(LOCKED) }).click());
      await page.getByRole('heading', { level: 1, name: emailOf(LOCKED) }).waitFor();
    }));

  /** As was recorded. */
  async function change(operator: string, person: number): Promise<void> {
    const answer = await dashboard.call(`/api/identity-admin/admin/identities/${idOf(person)}`, {
      session: operator,
      method: 'PATCH',
      json: [{ op: 'replace', path: '/traits/role', value: 'viewer' }],
    });
    assert.equal(answer.status, 200, await answer.text());
  }

  /** In the operators' store, which is the sandbox. */
  async function becomeAdministrator(operator: string): Promise<void> {
    const answer = await dashboard.call('/api/auth/session', { session: operator });
    const { user } = (await answer.json()) as { user: { identityId: string } };
    const patched = await fetch(`${dashboard.env.AUTH_IDENTITY_ADMIN_URL}/admin/identities/${user.identityId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ op: 'replace', path: '/traits/role', value: 'admin' }]),
    });
    assert.equal(patched.status, 200, await patched.text());
  }

  it('what another operator changed on somebody in the last week', async () => {
    const other = dashboard.operator('viewer').email;
    await becomeAdministrator(await dashboard.signIn('viewer'));
    const theirs = await dashboard.signIn('viewer');
    await change(theirs, LOCKED);
    await change(session, OF_PROVIDER);
    await change(theirs, OF_PROVIDER);
    await fromOverview(async ({ page }, step) => {
      await askWhatChanged(page, step, { email: emailOf(OF_PROVIDER), typed: 'user-06@', by: other });
      await becomes(() => sentences(page), [`${other} changed role of ${emailOf(OF_PROVIDER)}`]);
      await step(records(page).first().locator('summary').click());
      await records(page)
        .first()
        .getByText(`PATCH /api/identity-admin/admin/identities/${idOf(OF_PROVIDER)}`)
        .waitFor();
      await records(page).first().getByText('role', { exact: true }).waitFor();
    });
  });

  const hydraIs = (status: ServiceStatus): Promise<void> =>
    isWatched(dashboard, session, { service: 'oauth-admin', status });

  it('since when Hydra is not ready, which is not down', async () => {
    await hydraIs('up');
    hydra.answer(UNREADY);
    await hydraIs('degraded');
    await signedInVisit(dashboard, session, { path: '/dashboard' }, async ({ page }) => {
      await page
        .getByRole('listitem')
        .filter({ hasText: 'OAuth 2.0 admin' })
        .getByText(/Degraded, failing, .*since \d\d:\d\d, less than a minute/)
        .waitFor();
      assert.equal(await outage(page).count(), 0);
    });
  });

  it('since when Hydra is down, and whom that hurts', async () => {
    hydra.answer(HYDRA);
    await hydraIs('up');
    await hydra.close();
    await hydraIs('down');
    await fromOverview(async ({ page, expect }, step) => {
      expect(502, /^\/api\//);
      await outage(page)
        .getByText(/^OAuth 2\.0 admin has been down since \d\d:\d\d, less than a minute\.$/)
        .waitFor();
      await outage(page).getByText('OAuth2 clients, consents and tokens cannot be read.').waitFor();
      await step(outage(page).getByRole('link', { name: 'See System' }).click());
      const ofHydra = sevenDaysOf(page, 'OAuth 2.0 admin');
      await ofHydra.getByText(/^Once down, .*: now, since \d\d:\d\d\. /).waitFor();
      await sevenDaysOf(page, 'Identity admin')
        .getByText(/^Up all the time\./)
        .waitFor();
      hydra = await startRecordedAnswers(HYDRA, Number(new URL(hydra.url).port));
      await hydraIs('up');
      await page.reload();
      await ofHydra.getByText(/^Once down, .*: \d\d:\d\d for /).waitFor();
      assert.equal(await outage(page).count(), 0);
    });
  });
});
