import { use } from 'react';
import { History } from './history.tsx';
import { RecordContext } from './use-record.ts';

export function HistoryTab() {
  const subject = use(RecordContext)?.subject;
  return subject && <History subject={subject} />;
}
