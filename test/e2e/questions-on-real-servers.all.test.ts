import assert from 'node:assert/strict';
import type { ServiceStatus } from '../../shared/services.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { lockAccounts } from '../support/locked-accounts.ts';
import { askWhyNot, findings, isWatched, outage, STEPS_MAX, section, stepper, verdict } from '../support/questions.ts';
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

  const UNVERIFIED = 'Their address is not verified';
  const WHY: readonly {
    title: string;
    person: number;
    found: string;
    because?: string | RegExp;
    helps: RegExp;
    prepare?: () => Promise<void>;
  }[] = [
    {
      title: 'was deactivated, not here',
      person: INACTIVE,
      found: 'The identity is inactive',
      because: /^Deactivated 5 days ago, not through this dashboard as far as its trail goes\.$/,
      helps: /^Activate/,
    },
    {
      title: 'has a locked account',
      person: LOCKED,
      found: `${emailOf(LOCKED)} is locked`,
      because: 'Wrong password, 5 attempts from 203.0.113.9',
      helps: /^Unlock/,
      prepare: () => lockAccounts(dashboard, [emailOf(LOCKED), emailOf(7)]),
    },
    {
      title: 'has a password without a hash',
      person: WITHOUT_PASSWORD,
      found: 'They have nothing to sign in with',
      because: 'No credential is set.',
      helps: /^Recovery/,
    },
    {
      title: 'signs in with a provider that is switched off',
      person: OF_PROVIDER,
      found: 'Their only way to sign in is google, which is switched off',
      helps: /^Connections/,
      async prepare() {
        for (const [field, value] of [
          ['client_id', 'an-id'],
          ['client_secret', 'a-secret'],
          ['enabled', 'false'],
        ]) {
          const json = { key: `social.google.${field}`, value, category: 'social' };
          assert.ok((await dashboard.call('/api/settings', { session, json })).ok);
        }
      },
    },
  ];
  for (const { title, person, found, because, helps, prepare } of WHY)
    it(`why somebody does not get in who ${title}`, async () => {
      await prepare?.();
      const { step, taken } = stepper();
      await signedInVisit(dashboard, session, { path: '/dashboard' }, async ({ page }) => {
        await askWhyNot(page, step, emailOf(person));
        await page.getByRole('heading', { level: 1, name: emailOf(person) }).waitFor();
        await becomes(() => verdict(page).innerText(), 'No');
        const all = async (): Promise<(string | undefined)[]> =>
          (await findings(page).getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0]);
        // That no address is verified is true of everybody whom the recordings have.
        await becomes(all, [found, UNVERIFIED]);
        if (because !== undefined) await findings(page).getByText(because).waitFor();
        await section(page)
          .getByRole(helps.source.includes('Connections') ? 'link' : 'button', { name: helps })
          .waitFor();
      });
      assert.ok(taken() > 0 && taken() <= STEPS_MAX, `${taken()} steps`);
    });

  it('since when Hydra is not ready, which is not down', async () => {
    const hydraIs = (status: ServiceStatus): Promise<void> =>
      isWatched(dashboard, session, { service: 'oauth-admin', status });
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
});
