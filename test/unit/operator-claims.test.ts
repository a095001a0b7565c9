import assert from 'node:assert/strict';
import { parseConfig } from '../../server/config/parse-config.ts';
import type { Context } from '../../server/context.ts';
import { operatorFinder } from '../../server/features/auth/operator.ts';
import { SignInFailed } from '../../server/features/auth/provider.ts';
import type { JsonObject } from '../../shared/json.ts';
import { TEST_KEYS } from '../support/context.ts';
import { ofSuite } from '../support/of-suite.ts';
import { ATTEMPT, openidVariables, providerAt, startOpenidDouble } from '../support/openid-double.ts';

describe('an operator that an OpenID provider signs in', () => {
  const double = ofSuite(startOpenidDouble);
  beforeEach(() => double.reset());

  /** What the store returns, whoever is looked up. */
  type Stored = { items: JsonObject[]; nextPageToken?: string };
  /** @returns the role, or why there is none, with the number of values in the claim */
  async function outcome(env: NodeJS.ProcessEnv, stored: Stored = { items: [] }, issuer = double.url): Promise<string> {
    const { auth } = parseConfig({ ...TEST_KEYS, ...env });
    const provider = providerAt(double.url);
    const config = { auth: { ...auth, provider: { ...auth.provider, issuer } } };
    const findOperator = operatorFinder({
      config,
      operators: { list: async () => stored, identity: async () => undefined },
    } as unknown as Context);
    try {
      return (await findOperator(await provider.redeem(ATTEMPT))).role;
    } catch (error) {
      assert.ok(error instanceof SignInFailed, String(error));
      return [error.code, ...Object.values(error.details)].join(' ');
    }
  }

  const ROLES = '/realm_access/roles';
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => (index === 0 ? 'admins' : `group-${index}`));
  const objects = (count: number) => Object.fromEntries(many(count).map((name) => [name, { id: '1' }]));
  const without = (members: JsonObject) => ({ groups: undefined, ...members });
  /** The claims of the ID token, of a sign-in each; the default ones of userinfo have no group. */
  const BY_CLAIM: [pointer: string, outcome: string, idTokens: JsonObject[], userinfo?: JsonObject][] = [
    ['/groups', 'admin', [{ groups: 'admins' }, { groups: ['viewers', 'admins'] }, { groups: many(10_000) }]],
    ['/groups', 'admin', [{ groups: { admins: { '1': 'a.example' } } }, { groups: objects(10_000) }]],
    ['/groups', 'viewer', [{ groups: ['others', 'viewers'] }]],
    // Of several roles, the first in the order of the access table.
    ['/groups', 'admin', [{ groups: ['viewers', 'auditors', 'helpers', 'admins'] }]],
    ['/groups', 'support', [{ groups: ['viewers', 'auditors', 'helpers'] }]],
    ['/groups', 'auditor', [{ groups: ['viewers', 'auditors'] }]],
    ['/groups', 'no_role /groups 3', [{ groups: ['a', 'b', 'Admins'] }]],
    ['/groups', 'no_role /groups 0', [without({}), { groups: 7 }]],
    ['/groups', 'no_role /groups 2', [{ groups: ['admins', 7] }, { groups: { admins: true, viewers: {} } }]],
    ['/groups', 'no_role /groups 10001', [{ groups: many(10_001) }, { groups: objects(10_001) }]],
    ['/groups', 'admin', [without({}), { groups: null }], { groups: ['admins'] }],
    ['/groups', 'no_role /groups 0', [{ groups: [] }], { groups: ['admins'] }],
    ['/groups', 'viewer', [{ groups: ['viewers'] }], { groups: ['admins'] }],
    ['/groups', 'groups_overage', [without({ _claim_names: { groups: 'src1' } }), without({ hasgroups: true })]],
    ['/groups', 'no_role /groups 0', [without({ _claim_names: { other: 'src1' } })]],
    ['/roles', 'no_role /roles 0', [{ hasgroups: true }]],
    [ROLES, 'admin', [{ realm_access: { roles: ['admins'] } }]],
    [ROLES, `no_role ${ROLES} 0`, [{ realm_access: ['roles', 'admins'] }]],
    ['/https:~1~1a.example~1roles', 'viewer', [{ 'https://a.example/roles': ['viewers'] }]],
    // Members that every object inherits.
    ['/constructor', 'no_role /constructor 0', [{}]],
    ['/constructor', 'admin', [{}], { constructor: 'admins' }],
    ['/__proto__/x', 'no_role /__proto__/x 0', [{}]],
    ['/email', 'no_email', [{ email: 'admins', email_verified: true }]],
    ['/email', 'viewer', [{ email: 'Ada@Example.com', email_verified: true }]],
    ['/email', 'email_unverified', [{ email: 'ada@example.com' }], { email_verified: true }],
  ];
  for (const [index, [pointer, expected, idTokens, userinfo]] of BY_CLAIM.entries())
    it(`by the claim ${pointer} is ${expected} (${index})`, async () => {
      const values =
        pointer === '/email'
          ? 'viewer=ADA@example.com'
          : 'viewer=viewers,x;auditor=auditors;support=helpers;admin=admins';
      const roles = { EXTRA_ROLES: 'support,auditor', OPERATOR_ROLE_VALUES: values };
      const env = { OPERATOR_ROLE_CLAIM: pointer, ...roles };
      for (const idToken of idTokens) {
        double.reset();
        Object.assign(double.claims, idToken);
        Object.assign(double.userinfo, userinfo);
        assert.equal(await outcome({ ...openidVariables(double.url), ...env }), expected);
      }
    });

  it('is read from userinfo only if the ID token lacks a claim', async () => {
    Object.assign(double.claims, { email: 'ada@example.com', name: 'Ada' });
    assert.equal(await outcome(openidVariables(double.url)), 'admin');
    assert.deepEqual(double.requests, ['discovery', 'token', 'jwks']);
  });

  const identity = (changed: JsonObject = {}, identifiers = ['ada@example.com']) => ({
    id: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
    schema_id: 'operator',
    state: 'active',
    traits: { email: 'ada@example.com', role: 'viewer' },
    credentials: { password: { identifiers } },
    ...changed,
  });
  const byEmail = (env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...{ ...openidVariables(double.url, 'email'), IDENTITY_ADMIN_URL: 'http://127.0.0.1:1' },
    ...{ OPERATOR_SCHEMA_IDS: 'operator', ...env },
  });
  it('by subject is no_identity if the store has none with this id, or if it is none', async () => {
    const env = { ...openidVariables(double.url, 'identity'), IDENTITY_ADMIN_URL: 'http://127.0.0.1:1' };
    assert.equal(await outcome(env), 'no_identity sub_not_uuid');
    double.claims['sub'] = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
    assert.equal(await outcome(env), 'no_identity');
  });

  const GOOGLE = 'https://accounts.google.com';
  const ASSUMED = { OPERATOR_EMAIL_VERIFIED: 'assumed' };
  const VERIFIED: [outcome: string, claims: JsonObject[], env?: NodeJS.ProcessEnv, issuer?: string][] = [
    ['viewer', [{ email_verified: true }, ...[true, 1, '1', 'true'].map((xms_edov) => ({ xms_edov }))]],
    ['email_unverified', [{}, { email_verified: false }, { email_verified: 'true' }]],
    ['email_unverified', [...[false, 0, '0', 'false'].map((xms_edov) => ({ xms_edov }))]],
    ['email_unverified', [{ xms_edov: true, email_verified: false }]],
    ['viewer', [{}], ASSUMED],
    ['email_unverified', [{ email_verified: false }, { email_verified: null }, { xms_edov: false }], ASSUMED],
    ['no_email', [{ email: undefined, preferred_username: 'ada@example.com', email_verified: true }], ASSUMED],
    ['viewer', [{ email_verified: true, hd: 'example.com' }], {}, GOOGLE],
    ['no_identity', [{ email_verified: true, email: 'ada@gmail.com' }], {}, GOOGLE],
    ['email_unverified', [{ email_verified: true }, { email_verified: true, hd: '' }, { hd: 'a.b' }], ASSUMED, GOOGLE],
    ['email_unverified', [{ email_verified: true, email: 'ada@notgmail.com' }], {}, GOOGLE],
    // Cyrillic, and the sign for kelvin, which is a k in lower case.
    ['no_identity address_not_ascii', [{ email: 'аda@example.com' }, { email: 'ada@example.\u212a' }], ASSUMED],
  ];
  for (const [expected, list, env, issuer] of VERIFIED)
    for (const claims of list)
      it(`by e-mail with ${JSON.stringify([claims, env, issuer])} is ${expected}`, async () => {
        Object.assign(double.claims, { email: 'ada@example.com', ...claims });
        double.userinfo = { sub: 'ada' };
        const items = [identity({}, ['ada@example.com', 'аda@example.com', 'ada@example.k'])];
        assert.equal(await outcome(byEmail(env), { items }, issuer), expected);
      });

  const STORED: [title: string, stored: Stored, outcome: string][] = [
    ['one identity whose identifier differs in case', { items: [identity({}, ['ADA@example.com'])] }, 'viewer'],
    ['an identity without credentials', { items: [identity({ credentials: undefined })] }, 'viewer'],
    ['others only, as a store without this filter', { items: [identity({}, ['eve@example.com'])] }, 'no_identity'],
    ['the trait of somebody who signs in with another address', { items: [identity({}, ['e'])] }, 'no_identity'],
    ['nobody', { items: [] }, 'no_identity'],
    ['two', { items: [identity(), identity({ state: 'inactive' })] }, 'no_identity several_identities'],
    ['another page', { items: [identity()], nextPageToken: 'x' }, 'no_identity several_identities'],
    ['an inactive identity', { items: [identity({ state: 'inactive' })] }, 'inactive'],
    ['an identity with another schema', { items: [identity({ schema_id: 'customer' })] }, 'no_role'],
    ['an identity without a role', { items: [identity({ traits: {} })] }, 'no_role'],
  ];
  for (const [title, stored, expected] of STORED)
    it(`by e-mail is ${expected} if the store returns ${title}`, async () => {
      Object.assign(double.claims, { email: 'Ada@example.com', email_verified: true });
      assert.equal(await outcome(byEmail(), stored), expected);
    });
});
