import type { AuditRecord } from '../../../../shared/audit.ts';
import { type AuditQuestion, readAuditPage } from '../../../api/audit.ts';
import type { CursorList } from '../../../resource/list/use-cursor-list.ts';
import type { RowMark } from '../../../resource/live/newer-rows.ts';
import { NewerRowsButton } from '../../../resource/live/newer-rows-button.tsx';
import type { NewerQuestion } from '../../../resource/live/use-newer-rows.ts';

const ROWS = 50;

const markOf = ({ sequence }: AuditRecord): RowMark => ({ id: String(sequence), at: sequence });

const QUESTION: NewerQuestion<AuditRecord, AuditQuestion> = {
  one: 'record',
  many: 'records',
  markOf,
  async ask(filter, signal) {
    const { rows, next } = await readAuditPage({ ...filter, pageSize: ROWS }, signal);
    return { marks: rows.map(markOf), more: next !== undefined };
  },
};

export const NewRecords = ({ list }: { list: CursorList<AuditRecord, AuditQuestion> }) => (
  <NewerRowsButton list={list} question={QUESTION} />
);
