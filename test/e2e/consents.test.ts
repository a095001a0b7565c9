import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { areActive, createConsentClient, giveConsent } from '../support/oauth-client-pages.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';

describe('the consents page', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('finds a subject’s consents by keyboard, and revokes one, those of a client, or all, with their tokens', async () => {
    const [shop, forum] = [
      await createConsentClient(intercepted, 'Shop'),
      await createConsentClient(intercepted, 'Forum'),
    ];
    let subject = '';
    /** A token of each sign-in, oldest first. */
    const tokens: string[] = [];
    for (const client of [shop, shop, shop, forum]) {
      const consent = await giveConsent(intercepted, client, 'viewer');
      subject = consent.subject;
      tokens.push(consent.access);
    }
    await onPage(
      intercepted,
      '/oauth/consents',
      async ({ page }) => {
        const group = (name: string) => page.getByRole('region', { name });
        const revoke = () =>
          page
            .getByRole('dialog')
            .getByRole('button', { name: /^Revoke consents?$/ })
            .click();
        await page.getByText('Find consents').waitFor();
        await page.keyboard.type(` ${subject} `);
        await page.keyboard.press('Enter');
        await eventually(() => group('Shop').getByRole('listitem').count(), 3);
        await eventually(() => new URL(page.url()).search, `?subject=${subject}`);
        await eventually(() => areActive(intercepted, tokens), [true, true, true, true]);

        await group('Shop')
          .getByRole('button', { name: /^Revoke the consent from/ })
          .last()
          .press('Enter');
        await page.getByText('All tokens issued under this consent are revoked at once').waitFor();
        await revoke();
        await page.getByText(/^Revoked (?:the consent|all consents) /).waitFor();
        await eventually(() => group('Shop').getByRole('listitem').count(), 2);
        await eventually(() => areActive(intercepted, tokens), [false, true, true, true]);
        await page.waitForFunction(() => document.activeElement?.closest('main') != null);

        await group('Shop').getByRole('button', { name: 'Revoke these 2…' }).click();
        await revoke();
        await group('Shop').waitFor({ state: 'detached' });
        await eventually(() => areActive(intercepted, tokens), [false, false, false, true]);

        await page.getByRole('button', { name: 'Revoke all…' }).click();
        await revoke();
        await page.getByText('No consents for this subject').waitFor();
        await eventually(() => areActive(intercepted, tokens), [false, false, false, false]);
      },
      { heading: 'Consents' },
    );
    await eventually(
      () =>
        intercepted.upstream.requests
          .filter(({ method }) => method === 'DELETE')
          .map(({ path }) => path.replace(/(consent_request_id)=[^&]+/, '$1=…')),
      [
        `${CONSENTS}?consent_request_id=…&identity=${subject}`,
        `${CONSENTS}?subject=${subject}&client=${shop}`,
        `${CONSENTS}?subject=${subject}&all=true`,
      ],
    );
  });
});
