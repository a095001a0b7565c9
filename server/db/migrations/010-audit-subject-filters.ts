import type { Knex } from 'knex';
import { addIndexes, dropIndexes } from '../change-table.ts';

/** A program may write one setting all the time: what else happened to it is found without reading all of that. */
const INDEXES = {
  audit_log_subject_action_at: 'subject, action, recorded_at, sequence',
  audit_log_subject_actor_at: 'subject, actor, recorded_at, sequence',
  audit_log_subject_action_actor_at: 'subject, action, actor, recorded_at, sequence',
};

export const up = (knex: Knex): Promise<void> => addIndexes(knex, 'audit_log', INDEXES);

export const down = (knex: Knex): Promise<void> => dropIndexes(knex, 'audit_log', Object.keys(INDEXES));
