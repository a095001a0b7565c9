import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ports } from '../../server/sandbox/deployment-settings.ts';
import { type Listeners, listenOnAll } from '../../server/sandbox/http.ts';
import type { IdentitySchema } from '../../server/sandbox/identity-service/validation.ts';
import { openSandboxDatabase, type SandboxDatabase } from '../../server/sandbox/sandbox-database.ts';
import { type SandboxServicesOptions, sandboxServices } from '../../server/sandbox/sandbox-services.ts';
import { type Replay, replayOf } from '../support/contract-replay.ts';
import { headerSets, recordedCases, recordedGroups } from '../support/contract-replay-files.ts';

/** What a group's servers ran with beside the usual. */
const GROUPS: Record<string, Partial<SandboxServicesOptions>> = {
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

/** Groups that the sandbox does not claim to reproduce, and why. */
const NOT_CLAIMED: Record<string, string> = {
  'hydra-authorize':
    'the redirect to the sign-in page and the refusals before it are those of the OpenID provider; sign-ins themselves are walked through in other groups',
  'hydra-login-requests':
    'the API between the OAuth server and a sign-in application: here the sign-in page belongs to the server, and no page of the dashboard asks for it',
};

/** Cases that the sandbox answers differently, and why; at most fifteen. One that matches after all fails the test. */
const LEFT_OUT: Record<string, string> = {
  'sessions/logout-trap': 'browser login and logout flows of the identity service: no page of the dashboard uses them',
  'hydra-userinfo/oauth2-userinfo': 'userinfo is served there too, where deployments often put it',
  'hydra-userinfo/inactive': 'stricter on purpose: tokens of people who are inactive or gone are refused at once',
  'hydra-well-known/jwks': 'one key: access tokens that are JWTs would need the second',
  'hydra-well-known/admin-keys': 'private keys stay where they are',
  'redirects-unknown-routes/unknown-hydra': 'the root of the real server redirects to itself; here it is not found',
};

/** The recorded servers were built without a version stamp and say `master`; the sandbox names the release. */
const BY_SHAPE = ['schemas-health/version', 'hydra-well-known/version'];

/** The schema of the recorded servers, read from the recording itself. */
function recordedSchema(): IdentitySchema {
  const [step] = recordedCases('schemas-health').find(({ id }) => id === 'schemas')?.steps ?? [];
  assert.ok(step !== undefined && 'request' in step);
  const [schema] = step.response.json as IdentitySchema[];
  assert.ok(schema);
  return schema;
}

describe('the sandbox against answers recorded from real servers', () => {
  it('claims each group that was recorded, or says why not', () => {
    assert.deepEqual([...Object.keys(GROUPS), ...Object.keys(NOT_CLAIMED)].sort(), recordedGroups().sort());
  });

  it('leaves out at most fifteen cases, all of which exist', () => {
    const ids = Object.keys(GROUPS).flatMap((group) => recordedCases(group).map(({ id }) => `${group}/${id}`));
    assert.deepEqual(
      Object.keys(LEFT_OUT).filter((id) => !ids.includes(id)),
      [],
    );
    assert.ok(Object.keys(LEFT_OUT).length <= 15);
  });

  for (const [group, mode] of Object.entries(GROUPS))
    describe(group, () => {
      let directory: string;
      let database: SandboxDatabase;
      let listeners: Listeners<keyof Ports>;
      let replay: Replay;

      before(async () => {
        directory = mkdtempSync(join(tmpdir(), 'sandbox-recordings-'));
        database = openSandboxDatabase(join(directory, 'sandbox.sqlite'));
        listeners = await listenOnAll({ identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 });
        const { urls } = listeners;
        const services = await sandboxServices({
          deployment: 'customer',
          database,
          schemas: [recordedSchema()],
          urls,
          dashboardUrl: 'http://localhost:3000',
          apiKeys: {},
          accessTokenTtlSeconds: 3600,
          redactMessages: false,
          ready: () => true,
          hints: [],
          now: Date.now,
          ...mode,
        });
        listeners.serve(services);
        const origins = {
          'kratos-public': urls.identityPublic,
          'kratos-admin': urls.identityAdmin,
          'hydra-public': urls.oauthPublic,
          'hydra-admin': urls.oauthAdmin,
          bridge: urls.oauthPublic,
        };
        replay = replayOf(origins, headerSets());
      });
      after(async () => {
        await listeners.close();
        database.close();
        rmSync(directory, { recursive: true });
      });

      for (const recorded of recordedCases(group)) {
        const reason = LEFT_OUT[`${group}/${recorded.id}`];
        if (reason === undefined)
          it(`answers ${recorded.id} as recorded: ${recorded.title}`, async () => {
            assert.deepEqual(
              await replay.play(recorded, BY_SHAPE.includes(`${group}/${recorded.id}`) ? 'shape' : 'exact'),
              [],
            );
          });
        else
          it(`leaves ${recorded.id} out: ${reason}`, async () => {
            assert.notDeepEqual(await replay.play(recorded), [], 'it passes: take it off the list');
          });
      }
    });
});
