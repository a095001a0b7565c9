import assert from 'node:assert/strict';
import { DEPLOYMENT_SETTINGS } from '../../server/sandbox/deployment-settings.ts';
import { traitsProblem } from '../../server/sandbox/identity-service/schemas.ts';
import { sessionsOf } from '../../server/sandbox/seeds/activity.ts';
import { people } from '../../server/sandbox/seeds/people.ts';
import { randomFrom } from '../../server/sandbox/seeds/random.ts';
import { resetSandbox } from '../../server/sandbox/start-sandbox.ts';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import { type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

for (const deployment of DEPLOYMENTS)
  describe(`the fictitious people of the ${deployment} sandbox`, () => {
    const { schemas } = DEPLOYMENT_SETTINGS[deployment];
    const random = randomFrom(7);
    const everyone = [...people(1200, deployment, schemas, random, NOW)];
    const sessions = everyone.flatMap((person) =>
      [...sessionsOf(person, deployment, random, NOW)].map(({ document }) => document),
    );

    it('fit their schemas and share no identifier', () => {
      for (const { identity } of everyone) {
        const schema = schemas.find(({ id }) => id === identity.schema_id);
        assert.ok(schema);
        assert.equal(traitsProblem(schema.schema, identity.traits), undefined);
      }
      const emails = everyone.map(({ identity }) => identity.traits.email);
      assert.equal(new Set(emails).size, emails.length);
      assert.ok(emails.every((email) => /^[a-z0-9.]+@example\.(com|org|net)$/.test(String(email))));
    });

    it('have about 2,500 sessions within 90 days, none in the future, from public addresses', () => {
      assert.ok(sessions.length > 2200 && sessions.length < 2800, String(sessions.length));
      for (const { issued_at, devices } of sessions) {
        const age = NOW - Date.parse(issued_at);
        assert.ok(age >= 0 && age <= 93 * DAY_MS, issued_at);
        const address = devices[0]?.ip_address ?? '';
        assert.doesNotMatch(address, /^(10|127|0|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|22[4-9]|2[3-5]\d)\./);
      }
    });
  });

describe('a new sandbox', () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await sandboxFixture({ people: 1200 });
  });
  after(() => fixture.close());
  const count = async (): Promise<string | null> =>
    (await fixture.admin('GET', '/admin/identities?page=0&per_page=1')).headers.get('x-total-count');

  it('has 1,200 people and two operators, keeps what it has at the next start, and is new after a reset', async () => {
    assert.equal(await count(), '1202');
    const [first] = (await fixture.admin<{ id: string }[]>('GET', '/admin/identities?page_size=1')).json;
    await fixture.admin('DELETE', `/admin/identities/${first?.id}`);
    await fixture.restart();
    assert.equal(await count(), '1201');
    await fixture.sandbox().close();
    resetSandbox(fixture.directory, 'customer');
    await fixture.restart();
    assert.equal(await count(), '1202');
  });
});
