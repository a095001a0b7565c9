import assert from 'node:assert/strict';
import { assertAccessible, assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { create, onPersonPage, person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('the credentials of an identity, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const hashOf = async (id: string): Promise<string> => {
    const answer = await fetch(`${intercepted.upstream.target}/admin/identities/${id}?include_credential=password`);
    const { credentials } = (await answer.json()) as {
      credentials: { password: { config: { hashed_password: string } } };
    };
    return credentials.password.config.hashed_password;
  };

  it('are shown on every tab without the stored hash in any answer', async () => {
    const somebody = await person(intercepted);
    const hash = await hashOf(somebody.id);
    assert.match(hash, /^\$/);
    await onPersonPage(intercepted, somebody, async ({ page }) => {
      const answers: Promise<string>[] = [];
      page.on('response', (answer) => answers.push(answer.text().catch(() => '')));
      await page.reload();
      await page.getByText('Social sign-in, Password').waitFor();
      for (const [tab, text] of [
        ['Credentials', `Password · ${somebody.email}`],
        ['JSON', somebody.subject],
        ['Sessions', 'No sessions'],
        ['Traits and metadata', 'Admin metadata'],
      ] as const) {
        await page.getByRole('navigation', { name: 'Identity' }).getByRole('link', { name: tab, exact: true }).click();
        await page.getByText(text).first().waitFor();
      }
      const texts = await Promise.all(answers);
      assert.ok(texts.some((text) => text.includes(somebody.subject)));
      for (const part of [hash, hash.slice(-20)]) assert.ok(!texts.some((text) => text.includes(part)));
    });
    // The real store did receive and answer the request.
    await becomes(
      () => intercepted.upstream.seen.some(({ path }) => path.includes('include_credential=password')),
      true,
    );
  });

  it('name each security key and say how many there are, without what the keys are', async () => {
    const somebody = await person(intercepted);
    const at = '2025-01-31T09:00:00Z';
    const key = { id: 'a2V5LWlk', public_key: 'cHVibGlj', attestation_type: 'none', added_at: at };
    const webauthn = {
      type: 'webauthn',
      identifiers: [somebody.email],
      config: { credentials: [{ ...key, display_name: 'Desk\u202e' }, key] },
      created_at: at,
      updated_at: at,
    };
    await onPersonPage(intercepted, somebody, async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('include_credential')
          ? { status: 200, body: JSON.stringify({ id: somebody.id, traits: {}, credentials: { webauthn } }) }
          : undefined;
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/${somebody.id}/credentials`);
      await page.getByText(`Security key (WebAuthn), 2 keys · ${somebody.email}`).waitFor();
      const keys = page.getByRole('list', { name: 'Security key (WebAuthn): 2 keys' }).getByRole('listitem');
      await becomes(() => keys.allTextContents(), /^Desk⟨U\+202E⟩, added .*,Unnamed, added /);
      await assertAccessibleInAllLooks(page, 'the credentials with two keys');
      await page.getByRole('button', { name: 'Delete Security key' }).click();
      await page.getByRole('dialog').getByText('All 2 keys are deleted').waitFor();
    });
  });

  it('that a schema lists for everybody are told apart from those that are set', async () => {
    const { id } = await create(intercepted, {
      schema_id: 'customer',
      traits: { email: 'nothing-set@example.org', name: { first: 'Nothing', last: 'Set' } },
    });
    await onPersonPage(
      intercepted,
      { id, email: 'nothing-set@example.org', name: 'Nothing Set', subject: '' },
      async ({ page }) => {
        await page.getByText('No credentials').waitFor();
        await page.getByText(/^Possible, but not set up: .*Password/).waitFor();
        await assertAccessible(page, 'the credentials of somebody who has none');
        await page.getByRole('navigation', { name: 'Identity' }).getByRole('link', { name: 'Overview' }).click();
        await page.getByRole('region', { name: 'At a glance' }).getByText('none').waitFor();
      },
      { tab: '/credentials' },
    );
  });

  it('are looked at again after a deletion: one that stays is not called deleted', async () => {
    const somebody = await person(intercepted);
    await onPersonPage(
      intercepted,
      somebody,
      async ({ page }) => {
        intercepted.upstream.before = ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined);
        await page.getByRole('button', { name: `Delete Social sign-in google:${somebody.subject}` }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText(`of ${somebody.email}?`).waitFor();
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await dialog.getByText('but did not delete it').waitFor();
        intercepted.upstream.before = () => undefined;
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await page.getByText(`Social sign-in google:${somebody.subject} is deleted`).waitFor();
        assert.equal(await page.getByRole('button', { name: /^Delete Social/ }).count(), 0);
      },
      { tab: '/credentials' },
    );
  });

  it('offer no deletion where the identity service knows none, and say who may', async () => {
    const somebody = await person(intercepted);
    const path = `/api/identities/${somebody.id}/credentials`;
    await onPersonPage(intercepted, somebody, async ({ page }) => {
      const listed = { identifiers: [], created_at: null, updated_at: null, set: true, deletable: false };
      await page.route(`**${path}`, (route) =>
        route.fulfill({
          json: {
            credentials: [
              { ...listed, type: 'code', identifiers: ['a@b.example'] },
              { ...listed, type: 'passkey' },
            ],
          },
        }),
      );
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/${somebody.id}/credentials`);
      await page.getByText('Removed with the address').waitFor();
      await page.getByText('Only the person can remove it').waitFor();
      assert.equal(await page.getByRole('button', { name: /^Delete/ }).count(), 0);
    });
  });
});
