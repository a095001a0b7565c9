import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { activeOperator, json, type ProviderFlow, startProviderFlow } from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';

const HOUR = 3_600_000;

describe('a wall clock that somebody sets', () => {
  let flow: ProviderFlow;
  /** How far the wall clock is off, and how much monotonic time is pretended to have passed. */
  let offset = 0;
  let elapsed = 0;

  before(async () => {
    flow = await startProviderFlow({
      now: () => Date.now() + offset + elapsed,
      monotonic: () => performance.now() + elapsed,
    });
  });
  beforeEach(() => {
    offset = 0;
    // The cached result about the operator has expired by now.
    elapsed += 31_000;
    flow.provider.reset();
  });
  after(() => flow.close());

  async function signIn(): Promise<string> {
    const jar = new CookieJar();
    await flow.signIn(jar);
    return jar.get('dashboard-session') ?? '';
  }
  const statusOf = async (path: string, session: string): Promise<number> =>
    (await flow.dashboard.call(path, { session })).status;

  for (const hours of [-1, 1])
    it(`${hours < 0 ? 'back' : 'forward'} lets an operator who was deactivated stay no longer than half a minute`, async () => {
      // Longer than the hour that the clock is set forward.
      flow.provider.token = json({ access_token: 't', expires_in: 28_800 });
      const session = await signIn();
      assert.equal(await statusOf('/api/config', session), 200);
      flow.provider.identity = json({ ...activeOperator(), state: 'inactive' });
      offset = hours * HOUR;
      elapsed += 31_000;
      assert.equal(await statusOf('/api/config', session), 401);
    });

  it('neither holds up decryptions nor allows more of them', async () => {
    flow.provider.token = json({ access_token: 't', expires_in: 28_800 });
    const session = await signIn();
    const secret = { key: 'secret', value: 'v', encrypted: true };
    await flow.dashboard.call('/api/settings', { session, json: secret });
    const decrypt = (): Promise<number> => statusOf('/api/settings/secret?decrypt=true', session);
    for (let count = 0; count < 60; count += 1) assert.equal(await decrypt(), 200);
    assert.equal(await decrypt(), 429);
    offset = HOUR;
    assert.equal(await decrypt(), 429);
    offset = -HOUR;
    elapsed += 61_000;
    assert.equal(await decrypt(), 200);
  });

  it('is noticed and logged', async () => {
    offset = -HOUR;
    await eventually(
      () => flow.dashboard.logged.some((line) => line.includes('"seconds":-3600,"msg":"the wall clock was set back"')),
      true,
      undefined,
      50_000,
    );
  });
});
