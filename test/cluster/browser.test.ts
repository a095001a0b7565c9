import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { startBalancer } from '../support/balancer.ts';
import { needsChromium, visiting } from '../support/browser.ts';
import { originsOf, signInAt } from '../support/browser-sign-in.ts';
import { describeOnCluster } from '../support/cluster.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

describeOnCluster('a browser in front of a cluster', (cluster) => {
  let dashboard: Dashboard;
  let replicas: ServiceProcess[] = [];
  let port: number;
  before(function () {
    needsChromium(this);
  });
  beforeEach(async function () {
    this.timeout(90_000);
    port = await freePort();
    dashboard = await startDashboard({
      env: { BASE_URL: `http://localhost:${port}`, DATABASE_URL: cluster.urls()[0] },
    });
    replicas = [];
    for (const index of [0, 1, 2]) replicas.push(await start(index));
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await dashboard.close();
  });

  const start = (index: number): Promise<ServiceProcess> => {
    const variables = Object.entries(dashboard.env).filter(([, value]) => value !== undefined);
    const env = Object.fromEntries(variables) as Record<string, string>;
    return startServiceProcess({ ...env, PORT: '0', DATABASE_URL: cluster.urls()[index] ?? '' });
  };

  /** As an operator does it: who is told that it did not work now presses the button again. */
  async function store(page: Page, key: string): Promise<void> {
    await page.getByRole('link', { name: 'New setting' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key').fill(key);
    await dialog.getByLabel('Value').fill(`value of ${key}`);
    const saved = page.getByText(`${key} is saved`);
    const exists = dialog.getByText(/exists/);
    const create = dialog.getByRole('button', { name: 'Create' });
    for (;;) {
      await create.click();
      const problem = dialog.getByRole('alert');
      await saved.or(problem).first().waitFor({ timeout: 20_000 });
      if (await saved.isVisible()) return;
      if (await exists.isVisible()) break;
    }
    await page.keyboard.press('Escape');
  }

  it('loses nothing and shows no error of the server, whichever process is killed', async function () {
    this.timeout(240_000);
    const balancer = await startBalancer(
      port,
      replicas.map((replica) => replica.port),
    );
    const statuses = new Set<number>();
    const kept: string[] = [];
    try {
      await visiting({ origins: originsOf(dashboard) }, async ({ page, expect }) => {
        page.on('response', (response) => void statuses.add(response.status()));
        for (const status of [401, 412, 502, 503]) expect(status, /./);
        await signInAt(page, dashboard, 'admin', '/settings');
        const work = async (phase: string): Promise<void> => {
          for (const number of [1, 2, 3]) {
            await store(page, `${phase}.${number}`);
            kept.push(`${phase}.${number}`);
          }
        };
        await work('before');
        for (const index of [0, 1, 2]) {
          cluster.node(index).signal('SIGKILL');
          await work(`node.${index}`);
          await cluster.node(index).ended();
          await cluster.node(index).start();
        }
        for (const index of [0, 1, 2]) {
          const [killed] = replicas.splice(index, 1);
          const ending = killed?.close();
          await work(`replica.${index}`);
          await ending;
          replicas.splice(index, 0, await start(index));
          balancer.replicas = replicas.map((replica) => replica.port);
        }
        await work('after');
        await page.goto(`${dashboard.baseUrl}/settings`);
        await page.getByRole('link', { name: 'after.3', exact: true }).waitFor();
      });
      assert.ok(!statuses.has(500), [...statuses].join());
      const stored: string[] = await cluster.open(1).knex('settings').pluck('key');
      assert.deepEqual(stored.sort(), kept.sort());
      await cluster.assertTrailIsWhole();
    } finally {
      await balancer.close();
    }
  });
});
