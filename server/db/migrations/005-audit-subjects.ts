import type { Knex } from 'knex';
import { addColumn, addIndexes, dropIndexes } from '../change-table.ts';

/** `setting:` and 255 characters of at most four bytes are the longest. */
const SUBJECT_BYTES = 1040;

/** One for each filter of the trail, all in the order in which it is read: by time, then by place in the chain. */
const INDEXES = {
  audit_log_action_at: 'action, recorded_at, sequence',
  audit_log_actor_at: 'actor, recorded_at, sequence',
  audit_log_action_actor_at: 'action, actor, recorded_at, sequence',
  // With the other filters' columns: no record is looked up that they do not let through.
  audit_log_subject_at: 'subject, recorded_at, sequence, action, actor',
  // When a key was first used.
  audit_log_key: 'key_id, sequence',
};
const REPLACED = { audit_log_action: 'action, sequence', audit_log_actor: 'actor, sequence' };

/** Records from before have no subject until one is filled in; none is the empty text. */
export async function up(knex: Knex): Promise<void> {
  await addColumn(knex, 'audit_log', 'subject', ({ exact }) => exact(SUBJECT_BYTES));
  await addIndexes(knex, 'audit_log', INDEXES);
  await dropIndexes(knex, 'audit_log', Object.keys(REPLACED));
}

export async function down(knex: Knex): Promise<void> {
  await addIndexes(knex, 'audit_log', REPLACED);
  await dropIndexes(knex, 'audit_log', Object.keys(INDEXES));
  await knex.raw('alter table audit_log drop column subject');
}
