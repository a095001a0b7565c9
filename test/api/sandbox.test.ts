import assert from 'node:assert/strict';
import type { LockedAccountList } from '../../shared/security.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { CookieJar, submitSignIn, visit } from '../support/http-sign-in.ts';

const MINUTE = 60_000;

describeOnDatabases('the sandbox’s sign-in page and the dashboard’s locked accounts', (databases) => {
  let dashboard: Dashboard;
  let admin: string;
  let now: number;

  /** Each test has its own dashboard, whose database is removed with it. */
  const onDashboard = (work: () => Promise<void>) => async (): Promise<void> => {
    now = Date.now();
    const env = { DATABASE_URL: await databases.create() };
    dashboard = await startDashboard({ locks: true, now: () => now, sandbox: { now: () => now }, env });
    try {
      admin = await dashboard.signIn('admin');
      await work();
    } finally {
      await dashboard.close();
    }
  };

  /** @returns the page's message; empty when it redirects the browser */
  async function tries(identifier: string, password: string): Promise<string | undefined> {
    const jar = new CookieJar();
    const authorization = (await visit(`${dashboard.url}/api/auth/login`, new CookieJar())).headers.get('location');
    const page = (await visit(authorization ?? '', jar)).headers.get('location');
    const response = await submitSignIn(new URL(page ?? '', authorization ?? '').href, jar, { identifier, password });
    return /role="alert">([^<]+)</.exec(await response.text())?.[1];
  }
  async function triesWrongly(identifier: string, times: number): Promise<string | undefined> {
    let said: string | undefined;
    for (let count = 0; count < times; count += 1) said = await tries(identifier, `wrong ${count}`);
    return said;
  }
  const locked = async (): Promise<LockedAccountList> =>
    (await (await dashboard.call('/api/security/locked-accounts', { session: admin })).json()) as LockedAccountList;
  const unlock = (identifier: string): Promise<Response> =>
    dashboard.call('/api/security/locked-accounts/unlock', { session: admin, json: { identifier } });

  it(
    'five wrong passwords lock it for the right one too, until it is unlocked or fifteen minutes are over',
    onDashboard(async () => {
      const { email, password } = dashboard.operator('viewer');
      assert.match((await triesWrongly(email.toUpperCase(), 4)) ?? '', /or the password, is wrong/);
      assert.deepEqual((await locked()).data, []);
      assert.match((await triesWrongly(` ${email}`, 1)) ?? '', /is locked/);
      assert.match((await tries(email, password)) ?? '', /is locked/);

      const [account] = (await locked()).data;
      assert.deepEqual([account?.identifier, account?.attempts], [email, 5]);
      assert.equal(account?.locked_until, new Date(now + 15 * MINUTE).toISOString());
      assert.equal((await unlock(` ${email.toUpperCase()} `)).status, 200);
      assert.deepEqual((await locked()).data, []);
      assert.equal(await tries(email, password), undefined);

      await triesWrongly(email, 5);
      now += 15 * MINUTE - 1;
      assert.match((await tries(email, password)) ?? '', /is locked/);
      now += 1;
      assert.equal(await tries(email, password), undefined);
      assert.equal((await unlock(email)).status, 404);
    }),
  );
});
