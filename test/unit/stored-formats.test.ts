import assert from 'node:assert/strict';
import { advance, anchorEvent, noRecord } from '../../server/audit/anchors.ts';
import { auditChain, type ChainedRecord } from '../../server/audit/chain.ts';
import type { AuditEvent, WithTimestamp } from '../../server/audit/event.ts';
import { createCipher, keyIdOf } from '../../server/crypto/cipher.ts';
import { createSigner, derivedKeys, keyBytes } from '../../server/crypto/signer.ts';
import { sessionTokens } from '../../server/session/session-token.ts';
import { ROLES } from '../../shared/capabilities.ts';

// These values were recorded once and are never updated: with another derivation, context or separator, stored settings
// could not be decrypted, and stored audit records would be invalid. A new format needs a version beside the old one.
const ENCRYPTION_KEY = 'encryption-key-of-these-tests-0123456789-abcde';
const SIGNING_KEY = 'signing-key-of-these-tests-0123456789-abcdefgh';
const ADA = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('stored data of an earlier release', () => {
  it('contains settings that can still be decrypted', () => {
    const cipher = createCipher({ current: ENCRYPTION_KEY });
    const stored = 'v1.uIDqv7qr.7rgShruu1S5HOwvX.EqiR-KgxrGUR_xYqMcDtHg.pXOu-khqmlGE';
    assert.equal(cipher.decrypt(stored, { setting: 'mail.password' }), 'pässword');
    assert.equal(keyIdOf(stored), cipher.keyIds.current);
  });

  it('contains ciphertexts outside settings that can still be decrypted', () => {
    const stored = 'v1.uIDqv7qr.9S1vvqX4ChbvsrnT.7K5iistq3t2MroawtaGeWw.jYpPlfg';
    assert.equal(createCipher({ current: ENCRYPTION_KEY }).decrypt(stored, 'no setting'), 'loose');
  });

  it('contains session tokens that are still accepted', () => {
    const token =
      'eyJpZGVudGl0eUlkIjoiOWY0MjVhOGQtN2VmYy00NzY4LThmMjMtNzY0N2E3NGZkZjEzIiwiZW1haWwiOiJhZGFAZXhhbXBsZS5jb20iLCJyb2xlIjoidmlld2VyIiwiZGVwbG95bWVudCI6ImN1c3RvbWVyIiwiaXNzdWVkQXQiOjE4MDAwMDAwMDAsImV4cGlyZXNBdCI6MTgwMDAwMDA2MCwic2Vzc2lvbklkIjoiYjBjMWMwZGUtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDAwMDAwIiwiZXBvY2giOjB9.rPOh_gjfnEh-7zfdztu2hHW7j68qjxOkeYyS7trTZC4';
    const tokens = sessionTokens(
      createSigner(keyBytes({ current: SIGNING_KEY })),
      { deployment: 'customer', roles: ROLES },
      () => 1_800_000_000_000,
    );
    assert.deepEqual(tokens.read(token), {
      identityId: ADA,
      email: 'ada@example.com',
      role: 'viewer',
      deployment: 'customer',
      issuedAt: 1_800_000_000,
      expiresAt: 1_800_000_060,
      sessionId: 'b0c1c0de-0000-4000-8000-000000000000',
      epoch: 0,
    });
  });

  it('contains audit records that are still valid, and that this release would write in the same form', () => {
    const chain = auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit-trail'));
    const [timestamp, later] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'];
    const events: WithTimestamp<AuditEvent>[] = [
      { action: 'login', actor: ADA, target: ADA, details: { role: 'admin' }, timestamp },
      { action: 'identity_search', adminId: ADA, searchFilter: 'ö@example.com', timestamp: later },
    ];
    const [firstTag, secondTag] = [
      'w4z-H3yMuWl_JZcBNNf6HAZnPZ87CepTZEu8uu7gfJ8',
      'vcBx1YVzHra7d2LySLx7aJCmbHaGeXuj5RjPUFlXbQw',
    ];
    const records: ChainedRecord[] = [
      {
        sequence: 1,
        key_id: 'MOXUYn0v',
        previous_tag: '',
        tag: firstTag,
        record: `{"action":"login","actor":"${ADA}","target":"${ADA}","details":{"role":"admin"},"timestamp":"${timestamp}"}`,
        action: 'login',
        actor: ADA,
        recorded_at: timestamp,
        subject: `session:${ADA}`,
      },
      {
        sequence: 2,
        key_id: 'MOXUYn0v',
        previous_tag: firstTag,
        tag: secondTag,
        record: `{"action":"identity_search","adminId":"${ADA}","searchFilter":"ö@example.com","timestamp":"${later}"}`,
        action: 'identity_search',
        actor: ADA,
        recorded_at: later,
        subject: '',
      },
    ];
    const rotated = auditChain(derivedKeys({ current: `new-${SIGNING_KEY}`, previous: SIGNING_KEY }, 'audit-trail'));
    let position = noRecord();
    for (const [index, record] of records.entries()) {
      assert.equal(chain.problemOf(position, record), undefined);
      assert.equal(rotated.problemOf(position, record), undefined);
      assert.deepEqual(chain.link(position, events[index] as WithTimestamp<AuditEvent>), record);
      position = advance(position, record);
    }
    assert.deepEqual(anchorEvent(position).details, {
      up_to: 2,
      tag: secondTag,
      digest: 'KUmaDnvoQvn2TRQCTDouSTrLWpzE9gyyuROHp9b965s',
    });
  });
});
