import { creationOf } from '../create-table.ts';

/** `setting:` and 255 characters of at most four bytes are the longest. */
const SUBJECT_BYTES = 1040;

export const createAuditLog = creationOf(
  'audit_log',
  ({ exact, long, integer }) => [
    `sequence ${integer} not null primary key`,
    `key_id ${exact(16)} not null`,
    `previous_tag ${exact(64)} not null`,
    `tag ${exact(64)} not null`,
    `record ${long} not null`,
    // Of the record, for queries; the subject of none is the empty text.
    `action ${exact(32)} not null`,
    `actor ${exact(255)} not null`,
    `recorded_at ${exact(24)} not null`,
    `subject ${exact(SUBJECT_BYTES)}`,
  ],
  {
    // One for each choice of filters, all in the order in which the trail is read: by time, then by place in the chain.
    indexes: {
      audit_log_recorded_at: 'recorded_at, sequence',
      audit_log_action_at: 'action, recorded_at, sequence',
      audit_log_actor_at: 'actor, recorded_at, sequence',
      audit_log_action_actor_at: 'action, actor, recorded_at, sequence',
      // With the other filters' columns: no record is looked up that they do not let through.
      audit_log_subject_at: 'subject, recorded_at, sequence, action, actor',
      // When a key was first used.
      audit_log_key: 'key_id, sequence',
      // A program may write one setting all the time: what else happened to it is found without reading all of that.
      audit_log_subject_action_at: 'subject, action, recorded_at, sequence',
      audit_log_subject_actor_at: 'subject, actor, recorded_at, sequence',
      audit_log_subject_action_actor_at: 'subject, action, actor, recorded_at, sequence',
    },
  },
);
