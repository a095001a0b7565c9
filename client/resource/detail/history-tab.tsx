import { use } from 'react';
import { SubjectHistory } from '../../audit-view/subject-history.tsx';
import { RecordContext } from './use-record.ts';

export function HistoryTab() {
  const subject = use(RecordContext)?.subject;
  return (
    subject && (
      <SubjectHistory
        subject={subject}
        nothing="Nothing was changed here through this dashboard since the audit trail began."
      />
    )
  );
}
