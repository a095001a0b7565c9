import { Suspense, use } from 'react';
import { LoadingRows } from '../../ui/loading/loading-rows.tsx';
import { RecordContext } from '../detail/use-record.ts';

/** The tab names no timeline: what each is made of would then be part of the first script. */
export function TimelineTab() {
  const Content = use(RecordContext)?.timeline;
  return (
    Content && (
      <Suspense fallback={<LoadingRows label="Loading the timeline" rows={6} height={52} />}>
        <Content />
      </Suspense>
    )
  );
}
