import assert from 'node:assert/strict';
import { formatRecord } from '../../client/audit-view/record-sentence.ts';
import { changing, changingClient, PERSON, PERSON_PATH, proxied, record } from '../support/told-records.ts';

describe('a record of the audit trail, as a sentence', () => {
  for (const [sentence, told] of [
    ['1f0c2a9b signed in as viewer', record({ details: { role: 'viewer' } })],
    ['1f0c2a9b signed in', record({})],
    ['1f0c2a9b signed out', record({ action: 'logout' })],
    [
      'Somebody was refused a sign-in: no role for this dashboard',
      record({ action: 'login_refused', actor: 'anonymous', details: { reason: 'no_role' } }),
    ],
    [
      'Somebody was refused a sign-in 12 times: the request was declined',
      record({ action: 'login_refused', actor: 'anonymous', details: { reason: 'denied', count: 12 } }),
    ],
    [
      '1f0c2a9b was refused a sign-in: of_a_later_release',
      record({ action: 'login_refused', details: { reason: 'of_a_later_release' } }),
    ],
    [
      '1f0c2a9b created the setting mail.from',
      record({ action: 'setting_write', target: 'mail.from', details: { created: true } }),
    ],
    [
      'The command line changed the setting mail.from',
      record({ action: 'setting_write', actor: 'command-line', target: 'mail.from', details: { created: false } }),
    ],
    [
      'The command line re-encrypted the setting mail.key',
      record({
        action: 'setting_write',
        actor: 'command-line',
        target: 'mail.key',
        details: { created: false, rekeyed: true },
      }),
    ],
    [
      'The service sealed the records up to 7, after a change of the signing key',
      record({ action: 'audit_anchor', actor: 'service', details: { up_to: 7, tag: 'a', digest: 'b' } }),
    ],
    [
      'The command line pruned the trail up to record 7',
      record({ action: 'audit_prune', actor: 'command-line', details: { after: 7, after_tag: 'a' } }),
    ],
    ['1f0c2a9b saved the setting mail.from', record({ action: 'setting_write', target: 'mail.from' })],
    ['1f0c2a9b deleted the setting mail.from', record({ action: 'setting_delete', target: 'mail.from' })],
    ['1f0c2a9b revealed the setting mail.key', record({ action: 'setting_decrypt', target: 'mail.key' })],
    [
      '1f0c2a9b tried to reveal the setting, which could not be decrypted: mail.key',
      record({ action: 'setting_decrypt', target: 'mail.key', details: { opened: false } }),
    ],
    ['1f0c2a9b encrypted a value', record({ action: 'value_encrypt' })],
    ['1f0c2a9b encrypted a value for mail.key', record({ action: 'value_encrypt', target: 'mail.key' })],
    [
      '1f0c2a9b ended the dashboard sessions of the identity 5f3e0a11',
      record({ action: 'session_revoke', target: PERSON }),
    ],
    ['1f0c2a9b unlocked the account sam@example.org', record({ action: 'account_unlock', target: 'sam@example.org' })],
    ['1f0c2a9b listed identities', record({ action: 'identity_search' })],
    [
      '1f0c2a9b searched identities for sam@example.org',
      record({ action: 'identity_search', target: 'sam@example.org' }),
    ],
    ['1f0c2a9b deleted the identity 5f3e0a11', proxied('DELETE', PERSON_PATH, 204, `identity:${PERSON}`)],
    [
      '1f0c2a9b created the identity 5f3e0a11',
      proxied('POST', '/api/iam-identity-admin/identities', 201, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b ended all sessions of the identity 5f3e0a11',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}/sessions`, 204, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b tried to change the identity 5f3e0a11 – it was refused with status 409',
      proxied('PATCH', PERSON_PATH, 409, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b tried to change the identity 5f3e0a11 – it was refused with status 404',
      proxied('PATCH', PERSON_PATH, 404, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b tried to end all sessions of the identity 5f3e0a11 – it failed with status 502',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}/sessions`, 502, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to end all sessions of the identity 5f3e0a11 – there were none',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}/sessions`, 404, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to remove the authenticator app of the identity 5f3e0a11 – there was none',
      proxied('DELETE', `/api/identity-admin/identities/${PERSON}/credentials/totp`, 404, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to end the session 5f3e0a11 – it did not exist',
      proxied('DELETE', `/api/identity-admin/admin/sessions/${PERSON}`, 404, `session:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to delete the client my app – it did not exist',
      proxied('DELETE', '/api/oauth-admin/admin/clients/my%20app', 404, 'client:my app'),
    ],
    [
      '1f0c2a9b asked to delete a credential of the identity 5f3e0a11 – there was none',
      proxied('DELETE', `/api/identity-admin/identities/${PERSON}/credentials/of_later`, 404, `identity:${PERSON}`),
    ],
    ['1f0c2a9b deactivated the identity 5f3e0a11', changing('PATCH', ['/state'], 'inactive')],
    ['1f0c2a9b activated the identity 5f3e0a11', changing('PATCH', ['/state'], 'active')],
    ['1f0c2a9b changed the state of the identity 5f3e0a11', changing('PATCH', ['/state'])],
    [
      '1f0c2a9b tried to deactivate the identity 5f3e0a11 – it was refused with status 403',
      changing('PATCH', ['/state'], 'inactive', 403),
    ],
    ['1f0c2a9b changed name.first of the identity 5f3e0a11', changing('PATCH', ['/traits/name/first'])],
    [
      '1f0c2a9b tried to change name.first of the identity 5f3e0a11 – it was refused with status 409',
      changing('PATCH', ['/traits/name/first'], undefined, 409),
    ],
    [
      '1f0c2a9b deactivated and changed email and the admin metadata of the identity 5f3e0a11',
      changing('PATCH', ['/traits/email', '/state', '/metadata_admin/plan', '/metadata_admin/note'], 'inactive'),
    ],
    [
      '1f0c2a9b changed a, b, c and 2 more of the identity 5f3e0a11',
      changing('PATCH', ['/traits/a', '/traits/b', '/traits/c', '/traits/d', '/traits/e']),
    ],
    ['1f0c2a9b set a password for the identity 5f3e0a11', changing('PATCH', ['/credentials/password'])],
    [
      '1f0c2a9b replaced the identity 5f3e0a11 and set a password',
      changing('PUT', ['/schema_id', '/state', '/credentials/password'], 'active'),
    ],
    ['1f0c2a9b replaced the identity 5f3e0a11', changing('PUT', ['/schema_id', '/state'], 'inactive')],
    [
      '1f0c2a9b changed the redirect addresses of the client shop',
      changingClient(['/redirect_uris/0', '/redirect_uris/-']),
    ],
    [
      '1f0c2a9b changed the name and the grant types of the client shop',
      changingClient(['/client_name', '/grant_types']),
    ],
    ['1f0c2a9b gave a recovery link', proxied('POST', '/api/identity-admin/admin/recovery/link', 200)],
    ['1f0c2a9b gave a recovery code', proxied('POST', '/api/identity-admin/admin/recovery/code', 201)],
    ['1f0c2a9b revoked consents', proxied('DELETE', '/api/oauth-admin/admin/oauth2/auth/sessions/consent', 204)],
    [
      '1f0c2a9b tried to change something at the OAuth 2.0 server – it was refused with status 404',
      proxied('DELETE', '/api/oauth-admin/admin/other', 404),
    ],
    [
      '1f0c2a9b tried to change the token lifespans of the client a/b – it failed with status 502',
      proxied('PUT', '/api/oauth-admin/admin/clients/a%2Fb/lifespans', 502, 'client:a/b'),
    ],
    [
      '1f0c2a9b tried to delete the client my app – the outcome is unknown',
      proxied('DELETE', '/api/oauth-admin/admin/clients/my%20app', null, 'client:my app'),
    ],
    ['1f0c2a9b created or changed several identities', proxied('PATCH', '/api/identity-admin/admin/identities', 200)],
    [
      'A caller without a session changed something at the identity service',
      { ...proxied('POST', '/api/identity-admin/admin/of-later/x', 201), actor: 'anonymous' },
    ],
  ] as const) {
    it(`reads: ${sentence}`, () => assert.equal(formatRecord(told), sentence));
  }
});
