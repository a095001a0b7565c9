import assert from 'node:assert/strict';
import { hashPassword } from '../../server/sandbox/passwords.ts';
import { eventually } from '../support/eventually.ts';
import { trySignIn } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { chooseFile, download, textOf } from '../support/transfer-pages.ts';

describe('an import of identities', () => {
  const intercepted = interceptedDashboardOfSuite();

  it('lets people sign in with imported passwords and hashes, and never displays, stores or logs them', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const { dashboard, upstream } = intercepted;
      const plain = 'plain-secret-of-a';
      const scrypt = await hashPassword('hashed-secret-of-b');
      const bcrypt = '$2b$12$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
      const unknown = 'd41d8cd98f00b204e9800998ecf8427e';
      const secrets = [plain, scrypt, bcrypt, unknown];
      const rows = [`a@pw.example;;${plain}`, `b@pw.example;${scrypt};`, `c@pw.example;${bcrypt};`];
      const bad = [`d@pw.example;${unknown};`, `e@pw.example;${bcrypt};${plain}`, 'f@pw.example;;'];
      const content = ['Mail;password;initial_password', ...rows, ...bad].join('\n');
      const exposed: string[] = [];
      const collect = async (): Promise<void> => {
        exposed.push(await page.content(), page.url());
        exposed.push(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])));
      };

      await chooseFile(page, { name: 'moved.csv', content });
      await page.getByRole('heading', { name: 'Columns of moved.csv' }).waitFor();
      await page.getByLabel('Default schema').selectOption('customer');
      const target = (name: string) => page.getByLabel(`${name} becomes`, { exact: true }).inputValue();
      await eventually(() => target('password'), 'credentials.password.config.hashed_password');
      await eventually(() => target('initial_password'), 'credentials.password.config.password');
      await page.getByRole('row', { name: /^password .*scrypt hash, bcrypt hash/ }).waitFor();
      await collect();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByText('6 identities, 4 without problems').waitFor();
      await page.getByText('1 with a password, which takes longer').waitFor();
      await page.getByText('Supported hashes: bcrypt ($2a$), argon2 ($argon2id$), ').waitFor();
      await page.getByRole('row', { name: /^5 .* a format that the identity service does not support/ }).waitFor();
      await page.getByRole('row', { name: /^6 .* only a password or a hash can be imported/ }).waitFor();
      for (const name of ['2 a@pw.example customer plain text', '4 c@pw.example customer bcrypt hash'])
        await page.getByRole('region', { name: 'Preview' }).getByRole('row', { name }).waitFor();
      exposed.push(await textOf(await download(page, 'Save all problems as CSV')));
      await collect();
      await page.getByRole('button', { name: 'Import 4 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      exposed.push(await textOf(await download(page, 'Save the report')));
      await collect();
      const audit = async () => (await intercepted.call('/api/security/audit')).text();
      await eventually(audit, /"target":"\/api\/identity-admin\/admin\/identities"/);
      exposed.push(await audit(), dashboard.logged.join(''));
      for (const secret of secrets) assert.ok(!exposed.some((text) => text.includes(secret)), secret);

      const sent = upstream.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));
      assert.deepEqual(
        sent.flatMap(({ identities }) => identities.map(({ create }: { create: object }) => create)),
        [
          ['a', { password: plain }],
          ['b', { hashed_password: scrypt }],
          ['c', { hashed_password: bcrypt }],
          ['f', undefined],
        ].map(([name, config]) => ({
          schema_id: 'customer',
          traits: { email: `${name}@pw.example` },
          ...(config && { credentials: { password: { config } } }),
        })),
      );
      const signIn = (name: string, password: string) => trySignIn(intercepted, `${name}@pw.example`, password);
      assert.deepEqual(await Promise.all([signIn('a', plain), signIn('b', 'hashed-secret-of-b')]), [true, true]);
      assert.deepEqual(await Promise.all([signIn('b', scrypt), signIn('f', plain)]), [false, false]);
    }));
});
