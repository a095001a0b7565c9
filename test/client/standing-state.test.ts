import assert from 'node:assert/strict';
import { standingState } from '../../client/features/identities/detail/standing-state.ts';
import type { AuditRecord } from '../../shared/audit.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
let sequence = 100;

/** Records are listed the newest first. */
const record = (details: AuditRecord['details'], subject: AuditRecord['subject'] = `identity:${ID}`): AuditRecord => {
  sequence -= 1;
  return {
    sequence,
    timestamp: '2026-11-23T10:00:00.000Z',
    action: 'proxy_write',
    actor: 'somebody',
    target: `/api/identity-admin/admin/identities/${ID}`,
    subject,
    details,
  };
};
const set = (state: string, status: number | null = 200, method = 'PATCH') => record({ method, status, state });

describe('the record of the change that gave a person their state', () => {
  const inactive = { id: ID, state: 'inactive' };

  it('is the newest that set it, whatever else was changed since', () => {
    const last = set('inactive');
    const records = [record({ method: 'PATCH', status: 200 }), last, set('active'), set('inactive')];
    assert.equal(standingState(inactive, records), last);
  });

  it('is none where the state is no longer what the newest set', () => {
    assert.equal(standingState({ id: ID, state: 'active' }, [set('inactive'), set('active')]), undefined);
  });

  it('is none where nothing was recorded of it', () => {
    assert.equal(standingState(inactive, [record({ method: 'PATCH', status: 200 })]), undefined);
  });

  it('is not one that was refused, that nobody knows the outcome of, or that created the person', () => {
    const last = set('inactive');
    const others = [set('active', 409), set('active', null), set('active', 504), set('inactive', 201, 'POST')];
    assert.equal(standingState(inactive, [...others, last]), last);
    assert.equal(standingState(inactive, others), undefined);
  });

  it('is not one about somebody else', () => {
    const other = record({ method: 'PATCH', status: 200, state: 'inactive' }, 'identity:other');
    assert.equal(standingState(inactive, [other]), undefined);
  });
});
