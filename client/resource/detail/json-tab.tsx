import { use } from 'react';
import { JsonText } from '../../ui/json-text.tsx';
import { RecordContext } from './use-record.ts';

export function JsonTab() {
  const json = use(RecordContext)?.json;
  return json && <JsonText {...json} />;
}
