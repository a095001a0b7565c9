import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { recordedExchanges } from '../support/contract-replay-files.ts';
import { create, PASSWORD, signInAs, stored } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { lockAccounts } from '../support/locked-accounts.ts';
import { askWhyNot, findings, help, STEPS_MAX, type Step, section, stepper, verdict } from '../support/questions.ts';

describe('why somebody does not get in, in a browser', function () {
  this.timeout(120_000);
  const intercepted = interceptedDashboardOfSuite({ people: 20 });
  let made = 0;

  /** Somebody new, whom the palette finds. @returns their id and address */
  async function somebody(more: object = {}): Promise<{ id: string; email: string }> {
    made += 1;
    const email = `locked-out-${made}@example.org`;
    const { id } = await create(intercepted, {
      schema_id: 'customer',
      traits: { email, name: { first: 'Locked', last: `Out ${made}` } },
      credentials: { password: { config: { password: PASSWORD } } },
      verifiable_addresses: [{ value: email, via: 'email', verified: true, status: 'completed' }],
      ...more,
    });
    return { id, email };
  }

  /** From the overview to the answer: the palette, the address, Enter. */
  async function ask(email: string, work: (page: Page, step: Step) => Promise<void>): Promise<void> {
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
    const { step, taken } = stepper();
    await onPage(intercepted, '/dashboard', async ({ page }) => {
      answerWithMail();
      await askWhyNot(page, step, email);
      await work(page, step);
    });
    assert.ok(taken() <= STEPS_MAX, `${taken()} steps`);
  }

  it('tells the deactivated one who did it, and activates them', async () => {
    const { id, email } = await somebody();
    const { call } = intercepted.dashboard;
    const patch = await call(`/api/identity-admin/admin/identities/${id}`, {
      method: 'PATCH',
      session: intercepted.sessions.admin,
      json: [{ op: 'replace', path: '/state', value: 'inactive' }],
    });
    assert.equal(patch.status, 200);
    await ask(email, async (page, step) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await findings(page).getByText('The identity is inactive').waitFor();
      await findings(page)
        .getByText(/^Deactivated just now by you\.$/)
        .waitFor();
      await assertAccessibleInAllLooks(page, 'a diagnosis');
      await step(help(page, 'button', /^Activate/).click());
      await step(page.getByRole('dialog').getByRole('button', { name: 'Activate', exact: true }).click());
      await becomes(() => verdict(page).innerText(), 'Nothing is wrong that this platform knows');
    });
    assert.equal(((await (await stored(intercepted, id)).json()) as { state: string }).state, 'active');
  });

  it('tells of a locked account, however it is spelt, and unlocks it', async () => {
    const { email } = await somebody();
    await lockAccounts(intercepted.dashboard, [email, 'somebody.else@example.org']);
    await ask(email, async (page, step) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await findings(page).getByText(`${email} is locked`).waitFor();
      await findings(page).getByText('Wrong password, 5 attempts from 203.0.113.9').waitFor();
      assert.equal(await findings(page).getByRole('listitem').count(), 1);
      await step(help(page, 'button', /^Unlock/).click());
      await step(page.getByRole('dialog').getByRole('button', { name: 'Unlock', exact: true }).click());
      await becomes(() => verdict(page).innerText(), 'Nothing is wrong that this platform knows');
    });
  });

  it('tells of somebody with nothing to sign in with, and makes a recovery code', async () => {
    const { email } = await somebody({ credentials: undefined });
    await ask(email, async (page, step) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await findings(page).getByText('They have nothing to sign in with').waitFor();
      await step(help(page, 'button', /^Recovery/).click());
      await step(page.getByRole('dialog').getByRole('button', { name: 'Create a code' }).click());
      await page.getByText('Shown once').waitFor();
    });
  });

  it('tells of a provider that is switched off, and leads to it', async () => {
    const { call } = intercepted.dashboard;
    const session = intercepted.sessions.admin;
    for (const [field, value] of [
      ['client_id', 'an-id'],
      ['client_secret', 'a-secret'],
      ['enabled', 'false'],
    ])
      await call('/api/settings', { session, json: { key: `social.google.${field}`, value, category: 'social' } });
    const { email } = await somebody({
      credentials: { oidc: { config: { providers: [{ provider: 'google', subject: 'subject-of-somebody' }] } } },
    });
    await ask(email, async (page, step) => {
      await becomes(() => verdict(page).innerText(), 'No');
      await findings(page).getByText('Their only way to sign in is google, which is switched off').waitFor();
      await step(help(page, 'link', /^Connections/).click());
      await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    });
  });

  it('tells of a mail that the courier gave up, in its words, without the mail server’s name', async () => {
    const { email } = await somebody();
    await recordedMail(
      email,
      { status: 'abandoned', send_count: 3, created_at: new Date().toISOString() },
      async () => {
        await ask(email, async (page, step) => {
          await becomes(() => verdict(page).innerText(), 'Perhaps not');
          await findings(page).getByText('The last message to them was not delivered').waitFor();
          await becomes(
            async () => /“550 5\.1\.1 Recipient address rejected/.test(await findings(page).innerText()),
            true,
          );
          assert.doesNotMatch(await findings(page).innerText(), /mail\.internal/);
          await step(help(page, 'link', /^The message/).click());
          await page.getByRole('heading', { level: 1 }).waitFor();
        });
      },
    );
  });

  it('tells of a recovery message after which nobody signed in, until somebody does', async () => {
    const { email } = await somebody();
    const created_at = new Date(Date.now() - 60_000).toISOString();
    await recordedMail(email, { status: 'sent', send_count: 1, created_at }, async () => {
      await ask(email, async (page) => {
        await findings(page).getByText('A recovery message was sent, and nobody has signed in since').waitFor();
        await becomes(() => verdict(page).innerText(), 'Nothing is wrong that this platform knows');
        await section(page).getByText('No sign-in is known').waitFor();
      });
      assert.equal(
        await signInAs(intercepted, email, PASSWORD, { 'user-agent': 'Mozilla/5.0 (Macintosh) Chrome/130' }),
        200,
      );
      await ask(email, async (page) => {
        await section(page)
          .getByText(/^Last sign-in just now from .* with Chrome on macOS, by password\.$/)
          .waitFor();
        await becomes(() => verdict(page).innerText(), 'Nothing is wrong that this platform knows');
      });
    });
  });

  it('finds whose identifier looks like theirs, only on a click', async () => {
    const { email } = await somebody();
    const twin = email.replace('out', 'outt');
    await create(intercepted, {
      schema_id: 'customer',
      traits: { email: twin, name: { first: 'Twin', last: 'Else' } },
    });
    await ask(email, async (page, step) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await verdict(page).waitFor();
      assert.ok(!asked.includes('/api/identities/search'));
      await step(section(page).getByRole('button', { name: 'Look for similar identifiers' }).click());
      const list = section(page).getByRole('list', { name: 'Similar identifiers' });
      await list.getByRole('link', { name: twin }).waitFor();
      assert.equal(await list.getByRole('link', { name: email, exact: true }).count(), 0);
      await step(list.getByRole('link', { name: twin }).click());
      await page.getByRole('heading', { level: 1, name: 'Twin Else' }).waitFor();
    });
  });

  it('says what could not be asked, guesses nothing, and asks again', async () => {
    const { id } = await somebody();
    await onPage(intercepted, '/dashboard', async ({ page, expect }) => {
      expect(502, /credentials$/);
      expect(503, /sessions/);
      intercepted.upstream.before = ({ path }) =>
        path.includes('include_credential') || path.includes('/sessions')
          ? { status: 503, body: JSON.stringify({ error: { code: 503, message: 'away' } }) }
          : undefined;
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/${id}`);
      await becomes(() => verdict(page).innerText(), 'Nothing is wrong in what could be asked');
      await section(page).getByText('Could not be asked: their credentials, their sessions.').waitFor();
      await section(page).getByText('Last sign-in unknown: their sessions could not be read.').waitFor();
      intercepted.upstream.calm();
      await section(page).getByRole('button', { name: 'Ask again' }).click();
      await becomes(() => verdict(page).innerText(), 'Nothing is wrong that this platform knows');
    });
  });

  /** Set by `recordedMail`: `onPage` takes away what stood before the upstream. */
  let answerWithMail = (): void => {};

  /** While `work` runs, the courier has a message to somebody, as a real Kratos recorded it but for these members. */
  async function recordedMail(recipient: string, members: object, work: () => Promise<void>): Promise<void> {
    const id = '11111111-2222-4333-8444-555555555555';
    const recorded = recordedExchanges().find(
      ({ request: { method, path }, response }) =>
        method === 'GET' && path.startsWith('/admin/courier/messages/<uuid') && response.status === 200,
    );
    const message = { ...(recorded?.response.json as object), id, recipient, ...members };
    const reason = '550 5.1.1 Recipient address rejected: mail.internal.example:25 knows no such user';
    const at = new Date().toISOString();
    const dispatches = [
      { id, message_id: id, status: 'failed', error: { code: 500, message: reason }, created_at: at, updated_at: at },
    ];
    answerWithMail = () => {
      intercepted.upstream.before = ({ method, path }) => {
        if (method !== 'GET' || !path.startsWith('/admin/courier/messages')) return undefined;
        const body = path.includes(id)
          ? { ...message, dispatches }
          : path.includes(encodeURIComponent(recipient))
            ? [message]
            : [];
        return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      };
    };
    await work();
    answerWithMail = () => {};
  }
});
