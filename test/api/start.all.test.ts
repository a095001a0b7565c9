import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { until } from '../support/becomes.ts';
import { launcher } from '../support/processes.ts';

describe('npm start, and its end', () => {
  const own = launcher();

  it('closes everything when its terminal is closed, which may be said twice, and ends by that signal', async () => {
    const { process, url } = await own.started();
    void process.stop('SIGHUP');
    const isEnding = (): Promise<boolean> =>
      fetch(`${url}/api/health`).then(
        ({ status }) => status === 503,
        () => true,
      );
    await until(isEnding);
    assert.equal(await process.stop('SIGHUP'), null);
    assert.match(process.output(), /"msg":"closed"/);
    const open = readdirSync(own.data).filter((name) => /-(?:wal|shm)$/.test(name));
    assert.deepEqual(open, []);
  });

  it('runs both deployments side by side, each with its own operators, keys and name', async () => {
    const [customer, workforce] = await Promise.all([own.started(), own.started(['--deployment', 'workforce'])]);
    assert.match(customer.baseUrl, /^http:\/\/localhost:\d+$/);
    assert.match(workforce.baseUrl, /^http:\/\/workforce\.localhost:\d+$/);
    const cookie = await workforce.signIn('viewer');
    const sessionAt = (url: string) => fetch(`${url}/api/auth/session`, { headers: { cookie } });
    assert.equal((await sessionAt(workforce.url)).status, 200);
    assert.equal((await sessionAt(customer.url)).status, 401);
    const kept = readdirSync(own.data).filter((name) => /^(keys|sandbox)-\w+\.(env|sqlite)$/.test(name));
    assert.equal(kept.length, 4);
  });
});
