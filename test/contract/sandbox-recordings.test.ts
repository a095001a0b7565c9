import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ports } from '../../server/sandbox/deployment-settings.ts';
import { type Listeners, listenOnAll } from '../../server/sandbox/http.ts';
import { identityStore } from '../../server/sandbox/identity-service/identity-store.ts';
import type { IdentitySchema } from '../../server/sandbox/identity-service/schemas.ts';
import { sessionStore } from '../../server/sandbox/identity-service/sessions.ts';
import type { SandboxOptions } from '../../server/sandbox/parts.ts';
import { openSandboxDatabase, type SandboxDatabase } from '../../server/sandbox/sandbox-database.ts';
import { passwordSignIn } from '../../server/sandbox/sign-in.ts';
import { sandboxServices } from '../../server/sandbox/start-sandbox.ts';
import { type Replay, replayOf } from '../support/contract-replay.ts';
import { headerSets, type RecordedRequest, recordedCases, recordedGroups } from '../support/contract-replay-files.ts';

/** The groups, with the options that their servers ran with. */
const GROUPS: Record<string, Partial<SandboxOptions>> = {
  courier: {},
  'courier-production': { redactMessages: true },
  identities: {},
  'identities-many': {},
  'identity-writes': {},
  'identity-errors': {},
  sessions: {},
  recovery: {},
  'schemas-health': {},
  'hydra-token': {},
  'hydra-userinfo': {},
  'hydra-introspect': {},
  'hydra-clients': {},
  'hydra-consent-sessions': {},
  'hydra-well-known': {},
  'redirects-unknown-routes': {},
  unready: { ready: () => false },
};

/** The API between the OAuth server and a sign-in application: the dashboard uses none of it, but proxies its errors. */
const PROXIED_ONLY = ['hydra-login-requests'];

/** The recorded servers were built without a version and report `master`; the sandbox reports the release. */
const BY_SHAPE = ['schemas-health/version', 'hydra-well-known/version'];

/** The schema of the recorded servers. */
function recordedSchema(): IdentitySchema {
  const [step] = recordedCases('schemas-health').find(({ id }) => id === 'schemas')?.steps ?? [];
  assert.ok(step !== undefined && 'request' in step);
  const [schema] = step.response.json as IdentitySchema[];
  assert.ok(schema);
  return schema;
}

/**
 * Replaces Kratos' native flows, by which recordings sign in. The sandbox has only pages.
 * @returns the members of the response's body that recordings capture
 */
async function nativeFlow(database: SandboxDatabase, pages: string, request: RecordedRequest): Promise<object> {
  if (request.method === 'GET') return { id: randomUUID() };
  const { identifier = '', password = '', email } = request.json as Record<string, string>;
  if (email !== undefined) {
    const form = new URLSearchParams({ email });
    assert.equal((await fetch(`${pages}/recovery`, { method: 'POST', body: form })).status, 200);
    return {};
  }
  const header = (name: string) => request.headers?.[name] ?? '';
  const device = {
    ip_address: header('x-real-ip') || header('x-forwarded-for').split(',')[0] || '127.0.0.1:50123',
    user_agent: request.headers?.['user-agent'] === undefined ? 'contract/1' : request.headers['user-agent'],
    location: [header('cf-ipcity'), header('cf-ipcountry')].filter(Boolean).join(', '),
  };
  const signIn = passwordSignIn(identityStore(database), sessionStore(database, Date.now), Date.now);
  const result = await signIn({ identifier, password, device });
  assert.equal(result.outcome, 'signed-in');
  return { session: { id: 'sessionId' in result && result.sessionId }, session_token: randomUUID() };
}

describe('the sandbox', () => {
  it('is compared with each group of recordings', () => {
    assert.deepEqual([...Object.keys(GROUPS), ...PROXIED_ONLY].sort(), recordedGroups().sort());
  });

  for (const [group, mode] of Object.entries(GROUPS))
    describe(`(${group})`, () => {
      let directory: string;
      let database: SandboxDatabase;
      let listeners: Listeners<keyof Ports>;
      let replay: Replay;

      before(async () => {
        directory = mkdtempSync(join(tmpdir(), 'sandbox-recordings-'));
        database = openSandboxDatabase(join(directory, 'sandbox.sqlite'));
        listeners = await listenOnAll({ identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 });
        const { urls } = listeners;
        const options = { deployment: 'customer', dashboardUrl: 'http://localhost:3000', ...mode } as const;
        const services = await sandboxServices(database, urls, [recordedSchema()], options);
        listeners.serve(services);
        const origins = {
          'kratos-public': urls.identityPublic,
          'kratos-admin': urls.identityAdmin,
          'hydra-public': urls.oauthPublic,
          'hydra-admin': urls.oauthAdmin,
          bridge: urls.oauthPublic,
        };
        replay = replayOf(origins, headerSets(), (request) => nativeFlow(database, urls.oauthPublic, request));
      });
      after(async () => {
        await listeners.close();
        database.close();
        rmSync(directory, { recursive: true });
      });

      for (const recorded of recordedCases(group).filter(({ steps }) => steps.some((step) => !('unlike' in step))))
        it(`responds like the recorded server to ${recorded.id}: ${recorded.title}`, async () => {
          const strictness = BY_SHAPE.includes(`${group}/${recorded.id}`) ? 'shape' : 'exact';
          assert.deepEqual(await replay.play(recorded, strictness), []);
        });
    });
});
